// SPDX-License-Identifier: Apache-2.0
// Sizes of the element types that kernels read and write.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// Bytes of an element of type f32 bf16 f16 s32 s8 u8.
DNNL_INLINE constexpr dim_t size_in_bytes(data_type type) {
    return type == data_type::s8 || type == data_type::u8      ? 1
           : type == data_type::bf16 || type == data_type::f16 ? 2
                                                               : 4;
}

} // namespace dnnl::impl::cpu
