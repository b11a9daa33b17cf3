// SPDX-License-Identifier: Apache-2.0
// Instruction-set mask -> kernel. Baseline code: it sees declarations only and can instantiate
// none.
#include "cpu/kernels/select/select.hpp"
#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/kernels/gemm/pack.hpp"

namespace dnnl::impl::cpu {

// The tags of simd/isa_tags.hpp, which baseline code does not include.
struct avx2;
struct avx2_vnni;
struct avx512;
struct avx512_vnni;
struct amx;

namespace {

template <class A, class B> gemm_kernel widest_float(isa target) {
    return has(target, isa::avx512) ? gemm<avx512, A, B>() : gemm<avx2, A, B>();
}

template <class A, class B> gemm_kernel best_int8(isa target) {
    if (has(target, isa::amx)) return gemm<amx, A, B>();
    if (has(target, isa::avx512_vnni)) return gemm<avx512_vnni, A, B>();
    if (has(target, isa::avx512)) return gemm<avx512, A, B>();
    if (has(target, isa::avx2_vnni)) return gemm<avx2_vnni, A, B>();
    return gemm<avx2, A, B>();
}

gemm_kernel best_bf16(isa target) {
    return has(target, isa::amx) ? gemm<amx, bf16, bf16>() : widest_float<bf16, bf16>(target);
}

} // namespace

gemm_kernel select_gemm(isa target, data_type a, data_type b) {
    using t = data_type;
    if (a == t::f32 && b == t::f32) return widest_float<f32, f32>(target);
    if (a == t::bf16 && b == t::bf16) return best_bf16(target);
    if (a == t::f16 && b == t::f16) return widest_float<f16, f16>(target);
    if (a == t::f32 && b == t::bf16) return widest_float<f32, bf16>(target);
    if (a == t::f32 && b == t::f16) return widest_float<f32, f16>(target);
    if (a == t::u8 && b == t::s8) return best_int8<u8, s8>(target);
    if (a == t::s8 && b == t::s8) return best_int8<s8, s8>(target);
    if (a == t::u8 && b == t::u8) return best_int8<u8, u8>(target);
    if (a == t::s8 && b == t::u8) return best_int8<s8, u8>(target);
    return {};
}

epilogue_rows_function select_epilogue_rows(isa target) {
    return has(target, isa::avx512) ? epilogue_rows<avx512> : epilogue_rows<avx2>;
}

pack_b_function select_pack_b(isa target, data_type type) {
    const bool wide = has(target, isa::avx512);
    switch (type) {
    case data_type::f32: return wide ? pack_b<avx512, f32> : pack_b<avx2, f32>;
    case data_type::bf16: return wide ? pack_b<avx512, bf16> : pack_b<avx2, bf16>;
    case data_type::f16: return wide ? pack_b<avx512, f16> : pack_b<avx2, f16>;
    case data_type::s8: return wide ? pack_b<avx512, s8> : pack_b<avx2, s8>;
    case data_type::u8: return wide ? pack_b<avx512, u8> : pack_b<avx2, u8>;
    default: return nullptr;
    }
}

} // namespace dnnl::impl::cpu
