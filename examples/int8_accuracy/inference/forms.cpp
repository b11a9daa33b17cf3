// SPDX-License-Identifier: Apache-2.0
// Goes from the last step to the first and asks readers what they want to read.
#include "forms.hpp"

#include <algorithm>
#include <stdexcept>

namespace int8_accuracy {

using type = dnnl::memory::data_type;

stored_form wanted_form(const number_grid &source) {
    stored_form form;
    form.bits = source.bits;
    if (source.simulated) return form;
    if (source.dynamic) return {};
    form.type = source.stored;
    if (source.kind == number_kind::integer) {
        form.scale = source.scale;
        form.zero_point = source.zero_point;
    }
    return form;
}

namespace {

bool half(const stored_form &form) { return form.type == type::bf16 || form.type == type::f16; }

class planner {
  public:
    planner(const network &net, const assignment &formats, const calibration_data &measured)
        : net_(net), products_(net.products()), wishes_(net.layers.size()) {
        if (formats.size() != products_.size())
            throw std::invalid_argument("there must be a format for each product");
        for (std::size_t p = 0; p < products_.size(); ++p)
            plan_.sources.push_back(source_grid(net, products_[p], formats[p], measured));
    }

    storage_plan plan(const std::vector<fused_step> &steps) {
        plan_.results.resize(steps.size());
        wishes_.back().push_back({});
        for (std::size_t s = steps.size(); s-- > 0;) {
            plan_.results[s] = result_of(steps[s]);
            wish(steps[s], plan_.results[s]);
        }
        return plan_;
    }

  private:
    const number_grid *grid_of(const fused_step &step) const {
        const auto at = std::find(products_.begin(), products_.end(), step.first);
        return at == products_.end() ? nullptr : &plan_.sources[at - products_.begin()];
    }

    /// What the readers of the step's result want; without a wish, what the product itself has.
    stored_form wanted(const fused_step &step) const {
        const std::vector<stored_form> &wishes = wishes_[step.last];
        if (wishes.empty()) {
            const number_grid *grid = grid_of(step);
            const bool is_half = grid && half(wanted_form(*grid));
            return is_half ? wanted_form(*grid) : stored_form {};
        }
        const auto differs = [&](const stored_form &w) { return !(w == wishes.front()); };
        return std::any_of(wishes.begin(), wishes.end(), differs) ? stored_form {} : wishes.front();
    }

    stored_form result_of(const fused_step &step) const {
        const stored_form wish = wanted(step);
        const layer_kind kind = net_.layers[step.first].kind;
        if (kind == layer_kind::maximum) return wish;
        if (const number_grid *grid = grid_of(step)) return product_result(kind, *grid, wish);
        return wish.integer() ? stored_form {} : wish;
    }

    static stored_form product_result(
        layer_kind kind, const number_grid &source, const stored_form &wish) {
        const stored_form own = wanted_form(source);
        if (wish.type == type::f32) {
            const bool always_half = kind == layer_kind::lstm && half(own);
            return always_half ? own : wish;
        }
        const bool integers = source.kind == number_kind::integer && !source.simulated;
        if (kind == layer_kind::lstm) return wish == own || half(own) ? own : stored_form {};
        if (integers && wish.integer()) return wish;
        return half(own) && wish == own ? own : stored_form {};
    }

    void wish(const fused_step &step, const stored_form &result) {
        const layer &of = net_.layers[step.first];
        if (of.kind == layer_kind::add) return;
        stored_form wish;
        if (of.kind == layer_kind::maximum || half(result)) wish = result;
        if (const number_grid *grid = grid_of(step)) wish = wanted_form(*grid);
        for (int source : of.from) wishes_[source].push_back(wish);
    }

    const network &net_;
    std::vector<int> products_;
    std::vector<std::vector<stored_form>> wishes_; // of each layer's readers
    storage_plan plan_;
};

} // namespace

storage_plan plan_storage(const network &net, const std::vector<fused_step> &steps,
    const assignment &formats, const calibration_data &measured) {
    return planner(net, formats, measured).plan(steps);
}

} // namespace int8_accuracy
