// SPDX-License-Identifier: Apache-2.0
// Factors and summands into the weights of products, and what follows a primitive into its
// post-ops.
#include "rewriter.hpp"

#include "lowering.hpp"

#include <algorithm>

namespace dnnl_onnx {

namespace {

using algorithm = dnnl::algorithm;

constexpr std::size_t most_post_ops = 16; // the library takes 32

bool is_product(const operation &op) {
    return op.kind == "Conv" || op.kind == "ConvTranspose" || op.kind == "MatMul" ||
           op.kind == "Gemm";
}

bool all_are(const tensor &values, float wanted) {
    const float *v = values.data<float>();
    return std::all_of(v, v + values.count(), [&](float x) { return x == wanted; });
}

class gemm_settler : rewriter {
  public:
    using rewriter::rewriter;

    void run() {
        for (operation &op : of.operations)
            if (op.kind == "Gemm" && is_float(type(op.out[0]).type)) settle(op);
    }

  private:
    /// alpha and beta of Gemm become factors that are folded like others.
    void settle(operation &op) {
        const op_context c = of.context(op);
        const float alpha = c.number("alpha", 1), beta = c.number("beta", 1);
        const bool summand = op.in.size() > 2 && op.in[2] >= 0 && beta != 0;
        const std::int64_t n = type(op.out[0]).dims[1];
        const bool constant_row =
            summand && is_constant(op.in[2]) &&
            (type(op.in[2]).count() == 1 ||
                (type(op.in[2]).count() == n && type(op.in[2]).dims.back() == n));
        const bool folds = is_f32(op.out[0]) && (alpha == 1 || is_constant(op.in[1]));
        if (alpha != 1 && folds) op.scale = floats_tensor({alpha});
        if (alpha != 1 && !folds)
            op.post.push_back({post_op::kind::eltwise, algorithm::eltwise_linear, alpha, 0});
        if (summand && constant_row && folds) {
            std::vector<float> shift;
            for (double v : of.values[op.in[2]].constant.numbers())
                shift.push_back(float(v * beta));
            op.shift = floats_tensor(shift);
        } else if (summand) {
            if (beta != 1)
                op.post.push_back({post_op::kind::eltwise, algorithm::eltwise_linear, 1 / beta, 0});
            op.post.push_back({post_op::kind::binary, algorithm::binary_add, 0, 0, op.in[2]});
            if (beta != 1)
                op.post.push_back({post_op::kind::eltwise, algorithm::eltwise_linear, beta, 0});
        }
        op.in.resize(2);
    }
};

class affine_folder : rewriter {
  public:
    using rewriter::rewriter;

    void run() {
        for (operation &op : of.operations) {
            if (op.kind != "MatMul" || !is_f32(op.out[0])) continue;
            for (int side : {0, 1}) take_factor(op, side);
        }
        renew();
        for (std::size_t at = 0; at < of.operations.size(); ++at)
            while (fold_next(of.operations[at])) renew();
        for (operation &op : of.operations) become_linear(op);
    }

  private:
    /// A factor of all elements of a matrix is one of all elements of the product.
    void take_factor(operation &op, int side) {
        operation *before = sole(op.in[side], ".Affine");
        if (!before || before->scale.count() != 1 || before->shift.data<float>()[0] != 0) return;
        if (type(op.in[0]).rank() < 2 || type(op.in[1]).rank() < 2) return;
        op.post.insert(op.post.begin(),
            {post_op::kind::eltwise, algorithm::eltwise_linear, before->scale.data<float>()[0], 0});
        op.in[side] = before->in[0];
        absorb(op, *before);
    }

    /// The dimension of the result that weights have an index for.
    int output_axis(const operation &op) const {
        return op.kind == "Conv" || op.kind == "ConvTranspose" ? 1 : type(op.out[0]).rank() - 1;
    }

    bool can_scale(const operation &op) const {
        const bool bias = op.in.size() > 2 && op.in[2] >= 0;
        if (!is_constant(op.in[1]) || (bias && !is_constant(op.in[2]))) return false;
        if (op.kind == "ConvTranspose" && of.context(op).integer("group", 1) != 1) return false;
        return !is_product(op) || type(op.in[1]).rank() >= 2;
    }

    bool fold_next(operation &op) {
        if (!is_product(op) || op.dead || !op.post.empty() || !is_f32(op.out[0])) return false;
        operation *next = only_user(op.out[0]);
        if (!next || next->kind != ".Affine") return false;
        if (next->axis >= 0 && next->axis != output_axis(op)) return false;
        const bool bias = op.in.size() > 2 && op.in[2] >= 0;
        const bool scales = !all_are(next->scale, 1);
        if (scales ? !can_scale(op) : bias && !is_constant(op.in[2])) return false;
        if (op.kind == "MatMul" && (type(op.in[1]).rank() < 2 || type(op.in[0]).rank() < 2))
            return false;
        const std::int64_t count = std::max({next->scale.count(), op.scale ? op.scale.count() : 1,
            op.shift ? op.shift.count() : 1});
        const auto at = [](const tensor &t, std::int64_t i, float otherwise) {
            return t ? t.data<float>()[t.count() == 1 ? 0 : i] : otherwise;
        };
        std::vector<float> scale, shift;
        for (std::int64_t i = 0; i < count; ++i) {
            scale.push_back(at(op.scale, i, 1) * at(next->scale, i, 1));
            shift.push_back(at(op.shift, i, 0) * at(next->scale, i, 1) + at(next->shift, i, 0));
        }
        if (scales || op.scale) op.scale = floats_tensor(scale);
        op.shift = floats_tensor(shift);
        op.out = next->out;
        op.fused.insert(op.fused.end(), next->fused.begin(), next->fused.end());
        next->dead = true;
        return true;
    }

