// SPDX-License-Identifier: Apache-2.0
// What the kernels of softmax share: the choice of element types, and the way of results to dst in
// one pass, with scales.
#pragma once

#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

/// Calls f(T {}), T being the element type of memory of `type`: f32, bf16, f16, s8 or u8.
template <class F> DNNL_INLINE void with_softmax_type(data_type type, const F &f) {
    switch (type) {
    case data_type::s8: return f(s8 {});
    case data_type::u8: return f(u8 {});
    default: return with_float(type, f);
    }
}

/// The scales of an epilogue that consists of scales only: results are multiplied by one after the
/// other while they are in registers.
struct result_scales {
    bool only_scales = true; ///< false: the epilogue has more to do
    bool needed = false;
    f32 scale = 1, inverse_dst_scale = 1, inverse_dst_scale_low = 0;

    DNNL_INLINE explicit result_scales(const epilogue *f) {
        if (!f) return;
        only_scales = !f->compensation && !f->row_compensation && !f->row_scales && !f->bias &&
                      !f->bias_operand && !f->random && !f->dst_zero_points && f->step_count == 0 &&
                      (!f->scales || f->scale_stride == 0);
        needed = only_scales;
        if (f->scales) scale = *f->scales;
        inverse_dst_scale = f->inverse_dst_scale;
        inverse_dst_scale_low = f->inverse_dst_scale_low;
    }
};

/// A result times the scales; for bytes at most 127 (s8) or 255 (u8).
template <class Isa, class Dst, bool Scaled> struct scaled_result {
    using v = vec<f32, Isa>;
    v scale;
    dst_scale_quotient<Isa> quotient;
    DNNL_INLINE explicit scaled_result(const result_scales &s)
        : scale(v::set(s.scale)), quotient(s) {}
    DNNL_INLINE v operator()(v y) const {
        if constexpr (Scaled) y = quotient(y * scale);
        if constexpr (is_byte<Dst>) y = min(v::set(__is_same(Dst, u8) ? 255.0f : 127.0f), y);
        return y;
    }
};

/// dst[i] = y(i, lanes), scaled, for `length` elements: y returns a vector with `lanes` results.
template <class Isa, bool Scaled, class Dst, class Results>
DNNL_INLINE void store_results(
    const result_scales &scales, dim_t length, Dst *dst, const Results &y) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const scaled_result<Isa, Dst, Scaled> scaled(scales);
    dim_t i = 0;
    for (; i + 2 * size <= length; i += 2 * size)
        store_pair(
            dst + i, scaled(y(i, all_lanes {})), scaled(y(i + size, all_lanes {})), 2 * size);
    if (i + size <= length) {
        store_as(dst + i, scaled(y(i, all_lanes {})));
        i += size;
    }
    if (i < length) store_as(dst + i, scaled(y(i, length - i)), length - i);
}
/// The same where the type of dst is known at run time only.
template <class Isa, class Results>
DNNL_INLINE void store_results(
    const result_scales &scales, dim_t length, data_type type, void *dst, const Results &y) {
    with_softmax_type(type, [&](auto element) {
        auto *to = static_cast<decltype(element) *>(dst);
        scales.needed ? store_results<Isa, true>(scales, length, to, y)
                      : store_results<Isa, false>(scales, length, to, y);
    });
}

} // namespace dnnl::impl::cpu
