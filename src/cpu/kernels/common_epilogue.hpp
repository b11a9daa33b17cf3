// SPDX-License-Identifier: Apache-2.0
// The commonest epilogues, which one expression computes; what an epilogue lacks is neutral in it:
//   x = min(highest, max(lowest, fma(f32(acc - compensation[j]), scale[j], bias[j])))
// and for bytes x * inverse_dst_scale + dst_zero_point.
#pragma once

#include "cpu/kernels/kernel_types.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

struct clamp_bounds {
    f32 lowest, highest;
};

/// True when the steps are none, a relu or a clip; sets the bounds.
DNNL_INLINE bool only_clamps(const epilogue &f, clamp_bounds &bounds) {
    bounds.lowest = -__builtin_inff();
    bounds.highest = __builtin_inff();
    if (f.step_count == 0) return true;
    const epilogue_step &s = f.steps[0];
    if (f.step_count > 1 || s.what != epilogue_step::kind::eltwise || s.scale != 1.0f) return false;
    if (s.alg == algorithm::relu && s.alpha == 0.0f) {
        bounds.lowest = 0.0f;
        return true;
    }
    if (s.alg != algorithm::clip && s.alg != algorithm::clip_v2) return false;
    bounds.lowest = s.alpha;
    bounds.highest = s.beta;
    return true;
}

/// True when the expression above is the epilogue; sets the bounds.
DNNL_INLINE bool is_common(const epilogue &f, clamp_bounds &bounds) {
    if (f.row_compensation || f.row_scales || f.bias_operand || f.random) return false;
    if (!only_clamps(f, bounds)) return false;
    const bool plain = f.inverse_dst_scale == 1.0f && !f.dst_zero_points;
    if (f.dst_type != data_type::s8 && f.dst_type != data_type::u8 && !plain) return false;
    return !f.dst_zero_points || f.dst_zero_point_stride == 0;
}

/// The zero point of a common epilogue; -0 is neutral in sums, also for the sign of zero.
DNNL_INLINE f32 common_zero_point(const epilogue &f) {
    return f.dst_zero_points ? static_cast<f32>(*f.dst_zero_points) : -0.0f;
}

/// Fills `c` for the columns [first, first + n), n at most 64, and neutral values up to the next
/// whole vector; false when the epilogue is of another kind.
template <class Isa>
DNNL_INLINE bool prepare_common(const epilogue &f, dim_t first, dim_t n, common_columns &c) {
    using real = vec<f32, Isa>;
    using integer = vec<s32, Isa>;
    clamp_bounds bounds;
    if (!is_common(f, bounds)) return false;
    c.lowest = bounds.lowest;
    c.highest = bounds.highest;
    c.inverse_dst_scale = f.inverse_dst_scale;
    c.dst_zero_point = common_zero_point(f);
    const real one_scale = real::set(f.scales ? *f.scales : 1.0f);
    for (dim_t p = 0; p < n; p += real::size) {
        const dim_t left = n - p < real::size ? n - p : real::size, j = first + p;
        const real scale =
            f.scales && f.scale_stride ? real::load_first(f.scales + j, left) : one_scale;
        const real bias = f.bias ? real::load_first(f.bias + j, left) : real::set(-0.0f);
        const integer compensation =
            f.compensation ? integer::load_first(f.compensation + j, left) : integer::zero();
        scale.store(c.scale + p);
        bias.store(c.bias + p);
        compensation.store(c.compensation + p);
    }
    return true;
}

} // namespace dnnl::impl::cpu