    /// One factor and one summand for all elements are a function of the library.
    static void become_linear(operation &op) {
        if (op.kind != ".Affine" || op.scale.count() != 1) return;
        op.kind = ".Eltwise";
        op.algorithm = algorithm::eltwise_linear;
        op.alpha = op.scale.data<float>()[0];
        op.beta = op.shift.data<float>()[0];
    }
};

class post_op_attacher : rewriter {
  public:
    using rewriter::rewriter;

    void run() {
        for (int at = 0; at < int(of.operations.size());)
            if (!attach(at)) ++at;
    }

  private:
    bool takes_post_ops(const operation &op) const {
        if (!is_f32(op.out[0]) || op.out.size() != 1) return false;
        if (op.kind == "Resize" || op.kind == "Upsample") {
            algorithm unused;
            return resampling_algorithm(of.context(op), type(op.out[0]).dims, unused);
        }
        if (op.kind == "MatMul") return type(op.in[0]).rank() >= 2 && type(op.in[1]).rank() >= 2;
        return is_product(op) || op.kind == ".Binary" || op.kind == ".LayerNorm" ||
               op.kind == ".Softmax" || op.kind == ".LogSoftmax";
    }

    /// Takes the only user of the result of the operation at `at` as a post-op. The operation moves
    /// to the user's place, where the other operand is there. False if it can't.
    bool attach(int at) {
        operation &op = of.operations[at];
        if (!takes_post_ops(op) || op.post.size() >= most_post_ops) return false;
        operation *next = only_user(op.out[0]);
        if (!next || !next->post.empty()) return false;
        std::vector<post_op> more;
        if (next->kind == ".Eltwise")
            more = {{post_op::kind::eltwise, next->algorithm, next->alpha, next->beta}};
        else if (next->kind == ".Affine")
            more = channel_post_ops(*next);
        else if (next->kind == ".Binary")
            more = binary_post_ops(op, *next);
        if (more.empty()) return false;
        const int place = index_of(*next);
        operation moved = op;
        moved.post.insert(moved.post.end(), more.begin(), more.end());
        moved.out = next->out;
        moved.fused.insert(moved.fused.end(), next->fused.begin(), next->fused.end());
        moved.host = nullptr;
        op.dead = true;
        of.operations[place] = std::move(moved);
        renew(); // what stands behind `at` moves to the front by one
        return true;
    }

    std::vector<post_op> channel_post_ops(const operation &next) {
        extents dims(type(next.out[0]).rank(), 1);
        dims[next.axis] = next.scale.count();
        std::vector<post_op> posts;
        const auto add = [&](algorithm what, const tensor &values) {
            const int id = add_constant(values.reshaped(dims), "affine");
            posts.push_back({post_op::kind::binary, what, 0, 0, id});
        };
        if (!all_are(next.scale, 1)) add(algorithm::binary_mul, next.scale);
        if (!all_are(next.shift, 0)) add(algorithm::binary_add, next.shift);
        renew();
        return posts;
    }

    std::vector<post_op> binary_post_ops(const operation &op, const operation &next) {
        const int own = op.out[0], side = next.in[0] == own ? 0 : 1, other = next.in[1 - side];
        if (other == own || type(next.out[0]) != type(own)) return {};
        // Of two makers the later one takes the sum, so that neither waits for the other.
        operation *maker_of_other = maker(other);
        if (maker_of_other && maker_index(other) > index_of(op) && only_user(other) == &next &&
            takes_post_ops(*maker_of_other) && type(other) == type(own))
            return {};
        if (type(other).rank() > type(own).rank()) return {};
        const post_op take {post_op::kind::binary, next.algorithm, 0, 0, other};
        switch (next.algorithm) {
        case algorithm::binary_add:
        case algorithm::binary_mul:
        case algorithm::binary_max:
        case algorithm::binary_min: return {take};
        case algorithm::binary_div:
            if (side == 0) return {take};
            return {};
        case algorithm::binary_sub:
            if (side == 0) return {take};
            return {{post_op::kind::eltwise, algorithm::eltwise_linear, -1, 0},
                {post_op::kind::binary, algorithm::binary_add, 0, 0, other}};
        default: return {};
        }
    }
};

} // namespace

void settle_gemm(program &of) { gemm_settler(of).run(); }

void fold_affine(program &of) { affine_folder(of).run(); }

void attach_post_ops(program &of) { post_op_attacher(of).run(); }

} // namespace dnnl_onnx
