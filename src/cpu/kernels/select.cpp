// SPDX-License-Identifier: Apache-2.0
// The kernels of matrix products for types that are known at run time.
#include "cpu/kernels/select.hpp"
#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/kernels/gemm/pack.hpp"

namespace dnnl::impl::cpu {

namespace {

template <class Levels, class A, class B> gemm_kernel gemm_of(isa target) {
    return kernel_for<Levels>(target, []<class Isa> { return gemm<Isa, A, B>(); });
}
template <class T> pack_b_function pack_b_of(isa target) {
    return kernel_for<vector_levels>(target, []<class Isa> { return pack_b<Isa, T>; });
}

} // namespace

gemm_kernel select_gemm(isa target, data_type a, data_type b) {
    using t = data_type;
    if (a == t::f32 && b == t::f32) return gemm_of<vector_levels, f32, f32>(target);
    if (a == t::bf16 && b == t::bf16) return gemm_of<float_matrix_levels, bf16, bf16>(target);
    if (a == t::f16 && b == t::f16) return gemm_of<vector_levels, f16, f16>(target);
    if (a == t::f32 && b == t::bf16) return gemm_of<vector_levels, f32, bf16>(target);
    if (a == t::f32 && b == t::f16) return gemm_of<vector_levels, f32, f16>(target);
    if (a == t::u8 && b == t::s8) return gemm_of<matrix_levels, u8, s8>(target);
    if (a == t::s8 && b == t::s8) return gemm_of<matrix_levels, s8, s8>(target);
    if (a == t::u8 && b == t::u8) return gemm_of<matrix_levels, u8, u8>(target);
    if (a == t::s8 && b == t::u8) return gemm_of<matrix_levels, s8, u8>(target);
    return {};
}

pack_b_function select_pack_b(isa target, data_type type) {
    switch (type) {
    case data_type::f32: return pack_b_of<f32>(target);
    case data_type::bf16: return pack_b_of<bf16>(target);
    case data_type::f16: return pack_b_of<f16>(target);
    case data_type::s8: return pack_b_of<s8>(target);
    case data_type::u8: return pack_b_of<u8>(target);
    default: return nullptr;
    }
}

} // namespace dnnl::impl::cpu
