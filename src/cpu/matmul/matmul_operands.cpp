// SPDX-License-Identifier: Apache-2.0
// Layouts, batches and blocks that all kinds of matrix multiplication share.
#include <algorithm>
#include <span>

#include "common/descriptors/default_layouts.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm_types.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/kernels/select/select_movement.hpp"
#include "cpu/matmul/matmul.hpp"

namespace dnnl::impl::cpu {

namespace {

/// A product with at most so many rows packs its weights as it goes.
constexpr dim_t most_streamed_rows = 64;

/// md itself when it is of this type and its last dimension is dense, else dense row-major.
memory_desc with_dense_rows(const memory_desc &md, data_type type) {
    const int last = md.ndims - 1;
    if (md.dtype == type && md.is_plain() && (md.strides[last] == 1 || md.dims[last] == 1))
        return md;
    memory_desc dense = md;
    dense.dtype = type;
    dense.offset0 = 0;
    set_dense_strides(dense);
    return dense;
}

coordinate_map coordinates(int ndims) {
    coordinate_map map;
    for (int d = 0; d < ndims - 2; ++d)
        map.of[d] = static_cast<signed char>(ndims - 2 <= row_dim ? d : 0);
    map.of[ndims - 2] = row_dim;
    map.of[ndims - 1] = column_dim;
    return map;
}

dim_t bytes_of(const adapted_tensor &t) { return static_cast<dim_t>(size_of(t.wanted().dtype)); }

} // namespace

memory_desc packed_weights(memory_desc md, bool sums) {
    std::array<int, max_ndims> batch {};
    for (int d = 0; d < md.ndims - 2; ++d) batch[d] = d;
    const std::span<const int> outer(batch.data(), static_cast<std::size_t>(md.ndims - 2));
    md.offset0 = 0;
    set_panel_layout(md, {md.ndims - 2, md.ndims - 1, outer, {}, true});
    const int all = (1 << md.ndims) - 1;
    md.column_sums_mask = sums ? all & ~(1 << (md.ndims - 2)) : 0;
    return md;
}

dim_t batches_of(const memory_desc &md) {
    dim_t count = 1;
    for (int d = 0; d < md.ndims - 2; ++d) count *= md.dims[d];
    return count;
}

epilogue_request request_of(const matmul_desc &op) {
    const int ndims = op.dst.ndims;
    epilogue_request r {&op.dst, coordinates(ndims), op.dst.dims[ndims - 1], ndims - 1,
        1 << (ndims - 1), is_int8(op.src.dtype), &op.bias};
    r.row_dim = ndims - 2;
    r.row_sums = r.random = true;
    return r;
}

matmul_operands::matmul_operands(problem &p, const operand_types &types, panel_request panels)
    : shape(shape_of(std::get<matmul_desc>(p.op))), target(p.target), threads(max_threads()) {
    auto &op = std::get<matmul_desc>(p.op);
    if (op.weights.is_any() && are_panels_of(op.weights, panels) &&
        (panels.group == shape.K || panels.group % panel_k_group(types.b) == 0))
        op.weights = packed_weights(op.weights, panels.sums);
    default_layouts(p);
    const auto update =
        has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
    src = adapted_tensor(p, op.src, with_dense_rows(op.src, types.a), adapted_tensor::use::read);
    dst = adapted_tensor(p, op.dst, with_dense_rows(op.dst, op.dst.dtype), update);
    a = src.wanted();
    panels.stream = panels.stream && shape.M <= most_streamed_rows &&
                    batches_of(op.weights) == shape.batch_count;
    panels.products = shape.batch_count;
    weights = weights_panels(p, op.weights, panels);
    const dim_t columns = part_count() > 1 ? weights.slab().columns : shape.N;
    driver = gemm_driver(p.target, types.a, types.b, shape.M, columns, panels.group, threads);
    if (driver && weights.is_streamed()) driver.cut_for_slices(shape.M);
}

void matmul_operands::copy_a() {
    a.offset0 = 0;
    set_dense_strides(a);
}

const char *matmul_operands::why_not() const {
    for (const adapted_tensor *t : {&src, &dst})
        if (t->why_not()) return t->why_not();
    if (weights.why_not()) return weights.why_not();
    return driver ? nullptr : "no GEMM kernel for these types";
}

matmul_batch matmul_operands::batch_at(dim_t batch) const {
    const memory_desc &b = weights.wanted(), &to = dst.wanted();
    matmul_batch at {};
    const bool flattened = shape.ndims - 2 > row_dim;
    if (flattened) at.position[0] = batch;
    dim_t src_batches = 1, weights_batches = 1;
    for (int d = shape.ndims - 3; d >= 0; --d) {
        const dim_t index = batch % shape.batch[d];
        batch /= shape.batch[d];
        if (!flattened) at.position[d] = index;
        at.dst += index * to.strides[d];
        if (a.dims[d] > 1) {
            at.src += index * a.strides[d];
            at.src_index += index * src_batches;
            src_batches *= a.dims[d];
        }
        if (b.dims[d] > 1) {
            at.weights += index * b.strides[d];
            at.weights_index += index * weights_batches;
            weights_batches *= b.dims[d];
        }
    }
    return at;
}

dim_t matmul_operands::part_count() const {
    if (!weights.is_in_slabs()) return 1;
    const weights_panels::slab_size &slab = weights.slab();
    const dim_t products = slab.by_product ? shape.batch_count : 1;
    return div_up(products, slab.matrices) * div_up(shape.N, slab.columns);
}

matmul_operands::part matmul_operands::part_at(dim_t index) const {
    part p {0, shape.batch_count, 0, shape.N};
    if (!weights.is_in_slabs()) return p;
    const weights_panels::slab_size &slab = weights.slab();
    const dim_t cuts = div_up(shape.N, slab.columns);
    p.n0 = index % cuts * slab.columns;
    p.columns = std::min(slab.columns, shape.N - p.n0);
    if (!slab.by_product) return p;
    p.first_batch = index / cuts * slab.matrices;
    p.batches = std::min(slab.matrices, shape.batch_count - p.first_batch);
    return p;
}

dim_t matmul_operands::matrix_count(const part &p) const {
    const bool by_product = weights.is_in_slabs() && weights.slab().by_product;
    return by_product ? p.batches : batches_of(weights.wanted());
}

dim_t matmul_operands::matrix_of(const part &p, dim_t i) const {
    const bool by_product = weights.is_in_slabs() && weights.slab().by_product;
    return by_product ? batch_at(p.first_batch + i).weights_index : i;
}

dim_t matmul_operands::matrix_offset(const part &p, dim_t i) const {
    if (weights.is_in_slabs()) return i * weights.slab_matrix_stride();
    const memory_desc &md = weights.wanted();
    dim_t offset = 0, rest = matrix_of(p, i);
    for (int d = md.ndims - 3; d >= 0; --d) {
        offset += rest % md.dims[d] * md.strides[d];
        rest /= md.dims[d];
    }
    return offset;
}

void matmul_operands::make_panels(const exec_context &ctx, const part &p) const {
    if (!weights.is_in_slabs()) return;
    weights.fill_slab(
        ctx, matrix_count(p), p.n0, p.columns, [&](dim_t i) { return matrix_of(p, i); });
}

dim_t matmul_operands::block_count(dim_t MC, dim_t NC, const part &p) const {
    return p.batches * div_up(shape.M, MC) * div_up(p.columns, NC);
}

matmul_operands::block matmul_operands::block_at(
    dim_t MC, dim_t NC, const part &p, dim_t index) const {
    const dim_t row_blocks = div_up(shape.M, MC), column_blocks = div_up(p.columns, NC);
    const dim_t batch = index / column_blocks / row_blocks;
    block b {};
    b.at = batch_at(p.first_batch + batch);
    const dim_t column = index % column_blocks * NC;
    b.n0 = p.n0 + column;
    b.m0 = index / column_blocks % row_blocks * MC;
    b.rows = std::min(MC, shape.M - b.m0);
    b.columns = std::min(NC, p.columns - column);
    const bool by_product = weights.is_in_slabs() && weights.slab().by_product;
    const dim_t matrix = by_product ? batch : b.at.weights_index;
    b.panels = column / driver.kernel().panel_columns * weights.wanted().strides[shape.ndims - 1];
    b.panels += weights.is_in_slabs() ? matrix * weights.slab_matrix_stride() : b.at.weights;
    b.column_sums = matrix * weights.column_sums_stride() - p.n0;
    return b;
}

double matmul_operands::block_ns(dim_t MC, dim_t NC, dim_t depth) const {
    const auto extent = [](dim_t block, dim_t whole) {
        return static_cast<double>(std::min(block, whole));
    };
    double ns = gemm_cost_ns(target, src.wanted().dtype,
        extent(MC, shape.M) * extent(NC, shape.N) * static_cast<double>(depth + 16));
    if (weights.is_streamed()) ns += 0.05 * extent(NC, shape.N) * static_cast<double>(depth);
    return ns;
}

dim_t matmul_operands::a_offset(const block &b) const {
    return b.at.src + b.m0 * a.strides[shape.ndims - 2];
}
dim_t matmul_operands::dst_offset(const block &b) const {
    return b.at.dst + b.m0 * dst.wanted().strides[shape.ndims - 2] + b.n0;
}
dim_t matmul_operands::a_stride() const { return a.strides[shape.ndims - 2] * bytes_of(src); }
dim_t matmul_operands::panel_stride() const {
    return weights.wanted().strides[shape.ndims - 1] *
           static_cast<dim_t>(size_of(weights.wanted().dtype));
}
dim_t matmul_operands::dst_stride() const {
    return dst.wanted().strides[shape.ndims - 2] * bytes_of(dst);
}

void matmul_operands::sum_rows(const char *rows_of_a, dim_t piece, s32 *sums) const {
    const memory_desc &md = a;
    const auto add = select_add_column_sums(target);
    const int m_dim = md.ndims - 2;
    const dim_t M = shape.M, rows = batches_of(md) * M;
    const dim_t pieces = piece ? shape.K / piece : 1;
    parallel_for(rows, 20 + 0.2 * static_cast<double>(shape.K), [&](int, dim_t begin, dim_t end) {
        for (dim_t row = begin; row < end; ++row) {
            dim_t offset = row % M * md.strides[m_dim], batch = row / M;
            for (int d = m_dim - 1; d >= 0; --d, batch /= md.dims[d + 1])
                offset += batch % md.dims[d] * md.strides[d];
            s32 *to = sums + row / M * pieces * M + row % M;
            for (dim_t i = 0; i < pieces; ++i) to[i * M] = 0;
            add({rows_of_a + offset, md.dtype, to, pieces, piece, piece, md.strides[m_dim + 1], M,
                0});
        }
    });
}

} // namespace dnnl::impl::cpu
