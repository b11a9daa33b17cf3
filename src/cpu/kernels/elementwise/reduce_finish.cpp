// SPDX-License-Identifier: Apache-2.0
// From the totals of a reduction to its destination; see reduce.hpp.
#include "cpu/kernels/elementwise/reduce.hpp"
#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/simd/math.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

// Divided and with epsilon, in f64.
void settle(const reduce_finish_args &t, double *y) {
    for (dim_t c = 0; c < t.columns; ++c) y[c] = t.totals[c] / t.divisor;
    if (t.rule == epsilon_rule::at_least)
        for (dim_t c = 0; c < t.columns; ++c) y[c] = y[c] < t.epsilon ? t.epsilon : y[c];
    if (t.rule == epsilon_rule::added)
        for (dim_t c = 0; c < t.columns; ++c) y[c] += t.epsilon;
    if (t.has_root && t.p == 2.0f)
        for (dim_t c = 0; c < t.columns; ++c) y[c] = __builtin_sqrt(y[c]);
}

// x^(1/p), x >= 0; the exponent in two parts, since ln x may be large.
template <class Isa> void take_roots(const reduce_finish_args &t, f32 *x) {
    using v = vec<f32, Isa>;
    for (dim_t c = 0; c < t.columns; c += v::size) {
        const v y = v::load(x + c);
        const exact_product<Isa> e = power_exponent<Isa>(y, t.root_high);
        const auto ordinary = (y > v::zero()) & (y < v::set(__builtin_inff()));
        const v rest = select(ordinary, log<Isa>(y) * v::set(t.root_low), v::zero());
        const v root = exp<Isa>(e.high, e.low + rest);
        select(y < v::zero(), v::set(__builtin_nanf("")), root).store(x + c);
    }
}

// To nearest even, saturated.
void round_to_s32(const double *y, dim_t n, s32 *out) {
    for (dim_t c = 0; c < n; ++c) {
        const double above = y[c] < -0x1p31 ? -0x1p31 : y[c];
        const double within = above > 0x1p31 - 1 ? 0x1p31 - 1 : above;
        out[c] = static_cast<s32>(__builtin_rint(within));
    }
}

} // namespace

template <class Isa> void reduce_finish(const reduce_finish_args &t) {
    alignas(64) double y[row_piece];
    alignas(64) f32 x[row_piece];
    settle(t, y);
    if (t.integer) {
        alignas(64) s32 integers[row_piece];
        round_to_s32(y, t.columns, integers);
        return row_from_s32<Isa>(integers, t.columns, t.dst_type, t.dst);
    }
    for (dim_t c = 0; c < t.columns; ++c) x[c] = static_cast<f32>(y[c]);
    if (t.has_root && t.p != 1.0f && t.p != 2.0f) {
        for (dim_t c = t.columns; c % 16 != 0; ++c) x[c] = 0;
        take_roots<Isa>(t, x);
    }
    if (t.finish)
        epilogue_rows<Isa>(
            {t.finish, x, 0, data_type::f32, t.dst, 0, 1, t.columns, {0, 0, 0, 0, 0}});
    else
        row_from_f32<Isa>(x, t.columns, t.dst_type, t.dst);
}

template void reduce_finish<this_isa>(const reduce_finish_args &);

} // namespace dnnl::impl::cpu
