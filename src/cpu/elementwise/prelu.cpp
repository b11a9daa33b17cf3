// SPDX-License-Identifier: Apache-2.0
// PReLU: rows in which the weights have one stride; the gradient of the weights is a reduction of
// products over what they are broadcast to.
#include "common/descriptors/elementwise.hpp"

#include "common/descriptors/problem.hpp"
#include "cpu/cpu.hpp"
#include "cpu/elementwise/reduction_walk.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/prelu.hpp"
#include "cpu/kernels/elementwise/reduce.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Places in the walk over the elements; diff_dst in backward only.
enum : std::size_t { result_place, src_place, weights_place, diff_dst_place };

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
        result_type_ = op.diff_weights.dtype;
        type_ = op.src.dtype;
        if (op.diff_weights.has_zero_dim()) return nullptr;
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return prelu_weights<Isa>; });
        run_finish_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return reduce_finish<Isa>; });
        const memory_desc *const sources[] {&op.src, &op.dst};
        return walk_.plan(p, op.diff_weights, true, sources, {}, adapted_tensor::use::write,
            "no dimension of diff_weights is contiguous");
    }

    void execute(const exec_context &ctx) const {
        if (!run_) return; // the weights have no elements
        walk_.run(
            ctx, ctx.data(DNNL_ARG_DIFF_WEIGHTS), 0,
            [&](const reduction_walk::part &part, double *totals) { add(ctx, part, totals); },
            [](double *totals, const double *next, dim_t n) {
                for (dim_t i = 0; i < n; ++i) totals[i] += next[i];
            },
            [&](void *to, const tile &results, const double *totals) {
                reduce_finish_args call {};
                call.totals = totals;
                call.columns = results.columns;
                call.divisor = 1;
                call.integer = is_integer(result_type_) && is_integer(type_);
                call.dst_type = result_type_;
                call.dst = to;
                run_finish_(call);
            });
    }

  private:
    void add(const exec_context &ctx, const reduction_walk::part &part, double *totals) const {
        const auto operand = [&](std::size_t source, int arg, dim_t column, dim_t stride) {
            const dim_t offset = part.offset(source) + column * part.column_stride(source);
            return prelu_operand {element_at(ctx.data(arg), type_, offset), type_, stride};
        };
        prelu_weights_args call {};
        if (!part.by_runs()) {
            call.src = operand(0, DNNL_ARG_SRC, 0, part.column_stride(0));
            call.diff_dst = operand(1, DNNL_ARG_DIFF_DST, 0, part.column_stride(1));
            call.src_row = part.reduced_stride(0);
            call.diff_dst_row = part.reduced_stride(1);
            call.rows = part.reduced.columns;
            call.columns = part.results.columns;
            call.per_column = true;
            call.totals = totals;
            return run_(call);
        }
        call.rows = 1;
        call.columns = part.reduced.columns;
        for (dim_t i = 0; i < part.results.columns; ++i) {
            call.src = operand(0, DNNL_ARG_SRC, i, 1);
            call.diff_dst = operand(1, DNNL_ARG_DIFF_DST, i, part.reduced_stride(1));
            call.totals = totals + i;
            run_(call);
        }
    }

    data_type type_ = data_type::undef, result_type_ = data_type::undef;
    reduction_walk walk_;
    void (*run_)(const prelu_weights_args &) = nullptr;
    void (*run_finish_)(const reduce_finish_args &) = nullptr;
};

/// result = src > 0 ? x : x * weights: dst, or diff_src.
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
        for (tiled_box &box : boxes_) {
            if (!box.has_columns()) why_not_ = "no dimension of the result is contiguous";
            box.joins = tiled_box::joined::none;
        }
        if (!why_not_ && !forward_) why_not_ = gradient_.prepare(p, op);
        type_ = op.src.dtype;
        weights_type_ = op.weights.dtype;
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return prelu_row<Isa>; });
    }

    void execute(const exec_context &ctx) const override {
        if (!forward_) gradient_.execute(ctx); // before diff_src may take diff_dst's place
        for_each_tile(ctx, 0.2, [&](const bound_tile &t) {
            const auto operand = [&](std::size_t place, data_type type) {
                return prelu_operand {t.data(place), type, t.column_stride(place)};
            };
            prelu_args call {};
            call.forward = forward_;
            call.src = operand(src_place, type_);
            call.x = forward_ ? call.src : operand(diff_dst_place, type_);
            call.weights = operand(weights_place, weights_type_);
            call.dst = t.data(result_place);
            call.columns = t.part.columns;
            run_(call);
        });
    }

  private:
    bool forward_ = true;
    data_type type_ = data_type::undef, weights_type_ = data_type::undef;
    prelu_gradient gradient_;
    void (*run_)(const prelu_args &) = nullptr;
};

} // namespace

planned make_prelu(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return try_plan<vector_prelu>(p);
}

} // namespace dnnl::impl::cpu
