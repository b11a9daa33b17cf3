// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, forward, and conversions of rows of states; see rnn_cell.hpp.
#include "cpu/kernels/rnn/rnn_cell.hpp"

#include "cpu/simd/rnn_states.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

// One row; Integer: sums are s32.
template <class Isa, bool Integer> struct forward_row {
    using v = vec<f32, Isa>;
    const rnn_forward_args &args;
    f32 *gates;
    const f32 *previous_c;
    f32 *c, *linear;
    const void *previous_h;
    void *h, *operand;
    f32 attention;

    DNNL_INLINE static const void *state_row(
        const rnn_state_format &s, const void *p, dim_t elements) {
        const dim_t bytes = is_8_bit(s.type) ? 1 : s.type == data_type::bf16 ? 2 : 4;
        return moved(static_cast<const char *>(p), elements * bytes);
    }
    DNNL_INLINE static void *state_row(const rnn_state_format &s, void *p, dim_t elements) {
        return const_cast<void *>(state_row(s, static_cast<const void *>(p), elements));
    }
    DNNL_INLINE static forward_row at(const rnn_forward_args &a, dim_t n) {
        return {a, static_cast<f32 *>(a.gates) + n * a.gates_row, moved(a.previous_c, n * a.c_row),
            moved(a.c, n * a.c_row), moved(a.linear, n * a.linear_row),
            state_row(a.state, a.previous_h, n * a.previous_h_row),
            state_row(a.state, a.h, n * a.h_row), state_row(a.state, a.operand, n * a.operand_row),
            a.attention ? a.attention[n] : 0.0f};
    }

    DNNL_INLINE v bias(dim_t g, dim_t j, dim_t n) const {
        return args.bias ? load_up_to<Isa>(args.bias + g * args.gate_step + j, n) : v::zero();
    }
    // What gate g's function takes.
    DNNL_INLINE v x(dim_t g, dim_t j, dim_t n) const {
        const dim_t i = g * args.gate_step + j;
        if constexpr (!Integer) return load_up_to<Isa>(gates + i, n) + bias(g, j, n);
        const auto *sums = reinterpret_cast<const s32 *>(gates);
        const auto sum =
            vec<s32, Isa>::load(sums + i, n) - vec<s32, Isa>::load(args.compensation + i, n);
        return fma(to_f32(sum), load_up_to<Isa>(args.column_scales + i, n), bias(g, j, n));
    }
    DNNL_INLINE v peephole(dim_t which, dim_t j, dim_t n, v state) const {
        if (!args.peephole) return v::zero();
        return load_up_to<Isa>(args.peephole + which * args.gate_step + j, n) * state;
    }
    DNNL_INLINE void keep(dim_t g, dim_t j, v value, dim_t n) const {
        store_up_to(gates + g * args.gate_step + j, value, n);
    }
    DNNL_INLINE void store_h(dim_t j, v value, dim_t n) const {
        store_state<Isa>(args.state, h, j, value, n);
    }

    [[gnu::flatten]] void vanilla(dim_t j, dim_t n) const {
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
        store_h(j, out, n);
    }

    [[gnu::flatten]] void lstm(dim_t j, dim_t n) const {
        const v old = load_up_to<Isa>(previous_c + j, n);
        const v i = logistic<Isa>(x(0, j, n) + peephole(0, j, n, old));
        const v f = logistic<Isa>(x(1, j, n) + peephole(1, j, n, old));
        const v candidate = tanh<Isa>(x(2, j, n));
        const v state = f * old + i * candidate;
        const v out = logistic<Isa>(x(3, j, n) + peephole(2, j, n, state));
        const v result = out * tanh<Isa>(state);
        store_up_to(c + j, state, n);
        if (args.keep) {
            keep(0, j, i, n);
            keep(1, j, f, n);
            keep(2, j, candidate, n);
            keep(3, j, out, n);
        }
        if (!operand) return store_h(j, result, n);
        store_state<Isa>(args.state, operand, j, result, n);
        if (linear) store_up_to(linear + j, rounded<Isa>(args.state, result), n);
    }

    [[gnu::flatten]] void gru_reset(dim_t j, dim_t n) const {
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
        store_h(j, kept * old + (one - kept) * candidate, n);
    }
    [[gnu::flatten]] void gru_output(dim_t j, dim_t n) const {
        gru_end(j, load_up_to<Isa>(gates + j, n), tanh<Isa>(x(2, j, n)), n);
    }
    [[gnu::flatten]] void lbr_gru(dim_t j, dim_t n) const {
        const v u = logistic<Isa>(x(0, j, n)), r = logistic<Isa>(x(1, j, n));
        const v product = load_up_to<Isa>(linear + j, n) + bias(3, j, n);
        if (args.keep) {
            store_up_to(linear + j, product, n);
            keep(0, j, u, n);
            keep(1, j, r, n);
        }
        gru_end(j, u, tanh<Isa>(x(2, j, n) + r * product), n);
    }
    DNNL_INLINE void project(dim_t j, dim_t n) const { store_h(j, x(0, j, n), n); }
};

template <class Isa, bool Integer, class Body>
DNNL_INLINE void for_each_piece(const rnn_forward_args &a, const Body &body) {
    for (dim_t row = 0; row < a.rows; ++row) {
        const auto r = forward_row<Isa, Integer>::at(a, row);
        for_vectors<Isa>(a.channels, [&](dim_t j, dim_t n) { body(r, j, n); });
    }
}

template <class Isa, bool Integer> void forward(const rnn_forward_args &a) {
    using row = forward_row<Isa, Integer>;
    const auto all = [&](auto function) {
        for_each_piece<Isa, Integer>(
            a, [=](const row &r, dim_t j, dim_t n) { (r.*function)(j, n); });
    };
    switch (a.stage) {
    case rnn_forward_stage::vanilla: return all(&row::vanilla);
    case rnn_forward_stage::lstm: return all(&row::lstm);
    case rnn_forward_stage::gru_reset: return all(&row::gru_reset);
    case rnn_forward_stage::gru_output: return all(&row::gru_output);
    case rnn_forward_stage::lbr_gru: return all(&row::lbr_gru);
    case rnn_forward_stage::project:
        for_each_piece<Isa, Integer>(a, [](const row &r, dim_t j, dim_t n) { r.project(j, n); });
    }
}

} // namespace

template <class Isa> void rnn_cell_forward(const rnn_forward_args &a) {
    return a.column_scales ? forward<Isa, true>(a) : forward<Isa, false>(a);
}

template <class Isa> void rnn_rows(const rnn_rows_args &a) {
    using v = vec<f32, Isa>;
    const auto bytes = [](data_type t) -> dim_t {
        return is_8_bit(t) ? 1 : t == data_type::bf16 ? 2 : 4;
    };
    const data_type in_type =
        a.what == rnn_rows_operation::quantize ? data_type::f32 : a.state.type;
    const bool quantized = is_8_bit(a.state.type);
    for (dim_t row = 0; row < a.rows; ++row) {
        const char *from = static_cast<const char *>(a.a) + row * a.a_row * bytes(in_type);
        const char *other = static_cast<const char *>(a.b) + row * a.b_row * bytes(in_type);
        char *to = static_cast<char *>(a.out) + row * a.out_row * bytes(a.out_type);
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

template void rnn_cell_forward<this_isa>(const rnn_forward_args &);
template void rnn_rows<this_isa>(const rnn_rows_args &);

} // namespace dnnl::impl::cpu
