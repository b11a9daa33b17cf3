// SPDX-License-Identifier: Apache-2.0
// Functions that exported graphs spell out, as one algorithm of the library: products of x and a
// function of x (hard-swish, swish, mish, gelu).
#include "rewriter.hpp"

#include <cmath>

namespace dnnl_onnx {

namespace {

using algorithm = dnnl::algorithm;

bool near(float value, double wanted) {
    return std::abs(value - wanted) <= 1e-5 * std::max(1.0, std::abs(wanted));
}

class function_fuser : rewriter {
  public:
    using rewriter::rewriter;

    void run() {
        for (int at = 0; at < int(of.operations.size()); ++at)
            if (is_fused(at) || residual_factor(at)) at = -1; // they moved: from the first again
        renew();
        for (operation &op : of.operations) merge_affine(op);
        renew();
        drop_identities();
    }

  private:
    bool is_fused(int at) {
        const operation &op = of.operations[at];
        if (op.kind != ".Binary" || op.algorithm != algorithm::binary_mul) return false;
        const int x = op.in[0], f = op.in[1];
        if (type(x) != type(f)) return false;
        return product(at, x, f) || product(at, f, x);
    }

    /// The operation at `at` is x * f(x): makes it one function.
    bool product(int at, int x, int f) {
        return hard_swish(at, x, f) || swish(at, x, f) || mish(at, x, f) || gelu(at, x, f);
    }

    /// Sees through a factor and a summand that only `id` needs; x itself has 1 and 0.
    int through_affine(int id, float &scale, float &shift, operation *&affine) {
        scale = 1, shift = 0, affine = nullptr;
        operation *op = sole(id, ".Affine");
        if (!op || !is_scalar_affine(*op, scale, shift)) return id;
        affine = op;
        return op->in[0];
    }

    /// The operation becomes factor * what(x).
    bool becomes(int at, int x, algorithm what, float alpha, float beta, float factor,
        std::initializer_list<operation *> absorbed) {
        operation &op = of.operations[at];
        for (operation *other : absorbed)
            if (other) absorb(op, *other);
        op.kind = ".Eltwise";
        op.algorithm = what;
        op.alpha = alpha;
        op.beta = beta;
        op.in = {x};
        op.host = nullptr;
        if (!near(factor, 1)) {
            operation times;
            times.kind = ".Affine";
            times.asked = op.asked;
            times.scale = floats_tensor({factor});
            times.shift = floats_tensor({0});
            times.out = op.out;
            op.out = {add_value(type(op.out[0]), of.values[op.out[0]].name)};
            times.in = op.out;
            of.operations.insert(of.operations.begin() + at + 1, std::move(times));
        }
        renew();
        return true;
    }

    /// x * s + x is x * (s + 1), which reads x once; s is smaller than x.
    bool residual_factor(int at) {
        const operation &sum = of.operations[at];
        if (sum.kind != ".Binary" || sum.algorithm != algorithm::binary_add) return false;
        for (int side : {0, 1}) {
            const int x = sum.in[1 - side];
            operation *times = sole(sum.in[side], ".Binary", algorithm::binary_mul);
            if (!times || (times->in[0] != x && times->in[1] != x)) continue;
            const int s = times->in[times->in[0] == x ? 1 : 0];
            if (type(s).count() >= type(x).count() || type(x) != type(sum.out[0])) continue;
            operation plus, product = sum;
            plus.kind = ".Affine";
            plus.asked = sum.asked;
            plus.fused = times->fused;
            plus.scale = plus.shift = floats_tensor({1});
            plus.in = {s};
            plus.out = {add_value(type(s), of.values[s].name)};
            product.algorithm = algorithm::binary_mul;
            product.in = {x, plus.out[0]};
            product.host = nullptr;
            absorb(product, *times);
            of.operations[at] = std::move(product);
            of.operations.insert(of.operations.begin() + at, std::move(plus));
            renew();
            return true;
        }
        return false;
    }

