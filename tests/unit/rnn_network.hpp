// SPDX-License-Identifier: Apache-2.0
// A recurrent network with random values that any row of the table can run, forward and backward.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>

#include "common/descriptors/rnn.hpp"
#include "common/runtime/isa.hpp"
#include "reference_run.hpp"

namespace rnn_network {

using namespace reference_run;

struct shape {
    dim_t L = 1, T = 1, MB = 1, SLC = 1, DHC = 1, DIC = 1;
    dim_t SIC = 0; ///< 0: DIC
};

/// A buffer that takes lists of values.
struct values_of_tensor {
    buffer data;
    values_of_tensor &operator=(const std::vector<float> &values) {
        BOOST_REQUIRE_EQUAL(static_cast<dim_t>(values.size()), data.md.nelems());
        for (dim_t i = 0; i < data.md.nelems(); ++i)
            store_f32(data.md.dtype, data.bytes.data(),
                element_offset(data.md, position_of(data.md, i)),
                values[static_cast<std::size_t>(i)]);
        return *this;
    }
    void set_all(float value) {
        *this = std::vector<float>(static_cast<std::size_t>(data.md.nelems()), value);
    }
};
using tensor_map = std::map<rnn_tensor, values_of_tensor>;

class network {
  public:
    network(dnnl_alg_kind_t cell_kind, const shape &extents) : cell(cell_kind), s(extents) {}

    dnnl_alg_kind_t cell;
    shape s;
    dnnl_prop_kind_t prop = dnnl_forward_training;
    dnnl_alg_kind_t activation = dnnl_eltwise_tanh;
    dnnl_rnn_direction_t direction = dnnl_unidirectional_left2right;
    float alpha = 0.25f;
    float scale = 1; ///< of random values
    bool peephole = false, projection = false;
    bool has_bias = true, has_src_iter = true, has_dst_iter = true;
    data_type type = data_type::f32, weights_type = data_type::f32;
    data_type other_type = data_type::f32; ///< bias and cell states
    data_type output_type = data_type::undef, iter_type = data_type::undef; ///< undef: `type`
    primitive_attr attr;
    tensor_map tensors, diffs;

    values_of_tensor &operator[](rnn_tensor t) { return tensors.at(t); }

    bool set_type(data_type to) {
        const bool int8 = to == data_type::u8 || to == data_type::s8;
        if (int8 && ((cell != dnnl_vanilla_lstm && cell != dnnl_vanilla_gru) || peephole))
            return false;
        type = weights_type = to;
        if (to != data_type::f32) prop = dnnl_forward_inference;
        if (to == data_type::bf16) prop = dnnl_forward_training;
        if (!int8) return true;
        weights_type = data_type::s8;
        attr.rnn.data_scale = 60;
        attr.rnn.data_shift = to == data_type::u8 ? 128 : 3;
        attr.rnn.weights.values = {80};
        attr.rnn.projection.values = {70};
        if (s.MB % 2) {
            attr.rnn.weights.mask = 24;
            attr.rnn.weights.values.assign(static_cast<std::size_t>(4 * s.DHC), 75);
            for (std::size_t i = 0; i < attr.rnn.weights.values.size(); ++i)
                attr.rnn.weights.values[i] += static_cast<float>(i % 7);
            output_type = data_type::f32;
        }
        return true;
    }

    void build();
    void fill(unsigned seed);
    /// Makes the gradients' tensors; those of weights are left poisoned.
    void prepare_backward(unsigned flags);

    /// The rows of the table that this CPU runs and that take the problem.
    std::vector<const implementation *> rows() const {
        std::vector<const implementation *> result;
        for (const implementation &row : dnnl::impl::rows(op_desc(desc_))) {
            if (!has(effective_isa(), row.needs)) continue;
            if (has(row.needs, isa::amx) && !request_amx_permission()) continue;
            problem p = problem_of(desc_, row);
            if (row.make_plan(p).result) result.push_back(&row);
        }
        BOOST_REQUIRE(!result.empty());
        return result;
    }
    const implementation *reference() const { return &dnnl::impl::rows(op_desc(desc_)).back(); }

