// SPDX-License-Identifier: Apache-2.0
// Checks and facts of matrix multiplication.
#include "common/descriptors/products/shapes.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
/// The extent of the product's batch dimension; nothing when the two do not fit. An extent that is
/// known at execution only fits any other, and the execution checks it.
std::optional<dim_t> broadcast(dim_t src, dim_t weights) {
    if (src == weights || weights == 1) return src;
    if (src == 1) return weights;
    if (src == runtime_dim || weights == runtime_dim) return runtime_dim;
    return std::nullopt;
}

/// True for a batch extent of dst that src and weights allow. Where one of them is known at
/// execution only, the product may have the extent of the other or one that is not known either.
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
    .takes_scale_mask = takes_any_scale_mask,
    .takes_zero_point_mask =
        [](const matmul_desc &d, const quantization &q) {
            return q.arg != DNNL_ARG_DST || q.mask == 0 || q.mask == 1 << (d.dst.ndims - 1);
        },
};

} // namespace dnnl::impl
