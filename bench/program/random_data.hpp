// SPDX-License-Identifier: Apache-2.0
// Random elements of any type, a function of the seed alone: quickly made, without subnormal
// values, infinities or NaN, and as costly to multiply as real data (zeros are cheaper).
#pragma once

#include <cstddef>
#include <cstdint>

#include "dnnl/dnnl.hpp"

namespace bench {

/// Floats in (-1, 1), bytes over their whole range, s32 in [-128, 127]. `bytes` of elements that
/// follow each other, two of 4 bits in a byte.
void fill_randomly(
    dnnl::memory::data_type type, std::uint64_t seed, void *elements, std::size_t bytes);

} // namespace bench
