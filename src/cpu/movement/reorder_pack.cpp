// SPDX-License-Identifier: Apache-2.0
// Reorder into the panels that the GEMM kernels read (doc/kernels.md). The source is a plain
// matrix, alone or one for each batch, group or kernel position, of the same element type. Column
// sums are added up on the way.
#include "cpu/cpu.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The dimensions that panels run over; k_dim is -1 when the layout is not one of panels.
struct panel_axes {
    int k_dim = -1, n_dim = -1;
};

/// Inner blocks of panels: [k:16] n:columns [k:group], as set_panel_layout() makes them.
panel_axes find_panel_axes(const memory_desc &md) {
    const dim_t group = panel_k_group(md.dtype);
    const int n_block = md.inner_nblks - (group > 1 ? 2 : 1);
    if (n_block < 0 || n_block > 1 || md.inner_blks[n_block] != panel_columns(md.dtype)) return {};
    panel_axes axes;
    axes.n_dim = static_cast<int>(md.inner_idxs[n_block]);
    if (group > 1) {
        if (md.inner_blks[n_block + 1] != group) return {};
        axes.k_dim = static_cast<int>(md.inner_idxs[n_block + 1]);
    }
    if (n_block == 1) {
        if (md.inner_blks[0] != 16) return {};
        if (axes.k_dim >= 0 && axes.k_dim != md.inner_idxs[0]) return {};
        axes.k_dim = static_cast<int>(md.inner_idxs[0]);
    }
    if (axes.k_dim >= 0) return axes;
    // In panels of f32 without a block of k, rows of a panel follow each other along k.
    for (int d = 0; d < md.ndims; ++d) {
        const bool follows = d != axes.n_dim && md.strides[d] == panel_columns(md.dtype);
        if (follows && (axes.k_dim < 0 || md.dims[d] > 1)) axes.k_dim = d;
    }
    return axes;
}

class pack_reorder : public plan {
  public:
    pack_reorder(problem &p, panel_axes axes)
        : src_(std::get<reorder_desc>(p.op).src), dst_(std::get<reorder_desc>(p.op).dst),
          axes_(axes), pack_(select_pack_b(p.target, src_.dtype)) {
        outer_.first = {src_.offset0, dst_.offset0};
        for (int d = 0; d < dst_.ndims; ++d) {
            if (d == axes.k_dim || d == axes.n_dim) continue;
            const bool has_own_sums = !dst_.column_sums_mask || dst_.column_sums_mask >> d & 1;
            (has_own_sums ? outer_ : summed_)
                .levels.push_back({dst_.dims[d], {src_.strides[d], dst_.strides[d]}});
        }
    }

    void execute(const exec_context &ctx) const override {
        const dim_t panels = dst_.padded_dims[axes_.n_dim] / panel_columns(dst_.dtype);
        const dim_t items = outer_.volume() * panels;
        const dim_t elements = dst_.nelems(true) / std::max<dim_t>(items, 1);
        // Measured on a Zen 5 core: 0.08 ns for an element of f32.
        parallel_for_each(items, 0.1 * double(elements),
            [&](dim_t item) { pack_panel(ctx, item / panels, item % panels); });
    }

  private:
    void pack_panel(const exec_context &ctx, dim_t outer, dim_t panel) const;

    memory_desc src_, dst_;
    panel_axes axes_;
    pack_b_function pack_;
    walked_box outer_, summed_; ///< loops along which the sums differ; whose elements share a sum
};

/// Packs one panel of columns at one outer index, for every index of dimensions that share sums.
void pack_reorder::pack_panel(const exec_context &ctx, dim_t outer, dim_t panel) const {
    const auto bytes = dim_t(size_of(src_.dtype));
    const dim_t columns = panel_columns(dst_.dtype), n0 = panel * columns;
    char *dst = ctx.out<char>(DNNL_ARG_TO);
    pack_b_args b {};
    b.k_stride = src_.strides[axes_.k_dim];
    b.n_stride = src_.strides[axes_.n_dim];
    b.k = src_.dims[axes_.k_dim];
    b.n = std::min(columns, src_.dims[axes_.n_dim] - n0);
    b.k_padded = dst_.padded_dims[axes_.k_dim];
    if (dst_.column_sums_mask) {
        const dim_t padded = dst_.padded_dims[axes_.n_dim];
        b.column_sums = reinterpret_cast<s32 *>(dst + dst_.elements_bytes()) + outer * padded + n0;
        std::fill_n(b.column_sums, columns, 0);
    }
    const nest_cursor first(outer_.levels, outer_.first, outer, 2);
    nest_cursor cursor(summed_.levels, first.offsets(), 0, 2);
    for (dim_t index = 0; index < summed_.volume(); ++index, cursor.next()) {
        const dim_t from = cursor.offsets()[0] + n0 * b.n_stride;
        const dim_t to = cursor.offsets()[1] + panel * dst_.strides[axes_.n_dim];
        b.src = ctx.in<char>(DNNL_ARG_FROM) + from * bytes;
        b.dst = dst + to * bytes;
        pack_(b);
    }
}

const char *layout_refusal(const memory_desc &src, const memory_desc &dst, panel_axes axes) {
    if (!src.is_plain()) return "made for a plain src";
    if (axes.k_dim < 0) return "made for a dst in panels of packed weights";
    const dim_t k_block = dst.block(axes.k_dim);
    if (dst.dims[axes.k_dim] > k_block &&
        dst.strides[axes.k_dim] != k_block * panel_columns(dst.dtype))
        return "made for a dst whose panels have adjacent blocks";
    const int mask = dst.column_sums_mask;
    if (mask && (mask >> axes.k_dim & 1 || !(mask >> axes.n_dim & 1)))
        return "the sums that dst asks for are not those of columns";
    // Sums are row-major over the masked dims: n must be the last of them.
    if (mask >> (axes.n_dim + 1)) return "the columns are not the last dimension that has sums";
    return nullptr;
}

} // namespace

planned make_pack_reorder(problem &p) {
    const auto &op = std::get<reorder_desc>(p.op);
    if (op.src.dtype != op.dst.dtype) return "made for src and dst of one type";
    if (!is_common(op.src.dtype) || op.src.dtype == data_type::s32)
        return "made for types that have panels";
    if (!p.attr.has_default_values()) return "made for reorders without attributes";
    if (op.src.has_runtime() || op.dst.has_runtime())
        return "made for dimensions known at creation";
    const panel_axes axes = find_panel_axes(op.dst);
    if (const char *reason = layout_refusal(op.src, op.dst, axes)) return reason;
    if (op.src.strides[axes.k_dim] != 1 && op.src.strides[axes.n_dim] != 1)
        return "made for adjacent rows or columns of src";
    return planned(std::make_unique<pack_reorder>(p, axes));
}

} // namespace dnnl::impl::cpu
