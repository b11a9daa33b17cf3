// SPDX-License-Identifier: Apache-2.0
#include "cpu/matmul/matmul.hpp"

#include <algorithm>
#include <span>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

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

weights_panels::weights_panels(problem &p, const memory_desc &weights, const panel_request &r)
    : weights_(weights), group_(std::max<dim_t>(r.group, 1)), k_dim_(weights.ndims - 2),
      n_dim_(weights.ndims - 1), sums_(r.sums) {
    const bool one_group = r.group == weights.dims[k_dim_];
    padded_group_ = one_group ? group_ : round_up(group_, panel_k_group(r.type));
    memory_desc of_groups = weights; // K counts padded groups
    of_groups.dtype = r.type;
    if (r.group > 0) of_groups.dims[k_dim_] = of_groups.dims[k_dim_] / r.group * padded_group_;
    wanted_ = packed_weights(of_groups, r.sums);
    if (weights_ == wanted_) return;
    const bool same = r.copies(weights) && padded_group_ == group_;
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
    converts_ = !r.copies(weights);
    if (converts_ || is_in_slabs()) prepare_conversion(p, r);
}

const char *weights_panels::begin(const exec_context &ctx) const {
    void *user = ctx.data(DNNL_ARG_WEIGHTS);
    if (how_ == source::packed)
        return static_cast<const char *>(user) + weights_.offset0 * size_in_bytes(weights_.dtype);
    if (how_ == source::adapted) return static_cast<const char *>(adapted_.begin(ctx, user));
    scale_.load(ctx);
    zero_point_.load(ctx);
    if (how_ == source::streamed) return nullptr;
    return reinterpret_cast<const char *>(ctx.scratch(buffer_));
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

/// Elements from the first one of the weights to that of a part.
dim_t weights_panels::first_element(const slice &part) const {
    dim_t at =
        weights_.offset0 + part.k0 * weights_.strides[k_dim_] + part.n0 * weights_.strides[n_dim_];
    for (dim_t d = k_dim_ - 1, batch = part.batch; d >= 0; batch /= weights_.dims[d--])
        at += batch % weights_.dims[d] * weights_.strides[d];
    return at;
}

/// At most the columns of one panel.
void weights_panels::fill_panel(const exec_context &ctx, const slice &panel) const {
    if (converts_) return convert_panel(ctx, panel);
    const dim_t bytes = size_in_bytes(wanted_.dtype), end = panel.k0 + panel.k;
    slice part = panel;
    for (; part.k0 < end; part.k0 += part.k) {
        part.k = rows_at(part.k0, end);
        part.to = panel.to + (offset_of(part.k0) - offset_of(panel.k0)) * bytes;
        char *elements =
            static_cast<char *>(ctx.data(DNNL_ARG_WEIGHTS)) + first_element(part) * bytes;
        pack(part, {elements, weights_.dtype, weights_.strides[k_dim_], weights_.strides[n_dim_]});
    }
}

void weights_panels::pack(const slice &part, const matrix &from) const {
    pack_b_args b {};
    b.src = from.elements;
    b.k_stride = from.k_stride;
    b.n_stride = from.n_stride;
    b.k = part.k;
    b.n = part.n;
    b.k_padded = round_up(part.k, panel_k_group(wanted_.dtype));
    b.dst = part.to;
    b.column_sums = part.column_sums;
    pack_(b);
}

} // namespace dnnl::impl::cpu
