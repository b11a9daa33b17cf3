// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with one sparse operand, CSR or COO. Rows of a sparse src pick rows of the
// weights, columns of sparse weights pick columns of src: both are one product of a sparse matrix
// by rows with a dense one, of which the second is transposed on the way in and out.

#include "common/descriptors/products/shapes.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

using sparse_rows_function = void (*)(const sparse_rows_args &);

sparse_rows_function select_sparse_rows(isa target, data_type b) {
    const auto of = [&]<class B>(B) -> sparse_rows_function {
        return kernel_for<vector_levels>(target, []<class Isa> { return sparse_rows<Isa, B>; });
    };
    switch (b) {
    case data_type::bf16: return of(bf16 {});
    case data_type::f16: return of(f16 {});
    case data_type::s8: return of(s8 {});
    case data_type::u8: return of(u8 {});
    default: return of(f32 {});
    }
}

/// So many rows of the transposed destination are computed before they are stored: with a strip of
/// 128 columns they take 128 KiB, which L2 holds beside the strip of the dense operand.
constexpr dim_t tile_rows = 256;
/// Elements of k that are transposed in a type of less than 32 bits before they are widened.
constexpr dim_t transposed_k = 64;
/// A strip is copied where each of its rows is read so often. (Intel Xeon core, f32, 2048 x 2048
/// weights, a tenth of src stored: 30 rows in place took 1.7 ms, 40 rows with copies 2.0.)
constexpr dim_t reads_that_pay_a_copy = 4;

/// Sparse weights are sorted by columns, which costs as much as scattering them for so many vectors
/// of rows of src (measured as above, 90 % zeros).
constexpr dim_t most_scattered_vectors = 4;

/// The entries of the sparse operand, by rows of src or by columns of the weights.
struct entry_lists {
    const dim_t *begins;
    const s32 *indices; ///< k
    const f32 *values;
};

class sparse_matmul : public plan {
  public:
    explicit sparse_matmul(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        const exec_context &ctx;
        entry_lists entries;
        const void *dense;
        void *dst;
    };

    void reserve(scratchpad_layout &scratchpad);
    int sparse_arg() const { return sparse_src_ ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS; }
    const f32 *values_of(const exec_context &ctx) const {
        if (sparse_.dtype == data_type::f32) return ctx.in<f32>(sparse_arg());
        f32 *values = ctx.scratch(values_);
        widen_(ctx.data(sparse_arg()), sparse_.dtype, 1, sparse_.sparse.nnz, values);
        return values;
    }
    entry_lists entries_by_rows(const exec_context &ctx) const;
    entry_lists entries_by_columns(const exec_context &ctx) const;
    static void count(const s32 *first, const s32 *last, dim_t rows, dim_t *begins);
    item_range rows_of_chunk(const dim_t *begins, dim_t chunk) const;
    const f32 *fill_panel(const execution &e, int thread, dim_t column, dim_t columns) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;
    void scatter(const execution &e, int thread, dim_t column) const;
    void multiply_tiles(
        const execution &e, int thread, sparse_rows_args &g, item_range rows, dim_t column) const;

    isa target_;
    bool sparse_src_;
    memory_desc sparse_, dense_, dst_;
    /// The extents of the product sparse * dense: rows are M and columns N where src is sparse,
    /// else rows are N and columns M.
    dim_t rows_, columns_, K_;
    dim_t strip_, panel_stride_, strips_, chunks_ = 1;
    bool packs_, scatters_;
    int threads_;
    sparse_rows_function run_ = nullptr;
    void (*transpose_)(const transpose_args &) = nullptr;
    void (*widen_)(const void *, data_type, dim_t, dim_t, f32 *) = nullptr;
    void (*narrow_)(const f32 *, dim_t, data_type, void *) = nullptr;
    void (*scatter_)(const sparse_scatter_args &) = nullptr;
    scratch_slot<dim_t> begins_;
    scratch_slot<s32> indices_;
    scratch_slot<f32> values_, sorted_values_, panels_, sums_;
    scratch_slot<char> tiles_, pieces_;
};

