// SPDX-License-Identifier: Apache-2.0
// Writes ONNX's elementwise operators over f32 as the library's algorithms, so that fusing has few
// kinds to look for: .Eltwise, .Affine and .Binary.
#include "rewriter.hpp"

#include <cmath>
#include <limits>

namespace dnnl_onnx {

namespace {

using algorithm = dnnl::algorithm;

struct function_rule {
    algorithm what;
    float alpha, beta;
    const char *alpha_attribute = nullptr;
    const char *beta_attribute = nullptr;
};

const std::map<std::string, function_rule> &function_rules() {
    using a = algorithm;
    static const std::map<std::string, function_rule> rules {
        {"Abs", {a::eltwise_abs, 0, 0}},
        {"Elu", {a::eltwise_elu, 1, 0, "alpha"}},
        {"Exp", {a::eltwise_exp, 0, 0}},
        {"HardSigmoid", {a::eltwise_hardsigmoid, 0.2f, 0.5f, "alpha", "beta"}},
        {"HardSwish", {a::eltwise_hardswish, 1 / 6.f, 0.5f}},
        {"LeakyRelu", {a::eltwise_relu, 0.01f, 0, "alpha"}},
        {"Log", {a::eltwise_log, 0, 0}},
        {"Relu", {a::eltwise_relu, 0, 0}},
        {"Round", {a::eltwise_round, 0, 0}},
        {"Sigmoid", {a::eltwise_logistic, 0, 0}},
        {"Softplus", {a::eltwise_soft_relu, 1, 0}},
        {"Sqrt", {a::eltwise_sqrt, 0, 0}},
        {"Tanh", {a::eltwise_tanh, 0, 0}},
    };
    return rules;
}

class normalizer : rewriter {
  public:
    using rewriter::rewriter;

    void run() {
        for (operation &op : of.operations) {
            if (op.out.empty() || !is_f32(op.out[0]) || op.in.empty() || !is_f32(op.in[0]))
                continue;
            if (type(op.out[0]).count() == 0 || type(op.out[0]).rank() > DNNL_MAX_NDIMS) continue;
            function(op) || clip(op) || power(op) || batch_normalization(op) || arithmetic(op);
        }
    }

  private:
    static bool becomes(operation &op, algorithm what, float alpha, float beta) {
        op.kind = ".Eltwise";
        op.algorithm = what;
        op.alpha = alpha;
        op.beta = beta;
        op.in.resize(1);
        op.host = nullptr;
        return true;
    }

    bool becomes_affine(operation &op, int data, int axis, tensor scale, tensor shift) {
        op.kind = ".Affine";
        op.axis = axis;
        op.scale = std::move(scale);
        op.shift = std::move(shift);
        op.in = {data};
        op.host = nullptr;
        return true;
    }

    bool function(operation &op) {
        const auto found = function_rules().find(op.kind);
        if (found == function_rules().end()) return false;
        const function_rule &rule = found->second;
        const op_context c = of.context(op);
        const auto parameter = [&](const char *name, float otherwise) {
            return name ? c.number(name, otherwise) : otherwise;
        };
        return becomes(op, rule.what, parameter(rule.alpha_attribute, rule.alpha),
            parameter(rule.beta_attribute, rule.beta));
    }

    bool clip(operation &op) {
        if (op.kind != "Clip") return false;
        const op_context c = of.context(op);
        constexpr float most = std::numeric_limits<float>::max();
        float low = c.number("min", -most), high = c.number("max", most);
        if (op.in.size() > 1 && op.in[1] >= 0 && !scalar(op.in[1], low)) return false;
        if (op.in.size() > 2 && op.in[2] >= 0 && !scalar(op.in[2], high)) return false;
        if (!(low <= high)) return false; // ONNX: all elements are the upper bound then
        return becomes(op, algorithm::eltwise_clip, low, high);
    }

