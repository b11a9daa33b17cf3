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

/// Fills `c` for the columns [first, first + n), n at most 64, with neutral values after them;
/// false when the epilogue is of another kind. -0 is neutral in sums, also for the sign of zero.
template <class Isa>
DNNL_INLINE bool prepare_common(const epilogue &f, dim_t first, dim_t n, common_columns &c) {
    using real = vec<f32, Isa>;
    using integer = vec<s32, Isa>;
    clamp_bounds bounds;
    if (!is_common(f, bounds)) return false;
    c.lowest = bounds.lowest;
    c.highest = bounds.highest;
    c.inverse_dst_scale = f.inverse_dst_scale;
    c.dst_zero_point = f.dst_zero_points ? static_cast<f32>(*f.dst_zero_points) : -0.0f;
    const real one_scale = real::set(f.scales ? *f.scales : 1.0f);
    for (dim_t p = 0; p < 64; p += real::size) {
        const dim_t left = n - p < real::size ? n - p : dim_t {real::size}, j = first + p;
        const bool own_scales = f.scales && f.scale_stride && left > 0;
        const real scale = own_scales ? real::load(f.scales + j, left) : one_scale;
        const real bias = f.bias && left > 0 ? real::load(f.bias + j, left) : real::set(-0.0f);
        const integer compensation =
            f.compensation && left > 0 ? integer::load(f.compensation + j, left) : integer::zero();
        scale.store(c.scale + p);
        bias.store(c.bias + p);
        compensation.store(c.compensation + p);
    }
    return true;
}

/// The columns p to p + vec::size - 1 in registers.
template <class Isa> struct common_vector {
    vec<f32, Isa> scale, bias;
    vec<s32, Isa> compensation;
    DNNL_INLINE common_vector(const common_columns &c, dim_t p)
        : scale(vec<f32, Isa>::load(c.scale + p)), bias(vec<f32, Isa>::load(c.bias + p)),
          compensation(vec<s32, Isa>::load(c.compensation + p)) {}
};

/// What all columns share, in registers.
template <class Isa> struct common_numbers {
    vec<f32, Isa> lowest, highest, inverse_dst_scale, dst_zero_point;
    DNNL_INLINE explicit common_numbers(const common_columns &c)
        : lowest(vec<f32, Isa>::set(c.lowest)), highest(vec<f32, Isa>::set(c.highest)),
          inverse_dst_scale(vec<f32, Isa>::set(c.inverse_dst_scale)),
          dst_zero_point(vec<f32, Isa>::set(c.dst_zero_point)) {}
};

template <class Isa>
DNNL_INLINE vec<f32, Isa> compensated_sum(vec<f32, Isa> sum, vec<s32, Isa> /* none */) {
    return sum;
}
template <class Isa>
DNNL_INLINE vec<f32, Isa> compensated_sum(vec<s32, Isa> sum, vec<s32, Isa> compensation) {
    return to_f32(sum - compensation);
}

/// The expression of this file for a vector of sums; Rescales: with the second formula.
template <bool Rescales, class Sum, class Isa>
DNNL_INLINE vec<f32, Isa> finish_common(
    Sum sum, const common_vector<Isa> &at, const common_numbers<Isa> &all) {
    const vec<f32, Isa> real = compensated_sum<Isa>(sum, at.compensation);
    const vec<f32, Isa> x = min(all.highest, max(all.lowest, fma(real, at.scale, at.bias)));
    if constexpr (!Rescales) return x;
    return x * all.inverse_dst_scale + all.dst_zero_point;
}

} // namespace dnnl::impl::cpu
