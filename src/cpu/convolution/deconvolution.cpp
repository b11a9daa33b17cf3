// SPDX-License-Identifier: Apache-2.0
// Deconvolution on the rows of convolution: forward is the gradient by data of the convolution from
// dst to src with bias and attributes, backward data its forward pass, and the gradient of weights
// its own. The gradient of the bias is summed over diff_dst, which is the convolution's source.
#include "common/descriptors/convolution.hpp"

#include "common/descriptors/problem.hpp"
#include "common/descriptors/products.hpp"
#include "common/plan/nested_plan.hpp"
#include "cpu/convolution/channel_sums.hpp"
#include "cpu/cpu.hpp"

namespace dnnl::impl::cpu {

namespace {

class deconvolution : public plan {
  public:
    deconvolution(problem &p, planned (*row)(problem &)) : convolution_(p, row) {
        why_not_ = convolution_.why_not();
        if (why_not_) return;
        default_layouts(p); // of diff_bias
        const auto &op = std::get<deconvolution_desc>(p.op);
        has_bias_sums_ = op.prop == dnnl_backward_weights && !op.bias.is_zero();
        if (!has_bias_sums_) return;
        bias_sums_ = channel_sums(p, op.dst, op.bias);
        why_not_ = bias_sums_.why_not();
    }

    void execute(const exec_context &ctx) const override {
        convolution_.execute(ctx);
        if (has_bias_sums_)
            bias_sums_.execute(ctx, ctx.data(DNNL_ARG_DIFF_DST), ctx.data(DNNL_ARG_DIFF_BIAS));
    }

  private:
    exchanged_convolution convolution_;
    bool has_bias_sums_ = false;
    channel_sums bias_sums_;
};

planned make(problem &p, planned (*row)(problem &)) {
    if (const char *reason = product_refusal(std::get<deconvolution_desc>(p.op))) return reason;
    return try_plan<deconvolution>(p, row);
}

} // namespace

planned make_depthwise_deconvolution(problem &p) { return make(p, make_depthwise_convolution); }
planned make_depthwise_deconvolution_weights(problem &p) {
    return make(p, make_depthwise_convolution_weights);
}
planned make_gemm_deconvolution(problem &p) { return make(p, make_gemm_convolution); }
planned make_gemm_deconvolution_weights(problem &p) {
    return make(p, make_gemm_convolution_weights);
}

} // namespace dnnl::impl::cpu
