// SPDX-License-Identifier: Apache-2.0
// The gradients of a recurrent network's weights, from those of the gates of all steps.
#include "common/runtime/parallel.hpp"
#include "cpu/rnn/rnn_backward.hpp"

namespace dnnl::impl::cpu {

using enum rnn_tensor;

/// What the state's weights multiplied: the state before each step.
rnn_operand gemm_rnn_backward::previous_states(const execution &e, dim_t l, dim_t d) const {
    return {states_.h(e.states, l, d, 0), states_.state_type(), s_.SIC,
        cell_of(e, l, d, 0).previous_h, is_reversed(desc_, d)};
}

void gemm_rnn_backward::store_gradients(
    const exec_context &ctx, const execution &e, dim_t l, dim_t d) const {
    const bool add = !(desc_.flags & dnnl_rnn_flags_diff_weights_overwrite);
    const bool linear = is_linear_before_reset(desc_.cell_kind);
    const dim_t place = l * s_.D + d, gates = s_.G * s_.DHC, two = 2 * s_.DHC;
    f32 *layer = e.diff(weights_layer) + place * s_.SLC * gates;
    f32 *iter = e.diff(weights_iter) + place * s_.SIC * gates;
    f32 *sums = moved(e.diff(bias), place * s_.B * s_.DHC);

    gradients_.load_gradient(ctx, e.diff_gates, gates, gates);
    const void *input = l == 0 ? e.tensor<void>(src_layer) : states_.h(e.states, l - 1, d, 0);
    gradients_.load_operand(ctx, {input, states_.state_type(), s_.SLC, nullptr, false});
    gradients_.multiply(ctx, {layer, gates, s_.SLC, gates, add});
    if (sums) gradients_.sum_rows(ctx, {sums, gates, 1, gates, add});
    gradients_.load_operand(ctx, previous_states(e, l, d));
    gradients_.multiply(ctx, {iter, gates, s_.SIC, is_gru() ? two : gates, add});
    if (is_gru()) {
        // Gate o: of r h, or of U_o h + B_u'.
        if (linear)
            gradients_.load_gradient(ctx, e.diff_linear, s_.DHC, s_.DHC);
        else
            gradients_.load_gradient(ctx, e.diff_gates + two, gates, s_.DHC);
        if (!linear)
            gradients_.load_operand(ctx, {e.operand, data_type::f32, s_.DHC, nullptr, false});
        gradients_.multiply(ctx, {iter + two, gates, s_.SIC, s_.DHC, add});
        if (linear && sums) gradients_.sum_rows(ctx, {sums + gates, s_.DHC, 1, s_.DHC, add});
    }
    if (s_.projection) {
        f32 *projected = e.diff(weights_projection) + place * s_.DHC * s_.DIC;
        gradients_.load_gradient(ctx, e.diff_output, s_.DIC, s_.DIC);
        gradients_.load_operand(
            ctx, {states_.linear(e.states, l, d, 0), data_type::f32, s_.DHC, nullptr, false});
        gradients_.multiply(ctx, {projected, s_.DIC, s_.DHC, s_.DIC, add});
    }
    if (desc_.has(weights_peephole)) store_peephole_gradient(e, l, d);
}

/// Gates i and f read the cell state before each step, gate o the state after it.
void gemm_rnn_backward::store_peephole_gradient(const execution &e, dim_t l, dim_t d) const {
    f32 *sums = e.peephole_sums;
    std::fill_n(sums, 3 * s_.DHC, 0.0f);
    const dim_t rows = s_.T * s_.MB, first = std::min(s_.MB, rows);
    const bool reversed = is_reversed(desc_, d);
    const f32 *c = states_.c(e.states, l, d, 0);
    const auto add = [&](const f32 *state, dim_t gate, dim_t row, dim_t count, f32 *to) {
        const f32 *diff = e.diff_gates + (row * s_.G + gate) * s_.DHC;
        constexpr dim_t share = 64; // channels
        const double share_ns = 0.1 * static_cast<double>(count * share);
        parallel_for(div_up(s_.DHC, share), share_ns, [&](int, dim_t begin, dim_t end) {
            const dim_t c = begin * share, channels = std::min(end * share, s_.DHC) - c;
            kernel_for<vector_levels>(target_, []<class Isa> { return rnn_product_sums<Isa>; })(
                {count, channels, state + c, diff + c, s_.DHC, s_.G * s_.DHC, to + c});
        });
    };
    for (dim_t gate = 0; gate < 2; ++gate) {
        f32 *to = sums + gate * s_.DHC;
        add(cell_of(e, l, d, 0).previous_c, gate, reversed ? rows - first : 0, first, to);
        add(c + (reversed ? first * s_.DHC : 0), gate, reversed ? 0 : first, rows - first, to);
    }
    add(c, 3, 0, rows, sums + 2 * s_.DHC);
    const bool overwrite = desc_.flags & dnnl_rnn_flags_diff_weights_overwrite;
    f32 *out = e.diff(weights_peephole) + (l * s_.D + d) * 3 * s_.DHC;
    for (dim_t i = 0; i < 3 * s_.DHC; ++i) out[i] = overwrite ? sums[i] : out[i] + sums[i];
}

} // namespace dnnl::impl::cpu
