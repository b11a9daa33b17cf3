// SPDX-License-Identifier: Apache-2.0
// PReLU: rows in which the weights have one stride; the gradient of the weights is a reduction of
// products over what they are broadcast to.
#include "common/descriptors/elementwise.hpp"

#include "common/descriptors/problem.hpp"
#include "cpu/cpu.hpp"
#include "cpu/elementwise/reduction_walk.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

const char *refusal(const problem &p) {
    const auto &op = std::get<prelu_desc>(p.op);
    for (const memory_desc *md : {&op.src, &op.weights, &op.dst, &op.diff_src, &op.diff_weights})
        if (!md->is_zero() && !is_common_or_f8(md->dtype))
            return "a tensor is not f32, bf16, f16, f8, s32, s8 or u8";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    return nullptr;
}

/// diff_weights = sum of min(src, 0) * diff_dst.
class prelu_gradient {
  public:
    const char *prepare(problem &p, const prelu_desc &op) {
        type_ = op.src.dtype;
        finish_.divisor = 1;
        finish_.dst_type = op.diff_weights.dtype;
        finish_.integer = is_integer(finish_.dst_type) && is_integer(type_);
        if (op.diff_weights.has_zero_dim()) return nullptr;
        run_rows_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return prelu_weights_rows<Isa>; });
        run_columns_ = kernel_for<vector_levels>(
            p.target, []<class Isa> { return prelu_weights_columns<Isa>; });
        run_finish_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return reduce_finish<Isa>; });
        const memory_desc *const sources[] {&op.src, &op.dst};
        return walk_.plan(p, op.diff_weights, true, sources, {}, adapted_tensor::use::write,
            "no dimension of diff_weights is contiguous");
    }

    void execute(const exec_context &ctx) const {
        if (!run_finish_) return; // the weights have no elements
        walk_.run(
            ctx, ctx.data(DNNL_ARG_DIFF_WEIGHTS), 0,
            [&](const reduction_walk::part &part, double *totals) {
                const auto run = part.by_runs() ? run_rows_ : run_columns_;
                run({part.source(0, ctx.data(DNNL_ARG_SRC), type_),
                    part.source(1, ctx.data(DNNL_ARG_DIFF_DST), type_), part.rows(), part.columns(),
                    totals});
            },
            [](double *totals, const double *next, dim_t n) {
                for (dim_t i = 0; i < n; ++i) totals[i] += next[i];
            },
            [&](void *to, const tile &results, const double *totals) {
                reduce_finish_args call = finish_;
                call.totals = totals;
                call.columns = results.columns;
                call.dst = to;
                run_finish_(call);
            });
    }

  private:
    data_type type_ = data_type::undef;
    reduction_walk walk_;
    reduce_finish_args finish_ {};
    prelu_weights_function run_rows_ = nullptr, run_columns_ = nullptr;
    reduce_finish_function run_finish_ = nullptr;
};

/// dst or diff_src = src > 0 ? x : x * weights; x is src or diff_dst.
class vector_prelu : public row_wise_plan {
  public:
    explicit vector_prelu(problem &p) {
        default_layouts(p);
        const auto &op = std::get<prelu_desc>(p.op);
        forward_ = is_forward(op.prop);
        const memory_desc diff_dst = forward_ ? memory_desc {} : op.dst;
        cut({{forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, forward_ ? &op.dst : &op.diff_src},
                {DNNL_ARG_SRC, &op.src}, {DNNL_ARG_WEIGHTS, &op.weights},
                {DNNL_ARG_DIFF_DST, &diff_dst}},
            {longest_row}, nullptr);
        for (const tiled_box &box : boxes_)
            if (!box.has_columns()) why_not_ = "no dimension of the result is contiguous";
        if (!why_not_ && !forward_) why_not_ = gradient_.prepare(p, op);
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return prelu_rows<Isa>; });
    }

    void execute(const exec_context &ctx) const override {
        if (!forward_) gradient_.execute(ctx); // before diff_src may take diff_dst's place
        for_each_tile(ctx, 0.2, [&](const row_tile &t, int) { run_(t, forward_); });
    }

  private:
    bool forward_ = true;
    prelu_gradient gradient_;
    void (*run_)(const row_tile &, bool) = nullptr;
};

} // namespace

planned make_prelu(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return try_plan<vector_prelu>(p);
}

} // namespace dnnl::impl::cpu
