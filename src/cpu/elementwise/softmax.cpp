// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax, forward and backward. The elements along the axis are called a line. The
// walk goes over the other dimensions; lines are taken one by one or, where the elements of
// neighbouring lines are adjacent, in stripes.
#include "common/descriptors/mappings/mappings.hpp"
#include "common/runtime/isa.hpp"

#include "cpu/cpu.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Places in the walk: src_place is read (backward diff_dst), saved_place is the forward dst.
enum : std::size_t { src_place = 1, saved_place };

const char *refusal(const problem &p) {
    const auto &op = std::get<softmax_desc>(p.op);
    for (const memory_desc *md : {&op.src, &op.dst, &op.data}) {
        if (md->is_zero()) continue;
        if (!is_common(md->dtype) || md->dtype == data_type::s32)
            return "a tensor is not f32, bf16, f16, s8 or u8";
        if (!is_forward(op.prop) && !is_float(md->dtype))
            return "gradients and dst are not f32, bf16 or f16";
        if (md->has_runtime()) return "run-time dimensions";
    }
    return row_epilogue::refusal(p);
}

class vector_softmax : public row_wise_plan {
  public:
    explicit vector_softmax(problem &p) {
        const auto &op = std::get<softmax_desc>(p.op);
        const bool forward = is_forward(op.prop);
        if (forward) epilogue_ = row_epilogue(p, op.dst, true);
        dst_ = forward ? op.dst : op.src;
        const memory_desc &src = forward ? op.src : op.dst;
        const memory_desc saved = forward ? memory_desc {} : op.data;
        by_columns_ = dst_.dims[op.axis] > 1 && dst_.strides[op.axis] != 1;
        const dim_t stripe = most_columns(dst_.dims[op.axis], forward ? 1 : 2);
        rows_at_once_ = most_rows(dst_.dims[op.axis]);
        cut({{forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, &dst_},
                {forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, &src}, {DNNL_ARG_DST, &saved}},
            {by_columns_ ? stripe : rows_at_once_, true, op.axis, &axis_},
            by_columns_ ? "no dimension of the result is contiguous" : nullptr);
        if (why_not_) return;
        is_log_ = op.alg == dnnl_softmax_log;
        run_ = kernel_for<vector_levels>(p.target, [&]<class Isa> {
            if (by_columns_) return forward ? softmax_columns<Isa> : softmax_columns_backward<Isa>;
            return forward ? softmax_rows<Isa> : softmax_rows_backward<Isa>;
        });
        dim_t most_tiles = 0;
        for (tiled_box &box : boxes_) {
            box.joins = tiled_box::joined::none;
            if (!by_columns_) join_lines(box);
            most_tiles = std::max(most_tiles, box.count());
            stripe_ = std::max(stripe_, round_up(box.tile_columns, 16));
        }
        threads_ = threads_for(most_tiles);
        buffer_size_ = by_columns_ ? (forward ? 1 : 2) * axis_.extent * stripe_
                                   : (forward ? rows_at_once_ : 1) * buffered_rows(src, saved) *
                                         round_up(axis_.extent, 16);
        buffer_ = p.scratchpad.reserve<float>(threads_ * buffer_size_);
    }

    void execute(const exec_context &ctx) const override {
        // Measured on a Zen 5 core with AVX-512: 0.3 ns for an element, backward 0.13 ns.
        double line_ns = 20 + 0.3 * double(axis_.extent);
        if (!boxes_.empty() && !by_columns_ && are_rows(boxes_.front()))
            line_ns *= double(boxes_.front().tile_rows);
        const auto loops = [&](const tiled_box &box) -> call_loops {
            if (by_columns_) return {axis_, box.columns, nullptr, &tile::columns};
            if (are_rows(box)) return {box.rows, axis_, &tile::rows, nullptr};
            return {box.columns, axis_, &tile::columns, nullptr};
        };
        for_each_tile(ctx, line_ns, loops, [&](const row_tile &t, int thread) {
            run_(
                t, {is_log_, ctx.scratch(buffer_) + thread * buffer_size_, rows_at_once_, stripe_});
        });
    }

  private:
    /// True where neighbouring lines of a row-wise walk are its rows; else they are its columns.
    static bool are_rows(const tiled_box &box) { return box.columns.extent == 1; }
    /// Makes one tile of a group of lines, and lets a kernel take all tiles of a thread.
    void join_lines(tiled_box &box) const {
        box.joins = tiled_box::joined::columns;
        if (!are_rows(box)) return;
        box.joins = tiled_box::joined::rows;
        box.tile_rows = std::min(box.rows.extent, rows_at_once_);
    }

    /// The columns of a stripe. The stripes of all tensors that are read fill half of L1; along a
    /// long axis, half of L2.
    static dim_t most_columns(dim_t axis, dim_t stripes) {
        const dim_t bytes = std::max<dim_t>(axis, 1) * stripes * dim_t {sizeof(float)};
        const dim_t in_l1 = dim_t(caches().l1_bytes) / 2 / bytes / 16 * 16;
        const dim_t in_l2 = dim_t(caches().l2_bytes) / 2 / bytes / 16 * 16;
        return std::clamp(std::max(in_l1, std::min<dim_t>(in_l2, 64)), dim_t {16}, softmax_stripe);
    }

    /// The number of rows that are worked on together; as f32 they fill a third of L1.
    static dim_t most_rows(dim_t axis) {
        const dim_t bytes = std::max<dim_t>(axis, 1) * dim_t {sizeof(float)};
        return std::clamp(dim_t(caches().l1_bytes) / 3 / bytes, dim_t {1}, softmax_group);
    }

    /// The number of rows of which the kernel keeps a copy in f32.
    dim_t buffered_rows(const memory_desc &src, const memory_desc &saved) const {
        const auto is_read_in_place = [&](const memory_desc &md, std::size_t place) {
            return md.dtype == data_type::f32 && axis_.is_adjacent(place);
        };
        if (!saved.is_zero() && !is_read_in_place(saved, saved_place)) return 2;
        const bool written_in_place = dst_.dtype == data_type::f32 && !epilogue_.is_needed();
        return written_in_place && is_read_in_place(src, src_place) ? 0 : 1;
    }

    bool is_log_ = false, by_columns_ = false;
    memory_desc dst_;
    nest_level axis_;
    softmax_function run_ = nullptr;
    dim_t buffer_size_ = 0, rows_at_once_ = 1, stripe_ = 0;
    scratch_slot<float> buffer_;
};

} // namespace

planned make_softmax(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_softmax>, plain_layout);
}

} // namespace dnnl::impl::cpu
