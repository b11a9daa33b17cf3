// SPDX-License-Identifier: Apache-2.0
#include "rewriter.hpp"

#include <algorithm>

namespace dnnl_onnx {

void rewriter::renew() {
    auto &operations = of.operations;
    operations.erase(std::remove_if(operations.begin(), operations.end(),
                         [](const operation &op) { return op.dead; }),
        operations.end());
    makers_.assign(of.values.size(), -1);
    users_.assign(of.values.size(), {});
    is_output_.assign(of.values.size(), 0);
    for (int id : of.outputs) ++is_output_[id];
    for (int at = 0; at < int(operations.size()); ++at) {
        for (int id : operations[at].out) makers_[id] = at;
        for (int id : operations[at].in)
            if (id >= 0) users_[id].push_back(at);
        for (const post_op &post : operations[at].post)
            if (post.operand >= 0) users_[post.operand].push_back(at);
    }
}

operation *rewriter::only_user(int id) {
    return users_[id].size() == 1 && !is_output_[id] ? &of.operations[users_[id][0]] : nullptr;
}

bool rewriter::scalar(int id, float &value) const {
    if (!is_constant(id) || type(id).count() != 1 || !is_float(type(id).type)) return false;
    value = float(of.values[id].constant.numbers()[0]);
    return true;
}

operation *rewriter::sole(int id, const char *kind) {
    if (id < 0 || makers_[id] < 0 || uses(id) != 1) return nullptr;
    operation &op = of.operations[makers_[id]];
    return op.kind == kind && !op.dead && op.post.empty() ? &op : nullptr;
}

operation *rewriter::sole(int id, const char *kind, dnnl::algorithm algorithm) {
    operation *op = sole(id, kind);
    return op && op->algorithm == algorithm ? op : nullptr;
}

int rewriter::add_constant(const tensor &elements, const std::string &name) {
    of.values.push_back({name, elements.type(), elements, true});
    return int(of.values.size()) - 1;
}

int rewriter::add_value(const tensor_type &type, const std::string &name) {
    of.values.push_back({name, type, {}, false});
    return int(of.values.size()) - 1;
}

void rewriter::absorb(operation &op, operation &other) {
    op.fused.insert(op.fused.begin(), other.fused.begin(), other.fused.end());
    other.dead = true;
}

void rewriter::replace(int from, int to) {
    for (operation &op : of.operations) {
        std::replace(op.in.begin(), op.in.end(), from, to);
        for (post_op &post : op.post)
            if (post.operand == from) post.operand = to;
    }
    std::replace(of.outputs.begin(), of.outputs.end(), from, to);
}

bool is_scalar_affine(const operation &op, float &scale, float &shift) {
    if (op.kind != ".Affine" || op.scale.count() != 1 || op.shift.count() != 1) return false;
    scale = op.scale.data<float>()[0];
    shift = op.shift.data<float>()[0];
    return true;
}

void fuse(program &of) {
    normalize(of);
    fuse_functions(of);
    fuse_layer_norm(of);
    fuse_softmax(of);
    fold_affine(of);
    attach_post_ops(of);
}

} // namespace dnnl_onnx
