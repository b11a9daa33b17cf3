// SPDX-License-Identifier: Apache-2.0
// Checks and binds the arguments of an execution.
#include "common/plan/primitive.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "common/descriptors/describe.hpp"
#include "common/descriptors/matmul.hpp"
#include "common/layout/memory.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/engine.hpp"
#include "common/runtime/error.hpp"
#include "common/verbose/verbose.hpp"
#include "dnnl/dnnl_debug.h"

using namespace dnnl::impl;

namespace {
/// Bound arguments up to this many need no allocation.
constexpr std::size_t few = 16;

/// The address of what has no bytes, for plans that add offsets to it: tensors without elements
/// and scratchpads in which nothing was reserved.
alignas(64) std::byte nothing[64];

[[noreturn]] void refuse(const primitive_desc &pd, int arg, const std::string &what) {
    throw error(dnnl_invalid_arguments,
        std::string(dnnl_prim_kind2str(pd.kind())) + ": " + text_of(arg) + ": " + what);
}

/// True when a concrete descriptor is one that `expected`, with runtime dims or strides, stands
/// for.
bool fits_runtime(const memory_desc &expected, const memory_desc &actual) {
    if (actual.ndims != expected.ndims || actual.dtype != expected.dtype || !actual.is_blocked() ||
        actual.inner_nblks != expected.inner_nblks || actual.inner_blks != expected.inner_blks ||
        actual.inner_idxs != expected.inner_idxs)
        return false;
    for (int d = 0; d < expected.ndims; ++d) {
        if (expected.dims[d] != runtime_dim && actual.dims[d] != expected.dims[d]) return false;
        if (expected.strides[d] != runtime_dim && actual.strides[d] != expected.strides[d] &&
            actual.dims[d] != 1)
            return false;
    }
    return expected.offset0 == runtime_dim || actual.offset0 == expected.offset0;
}

std::string runtime_mismatch(const memory_desc &expected, const memory_desc &actual) {
    if (fits_runtime(expected, actual)) return {};
    return "its memory is " + describe(actual) + ", expected " + describe(expected);
}

void check_duplicates(const primitive_desc &pd, std::span<const dnnl_exec_arg_t> args) {
    for (std::size_t i = 1; i < args.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (args[i].arg == args[j].arg) refuse(pd, args[i].arg, "it is passed twice");
}

const memory_desc *desc_of(std::span<const bound_argument> bound, int arg) {
    for (const bound_argument &b : bound)
        if (b.arg == arg) return b.md;
    return nullptr;
}

/// Shapes of a problem with runtime dims, known now.
void check_runtime_shapes(const primitive_desc &pd, std::span<const bound_argument> bound) {
    const memory_desc &src = *desc_of(bound, DNNL_ARG_SRC), &dst = *desc_of(bound, DNNL_ARG_DST);
    if (pd.kind() == dnnl_reorder) {
        if (!same_dims(src, dst)) refuse(pd, DNNL_ARG_TO, "its dims differ from DNNL_ARG_FROM's");
        return;
    }
    const memory_desc &weights = *desc_of(bound, DNNL_ARG_WEIGHTS);
    if (const char *reason = matmul_shape_mismatch(src, weights, dst))
        throw error(dnnl_invalid_arguments, reason);
    for (const bound_argument &b : bound) {
        const bool post_op = b.arg >= DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE;
        if (b.arg != DNNL_ARG_BIAS && !(post_op && (b.arg & DNNL_ARG_SRC_1) == DNNL_ARG_SRC_1))
            continue;
        for (int d = 0; d < dst.ndims; ++d)
            if (b.md->ndims == dst.ndims && b.md->dims[d] != 1 && b.md->dims[d] != dst.dims[d])
                refuse(pd, b.arg, "a dimension is neither 1 nor dst's");
    }
}
} // namespace

dnnl_primitive::dnnl_primitive(const primitive_desc &pd)
    : pd_(pd), scratchpad_user_(pd.user_scratchpad() ? 0 : pd.scratchpad_bytes()) {
    const primitive_attr &attr = pd_.resolved().attr;
    required_.reserve(pd_.arguments().size() + attr.scales.entries().size() +
                      attr.zero_points.entries().size() + attr.post_ops.entries.size() + 4);
    for (const tensor_argument &a : pd_.arguments()) {
        required_.push_back({a.arg, a.md, {}, a.is_output});
        has_runtime_ = has_runtime_ || a.md->has_runtime();
    }
    for (const quantization &q : attr.scales.entries())
        required_.push_back({DNNL_ARG_ATTR_SCALES | q.arg, nullptr, q, false});
    for (const quantization &q : attr.zero_points.entries())
        required_.push_back({DNNL_ARG_ATTR_ZERO_POINTS | q.arg, nullptr, q, false});
    for (std::size_t i = 0; i < attr.post_ops.entries.size(); ++i) {
        const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
        const post_op &entry = attr.post_ops.entries[i];
        if (const auto *binary = std::get_if<binary_post_op>(&entry))
            required_.push_back({base | DNNL_ARG_SRC_1, &binary->src1, {}, false});
        if (const auto *prelu = std::get_if<prelu_post_op>(&entry))
            required_.push_back({base | DNNL_ARG_WEIGHTS, nullptr,
                {DNNL_ARG_DST, prelu->mask, 0, {1, 1}, data_type::f32}, false, true});
    }
    const auto scalar = [&](int arg, data_type dtype) {
        required_.push_back({arg, nullptr, {DNNL_ARG_UNDEF, 0, 0, {1, 1}, dtype}, false});
    };
    if (!attr.dropout.is_zero()) {
        required_.push_back({DNNL_ARG_ATTR_DROPOUT_MASK, &attr.dropout, {}, true});
        scalar(DNNL_ARG_ATTR_DROPOUT_PROBABILITY, data_type::f32);
        scalar(DNNL_ARG_ATTR_DROPOUT_SEED, data_type::s32);
    }
    if (!attr.stochastic_rounding.empty()) scalar(DNNL_ARG_ATTR_ROUNDING_SEED, data_type::s32);
}

const dnnl_memory *dnnl_primitive::find_checked(
    const required_argument &required, std::span<const dnnl_exec_arg_t> args) const {
    const auto found = std::find_if(
        args.begin(), args.end(), [&](const dnnl_exec_arg_t &a) { return a.arg == required.arg; });
    if (found == args.end()) refuse(pd_, required.arg, "it is missing");
    if (!found->memory) refuse(pd_, required.arg, "its memory is null");
    const dnnl_memory &memory = *found->memory;
    if (memory.engine() != pd_.engine() && memory.engine() != pd_.dst_engine())
        refuse(pd_, required.arg, "its memory belongs to another engine");
    if (!memory.data() && memory.md().nelems() > 0)
        refuse(pd_, required.arg, "its memory has no buffer");
    return &memory;
}

namespace {
/// Why the memory cannot hold values of an attribute; the tensors that they belong to are bound.
std::string attribute_mismatch(const required_argument &required, const memory_desc &actual,
    std::span<const bound_argument> bound) {
    const quantization &q = required.values;
    // What a fused depthwise convolution scales at its end is dst.
    const bool fused_dst = q.arg == (DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST);
    const memory_desc *tensor = desc_of(bound, fused_dst ? DNNL_ARG_DST : q.arg);
    return required.are_slopes ? slopes_mismatch(q.mask, *tensor, actual)
                               : values_mismatch(q, tensor, actual);
}
} // namespace

void dnnl_primitive::bind(
    std::span<const dnnl_exec_arg_t> args, std::span<bound_argument> bound) const {
    for (std::size_t i = 0; i < required_.size(); ++i) {
        const required_argument &required = required_[i];
        const dnnl_memory &memory = *find_checked(required, args);
        const memory_desc &actual = memory.md(), *md = &actual;
        const auto check = [&](const std::string &mismatch) {
            if (!mismatch.empty()) refuse(pd_, required.arg, mismatch);
        };
        if (!required.md)
            check(attribute_mismatch(required, actual, bound.first(i)));
        else if (has_runtime_ && required.md->has_runtime()) // known now
            check(runtime_mismatch(*required.md, actual));
        else if (md = required.md; actual != *md) // a view, read by the primitive's descriptor
            check(memory_mismatch(*md, actual));
        bound[i] = {required.arg, md, memory.data() ? memory.data() : nothing};
    }
}

void dnnl_primitive::run(
    std::span<const dnnl_exec_arg_t> args, std::span<bound_argument> bound) const {
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
    const scratchpad_lease lease(users ? 0 : bytes);
    std::byte *scratchpad = users ? users : bytes > 0 ? lease.data() : nothing;
    pd_.prepared().execute(exec_context(bound, scratchpad));
}

void dnnl_primitive::mention_unknown(std::span<const dnnl_exec_arg_t> args) const {
    for (const dnnl_exec_arg_t &a : args) {
        const auto needed = [&](const required_argument &r) { return r.arg == a.arg; };
        if (a.arg != DNNL_ARG_SCRATCHPAD &&
            std::none_of(required_.begin(), required_.end(), needed))
            verbose::argument_ignored(dnnl_prim_kind2str(pd_.kind()), text_of(a.arg));
    }
}

void dnnl_primitive::execute(dnnl_stream_t stream, std::span<const dnnl_exec_arg_t> args) const {
    if (stream->engine != pd_.engine())
        throw error(dnnl_invalid_arguments, "stream: its engine is not the primitive's");
    check_duplicates(pd_, args);
    const threadpool_scope pool(stream->threadpool);
    if (verbose::wants(~unsigned {verbose::errors})) mention_unknown(args);
    const bool timed = verbose::wants(verbose::profile_exec);
    const double start_ms = timed ? verbose::now_ms() : 0;
    if (required_.size() <= few) {
        std::array<bound_argument, few> bound;
        run(args, std::span(bound).first(required_.size()));
    } else {
        std::vector<bound_argument> bound(required_.size());
        run(args, bound);
    }
    if (timed) verbose::executed(pd_.chosen(), verbose::now_ms() - start_ms);
}
