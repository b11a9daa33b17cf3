// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with dimensions or strides that are known at execution only.
#include <numeric>

#include "cpu/matmul/matmul.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Replaces run-time dimensions by `extent`, and the strides of such tensors by dense ones.
void make_concrete(memory_desc &md, dim_t extent) {
    if (!md.has_runtime()) return;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] == runtime_dim) md.dims[d] = md.padded_dims[d] = extent;
    if (md.offset0 == runtime_dim) md.offset0 = 0;
    set_dense_strides(md);
}

/// A group that is longer counts as the whole dimension.
constexpr dim_t longest_group = 4096;

/// The problem with run-time dimensions of one size: `extent`, or the next one above that the
/// groups of the attributes divide.
problem sample_of(const problem &p, dim_t least_extent) {
    problem sample(p);
    dim_t extent = 1;
    for (const auto *params : {&p.attr.scales, &p.attr.zero_points})
        for (const quantization &q : params->entries())
            if (q.has_groups())
                for (dim_t group : q.group_dims)
                    if (group <= longest_group) extent = std::lcm(extent, group);
    extent = round_up(least_extent, extent);
    auto &op = std::get<matmul_desc>(sample.op);
    // Where one tensor says the extent of a batch dimension, the sample takes it for all.
    for (int d = 0; d < op.dst.ndims - 2; ++d) {
        dim_t known = runtime_dim;
        for (const memory_desc *md : {&op.src, &op.weights, &op.dst})
            if (md->dims[d] != runtime_dim && md->dims[d] != 1) known = md->dims[d];
        if (known == runtime_dim) continue;
        for (memory_desc *md : {&op.src, &op.weights, &op.dst})
            if (md->dims[d] == runtime_dim) md->dims[d] = md->padded_dims[d] = known;
    }
    for (memory_desc *md : {&op.src, &op.weights, &op.bias, &op.dst}) make_concrete(*md, extent);
    if (memory_desc &mask = sample.attr.dropout.mask; mask.has_runtime()) {
        mask = op.dst;
        mask.dtype = data_type::u8;
    }
    for_each_source(
        sample.attr.post_ops, [&](memory_desc &source, int) { make_concrete(source, extent); });
    return sample;
}

/// Returns the bytes of scratchpad that an execution with many rows needs, for known weights only:
/// with them the scratchpad grows with the number of rows for few attributes and layouts.
std::size_t bytes_for_many_rows(const problem &p, planned (*make_concrete)(problem &)) {
    const auto &op = std::get<matmul_desc>(p.op);
    if (p.attr.scratchpad != dnnl_scratchpad_mode_user || op.weights.has_runtime()) return 0;
    constexpr dim_t many = 2048;
    problem sample = sample_of(p, many);
    const planned made = make_concrete(sample);
    return made.result ? sample.scratchpad.bytes() : 0;
}

void take_arguments(problem &p, const exec_context &ctx) {
    auto &op = std::get<matmul_desc>(p.op);
    op.src = ctx.desc(DNNL_ARG_SRC);
    op.weights = ctx.desc(DNNL_ARG_WEIGHTS);
    op.dst = ctx.desc(DNNL_ARG_DST);
    if (!op.bias.is_zero()) op.bias = ctx.desc(DNNL_ARG_BIAS);
    if (memory_desc &mask = p.attr.dropout.mask; !mask.is_zero())
        mask = ctx.desc(DNNL_ARG_ATTR_DROPOUT_MASK);
    for_each_source(p.attr.post_ops, [&](memory_desc &source, int arg) { source = ctx.desc(arg); });
}

} // namespace

bool has_runtime(const matmul_desc &op) {
    for (const memory_desc *md : {&op.src, &op.weights, &op.bias, &op.dst})
        if (md->has_runtime()) return true;
    return false;
}

planned make_runtime_matmul(problem &p, planned (*make_concrete)(problem &)) {
    auto &op = std::get<matmul_desc>(p.op);
    for (const memory_desc *md : {&op.src, &op.weights, &op.bias, &op.dst})
        if (!md->is_zero() && !md->is_any() && !md->is_plain())
            return "a blocked layout beside run-time dimensions";
    problem sample = sample_of(p, 1);
    planned made = make_concrete(sample);
    if (!made.result) return made;
    const std::size_t bytes =
        std::max(sample.scratchpad.bytes(), bytes_for_many_rows(p, make_concrete));
    const auto &chosen = std::get<matmul_desc>(sample.op);
    if (op.weights.is_any() && !op.weights.has_runtime()) op.weights = chosen.weights;
    default_layouts(p);
    return try_plan<runtime_plan>(p, take_arguments, bytes);
}

} // namespace dnnl::impl::cpu
