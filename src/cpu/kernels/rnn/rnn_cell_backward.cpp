// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, backward; see rnn_cell.hpp.
#include "cpu/kernels/rnn/rnn_cell.hpp"
#include "cpu/simd/rnn_states.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

template <class Isa> struct backward_row {
    using v = vec<f32, Isa>;
    const rnn_backward_args &args;
    const f32 *gates;
    f32 *diff_gates;
    const f32 *diff_cell, *previous_c, *c;
    f32 *diff_c;
    const f32 *linear, *diff_operand;
    f32 *diff_linear, *operand;
    const void *previous_h;
    f32 *diff_h;
    f32 attention;

    DNNL_INLINE static backward_row at(const rnn_backward_args &a, dim_t n) {
        const dim_t bytes = a.state.type == data_type::bf16 ? 2 : 4;
        return {a, a.gates + n * a.gates_row, a.diff_gates + n * a.gates_row,
            moved(a.diff_cell, n * a.diff_cell_row), moved(a.previous_c, n * a.c_row),
            moved(a.c, n * a.c_row), moved(a.diff_c, n * a.c_row),
            moved(a.linear, n * a.linear_row), moved(a.diff_operand, n * a.linear_row),
            moved(a.diff_linear, n * a.linear_row), moved(a.operand, n * a.linear_row),
            moved(static_cast<const char *>(a.previous_h), n * a.previous_h_row * bytes),
            moved(a.diff_h, n * a.diff_h_row), a.attention ? a.attention[n] : 0.0f};
    }

    DNNL_INLINE v gate(dim_t g, dim_t j, dim_t n) const {
        return load_up_to<Isa>(gates + g * args.gate_step + j, n);
    }
    DNNL_INLINE void store(dim_t g, dim_t j, v value, dim_t n) const {
        store_up_to(diff_gates + g * args.gate_step + j, value, n);
    }
    DNNL_INLINE v peephole(dim_t which, dim_t j, dim_t n) const {
        if (!args.peephole) return v::zero();
        return load_up_to<Isa>(args.peephole + which * args.gate_step + j, n);
    }
    DNNL_INLINE static v logistic_slope(v s) { return s * (v::set(1.0f) - s); }
    DNNL_INLINE static v tanh_slope(v t) { return (v::set(1.0f) - t) * (v::set(1.0f) + t); }

    [[gnu::flatten]] void vanilla(dim_t j, dim_t n) const {
        const v kept = gate(0, j, n);
        v slope = select(kept > v::zero(), v::set(1.0f), v::set(args.alpha));
        if (args.activation == algorithm::tanh) slope = tanh_slope(kept);
        if (args.activation == algorithm::logistic) slope = logistic_slope(kept);
        store(0, j, load_up_to<Isa>(diff_cell + j, n) * slope, n);
    }

    [[gnu::flatten]] void lstm(dim_t j, dim_t n) const {
        const v i = gate(0, j, n), f = gate(1, j, n), candidate = gate(2, j, n);
        const v out = gate(3, j, n), tanh_c = tanh<Isa>(load_up_to<Isa>(c + j, n));
        const v dh = load_up_to<Isa>(diff_cell + j, n);
        const v d_out = dh * tanh_c * logistic_slope(out);
        v dc = load_up_to<Isa>(diff_c + j, n) + dh * out * tanh_slope(tanh_c);
        dc = dc + d_out * peephole(2, j, n);
        const v d_i = dc * candidate * logistic_slope(i);
        const v d_f = dc * load_up_to<Isa>(previous_c + j, n) * logistic_slope(f);
        store(0, j, d_i, n);
        store(1, j, d_f, n);
        store(2, j, dc * i * tanh_slope(candidate), n);
        store(3, j, d_out, n);
        dc = dc * f + d_i * peephole(0, j, n) + d_f * peephole(1, j, n);
        store_up_to(diff_c + j, dc, n);
    }

    // Gates u and o; returns the gradient with respect to -a, lane by lane.
    DNNL_INLINE v gru_ends(dim_t j, dim_t n) const {
        const v one = v::set(1.0f), share = v::set(1.0f - attention);
        const v u = gate(0, j, n), candidate = gate(2, j, n), kept = share * u;
        const v dh = load_up_to<Isa>(diff_cell + j, n);
        const v d_kept = dh * (load_state<Isa>(args.state, previous_h, j, n) - candidate);
        store(0, j, d_kept * share * logistic_slope(u), n);
        store(2, j, dh * (one - kept) * tanh_slope(candidate), n);
        store_up_to(diff_h + j, dh * kept, n);
        return d_kept * u;
    }
    [[gnu::flatten]] v gru_output(dim_t j, dim_t n) const { return gru_ends(j, n); }
    [[gnu::flatten]] void gru_reset(dim_t j, dim_t n) const {
        const v r = gate(1, j, n), h = load_state<Isa>(args.state, previous_h, j, n);
        const v d_product = load_up_to<Isa>(diff_operand + j, n);
        store(1, j, d_product * h * logistic_slope(r), n);
        store_up_to(operand + j, rounded<Isa>(args.state, r * h), n);
        store_up_to(diff_h + j, load_up_to<Isa>(diff_h + j, n) + d_product * r, n);
    }
    [[gnu::flatten]] v lbr_gru(dim_t j, dim_t n) const {
        const v minus_a = gru_ends(j, n);
        const v d_o = load_up_to<Isa>(diff_gates + 2 * args.gate_step + j, n), r = gate(1, j, n);
        store_up_to(diff_linear + j, d_o * r, n);
        store(1, j, d_o * load_up_to<Isa>(linear + j, n) * logistic_slope(r), n);
        return minus_a;
    }
};

