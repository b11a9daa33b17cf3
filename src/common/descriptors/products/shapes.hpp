// SPDX-License-Identifier: Apache-2.0
// Convolution and matrix multiplication: their descriptors, checked, and their extents in the
// letters of the specification ("Convolution and Deconvolution", "Matrix Multiplication").
#pragma once

#include "common/descriptors/products.hpp"

namespace dnnl::impl {

/// `prop` is forward_training, forward_inference, backward_data or backward_weights. Throws
/// error(invalid_arguments) where shapes, strides, dilations or paddings disagree.
convolution_desc make_convolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given);

/// The checks that convolution and deconvolution share: sets the tensors and the window of desc,
/// whose prop is set already, and throws error(invalid_arguments) where ranks, channels or window
/// parameters do not fit. Reasons start with the primitive's name.
void take_tensors_and_window(convolution_desc &desc, named_primitive primitive,
    const convolution_tensors &tensors, const window_parameters &given);

/// Layouts for tensors that came as `any`: src and dst follow each other, weights are row-major.
void default_convolution_layouts(convolution_desc &desc);
/// The extents in verbose lines, `g2mb1_ic4oc6_ih8oh8kh3sh1dh0ph1...`.
std::string convolution_text(const convolution_desc &desc);

/// dst[mb][g * OC + oc][od][oh][ow] = bias[g * OC + oc] + sum over ic, kd, kh, kw of
///     src[mb][g * IC + ic][od * SD + kd * (DD + 1) - PD][...][...] *
///     weights[g][oc][ic][kd][kh][kw].
/// Spatial dimensions that a convolution lacks have extent 1, stride 1, dilation 0, padding 0.
struct convolution_shape {
    int spatial_ndims; ///< 1, 2 or 3
    bool has_groups;   ///< weights have the leading dimension G
    dim_t MB, G;
    dim_t IC, OC; ///< channels per group
    dim_t ID, IH, IW, OD, OH, OW;
    dim_t KD, KH, KW, SD, SH, SW;
    dim_t DD, DH, DW;       ///< dilation; 0 is dense, or a kernel of one element
    dim_t PD, PH, PW;       ///< padding before the first element
    dim_t PD_R, PH_R, PW_R; ///< padding after the last one; may be negative
};
convolution_shape shape_of(const convolution_desc &desc);

/// bias may be null or empty. Throws error(invalid_arguments) where shapes disagree.
matmul_desc make_matmul_desc(const memory_desc *src, const memory_desc *weights,
    const memory_desc *bias, const memory_desc *dst);

/// dst[b][m][n] = bias[b][m][n] + sum over k of src[b][m][k] * weights[b][k][n]. Where a tensor has
/// extent 1 along a dimension of the batch, its index there is 0; so it is along m and n of bias.
struct matmul_shape {
    int ndims;         ///< of every tensor, at least 2
    dims_t batch {};   ///< extents of dst's leading ndims - 2 dimensions
    dim_t batch_count; ///< their product; 1 without them
    dim_t M, N, K;
};
/// The extents of a product. An entry, also batch_count, is runtime_dim where descriptors say so.
matmul_shape shape_of(const matmul_desc &desc);

/// The tensors of attention as the caller passes them; mask may be null or empty.
struct attention_tensors {
    const memory_desc *queries, *keys, *values, *mask, *dst;
};
/// flags: dnnl_ext_attention_flags_t. Throws error(invalid_arguments) where shapes disagree.
attention_desc make_attention_desc(const attention_tensors &tensors, float scale, unsigned flags);

/// dst[b][m][e] = sum over n of w[b][m][n] * values[b][n][e], with w[b][m] = softmax over n of
/// scale * sum over k of queries[b][m][k] * keys[b][n][k] + mask[b][m][n]. Along a dimension of the
/// batch, neighbours share keys and values, or the mask, where these have fewer.
struct attention_shape {
    dim_t batch_count, M, N, K, E;
    bool causal; ///< rows do not see the keys behind their own, M and N counted from their ends

    /// The number of keys, from the first on, that row m sees; not positive for none.
    dim_t visible(dim_t m) const { return causal ? N - M + m + 1 : N; }
};
attention_shape shape_of(const attention_desc &desc);
/// Null, or why no row takes the types of the tensors.
const char *attention_types_refusal(const attention_desc &desc);
/// The index in md, queries' or another tensor's, of index i along dimension d of the batch.
inline dim_t shared_index(const attention_desc &desc, const memory_desc &md, int d, dim_t i) {
    return i / (desc.queries.dims[d] / md.dims[d]);
}

/// Checks the shapes of three concrete tensors against each other, for dims that are known at
/// execution only. Null when they agree, else the reason.
const char *matmul_shape_mismatch(
    const memory_desc &src, const memory_desc &weights, const memory_desc &dst);

/// True when src or weights are sparse.
inline bool is_sparse(const matmul_desc &desc) {
    return desc.src.is_sparse() || desc.weights.is_sparse();
}

/// Why no row takes a product with a sparse operand; null when one does. Exactly one operand is
/// sparse, in CSR or COO with indices of s32; the dense tensors are row-major or `any`. Types are
/// f32, bf16 or f16 with dst of this type or f32, or any pair of s8 and u8 with dst s32 or f32.
const char *sparse_matmul_refusal(const matmul_desc &desc, const primitive_attr &attr);

} // namespace dnnl::impl