    bool power(operation &op) {
        float exponent;
        if (op.kind != "Pow" || op.in.size() != 2 || !scalar(op.in[1], exponent)) return false;
        if (type(op.out[0]) != type(op.in[0])) return false;
        if (exponent == 2) return becomes(op, algorithm::eltwise_square, 0, 0);
        if (exponent == 0.5f) return becomes(op, algorithm::eltwise_sqrt, 0, 0);
        return becomes(op, algorithm::eltwise_pow, 1, exponent);
    }

    bool batch_normalization(operation &op) {
        if (op.kind != "BatchNormalization") return false;
        const op_context c = of.context(op);
        for (int i = 1; i < 5; ++i)
            if (!is_constant(op.in[i])) return false;
        if (c.opset >= 14 && c.integer("training_mode", 0)) return false;
        const auto values = [&](int i) { return of.values[op.in[i]].constant.numbers(); };
        const auto gamma = values(1), beta = values(2), mean = values(3), variance = values(4);
        const double epsilon = c.number("epsilon", 1e-5f);
        std::vector<float> scale, shift;
        for (std::size_t i = 0; i < gamma.size(); ++i) {
            const double factor = gamma[i] / std::sqrt(variance[i] + epsilon);
            scale.push_back(float(factor));
            shift.push_back(float(beta[i] - mean[i] * factor));
        }
        return becomes_affine(op, op.in[0], 1, floats_tensor(scale), floats_tensor(shift));
    }

    /// The axis along which a constant differs, -1 if it has one element; false if it differs along
    /// more than one, or is larger than the data.
    bool axis_of_constant(int id, int data, int &axis) const {
        const extents &dims = type(id).dims, &whole = type(data).dims;
        axis = -1;
        if (dims.size() > whole.size()) return false;
        const std::size_t first = whole.size() - dims.size();
        for (std::size_t d = 0; d < dims.size(); ++d) {
            if (dims[d] == 1) continue;
            if (axis >= 0 || dims[d] != whole[first + d]) return false;
            axis = int(first + d);
        }
        return true;
    }

    bool arithmetic(operation &op) {
        static const std::map<std::string, algorithm> kinds {
            {"Add", algorithm::binary_add},
            {"Div", algorithm::binary_div},
            {"Max", algorithm::binary_max},
            {"Min", algorithm::binary_min},
            {"Mul", algorithm::binary_mul},
            {"Sub", algorithm::binary_sub},
            {"Sum", algorithm::binary_add},
        };
        const auto found = kinds.find(op.kind);
        if (found == kinds.end() || op.in.size() != 2 || !is_f32(op.in[1])) return false;
        if (affine(op, found->second)) return true;
        op.kind = ".Binary";
        op.algorithm = found->second;
        return true;
    }

    bool affine(operation &op, algorithm what) {
        for (int side : {1, 0}) {
            const int constant = op.in[side], data = op.in[1 - side];
            int axis;
            if (!is_constant(constant) || is_constant(data)) continue;
            if (!axis_of_constant(constant, data, axis)) continue;
            std::vector<float> scale, shift;
            for (double v : of.values[constant].constant.numbers()) {
                switch (what) {
                case algorithm::binary_add: scale.push_back(1), shift.push_back(float(v)); break;
                case algorithm::binary_sub:
                    scale.push_back(side == 1 ? 1.f : -1.f);
                    shift.push_back(side == 1 ? float(-v) : float(v));
                    break;
                case algorithm::binary_mul: scale.push_back(float(v)), shift.push_back(0); break;
                case algorithm::binary_div:
                    if (side == 0 || v == 0) return false;
                    scale.push_back(float(1 / v)), shift.push_back(0);
                    break;
                default: return false;
                }
            }
            return becomes_affine(op, data, axis, floats_tensor(scale), floats_tensor(shift));
        }
        return false;
    }
};

} // namespace

void normalize(program &of) { normalizer(of).run(); }

} // namespace dnnl_onnx