sparse_matmul::sparse_matmul(problem &p)
    : target_(p.target), sparse_src_(std::get<matmul_desc>(p.op).src.is_sparse()) {
    default_layouts(p);
    const auto &op = std::get<matmul_desc>(p.op);
    sparse_ = sparse_src_ ? op.src : op.weights;
    dense_ = sparse_src_ ? op.weights : op.src;
    dst_ = op.dst;
    const matmul_shape s = shape_of(op);
    rows_ = sparse_src_ ? s.M : s.N;
    columns_ = sparse_src_ ? s.N : s.M;
    K_ = s.K;
    const dim_t lanes = has(target_, isa::avx512) ? 16 : 8;
    scatters_ =
        !sparse_src_ && columns_ <= most_scattered_vectors * lanes && !is_int8(dense_.dtype);
    strip_ = scatters_ ? lanes : sparse_block_columns(lanes * size_in_bytes(data_type::f32));
    strips_ = div_up(columns_, strip_);
    panel_stride_ = scatters_ && columns_ == 1 ? 1 : round_up(std::min(columns_, strip_), lanes);
    const bool is_panel = dense_.dtype == data_type::f32 && columns_ <= strip_;
    packs_ = !sparse_src_ || (!is_panel && sparse_.sparse.nnz / reads_that_pay_a_copy >= K_);
    // Some eight items for each thread even out rows of different length.
    if (!scatters_)
        chunks_ = std::clamp<dim_t>(
            dim_t {8} * max_threads() / std::max<dim_t>(strips_, 1), 1, std::max<dim_t>(rows_, 1));
    threads_ = threads_for(strips_ * chunks_);
    run_ = select_sparse_rows(target_, packs_ ? data_type::f32 : dense_.dtype);
    transpose_ = kernel_for<every_level>(target_, []<class Isa> { return transpose<Isa>; });
    widen_ = kernel_for<every_level>(target_, []<class Isa> { return row_to_f32<Isa>; });
    narrow_ = kernel_for<every_level>(target_, []<class Isa> { return row_from_f32<Isa>; });
    scatter_ = kernel_for<vector_levels>(target_, []<class Isa> { return sparse_scatter<Isa>; });
    reserve(p.scratchpad);
}

void sparse_matmul::reserve(scratchpad_layout &scratchpad) {
    const dim_t nnz = sparse_.sparse.nnz;
    begins_ = scratchpad.reserve<dim_t>(std::max(rows_, K_) + 2);
    if (sparse_.dtype != data_type::f32) values_ = scratchpad.reserve<f32>(nnz);
    if (packs_) panels_ = scratchpad.reserve<f32>(threads_ * K_ * panel_stride_);
    if (sparse_src_) return;
    tiles_ =
        scratchpad.reserve<char>(threads_ * tile_rows * panel_stride_ * size_in_bytes(dst_.dtype));
    pieces_ = scratchpad.reserve<char>(
        threads_ * transposed_k * panel_stride_ * size_in_bytes(dense_.dtype));
    if (scatters_) {
        sums_ = scratchpad.reserve<f32>(threads_ * rows_ * panel_stride_);
        return;
    }
    indices_ = scratchpad.reserve<s32>(nnz);
    sorted_values_ = scratchpad.reserve<f32>(nnz);
}

// ---- The entries ----

/// Sets begins[i + 2] to the number of indices up to i; all are below `rows`.
void sparse_matmul::count(const s32 *first, const s32 *last, dim_t rows, dim_t *begins) {
    std::fill_n(begins, rows + 2, 0);
    for (; first != last; ++first) ++begins[*first + 2];
    for (dim_t i = 2; i < rows + 2; ++i) begins[i] += begins[i - 1];
}

/// The row pointers of the caller, forced into ascending order and into the buffers.
struct row_pointers {
    const s32 *pointers;
    dim_t nnz;
    dim_t operator()(dim_t row, dim_t least) const {
        return std::clamp<dim_t>(pointers[row], least, nnz);
    }
};

entry_lists sparse_matmul::entries_by_rows(const exec_context &ctx) const {
    const int arg = sparse_arg();
    const dim_t rows = sparse_.dims[0], nnz = sparse_.sparse.nnz;
    dim_t *begins = ctx.scratch(begins_);
    if (sparse_.sparse.encoding == dnnl_csr) {
        const row_pointers of {ctx.indices<s32>(arg, 2), nnz};
        for (dim_t r = 0; r <= rows; ++r) begins[r] = of(r, r > 0 ? begins[r - 1] : 0);
        return {begins, ctx.indices<s32>(arg, 1), values_of(ctx)};
    }
    const s32 *listed = ctx.indices<s32>(arg, 1);
    count(listed, listed + nnz, rows, begins);
    return {begins + 1, ctx.indices<s32>(arg, 2), values_of(ctx)};
}