template <class Isa, class Body>
DNNL_INLINE void for_each_piece(const rnn_backward_args &a, const Body &body) {
    for (dim_t row = 0; row < a.rows; ++row) {
        const auto r = backward_row<Isa>::at(a, row);
        for_vectors<Isa>(a.channels, [&](dim_t j, dim_t n) { body(r, j, n); });
    }
}

// The stages that give the gradient of the attention: its lanes beyond the row are zero, because
// loads leave them so.
template <class Isa, bool Linear> void attended(const rnn_backward_args &a) {
    using v = vec<f32, Isa>;
    for (dim_t row = 0; row < a.rows; ++row) {
        const auto r = backward_row<Isa>::at(a, row);
        v sum = v::zero();
        for_vectors<Isa>(a.channels,
            [&](dim_t j, dim_t n) { sum = sum + (Linear ? r.lbr_gru(j, n) : r.gru_output(j, n)); });
        if (a.attention) a.diff_attention[row] = -reduce_add(sum);
    }
}

} // namespace

template <class Isa> void rnn_cell_backward(const rnn_backward_args &a) {
    using row = backward_row<Isa>;
    switch (a.stage) {
    case rnn_backward_stage::vanilla:
        return for_each_piece<Isa>(a, [](const row &r, dim_t j, dim_t n) { r.vanilla(j, n); });
    case rnn_backward_stage::lstm:
        return for_each_piece<Isa>(a, [](const row &r, dim_t j, dim_t n) { r.lstm(j, n); });
    case rnn_backward_stage::gru_output: return attended<Isa, false>(a);
    case rnn_backward_stage::gru_reset:
        return for_each_piece<Isa>(a, [](const row &r, dim_t j, dim_t n) { r.gru_reset(j, n); });
    case rnn_backward_stage::lbr_gru: return attended<Isa, true>(a);
    }
}

template <class Isa> void rnn_product_sums(const rnn_product_sums_args &a) {
    using v = vec<f32, Isa>;
    for_vectors<Isa>(a.columns, [&](dim_t j, dim_t n) {
        v sum = load_up_to<Isa>(a.sums + j, n);
        for (dim_t row = 0; row < a.rows; ++row)
            sum = fma(load_up_to<Isa>(a.a + row * a.a_row + j, n),
                load_up_to<Isa>(a.b + row * a.b_row + j, n), sum);
        store_up_to(a.sums + j, sum, n);
    });
}

template void rnn_cell_backward<this_isa>(const rnn_backward_args &);
template void rnn_product_sums<this_isa>(const rnn_product_sums_args &);

} // namespace dnnl::impl::cpu
