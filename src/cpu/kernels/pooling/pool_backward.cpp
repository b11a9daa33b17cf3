// SPDX-License-Identifier: Apache-2.0
// Pooling of adjacent outputs, backward; see pool.hpp. Vectors of gradients stay in registers
// while the shares from all windows over them are added up.
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/pooling/pool_elements.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

namespace {

// Computes gradients: Count vectors of outputs from i on, the last one with `last` lanes. Index is
// the type of the workspace: u8 or any_element<s32>.
template <class Isa, class T, class Index, bool Maximum, int Count>
DNNL_INLINE void gradients(const pool_backward_args &t, dim_t i, dim_t last) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const auto lanes_of = [&](int c) { return c + 1 < Count ? dim_t {v::size} : last; };
    v sum[Count];
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c) sum[c] = v::zero();
    for (dim_t w = 0; w < t.count; ++w) {
        const void *from =
            element_of<T>(t.diff_dst_type, at<char>(t.diff_dst, t.offset_bytes[w]), i);
        const void *index = nullptr;
        if constexpr (Maximum)
            index = element_of<Index>(
                t.workspace_type, at<char>(t.workspace, t.workspace_offset_bytes[w]), i);
        const i32 tap = i32::set(Maximum ? t.window_index[w] : 0);
        const pool_quotient<Isa> quotient(Maximum ? 1.0f : t.divisors[w]);
#pragma GCC unroll 4
        for (int c = 0; c < Count; ++c) {
            const dim_t first = c * v::size, n = lanes_of(c);
            v x = load_element<Isa, T>(t.diff_dst_type, from, first, n);
            if constexpr (Maximum)
                x = select(load_element<Isa, Index>(t.workspace_type, index, first, n) == tap, x,
                    v::zero());
            else
                x = quotient(x);
            sum[c] = sum[c] + x;
        }
    }
    if constexpr (is_any<T>) {
        alignas(64) f32 row[v::size];
        sum[0].store(row);
        row_from_f32<Isa>(row, last, t.diff_src_type, element_at(t.diff_src, t.diff_src_type, i));
    } else {
        T *to = static_cast<T *>(t.diff_src) + i;
        if constexpr (Isa::vector_bytes == 64 && __is_same(T, f32) && Count == 4)
            if (t.streaming)
                return for_each_of<4>([&](int c) { stream(to + c * v::size, sum[c]); });
#pragma GCC unroll 2
        for (int c = 0; c + 1 < Count; c += 2)
            store_pair(to + c * v::size, sum[c], sum[c + 1], v::size + lanes_of(c + 1));
        if constexpr (Count % 2 == 1) store_up_to(to + (Count - 1) * v::size, sum[Count - 1], last);
    }
}

template <class Isa, class T, class Index, bool Maximum>
void gradients_of_pixels(pool_backward_args t) {
    constexpr dim_t size = vec<f32, Isa>::size;
    for (; t.pixels > 0; --t.pixels) {
        dim_t i = 0;
        if constexpr (!is_any<T>)
            for (; i + 4 * size <= t.n; i += 4 * size)
                gradients<Isa, T, Index, Maximum, 4>(t, i, size);
        for (; i < t.n; i += size)
            gradients<Isa, T, Index, Maximum, 1>(t, i, smaller(size, t.n - i));
        t.diff_src = static_cast<char *>(t.diff_src) + t.diff_src_step_bytes;
        t.diff_dst = static_cast<const char *>(t.diff_dst) + t.diff_dst_step_bytes;
        if constexpr (Maximum)
            t.workspace = static_cast<const char *>(t.workspace) + t.workspace_step_bytes;
    }
    if (t.streaming) _mm_sfence();
}

template <class Isa, class T, class Index> void backward(const pool_backward_args &t) {
    t.maximum ? gradients_of_pixels<Isa, T, Index, true>(t)
              : gradients_of_pixels<Isa, T, Index, false>(t);
}

} // namespace

template <class Isa> void pool_backward(const pool_backward_args &args) {
    const data_type type = args.diff_dst_type;
    const bool bytes = !args.maximum || args.workspace_type == data_type::u8;
    const bool usual = bytes && type == args.diff_src_type;
    if (usual && type == data_type::f32) return backward<Isa, f32, u8>(args);
    if (usual && type == data_type::bf16) return backward<Isa, bf16, u8>(args);
    backward<Isa, any_element<f32>, any_element<s32>>(args);
}
template void pool_backward<this_isa>(const pool_backward_args &);

} // namespace dnnl::impl::cpu
