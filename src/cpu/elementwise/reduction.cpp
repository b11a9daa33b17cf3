// SPDX-License-Identifier: Apache-2.0
// Reduction of any dimensions in any layout, as rows of a reduction_walk.
#include "common/descriptors/elementwise.hpp"

#include <cfloat>
#include <cmath>
#include <limits>

#include "common/descriptors/problem.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/elementwise/reduction_walk.hpp"
#include "cpu/epilogue/row_epilogue.hpp"
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"

namespace dnnl::impl::cpu {

namespace {

reduced_by kind_of(const reduction_desc &op) {
    switch (op.alg) {
    case dnnl_reduction_max: return reduced_by::max;
    case dnnl_reduction_min: return reduced_by::min;
    case dnnl_reduction_mul: return reduced_by::product;
    case dnnl_reduction_sum:
    case dnnl_reduction_mean: return reduced_by::sum;
    default: break;
    }
    if (op.p == 1.0f) return reduced_by::abs_sum;
    return op.p == 2.0f ? reduced_by::square_sum : reduced_by::power_sum;
}

double neutral(reduced_by kind) {
    switch (kind) {
    case reduced_by::max: return -std::numeric_limits<double>::infinity();
    case reduced_by::min: return std::numeric_limits<double>::infinity();
    case reduced_by::product: return 1;
    default: return 0;
    }
}

/// Adds the totals of the next segment.
void join(reduced_by kind, double *totals, const double *next, dim_t n) {
    for (dim_t i = 0; i < n; ++i) switch (kind) {
        case reduced_by::max:
            totals[i] = next[i] > totals[i] || std::isnan(next[i]) ? next[i] : totals[i];
            break;
        case reduced_by::min:
            totals[i] = next[i] < totals[i] || std::isnan(next[i]) ? next[i] : totals[i];
            break;
        case reduced_by::product: totals[i] *= next[i]; break;
        default: totals[i] += next[i];
        }
}

reduce_finish_args finish_of(const reduction_desc &op, const primitive_attr &attr) {
    const dim_t count = reduced_count(op);
    const bool norm = is_norm(op.alg);
    reduce_finish_args f {};
    f.divisor = op.alg == dnnl_reduction_mean ? static_cast<double>(count) : 1.0;
    f.epsilon = op.epsilon;
    if (norm) {
        const bool adds =
            op.alg == dnnl_reduction_norm_lp_sum || op.alg == dnnl_reduction_norm_lp_power_p_sum;
        f.rule = adds ? epsilon_rule::added : epsilon_rule::at_least;
        f.has_root = op.alg == dnnl_reduction_norm_lp_max || op.alg == dnnl_reduction_norm_lp_sum;
    }
    f.p = op.p;
    const double root = 1.0 / op.p;
    f.root_high = static_cast<float>(root);
    f.root_low = static_cast<float>(root - f.root_high);
    f.integer = is_integer(op.src.dtype) && is_integer(op.dst.dtype) && !norm && count > 0 &&
                attr.post_ops.entries.empty();
    f.dst_type = op.dst.dtype;
    return f;
}

const char *refusal(const problem &p) {
    const auto &op = std::get<reduction_desc>(p.op);
    for (const memory_desc *md : {&op.src, &op.dst})
        if (!is_common_or_f8(md->dtype)) return "a tensor is not f32, bf16, f16, f8, s32, s8 or u8";
    return row_epilogue::refusal(p);
}

class vector_reduction : public plan {
  public:
    explicit vector_reduction(problem &p) {
        default_layouts(p);
        const auto &op = std::get<reduction_desc>(p.op);
        kind_ = kind_of(op);
        p_ = op.p;
        type_ = op.src.dtype;
        finish_ = finish_of(op, p.attr);
        start_ = neutral(kind_);
        if (op.dst.has_zero_dim()) return;
        epilogue_ = row_epilogue(p, op.dst, false);
        why_not_ = choose_layouts(p, op);
        if (why_not_) return;
        is_empty_ = walk_.count() == 0;
        if (is_empty_ && op.alg == dnnl_reduction_max) start_ = -FLT_MAX;
        if (is_empty_ && op.alg == dnnl_reduction_min) start_ = FLT_MAX;
        reduce_columns_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return reduce_columns<Isa>; });
        reduce_rows_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return reduce_rows<Isa>; });
        run_finish_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return reduce_finish<Isa>; });
    }

    void execute(const exec_context &ctx) const override {
        if (!run_finish_) return; // dst has no elements
        void *src = is_empty_ ? nullptr : src_.begin(ctx, ctx.data(DNNL_ARG_SRC));
        bound_epilogue bound;
        epilogue_.bind(ctx, bound);
        walk_.run(
            ctx, ctx.data(DNNL_ARG_DST), start_,
            [&](const reduction_walk::part &part, double *totals) {
                const auto reduce = part.by_runs() ? reduce_rows_ : reduce_columns_;
                reduce(
                    {kind_, p_, part.source(0, src, type_), part.rows(), part.columns(), totals});
            },
            [&](double *totals, const double *next, dim_t n) { join(kind_, totals, next, n); },
            [&](void *to, const tile &results, const double *totals) {
                const row_epilogue::at_piece step(
                    epilogue_, bound, results.box.rows, results.box.columns, results.at);
                reduce_finish_args call = finish_;
                call.totals = totals;
                call.columns = results.columns;
                call.dst = to;
                call.finish = step.get();
                run_finish_(call);
            });
    }

  private:
    /// The layouts as they are, or dst in the order of src; else both row-major.
    const char *choose_layouts(problem &p, const reduction_desc &op) {
        using use = adapted_tensor::use;
        std::vector<const memory_desc *> operands(2); // the result and src
        epilogue_.append_operands(operands);
        const use how = has_sum(p.attr.post_ops) ? use::update : use::write;
        const memory_desc plain = plain_layout(op.src);
        const char *why = nullptr;
        for (const memory_desc *wanted : {&op.src, &plain}) {
            memory_desc source = *wanted;
            source.offset0 = 0; // adapted_tensor adds it
            const memory_desc *const sources[] {&source};
            why = walk_.plan(p, op.dst, wanted == &op.src, sources, std::span(operands).subspan(2),
                how, "no dimension of dst is contiguous");
            if (why) continue;
            src_ = adapted_tensor(p, op.src, *wanted, use::read);
            return src_.why_not();
        }
        return why;
    }

    bool is_empty_ = false; ///< nothing is reduced: src has no elements
    double start_ = 0;      ///< what totals begin with
    adapted_tensor src_;
    row_epilogue epilogue_;
    reduction_walk walk_;
    reduced_by kind_ {};
    f32 p_ = 0;
    data_type type_ = data_type::undef;
    reduce_finish_args finish_ {};
    reduce_function reduce_columns_ = nullptr, reduce_rows_ = nullptr;
    reduce_finish_function run_finish_ = nullptr;
};

} // namespace

planned make_reduction(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return try_plan<vector_reduction>(p);
}

} // namespace dnnl::impl::cpu
