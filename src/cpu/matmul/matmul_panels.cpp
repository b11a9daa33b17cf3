// SPDX-License-Identifier: Apache-2.0
#include "cpu/matmul/matmul_panels.hpp"

#include <algorithm>
#include <numeric>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/kernels/select/select.hpp"
#include "cpu/kernels/select/select_movement.hpp"
#include "cpu/matmul/matmul.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t tile_rows = 64;  // of K: converted or unpacked at once
constexpr dim_t fill_rows = 128; // of K: of a slab, one after another
// Panels that are there at once, between products: they should stay in the last level of cache, and
// be enough for all threads.
constexpr dim_t slab_bytes = dim_t {8} << 20, thread_slab_bytes = dim_t {512} << 10;

/// The panels' layout: K is that of whole padded groups.
memory_desc layout_of(const memory_desc &weights, const panel_request &r, dim_t padded_group) {
    memory_desc md = weights;
    const int k_dim = md.ndims - 2;
    md.dtype = r.type;
    if (r.group > 0) md.dims[k_dim] = md.dims[k_dim] / r.group * padded_group;
    return packed_weights(md, r.sums);
}

} // namespace

bool are_panels_of(const memory_desc &weights, const panel_request &r) {
    return weights.dtype == r.type && !r.scale && !r.zero_point;
}

weights_panels::weights_panels(problem &p, const memory_desc &weights, const panel_request &r)
    : weights_(weights), group_(std::max<dim_t>(r.group, 1)), k_dim_(weights.ndims - 2),
      n_dim_(weights.ndims - 1), sums_(r.sums) {
    const bool one_group = r.group == weights.dims[k_dim_];
    padded_group_ = one_group ? group_ : round_up(group_, panel_k_group(r.type));
    wanted_ = layout_of(weights, r, padded_group_);
    if (weights_ == wanted_) return;
    const bool same = are_panels_of(weights, r) && padded_group_ == group_;
    if (weights.is_plain() && (r.stream || !same))
        how_ = r.stream ? source::streamed : source::filled;
    else if (same)
        how_ = source::adapted;
    else
        why_not_ = "the weights have a blocked layout";
    if (why_not_) return;
    if (how_ == source::adapted) {
        adapted_ = adapted_tensor(p, weights, wanted_, adapted_tensor::use::read);
        why_not_ = adapted_.why_not();
        return;
    }
    pack_ = select_pack_b(p.target, r.type);
    copy_ = select_copy_tile(p.target);
    unpack_nibbles_ = select_unpack_nibbles(p.target);
    converts_ = !are_panels_of(weights, r);
    if (converts_) {
        scale_ = take(p, r.scale);
        zero_point_ = take(p, r.zero_point);
    }
    if (!is_in_slabs()) return;
    slab_ = choose_slab(r.products);
    const dim_t elements = slab_.matrices * slab_matrix_stride();
    buffer_ = p.scratchpad.reserve<std::byte>(elements * static_cast<dim_t>(size_of(r.type)) +
                                              slab_.matrices * slab_.columns * dim_t {sizeof(s32)});
}

weights_panels::values weights_panels::take(problem &p, const quantization_values &from) const {
    values v;
    v.of = from;
    if (!from) return v;
    if (from.varies_along_batch()) v.batches = batches_of(weights_);
    if (from.varies_along_k()) v.groups = weights_.dims[k_dim_] / from.k_group();
    if (from.varies_along_lines()) v.columns = weights_.dims[n_dim_];
    v.at = p.scratchpad.reserve<f32>(v.batches * v.groups * v.columns);
    return v;
}

void weights_panels::load(const exec_context &ctx, const values &v) const {
    if (!v.of) return;
    f32 *to = ctx.scratch(v.at);
    const double line_ns = 10 + 2 * static_cast<double>(v.columns);
    parallel_for(v.batches * v.groups, line_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i)
            v.of.load(
                ctx, i / v.groups, i % v.groups * v.of.k_group(), v.columns, to + i * v.columns);
    });
}

const char *weights_panels::begin(const exec_context &ctx) const {
    void *user = ctx.data(DNNL_ARG_WEIGHTS);
    if (how_ == source::packed)
        return static_cast<const char *>(user) +
               weights_.offset0 * static_cast<dim_t>(size_of(weights_.dtype));
    if (how_ == source::adapted) return static_cast<const char *>(adapted_.begin(ctx, user));
    load(ctx, scale_);
    load(ctx, zero_point_);
    if (how_ == source::streamed) return nullptr;
    return reinterpret_cast<const char *>(ctx.scratch(buffer_));
}

