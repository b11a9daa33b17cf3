// SPDX-License-Identifier: Apache-2.0
// Eltwise, forward and backward, row by row: a dense tensor of any layout is one row.
#include "common/descriptors/elementwise.hpp"

#include "cpu/cpu.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/eltwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/relaid_plan.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Places in the walk: what is written, what f is applied to (backward: diff_dst), backward: data.
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

class vector_eltwise : public row_wise_plan {
  public:
    explicit vector_eltwise(problem &p) {
        const auto &op = std::get<eltwise_desc>(p.op);
        const bool forward = is_forward(op.prop);
        if (forward) epilogue_ = row_epilogue(p, op.dst, false);
        const memory_desc &src = forward ? op.src : op.dst, &dst = forward ? op.dst : op.src;
        const memory_desc saved = forward ? memory_desc {} : op.data;
        cut({{forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, &dst},
                {forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, &src},
                {op.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC, &saved}},
            {longest_row, true}, "no dimension of the result is contiguous");
        if (why_not_) return;
        ns_per_element_ = ns_per_element(op.alg);
        call_.alg = forward ? forward_algorithm(op.alg) : static_cast<algorithm>(op.alg);
        call_.alpha = op.alpha;
        call_.beta = op.beta;
        call_.src_type = src.dtype;
        call_.saved_type = op.data.dtype;
        call_.dst_type = dst.dtype;
        run_ = kernel_for<vector_levels>(p.target, [&]<class Isa> {
            return forward ? eltwise_forward_rows<Isa> : eltwise_backward_rows<Isa>;
        });
    }

    void execute(const exec_context &ctx) const override {
        for_each_tile(ctx, ns_per_element_, [&](const bound_tile &t) {
            const row_epilogue::at_piece finish = finish_at(t);
            eltwise_args call = call_;
            call.dst = t.data(dst_place);
            call.dst_row_stride = t.row_stride(dst_place);
            call.src = t.data(src_place);
            call.src_row_stride = t.row_stride(src_place);
            call.src_column_stride = t.column_stride(src_place);
            call.saved = t.data(saved_place);
            call.saved_row_stride = t.row_stride(saved_place);
            call.saved_column_stride = t.column_stride(saved_place);
            call.rows = t.part.rows;
            call.columns = t.part.columns;
            call.finish = finish.get();
            run_(call);
        });
    }

  private:
    double ns_per_element_ = 0;
    eltwise_args call_ {};
    eltwise_function run_ = nullptr;
};

} // namespace

planned make_eltwise(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_eltwise>, plain_layout);
}

} // namespace dnnl::impl::cpu
