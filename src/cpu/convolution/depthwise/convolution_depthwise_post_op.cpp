// SPDX-License-Identifier: Apache-2.0
// A 1x1 convolution with a depthwise convolution as post-op, as two plans of the table with the
// tensor between them in the scratchpad. The plans are the best ones of the row's instruction set;
// without one they are the reference.
#include <algorithm>
#include <array>

#include "common/descriptors/products.hpp"
#include "common/plan/nested_plan.hpp"
#include "cpu/cpu.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The arguments of one execution: four tensors, scales and zero points, post-ops.
struct argument_list {
    std::array<bound_argument, 16 + 2 * post_ops::max_count> entries;
    std::size_t count = 0;
    void add(int arg, const memory_desc *md, void *data) { entries[count++] = {arg, md, data}; }
    std::span<const bound_argument> view() const { return std::span(entries).first(count); }
};

/// Returns what an argument is in the first convolution; DNNL_ARG_UNDEF where it is none.
int argument_before(int arg, int index) {
    const int place = arg / DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    if (place >= 0) return place < index ? arg : DNNL_ARG_UNDEF;
    return arg == DNNL_ARG_DST || (arg & DNNL_ARG_ATTR_POST_OP_DW) ? DNNL_ARG_UNDEF : arg;
}

/// Returns the same for the depthwise convolution.
int argument_after(int arg, int index) {
    const int place = arg / DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    if (place >= 0)
        return place > index ? arg - (index + 1) * DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE
                             : DNNL_ARG_UNDEF;
    if (arg & DNNL_ARG_ATTR_POST_OP_DW) return arg & ~DNNL_ARG_ATTR_POST_OP_DW;
    if (arg == DNNL_ARG_DST) return arg;
    const bool scale_between = arg == (DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST);
    return scale_between ? DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC : DNNL_ARG_UNDEF;
}

class fused_depthwise : public plan {
  public:
    /// Resolves the layouts of p and the descriptors of the depthwise post-op at `index`.
    fused_depthwise(problem &p, std::size_t index) : index_(static_cast<int>(index)) {
        auto &op = std::get<convolution_desc>(p.op);
        auto &fused = std::get<depthwise_post_op>(p.attr.post_ops.entries[index]);
        const memory_desc asked = op.dst;
        if (asked.is_blocked()) set_layout_like(op.dst, asked); // dense
        op.dst.offset0 = 0;
        first_ = nested_plan(p, op, attributes_before(p.attr, index));
        if ((why_not_ = first_.why_not())) return;
        op = std::get<convolution_desc>(first_.op());
        between_ = op.dst;
        if (asked.is_blocked()) op.dst = asked;
        convolution_desc after = depthwise_convolution(op, fused);
        after.src = between_;
        second_ = nested_plan(p, after, attributes_after(p.attr, index));
        if ((why_not_ = second_.why_not())) return;
        const auto &depthwise = std::get<convolution_desc>(second_.op());
        fused.weights = depthwise.weights;
        fused.bias = depthwise.bias;
        op.dst = depthwise.dst;
        auto &entries = p.attr.post_ops.entries; // with the layouts that the plans chose
        std::ranges::copy(first_.attr().post_ops.entries, entries.begin());
        std::ranges::copy(second_.attr().post_ops.entries, entries.begin() + index_ + 1);
        data_ = p.scratchpad.reserve<std::byte>(dim_t(between_.size_bytes()));
    }

    void execute(const exec_context &ctx) const override {
        argument_list before, after;
        void *between = ctx.scratch(data_);
        for (const bound_argument &a : ctx.arguments()) {
            if (const int arg = argument_before(a.arg, index_)) before.add(arg, a.md, a.data);
            if (const int arg = argument_after(a.arg, index_)) after.add(arg, a.md, a.data);
        }
        before.add(DNNL_ARG_DST, &between_, between);
        after.add(DNNL_ARG_SRC, &between_, between);
        first_.execute(ctx, before.view());
        second_.execute(ctx, after.view());
    }

  private:
    int index_;
    memory_desc between_; ///< destination of the first convolution, source of the second
    nested_plan first_, second_;
    scratch_slot<std::byte> data_;
};

} // namespace

planned make_fused_depthwise(problem &p) {
    const std::size_t index = depthwise_index(p.attr.post_ops);
    if (index == p.attr.post_ops.entries.size()) return without_depthwise_post_op;
    return try_plan<fused_depthwise>(p, index);
}

} // namespace dnnl::impl::cpu
