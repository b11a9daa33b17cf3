// SPDX-License-Identifier: Apache-2.0
// Reduction of any dimensions in any layout, as rows of a reduction_walk.
#include "common/descriptors/reduction.hpp"

#include <cfloat>
#include <cmath>
#include <limits>

#include "common/descriptors/default_layouts.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue/row_epilogue.hpp"
#include "cpu/kernels/elementwise/reduce.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/reduction_walk.hpp"

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
        call_.what = kind_of(op);
        call_.p = op.p;
        call_.type = op.src.dtype;
        finish_ = finish_of(op, p.attr);
        empty_ = op.alg == dnnl_reduction_max   ? -FLT_MAX
                 : op.alg == dnnl_reduction_min ? FLT_MAX
                                                : neutral(call_.what);
        dst_ = op.dst;
        if (dst_.has_zero_dim()) return;
        epilogue_ = row_epilogue(p, op.dst, false);
        why_not_ = choose_layouts(p, op);
        if (why_not_) return;
        walk_.reserve(p);
        reduce_columns_ = select_reduce(p.target, true);
        reduce_rows_ = select_reduce(p.target, false);
        run_finish_ = select_reduce_finish(p.target);
    }

    void execute(const exec_context &ctx) const override {
        if (dst_.has_zero_dim()) return;
        const bool empty = walk_.count() == 0;
        const auto *src =
            empty ? nullptr : static_cast<const char *>(src_.begin(ctx, ctx.data(DNNL_ARG_SRC)));
        char *dst = static_cast<char *>(to_.begin(ctx, ctx.data(DNNL_ARG_DST)));
        bound_epilogue bound;
        epilogue_.bind(ctx, bound);
        walk_.run(
            ctx, empty ? empty_ : neutral(call_.what),
            [&](const reduction_walk::part &part, double *totals) { add(part, src, totals); },
            [&](double *totals, const double *next, dim_t n) { join(call_.what, totals, next, n); },
            [&](const nest_offsets &at, const nest_level &columns, dim_t n, double *totals) {
                const row_epilogue::at_piece step(epilogue_, bound, nest_level {}, columns, at);
                reduce_finish_args call = finish_;
                call.totals = totals;
                call.columns = n;
                call.dst = dst + at[reduction_walk::result_place] *
                                     static_cast<dim_t>(size_of(dst_.dtype));
                call.finish = step.get();
                run_finish_(call);
            });
        to_.end(ctx, ctx.data(DNNL_ARG_DST));
        clear_padding(dst_, ctx.data(DNNL_ARG_DST));
    }

  private:
    const char *choose_layouts(problem &p, const reduction_desc &op);

    /// Adds one part of src to the totals.
    void add(const reduction_walk::part &part, const char *src, double *totals) const {
        const dim_t step = part.columns.strides[reduction_walk::source_place];
        reduce_args call = call_;
        call.src = src + (part.at[reduction_walk::source_place] + part.behind[0]) *
                             static_cast<dim_t>(size_of(call_.type));
        call.totals = totals;
        if (part.by_runs()) {
            call.row = step;
            call.rows = part.n;
            call.column = 1;
            call.columns = part.length;
            return reduce_rows_(call);
        }
        call.row = part.run.strides[0];
        call.rows = part.length;
        call.column = part.n == 1 ? 1 : step;
        call.columns = part.n;
        reduce_columns_(call);
    }

    memory_desc dst_;
    double empty_ = 0; ///< the total of an empty reduction
    adapted_tensor src_, to_;
    row_epilogue epilogue_;
    reduction_walk walk_;
    reduce_args call_ {};
    reduce_finish_args finish_ {};
    reduce_function reduce_columns_ = nullptr, reduce_rows_ = nullptr;
    reduce_finish_function run_finish_ = nullptr;
};

/// The layouts as they are; else dst in the order of src; else both row-major.
const char *vector_reduction::choose_layouts(problem &p, const reduction_desc &op) {
    memory_desc followed = make_any(op.dst.ndims, op.dst.dims.data(), op.dst.dtype);
    set_layout_like(followed, op.src);
    const memory_desc plain_src =
        make_with_strides(op.src.ndims, op.src.dims.data(), op.src.dtype, nullptr);
    const memory_desc plain_dst =
        make_with_strides(op.dst.ndims, op.dst.dims.data(), op.dst.dtype, nullptr);
    struct choice {
        const memory_desc *src, *dst;
        bool must_be_smooth;
    };
    const choice choices[] = {{&op.src, &op.dst, true}, {&op.src, &followed, true},
        {&op.src, &op.dst, false}, {&op.src, &followed, false}, {&plain_src, &plain_dst, false}};
    std::vector<const memory_desc *> operands;
    epilogue_.append_operands(operands);
    epilogue_.place_operands(reduction_walk::source_place + 1);
    const char *why = nullptr;
    for (const choice &c : choices) {
        const memory_desc *const sources[] {c.src};
        why = walk_.build(*c.dst, sources, operands);
        if (why) continue;
        why = "no dimension of dst is contiguous";
        if (!walk_.is_adjacent() || (c.must_be_smooth && !walk_.is_smooth())) continue;
        using use = adapted_tensor::use;
        src_ = adapted_tensor(p, op.src, *c.src, use::read);
        to_ =
            adapted_tensor(p, op.dst, *c.dst, has_sum(p.attr.post_ops) ? use::update : use::write);
        return src_.why_not() ? src_.why_not() : to_.why_not();
    }
    return why;
}

} // namespace

planned make_reduction(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return try_plan<vector_reduction>(p);
}

} // namespace dnnl::impl::cpu
