// SPDX-License-Identifier: Apache-2.0
// PReLU: rows in which the weights have one stride; the gradient of the weights is a reduction of
// products over what they are broadcast to.
#include "common/descriptors/prelu.hpp"

#include "common/descriptors/default_layouts.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/elementwise/prelu.hpp"
#include "cpu/kernels/elementwise/reduce.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/reduction_walk.hpp"

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

/// result = src > 0 ? x : x * weights: dst, or diff_src.
class prelu_elements {
  public:
    const char *prepare(isa target, const prelu_desc &op) {
        forward_ = is_forward(op.prop);
        result_ = forward_ ? op.dst : op.diff_src;
        std::vector<walked_tensor> tensors {{&result_}, {&op.src}, {&op.weights, 0, true}};
        if (!forward_) tensors.push_back({&op.dst});
        std::vector<walked_box> boxes;
        if (const char *why = cut_into_boxes(result_.ndims, result_.dims, tensors, -1, boxes))
            return why;
        for (const walked_box &box : boxes)
            if (!box.levels.empty() && box.levels.back().strides[result_place] != 1)
                return "no dimension of the result is contiguous";
        constexpr dim_t longest = 16 * row_piece;
        pieces_.cut(boxes, tensors.size(), longest);
        src_type_ = op.src.dtype;
        weights_type_ = op.weights.dtype;
        run_ = select_prelu(target);
        return nullptr;
    }

    void execute(const exec_context &ctx) const {
        const int result_arg = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
        void *src = ctx.data(DNNL_ARG_SRC), *weights = ctx.data(DNNL_ARG_WEIGHTS);
        void *diff_dst = ctx.data(DNNL_ARG_DIFF_DST), *result = ctx.data(result_arg);
        if (result_.has_zero_dim()) return;
        const auto columns = static_cast<double>(pieces_.columns(0).extent);
        parallel_for(pieces_.count(), 20 + 0.2 * std::min(columns, 16.0 * row_piece),
            [&](int, dim_t begin, dim_t end) {
                pieces_.for_each(
                    begin, end, [&](dim_t, const nest_offsets &at, const nest_level &row, dim_t n) {
                        prelu_args call {};
                        call.forward = forward_;
                        call.src = {element_at(src, src_type_, at[src_place]), src_type_,
                            row.strides[src_place]};
                        call.x = call.src;
                        if (!forward_)
                            call.x = {element_at(diff_dst, src_type_, at[diff_dst_place]),
                                src_type_, row.strides[diff_dst_place]};
                        call.weights = {element_at(weights, weights_type_, at[weights_place]),
                            weights_type_, row.strides[weights_place]};
                        call.dst = element_at(result, src_type_, at[result_place]);
                        call.columns = n;
                        run_(call);
                    });
            });
        clear_padding(result_, result);
    }

  private:
    bool forward_ = true;
    memory_desc result_;
    data_type src_type_ = data_type::undef, weights_type_ = data_type::undef;
    box_pieces pieces_;
    void (*run_)(const prelu_args &) = nullptr;
};

/// diff_weights = sum of min(src, 0) * diff_dst.
class prelu_gradient {
  public:
    const char *prepare(problem &p, const prelu_desc &op) {
        result_ = op.diff_weights;
        src_type_ = op.src.dtype;
        src_offset0_ = op.src.offset0;
        diff_dst_offset0_ = op.dst.offset0;
        run_ = select_prelu_weights(p.target);
        run_finish_ = select_reduce_finish(p.target);
        if (result_.has_zero_dim()) return nullptr;
        memory_desc followed = make_any(result_.ndims, result_.dims.data(), result_.dtype);
        set_layout_like(followed, op.src);
        const memory_desc *const sources[] {&op.src, &op.dst};
        const char *why = nullptr;
        for (const bool smooth : {true, false})
            for (const memory_desc *wanted : {&result_, &followed}) {
                why = walk_.build(*wanted, sources, {});
                if (why) continue;
                why = "no dimension of diff_weights is contiguous";
                if (!walk_.is_adjacent() || (smooth && !walk_.is_smooth())) continue;
                walk_.reserve(p);
                to_ = adapted_tensor(p, result_, *wanted, adapted_tensor::use::write);
                return to_.why_not();
            }
        return why;
    }

