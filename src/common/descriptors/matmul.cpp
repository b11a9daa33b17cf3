// SPDX-License-Identifier: Apache-2.0
// Checks and facts of matrix multiplication.
#include "common/descriptors/matmul.hpp"

#include "common/descriptors/checks.hpp"
#include "common/descriptors/primitive_facts.hpp"
#include "common/descriptors/products.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

namespace {
/// Extent of the product's batch dimension; nothing when the two do not fit. A runtime extent fits
/// any other: the execution tells.
std::optional<dim_t> broadcast(dim_t src, dim_t weights) {
    if (src == weights || weights == 1) return src;
    if (src == 1) return weights;
    if (src == runtime_dim || weights == runtime_dim) return runtime_dim;
    return std::nullopt;
}

/// True for a batch extent of dst that src and weights allow: where one of them has a runtime
/// extent, that of the other is as good as a runtime extent.
bool is_batch_of(dim_t dst, dim_t src, dim_t weights) {
    const auto extent = broadcast(src, weights);
    if (dst == *extent) return true;
    const bool mixed = (src == runtime_dim) != (weights == runtime_dim);
    const dim_t known = src == runtime_dim ? weights : src;
    return *extent == runtime_dim && mixed && known != 1 && dst == known;
}

const char *bias_mismatch(const memory_desc &bias, const memory_desc &dst) {
    if (bias.ndims != dst.ndims) return "matmul: bias: its rank differs from dst's";
    for (int d = 0; d < dst.ndims; ++d)
        if (bias.dims[d] != 1 && bias.dims[d] != dst.dims[d])
            return "matmul: bias: a dimension is neither 1 nor dst's";
    return nullptr;
}
} // namespace

const char *matmul_shape_mismatch(
    const memory_desc &src, const memory_desc &weights, const memory_desc &dst) {
    const int ndims = src.ndims;
    if (ndims < 2) return "matmul: src: it must have at least 2 dimensions";
    if (weights.ndims != ndims) return "matmul: weights: its rank differs from src's";
    if (dst.ndims != ndims) return "matmul: dst: its rank differs from src's";
    const int m = ndims - 2, n = ndims - 1;
    if (src.dims[n] != weights.dims[m]) return "matmul: weights: K differs from src's";
    if (dst.dims[m] != src.dims[m]) return "matmul: dst: M differs from src's";
    if (dst.dims[n] != weights.dims[n]) return "matmul: dst: N differs from that of the weights";
    for (int d = 0; d < m; ++d) {
        if (!broadcast(src.dims[d], weights.dims[d]))
            return "matmul: weights: a batch dimension does not fit src's";
        if (!is_batch_of(dst.dims[d], src.dims[d], weights.dims[d]))
            return "matmul: dst: a batch dimension is not that of src and weights";
    }
    return nullptr;
}

matmul_desc make_matmul_desc(const memory_desc *src, const memory_desc *weights,
    const memory_desc *bias, const memory_desc *dst) {
    const unsigned input = may_be_any | may_be_runtime;
    matmul_desc desc;
    desc.src = checked_tensor(desc, "src", src, input | may_be_sparse);
    desc.weights = checked_tensor(desc, "weights", weights, input | may_be_sparse);
    desc.dst = checked_tensor(desc, "dst", dst, input | is_written);
    if (!is_absent(bias)) desc.bias = checked_tensor(desc, "bias", bias, input);
    check_tensors_of(desc, [&] {
        if (const char *reason = matmul_shape_mismatch(desc.src, desc.weights, desc.dst))
            throw error(dnnl_invalid_arguments, reason);
        if (desc.bias.is_zero()) return;
        if (const char *reason = bias_mismatch(desc.bias, desc.dst))
            throw error(dnnl_invalid_arguments, reason);
    });
    require(desc.src.dtype != data_type::s32, "matmul: src: s32 is not a source type");
    return desc;
}

matmul_shape shape_of(const matmul_desc &desc) {
    const memory_desc &src = desc.src, &dst = desc.dst;
    matmul_shape shape {};
    shape.ndims = dst.ndims;
    shape.batch_count = 1;
    for (int d = 0; d < dst.ndims - 2; ++d) {
        shape.batch[d] = dst.dims[d];
        if (dst.dims[d] == runtime_dim || shape.batch_count == runtime_dim)
            shape.batch_count = runtime_dim;
        else
            shape.batch_count *= dst.dims[d];
    }
    shape.M = src.dims[src.ndims - 2];
    shape.K = src.dims[src.ndims - 1];
    shape.N = desc.weights.dims[src.ndims - 1];
    return shape;
}

