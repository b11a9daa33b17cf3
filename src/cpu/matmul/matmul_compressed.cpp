// SPDX-License-Identifier: Apache-2.0
// Weights that become panels of another type or order: with scales and zero points of their own, of
// 4 bits, or with groups of K that a panel pads. Tiles are converted in L1; slabs of panels are
// made between the products.
#include "cpu/kernels/select.hpp"
#include "cpu/matmul/matmul.hpp"

namespace dnnl::impl::cpu {

static constexpr dim_t tile_rows = 64;  // of K: converted or unpacked at once
static constexpr dim_t fill_rows = 128; // of K: of a slab, one after another
// The size of a slab, and of each thread's share of one: it should stay in the last level of cache
// and be enough for all threads.
static constexpr dim_t slab_bytes = dim_t {8} << 20, thread_slab_bytes = dim_t {512} << 10;

memory_desc packed_bytes(memory_desc md) {
    const data_type type = md.dtype;
    md.dtype = data_type::f32;
    md = packed_weights(md, false);
    md.dtype = type;
    return md;
}

void weights_panels::prepare_conversion(problem &p, const panel_request &r) {
    copy_ = kernel_for<every_level>(p.target, []<class Isa> { return copy_tile<Isa>; });
    expand_ = kernel_for<vector_levels>(
        p.target, [&]<class Isa> { return expand_from<Isa>(weights_.dtype, r.type); });
    unpack_nibbles_ =
        kernel_for<every_level>(p.target, []<class Isa> { return unpack_nibbles<Isa>; });
    const auto table_of = [&](const quantization_values &v) -> value_table<f32> {
        if (!converts_ || !v) return {};
        const dim_t pieces = v.varies_along_k() ? weights_.dims[k_dim_] / v.k_group() : 1;
        return {p.scratchpad, v,
            {v.varies_along_batch() ? batches_of(weights_) : 1, pieces, v.k_group(),
                v.varies_along_rows_or_columns() ? weights_.dims[n_dim_] : 1}};
    };
    scale_ = table_of(r.scale);
    zero_point_ = table_of(r.zero_point);
    if (!is_in_slabs()) return;
    slab_ = choose_slab(r.products);
    const dim_t elements = slab_.matrices * slab_matrix_stride();
    buffer_ = p.scratchpad.reserve<std::byte>(
        elements * size_in_bytes(r.type) + slab_.matrices * slab_.columns * dim_t {sizeof(s32)});
}

/// Chooses how much of the weights a slab has: all where that is little, else whole panels of as
/// many columns as fit, at least one for each thread, or some of many small matrices.
weights_panels::slab_size weights_panels::choose_slab(dim_t products) const {
    const dim_t columns = panel_columns(wanted_.dtype), threads = max_threads();
    const dim_t panels = std::max<dim_t>(div_up(weights_.dims[n_dim_], columns), 1);
    const dim_t matrices = std::max<dim_t>(batches_of(weights_), 1);
    const dim_t bytes = std::max<dim_t>(wanted_.strides[n_dim_] * size_in_bytes(wanted_.dtype), 1);
    const dim_t fitting = std::max(slab_bytes, threads * thread_slab_bytes) / bytes;
    if (matrices * panels <= fitting) return {matrices, panels * columns, false};
    const bool by_product = matrices > 1;
    if (panels <= fitting && by_product)
        return {std::min(fitting / panels, std::max<dim_t>(products, 1)), panels * columns, true};
    return {1, std::min(panels, std::max(fitting, threads)) * columns, by_product};
}

void weights_panels::fill_slab(const exec_context &ctx, dim_t matrices, dim_t n0, dim_t n,
    const std::function<dim_t(dim_t)> &matrix_of) const {
    if (!is_in_slabs()) return;
    const dim_t K = weights_.dims[k_dim_], stride = slab_matrix_stride();
    const dim_t columns = panel_columns(wanted_.dtype), panel = wanted_.strides[n_dim_];
    const dim_t bytes = size_in_bytes(wanted_.dtype);
    char *to = reinterpret_cast<char *>(ctx.scratch(buffer_));
    auto *sums = sums_ ? const_cast<s32 *>(column_sums(to)) : nullptr;
    // Pieces of K read long stretches of rows; those of one panel share their column sums.
    const dim_t piece_k =
        sums ? std::max<dim_t>(K, 1) : round_up(fill_rows, group_ < K ? group_ : 1);
    const dim_t piece_n = sums ? columns : round_up(n, columns);
    const dim_t k_pieces = div_up(K, piece_k), pieces = k_pieces * div_up(n, piece_n);
    // Measured on a Zen 5 core: 3 to 4 elements in a nanosecond, 1 to 2 where k is adjacent.
    const double piece_ns = 0.4 * double(std::min(piece_k, K) * piece_n);
    parallel_for_each(pieces * matrices, piece_ns, [&](dim_t i) {
        const dim_t matrix = i / pieces, first = i % pieces / k_pieces * piece_n;
        slice s {};
        s.batch = matrix_of(matrix);
        s.n0 = n0 + first;
        s.n = std::min(piece_n, n - first);
        s.k0 = i % k_pieces * piece_k;
        s.k = std::min(piece_k, K - s.k0);
        s.to = to + (matrix * stride + first / columns * panel + offset_of(s.k0)) * bytes;
        s.panel_bytes = panel * bytes;
        if (sums) {
            s.column_sums = sums + matrix * slab_.columns + first;
            std::fill_n(s.column_sums, columns, 0);
        }
        fill(ctx, s);
    });
}

/// Returns the number of elements from the first one of the weights to that of a part.
dim_t weights_panels::first_element(const slice &part) const {
    const dim_t columns = packed_ ? panel_columns(data_type::f32) : 1;
    return weights_.offset0 + part.k0 * k_stride() + part.n0 / columns * weights_.strides[n_dim_] +
           part.n0 % columns + offset_of_index(weights_, k_dim_, part.batch);
}

/// Returns how many rows of K, from k on, are converted at once: not beyond the end of their group.
dim_t weights_panels::rows_at(dim_t k, dim_t end) const {
    dim_t rows = std::min(end, k / group_ * group_ + group_) - k;
    if (!converts_) return rows;
    for (const value_table<f32> *v : {&scale_, &zero_point_}) {
        const table_extents &e = v->extents();
        if (e.pieces > 1 && e.piece > 1) rows = std::min(rows, e.piece - k % e.piece);
    }
    return std::min(rows, tile_rows);
}

/// Returns all rows and columns of a part where they are in memory. Elements of 4 bits are unpacked
/// into `codes`, one per byte: [k][64] or, where k is adjacent in memory, [column][64].
weights_panels::matrix weights_panels::source_of(
    const exec_context &ctx, const slice &part, std::uint8_t *codes) const {
    const dim_t k_stride = this->k_stride(), n_stride = this->n_stride();
    const dim_t first = first_element(part);
    auto *elements = static_cast<u8 *>(ctx.data(DNNL_ARG_WEIGHTS));
    if (!is_4bit(weights_.dtype))
        return {
            elements + first * size_in_bytes(weights_.dtype), weights_.dtype, k_stride, n_stride};
    // Rows here are runs along the dimension whose elements are adjacent, where there is one.
    const bool by_columns = k_stride == 1 && n_stride != 1;
    const dim_t rows = by_columns ? part.n : part.k, length = by_columns ? part.k : part.n;
    const dim_t row_stride = by_columns ? n_stride : k_stride;
    const dim_t stride = by_columns ? k_stride : n_stride;
    for (dim_t row = 0; row < rows; ++row) {
        const dim_t at = first + row * row_stride;
        u8 *to = codes + row * tile_rows;
        if (stride == 1) {
            u8 whole[tile_rows + 1];
            unpack_nibbles_(elements + at / 2, length + at % 2, whole);
            std::copy_n(whole + at % 2, length, to);
        } else {
            for (dim_t i = 0, e = at; i < length; ++i, e += stride)
                to[i] = nibble_of(elements[e / 2], e);
        }
    }
    if (weights_.dtype == data_type::s4) // two's complement of 4 bits
        for (dim_t i = 0; i < rows * tile_rows; ++i) codes[i] = static_cast<u8>((codes[i] ^ 8) - 8);
    const data_type type = weights_.dtype == data_type::s4   ? data_type::s8
                           : weights_.dtype == data_type::u4 ? data_type::u8
                                                             : weights_.dtype;
    return {codes, type, by_columns ? 1 : tile_rows, by_columns ? tile_rows : 1};
}

/// Returns the scales or zero points of a part.
tile_values weights_panels::values_of(
    const exec_context &ctx, const slice &part, const value_table<f32> &v) const {
    if (!v) return {};
    const table_extents &e = v.extents();
    const dim_t each_n = e.n > 1 ? 1 : 0;
    return {v.at(ctx, part.batch, part.k0 / e.piece) + each_n * part.n0,
        e.pieces > 1 && e.piece == 1 ? e.n : 0, each_n};
}

/// Does what convert_part() does in one pass, for rows of adjacent columns that share their values.
/// Returns false, with nothing done, for others.
bool weights_panels::expand_part(const exec_context &ctx, const slice &part) const {
    const tile_values scale = values_of(ctx, part, scale_);
    const tile_values zero_point = values_of(ctx, part, zero_point_);
    const dim_t first = first_element(part), k_stride = this->k_stride();
    if (!expand_ || !begins_bytes(part) || scale.row != 0 || zero_point.row != 0) return false;
    const dim_t past = is_4bit(weights_.dtype) ? first / 2 : first * size_in_bytes(weights_.dtype);
    expand_({.src = static_cast<const char *>(ctx.data(DNNL_ARG_WEIGHTS)) + past,
        .k_stride = k_stride,
        .k = part.k,
        .n = part.n,
        .scale = scale.data,
        .zero_point = zero_point.data,
        .scale_stride = scale.column,
        .zero_point_stride = zero_point.column,
        .dst = part.to,
        .panel_bytes = part.panel_bytes,
        .column_sums = part.column_sums});
    return true;
}

/// Converts the elements of a part of one panel to the panels' type, with scales and zero points.
void weights_panels::convert_part(const exec_context &ctx, const slice &part) const {
    if (expand_part(ctx, part)) return;
    const dim_t columns = panel_columns(wanted_.dtype);
    alignas(64) u8 codes[tile_rows * tile_rows];
    alignas(64) bf16 widened[tile_rows * tile_rows];
    const matrix from = source_of(ctx, part, codes);
    const matrix stage {widened, wanted_.dtype, tile_rows, 1};
    if (wanted_.dtype == data_type::f32) {
        if (part.n < columns) std::fill_n(reinterpret_cast<f32 *>(part.to), part.k * columns, 0.0f);
        convert(ctx, part, from, {part.to, data_type::f32, columns, 1});
    } else if (wanted_.dtype == data_type::bf16) {
        convert(ctx, part, from, stage);
        pack(part, stage);
    } else {
        pack(part, from);
    }
}

/// Converts elements of a part to another type and applies their scales and zero points.
void weights_panels::convert(
    const exec_context &ctx, const slice &part, const matrix &from, const matrix &to) const {
    copy_tile_args tile {};
    tile.src = from.elements;
    tile.dst = to.elements;
    tile.rows = part.k;
    tile.columns = part.n;
    tile.src_row = from.k_stride;
    tile.src_column = from.n_stride;
    tile.dst_row = to.k_stride;
    tile.dst_column = to.n_stride;
    tile.src_type = from.type;
    tile.dst_type = to.type;
    tile.through_f32 = true;
    tile.src_zero_point = values_of(ctx, part, zero_point_);
    tile.src_scale = values_of(ctx, part, scale_);
    copy_(tile);
}

// ---- Parts of a product: what is multiplied while a slab is there ----

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
    const dim_t cuts = std::max<dim_t>(div_up(shape.N, slab.columns), 1);
    p.n0 = index % cuts * slab.columns;
    p.columns = std::min(slab.columns, shape.N - p.n0);
    if (!slab.by_product) return p;
    p.first_batch = index / cuts * slab.matrices;
    p.batches = std::min(slab.matrices, shape.batch_count - p.first_batch);
    return p;
}

dim_t matmul_operands::matrix_offset(const part &p, dim_t i) const {
    if (weights.is_in_slabs()) return i * weights.slab_matrix_stride();
    return offset_of_index(weights.wanted(), shape.ndims - 2, matrix_of(p, i));
}

} // namespace dnnl::impl::cpu
