// SPDX-License-Identifier: Apache-2.0
// Element types, instruction-set masks and sizes: the only common header that kernels include.
// Nothing here emits a symbol (see doc/architecture.md, "One source, many instruction sets").
#pragma once

#include <cstddef>
#include <cstdint>

/// Always inlined, also at -O0: a function so marked leaves no symbol that the linker could take
/// from an object compiled for another instruction set.
#define DNNL_INLINE [[gnu::always_inline]] inline

namespace dnnl::impl {

/// A count of elements, or an index, along a dimension.
using dim_t = std::int64_t;

/// Element types; the values are those of dnnl_data_type_t.
enum class data_type : std::int32_t {
    undef = 0,
    f16 = 1,
    bf16 = 2,
    f32 = 3,
    s32 = 4,
    s8 = 5,
    u8 = 6,
    f64 = 7,
    boolean = 8,
    f8_e5m2 = 9,
    f8_e4m3 = 10,
    s4 = 11,
    u4 = 12,
    e8m0 = 13,
    f4_e2m1 = 14,
    f4_e3m0 = 15,
    s64 = 16,
};

/// Element types of kernels. bf16 and f16 are storage only: 16 bits, converted to f32 to compute.
using f32 = float;
using s32 = std::int32_t;
using s8 = std::int8_t;
using u8 = std::uint8_t;
struct bf16 {
    std::uint16_t bits;
};
struct f16 {
    std::uint16_t bits;
};

/// What eltwise and binary kernels and steps of the epilogue compute; the values are those of
/// dnnl_alg_kind_t.
enum class algorithm : std::int32_t {
    undef = 0,
    relu = 0x20,
    tanh,
    elu,
    square,
    abs,
    sqrt,
    linear,
    soft_relu,
    hardsigmoid,
    logistic,
    exp,
    gelu_tanh,
    swish,
    log,
    clip,
    clip_v2,
    pow,
    gelu_erf,
    round,
    mish,
    hardswish,
    relu_use_dst_for_bwd = 0x100,
    tanh_use_dst_for_bwd,
    elu_use_dst_for_bwd,
    sqrt_use_dst_for_bwd,
    logistic_use_dst_for_bwd,
    exp_use_dst_for_bwd,
    clip_v2_use_dst_for_bwd,
    binary_add = 0x1fff0,
    binary_mul,
    binary_max,
    binary_min,
    binary_div,
    binary_sub,
    binary_ge,
    binary_gt,
    binary_le,
    binary_lt,
    binary_eq,
    binary_ne,
    binary_select,
};

/// Instruction-set features as a bit mask; the named levels carry the values of dnnl_cpu_isa_t.
/// The levels are a partial order: A is at most B when A's bits are a subset of B's.
enum class isa : std::uint32_t {
    none = 0,
    avx2 = 0x7,
    avx2_vnni = 0xf,
    avx512 = 0x27,
    avx512_vnni = 0x67,
    avx512_bf16 = 0xe7,
    avx512_fp16 = 0x1ef,
    amx = 0xfef,
};

/// True when `available` has every feature of `wanted`.
DNNL_INLINE constexpr bool has(isa available, isa wanted) {
    return (static_cast<std::uint32_t>(available) & static_cast<std::uint32_t>(wanted)) ==
           static_cast<std::uint32_t>(wanted);
}

/// p + elements; null stays null.
template <class T> DNNL_INLINE T *moved(T *p, dim_t elements) { return p ? p + elements : p; }

/// Bytes of an element. Types of 4 bits report 1: kernels have such elements one per byte.
DNNL_INLINE constexpr dim_t size_in_bytes(data_type type) {
    switch (type) {
    case data_type::f64: return 8;
    case data_type::f32:
    case data_type::s32: return 4;
    case data_type::bf16:
    case data_type::f16: return 2;
    default: return 1;
    }
}

/// The address of element `index` of an array.
DNNL_INLINE const char *element_at(const void *base, data_type type, dim_t index) {
    return static_cast<const char *>(base) + index * size_in_bytes(type);
}
DNNL_INLINE char *element_at(void *base, data_type type, dim_t index) {
    return static_cast<char *>(base) + index * size_in_bytes(type);
}

} // namespace dnnl::impl
