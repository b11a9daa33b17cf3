// SPDX-License-Identifier: Apache-2.0
#include "cpu/gemm/gemm_types.hpp"

#include "common/layout/data_type.hpp"
#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

const char *gemm_types_refusal(isa target, data_type a, data_type b) {
    if (is_int8(a) && is_int8(b)) {
        const bool own = target == isa::amx || target == isa::avx512_vnni ||
                         target == isa::avx512 || target == isa::avx2_vnni || target == isa::avx2;
        return own ? nullptr : "int8 has no instructions of its own at this level";
    }
    if (a != b || !is_float(a)) return "this pair of source and weights types has no kernel";
    if (a == data_type::bf16 && target == isa::amx) return nullptr;
    if (target == isa::avx512 || target == isa::avx2) return nullptr;
    return floats_of_another_level;
}

data_type gemm_operand_type(isa target, data_type t) {
    if (!is_f8(t)) return t;
    return target == isa::amx ? data_type::bf16 : data_type::f32;
}

dim_t exact_sum_length(data_type a, data_type b, bool a_has_zero_point, bool b_has_zero_point) {
    const auto largest = [](data_type t, bool has_zero_point) -> dim_t {
        return t == data_type::u8 || has_zero_point ? 255 : 128;
    };
    return INT32_MAX / (largest(a, a_has_zero_point) * largest(b, b_has_zero_point));
}

// Products in a nanosecond: some 60 % of the peak of a core with two units at 3 GHz, which makes 2
// * 16 * 3 products of f32 with AVX-512 and half of them with AVX2, four times as many of bytes
// with VNNI; half of the peak of AMX, 512 products of bf16 in a cycle and 1024 of bytes.
double gemm_cost_ns(isa target, data_type a, double products) {
    double per_ns = has(target, isa::avx512) ? 60 : 30;
    if (is_int8(a)) per_ns *= has(target, isa::avx2_vnni) || has(target, isa::avx512_vnni) ? 4 : 1;
    if (target == isa::amx) per_ns = is_int8(a) ? 1600 : 800;
    return products / per_ns;
}

} // namespace dnnl::impl::cpu
