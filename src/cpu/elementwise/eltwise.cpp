// SPDX-License-Identifier: Apache-2.0
// Eltwise, forward and backward, row by row: a dense tensor of any layout is one row.
#include "common/descriptors/elementwise.hpp"

#include "cpu/cpu.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The kinds *_use_dst_for_bwd compute their function forward.
algorithm forward_algorithm(dnnl_alg_kind_t alg) {
    constexpr algorithm with_dst[] {algorithm::relu, algorithm::tanh, algorithm::elu,
        algorithm::sqrt, algorithm::logistic, algorithm::exp, algorithm::clip_v2};
    const int kind = alg - dnnl_eltwise_relu_use_dst_for_bwd;
    return kind >= 0 ? with_dst[kind] : static_cast<algorithm>(alg);
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
        args_ = {forward ? forward_algorithm(op.alg) : static_cast<algorithm>(op.alg), op.alpha,
            op.beta};
        run_ = kernel_for<vector_levels>(p.target,
            [&]<class Isa> { return forward ? eltwise_forward<Isa> : eltwise_backward<Isa>; });
    }

    void execute(const exec_context &ctx) const override {
        for_each_tile(ctx, ns_per_element_, [&](const row_tile &t, int) { run_(t, args_); });
    }

  private:
    double ns_per_element_ = 0;
    eltwise_args args_ {};
    eltwise_function run_ = nullptr;
};

} // namespace

planned make_eltwise(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_eltwise>, plain_layout);
}

} // namespace dnnl::impl::cpu
