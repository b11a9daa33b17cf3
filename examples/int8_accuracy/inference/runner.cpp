// SPDX-License-Identifier: Apache-2.0
// Builds the list of primitives of a network.
#include "runner.hpp"

#include "plain_layers.hpp"
#include "products.hpp"

#include <algorithm>
#include <stdexcept>

#include <dnnl_ext.hpp>

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

namespace {

const input_moments no_moments;

struct product_record {
    int last = 0; // the layer whose result the step gives
    double weight_bytes = 0, moved_bytes = 0;
    std::string implementation;
};

} // namespace

struct runner::state {
    state(const dnnl::engine &engine, const trained_network &network, const assignment &formats,
        const calibration_data &measured, int batch, bool keep)
        : net(network.net), stream(engine), values(engine, net, batch, steps), keep_results(keep),
          plan(fused_steps(net)) {
        const storage_plan storage = plan_storage(net, plan, formats, measured);
        const std::vector<int> all = net.products();
        products.resize(all.size());
        input = values.create(0, {}).data;
        for (std::size_t s = 0; s < plan.size(); ++s) {
            const int first = plan[s].first;
            const layer_parameters &learned = network.learned[first];
            if (!multiplies(net.layers[first].kind)) {
                add_plain_layer(values, first, learned, storage.results[s]);
                continue;
            }
            const auto p = std::size_t(std::find(all.begin(), all.end(), first) - all.begin());
            const input_moments &moments =
                p < measured.moments.size() ? measured.moments[p] : no_moments;
            add_step(s, {net.layers[first], learned, formats[p], moments, storage.sources[p]},
                storage.results[s], products[p]);
        }
        logits = values.in_form(int(net.layers.size()) - 1, {}).data;
    }

    void add_step(std::size_t s, const product_parts &parts, const stored_form &form,
        product_record &record) {
        const fused_step &step = plan[s];
        const int source = parts.of.from.front();
        const stored_value read = values.on_grid(source, parts.grid);
        epilogue after;
        stored_value result;
        if (step.addend < 0)
            result = values.create(step.last, form);
        else
            result = add_addend(s, form, after);
        if (step.activation >= 0) {
            const bool gelu = net.layers[step.activation].kind == layer_kind::gelu;
            after.ops.append_eltwise(
                gelu ? dnnl::algorithm::eltwise_gelu_erf : dnnl::algorithm::eltwise_relu, 0.f, 0.f);
        }
        const product_facts_of_run facts = add_product(values, parts, read, result, after);
        record.last = step.last;
        record.implementation = facts.implementation;
        record.weight_bytes = facts.weight_bytes;
        record.moved_bytes = facts.weight_bytes + parts.of.source.values() * parts.grid.bits / 8 +
                             parts.of.result.values() * form.bits / 8;
    }

    /// An addend in the form of the result becomes part of it by a sum, in its own memory if
    /// nothing reads it afterwards; otherwise it is an argument of a binary addition.
    stored_value add_addend(std::size_t s, const stored_form &form, epilogue &after) {
        const fused_step &step = plan[s];
        const stored_value addend = values.stored(step.addend);
        if (addend.form.type == form.type && read_last_by(step.addend, s)) {
            after.ops.append_sum(addend.form.scale, addend.form.zero_point);
            if (!keep_results) return values.create(step.last, form, addend.data);
            const stored_value result = values.create(step.last, form);
            steps.copy(addend.data, result.data);
            return result;
        }
        const memory numbers =
            addend.form.integer() ? values.in_form(step.addend, {}).data : addend.data;
        after.ops.append_binary(dnnl::algorithm::binary_add, numbers.get_desc());
        after.arguments[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1] = numbers;
        return values.create(step.last, form);
    }

    bool read_last_by(int l, std::size_t s) const {
        if (l == 0) return false; // the caller's numbers
        for (std::size_t later = s + 1; later < plan.size(); ++later) {
            const std::vector<int> from = sources_of(net, plan[later]);
            if (std::find(from.begin(), from.end(), l) != from.end()) return false;
        }
        return true;
    }

    network net;
    mutable dnnl::stream stream;
    program steps;
    stored_values values;
    bool keep_results;
    std::vector<fused_step> plan;
    std::vector<product_record> products;
    memory input, logits;
};

runner::runner(const dnnl::engine &engine, const trained_network &network,
    const assignment &formats, const calibration_data &measured, int batch, bool keep_results)
    : state_(std::make_unique<state>(engine, network, formats, measured, batch, keep_results)) {}

runner::~runner() = default;

void runner::set_threads(int threads) { dnnl::ext::set_threads(state_->stream, threads); }

const float *runner::run(const float *encoded_input) {
    const std::size_t count = state_->input.get_desc().get_size() / sizeof(float);
    std::copy_n(encoded_input, count, static_cast<float *>(state_->input.get_data_handle()));
    state_->steps.run(state_->stream);
    return static_cast<const float *>(state_->logits.get_data_handle());
}

std::vector<float> runner::result_of(int product) const {
    if (!state_->keep_results) throw std::logic_error("results of products are not kept");
    return result_of_layer(state_->products.at(std::size_t(product)).last);
}

std::vector<float> runner::result_of_layer(int layer) const {
    return state_->values.numbers(layer, state_->stream);
}

double runner::weight_bytes(int product) const {
    return state_->products.at(std::size_t(product)).weight_bytes;
}

double runner::moved_bytes(int product) const {
    return state_->products.at(std::size_t(product)).moved_bytes;
}

const std::string &runner::implementation(int product) const {
    return state_->products.at(std::size_t(product)).implementation;
}

} // namespace int8_accuracy
