// SPDX-License-Identifier: Apache-2.0
// Tensors in other layouts than the user's, and plans made at execution, live in this folder. Here:
// a tensor that a driver wants in a layout of its own: the user's buffer where it has that layout,
// else a copy in the scratchpad that the library's reorder fills or empties.
#pragma once

#include <mutex>

#include "common/plan/nested_plan.hpp"

namespace dnnl::impl::cpu {

class adapted_tensor {
  public:
    enum class use { read, write, update }; ///< update: read before it is written (sum post-op)

    adapted_tensor() = default;
    /// `wanted` has the dims of `user`; equal layouts (wanted may be `user` itself) need no copy.
    adapted_tensor(problem &p, const memory_desc &user, const memory_desc &wanted, use how);

    /// Null, or why no reorder serves.
    const char *why_not() const { return why_not_; }
    bool is_copied() const { return copied_; }
    const memory_desc &wanted() const { return wanted_; }

    /// The buffer of argument `arg` in the wanted layout (offset0 added); reads copy here.
    char *begin(const exec_context &ctx, int arg) const;
    /// Writes the copy back; nothing to do for reads and where nothing was copied.
    void end(const exec_context &ctx, int arg) const {
        if (copied_ && write_) run(write_, ctx, ctx.scratch(buffer_), ctx.data(arg));
    }

  private:
    void run(const nested_plan &step, const exec_context &ctx, void *from, void *to) const;

    memory_desc user_, wanted_;
    bool copied_ = false;
    nested_plan read_, write_;
    scratch_slot<char> buffer_;
    const char *why_not_ = nullptr;
};

// ---- A row on tensors in layouts of its own choice, with the library's reorders around it: for
// layouts that the row itself cannot walk ----

/// The layout that replaces a tensor's, or a post-op operand's; dims and type stay.
using wanted_layout = memory_desc (*)(const memory_desc &);

/// The dense row-major layout of md's dims.
memory_desc plain_layout(const memory_desc &md);
/// md where it has this type and a dense last dimension, else a dense row-major layout.
memory_desc with_dense_rows(const memory_desc &md, data_type type);

/// The plan of `row` for the problem as it is, or for its tensors in the wanted layout. Layouts
/// `any` are replaced first. `row` sees defined layouts only and changes nothing of the operation.
planned make_walked_or_relaid(problem &p, planned (*row)(problem &), wanted_layout wanted);

/// A plan for the dims and strides of an execution, made where they differ from those of the last.
class runtime_plan : public plan {
  public:
    /// Replaces in `request`, the problem of the plan, what the arguments of ctx say; its target
    /// says which rows may take it.
    using make_concrete = void (*)(problem &request, const exec_context &ctx);

    /// Asks the user for `bytes` of scratchpad where the user provides it. A plan that needs more,
    /// or that the library provides for, leases its scratchpad at execution.
    runtime_plan(problem &p, make_concrete made, std::size_t bytes = 0);
    /// Throws error(unimplemented) when no row takes the concrete problem.
    void execute(const exec_context &ctx) const override;

  private:
    struct made_plan;
    std::shared_ptr<const made_plan> plan_for(const exec_context &ctx) const;

    problem request_;
    make_concrete make_concrete_;
    scratch_slot<std::byte> reserved_;
    std::size_t reserved_bytes_ = 0;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const made_plan> last_;
};

} // namespace dnnl::impl::cpu
