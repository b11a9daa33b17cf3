// SPDX-License-Identifier: Apache-2.0
// Deconvolution by the convolution that it inverts (specification: "Convolution and
// Deconvolution"): dst[mb][oc][oh][ow] = bias[oc] + sum over ic, kh, kw and those ih, iw with
//     oh = ih * SH + kh * (DH + 1) - PH, ow = iw * SW + kw * (DW + 1) - PW of
//     src[mb][ic][ih][iw] * weights[oc][ic][kh][kw].
#include "common/descriptors/problem.hpp"
#include "common/layout/data_type.hpp"
#include "common/plan/nested_plan.hpp"
#include "ref/convolution.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

class deconvolution : public plan {
  public:
    explicit deconvolution(problem &p)
        : convolution_(p, plan_convolution), desc_(std::get<deconvolution_desc>(p.op)) {}
    void execute(const exec_context &ctx) const override {
        convolution_.execute(ctx);
        if (desc_.prop != dnnl_backward_weights || desc_.bias.is_zero()) return;
        backward_bias(
            shape_of(desc_), tensor(ctx, DNNL_ARG_DIFF_DST), tensor(ctx, DNNL_ARG_DIFF_BIAS));
    }

  private:
    exchanged_convolution convolution_;
    deconvolution_desc desc_;
};

} // namespace

planned make_deconvolution(problem &p) {
    if (const char *why = convolution_refusal(std::get<deconvolution_desc>(p.op), p.attr))
        return why;
    default_layouts(p);
    return std::unique_ptr<plan>(std::make_unique<deconvolution>(p));
}

} // namespace dnnl::impl::ref
