// SPDX-License-Identifier: Apache-2.0
// The vector operations of cpu/simd as plain functions, compiled once per register width.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// `lanes` numbers in, `lanes` numbers out.
struct vec_operations {
    int lanes;
    /// n elements of one type to another through f32 vectors, whole ones and a partial last one.
    void (*convert)(data_type from, const void *src, data_type to, void *dst, dim_t n);
    /// n s32 to s8 or u8, saturated.
    void (*narrow)(const s32 *src, data_type to, void *dst, dim_t n);
    /// max, min, max_nan, min_nan, fma(a,b,a), fnma(a,b,a), copy_sign, a < b ? a : b
    void (*arithmetic)(const f32 *a, const f32 *b, f32 (*results)[16]);
    static constexpr int arithmetic_count = 8;
    /// a + b, a * b, a & b, << 5, >> 5, signed >> 5, iota, a > b ? 1 : 0
    void (*integer)(const s32 *a, const s32 *b, s32 (*results)[16]);
    static constexpr int integer_count = 8;
    /// sum, largest, smallest of f32; sum of s32
    void (*across)(const f32 *a, const s32 *b, f32 *f_results, s32 *sum);
};

template <class Isa> vec_operations operations();

} // namespace dnnl::impl::cpu
