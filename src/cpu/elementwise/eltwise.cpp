// SPDX-License-Identifier: Apache-2.0
// Eltwise, forward and backward, as rows of one loop nest: a dense tensor of any layout is one row.
#include "common/descriptors/eltwise.hpp"

#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue/row_epilogue.hpp"
#include "cpu/kernels/elementwise/eltwise.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/relaid_plan.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Places in the nest: what is written, what f is applied to (backward: diff_dst), backward: data.
enum : std::size_t { dst_place, src_place, saved_place };

/// The kinds *_use_dst_for_bwd compute their function forward.
algorithm forward_algorithm(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_eltwise_relu_use_dst_for_bwd: return algorithm::relu;
    case dnnl_eltwise_tanh_use_dst_for_bwd: return algorithm::tanh;
    case dnnl_eltwise_elu_use_dst_for_bwd: return algorithm::elu;
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return algorithm::sqrt;
    case dnnl_eltwise_logistic_use_dst_for_bwd: return algorithm::logistic;
    case dnnl_eltwise_exp_use_dst_for_bwd: return algorithm::exp;
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return algorithm::clip_v2;
    default: return static_cast<algorithm>(alg);
    }
}

/// Rough cost for the division among threads.
double ns_per_element(dnnl_alg_kind_t alg) {
    switch (forward_algorithm(alg)) {
    case algorithm::relu:
    case algorithm::linear:
    case algorithm::square:
    case algorithm::abs:
    case algorithm::clip:
    case algorithm::clip_v2:
    case algorithm::round: return 0.1;
    case algorithm::pow:
    case algorithm::gelu_tanh:
    case algorithm::gelu_erf: return 0.8;
    default: return 0.4;
    }
}

const char *refusal(const problem &p) {
    const auto &op = std::get<eltwise_desc>(p.op);
    const bool forward = is_forward(op.prop);
    for (const memory_desc *md : {&op.src, &op.dst, &op.data}) {
        if (md->is_zero()) continue;
        if (!is_common_or_f8(md->dtype)) return "a tensor is not f32, bf16, f16, s32, s8, u8 or f8";
        if (!forward && is_integer(md->dtype)) return "gradients are not f32, bf16, f16 or f8";
        if (md->has_runtime()) return "run-time dimensions";
    }
    return row_epilogue::refusal(p);
}

class vector_eltwise : public plan {
  public:
    explicit vector_eltwise(problem &p) {
        const auto &op = std::get<eltwise_desc>(p.op);
        forward_ = is_forward(op.prop);
        dst_ = forward_ ? op.dst : op.src;
        const memory_desc &src = forward_ ? op.src : op.dst;
        if (forward_) epilogue_ = row_epilogue(p, op.dst, false);
        std::vector<const memory_desc *> tensors {&dst_, &src};
        if (!forward_) tensors.push_back(&op.data);
        if (forward_) epilogue_.append_operands(tensors);
        why_not_ = nest_.build(tensors);
        if (!why_not_ && !nest_.has_columns())
            why_not_ = "no dimension of the result is contiguous";
        if (why_not_) return;
        saved_arg_ = op.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC;
        ns_per_element_ = ns_per_element(op.alg);
        call_.alg = forward_ ? forward_algorithm(op.alg) : static_cast<algorithm>(op.alg);
        call_.alpha = op.alpha;
        call_.beta = op.beta;
        call_.src_type = src.dtype;
        call_.saved_type = op.data.dtype;
        call_.dst_type = dst_.dtype;
        run_ = forward_ ? select_eltwise_forward(p.target) : select_eltwise_backward(p.target);
    }

    void execute(const exec_context &ctx) const override {
        if (dst_.has_zero_dim()) return;
        const int dst_arg = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
        bound_epilogue bound;
        if (forward_) epilogue_.bind(ctx, bound);
        nest_.for_each_piece(ns_per_element_, 8192, [&](const nest_piece &part) {
            const nest_level &rows = *part.row_level, &columns = *part.column_level;
            const row_epilogue::at_piece finish(epilogue_, bound, rows, columns, part.at);
            eltwise_args piece = call_;
            piece.src = element_at(ctx.data(forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST),
                piece.src_type, part.at[src_place]);
            piece.src_row_stride = rows.strides[src_place];
            piece.src_column_stride = columns.strides[src_place];
            if (!forward_)
                piece.saved =
                    element_at(ctx.data(saved_arg_), piece.saved_type, part.at[saved_place]);
            piece.saved_row_stride = rows.strides[saved_place];
            piece.saved_column_stride = columns.strides[saved_place];
            piece.dst = element_at(ctx.data(dst_arg), piece.dst_type, part.at[dst_place]);
            piece.dst_row_stride = rows.strides[dst_place];
            piece.rows = part.rows;
            piece.columns = part.columns;
            piece.finish = finish.get();
            run_(piece);
        });
        clear_padding(dst_, ctx.out<void>(dst_arg));
    }

  private:
    bool forward_ = true;
    int saved_arg_ = 0;
    double ns_per_element_ = 0;
    memory_desc dst_;
    row_epilogue epilogue_;
    loop_nest nest_;
    eltwise_args call_ {};
    eltwise_function run_ = nullptr;
};

} // namespace

planned make_eltwise(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_eltwise>, plain_layout);
}

} // namespace dnnl::impl::cpu
