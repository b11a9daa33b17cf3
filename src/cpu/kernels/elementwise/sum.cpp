// SPDX-License-Identifier: Apache-2.0
// Weighted sums of tensors, tile by tile; see elementwise.hpp.
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {
namespace {

// At most row_piece elements of a row.
template <class Isa> void sum_piece(const sum_args &a, dim_t r, dim_t c, dim_t n) {
    alignas(64) f32 x[row_piece];
    alignas(64) double total[row_piece];
    for (dim_t i = 0; i < n; ++i) total[i] = 0;
    for (int s = 0; s < a.count; ++s) {
        const row_tensor &t = a.srcs[s];
        row_to_f32<Isa>(element(t, r, c), t.type, t.column, n, x);
        const double scale = a.scales[s];
        for (dim_t i = 0; i < n; ++i) total[i] += scale * static_cast<double>(x[i]);
    }
    for (dim_t i = 0; i < n; ++i) x[i] = static_cast<f32>(total[i]);
    char *dst = element(a.dst, r, c);
    if (a.dst.column == 1) return row_from_f32<Isa>(x, n, a.dst.type, dst);
    copy_tile_args scattered {};
    scattered.src = x;
    scattered.dst = dst;
    scattered.rows = 1;
    scattered.columns = n;
    scattered.src_column = 1;
    scattered.dst_column = a.dst.column;
    scattered.src_type = data_type::f32;
    scattered.dst_type = a.dst.type;
    scattered.through_f32 = true;
    copy_tile<Isa>(scattered);
}

} // namespace

template <class Isa> void sum_tile(const sum_args &a) {
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; c += row_piece)
            sum_piece<Isa>(a, r, c, smaller(row_piece, a.columns - c));
}

template void sum_tile<this_isa>(const sum_args &);

} // namespace dnnl::impl::cpu
