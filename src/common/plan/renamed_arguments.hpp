// SPDX-License-Identifier: Apache-2.0
// The arguments of an execution under the names and shapes of another primitive, which carries it
// out (nested_plan.hpp).
#pragma once

#include <algorithm>
#include <array>

#include "common/attributes/attributes.hpp"
#include "common/plan/exec_context.hpp"

namespace dnnl::impl {

class renamed_arguments {
  public:
    /// Tensor `from` of the outer context becomes `to`, seen as `md`.
    struct rename {
        int from, to;
        const memory_desc *md;
        void *data; ///< null: the buffer of `from`
    };
    /// Arguments without a rename are passed on as they are.
    renamed_arguments(const exec_context &ctx, std::span<const rename> renames) {
        for (const bound_argument &a : ctx.arguments()) {
            const auto found = std::find_if(
                renames.begin(), renames.end(), [&](const rename &r) { return r.from == a.arg; });
            entries_[count_++] = found == renames.end() ? a
                                                        : bound_argument {found->to, found->md,
                                                              found->data ? found->data : a.data};
        }
    }
    std::span<const bound_argument> list() const { return std::span(entries_).first(count_); }

  private:
    /// Tensors, their scales and zero points, post-ops.
    std::array<bound_argument, 16 + 2 * post_ops::max_count> entries_;
    std::size_t count_ = 0;
};

} // namespace dnnl::impl
