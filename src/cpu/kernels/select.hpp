// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are compiled for, and the way from one of them to a kernel.
// This is baseline code: it names kernels, which are declared for any tag, and instantiates none.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

// The tags of simd/vec.hpp, which baseline code does not include.
struct sse41;
struct avx2;
struct avx2_vnni;
struct avx512;
struct avx512_vnni;
struct avx512_bf16;
struct avx512_vbmi;
struct amx;
struct any_cpu; ///< no instruction set in particular

/// The features that code for a tag needs.
template <class Tag> inline constexpr isa needs = isa::none;
template <> inline constexpr isa needs<sse41> = isa::sse41;
template <> inline constexpr isa needs<avx2> = isa::avx2;
template <> inline constexpr isa needs<avx2_vnni> = isa::avx2_vnni;
template <> inline constexpr isa needs<avx512> = isa::avx512;
template <> inline constexpr isa needs<avx512_vnni> = isa::avx512_vnni;
template <> inline constexpr isa needs<avx512_bf16> = isa::avx512_bf16;
template <> inline constexpr isa needs<avx512_vbmi> = isa::avx512_vbmi;
template <> inline constexpr isa needs<amx> = isa::amx;

/// Instruction sets, best first: those that a kernel is compiled for, or that an implementation has
/// a row for.
template <class... Tags> struct levels {};
/// Kernels of floats and of copies.
using vector_levels = levels<avx512, avx2>;
/// The same with the lowest level, for which the least is compiled: products of f32 and of bytes,
/// what they need, element-wise functions and copies.
using every_level = levels<avx512, avx2, sse41>;
/// Kernels of bf16 that round pairs of vectors.
using bf16_levels = levels<avx512_bf16, avx512, avx2>;
/// Kernels that add up products of bytes by vectors.
using byte_levels = levels<avx512_vnni, avx512, avx2_vnni, avx2>;
/// Products of matrices of any type.
using matrix_levels = levels<amx, avx512_bf16, avx512_vnni, avx512, avx2_vnni, avx2>;
using every_byte_matrix_level = levels<amx, avx512_vnni, avx512, avx2_vnni, avx2, sse41>;
using every_matrix_level = levels<amx, avx512_bf16, avx512_vnni, avx512, avx2_vnni, avx2, sse41>;
/// Products of matrices of floats; AMX and AVX512-BF16 multiply pairs of bf16.
using float_matrix_levels = levels<amx, avx512_bf16, avx512, avx2>;
/// Products of any type by vectors.
using product_levels = levels<avx512_bf16, avx512_vnni, avx512, avx2_vnni, avx2>;
/// Implementations without kernels.
using any_level = levels<any_cpu>;

namespace select_detail {
template <class Version, class First, class... Rest>
auto version_for(isa target, const Version &version, levels<First, Rest...>) {
    using result = decltype(version.template operator()<First>());
    if (has(target, needs<First>)) return version.template operator()<First>();
    if constexpr (sizeof...(Rest) > 0)
        return version_for(target, version, levels<Rest...> {});
    else
        return result {};
}
} // namespace select_detail

/// The version of a kernel for the best level whose features `target` has; none where it has those
/// of no level. `version` says what a tag's version is: []<class Isa> { return sum<Isa>; }.
template <class Levels, class Version> auto kernel_for(isa target, const Version &version) {
    return select_detail::version_for(target, version, Levels {});
}

} // namespace dnnl::impl::cpu
