// SPDX-License-Identifier: Apache-2.0
// What each operation is called and which tensors its execution takes.
#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

dnnl_primitive_kind_t kind_of(const op_desc &op) {
    return std::visit([](const auto &desc) { return desc.facts.kind; }, op);
}

dnnl_prop_kind_t prop_of(const op_desc &op) {
    return std::visit(
        [](const auto &desc) {
            if constexpr (requires { desc.prop; })
                return desc.prop;
            else
                return dnnl_prop_kind_undef;
        },
        op);
}

std::vector<tensor_argument> arguments_of(op_desc &op) {
    argument_list arguments;
    arguments.entries.reserve(4);
    std::visit([&](auto &desc) { desc.facts.arguments(desc, arguments); }, op);
    return std::move(arguments.entries);
}

} // namespace dnnl::impl
