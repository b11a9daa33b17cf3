// SPDX-License-Identifier: Apache-2.0
// Operations that are steps of another operation's plan and are computed by other rows of the
// table: packing weights is a reorder, an inner product or a deconvolution is a convolution.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "common/plan/implementation.hpp"

namespace dnnl::impl {

/// One such step, planned.
class nested_plan {
  public:
    nested_plan() = default;
    /// The plan of the first row of `op` that takes it on the allowed features; reserves its
    /// scratchpad in the outer problem. Empty when none does: why_not() is what the last row said.
    nested_plan(problem &outer, op_desc op, const primitive_attr &attr, isa allowed);
    /// The same with the features of the outer problem's target.
    nested_plan(problem &outer, op_desc op, const primitive_attr &attr)
        : nested_plan(outer, std::move(op), attr, outer.target) {}
    /// The same by this row alone, on the outer problem's target.
    nested_plan(problem &outer, op_desc op, const primitive_attr &attr, planned (*row)(problem &));

    explicit operator bool() const { return plan_ != nullptr; }
    const char *why_not() const { return why_not_; }
    /// The operation with the layouts that the row chose.
    const op_desc &op() const { return resolved_->op; }
    const primitive_attr &attr() const { return resolved_->attr; }

    /// Executes the step; its scratchpad lies in that of the outer execution.
    void execute(const exec_context &outer, std::span<const bound_argument> arguments) const;

  private:
    void take(problem &outer, problem &resolved, planned made);

    std::unique_ptr<problem> resolved_;
    std::unique_ptr<plan> plan_;
    scratch_slot<std::byte> scratch_;
    const char *why_not_ = "not asked for";
};

/// The arguments of an execution under the names and shapes of the primitive that computes it.
class renamed_arguments {
  public:
    /// Tensor `from` of the outer execution is passed as `to`, described by `md`.
    struct rename {
        int from, to;
        const memory_desc *md;
        void *data = nullptr; ///< null: the buffer of `from`
    };
    /// Arguments without a rename are passed on as they are.
    renamed_arguments(const exec_context &ctx, std::span<const rename> renames) {
        for (const bound_argument &a : ctx.arguments()) {
            const auto found = std::ranges::find(renames, a.arg, &rename::from);
            entries_[count_++] = found == renames.end() ? a
                                                        : bound_argument {found->to, found->md,
                                                              found->data ? found->data : a.data};
        }
    }
    std::span<const bound_argument> list() const { return std::span(entries_).first(count_); }

  private:
    /// There is room for the tensors, their scales and zero points, and the operands of post-ops.
    std::array<bound_argument, 16 + 2 * post_ops::max_count> entries_;
    std::size_t count_ = 0;
};

/// A deconvolution that is computed by the row of a convolution: source and destination change
/// places, and so do the channels of the weights. Attributes keep the names of the deconvolution; a
/// mask over weights names the channels of the result.
class exchanged_convolution {
  public:
    /// Plans by `row` the convolution that computes the deconvolution of `outer`. It resolves the
    /// layouts of all tensors and post-ops except that of the gradient of a bias.
    exchanged_convolution(problem &outer, planned (*row)(problem &));

    /// Null, or why the row refuses the convolution.
    const char *why_not() const { return convolution_ ? nullptr : convolution_.why_not(); }
    /// Computes everything except the gradient of a bias.
    void execute(const exec_context &ctx) const;

  private:
    nested_plan convolution_;
};

} // namespace dnnl::impl
