// SPDX-License-Identifier: Apache-2.0
#include "cpu/elementwise/row_wise_plan.hpp"

namespace dnnl::impl::cpu {

const char *row_wise_plan::cut(
    std::initializer_list<argument> arguments, const row_options &options) {
    result_ = *arguments.begin()->md;
    std::vector<const memory_desc *> tensors;
    for (const argument &a : arguments) {
        if (a.md->is_zero()) continue;
        args_[count_] = a.arg;
        bytes_[count_++] = static_cast<dim_t>(size_of(a.md->dtype));
        tensors.push_back(a.md);
    }
    epilogue_.append_operands(tensors);
    return cut_into_rows(tensors, options, boxes_);
}

} // namespace dnnl::impl::cpu