    void forward(const implementation *row) { execute(desc_, row); }
    /// A row that runs only the other pass leaves this one to the reference.
    void backward(const implementation *row) {
        execute(backward_desc_, runs_backward(*row) ? row : reference());
    }
    /// After prepare_backward().
    bool runs_backward(const implementation &row) const {
        problem p = problem_of(backward_desc_, row);
        return row.make_plan(p).result != nullptr;
    }

  private:
    problem problem_of(const rnn_desc &desc, const implementation &row) const {
        problem p;
        p.op = desc;
        p.attr = attr;
        p.target = row.needs;
        return p;
    }
    void add(rnn_tensor t, data_type dtype, std::vector<dim_t> dims) {
        tensors.insert_or_assign(t, values_of_tensor {buffer(dtype, std::move(dims))});
    }
    rnn_request request(tensor_map &forward_tensors) const;
    void execute(const rnn_desc &desc, const implementation *row);

    rnn_desc desc_, backward_desc_;
    std::vector<std::byte> workspace_;
};

inline void network::build() {
    using enum rnn_tensor;
    const bool lstm = cell == dnnl_vanilla_lstm, gru = !lstm && cell != dnnl_vanilla_rnn;
    const bool both = direction == dnnl_bidirectional_concat || direction == dnnl_bidirectional_sum;
    const dim_t G = lstm ? 4 : gru ? 3 : 1, D = both ? 2 : 1;
    const dim_t DLC = direction == dnnl_bidirectional_concat ? 2 * s.DIC : s.DIC;
    const dim_t SIC = s.SIC > 0 ? s.SIC : s.DIC;
    const auto or_type = [&](data_type given) { return given == data_type::undef ? type : given; };
    tensors.clear();
    add(src_layer, type, {s.T, s.MB, s.SLC});
    if (has_src_iter) add(src_iter, or_type(iter_type), {s.L, D, s.MB, SIC});
    if (has_src_iter && lstm) add(src_iter_c, other_type, {s.L, D, s.MB, s.DHC});
    if (cell == dnnl_vanilla_augru || cell == dnnl_lbr_augru) add(attention, type, {s.T, s.MB, 1});
    add(weights_layer, weights_type, {s.L, D, s.SLC, G, s.DHC});
    add(weights_iter, weights_type, {s.L, D, SIC, G, s.DHC});
    if (peephole) add(weights_peephole, other_type, {s.L, D, 3, s.DHC});
    if (projection) add(weights_projection, weights_type, {s.L, D, s.DHC, s.DIC});
    const bool linear = cell == dnnl_lbr_gru || cell == dnnl_lbr_augru;
    if (has_bias) add(bias, other_type, {s.L, D, linear ? 4 : G, s.DHC});
    add(dst_layer, or_type(output_type), {s.T, s.MB, DLC});
    if (has_dst_iter) add(dst_iter, or_type(iter_type), {s.L, D, s.MB, s.DIC});
    if (has_dst_iter && lstm) add(dst_iter_c, other_type, {s.L, D, s.MB, s.DHC});
    desc_ = make_rnn_desc(request(tensors));
    workspace_.assign(desc_.workspace.size_bytes(), std::byte {0xff});
}

inline rnn_request network::request(tensor_map &given) const {
    rnn_request r {prop, cell, direction, 0, activation, alpha};
    for (auto &[t, values] : given) r.tensors[static_cast<std::size_t>(t)] = &values.data.md;
    return r;
}

inline void network::fill(unsigned seed) {
    std::mt19937 random(seed);
    for (auto &[t, values] : tensors) {
        std::vector<float> list;
        const data_type dtype = values.data.md.dtype;
        for (dim_t i = 0; i < values.data.md.nelems(); ++i) {
            const float value = scale * (static_cast<float>(random() % 2001) / 1000.0f - 1);
            if (dtype == data_type::u8)
                list.push_back(std::nearbyint(128 + 100 * value));
            else
                list.push_back(dtype == data_type::s8 ? std::nearbyint(100 * value) : value);
        }
        values = list;
    }
}

inline void network::prepare_backward(unsigned flags) {
    rnn_request r = request(tensors);
    r.prop = dnnl_backward;
    r.flags = flags;
    r.hint = &desc_;
    diffs.clear();
    std::mt19937 random(77);
    for (const auto &[t, values] : tensors) {
        memory_desc md = values.data.md;
        md.dtype = data_type::f32;
        auto &diff = diffs.insert_or_assign(t, values_of_tensor {buffer(md)}).first->second;
        std::vector<float> list;
        for (dim_t i = 0; i < md.nelems(); ++i)
            list.push_back(static_cast<float>(random() % 2001) / 1000.0f - 1);
        if (rnn_tensors[static_cast<std::size_t>(t)].is_output) diff = list;
        r.diffs[static_cast<std::size_t>(t)] = &diff.data.md;
    }
    backward_desc_ = make_rnn_desc(r);
}

inline void network::execute(const rnn_desc &desc, const implementation *row) {
    problem p = problem_of(desc, *row);
    const planned made = row->make_plan(p);
    BOOST_REQUIRE(made.result);
    std::vector<bound_argument> bound;
    auto &planned_desc = std::get<rnn_desc>(p.op);
    for (const rnn_tensor_info &info : rnn_tensors) {
        if (const auto found = tensors.find(info.tensor); found != tensors.end())
            bound.push_back(
                {info.arg, &planned_desc.md(info.tensor), found->second.data.bytes.data()});
        if (const auto found = diffs.find(info.tensor);
            found != diffs.end() && !planned_desc.diffs.empty())
            bound.push_back(
                {info.diff_arg, &planned_desc.diff(info.tensor), found->second.data.bytes.data()});
    }
    bound.push_back({DNNL_ARG_WORKSPACE, &planned_desc.workspace, workspace_.data()});
    const scratchpad_lease scratch(p.scratchpad.bytes());
    std::fill_n(scratch.data(), p.scratchpad.bytes(), std::byte {0xff});
    made.result->execute(exec_context(bound, scratch.data()));
}

/// Every cell and direction with and without each optional tensor, one or two layers.
template <class Body> void for_each_variant(const Body &body) {
    const dnnl_rnn_direction_t directions[] = {dnnl_unidirectional_left2right,
        dnnl_unidirectional_right2left, dnnl_bidirectional_concat, dnnl_bidirectional_sum};
    const dnnl_alg_kind_t activations[] = {
        dnnl_eltwise_tanh, dnnl_eltwise_logistic, dnnl_eltwise_relu, dnnl_eltwise_tanh};
    for (const dnnl_alg_kind_t cell : {dnnl_vanilla_rnn, dnnl_vanilla_lstm, dnnl_vanilla_gru,
             dnnl_lbr_gru, dnnl_vanilla_augru, dnnl_lbr_augru})
        for (int d = 0; d < 4; ++d)
            for (int optional = 0; optional < 4; ++optional) {
                const bool attention = cell == dnnl_vanilla_augru || cell == dnnl_lbr_augru;
                if (attention && d > 0) continue;
                const bool several = d % 2 == optional % 2 && !attention;
                network net(cell,
                    {.L = several ? 2 : 1, .T = 3, .MB = 2 + d % 2, .SLC = 5, .DHC = 5, .DIC = 5});
                net.direction = directions[d];
                net.activation = activations[d];
                net.has_bias = optional != 1;
                net.has_src_iter = optional != 2;
                net.has_dst_iter = optional != 3;
                net.peephole = cell == dnnl_vanilla_lstm && optional % 2;
                net.projection = cell == dnnl_vanilla_lstm && optional >= 2;
                if (net.projection) {
                    net.s.DIC = 4;
                    net.s.SLC = several ? 4 : 6;
                }
                if (!several && !net.projection) net.s.SLC = 70;
                body(net);
            }
}

/// Two layers of one step whose given states are wider or narrower than those that they leave.
template <class Body> void for_each_decoder(const Body &body) {
    for (const dnnl_alg_kind_t cell : {dnnl_vanilla_rnn, dnnl_vanilla_lstm})
        for (const dnnl_rnn_direction_t direction : {dnnl_unidirectional_left2right,
                 dnnl_unidirectional_right2left, dnnl_bidirectional_concat, dnnl_bidirectional_sum})
            for (const dim_t SIC : {3, 21})
                for (const bool projection : {false, true}) {
                    if (projection && cell != dnnl_vanilla_lstm) continue;
                    network net(cell, {.L = 2, .T = 1, .MB = 3, .DHC = 9, .SIC = SIC});
                    net.s.SLC = net.s.DIC = projection ? 7 : 9;
                    net.direction = direction;
                    net.projection = projection;
                    net.peephole = cell == dnnl_vanilla_lstm && SIC == 3;
                    body(net);
                }
}

/// Sum of the outputs, each weighted with its gradient.
inline double weighted_outputs(network &net) {
    double sum = 0;
    for (const rnn_tensor_info &info : rnn_tensors)
        if (info.is_output && net.tensors.count(info.tensor))
            sum += inner_product_of(net[info.tensor].data, net.diffs.at(info.tensor).data);
    return sum;
}

inline void check_gradients(network &net, const implementation *row) {
    net.prepare_backward(dnnl_rnn_flags_diff_weights_overwrite);
    net.forward(row);
    net.backward(row);
    std::mt19937 random(9);
    for (const rnn_tensor_info &info : rnn_tensors) {
        if (info.is_output || !net.tensors.count(info.tensor)) continue;
        const buffer &gradient = net.diffs.at(info.tensor).data;
        const std::vector<float> start = net[info.tensor].data.values(), slope = gradient.values();
        double expected = 0, size = 0;
        std::vector<float> direction;
        for (const float g : slope) {
            direction.push_back(random() % 2 ? 1.0f : -1.0f);
            expected += double {g} * direction.back();
            size += std::fabs(g);
        }
        const float step = 4e-3f;
        const auto moved = [&](float by) {
            std::vector<float> values = start;
            for (std::size_t i = 0; i < values.size(); ++i) values[i] += by * direction[i];
            net[info.tensor] = values;
            net.forward(net.reference());
            return weighted_outputs(net);
        };
        const double quotient = (moved(step) - moved(-step)) / (2 * double {step});
        net[info.tensor] = start;
        BOOST_CHECK_MESSAGE(std::fabs(quotient - expected) < 2e-3 * (1 + size),
            row->name << " cell " << net.cell << " direction " << net.direction << " diff_"
                      << info.name << ": " << expected << ", the quotient is " << quotient);
    }
}

inline void compare(const buffer &got, const buffer &expected, float tolerance, const char *what) {
    const std::vector<float> a = got.values(), b = expected.values();
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::fabs(a[i] - b[i]) <= tolerance * (1 + std::fabs(b[i])))) {
            BOOST_ERROR(what << ", element " << i << ": " << a[i] << ", not " << b[i]);
            return;
        }
}

