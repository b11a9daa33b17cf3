// SPDX-License-Identifier: Apache-2.0
// The binary primitive on rows; pieces of a row are converted into L1, combined and stored.
#include "cpu/kernels/elementwise/binary.hpp"

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/simd/convert.hpp"
#include "cpu/simd/element_size.hpp"
#include "cpu/simd/eltwise.hpp"
#include "cpu/simd/row_loop.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

DNNL_INLINE const void *element(const binary_source &s, dim_t row, dim_t column) {
    return element_at(s.data, s.type, row * s.row_stride + column * s.column_stride);
}

template <class Isa>
DNNL_INLINE void convert(const binary_source &s, const void *from, dim_t n, f32 *out) {
    row_to_f32<Isa>(from, s.type, s.column_stride, n, out);
}
template <class Isa>
DNNL_INLINE void convert(const binary_source &s, const void *from, dim_t n, s32 *out) {
    row_to_s32<Isa>(from, s.type, s.column_stride, n, out);
}
template <class Isa> DNNL_INLINE void scale_row(f32 *x, dim_t n, f32 scale) {
    using v = vec<f32, Isa>;
    for (dim_t i = 0; i < n; i += v::size) (v::load(x + i) * v::set(scale)).store(x + i);
}
template <class Isa> DNNL_INLINE void scale_row(s32 *, dim_t, f32) {}

// The piece of a source as Value: in place when it is that already, else in `buffer`, which has
// room for whole vectors.
template <class Isa, class Value>
const Value *piece_of(const binary_source &s, dim_t row, dim_t column, dim_t n, Value *buffer) {
    const void *from = element(s, row, column);
    if (s.type == type_of<Value> && s.column_stride == 1 && s.scale == 1.0f)
        return static_cast<const Value *>(from);
    convert<Isa>(s, from, n, buffer);
    if (s.scale != 1.0f) scale_row<Isa>(buffer, n, s.scale);
    return buffer;
}

// out[i] = f(a[i], b[i])
template <class Isa, class Value, class F>
DNNL_INLINE void map(const Value *a, const Value *b, Value *out, dim_t n, const F &f) {
    using v = vec<Value, Isa>;
    dim_t i = 0;
    for (; i + v::size <= n; i += v::size) f(v::load(a + i), v::load(b + i)).store(out + i);
    if (i == n) return;
    const dim_t rest = n - i;
    f(v::load(a + i, rest), v::load(b + i, rest)).store(out + i, rest);
}

template <class Isa> void combine(algorithm alg, const f32 *a, const f32 *b, f32 *out, dim_t n) {
    with_binary<Isa>(alg, [=](auto f) { map<Isa>(a, b, out, n, f); });
}

template <class Isa> void combine(algorithm alg, const s32 *a, const s32 *b, s32 *out, dim_t n) {
    using v = vec<s32, Isa>;
    const v one = v::set(1), zero = v::zero();
    const auto apply = [=](auto f) { map<Isa>(a, b, out, n, f); };
    switch (alg) {
    case algorithm::binary_max: return apply([](v x, v y) { return max(x, y); });
    case algorithm::binary_min: return apply([](v x, v y) { return min(x, y); });
    case algorithm::binary_ge: return apply([=](v x, v y) { return select(x >= y, one, zero); });
    case algorithm::binary_gt: return apply([=](v x, v y) { return select(x > y, one, zero); });
    case algorithm::binary_le: return apply([=](v x, v y) { return select(x <= y, one, zero); });
    case algorithm::binary_lt: return apply([=](v x, v y) { return select(x < y, one, zero); });
    case algorithm::binary_eq: return apply([=](v x, v y) { return select(x == y, one, zero); });
    default: return apply([=](v x, v y) { return select(x != y, one, zero); });
    }
}

template <class Isa, class Value>
void choose(const s32 *which, const Value *a, const Value *b, Value *out, dim_t n) {
    using v = vec<Value, Isa>;
    using i32 = vec<s32, Isa>;
    for (dim_t i = 0; i < n; i += v::size) {
        const dim_t rest = smaller(v::size, n - i);
        const auto first = i32::load(which + i, rest) != i32::zero();
        select(first, v::load(a + i, rest), v::load(b + i, rest)).store(out + i, rest);
    }
}

template <class Isa> void store_row(const f32 *x, dim_t n, data_type type, void *dst) {
    row_from_f32<Isa>(x, n, type, dst);
}
template <class Isa> void store_row(const s32 *x, dim_t n, data_type type, void *dst) {
    row_from_s32<Isa>(x, n, type, dst);
}