/// Sorts the entries by columns; those of a column keep their order.
entry_lists sparse_matmul::entries_by_columns(const exec_context &ctx) const {
    const bool csr = sparse_.sparse.encoding == dnnl_csr;
    const dim_t nnz = sparse_.sparse.nnz;
    const s32 *columns = ctx.indices<s32>(DNNL_ARG_WEIGHTS, csr ? 1 : 2);
    const s32 *listed = ctx.indices<s32>(DNNL_ARG_WEIGHTS, csr ? 2 : 1);
    const f32 *values = values_of(ctx);
    dim_t *begins = ctx.scratch(begins_);
    s32 *indices = ctx.scratch(indices_);
    f32 *sorted = ctx.scratch(sorted_values_);
    // Column n begins at next[n] until its entries come, and column n + 1 when they are all there.
    dim_t *next = begins + 1;
    const auto put = [&](dim_t e, s32 k) {
        const dim_t place = next[columns[e]]++;
        indices[place] = k;
        sorted[place] = values[e];
    };
    if (!csr) {
        count(columns, columns + nnz, rows_, begins);
        for (dim_t e = 0; e < nnz; ++e) put(e, listed[e]);
        return {begins, indices, sorted};
    }
    const row_pointers of {listed, nnz};
    const dim_t first = of(0, 0);
    dim_t e = first;
    for (dim_t k = 0; k < K_; ++k) e = of(k + 1, e);
    count(columns + first, columns + e, rows_, begins);
    e = first;
    for (dim_t k = 0; k < K_; ++k)
        for (const dim_t end = of(k + 1, e); e < end; ++e) put(e, static_cast<s32>(k));
    return {begins, indices, sorted};
}

// ---- The product ----

/// Returns the rows of a chunk; all chunks have about as many entries and rows.
item_range sparse_matmul::rows_of_chunk(const dim_t *begins, dim_t chunk) const {
    const auto begin_of = [&](dim_t c) {
        if (c == chunks_) return rows_;
        const dim_t first = begins[0], work = begins[rows_] - first + rows_;
        const dim_t wanted = work / chunks_ * c + work % chunks_ * c / chunks_;
        const auto is_before = [&](const dim_t &begin) {
            return begin - first + (&begin - begins) < wanted;
        };
        return std::partition_point(begins, begins + rows_, is_before) - begins;
    };
    return {begin_of(chunk), begin_of(chunk + 1)};
}

/// Copies a strip of columns of the dense operand as f32, row after row.
const f32 *sparse_matmul::fill_panel(
    const execution &e, int thread, dim_t column, dim_t columns) const {
    f32 *panel = e.ctx.scratch(panels_) + thread * K_ * panel_stride_;
    const data_type type = dense_.dtype;
    if (sparse_src_) {
        for (dim_t k = 0; k < K_; ++k)
            widen_(element_at(e.dense, type, k * columns_ + column), type, 1, columns,
                panel + k * panel_stride_);
        return panel;
    }
    transpose_args t {};
    t.src_stride = K_;
    t.dst_stride = panel_stride_;
    t.columns = columns;
    t.element_bytes = size_in_bytes(type);
    const bool widens = type != data_type::f32;
    const dim_t step = widens ? transposed_k : K_;
    char *piece =
        e.ctx.scratch(pieces_) + thread * transposed_k * panel_stride_ * size_in_bytes(type);
    for (dim_t k = 0; k < K_; k += step) {
        t.rows = std::min(step, K_ - k);
        t.src = element_at(e.dense, type, column * K_ + k);
        t.dst = widens ? static_cast<void *>(piece) : panel + k * panel_stride_;
        transpose_(t);
        for (dim_t i = 0; widens && i < t.rows; ++i)
            widen_(element_at(piece, type, i * panel_stride_), type, 1, columns,
                panel + (k + i) * panel_stride_);
    }
    return panel;
}

void sparse_matmul::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    sparse_rows_args g {};
    g.indices = e.entries.indices;
    g.values = e.entries.values;
    g.c_type = dst_.dtype;
    g.integers = is_int8(dense_.dtype);
    dim_t filled = -1;
    for (dim_t item = begin; item < end; ++item) {
        const dim_t strip = item / chunks_, column = strip * strip_;
        g.columns = std::min(strip_, columns_ - column);
        if (!packs_) {
            g.b = element_at(e.dense, dense_.dtype, column);
            g.ldb_bytes = columns_ * size_in_bytes(dense_.dtype);
        } else if (filled != strip) {
            g.b = fill_panel(e, thread, column, g.columns);
            g.ldb_bytes = panel_stride_ * size_in_bytes(data_type::f32);
            filled = strip;
        }
        const item_range rows = rows_of_chunk(e.entries.begins, item % chunks_);
        if (!sparse_src_) {
            multiply_tiles(e, thread, g, rows, column);
            continue;
        }
        g.begins = e.entries.begins + rows.begin;
        g.rows = rows.end - rows.begin;
        g.c = element_at(e.dst, dst_.dtype, rows.begin * columns_ + column);
        g.ldc_bytes = columns_ * size_in_bytes(dst_.dtype);
        run_(g);
    }
}

