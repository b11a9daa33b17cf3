// SPDX-License-Identifier: Apache-2.0
// Divides vectors by the scale of dst.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

/// x / dst_scale by the two parts of the reciprocal that an epilogue has (epilogue_rows.hpp). Their
/// products with an infinity, and with a number whose quotient overflows, may be NaN: there the
/// product with the first part is the quotient.
template <class Isa> struct dst_scale_quotient {
    using v = vec<f32, Isa>;
    v high, low;
    /// `Scales` has inverse_dst_scale and inverse_dst_scale_low.
    template <class Scales>
    DNNL_INLINE explicit dst_scale_quotient(const Scales &s)
        : high(v::set(s.inverse_dst_scale)), low(v::set(s.inverse_dst_scale_low)) {}
    DNNL_INLINE v operator()(v x) const {
        const v quotient = fma(x, high, x * low);
        return select(is_nan(quotient), x * high, quotient);
    }
};

} // namespace dnnl::impl::cpu
