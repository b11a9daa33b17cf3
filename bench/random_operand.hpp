// SPDX-License-Identifier: Apache-2.0
// Operands for the kernels inside the library.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "common/layout/data_type.hpp"

namespace bench {

struct free_memory {
    void operator()(char *p) const { std::free(p); }
};
using operand = std::unique_ptr<char, free_memory>;

/// Random numbers of a type, of magnitude 1/4 to 2 where it is a floating one; at a multiple of 64.
inline operand random_operand(dnnl::impl::dim_t count, dnnl::impl::data_type t) {
    using namespace dnnl::impl;
    const auto bytes = static_cast<std::size_t>(count) * size_of(t);
    operand memory(static_cast<char *>(std::aligned_alloc(64, (bytes + 127) / 64 * 64)));
    char *p = memory.get();
    std::uint32_t state = 7;
    for (dim_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        const float real = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
        switch (t) {
        case data_type::f32: reinterpret_cast<float *>(p)[i] = real; break;
        case data_type::bf16: reinterpret_cast<bf16 *>(p)[i].bits = f32_to_bf16(real); break;
        case data_type::f16: reinterpret_cast<f16 *>(p)[i].bits = f32_to_f16(real); break;
        default: p[i] = static_cast<char>(state >> 24); break;
        }
    }
    return memory;
}

} // namespace bench
