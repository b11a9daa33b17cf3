// SPDX-License-Identifier: Apache-2.0
// What the models of products of bf16 have in common.
#pragma once

#include <cstring>
#include <xmmintrin.h>

#include "common/plain_types.hpp"

namespace dnnl::impl {

inline f32 widened_bf16(const u8 *p) {
    u8 bytes[4] {0, 0, p[0], p[1]};
    f32 value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

/// a * b + c, rounded once; compilers may not move it out of a flushing_arithmetic. The form of the
/// instruction says which of several NaNs stays.
[[gnu::target("fma")]] inline f32 fused_multiply_add(f32 a, f32 b, f32 c) {
    asm volatile("vfmadd132ss %1, %2, %0" : "+x"(a) : "x"(b), "x"(c) : "memory");
    return a;
}

/// Rounds to nearest even and takes subnormal values for zero, as operands and as results.
class flushing_arithmetic {
  public:
    flushing_arithmetic() : before_(_mm_getcsr()) { _mm_setcsr(0x9fc0); }
    ~flushing_arithmetic() { _mm_setcsr(before_); }

  private:
    unsigned before_;
};

} // namespace dnnl::impl