namespace {
const char *sparse_operand_refusal(const memory_desc &md) {
    if (md.sparse.encoding == dnnl_packed) return "the packed encoding is not offered";
    const bool csr = md.sparse.encoding == dnnl_csr;
    if (md.sparse.indices != data_type::s32 || (csr && md.sparse.pointers != data_type::s32))
        return "indices or pointers of the sparse operand are not s32";
    return nullptr;
}

bool is_row_major(const memory_desc &md) {
    if (md.is_any()) return true;
    memory_desc dense = md;
    set_dense_strides(dense);
    return md.is_plain() && dense == md;
}

const char *sparse_attributes_refusal(const primitive_attr &attr) {
    if (!attr.scales.empty()) return "scales beside a sparse operand";
    if (!attr.zero_points.empty()) return "zero points beside a sparse operand";
    if (!attr.reductions.empty()) return "precomputed reductions beside a sparse operand";
    if (!attr.post_ops.entries.empty()) return "post-ops beside a sparse operand";
    if (attr.dropout.enabled) return "dropout beside a sparse operand";
    if (!attr.stochastic_rounding.empty()) return "stochastic rounding beside a sparse operand";
    return nullptr;
}

const char *sparse_types_refusal(data_type src, data_type weights, data_type dst) {
    if (is_int8(src) && is_int8(weights)) {
        if (dst == data_type::s32 || dst == data_type::f32) return nullptr;
        return "dst of bytes beside a sparse operand is neither s32 nor f32";
    }
    if (src != weights || !is_float(src))
        return "operands are neither of one floating-point type (f32, bf16, f16) nor both s8 or "
               "u8, "
               "and one is sparse";
    if (dst == src || dst == data_type::f32) return nullptr;
    return "dst is neither of the operands' type nor f32, and one of them is sparse";
}
} // namespace

const char *sparse_matmul_refusal(const matmul_desc &desc, const primitive_attr &attr) {
    const memory_desc &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    if (src.is_sparse() && weights.is_sparse()) return "src and weights are both sparse";
    const bool sparse_src = src.is_sparse();
    if (const char *why = sparse_operand_refusal(sparse_src ? src : weights)) return why;
    if (src.has_runtime() || weights.has_runtime() || dst.has_runtime())
        return "dimensions are known at execution only, and an operand is sparse";
    if (!is_row_major(sparse_src ? weights : src) || !is_row_major(dst))
        return "a dense tensor beside a sparse operand is not row-major (ab) without gaps";
    if (!desc.bias.is_zero()) return "a bias beside a sparse operand";
    if (const char *why = sparse_attributes_refusal(attr)) return why;
    return sparse_types_refusal(src.dtype, weights.dtype, dst.dtype);
}

namespace {
/// A bit for each dimension known at execution only.
int runtime_mask(const memory_desc &md) {
    int mask = 0;
    for (int d = 0; d < md.ndims; ++d) mask |= (md.dims[d] == runtime_dim) << d;
    return mask;
}

void add_items(item_list<matmul_desc> &list) {
    list.add("src", &matmul_desc::src).add("wei", &matmul_desc::weights);
    if (const memory_desc &bias = list.op.bias; !bias.is_zero()) {
        int mask = 0;
        for (int d = 0; d < bias.ndims; ++d) mask |= (bias.dims[d] != 1) << d;
        list.add("bia", &matmul_desc::bias).text += fmt::format("_mask{}", mask);
    }
    list.add("dst", &matmul_desc::dst);
}
} // namespace

const primitive_facts<matmul_desc> matmul_desc::facts {
    .kind = dnnl_matmul,
    .attributes = {.post_ops = sums | eltwises | binaries | prelus,
        .scales = true,
        .zero_points = true,
        .dst_of_integers = true,
        .groups = true,
        .dropout = true,
        .stochastic_rounding = offered_attributes::always},
    .arguments = list_weighted,
    .layouts =
        [](matmul_desc &d) {
            for (memory_desc *md : {&d.src, &d.weights, &d.bias, &d.dst}) make_plain(*md);
        },
    .items = add_items,
    .parameters =
        [](const matmul_desc &d) {
            const int src = runtime_mask(d.src), weights = runtime_mask(d.weights);
            return src || weights ? fmt::format("runtime_dims_masks:{}:{}", src, weights) : "";
        },
    .shape = [](const matmul_desc &d) { return extents(d.src) + ':' + extents(d.weights); },
    .takes_scale_mask = [](const matmul_desc &,
                            const quantization &q) { return q.arg != DNNL_ARG_DST || q.mask == 0; },
    .takes_zero_point_mask =
        [](const matmul_desc &d, const quantization &q) {
            return q.arg != DNNL_ARG_DST || q.mask == 0 || q.mask == 1 << (d.dst.ndims - 1);
        },
};

} // namespace dnnl::impl
