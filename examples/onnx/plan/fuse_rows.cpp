// SPDX-License-Identifier: Apache-2.0
// What exported graphs spell out along one dimension: layer normalization and softmax.
#include "rewriter.hpp"

namespace dnnl_onnx {

namespace {

using algorithm = dnnl::algorithm;

/// Whether `op` is this reduction of a value along one axis, which it keeps.
bool reduces(rewriter &by, operation *op, const char *kind, int of_value, int &axis) {
    if (!op || op->kind != kind || op->in[0] != of_value) return false;
    const op_context c = by.of.context(*op);
    const extents axes = c.integers_at("axes", 1, {});
    if (axes.size() != 1 || !c.integer("keepdims", 1)) return false;
    axis = c.axis_of(axes[0], c.rank(0));
    return true;
}

class layer_norm_fuser : rewriter {
  public:
    using rewriter::rewriter;

    void run() {
        for (int at = 0; at < int(of.operations.size()); ++at)
            if (fuse(of.operations[at])) {
                renew();
                at = -1;
            }
        for (operation &op : of.operations) take_affine(op);
        renew();
    }

  private:
    /// A mean along the rows.
    bool is_row_mean(operation *op, int of_value, int &axis) {
        return reduces(*this, op, "ReduceMean", of_value, axis) &&
               axis == type(of_value).rank() - 1;
    }

    /// (x - mean) / sqrt(mean((x - mean)^2) + epsilon)
    bool fuse(operation &op) {
        if (op.kind != ".Binary" || op.algorithm != algorithm::binary_div || !op.post.empty())
            return false;
        operation *centred = maker(op.in[0]);
        if (!centred || centred->kind != ".Binary" || centred->algorithm != algorithm::binary_sub)
            return false;
        const int x = centred->in[0], d = op.in[0];
        int axis;
        operation *mean = sole(centred->in[1], "ReduceMean");
        if (!is_row_mean(mean, x, axis)) return false;
        operation *root = sole(op.in[1], ".Eltwise", algorithm::eltwise_sqrt);
        operation *sum = root ? sole(root->in[0], ".Affine") : nullptr;
        float scale, epsilon;
        if (!sum || !is_scalar_affine(*sum, scale, epsilon) || scale != 1) return false;
        operation *variance = sole(sum->in[0], "ReduceMean");
        if (!variance) return false;
        operation *square = sole(variance->in[0], ".Eltwise", algorithm::eltwise_square);
        operation *twice = sole(variance->in[0], ".Binary", algorithm::binary_mul);
        const bool own =
            (square && square->in[0] == d) || (twice && twice->in[0] == d && twice->in[1] == d);
        if (!own || !is_row_mean(variance, variance->in[0], axis)) return false;
        if (uses(d) != (square ? 2 : 3)) return false;
        for (operation *part : {root, sum, variance, square ? square : twice, mean, centred})
            absorb(op, *part);
        op.kind = ".LayerNorm";
        op.in = {x};
        op.axis = axis;
        op.alpha = epsilon;
        op.host = nullptr;
        return true;
    }

    /// Factors and summands along the rows become the normalization's own.
    void take_affine(operation &op) {
        if (op.kind != ".LayerNorm" || op.in.size() > 1) return;
        operation *next = only_user(op.out[0]);
        if (!next || next->kind != ".Affine" || next->axis != op.axis) return;
        const std::int64_t row = type(op.in[0]).dims.back();
        if (next->scale.count() != row) return;
        op.in = {op.in[0], add_constant(next->scale, "scale"), add_constant(next->shift, "shift")};
        op.out = next->out;
        op.fused.insert(op.fused.end(), next->fused.begin(), next->fused.end());
        next->dead = true;
    }
};

/// exp(x - max) / sum(exp(x - max)), its logarithm, and both without the largest element.
class softmax_fuser : rewriter {
  public:
    using rewriter::rewriter;

    void run() {
        for (int at = 0; at < int(of.operations.size()); ++at)
            if (quotient(of.operations[at]) || logarithm(of.operations[at])) {
                renew();
                at = -1;
            }
    }

  private:
    static bool is_binary(const operation &op, algorithm what) {
        return op.kind == ".Binary" && op.algorithm == what && op.post.empty();
    }

    /// x, where a value is x less its largest element along the axis, which `uses_there` operations
    /// take; the value itself where it is something else.
    int without_largest(int id, int axis, int uses_there, std::vector<operation *> &parts) {
        operation *difference = maker(id);
        if (!difference || !is_binary(*difference, algorithm::binary_sub) || uses(id) != uses_there)
            return id;
        operation *largest = sole(difference->in[1], "ReduceMax");
        int of_largest;
        if (!reduces(*this, largest, "ReduceMax", difference->in[0], of_largest) ||
            of_largest != axis)
            return id;
        const int x = difference->in[0];
        parts.insert(parts.end(), {difference, largest});
        return x;
    }

    bool becomes(
        operation &op, const char *kind, int x, int axis, const std::vector<operation *> &parts) {
        if (!is_f32(x) || type(x) != type(op.out[0])) return false;
        for (operation *part : parts) absorb(op, *part);
        op.kind = kind;
        op.in = {x};
        op.axis = axis;
        op.host = nullptr;
        return true;
    }

    bool quotient(operation &op) {
        if (!is_binary(op, algorithm::binary_div)) return false;
        int axis;
        operation *power = maker(op.in[0]);
        operation *sum = sole(op.in[1], "ReduceSum");
        if (!reduces(*this, sum, "ReduceSum", op.in[0], axis) || !power ||
            power->kind != ".Eltwise" || power->algorithm != algorithm::eltwise_exp ||
            !power->post.empty() || uses(op.in[0]) != 2)
            return false;
        std::vector<operation *> parts {sum, power};
        const int x = without_largest(power->in[0], axis, 1, parts);
        return becomes(op, ".Softmax", x, axis, parts);
    }

    bool logarithm(operation &op) {
        if (!is_binary(op, algorithm::binary_sub)) return false;
        int axis;
        operation *log = sole(op.in[1], ".Eltwise", algorithm::eltwise_log);
        operation *sum = log ? sole(log->in[0], "ReduceSum") : nullptr;
        operation *power = sum ? sole(sum->in[0], ".Eltwise", algorithm::eltwise_exp) : nullptr;
        if (!power || power->in[0] != op.in[0] ||
            !reduces(*this, sum, "ReduceSum", power->out[0], axis))
            return false;
        std::vector<operation *> parts {log, sum, power};
        const int x = without_largest(op.in[0], axis, 2, parts);
        return becomes(op, ".LogSoftmax", x, axis, parts);
    }
};

} // namespace

void fuse_layer_norm(program &of) { layer_norm_fuser(of).run(); }

void fuse_softmax(program &of) { softmax_fuser(of).run(); }

} // namespace dnnl_onnx
