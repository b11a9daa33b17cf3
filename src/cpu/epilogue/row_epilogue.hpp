// SPDX-License-Identifier: Apache-2.0
// The epilogue of drivers that walk tensors tile by tile: the operands of binary post-ops are
// tensors of the walk, so any broadcast and any layout whose blocks nest with those of dst will do.
#pragma once

#include <optional>
#include <vector>

#include "cpu/epilogue/epilogue.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

class row_epilogue {
  public:
    /// Null when the attributes can be applied; else the reason. Layouts may still be `any`.
    static const char *refusal(const problem &p);

    row_epilogue() = default;
    /// Layouts are resolved already. with_scales: the attributes' scales belong to the epilogue.
    row_epilogue(problem &p, const memory_desc &dst, bool with_scales);

    /// False when results are stored as they are.
    bool is_needed() const { return plan_.has_value(); }
    /// Appends the operands to the tensors that are walked together.
    void append_operands(std::vector<const memory_desc *> &tensors);

    /// Called once per execution.
    void bind(const exec_context &ctx, bound_epilogue &out) const {
        if (plan_) plan_->bind(ctx, out);
    }

    /// A bound epilogue at one tile; the steps live in this object.
    class at_piece {
      public:
        at_piece(const row_epilogue &owner, const bound_epilogue &bound, const nest_level &rows,
            const nest_level &columns, const nest_offsets &offsets);
        at_piece(const at_piece &) = delete;
        at_piece &operator=(const at_piece &) = delete;
        /// Null when nothing is to be applied.
        const epilogue *get() const { return needed_ ? &epilogue_ : nullptr; }

      private:
        bool needed_;
        epilogue epilogue_;
        std::array<epilogue_step, most_steps> steps_;
    };

  private:
    std::optional<epilogue_plan> plan_; ///< nothing where results are stored as they are
    std::vector<memory_desc> operands_;
    std::vector<int> operand_of_step_; ///< index into operands_, -1: none
    std::size_t first_operand_ = 0;    ///< index of operands_[0] in the walk
    friend class at_piece;
};

} // namespace dnnl::impl::cpu