/// Computes columns of dst as rows and transposes them.
void sparse_matmul::multiply_tiles(
    const execution &e, int thread, sparse_rows_args &g, item_range rows, dim_t column) const {
    const dim_t bytes = size_in_bytes(dst_.dtype);
    char *tile = e.ctx.scratch(tiles_) + thread * tile_rows * panel_stride_ * bytes;
    g.c = tile;
    g.ldc_bytes = panel_stride_ * bytes;
    transpose_args t {};
    t.src = tile;
    t.src_stride = panel_stride_;
    t.dst_stride = rows_;
    t.rows = g.columns;
    t.element_bytes = bytes;
    for (dim_t row = rows.begin; row < rows.end; row += tile_rows) {
        g.begins = e.entries.begins + row;
        g.rows = std::min(tile_rows, rows.end - row);
        run_(g);
        t.columns = g.rows;
        t.dst = element_at(e.dst, dst_.dtype, column * rows_ + row);
        transpose_(t);
    }
}

/// Multiplies few rows of src: takes the entries of the weights as they come and adds their
/// products with a vector of rows, from `column` on, to the sums of these rows.
void sparse_matmul::scatter(const execution &e, int thread, dim_t column) const {
    const dim_t columns = std::min(strip_, columns_ - column);
    f32 *sums = e.ctx.scratch(sums_) + thread * rows_ * panel_stride_;
    std::fill_n(sums, rows_ * panel_stride_, 0.0f);
    f32 *panel = e.ctx.scratch(panels_) + thread * K_ * panel_stride_;
    // Lanes without a row must not hold numbers that are slow to multiply.
    if (columns < panel_stride_) std::fill_n(panel, K_ * panel_stride_, 0.0f);
    fill_panel(e, thread, column, columns);
    scatter_(
        {e.entries.begins, e.entries.indices, e.entries.values, panel, sums, K_, panel_stride_});
    const dim_t bytes = size_in_bytes(dst_.dtype);
    char *tile = e.ctx.scratch(tiles_) + thread * tile_rows * panel_stride_ * bytes;
    transpose_args t {};
    t.src_stride = panel_stride_;
    t.dst_stride = rows_;
    t.rows = columns;
    t.element_bytes = bytes;
    const bool narrows = dst_.dtype != data_type::f32;
    for (dim_t row = 0; row < rows_; row += tile_rows) {
        t.columns = std::min(tile_rows, rows_ - row);
        const f32 *from = sums + row * panel_stride_;
        if (narrows) narrow_(from, t.columns * panel_stride_, dst_.dtype, tile);
        t.src = narrows ? static_cast<const void *>(tile) : from;
        t.dst = element_at(e.dst, dst_.dtype, column * rows_ + row);
        transpose_(t);
    }
}

void sparse_matmul::execute(const exec_context &ctx) const {
    const int dense_arg = sparse_src_ ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC;
    const bool by_rows = sparse_src_ || scatters_;
    const execution e {ctx, by_rows ? entries_by_rows(ctx) : entries_by_columns(ctx),
        element_at(ctx.data(dense_arg), dense_.dtype, dense_.offset0),
        element_at(ctx.data(DNNL_ARG_DST), dst_.dtype, dst_.offset0)};
    const auto products = double(sparse_.sparse.nnz + rows_) * double(std::min(strip_, columns_));
    // Some 16 products in a nanosecond, from L2.
    const double item_ns = products / double(chunks_) / 16;
    parallel_for(strips_ * chunks_, item_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
        if (!scatters_) return multiply(e, thread, begin, end);
        for (dim_t strip = begin; strip < end; ++strip) scatter(e, thread, strip * strip_);
    });
}

} // namespace

planned make_sparse_matmul(problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    if (!is_sparse(op)) return without_sparse_operand;
    if (const char *why = sparse_matmul_refusal(op, p.attr)) return why;
    if (shape_of(op).K > INT32_MAX) return "K is beyond indices of s32";
    const data_type a = op.src.dtype, b = op.weights.dtype;
    const dim_t longest =
        std::min(shape_of(op).K, (op.src.is_sparse() ? op.src : op.weights).sparse.nnz);
    if (is_int8(a) && longest > exact_sum_length(a, b)) return "sums of bytes may exceed s32";
    return try_plan<sparse_matmul>(p);
}

} // namespace dnnl::impl::cpu
