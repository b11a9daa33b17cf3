// SPDX-License-Identifier: Apache-2.0
// See vec_operations.hpp. Compiled like a kernel.
#include "vec_operations.hpp"

#include "cpu/simd/convert.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {
namespace {

template <class Isa, class From, class To> void convert(const void *src, void *dst, dim_t n) {
    const From *from = static_cast<const From *>(src);
    To *to = static_cast<To *>(dst);
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + size <= n; i += size) store_as(to + i, load_as_f32<Isa>(from + i));
    store_as(to + i, load_as_f32<Isa>(from + i, n - i), n - i);
}

template <class Isa, class From>
void convert_to(const void *src, data_type to, void *dst, dim_t n) {
    switch (to) {
    case data_type::f32: return convert<Isa, From, f32>(src, dst, n);
    case data_type::bf16: return convert<Isa, From, bf16>(src, dst, n);
    case data_type::f16: return convert<Isa, From, f16>(src, dst, n);
    case data_type::s32: return convert<Isa, From, s32>(src, dst, n);
    case data_type::s8: return convert<Isa, From, s8>(src, dst, n);
    default: return convert<Isa, From, u8>(src, dst, n);
    }
}

template <class Isa>
void convert_any(data_type from, const void *src, data_type to, void *dst, dim_t n) {
    switch (from) {
    case data_type::f32: return convert_to<Isa, f32>(src, to, dst, n);
    case data_type::bf16: return convert_to<Isa, bf16>(src, to, dst, n);
    case data_type::f16: return convert_to<Isa, f16>(src, to, dst, n);
    case data_type::s32: return convert_to<Isa, s32>(src, to, dst, n);
    case data_type::s8: return convert_to<Isa, s8>(src, to, dst, n);
    default: return convert_to<Isa, u8>(src, to, dst, n);
    }
}

template <class Isa, class To> void narrow_s32(const s32 *src, To *to, dim_t n) {
    constexpr dim_t size = vec<s32, Isa>::size;
    dim_t i = 0;
    for (; i + size <= n; i += size) store_as(to + i, load_as_s32<Isa>(src + i));
    store_as(to + i, load_as_s32<Isa>(src + i, n - i), n - i);
}
template <class Isa> void narrow_any(const s32 *src, data_type to, void *dst, dim_t n) {
    if (to == data_type::s8) return narrow_s32<Isa>(src, static_cast<s8 *>(dst), n);
    narrow_s32<Isa>(src, static_cast<u8 *>(dst), n);
}

template <class Isa> void arithmetic(const f32 *pa, const f32 *pb, f32 (*out)[16]) {
    using v = vec<f32, Isa>;
    const v a = v::load(pa), b = v::load(pb);
    const v results[vec_operations::arithmetic_count] = {max(a, b), min(a, b), max_nan(a, b),
        min_nan(a, b), fma(a, b, a), fnma(a, b, a), copy_sign(a, b), select(a < b, a, b)};
    for (int i = 0; i < vec_operations::arithmetic_count; ++i) results[i].store(out[i]);
}

template <class Isa> void integer(const s32 *pa, const s32 *pb, s32 (*out)[16]) {
    using v = vec<s32, Isa>;
    const v a = v::load(pa), b = v::load(pb);
    const v results[vec_operations::integer_count] = {a + b, a * b, a & b, shift_left<5>(a),
        shift_right<5>(a), shift_right_signed<5>(a), v::iota(),
        select(a > b, v::set(1), v::zero())};
    for (int i = 0; i < vec_operations::integer_count; ++i) results[i].store(out[i]);
}

template <class Isa> void across(const f32 *pa, const s32 *pb, f32 *out, s32 *sum) {
    const vec<f32, Isa> a = vec<f32, Isa>::load(pa);
    out[0] = reduce_add(a);
    out[1] = reduce_max(a);
    out[2] = reduce_min(a);
    *sum = reduce_add(vec<s32, Isa>::load(pb));
}

} // namespace

template <class Isa> vec_operations operations() {
    return {vec<f32, Isa>::size, convert_any<Isa>, narrow_any<Isa>, arithmetic<Isa>, integer<Isa>,
        across<Isa>};
}
template vec_operations operations<this_isa>();

} // namespace dnnl::impl::cpu
