// SPDX-License-Identifier: Apache-2.0
// Dimensions and arithmetic on sizes that refuses to overflow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/plain_types.hpp"
#include "dnnl/dnnl_types.h"

namespace dnnl::impl {

inline constexpr int max_ndims = DNNL_MAX_NDIMS;

/// Extents, strides or positions, one per logical dimension; entries from ndims on are 0.
using dims_t = std::array<dim_t, max_ndims>;

/// A dimension or stride that is known at execution only.
inline constexpr dim_t runtime_dim = DNNL_RUNTIME_DIM_VAL;

/// a * b, or nothing when a is nothing or the product overflows 64 bits.
inline std::optional<dim_t> checked_mul(std::optional<dim_t> a, dim_t b) {
    dim_t product = 0;
    if (!a || __builtin_mul_overflow(*a, b, &product)) return std::nullopt;
    return product;
}

/// a + b, or nothing when a is nothing or the sum overflows 64 bits.
inline std::optional<dim_t> checked_add(std::optional<dim_t> a, dim_t b) {
    dim_t sum = 0;
    if (!a || __builtin_add_overflow(*a, b, &sum)) return std::nullopt;
    return sum;
}

/// a / b rounded up; a >= 0, b > 0.
constexpr dim_t div_up(dim_t a, dim_t b) { return a / b + (a % b != 0); }

/// a rounded up to a multiple of b; a >= 0, b > 0.
constexpr dim_t round_up(dim_t a, dim_t b) { return div_up(a, b) * b; }

} // namespace dnnl::impl
