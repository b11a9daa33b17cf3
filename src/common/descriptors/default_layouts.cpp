// SPDX-License-Identifier: Apache-2.0
// Layouts for tensors that came as `any`.
#include "common/descriptors/default_layouts.hpp"

#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

namespace {
void make_plain(memory_desc &md) {
    if (!md.is_any()) return;
    md.layout = layout_kind::blocked;
    set_dense_strides(md);
}

/// The layout of the first model that has one and the same rank; otherwise plain row-major.
void follow(memory_desc &md, std::initializer_list<const memory_desc *> models) {
    if (!md.is_any()) return;
    for (const memory_desc *model : models)
        if (model->is_blocked() && model->ndims == md.ndims && !model->has_runtime())
            return set_layout_like(md, *model);
    make_plain(md);
}

/// True when a blocked dimension of the model has size 1 here: its block would be padding alone.
bool blocks_a_broadcast(const memory_desc &md, const memory_desc &model) {
    for (int b = 0; b < model.inner_nblks; ++b) {
        const auto d = static_cast<std::size_t>(model.inner_idxs[b]);
        if (md.dims[d] == 1 && model.dims[d] != 1) return true;
    }
    return false;
}

void resolve(convolution_desc &d) {
    follow(d.src, {&d.dst});
    follow(d.dst, {&d.src});
    make_plain(d.weights);
    make_plain(d.bias);
}
void resolve(inner_product_desc &d) {
    follow(d.src, {&d.weights});
    // The order of the source's channels and extents, so that both walk K alike; its blocks over
    // the batch would make no sense for output channels.
    if (d.src.inner_nblks == 0) follow(d.weights, {&d.src});
    make_plain(d.weights);
    make_plain(d.bias);
    make_plain(d.dst);
}
void resolve(matmul_desc &d) {
    make_plain(d.src);
    make_plain(d.weights);
    make_plain(d.bias);
    make_plain(d.dst);
}
void resolve(pooling_desc &d) {
    follow(d.dst, {&d.src});
    follow(d.src, {&d.dst});
    follow(d.workspace, {&d.dst});
}
void resolve(eltwise_desc &d) {
    follow(d.dst, {&d.data, &d.src});
    follow(d.src, {&d.data, &d.dst});
}
void resolve(binary_desc &d) {
    const bool broadcast = !same_dims(d.src0, d.src1);
    if (broadcast && d.src0.inner_nblks > 0) make_plain(d.src1);
    follow(d.src1, {&d.src0});
    follow(d.src2, {&d.src0});
    follow(d.dst, {&d.src0});
}
void resolve(softmax_desc &d) {
    follow(d.dst, {&d.data, &d.src});
    follow(d.src, {&d.data, &d.dst});
}
void resolve(normalization_desc &d) {
    follow(d.dst, {&d.data, &d.src});
    follow(d.src, {&d.data, &d.dst});
    follow(d.workspace, {&d.dst});
}
void resolve(prelu_desc &d) {
    for (memory_desc *weights : {&d.weights, &d.diff_weights}) {
        if (blocks_a_broadcast(*weights, d.src)) make_plain(*weights);
        follow(*weights, {&d.src});
    }
    follow(d.dst, {&d.src});
    follow(d.diff_src, {&d.src});
}
void resolve(resampling_desc &d) {
    follow(d.dst, {&d.src});
    follow(d.src, {&d.dst});
}
void resolve(reduction_desc &d) {
    // A block of a reduced dimension would be padding alone.
    if (blocks_a_broadcast(d.dst, d.src)) make_plain(d.dst);
    follow(d.dst, {&d.src});
}
void resolve(reorder_desc &) {}
void resolve(sum_desc &d) { follow(d.dst, {&d.srcs[0]}); }
void resolve(concat_desc &d) { follow(d.dst, {&d.srcs[0]}); }
/// Activations, states and gradients of weights are row-major (tnc, ldnc, ldigo); weights of the
/// backward pass are transposed (ldgoi). Gradients of activations follow their tensors.
void resolve(rnn_desc &d) {
    const int transposed[] = {0, 1, 3, 4, 2};
    for (const rnn_tensor t : {rnn_tensor::weights_layer, rnn_tensor::weights_iter})
        if (!is_forward(d.prop) && d.md(t).is_any()) set_blocked_layout(d.md(t), transposed, {});
    for (memory_desc &md : d.tensors) make_plain(md);
    for (const rnn_tensor t : {rnn_tensor::src_layer, rnn_tensor::dst_layer})
        if (!d.diffs.empty()) follow(d.diff(t), {&d.md(t)});
    for (memory_desc &md : d.diffs) make_plain(md);
}
void resolve(shuffle_desc &d) {
    follow(d.dst, {&d.src});
    follow(d.src, {&d.dst});
}
void resolve(lrn_desc &d) {
    follow(d.dst, {&d.data, &d.src});
    follow(d.src, {&d.data, &d.dst});
}
} // namespace

const memory_desc &destination_of(const op_desc &op) {
    const auto *conv = std::get_if<convolution_desc>(&op);
    if (conv && conv->of_deconvolution) return conv->src;
    return std::visit(
        [](const auto &desc) -> const memory_desc & {
            if constexpr (requires { desc.dst; })
                return desc.dst;
            else
                return desc.md(rnn_tensor::dst_layer);
        },
        op);
}

void resolve_post_op_layouts(primitive_attr &attr, const memory_desc &dst) {
    for (post_op &entry : attr.post_ops.entries) {
        auto *binary = std::get_if<binary_post_op>(&entry);
        if (!binary || !binary->src1.is_any()) continue;
        if (blocks_a_broadcast(binary->src1, dst))
            make_plain(binary->src1);
        else
            follow(binary->src1, {&dst});
    }
}

void default_layouts(problem &p) {
    std::visit([](auto &desc) { resolve(desc); }, p.op);
    resolve_post_op_layouts(p.attr, destination_of(p.op));
    if (p.attr.dropout.is_any()) {
        p.attr.dropout = destination_of(p.op);
        p.attr.dropout.dtype = data_type::u8;
    }
}

} // namespace dnnl::impl
