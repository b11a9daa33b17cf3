// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/weights_gradient.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "cpu/gemm/gemm_types.hpp"

namespace dnnl::impl::cpu {

const char *weights_gradient_refusal(const problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (is_int8(op.src.dtype)) return "integer sources have no backward weights";
    if (const char *reason = gemm_types_refusal(p.target, op.src.dtype, op.dst.dtype))
        return reason;
    if (!is_float(op.weights.dtype)) return "the type of diff_weights is not supported";
    if (!op.bias.is_zero() && !is_float(op.bias.dtype))
        return "the type of diff_bias is not supported";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    return nullptr;
}

dim_t weights_gradient_chunks(dim_t sums, dim_t pixels, dim_t most) {
    constexpr dim_t few_sums = dim_t {256} << 10, pixels_of_chunk = 2048;
    return sums <= few_sums ? std::clamp<dim_t>(pixels / pixels_of_chunk, 1, most) : 1;
}

} // namespace dnnl::impl::cpu
