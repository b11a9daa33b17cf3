// SPDX-License-Identifier: Apache-2.0
#include "cpu/elementwise/row_wise_plan.hpp"

namespace dnnl::impl::cpu {

void row_wise_plan::cut(
    std::initializer_list<argument> arguments, const row_options &options, const char *no_columns) {
    result_ = *arguments.begin()->md;
    std::vector<const memory_desc *> tensors;
    for (const argument &a : arguments) {
        if (a.md->is_zero()) continue;
        args_[count_] = a.arg;
        bytes_[count_++] = static_cast<dim_t>(size_of(a.md->dtype));
        tensors.push_back(a.md);
    }
    epilogue_.append_operands(tensors);
    why_not_ = cut_into_rows(tensors, options, boxes_);
    // The first box is the largest.
    if (!why_not_ && !boxes_.empty() && !boxes_.front().has_columns()) why_not_ = no_columns;
}

} // namespace dnnl::impl::cpu
