// SPDX-License-Identifier: Apache-2.0
// Layouts for tensors that came as `any`.
#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

void make_plain(memory_desc &md) {
    if (!md.is_any()) return;
    md.layout = layout_kind::blocked;
    set_dense_strides(md);
}

void follow(memory_desc &md, std::initializer_list<const memory_desc *> models) {
    if (!md.is_any()) return;
    for (const memory_desc *model : models)
        if (model->is_blocked() && model->ndims == md.ndims && !model->has_runtime())
            return set_layout_like(md, *model);
    make_plain(md);
}

namespace {
/// True when a blocked dimension of the model has size 1 here: its block would be padding alone.
bool blocks_a_broadcast(const memory_desc &md, const memory_desc &model) {
    for (int b = 0; b < model.inner_nblks; ++b) {
        const auto d = static_cast<std::size_t>(model.inner_idxs[b]);
        if (md.dims[d] == 1 && model.dims[d] != 1) return true;
    }
    return false;
}

} // namespace

void follow_broadcast(memory_desc &md, const memory_desc &model) {
    if (blocks_a_broadcast(md, model)) make_plain(md);
    follow(md, {&model});
}

const memory_desc &destination_of(const op_desc &op) {
    return std::visit(
        [](const auto &desc) -> const memory_desc & { return desc.facts.destination(desc); }, op);
}

void resolve_post_op_layouts(primitive_attr &attr, const memory_desc &dst) {
    for (post_op &entry : attr.post_ops.entries) {
        auto *binary = std::get_if<binary_post_op>(&entry);
        if (binary && binary->src1.is_any()) follow_broadcast(binary->src1, dst);
    }
}

void default_layouts(problem &p) {
    std::visit([](auto &desc) { desc.facts.layouts(desc); }, p.op);
    resolve_post_op_layouts(p.attr, destination_of(p.op));
    if (p.attr.dropout.is_any()) {
        p.attr.dropout = destination_of(p.op);
        p.attr.dropout.dtype = data_type::u8;
    }
}

} // namespace dnnl::impl