    bool hard_swish(int at, int x, int f) {
        float scale, shift;
        operation *affine;
        if (operation *sigmoid = sole(f, ".Eltwise", algorithm::eltwise_hardsigmoid))
            return sigmoid->in[0] == x && becomes(at, x, algorithm::eltwise_hardswish,
                                              sigmoid->alpha, sigmoid->beta, 1, {sigmoid});
        operation *clip = sole(f, ".Eltwise", algorithm::eltwise_clip);
        if (!clip || clip->alpha != 0 || !(clip->beta > 0) || clip->beta > 1e6f) return false;
        if (through_affine(clip->in[0], scale, shift, affine) != x) return false;
        const float high = clip->beta;
        return becomes(
            at, x, algorithm::eltwise_hardswish, scale / high, shift / high, high, {clip, affine});
    }

    bool swish(int at, int x, int f) {
        float scale, shift;
        operation *affine, *sigmoid = sole(f, ".Eltwise", algorithm::eltwise_logistic);
        if (!sigmoid || through_affine(sigmoid->in[0], scale, shift, affine) != x || shift != 0)
            return false;
        return becomes(at, x, algorithm::eltwise_swish, scale, 0, 1, {sigmoid, affine});
    }

    bool mish(int at, int x, int f) {
        operation *tanh = sole(f, ".Eltwise", algorithm::eltwise_tanh);
        operation *soft =
            tanh ? sole(tanh->in[0], ".Eltwise", algorithm::eltwise_soft_relu) : nullptr;
        if (!soft || soft->in[0] != x || soft->alpha != 1) return false;
        return becomes(at, x, algorithm::eltwise_mish, 0, 0, 1, {tanh, soft});
    }

    /// x / 2 * (1 + erf(x / sqrt 2)), with the half wherever it stands.
    bool gelu(int at, int x, int f) {
        float half, one, scale, shift, before, none;
        operation *outer, *inner, *first;
        const int erf_value = through_affine(f, half, one, outer);
        operation *erf = sole(erf_value, "Erf");
        if (!erf || !outer || !near(half, one)) return false;
        const int source = through_affine(erf->in[0], scale, shift, inner);
        if (!near(scale, std::sqrt(0.5)) || shift != 0) return false;
        const int data = source == x ? x : through_affine(x, before, none, first);
        if (source == x) before = 1, none = 0, first = nullptr;
        if (data != source || none != 0) return false;
        return becomes(at, data, algorithm::eltwise_gelu_erf, 0, 0, 2 * half * before,
            {outer, erf, inner, first});
    }

    /// Two factors and summands behind each other are one.
    void merge_affine(operation &op) {
        while (op.kind == ".Affine" && !op.dead) {
            operation *before = sole(op.in[0], ".Affine");
            if (!before) return;
            if (before->axis >= 0 && op.axis >= 0 && before->axis != op.axis) return;
            const std::int64_t count = std::max(op.scale.count(), before->scale.count());
            std::vector<float> scale, shift;
            const auto at = [](const tensor &t, std::int64_t i) {
                return t.data<float>()[t.count() == 1 ? 0 : i];
            };
            for (std::int64_t i = 0; i < count; ++i) {
                scale.push_back(at(op.scale, i) * at(before->scale, i));
                shift.push_back(at(op.scale, i) * at(before->shift, i) + at(op.shift, i));
            }
            op.scale = floats_tensor(scale);
            op.shift = floats_tensor(shift);
            op.axis = std::max(op.axis, before->axis);
            op.in[0] = before->in[0];
            absorb(op, *before);
        }
    }

    /// Factors of 1 that are left of constants which cancel each other.
    void drop_identities() {
        for (operation &op : of.operations) {
            float scale, shift;
            if (!is_scalar_affine(op, scale, shift) || !near(scale, 1) || shift != 0) continue;
            if (std::abs(scale - 1) > 1e-6f) continue;
            operation *before = maker(op.in[0]);
            if (before) before->fused.insert(before->fused.end(), op.fused.begin(), op.fused.end());
            replace(op.out[0], op.in[0]);
            op.dead = true;
        }
        renew();
    }
};

} // namespace

void fuse_functions(program &of) { function_fuser(of).run(); }

} // namespace dnnl_onnx
