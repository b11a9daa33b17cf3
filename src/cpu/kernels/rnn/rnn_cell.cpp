// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, forward and backward, and conversions of rows of states; see rnn_cell.hpp.
#include "cpu/kernels/rnn/rnn_cell.hpp"

#include "cpu/simd/convert.hpp"
#include "cpu/simd/table_functions.hpp"

namespace dnnl::impl::cpu {

namespace {

// ---- States in memory ----

// f16 states are stored as f32.
DNNL_INLINE dim_t state_bytes(data_type t) {
    return is_byte_type(t) ? 1 : t == data_type::bf16 ? 2 : 4;
}
// The address of a state; null stays null.
DNNL_INLINE char *state_at(data_type type, const void *states, dim_t index) {
    return moved(static_cast<char *>(const_cast<void *>(states)), index * state_bytes(type));
}

// Calls f(T {}), T being the element type of states in memory.
template <class F> DNNL_INLINE auto with_state(data_type type, const F &f) {
    switch (type) {
    case data_type::bf16: return f(bf16 {});
    case data_type::u8: return f(u8 {});
    case data_type::s8: return f(s8 {});
    default: return f(f32 {});
    }
}
// Loads n states from element i on as they are stored.
template <class Isa>
DNNL_INLINE vec<f32, Isa> load_raw(data_type type, const void *p, dim_t i, dim_t n) {
    return with_state(
        type, [=](auto state) __attribute__((always_inline)) {
            return load_up_to<Isa>(static_cast<const decltype(state) *>(p) + i, n);
        });
}
// Loads n states from element i on as real numbers.
template <class Isa>
DNNL_INLINE vec<f32, Isa> load_state(const rnn_state_format &s, const void *p, dim_t i, dim_t n) {
    using v = vec<f32, Isa>;
    const v x = load_raw<Isa>(s.type, p, i, n);
    return is_byte_type(s.type) ? (x - v::set(s.shift)) / v::set(s.scale) : x;
}

// Rounds to bf16 or f16 where that is the type of states.
template <class Isa> DNNL_INLINE vec<f32, Isa> rounded(const rnn_state_format &s, vec<f32, Isa> x) {
    if (s.type == data_type::bf16) return as_f32(shift_left<16>(bf16_bits<Isa>(x)));
    if (s.type == data_type::f16) return narrow<Isa>::widen_f16(narrow<Isa>::to_f16(x));
    return x;
}

// Stores values without scale and shift; 8-bit ones are rounded and saturated.
template <class Isa>
DNNL_INLINE void store_raw(data_type type, void *p, dim_t i, vec<f32, Isa> x, dim_t n) {
    with_state(
        type, [=](auto state) __attribute__((always_inline)) {
            store_up_to(static_cast<decltype(state) *>(p) + i, x, n);
        });
}
template <class Isa>
DNNL_INLINE void store_state(
    const rnn_state_format &s, void *p, dim_t i, vec<f32, Isa> x, dim_t n) {
    using v = vec<f32, Isa>;
    if (is_byte_type(s.type)) x = x * v::set(s.scale) + v::set(s.shift);
    if (s.type == data_type::f16) x = rounded<Isa>(s, x); // what is stored is f32
    store_raw<Isa>(s.type, p, i, x, n);
}

// ---- Cells ----

// One row of a forward stage. With Integer its sums are s32, else f32.
template <class Isa, bool Integer> struct forward_row {
    using v = vec<f32, Isa>;
    const rnn_forward_args &args;
    f32 *gates, *sums;
    const f32 *previous_c;
    f32 *c, *linear;
    const void *previous_h;
    void *h, *operand;
    f32 attention;

    DNNL_INLINE static forward_row at(const rnn_forward_args &a, dim_t n) {
        return {a, moved(a.gates, n * a.gates_row), static_cast<f32 *>(a.sums) + n * a.sums_row,
            moved(a.previous_c, n * a.c_row), moved(a.c, n * a.c_row),
            moved(a.linear, n * a.linear_row),
            state_at(a.state.type, a.previous_h, n * a.previous_h_row),
            state_at(a.state.type, a.h, n * a.h_row),
            state_at(a.state.type, a.operand, n * a.operand_row),
            a.attention ? a.attention[n] : 0.0f};
    }

    DNNL_INLINE v bias(dim_t g, dim_t j, dim_t n) const {
        return args.bias ? load_up_to<Isa>(args.bias + g * args.gate_step + j, n) : v::zero();
    }
    // The argument of the activation of gate g: x of rnn_forward_args.
    DNNL_INLINE v x(dim_t g, dim_t j, dim_t n) const {
        const dim_t i = g * args.gate_step + j;
        const f32 *at = sums + g * args.sum_step + j;
        if constexpr (!Integer) return load_up_to<Isa>(at, n) + bias(g, j, n);
        const auto sum = vec<s32, Isa>::load(reinterpret_cast<const s32 *>(at), n) -
                         vec<s32, Isa>::load(args.compensation + i, n);
        return fma(to_f32(sum), load_up_to<Isa>(args.column_scales + i, n), bias(g, j, n));
    }
    DNNL_INLINE v peephole(dim_t which, dim_t j, dim_t n, v state) const {
        if (!args.peephole) return v::zero();
        return load_up_to<Isa>(args.peephole + which * args.gate_step + j, n) * state;
    }
    DNNL_INLINE void keep(dim_t g, dim_t j, v value, dim_t n) const {
        store_up_to(gates + g * args.gate_step + j, value, n);
    }

    DNNL_INLINE void vanilla(dim_t j, dim_t n) const {
        const v in = x(0, j, n);
        v out = in;
        if (args.activation == algorithm::tanh)
            out = tanh<Isa>(in);
        else if (args.activation == algorithm::logistic)
            out = logistic<Isa>(in);
        else
            out = args.alpha == 0.0f ? max(v::zero(), in)
                                     : select(in > v::zero(), in, in * v::set(args.alpha));
        if (args.keep) keep(0, j, args.activation == algorithm::relu ? in : out, n);
        store_state<Isa>(args.state, h, j, out, n);
    }

    DNNL_INLINE void lstm(dim_t j, dim_t n) const {
        const v old = load_up_to<Isa>(previous_c + j, n);
        const v i = logistic<Isa>(x(0, j, n) + peephole(0, j, n, old));
        const v f = logistic<Isa>(x(1, j, n) + peephole(1, j, n, old));
        const v candidate = tanh<Isa>(x(2, j, n));
        const v state = f * old + i * candidate;
        const v out = logistic<Isa>(x(3, j, n) + peephole(2, j, n, state));
        store_up_to(c + j, state, n);
        store_up_to(sums + 3 * args.sum_step + j, out, n); // for lstm_end
        if (args.keep) {
            keep(0, j, i, n);
            keep(1, j, f, n);
            keep(2, j, candidate, n);
            keep(3, j, out, n);
        }
    }
    DNNL_INLINE void lstm_end(dim_t j, dim_t n) const {
        const v out = load_up_to<Isa>(sums + 3 * args.sum_step + j, n);
        const v result = out * tanh<Isa>(load_up_to<Isa>(c + j, n));
        store_state<Isa>(args.state, operand ? operand : h, j, result, n);
        if (operand && linear) store_up_to(linear + j, rounded<Isa>(args.state, result), n);
    }

    DNNL_INLINE void gru_reset(dim_t j, dim_t n) const {
        const v u = logistic<Isa>(x(0, j, n)), r = logistic<Isa>(x(1, j, n));
        keep(0, j, u, n);
        keep(1, j, r, n);
        store_state<Isa>(
            args.state, operand, j, r * load_state<Isa>(args.state, previous_h, j, n), n);
    }

    DNNL_INLINE void gru_end(dim_t j, v u, v candidate, dim_t n) const {
        const v one = v::set(1.0f), kept = v::set(1.0f - attention) * u;
        const v old = load_state<Isa>(args.state, previous_h, j, n);
        if (args.keep) keep(2, j, candidate, n);
        store_state<Isa>(args.state, h, j, kept * old + (one - kept) * candidate, n);
    }
    DNNL_INLINE void gru_output(dim_t j, dim_t n) const {
        gru_end(j, load_up_to<Isa>(gates + j, n), tanh<Isa>(x(2, j, n)), n);
    }
    DNNL_INLINE void lbr_gru(dim_t j, dim_t n) const {
        const v u = logistic<Isa>(x(0, j, n)), r = logistic<Isa>(x(1, j, n));
        const v product = load_up_to<Isa>(linear + j, n) + bias(3, j, n);
        if (args.keep) {
            store_up_to(linear + j, product, n);
            keep(0, j, u, n);
            keep(1, j, r, n);
        }
        gru_end(j, u, tanh<Isa>(x(2, j, n) + r * product), n);
    }
    DNNL_INLINE void project(dim_t j, dim_t n) const {
        store_state<Isa>(args.state, h, j, x(0, j, n), n);
    }
};

// One row of a backward stage.
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
        return {a, a.gates + n * a.gates_row, a.diff_gates + n * a.gates_row,
            moved(a.diff_cell, n * a.diff_cell_row), moved(a.previous_c, n * a.c_row),
            moved(a.c, n * a.c_row), moved(a.diff_c, n * a.c_row),
            moved(a.linear, n * a.linear_row), moved(a.diff_operand, n * a.linear_row),
            moved(a.diff_linear, n * a.linear_row), moved(a.operand, n * a.linear_row),
            state_at(a.state.type, a.previous_h, n * a.previous_h_row),
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

    DNNL_INLINE void vanilla(dim_t j, dim_t n) const {
        const v kept = gate(0, j, n);
        v slope = select(kept > v::zero(), v::set(1.0f), v::set(args.alpha));
        if (args.activation == algorithm::tanh) slope = tanh_slope(kept);
        if (args.activation == algorithm::logistic) slope = logistic_slope(kept);
        store(0, j, load_up_to<Isa>(diff_cell + j, n) * slope, n);
    }

    DNNL_INLINE void lstm(dim_t j, dim_t n) const {
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

    // Computes gates u and o. Returns a vector whose sum is the gradient of -attention.
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
    DNNL_INLINE void gru_reset(dim_t j, dim_t n) const {
        const v r = gate(1, j, n), h = load_state<Isa>(args.state, previous_h, j, n);
        const v d_product = load_up_to<Isa>(diff_operand + j, n);
        store(1, j, d_product * h * logistic_slope(r), n);
        store_up_to(operand + j, rounded<Isa>(args.state, r * h), n);
        store_up_to(diff_h + j, load_up_to<Isa>(diff_h + j, n) + d_product * r, n);
    }
    DNNL_INLINE v lbr_gru(dim_t j, dim_t n) const {
        const v minus_a = gru_ends(j, n);
        const v d_o = load_up_to<Isa>(diff_gates + 2 * args.gate_step + j, n), r = gate(1, j, n);
        store_up_to(diff_linear + j, d_o * r, n);
        store(1, j, d_o * load_up_to<Isa>(linear + j, n) * logistic_slope(r), n);
        return minus_a;
    }
};

// Calls the stages, functions of Row, one after the other for all vectors of some rows. They are
// part of its loops, so that constants of functions stay in registers and vectors overlap.
template <class Row, auto... Stages, class Args> [[gnu::flatten]] void run(const Args &a) {
    const dim_t group = 1 + 1024 / (a.channels + 1); // rows whose vectors stay in L1
    for (dim_t first = 0; first < a.rows; first += group) {
        const dim_t end = smaller(first + group, a.rows);
        const auto for_rows = [&]<auto Stage>() {
            for (dim_t n = first; n < end; ++n) {
                const Row row = Row::at(a, n);
                for (dim_t j = 0; j < a.channels; j += Row::v::size)
                    (row.*Stage)(j, smaller(a.channels - j, Row::v::size));
            }
        };
        (for_rows.template operator()<Stages>(), ...);
    }
}

// Calls Stage and adds up the gradient of the attention. Lanes beyond the row add 0, because loads
// of gradients leave 0 there.
template <class Row, auto Stage> [[gnu::flatten]] void run_attended(const rnn_backward_args &a) {
    using v = typename Row::v;
    for (dim_t n = 0; n < a.rows; ++n) {
        const Row row = Row::at(a, n);
        v sum = v::zero();
        for (dim_t j = 0; j < a.channels; j += v::size)
            sum = sum + (row.*Stage)(j, smaller(a.channels - j, v::size));
        if (a.attention) a.diff_attention[n] = -reduce_add(sum);
    }
}

template <class Row> void forward(const rnn_forward_args &a) {
    switch (a.stage) {
    case rnn_forward_stage::vanilla: return run<Row, &Row::vanilla>(a);
    case rnn_forward_stage::lstm: return run<Row, &Row::lstm, &Row::lstm_end>(a);
    case rnn_forward_stage::gru_reset: return run<Row, &Row::gru_reset>(a);
    case rnn_forward_stage::gru_output: return run<Row, &Row::gru_output>(a);
    case rnn_forward_stage::lbr_gru: return run<Row, &Row::lbr_gru>(a);
    case rnn_forward_stage::project: return run<Row, &Row::project>(a);
    }
}

} // namespace

template <class Isa> void rnn_cell_forward(const rnn_forward_args &a) {
    return a.column_scales ? forward<forward_row<Isa, true>>(a)
                           : forward<forward_row<Isa, false>>(a);
}

template <class Isa> void rnn_cell_backward(const rnn_backward_args &a) {
    using row = backward_row<Isa>;
    switch (a.stage) {
    case rnn_backward_stage::vanilla: return run<row, &row::vanilla>(a);
    case rnn_backward_stage::lstm: return run<row, &row::lstm>(a);
    case rnn_backward_stage::gru_output: return run_attended<row, &row::gru_ends>(a);
    case rnn_backward_stage::gru_reset: return run<row, &row::gru_reset>(a);
    case rnn_backward_stage::lbr_gru: return run_attended<row, &row::lbr_gru>(a);
    }
}

template <class Isa> void rnn_rows(const rnn_rows_args &a) {
    using v = vec<f32, Isa>;
    const data_type in_type =
        a.what == rnn_rows_operation::quantize ? data_type::f32 : a.state.type;
    const bool quantized = is_byte_type(a.state.type);
    for (dim_t row = 0; row < a.rows; ++row) {
        const void *from = state_at(in_type, a.a, row * a.a_row);
        const void *other = state_at(in_type, a.b, row * a.b_row);
        void *to = state_at(a.out_type, a.out, row * a.out_row);
        for (dim_t j = 0; j < a.columns; j += v::size) {
            const dim_t n = smaller(v::size, a.columns - j);
            v x = load_raw<Isa>(in_type, from, j, n);
            const v scale = v::set(a.state.scale), shift = v::set(a.state.shift);
            if (a.what == rnn_rows_operation::quantize) {
                store_state<Isa>(a.state, to, j, x, n);
                continue;
            }
            if (a.what == rnn_rows_operation::add) {
                const v y = load_raw<Isa>(in_type, other, j, n);
                if (!quantized)
                    x = rounded<Isa>(a.state, x + y);
                else if (a.out_type == a.state.type)
                    x = x + y - shift;
                else
                    x = (x - shift + (y - shift)) / scale;
            } else if (quantized) {
                x = (x - shift) / scale;
            }
            store_raw<Isa>(a.out_type, to, j, x, n);
        }
    }
}

template <class Isa> void rnn_product_sums(const rnn_product_sums_args &a) {
    using v = vec<f32, Isa>;
    for_vectors<Isa>(a.columns, [&](dim_t j, dim_t n) {
        v sum = load_up_to<Isa>(a.sums + j, n);
        for (dim_t row = 0; row < a.rows; ++row)
            sum = fma(a.a ? load_up_to<Isa>(a.a + row * a.a_row + j, n) : v::set(1.0f),
                load_up_to<Isa>(a.b + row * a.b_row + j, n), sum);
        store_up_to(a.sums + j, sum, n);
    });
}

template void rnn_cell_forward<this_isa>(const rnn_forward_args &);
template void rnn_cell_backward<this_isa>(const rnn_backward_args &);
template void rnn_rows<this_isa>(const rnn_rows_args &);
template void rnn_product_sums<this_isa>(const rnn_product_sums_args &);

} // namespace dnnl::impl::cpu
