// SPDX-License-Identifier: Apache-2.0
// The search of the table, and the execution of what it finds.
#include "common/plan/primitive.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>

#include "common/descriptors/describe.hpp"
#include "common/layout/memory.hpp"
#include "common/runtime/isa.hpp"
#include "common/runtime/parallel.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl_debug.h"

using namespace dnnl::impl;

namespace {
/// Extra bytes of a user's scratchpad, in which any address is rounded up to 64 bytes.
constexpr dim_t alignment_slack_bytes = 64;

/// So many bound arguments lie on the stack, without an allocation.
constexpr std::size_t few = 16;

void check_duplicates(const primitive_desc &pd, std::span<const dnnl_exec_arg_t> args) {
    for (std::size_t i = 1; i < args.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (args[i].arg == args[j].arg) refuse(pd, args[i].arg, "it is passed twice");
}
} // namespace

// ---- Rows ----

planned dnnl::impl::try_row(const implementation &row, problem &p) try {
    p.target = row.needs;
    p.scratchpad = {};
    if (!has(row.needs, isa::amx)) return row.make_plan(p);
    problem attempt(p);
    planned made = row.make_plan(attempt);
    if (!made.result) return made;
    if (!request_amx_permission()) return "the operating system does not permit AMX tiles";
    p = std::move(attempt);
    return made;
} catch (const size_overflow &) {
    return "its layouts are larger than 64 bits count";
}

std::string dnnl::impl::full_name(const implementation &row) {
    std::string name(row.name);
    if (row.needs != isa::none) name.append(":").append(name_of(row.needs));
    return name;
}

// ---- Primitive descriptors ----

dnnl_primitive_desc::dnnl_primitive_desc(
    dnnl_engine_t engine, op_desc op, const dnnl_primitive_attr *attr, dnnl_engine_t dst_engine)
    : engine_(engine), dst_engine_(dst_engine ? dst_engine : engine) {
    std::optional<primitive_attr> defaults;
    if (!attr) attr = &defaults.emplace();
    if (defaults) defaults->fpmath = default_fpmath_mode();
    const isa target = effective_isa();
    const std::uint64_t hash = take_kept(op, *attr, target);
    if (row_) return;
    check_attributes(op, *attr);
    request_ = std::make_shared<problem>(problem {std::move(op), *attr, target, {}});
    std::string refusal;
    if (!search(0, &refusal)) throw error(dnnl_unimplemented, std::move(refusal));
    keep(hash);
}

bool dnnl_primitive_desc::next_impl() {
    const dnnl_primitive_kind_t what = kind();
    const bool has_one = what == dnnl_reorder || what == dnnl_concat || what == dnnl_sum;
    if (has_one && !walks_every_primitive()) return false;
    return search(row_->number + 1, nullptr);
}

bool dnnl_primitive_desc::search(std::size_t first, std::string *refusal) {
    const std::span<const implementation> table = rows(request_->op);
    std::array<const char *, most_rows> why_not {};
    const auto row = std::make_shared<chosen_row>(chosen_row {*request_, first});
    const auto note = [&](const implementation &refused, const char *reason) {
        why_not[row->number] = reason;
        if (verbose::wants(verbose::dispatch))
            verbose::refused(*request_, full_name(refused), reason);
    };
    row->made = find_plan(row->resolved, row->number, note).result;
    if (row->made) {
        row->info = full_name(table[row->number]);
        row->complete();
        row_ = row; // nothing changes before
        was_kept_ = false;
        if (first == 0 && row->number + 1 == table.size())
            verbose::reference_taken(row->resolved.op, row->arguments);
        return true;
    }
    if (refusal)
        *refusal = refusal_of(
            request_->op, table, std::span<const char *const>(why_not).first(table.size()));
    return false;
}

void dnnl_primitive_desc::chosen_row::complete() {
    arguments = arguments_of(resolved.op);
    for (post_op &entry : resolved.attr.post_ops.entries)
        if (auto *depthwise = std::get_if<depthwise_post_op>(&entry)) {
            constexpr int fused = DNNL_ARG_ATTR_POST_OP_DW;
            arguments.push_back({fused | DNNL_ARG_WEIGHTS, &depthwise->weights, false});
            if (!depthwise->bias.is_zero())
                arguments.push_back({fused | DNNL_ARG_BIAS, &depthwise->bias, false});
        }
    for ([[maybe_unused]] const tensor_argument &a : arguments) assert(!a.md->is_any());
    const std::size_t bytes = resolved.scratchpad.bytes();
    if (bytes == 0 || resolved.attr.scratchpad != dnnl_scratchpad_mode_user) return;
    const dim_t with_slack = dim_t(bytes) + alignment_slack_bytes;
    scratchpad = make_with_strides(1, &with_slack, data_type::u8, nullptr);
}

const memory_desc &dnnl_primitive_desc::md(int arg) const {
    static const memory_desc none;
    for (const tensor_argument &a : row_->arguments)
        if (a.arg == arg) return *a.md;
    if (arg == DNNL_ARG_SCRATCHPAD) return row_->scratchpad;
    if (arg == DNNL_ARG_ATTR_DROPOUT_MASK) return resolved().attr.dropout.mask;
    const memory_desc *found = &none;
    for_each_source(resolved().attr.post_ops, [&](const memory_desc &source, int source_arg) {
        if (arg == source_arg) found = &source;
    });
    return *found;
}

// ---- Primitives ----

dnnl_primitive::dnnl_primitive(const primitive_desc &pd)
    : pd_(pd), scratchpad_user_(pd.user_scratchpad() ? 0 : pd.scratchpad_bytes()) {
    for (const tensor_argument &a : pd_.arguments()) {
        required_.push_back({a.arg, a.md, {}, a.is_output});
        has_runtime_ = has_runtime_ || a.md->has_runtime();
    }
    for (const post_op &op : pd_.resolved().attr.post_ops.entries)
        if (const auto *sum = std::get_if<sum_post_op>(&op))
            for (required_argument &required : required_)
                if (required.arg == DNNL_ARG_DST) required.type_of_sum = sum->dtype;
    require_arguments_of(pd_.resolved().attr, required_);
    written_pairs_ = written_pairs(pd_.resolved().op, required_);
}

void dnnl_primitive::mention_unknown(std::span<const dnnl_exec_arg_t> args) const {
    for (const dnnl_exec_arg_t &a : args) {
        const auto needed = [&](const required_argument &r) { return r.arg == a.arg; };
        if (a.arg != DNNL_ARG_SCRATCHPAD &&
            std::none_of(required_.begin(), required_.end(), needed))
            verbose::argument_ignored(dnnl_prim_kind2str(pd_.kind()), text_of(a.arg));
    }
}

const dnnl_memory *dnnl_primitive::find_checked(
    const required_argument &required, std::span<const dnnl_exec_arg_t> args) const {
    const auto found = std::ranges::find(args, required.arg, &dnnl_exec_arg_t::arg);
    if (found == args.end()) refuse(pd_, required.arg, "it is missing");
    if (!found->memory) refuse(pd_, required.arg, "its memory is null");
    const dnnl_memory &memory = *found->memory;
    const bool is_on_host = memory.md().is_host_scalar();
    // All engines are the one CPU, whichever object a program made for it.
    const bool elsewhere = memory.engine() != pd_.engine() && memory.engine() != pd_.dst_engine();
    if (!is_on_host && elsewhere && strict_memory())
        refuse(pd_, required.arg, "its memory belongs to another engine");
    const memory_desc &md = memory.md();
    if (!memory.data() && (md.is_sparse() ? md.size_bytes() > 0 : md.nelems() > 0))
        refuse(pd_, required.arg, "its memory has no buffer");
    for (int i = 1; i < md.buffer_count(); ++i)
        if (!memory.data(i) && md.size_bytes(i) > 0)
            refuse(pd_, required.arg, "its memory lacks buffer " + std::to_string(i));
    return &memory;
}

void dnnl_primitive::bind(
    std::span<const dnnl_exec_arg_t> args, std::span<bound_argument> bound) const {
    for (std::size_t i = 0; i < required_.size(); ++i) {
        const required_argument &required = required_[i];
        const dnnl_memory &memory = *find_checked(required, args);
        const memory_desc &actual = memory.md();
        const bool is_known_now = !required.md || (has_runtime_ && required.md->has_runtime());
        // Where the memory is a view, it is read by the primitive's descriptor.
        const memory_desc *md = is_known_now ? &actual : required.md;
        if (is_known_now || actual != *md) {
            const std::string reason = mismatch(required, actual, bound.first(i));
            if (!reason.empty()) refuse(pd_, required.arg, reason);
            if (verbose::wants(verbose::check))
                verbose::argument_reread(dnnl_prim_kind2str(pd_.kind()), text_of(required.arg),
                    reread(required, actual, bound.first(i)));
        }
        bound[i] = {required.arg, md, memory.data() ? memory.data() : nothing};
        for (int b = 1; b < actual.buffer_count(); ++b)
            bound[i].indices[std::size_t(b - 1)] = memory.data(b);
    }
}

void dnnl_primitive::run(dnnl_stream &stream, std::span<const dnnl_exec_arg_t> args,
    std::span<bound_argument> bound) const {
    bind(args, bound);
    if (has_runtime_) check_runtime_shapes(pd_, bound);
    const std::size_t bytes = pd_.scratchpad_bytes();
    std::byte *users = nullptr;
    if (pd_.user_scratchpad() && bytes > 0) {
        const memory_desc &md = pd_.md(DNNL_ARG_SCRATCHPAD);
        const dnnl_memory &memory = *find_checked({DNNL_ARG_SCRATCHPAD, &md, {}, false}, args);
        if (memory.md().buffer_bytes() < md.size_bytes())
            refuse(pd_, DNNL_ARG_SCRATCHPAD, "it is smaller than scratchpad_md");
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        users = static_cast<std::byte *>(memory.data()) + (64 - address % 64) % 64;
    }
    bool has_work = false;
    for (std::size_t i = 0; i < required_.size(); ++i)
        if (required_[i].is_output && !bound[i].md->has_zero_dim()) has_work = true;
    if (!has_work) return;
    for (const written_pair &pair : written_pairs_)
        if (may_share_memory(pair, bound)) check_shared_memory(pd_, bound, pair);
    if (users) check_scratchpad(pd_, bound, users);
    if (!submits(stream)) return run_plan(pd_, bound, users);
    submit(stream, [job = std::make_shared<const submitted_execution>(pd_, bound, users)] {
        run_plan(job->pd, job->bound, job->users);
    });
}

void dnnl_primitive::execute(dnnl_stream_t stream, std::span<const dnnl_exec_arg_t> args) const {
    if (stream->engine != pd_.engine())
        throw error(dnnl_invalid_arguments, "stream: its engine is not the primitive's");
    check_duplicates(pd_, args);
    const threadpool_scope pool(stream->threadpool);
    const thread_limit limit(stream->threads);
    if (verbose::wants(~(verbose::errors | verbose::refusals))) mention_unknown(args);
    const bool timed = verbose::wants(verbose::profile_exec);
    const double start_ms = timed ? verbose::now_ms() : 0;
    if (required_.size() <= few) {
        std::array<bound_argument, few> bound;
        run(*stream, args, std::span(bound).first(required_.size()));
    } else {
        std::vector<bound_argument> bound(required_.size());
        run(*stream, args, bound);
    }
    if (timed) verbose::profiled("exec", pd_.chosen(), verbose::now_ms() - start_ms);
}
