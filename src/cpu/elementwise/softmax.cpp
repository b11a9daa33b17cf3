// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax, forward and backward: the axis stays apart from the loop nest over the
// other dimensions; lines along it are taken one by one or, where others are adjacent, in stripes.
#include "common/descriptors/softmax.hpp"

#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue/row_epilogue.hpp"
#include "cpu/kernels/elementwise/softmax.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/relaid_plan.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Places in the nest: what is written, what is read (backward: diff_dst), backward: forward dst.
enum : std::size_t { dst_place, src_place, saved_place };

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

class vector_softmax : public plan {
  public:
    explicit vector_softmax(problem &p) {
        const auto &op = std::get<softmax_desc>(p.op);
        forward_ = is_forward(op.prop);
        dst_ = forward_ ? op.dst : op.src;
        const memory_desc &src = forward_ ? op.src : op.dst;
        if (forward_) epilogue_ = row_epilogue(p, op.dst, true);
        std::vector<const memory_desc *> tensors {&dst_, &src};
        if (!forward_) tensors.push_back(&op.data);
        if (forward_) epilogue_.append_operands(tensors);
        why_not_ = nest_.build(tensors, op.axis);
        if (why_not_) return;
        const nest_level &axis = nest_.apart();
        by_columns_ = axis.extent > 1 && axis.strides[dst_place] != 1;
        if (by_columns_ && !nest_.has_columns()) {
            why_not_ = "no dimension of the result is contiguous";
            return;
        }
        call_.log = op.alg == dnnl_softmax_log;
        call_.length = axis.extent;
        call_.src = {nullptr, src.dtype, axis.strides[src_place], 0};
        call_.saved = {nullptr, op.data.dtype, axis.strides[saved_place], 0};
        call_.dst_type = dst_.dtype;
        call_.dst_step = axis.strides[dst_place];
        // A single line or element has strides of its own choice.
        if (axis.extent == 1) call_.src.step = call_.saved.step = call_.dst_step = 1;
        run_ = select_softmax(p.target, forward_, by_columns_);
        threads_ = nest_.threads(lines_at_once());
        buffer_size_ = buffered_lines(src, op.data) *
                       (by_columns_ ? axis.extent * softmax_stripe : round_up(axis.extent, 16));
        buffer_ = p.scratchpad.reserve<float>(threads_ * buffer_size_);
    }

    void execute(const exec_context &ctx) const override {
        if (dst_.has_zero_dim()) return;
        const int dst_arg = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
        bound_epilogue bound;
        if (forward_) epilogue_.bind(ctx, bound);
        const nest_level &axis = nest_.apart();
        const double line_ns = 20 + 0.7 * static_cast<double>(axis.extent);
        nest_.for_each_piece(line_ns, lines_at_once(), threads_, [&](const nest_piece &part) {
            const nest_level &lines = *part.column_level;
            softmax_args piece = call_;
            piece.lines = part.columns;
            piece.src.line_stride = lines.strides[src_place];
            piece.saved.line_stride = lines.strides[saved_place];
            piece.dst_line_stride = lines.strides[dst_place];
            if (lines.extent == 1) piece.src.line_stride = piece.saved.line_stride = 1;
            piece.buffer = ctx.scratch(buffer_) + part.thread * buffer_size_;
            nest_offsets at = part.at;
            for (dim_t row = 0; row < part.rows; ++row) {
                const row_epilogue::at_piece finish(
                    epilogue_, bound, by_columns_ ? axis : lines, by_columns_ ? lines : axis, at);
                piece.finish = finish.get();
                piece.src.data = element_at(ctx.data(forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST),
                    piece.src.type, at[src_place]);
                if (!forward_)
                    piece.saved.data =
                        element_at(ctx.data(DNNL_ARG_DST), piece.saved.type, at[saved_place]);
                piece.dst = element_at(ctx.data(dst_arg), piece.dst_type, at[dst_place]);
                run_(piece);
                for (std::size_t t = 0; t < at.size(); ++t) at[t] += part.row_level->strides[t];
            }
        });
        clear_padding(dst_, ctx.out<void>(dst_arg));
    }

  private:
    dim_t lines_at_once() const { return by_columns_ ? softmax_stripe : 4; }

    /// True where the kernel works on the elements of an operand as they lie in memory.
    bool is_read_in_place(const memory_desc &md, const softmax_tensor &operand) const {
        if (md.dtype != data_type::f32) return false;
        if (!by_columns_) return operand.step == 1;
        memory_desc as_dst = md; // then its lines are adjacent where those of dst are
        as_dst.dtype = dst_.dtype;
        as_dst.offset0 = dst_.offset0;
        return as_dst == dst_;
    }

    /// Lines, or stripes of them, that the kernel keeps as f32 beside the tensors.
    dim_t buffered_lines(const memory_desc &src, const memory_desc &saved) const {
        if (!forward_ && !is_read_in_place(saved, call_.saved)) return 2;
        const bool written_in_place = dst_.dtype == data_type::f32 && !epilogue_.is_needed();
        return written_in_place && is_read_in_place(src, call_.src) ? 0 : 1;
    }

    bool forward_ = true, by_columns_ = false;
    memory_desc dst_;
    row_epilogue epilogue_;
    loop_nest nest_;
    softmax_args call_ {};
    softmax_function run_ = nullptr;
    int threads_ = 1;
    dim_t buffer_size_ = 0;
    scratch_slot<float> buffer_;
};

} // namespace

planned make_softmax(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_softmax>, plain_layout);
}

} // namespace dnnl::impl::cpu