/// Forward, and backward where there is one, of every row against the reference.
inline void check_rows(network &net) {
    net.build();
    net.fill(2);
    network expected = net;
    expected.forward(expected.reference());
    const bool training = net.prop == dnnl_forward_training;
    if (training) {
        expected.prepare_backward(dnnl_rnn_flags_diff_weights_overwrite);
        expected.backward(expected.reference());
    }
    const bool int8 = net.type == data_type::u8 || net.type == data_type::s8;
    // 8-bit states agree but where one lies on the border between two integers.
    const float tolerance = net.type == data_type::f32 ? 2e-6f : int8 ? 1e-6f : 1e-2f;
    for (const implementation *row : net.rows()) {
        network other = net;
        other.forward(row);
        for (const rnn_tensor_info &info : rnn_tensors)
            if (info.is_output && net.tensors.count(info.tensor))
                compare(other[info.tensor].data, expected[info.tensor].data, tolerance, info.name);
        if (!training) continue;
        other.prepare_backward(dnnl_rnn_flags_diff_weights_overwrite);
        other.backward(row);
        for (const rnn_tensor_info &info : rnn_tensors)
            if (!info.is_output && net.tensors.count(info.tensor))
                compare(other.diffs.at(info.tensor).data, expected.diffs.at(info.tensor).data,
                    10 * tolerance, info.name);
    }
}

} // namespace rnn_network
