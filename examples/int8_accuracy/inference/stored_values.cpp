// SPDX-License-Identifier: Apache-2.0
// Conversions between forms: one reorder each, with a scale and a zero point on either side.
#include "stored_values.hpp"

#include "../quantization/simulation.hpp"

#include <stdexcept>

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

memory view(const memory &of, const memory::desc &desc) {
    return memory(desc, of.get_engine(), of.get_data_handle());
}

stored_values::stored_values(
    const dnnl::engine &engine, const network &net, int batch, program &steps)
    : engine_(engine), net_(net), batch_(batch), steps_(steps), stored_(net.layers.size()) {}

stored_value stored_values::new_value(int l, const stored_form &form) const {
    stored_value value;
    value.form = form;
    value.data = memory(desc_of(net_.layers[l].result, batch_, form.type), engine_);
    if (!form.integer()) return value;
    value.scale = scalar_memory(engine_, form.scale);
    if (form.zero_point != 0) value.zero_point = scalar_memory(engine_, form.zero_point);
    return value;
}

stored_value stored_values::create(int l, const stored_form &form) {
    return stored_[l] = new_value(l, form);
}

stored_value stored_values::create(int l, const stored_form &form, const memory &data) {
    stored_[l] = new_value(l, form);
    stored_[l].data = data;
    return stored_[l];
}

namespace {

program::arguments reorder_arguments(
    const stored_value &from, const stored_value &to, dnnl::primitive_attr &attr) {
    program::arguments args {{DNNL_ARG_FROM, from.data}, {DNNL_ARG_TO, to.data}};
    for (const auto &[side, value] : {std::pair {DNNL_ARG_FROM, &from}, {DNNL_ARG_TO, &to}}) {
        if (value->scale) {
            attr.set_scales_mask(side, 0);
            args[DNNL_ARG_ATTR_SCALES | side] = value->scale;
        }
        if (value->zero_point) {
            attr.set_zero_points_mask(side, 0);
            args[DNNL_ARG_ATTR_ZERO_POINTS | side] = value->zero_point;
        }
    }
    return args;
}

dnnl::reorder reorder_of(
    const stored_value &from, const stored_value &to, const dnnl::primitive_attr &attr) {
    const dnnl::engine engine = from.data.get_engine();
    return dnnl::reorder({engine, from.desc(), engine, to.desc(), attr});
}

} // namespace

void stored_values::add_reorder(const stored_value &from, const stored_value &to) {
    dnnl::primitive_attr attr;
    const program::arguments args = reorder_arguments(from, to, attr);
    steps_.add(reorder_of(from, to, attr), args);
}

stored_value stored_values::in_form(int l, const stored_form &form) {
    const auto same = [&](const stored_form &other) {
        stored_form compared = other;
        compared.bits = form.bits; // says what the numbers would take, not what they are
        return compared == form;
    };
    if (same(stored_[l].form)) return stored_[l];
    for (const conversion &each : conversions_)
        if (each.layer == l && same(each.form)) return each.value;
    const stored_value to = new_value(l, form);
    add_reorder(stored_[l], to);
    conversions_.push_back({l, form, to});
    return to;
}

stored_value stored_values::on_grid(int l, const number_grid &grid) {
    if (!grid.simulated && !grid.dynamic) return in_form(l, wanted_form(grid));
    for (const reading &each : readings_)
        if (each.layer == l && each.grid == grid) return each.value;
    const stored_value from = in_form(l, {});
    stored_value to;
    if (grid.simulated) {
        to = new_value(l, {});
        std::vector<int> block;
        for (int c = 0; c < net_.layers[l].result.channels; ++c) block.push_back(c / 32);
        add_rounding(steps_, grid, from.data, to.data, block);
    } else {
        to = new_value(l, {grid.stored, 1, 0, 8});
        if (grid.grid == activation_grid::asymmetric) to.zero_point = scalar_memory(engine_, 0);
        steps_.add([=] { measure_range(grid, from.data, to.scale, to.zero_point); });
        add_reorder(from, to);
    }
    readings_.push_back({l, grid, to});
    return to;
}

std::vector<float> stored_values::numbers(int l, dnnl::stream &stream) const {
    const stored_value &from = stored_.at(std::size_t(l));
    if (!from.data) throw std::out_of_range("the numbers are not stored between steps");
    const stored_value to = new_value(l, {});
    dnnl::primitive_attr attr;
    const program::arguments args = reorder_arguments(from, to, attr);
    reorder_of(from, to, attr).execute(stream, args);
    stream.wait();
    return values_of(to.data);
}

} // namespace int8_accuracy
