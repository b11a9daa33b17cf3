// SPDX-License-Identifier: Apache-2.0
// The types that each level multiplies, and the kernels for them.
#include "common/layout/data_type.hpp"
#include "common/plan/implementation.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

const char *gemm_types_refusal(isa target, data_type a, data_type b) {
    if (is_int8(a) && is_int8(b)) {
        const bool own = target == isa::amx || target == isa::avx512_vnni ||
                         target == isa::avx512 || target == isa::avx2_vnni || target == isa::avx2 ||
                         target == isa::sse41;
        return own ? nullptr : "made for levels with int8 instructions";
    }
    if (a != b || !is_float(a)) return "no kernel multiplies these types of src and weights";
    if (a == data_type::bf16 && target == isa::amx) return nullptr;
    if (a == data_type::bf16 && target == isa::avx512_bf16)
        return has_fast_bf16_pairs() ? nullptr : "made for processors with fast pairs of bf16";
    if (target == isa::avx512 || target == isa::avx2) return nullptr;
    if (target == isa::sse41 && a == data_type::f32) return nullptr;
    return "made for types with instructions of their own at this level";
}

bool multiplies_bf16(isa target) { return target == isa::amx || target == isa::avx512_bf16; }

data_type gemm_operand_type(isa target, data_type t) {
    if (!is_f8(t)) return t;
    return multiplies_bf16(target) ? data_type::bf16 : data_type::f32;
}

// Assumes 60 % of the 2 * 16 * 3 products of f32 that a core with two AVX-512 units makes in a
// nanosecond at 3 GHz; half of that with AVX2, four times as many of bytes with VNNI. (Measured on
// a Zen 5 core with operands in L1 and L2: 123, 61 and 460; pairs of bf16 220.) With AMX it assumes
// half of 512 products of bf16, or 1024 of bytes, in a cycle at 3 GHz.
double gemm_cost_ns(isa target, data_type a, double products) {
    double per_ns = has(target, isa::avx512) ? 60 : has(target, isa::avx2) ? 30 : 8;
    if (is_int8(a)) per_ns *= has(target, isa::avx2_vnni) || has(target, isa::avx512_vnni) ? 4 : 1;
    if (target == isa::avx512_bf16) per_ns = 120;
    if (target == isa::amx) per_ns = is_int8(a) ? 1600 : 800;
    return products / per_ns;
}

double gemm_block_ns(isa target, data_type a, data_type b, dim_t rows, dim_t columns, dim_t depth) {
    const double weights = double(columns) * double(depth);
    return std::max(gemm_cost_ns(target, a, double(rows) * weights),
        weights * double(size_in_bytes(b)) / 100); // bytes that L3 delivers in a nanosecond
}

namespace {

template <class Levels, class A, class B> gemm_kernel gemm_of(isa target) {
    return kernel_for<Levels>(target, []<class Isa> { return gemm<Isa, A, B>(); });
}
template <class T> pack_b_function pack_b_of(isa target) {
    return kernel_for<every_level>(target, []<class Isa> { return pack_b<Isa, T>; });
}
template <class Levels, class A, class B> dot_rows_function dots_of(isa target) {
    return kernel_for<Levels>(target, []<class Isa> { return dot_rows<Isa, A, B>; });
}

} // namespace

gemm_kernel select_gemm(isa target, data_type a, data_type b) {
    using t = data_type;
    if (a == t::f32 && b == t::f32) return gemm_of<every_level, f32, f32>(target);
    if (a == t::bf16 && b == t::bf16) return gemm_of<float_matrix_levels, bf16, bf16>(target);
    if (a == t::f16 && b == t::f16) return gemm_of<vector_levels, f16, f16>(target);
    if (a == t::f32 && b == t::bf16) return gemm_of<vector_levels, f32, bf16>(target);
    if (a == t::f32 && b == t::f16) return gemm_of<vector_levels, f32, f16>(target);
    if (a == t::u8 && b == t::s8) return gemm_of<every_byte_matrix_level, u8, s8>(target);
    if (a == t::s8 && b == t::s8) return gemm_of<every_byte_matrix_level, s8, s8>(target);
    if (a == t::u8 && b == t::u8) return gemm_of<every_byte_matrix_level, u8, u8>(target);
    if (a == t::s8 && b == t::u8) return gemm_of<every_byte_matrix_level, s8, u8>(target);
    return {};
}

gemm_kernel select_strided_gemm(isa target, data_type b) {
    if (b == data_type::u8) return gemm_of<byte_levels, strided<s8>, strided<u8>>(target);
    if (b == data_type::s8) return gemm_of<byte_levels, strided<s8>, strided<s8>>(target);
    if (b == data_type::bf16)
        return gemm_of<levels<avx512_bf16>, strided<bf16>, strided<bf16>>(target);
    return gemm_of<vector_levels, strided<f32>, strided<f32>>(target);
}

dot_rows_function select_dot_rows(isa target, data_type a, data_type b) {
    using t = data_type;
    if (a == t::f32 && b == t::f32) return dots_of<vector_levels, f32, f32>(target);
    if (a == t::bf16 && b == t::bf16) return dots_of<bf16_levels, bf16, bf16>(target);
    if (a == t::f16 && b == t::f16) return dots_of<vector_levels, f16, f16>(target);
    if (a == t::u8 && b == t::s8) return dots_of<byte_levels, u8, s8>(target);
    if (a == t::s8 && b == t::s8) return dots_of<byte_levels, s8, s8>(target);
    if (a == t::u8 && b == t::u8) return dots_of<byte_levels, u8, u8>(target);
    if (a == t::s8 && b == t::u8) return dots_of<byte_levels, s8, u8>(target);
    return nullptr;
}

dot_rows_function select_stream_rows(isa target, data_type a, data_type b) {
    const auto of = [&]<class T>(T) -> dot_rows_function {
        return kernel_for<vector_levels>(target, []<class Isa> { return stream_rows<Isa, T>; });
    };
    if (a != b) return nullptr;
    if (a == data_type::f32) return of(f32 {});
    if (a == data_type::bf16) return of(bf16 {});
    return a == data_type::f16 ? of(f16 {}) : nullptr;
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
