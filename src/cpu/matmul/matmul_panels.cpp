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
    const bool same = r.copies(weights) && padded_group_ == group_;
    if (weights_ == wanted_ || (same && !(weights.is_plain() && r.stream))) {
        adapted_ = adapted_tensor(p, weights, wanted_, adapted_tensor::use::read);
        why_not_ = adapted_.why_not();
        return;
    }
    if (!weights.is_plain()) {
        why_not_ = "the weights have a blocked layout";
        return;
    }
    how_ = r.stream ? source::streamed : source::filled;
    pack_ = select_pack_b(p.target, r.type);
    converts_ = !r.copies(weights);
    if (converts_ || is_in_slabs()) prepare_conversion(p, r);
}

const char *weights_panels::begin(const exec_context &ctx) const {
    if (how_ == source::adapted)
        return static_cast<const char *>(adapted_.begin(ctx, ctx.data(DNNL_ARG_WEIGHTS)));
    scale_.load(ctx);
    zero_point_.load(ctx);
    if (how_ == source::streamed) return nullptr;
    return reinterpret_cast<const char *>(ctx.scratch(buffer_));
}

void weights_panels::fill(const exec_context &ctx, const slice &s) const {
    const dim_t columns = panel_columns(wanted_.dtype), end = s.k0 + s.k;
    for (dim_t column = 0; column < s.n; column += columns) {
        slice part = s; // of one panel
        part.n0 += column;
        part.n = std::min(columns, s.n - column);
        part.column_sums = moved(s.column_sums, column);
        for (; part.k0 < end; part.k0 += part.k) {
            part.k = rows_at(part.k0, end);
            part.to = element_at(s.to + column / columns * s.panel_bytes, wanted_.dtype,
                offset_of(part.k0) - offset_of(s.k0));
            if (converts_)
                convert_part(ctx, part);
            else
                pack(part, source_of(ctx, part, nullptr));
        }
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

void weights_panels::pack(const slice &part, const matrix &from) const {
    pack_({.src = from.elements,
        .k_stride = from.k_stride,
        .n_stride = from.n_stride,
        .k = part.k,
        .n = part.n,
        .k_padded = round_up(part.k, panel_k_group(wanted_.dtype)),
        .dst = part.to,
        .panel_bytes = 0, // a single panel
        .column_sums = part.column_sums});
}

} // namespace dnnl::impl::cpu
