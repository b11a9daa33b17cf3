// SPDX-License-Identifier: Apache-2.0
// The optimised implementations: one function per row family. Each looks at problem.target for the
// instruction set that it may use, and refuses with a reason.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "common/layout/data_type.hpp"
#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

planned make_attention(problem &);
planned make_batch_normalization(problem &);
planned make_binary(problem &);
planned make_concat(problem &);
planned make_depthwise_convolution(problem &);
planned make_depthwise_convolution_weights(problem &);
planned make_depthwise_deconvolution(problem &);
planned make_depthwise_deconvolution_weights(problem &);
inline constexpr dim_t most_dot_columns = 8;
/// Products with at most so many columns, or few rows and plain weights.
planned make_dots_matmul(problem &);
planned make_eltwise(problem &);
/// Functions of one byte.
planned make_eltwise_table(problem &);
planned make_few_outputs_convolution(problem &);
/// A pointwise convolution with a depthwise one as post-op, as two plans; on any CPU.
planned make_fused_depthwise(problem &);
planned make_gemm_convolution(problem &);
planned make_gemm_convolution_weights(problem &);
planned make_gemm_deconvolution(problem &);
planned make_gemm_deconvolution_weights(problem &);
planned make_gemm_inner_product(problem &);
planned make_gemm_matmul(problem &);
planned make_group_normalization(problem &);
planned make_grouped_convolution(problem &);
planned make_layer_normalization(problem &);
planned make_lrn(problem &);
planned make_pack_reorder(problem &);
planned make_pooling(problem &);
planned make_prelu(problem &);
planned make_reduction(problem &);
planned make_reorder(problem &);
planned make_resampling(problem &);
planned make_rnn(problem &);
planned make_shuffle(problem &);
planned make_softmax(problem &);
planned make_sparse_matmul(problem &);
planned make_sum(problem &);

/// The one scale of a tensor of an execution; the attributes have one.
inline f32 common_scale(const exec_context &ctx, int arg) {
    const memory_desc &md = ctx.desc(DNNL_ARG_ATTR_SCALES | arg);
    return load_f32(md.dtype, ctx.data(DNNL_ARG_ATTR_SCALES | arg), md.offset0);
}

/// The reason of a row without products whose level adds one thing, the rounding of pairs of
/// vectors to bf16, which this problem does not need.
inline constexpr char made_for_pairs_of_bf16[] =
    "made for adjacent elements of bf16 without attributes at this level";
/// True where all tensors are bf16, absent ones left out.
inline bool are_bf16(std::initializer_list<const memory_desc *> tensors) {
    return std::all_of(tensors.begin(), tensors.end(),
        [](const memory_desc *md) { return md->is_zero() || md->dtype == data_type::bf16; });
}
/// That reason, found before a plan is made; null where the row may take these tensors.
inline const char *level_refusal(
    const problem &p, std::initializer_list<const memory_desc *> tensors) {
    if (p.target != isa::avx512_bf16) return nullptr;
    return are_bf16(tensors) && p.attr.has_default_values() ? nullptr : made_for_pairs_of_bf16;
}

} // namespace dnnl::impl::cpu
