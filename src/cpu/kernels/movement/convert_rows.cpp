// SPDX-License-Identifier: Apache-2.0
// Converts rows whose elements are adjacent in src and in dst, with scales and zero points, in one
// pass through registers; see movement.hpp.
#include "cpu/kernels/movement/movement.hpp"

#include "cpu/simd/convert_adjacent.hpp"

namespace dnnl::impl::cpu {
namespace {

// The scales or zero points of one step for the elements of a row: adjacent, or one in every lane.
template <class Isa> struct row_values_of {
    alignas(64) f32 one[vec<f32, Isa>::size];
    const f32 *data; // null: absent
    dim_t step;      // 0: data is `one`

    void set(const tile_values &values, dim_t row) {
        data = values.data ? values.data + row * values.row : nullptr;
        step = values.column;
        if (!data || step != 0) return;
        vec<f32, Isa>::set(*data).store(one);
        data = one;
    }
    template <int N, class Operation>
    DNNL_INLINE void apply(
        vec<f32, Isa> (&x)[N], dim_t i, dim_t n, const Operation &operation) const {
        if (!data) return;
        const f32 *y = data + i * step;
#pragma GCC unroll 4
        for (int k = 0; k < N; ++k)
            x[k] = operation(x[k], load_up_to<Isa>(y + k * step * x[0].size, n));
    }
};

// x = (x - src zero point) * src scale / dst scale + dst zero point
template <class Isa> struct quantising {
    using v = vec<f32, Isa>;
    row_values_of<Isa> src_zero_point, src_scale, dst_scale, dst_zero_point;

    void set_row(const copy_tile_args &a, dim_t row) {
        src_zero_point.set(a.src_zero_point, row);
        src_scale.set(a.src_scale, row);
        dst_scale.set(a.dst_scale, row);
        dst_zero_point.set(a.dst_zero_point, row);
    }
    template <int N> DNNL_INLINE void operator()(v (&x)[N], dim_t i, dim_t n) const {
        src_zero_point.apply(x, i, n, [](v p, v q) { return p - q; });
        src_scale.apply(x, i, n, [](v p, v q) { return p * q; });
        dst_scale.apply(x, i, n, [](v p, v q) { return p / q; });
        dst_zero_point.apply(x, i, n, [](v p, v q) { return p + q; });
    }
};

template <class Isa, class S, class D> void convert(const copy_tile_args &a) {
    const auto for_rows = [&](const auto &row) {
        for (dim_t r = 0; r < a.rows; ++r)
            row(r, static_cast<const S *>(a.src) + r * a.src_row,
                static_cast<D *>(a.dst) + r * a.dst_row);
    };
    if (a.through_f32) {
        quantising<Isa> change;
        return for_rows([&](dim_t r, const S *src, D *dst) {
            change.set_row(a, r);
            convert_adjacent<Isa, f32>(src, a.columns, dst, change);
        });
    }
    for_rows([&](dim_t, const S *src, D *dst) {
        if constexpr (is_byte<S> && is_byte<D>)
            saturate_adjacent<Isa>(src, a.columns, dst);
        else if constexpr (is_whole<S> && is_whole<D>)
            convert_adjacent<Isa, s32>(src, a.columns, dst);
        else
            convert_adjacent<Isa, f32>(src, a.columns, dst);
    });
}

constexpr bool has_all_types = this_isa::vector_bytes > 16; // else small code, by the common types
bool is_common(data_type type) {
    if (!has_all_types && type != data_type::f32) return is_byte_type(type);
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16 ||
           type == data_type::s32 || type == data_type::s8 || type == data_type::u8;
}

template <class F> DNNL_INLINE void with_common(data_type type, const F &f) {
    switch (type) {
    case data_type::s8: return f(s8 {});
    case data_type::u8: return f(u8 {});
    default: break;
    }
    if constexpr (has_all_types)
        return type == data_type::s32 ? f(s32 {}) : with_float(type, f);
    else
        return f(f32 {});
}

} // namespace

template <class Isa> bool convert_rows(const copy_tile_args &a) {
    if (a.has_sum || !is_common(a.src_type) || !is_common(a.dst_type)) return false;
    const tile_values *const all[] {
        &a.src_zero_point, &a.src_scale, &a.dst_scale, &a.dst_zero_point};
    for (const tile_values *v : all)
        if (v->data && v->column != 0 && v->column != 1) return false;
    with_common(a.src_type, [&](auto s) {
        with_common(a.dst_type, [&](auto d) { convert<Isa, decltype(s), decltype(d)>(a); });
    });
    return true;
}

template bool convert_rows<this_isa>(const copy_tile_args &);

} // namespace dnnl::impl::cpu
