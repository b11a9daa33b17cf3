// SPDX-License-Identifier: Apache-2.0
// Element types, instruction-set masks and sizes: the only common header that kernels include.
// Nothing here emits a symbol (see doc/architecture.md, "One source, many instruction sets").
#pragma once

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

/// The element types of kernels. bf16 and f16 are stored, and converted to f32 to compute.
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

// The algorithms of eltwise and binary, and their values in dnnl_alg_kind_t. The library has names
// and values from here alone. A switch that computes algorithms has no default, so that
// -Werror=switch names the places where one that is added here is missing.

// clang-format off
/// X(name, value)
#define DNNL_ELTWISE_ALGORITHMS(X) \
    X(relu, 0x20) X(tanh, 0x21) X(elu, 0x22) X(square, 0x23) X(abs, 0x24) X(sqrt, 0x25) \
    X(linear, 0x26) X(soft_relu, 0x27) X(hardsigmoid, 0x28) X(logistic, 0x29) X(exp, 0x2a) \
    X(gelu_tanh, 0x2b) X(swish, 0x2c) X(log, 0x2d) X(clip, 0x2e) X(clip_v2, 0x2f) \
    X(pow, 0x30) X(gelu_erf, 0x31) X(round, 0x32) X(mish, 0x33) X(hardswish, 0x34)
/// X(name, value): the gradient of eltwise_<name>, computed from dst.
#define DNNL_ELTWISE_ALGORITHMS_OF_DST(X) \
    X(relu, 0x100) X(tanh, 0x101) X(elu, 0x102) X(sqrt, 0x103) X(logistic, 0x104) \
    X(exp, 0x105) X(clip_v2, 0x106)
/// X(name, value)
#define DNNL_BINARY_ALGORITHMS(X) \
    X(add, 0x1fff0) X(mul, 0x1fff1) X(max, 0x1fff2) X(min, 0x1fff3) X(div, 0x1fff4) \
    X(sub, 0x1fff5) X(ge, 0x1fff6) X(gt, 0x1fff7) X(le, 0x1fff8) X(lt, 0x1fff9) \
    X(eq, 0x1fffa) X(ne, 0x1fffb) X(select, 0x1fffc)

/// What the kernels of eltwise and binary, and steps of the epilogue, compute.
enum class algorithm : std::int32_t {
    undef = 0,
#define DNNL_ENUMERATOR(name, value) name = value,
    DNNL_ELTWISE_ALGORITHMS(DNNL_ENUMERATOR)
#undef DNNL_ENUMERATOR
#define DNNL_ENUMERATOR(name, value) name##_use_dst_for_bwd = value,
    DNNL_ELTWISE_ALGORITHMS_OF_DST(DNNL_ENUMERATOR)
#undef DNNL_ENUMERATOR
#define DNNL_ENUMERATOR(name, value) binary_##name = value,
    DNNL_BINARY_ALGORITHMS(DNNL_ENUMERATOR)
#undef DNNL_ENUMERATOR
};
// clang-format on

// Case labels of a switch: one for every algorithm of a kind.
#define DNNL_CASE(name, ...) case algorithm::name:
#define DNNL_CASE_OF_DST(name, ...) case algorithm::name##_use_dst_for_bwd:
#define DNNL_CASE_OF_BINARY(name, ...) case algorithm::binary_##name:
#define DNNL_CASES_OF_ELTWISE DNNL_ELTWISE_ALGORITHMS(DNNL_CASE)
#define DNNL_CASES_OF_DST DNNL_ELTWISE_ALGORITHMS_OF_DST(DNNL_CASE_OF_DST)
#define DNNL_CASES_OF_BINARY DNNL_BINARY_ALGORITHMS(DNNL_CASE_OF_BINARY)

/// Instruction-set features as a bit mask; the named levels carry the values of dnnl_cpu_isa_t.
/// The levels are a partial order: A is at most B when A's bits are a subset of B's.
enum class isa : std::uint32_t {
    none = 0,
    sse41 = 0x1,
    avx2 = 0x7,
    avx2_vnni = 0xf,
    avx512 = 0x27,
    avx512_vnni = 0x67,
    avx512_bf16 = 0xe7,
    avx512_vbmi = 0x400000e7, ///< no level of dnnl_cpu_isa_t: bytes looked up in registers
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
