// SPDX-License-Identifier: Apache-2.0
// Search of the implementation table.
#include "common/plan/primitive_desc.hpp"

#include <array>
#include <cassert>

#include "common/plan/implementation.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/isa.hpp"
#include "common/runtime/settings.hpp"
#include "common/verbose/verbose.hpp"

using namespace dnnl::impl;

namespace {
/// More rows than any table has; refusals are kept without allocation.
constexpr std::size_t max_rows = 32;

/// Weights and bias of a fused depthwise convolution.
void add_arguments(depthwise_post_op &op, std::vector<tensor_argument> &arguments) {
    arguments.push_back({DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, &op.weights, false});
    if (!op.bias.is_zero())
        arguments.push_back({DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS, &op.bias, false});
}

/// Room to align a user's scratchpad, whose address may be any.
constexpr dim_t alignment_slack_bytes = 64;
} // namespace

dnnl_primitive_desc::dnnl_primitive_desc(
    dnnl_engine_t engine, op_desc op, const dnnl_primitive_attr *attr, dnnl_engine_t dst_engine)
    : engine_(engine), dst_engine_(dst_engine ? dst_engine : engine) {
    auto request = std::make_shared<problem>();
    request->op = std::move(op);
    request->target = effective_isa();
    if (attr)
        request->attr = *attr;
    else
        request->attr.fpmath = default_fpmath_mode();
    check_attributes(request->op, request->attr);
    request_ = std::move(request);
    std::string refusal;
    if (!search(0, &refusal)) throw error(dnnl_unimplemented, std::move(refusal));
}

bool dnnl_primitive_desc::next_impl() {
    const dnnl_primitive_kind_t what = kind();
    const bool has_one = what == dnnl_reorder || what == dnnl_concat || what == dnnl_sum;
    if (has_one && !walks_every_primitive()) return false;
    return search(row_ + 1, nullptr);
}

bool dnnl_primitive_desc::search(std::size_t first, std::string *refusal) {
    const std::span<const implementation> table = rows(request_->op);
    assert(table.size() <= max_rows);
    std::array<const char *, max_rows> why_not {};
    auto candidate = std::make_shared<problem>(*request_);
    std::size_t row = first;
    planned made =
        find_plan(*candidate, row, [&](const implementation &refused, const char *reason) {
            why_not[row] = reason;
            if (verbose::wants(verbose::dispatch))
                verbose::refused(*request_, full_name(refused), reason);
        });
    if (made.result) {
        auto info = std::make_shared<const std::string>(full_name(table[row]));
        adopt(std::move(candidate)); // from here on nothing throws
        row_ = row;
        plan_ = std::move(made.result);
        info_ = std::move(info);
        return true;
    }
    if (refusal)
        *refusal = refusal_of(
            request_->op, table, std::span<const char *const>(why_not).first(table.size()));
    return false;
}

void dnnl_primitive_desc::adopt(std::shared_ptr<problem> planned_problem) {
    auto arguments =
        std::make_shared<std::vector<tensor_argument>>(arguments_of(planned_problem->op));
    for (post_op &entry : planned_problem->attr.post_ops.entries)
        if (auto *depthwise = std::get_if<depthwise_post_op>(&entry))
            add_arguments(*depthwise, *arguments);
    for ([[maybe_unused]] const tensor_argument &a : *arguments) assert(!a.md->is_any());
    std::shared_ptr<const memory_desc> scratchpad_md;
    const bool user = planned_problem->attr.scratchpad == dnnl_scratchpad_mode_user;
    if (user && planned_problem->scratchpad.bytes() > 0) {
        const dim_t bytes =
            static_cast<dim_t>(planned_problem->scratchpad.bytes()) + alignment_slack_bytes;
        scratchpad_md = std::make_shared<const memory_desc>(
            make_with_strides(1, &bytes, data_type::u8, nullptr));
    }
    arguments_ = std::move(arguments);
    resolved_ = std::move(planned_problem);
    scratchpad_md_ = std::move(scratchpad_md);
}

const memory_desc &dnnl_primitive_desc::md(int arg) const {
    static const memory_desc none;
    for (const tensor_argument &a : *arguments_)
        if (a.arg == arg) return *a.md;
    if (arg == DNNL_ARG_SCRATCHPAD && scratchpad_md_) return *scratchpad_md_;
    if (arg == DNNL_ARG_ATTR_DROPOUT_MASK) return resolved_->attr.dropout;
    const auto &entries = resolved_->attr.post_ops.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto *binary = std::get_if<binary_post_op>(&entries[i]);
        if (binary && arg == (DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1))
            return binary->src1;
    }
    return none;
}