dim_t weights_panels::slab_matrix_stride() const {
    return slab_.columns / panel_columns(wanted_.dtype) * wanted_.strides[n_dim_];
}

dim_t weights_panels::column_sums_stride() const {
    return is_in_slabs() ? slab_.columns : wanted_.padded_dims[n_dim_];
}
dim_t weights_panels::column_sums_count() const {
    return is_in_slabs() ? slab_.matrices * slab_.columns : wanted_.column_sums_count();
}
const s32 *weights_panels::column_sums(const char *panels) const {
    const std::size_t bytes =
        is_in_slabs() ? static_cast<std::size_t>(slab_.matrices * slab_matrix_stride()) *
                            size_of(wanted_.dtype)
                      : wanted_.elements_bytes();
    return reinterpret_cast<const s32 *>(panels + bytes);
}

/// How much of the weights is there at once: all where that is little, else whole panels of as many
/// columns as fit, at least one for each thread, or some of many small matrices.
weights_panels::slab_size weights_panels::choose_slab(dim_t products) const {
    const dim_t columns = panel_columns(wanted_.dtype), threads = max_threads();
    const dim_t panels = std::max<dim_t>(div_up(weights_.dims[n_dim_], columns), 1);
    const dim_t matrices = std::max<dim_t>(batches_of(weights_), 1);
    const dim_t panel_bytes =
        std::max<dim_t>(wanted_.strides[n_dim_] * static_cast<dim_t>(size_of(wanted_.dtype)), 1);
    const dim_t fitting = std::max(slab_bytes, threads * thread_slab_bytes) / panel_bytes;
    if (matrices * panels <= fitting) return {matrices, panels * columns, false};
    const bool by_product = matrices > 1;
    if (panels <= fitting && by_product)
        return {std::min(fitting / panels, std::max<dim_t>(products, 1)), panels * columns, true};
    return {1, std::min(panels, std::max(fitting, threads)) * columns, by_product};
}

void weights_panels::fill_slab(const exec_context &ctx, dim_t matrices, dim_t n0, dim_t n,
    const std::function<dim_t(dim_t)> &matrix_of) const {
    const dim_t K = weights_.dims[k_dim_], stride = slab_matrix_stride();
    const dim_t columns = panel_columns(wanted_.dtype), panel = wanted_.strides[n_dim_];
    const auto bytes = static_cast<dim_t>(size_of(wanted_.dtype));
    char *to = reinterpret_cast<char *>(ctx.scratch(buffer_));
    auto *sums = sums_ ? const_cast<s32 *>(column_sums(to)) : nullptr;
    // Pieces of K read long stretches of rows; those of one panel share their column sums.
    const dim_t piece_k =
        sums ? std::max<dim_t>(K, 1) : round_up(fill_rows, group_ < K ? group_ : 1);
    const dim_t piece_n = sums ? columns : round_up(n, columns);
    const dim_t k_pieces = div_up(K, piece_k), pieces = k_pieces * div_up(n, piece_n);
    const double piece_ns = 0.2 * static_cast<double>(std::min(piece_k, K) * piece_n);
    parallel_for(pieces * matrices, piece_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) {
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
        }
    });
}

void weights_panels::fill(const exec_context &ctx, const slice &s) const {
    const dim_t columns = panel_columns(wanted_.dtype);
    for (dim_t column = 0; column < s.n; column += columns) {
        slice panel = s;
        panel.n0 += column;
        panel.n = std::min(columns, s.n - column);
        panel.to += column / columns * s.panel_bytes;
        if (panel.column_sums) panel.column_sums += column;
        fill_panel(ctx, panel);
    }
}

dim_t weights_panels::element_at(dim_t batch, dim_t k, dim_t n) const {
    dim_t at = weights_.offset0 + k * weights_.strides[k_dim_] + n * weights_.strides[n_dim_];
    for (int d = k_dim_ - 1; d >= 0; --d) {
        at += batch % weights_.dims[d] * weights_.strides[d];
        batch /= weights_.dims[d];
    }
    return at;
}

/// How many rows of K from k on are made at once: none beyond a group.
dim_t weights_panels::rows_at(dim_t k, dim_t end) const {
    dim_t rows = std::min(end, k / group_ * group_ + group_) - k;
    if (!converts_) return rows;
    for (const values *v : {&scale_, &zero_point_})
        if (v->groups > 1 && v->of.k_group() > 1)
            rows = std::min(rows, v->of.k_group() - k % v->of.k_group());
    return std::min(rows, tile_rows);
}

