// SPDX-License-Identifier: Apache-2.0
#include "common/plan/nested_plan.hpp"

#include "common/descriptors/products.hpp"

namespace dnnl::impl {

void nested_plan::take(problem &outer, problem &resolved, planned made) {
    why_not_ = made.why_not;
    if (!made.result) return;
    plan_ = std::move(made.result);
    resolved_ = std::make_unique<problem>(std::move(resolved));
    scratch_ = outer.scratchpad.reserve<std::byte>(dim_t(resolved_->scratchpad.bytes()));
}

nested_plan::nested_plan(problem &outer, op_desc op, const primitive_attr &attr, isa allowed) {
    problem resolved {std::move(op), attr, allowed, {}};
    take(outer, resolved, find_plan(resolved));
}

nested_plan::nested_plan(
    problem &outer, op_desc op, const primitive_attr &attr, planned (*row)(problem &)) {
    problem resolved {std::move(op), attr, outer.target, {}};
    take(outer, resolved, row(resolved));
}

void nested_plan::execute(
    const exec_context &outer, std::span<const bound_argument> arguments) const {
    plan_->execute(exec_context(arguments, outer.scratch(scratch_)));
}

exchanged_convolution::exchanged_convolution(problem &outer, planned (*row)(problem &)) {
    auto &op = std::get<deconvolution_desc>(outer.op);
    convolution_ = nested_plan(outer, convolution_of(op), outer.attr, row);
    if (!convolution_) return;
    take_layouts(op, std::get<convolution_desc>(convolution_.op()));
    outer.attr = convolution_.attr();
}

void exchanged_convolution::execute(const exec_context &ctx) const {
    const auto &op = std::get<convolution_desc>(convolution_.op());
    using rename = renamed_arguments::rename;
    const auto run = [&](rename image, rename pixels, rename weights) {
        const rename renames[] {image, pixels, weights};
        convolution_.execute(ctx, renamed_arguments(ctx, renames).list());
    };
    const rename weights {DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS, &op.weights};
    if (op.prop == dnnl_backward_data)
        return run({DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, &op.src},
            {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, &op.dst}, weights);
    const rename image {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, &op.src};
    if (op.prop == dnnl_backward_weights)
        return run(image, {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, &op.dst},
            {DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS, &op.weights});
    run(image, {DNNL_ARG_DIFF_SRC, DNNL_ARG_DST, &op.dst}, weights);
}

} // namespace dnnl::impl
