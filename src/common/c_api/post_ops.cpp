// SPDX-License-Identifier: Apache-2.0
// C entry points: chains of post-ops.
#include "common/attributes/attributes.hpp"
#include "common/c_api/guard.hpp"
#include "common/descriptors/elementwise.hpp"
#include "dnnl/dnnl.h"

namespace {

bool has_entry(const_dnnl_post_ops_t post_ops, int index) {
    return post_ops && index >= 0 && index < static_cast<int>(post_ops->entries.size());
}

void append(dnnl_post_ops_t post_ops, const impl::post_op &entry) {
    if (post_ops->entries.size() >= dnnl_post_ops::max_count)
        throw error(dnnl_out_of_memory, "post_ops: the chain is full (32 entries)");
    post_ops->entries.push_back(entry);
}

/// The entry at `index`, which must be of type T.
template <class T> const T &entry_at(const_dnnl_post_ops_t post_ops, int index) {
    require(post_ops, "post_ops: must not be NULL");
    require(has_entry(post_ops, index), "index: beyond the chain");
    const T *entry = std::get_if<T>(&post_ops->entries[static_cast<std::size_t>(index)]);
    require(entry, "index: the entry is of another kind");
    return *entry;
}

/// Outputs may be NULL where the caller does not ask for them.
template <class T> void give(T *out, T value) {
    if (out) *out = value;
}

dnnl_data_type_t public_type(data_type type) { return static_cast<dnnl_data_type_t>(type); }

} // namespace

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops) {
    return guarded({{post_ops, "post_ops"}}, [&] { *post_ops = new dnnl_post_ops; });
}

dnnl_status_t dnnl_post_ops_clone(dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing) {
    return guarded({{post_ops, "post_ops"}, {existing, "existing_post_ops"}},
        [&] { *post_ops = new dnnl_post_ops(*existing); });
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops) {
    delete post_ops;
    return dnnl_success;
}

int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops) {
    return post_ops ? static_cast<int>(post_ops->entries.size()) : 0;
}

dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index) {
    // In the order of the alternatives of impl::post_op.
    constexpr dnnl_primitive_kind_t kinds[] = {
        dnnl_eltwise, dnnl_sum, dnnl_binary, dnnl_prelu, dnnl_convolution};
    static_assert(std::size(kinds) == std::variant_size_v<impl::post_op>);
    if (!has_entry(post_ops, index)) return dnnl_undefined_primitive;
    return kinds[post_ops->entries[static_cast<std::size_t>(index)].index()];
}

dnnl_status_t dnnl_post_ops_append_sum(
    dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t type) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        append(post_ops, impl::sum_post_op {scale, zero_point, static_cast<data_type>(type)});
    });
}

dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float *scale,
    int32_t *zero_point, dnnl_data_type_t *type) {
    return guarded([&] {
        const auto &entry = entry_at<impl::sum_post_op>(post_ops, index);
        give(scale, entry.scale);
        give(zero_point, entry.zero_point);
        give(type, public_type(entry.dtype));
    });
}

dnnl_status_t dnnl_post_ops_append_eltwise(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg, float alpha, float beta) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(impl::is_eltwise_algorithm(alg), "alg_kind: not an eltwise algorithm");
        require(!impl::is_clip(alg) || alpha <= beta, "alpha: clip needs alpha <= beta");
        append(post_ops, impl::eltwise_post_op {alg, alpha, beta});
    });
}

dnnl_status_t dnnl_post_ops_get_params_eltwise(
    const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t *alg, float *alpha, float *beta) {
    return guarded([&] {
        const auto &entry = entry_at<impl::eltwise_post_op>(post_ops, index);
        give(alg, entry.alg);
        give(alpha, entry.alpha);
        give(beta, entry.beta);
    });
}

dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_type,
    dnnl_data_type_t bias_type, dnnl_data_type_t dst_type, dnnl_dim_t kernel, dnnl_dim_t stride,
    dnnl_dim_t padding_l) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(weights_type != dnnl_data_type_undef, "weights_data_type: must not be undef");
        require(dst_type != dnnl_data_type_undef, "dst_data_type: must not be undef");
        require(kernel > 0, "kernel_size: must be positive");
        require(stride > 0, "stride_size: must be positive");
        require(padding_l >= 0, "padding_l_size: must not be negative");
        append(post_ops, impl::depthwise_post_op {static_cast<data_type>(weights_type),
                             static_cast<data_type>(bias_type), static_cast<data_type>(dst_type),
                             kernel, stride, padding_l});
    });
}

dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
    dnnl_data_type_t *weights_type, dnnl_data_type_t *bias_type, dnnl_data_type_t *dst_type,
    dnnl_dim_t *kernel, dnnl_dim_t *stride, dnnl_dim_t *padding_l) {
    return guarded([&] {
        const auto &entry = entry_at<impl::depthwise_post_op>(post_ops, index);
        give(weights_type, public_type(entry.weights_type));
        give(bias_type, public_type(entry.bias_type));
        give(dst_type, public_type(entry.dst_type));
        give(kernel, entry.kernel);
        give(stride, entry.stride);
        give(padding_l, entry.padding_l);
    });
}

dnnl_status_t dnnl_post_ops_append_binary(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src1_desc) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(alg >= dnnl_binary_add && alg <= dnnl_binary_ne,
            "alg_kind: not a binary algorithm of two sources");
        require(src1_desc, "src1_desc: must not be NULL");
        require(!src1_desc->is_zero(), "src1_desc: must not be the zero descriptor");
        require(!src1_desc->has_runtime(), "src1_desc: run-time dimensions or strides");
        append(post_ops, impl::binary_post_op {alg, *src1_desc});
    });
}

dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg, const_dnnl_memory_desc_t *src1_desc) {
    return guarded([&] {
        const auto &entry = entry_at<impl::binary_post_op>(post_ops, index);
        give(alg, entry.alg);
        give(src1_desc, static_cast<const_dnnl_memory_desc_t>(&entry.src1));
    });
}

dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(mask >= 0, "mask: must not be negative");
        append(post_ops, impl::prelu_post_op {mask});
    });
}

dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int *mask) {
    return guarded([&] { give(mask, entry_at<impl::prelu_post_op>(post_ops, index).mask); });
}