/// The first `rows` rows and all columns of a part as they are in memory; elements of 4 bits one
/// per byte, in `codes`: [k][64] or, where k is adjacent in memory, [column][64]. Integers are
/// bytes then.
weights_panels::matrix weights_panels::source_of(
    const exec_context &ctx, const slice &part, dim_t rows, std::uint8_t *codes) const {
    const dim_t k_stride = weights_.strides[k_dim_], n_stride = weights_.strides[n_dim_];
    const dim_t first = element_at(part.batch, part.k0, part.n0);
    auto *elements = static_cast<u8 *>(ctx.data(DNNL_ARG_WEIGHTS));
    if (!is_4bit(weights_.dtype))
        return {elements + first * static_cast<dim_t>(size_of(weights_.dtype)), weights_.dtype,
            k_stride, n_stride};
    const bool by_columns = k_stride == 1 && n_stride != 1;
    const dim_t lines = by_columns ? part.n : rows, length = by_columns ? rows : part.n;
    const dim_t line_stride = by_columns ? n_stride : k_stride;
    const dim_t stride = by_columns ? k_stride : n_stride;
    for (dim_t line = 0; line < lines; ++line) {
        const dim_t at = first + line * line_stride;
        u8 *to = codes + line * tile_rows;
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
        for (dim_t i = 0; i < lines * tile_rows; ++i)
            codes[i] = static_cast<u8>((codes[i] ^ 8) - 8);
    const data_type type = weights_.dtype == data_type::s4   ? data_type::s8
                           : weights_.dtype == data_type::u4 ? data_type::u8
                                                             : weights_.dtype;
    return {codes, type, by_columns ? 1 : tile_rows, by_columns ? tile_rows : 1};
}

/// Columns [n0, n0 + n) of a part, at most those of one panel.
void weights_panels::fill_panel(const exec_context &ctx, const slice &panel) const {
    const dim_t columns = panel_columns(wanted_.dtype), end = panel.k0 + panel.k;
    const auto bytes = static_cast<dim_t>(size_of(wanted_.dtype));
    if (wanted_.dtype == data_type::f32 && panel.n < columns)
        std::fill_n(panel.to, panel.k * columns * bytes, char {0});
    alignas(64) u8 codes[tile_rows * tile_rows];
    alignas(64) bf16 widened[tile_rows * tile_rows];
    slice part = panel;
    for (; part.k0 < end; part.k0 += part.k) {
        part.k = rows_at(part.k0, end);
        part.to = panel.to + (offset_of(part.k0) - offset_of(panel.k0)) * bytes;
        matrix from = source_of(ctx, part, part.k, codes);
        if (converts_ && wanted_.dtype == data_type::f32) {
            convert(ctx, part, from, {part.to, data_type::f32, columns, 1});
            continue;
        }
        if (is_f8(weights_.dtype)) {
            const matrix stage {widened, wanted_.dtype, tile_rows, 1};
            convert(ctx, part, from, stage);
            from = stage;
        }
        pack_b_args b {};
        b.src = from.elements;
        b.k_stride = from.k_stride;
        b.n_stride = from.n_stride;
        b.k = part.k;
        b.n = part.n;
        b.k_padded = round_up(part.k, panel_k_group(wanted_.dtype));
        b.dst = part.to;
        b.column_sums = part.column_sums;
        b.add_sums = true;
        pack_(b);
    }
}

/// Elements of a part with their scales and zero points applied, in another type.
void weights_panels::convert(
    const exec_context &ctx, const slice &part, const matrix &from, const matrix &to) const {
    const auto at = [&](const values &v) -> tile_values {
        if (!v.of) return {};
        const dim_t batch = v.batches > 1 ? part.batch : 0;
        const dim_t group = v.groups > 1 ? part.k0 / v.of.k_group() : 0;
        const f32 *first = ctx.scratch(v.at) + (batch * v.groups + group) * v.columns;
        return {v.columns > 1 ? first + part.n0 : first,
            v.groups > 1 && v.of.k_group() == 1 ? v.columns : 0, v.columns > 1 ? 1 : 0};
    };
    copy_tile_args tile {};
    tile.src = from.elements;
    tile.src_row = from.k_stride;
    tile.src_column = from.n_stride;
    tile.src_type = from.type;
    tile.dst = to.elements;
    tile.dst_row = to.k_stride;
    tile.dst_column = to.n_stride;
    tile.dst_type = to.type;
    tile.rows = part.k;
    tile.columns = part.n;
    tile.through_f32 = true;
    tile.src_zero_point = at(zero_point_);
    tile.src_scale = at(scale_);
    copy_(tile);
}

} // namespace dnnl::impl::cpu