template <class Isa, class Value> void run(const binary_args &t) {
    alignas(64) Value a_buffer[row_piece], b_buffer[row_piece], result[row_piece];
    alignas(64) s32 which[row_piece];
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t column = 0; column < t.columns; column += row_piece) {
            const dim_t n = smaller(row_piece, t.columns - column);
            void *dst = element_at(t.dst, t.dst_type, row * t.dst_row_stride + column);
            const bool direct = !t.finish && t.dst_type == type_of<Value>;
            Value *out = direct ? static_cast<Value *>(dst) : result;
            const Value *a = piece_of<Isa>(t.src0, row, column, n, a_buffer);
            const Value *b = piece_of<Isa>(t.src1, row, column, n, b_buffer);
            if (t.alg == algorithm::binary_select) {
                row_to_s32<Isa>(element(t.chooser, row, column), data_type::s8,
                    t.chooser.column_stride, n, which);
                choose<Isa>(which, a, b, out, n);
            } else {
                combine<Isa>(t.alg, a, b, out, n);
            }
            if (t.finish)
                epilogue_rows<Isa>(
                    {t.finish, out, 0, type_of<Value>, dst, 0, 1, n, {0, 0, 0, row, column}});
            else if (!direct)
                store_row<Isa>(result, n, t.dst_type, dst);
        }
}

// dst = f(src0 * scale0, src1 * scale1, chooser) in f64.
template <class Isa, class F> void map_f64(const binary_args &t, const F &f) {
    const double scale0 = t.src0.scale, scale1 = t.src1.scale;
    for (dim_t row = 0; row < t.rows; ++row) {
        const auto *a = static_cast<const double *>(element(t.src0, row, 0));
        const auto *b = static_cast<const double *>(element(t.src1, row, 0));
        auto *dst = static_cast<double *>(t.dst) + row * t.dst_row_stride;
        const dim_t a_step = t.src0.column_stride, b_step = t.src1.column_stride;
        if (a_step == 1 && b_step == 1)
            for (dim_t i = 0; i < t.columns; ++i) dst[i] = f(a[i] * scale0, b[i] * scale1);
        else
            for (dim_t i = 0; i < t.columns; ++i)
                dst[i] = f(a[i * a_step] * scale0, b[i * b_step] * scale1);
    }
}

template <class Isa> void choose_f64(const binary_args &t) {
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t i = 0; i < t.columns; ++i) {
            const bool first = *static_cast<const s8 *>(element(t.chooser, row, i)) != 0;
            const binary_source &source = first ? t.src0 : t.src1;
            static_cast<double *>(t.dst)[row * t.dst_row_stride + i] =
                *static_cast<const double *>(element(source, row, i)) *
                static_cast<double>(source.scale);
        }
}

template <class Isa> void run_f64(const binary_args &t) {
    using d = double;
    switch (t.alg) {
    case algorithm::binary_add: return map_f64<Isa>(t, [](d x, d y) { return x + y; });
    case algorithm::binary_sub: return map_f64<Isa>(t, [](d x, d y) { return x - y; });
    case algorithm::binary_mul: return map_f64<Isa>(t, [](d x, d y) { return x * y; });
    case algorithm::binary_div: return map_f64<Isa>(t, [](d x, d y) { return x / y; });
    case algorithm::binary_max: return map_f64<Isa>(t, [](d x, d y) { return x > y ? x : y; });
    case algorithm::binary_min: return map_f64<Isa>(t, [](d x, d y) { return x < y ? x : y; });
    case algorithm::binary_ge: return map_f64<Isa>(t, [](d x, d y) { return x >= y ? 1.0 : 0.0; });
    case algorithm::binary_gt: return map_f64<Isa>(t, [](d x, d y) { return x > y ? 1.0 : 0.0; });
    case algorithm::binary_le: return map_f64<Isa>(t, [](d x, d y) { return x <= y ? 1.0 : 0.0; });
    case algorithm::binary_lt: return map_f64<Isa>(t, [](d x, d y) { return x < y ? 1.0 : 0.0; });
    case algorithm::binary_eq: return map_f64<Isa>(t, [](d x, d y) { return x == y ? 1.0 : 0.0; });
    case algorithm::binary_ne: return map_f64<Isa>(t, [](d x, d y) { return x != y ? 1.0 : 0.0; });
    default: return choose_f64<Isa>(t);
    }
}

} // namespace

template <class Isa> void binary_rows(const binary_args &args) {
    if (args.dst_type == data_type::f64)
        run_f64<Isa>(args);
    else if (args.integer)
        run<Isa, s32>(args);
    else
        run<Isa, f32>(args);
}
template void binary_rows<this_isa>(const binary_args &);

} // namespace dnnl::impl::cpu