    void execute(const exec_context &ctx) const {
        if (result_.has_zero_dim()) return;
        void *user = ctx.data(DNNL_ARG_DIFF_WEIGHTS), *result = to_.begin(ctx, user);
        walk_.run(
            ctx, 0, [&](const reduction_walk::part &part, double *t) { add(ctx, part, t); },
            [](double *totals, const double *next, dim_t n) {
                for (dim_t i = 0; i < n; ++i) totals[i] += next[i];
            },
            [&](const nest_offsets &at, const nest_level &, dim_t n, double *totals) {
                reduce_finish_args call {};
                call.totals = totals;
                call.columns = n;
                call.divisor = 1;
                call.integer = is_integer(result_.dtype) && is_integer(src_type_);
                call.dst_type = result_.dtype;
                call.dst = element_at(result, result_.dtype, at[reduction_walk::result_place]);
                run_finish_(call);
            });
        to_.end(ctx, user);
        clear_padding(result_, user);
    }

  private:
    void add(const exec_context &ctx, const reduction_walk::part &part, double *totals) const {
        constexpr std::size_t src = reduction_walk::source_place, diff_dst = src + 1;
        const nest_level &columns = part.columns, &run = part.run;
        const auto place = [&](int arg, dim_t offset, dim_t stride) {
            return prelu_operand {element_at(ctx.data(arg), src_type_, offset), src_type_, stride};
        };
        const dim_t src_at = src_offset0_ + part.at[src] + part.behind[0];
        const dim_t diff_dst_at = diff_dst_offset0_ + part.at[diff_dst] + part.behind[1];
        prelu_weights_args call {};
        if (!part.by_runs()) {
            call.src = place(DNNL_ARG_SRC, src_at, columns.strides[src]);
            call.diff_dst = place(DNNL_ARG_DIFF_DST, diff_dst_at, columns.strides[diff_dst]);
            call.src_row = run.strides[0];
            call.diff_dst_row = run.strides[1];
            call.rows = part.length;
            call.columns = part.n;
            call.per_column = true;
            call.totals = totals;
            return run_(call);
        }
        call.rows = 1;
        call.columns = part.length;
        for (dim_t i = 0; i < part.n; ++i) {
            call.src = place(DNNL_ARG_SRC, src_at + i * columns.strides[src], 1);
            call.diff_dst = place(
                DNNL_ARG_DIFF_DST, diff_dst_at + i * columns.strides[diff_dst], run.strides[1]);
            call.totals = totals + i;
            run_(call);
        }
    }

    memory_desc result_;
    data_type src_type_ = data_type::undef;
    dim_t src_offset0_ = 0, diff_dst_offset0_ = 0;
    reduction_walk walk_;
    adapted_tensor to_;
    void (*run_)(const prelu_weights_args &) = nullptr;
    void (*run_finish_)(const reduce_finish_args &) = nullptr;
};

class vector_prelu : public plan {
  public:
    explicit vector_prelu(problem &p) {
        default_layouts(p);
        const auto &op = std::get<prelu_desc>(p.op);
        has_gradient_ = !is_forward(op.prop);
        why_not_ = elements_.prepare(p.target, op);
        if (!why_not_ && has_gradient_) why_not_ = gradient_.prepare(p, op);
    }
    void execute(const exec_context &ctx) const override {
        if (has_gradient_) gradient_.execute(ctx); // before diff_src may take diff_dst's place
        elements_.execute(ctx);
    }

  private:
    bool has_gradient_ = false;
    prelu_elements elements_;
    prelu_gradient gradient_;
};

} // namespace

planned make_prelu(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return try_plan<vector_prelu>(p);
}

} // namespace dnnl::impl::cpu
