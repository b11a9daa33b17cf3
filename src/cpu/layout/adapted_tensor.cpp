// SPDX-License-Identifier: Apache-2.0
#include "cpu/layout/adapted_tensor.hpp"

#include "common/layout/data_type.hpp"

namespace dnnl::impl::cpu {

adapted_tensor::adapted_tensor(
    problem &p, const memory_desc &user, const memory_desc &wanted, use how)
    : user_(user), wanted_(wanted), copied_(user != wanted) {
    if (!copied_) return;
    if (how != use::write) {
        read_ = nested_plan(p, reorder_desc {user_, wanted_}, {});
        if (!read_) why_not_ = read_.why_not();
    }
    if (how != use::read) {
        write_ = nested_plan(p, reorder_desc {wanted_, user_}, {});
        if (!write_) why_not_ = write_.why_not();
    }
    buffer_ = p.scratchpad.reserve<std::byte>(static_cast<dim_t>(wanted_.size_bytes()));
}

void adapted_tensor::run(
    const nested_plan &step, const exec_context &ctx, void *from, void *to) const {
    const auto &op = std::get<reorder_desc>(step.op());
    const bound_argument arguments[] {{DNNL_ARG_FROM, &op.src, from}, {DNNL_ARG_TO, &op.dst, to}};
    step.execute(ctx, arguments);
}

void *adapted_tensor::begin(const exec_context &ctx, void *user) const {
    if (copied_ && read_) run(read_, ctx, user, ctx.scratch(buffer_));
    if (copied_) return ctx.scratch(buffer_);
    return static_cast<char *>(user) + wanted_.offset0 * size_in_bytes(wanted_.dtype);
}

void adapted_tensor::end(const exec_context &ctx, void *user) const {
    if (copied_ && write_) run(write_, ctx, ctx.scratch(buffer_), user);
}

} // namespace dnnl::impl::cpu
