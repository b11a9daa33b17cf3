// SPDX-License-Identifier: Apache-2.0
// Each graph runs fused and node by node: the results agree, and the fused one has the steps that
// are wanted.
#include "builder.hpp"

#include "../program/inputs.hpp"

#include <fmt/core.h>

#include <cmath>
#include <functional>

namespace {

using namespace dnnl_onnx;

struct graph_case {
    const char *name;
    std::function<void(builder &)> build;
    std::size_t steps;    // of the fused program, reorders not counted
    const char *post_ops; // of its first step
    std::int64_t opset = 13;
};

std::string convolution(builder &b, const std::string &x, std::int64_t outputs, std::int64_t inputs,
    std::int64_t kernel, bool bias) {
    std::vector<std::string> in {x, b.weights({outputs, inputs, kernel, kernel})};
    if (bias) in.push_back(b.weights({outputs}));
    const std::int64_t pad = kernel / 2;
    return b.node("Conv", in, {{"pads", integers({pad, pad, pad, pad})}});
}

std::string hard_swish(builder &b, const std::string &x) {
    const std::string clipped =
        b.node("Clip", {b.node("Add", {x, b.number(3)}), b.number(0), b.number(6)});
    return b.node("Div", {b.node("Mul", {x, clipped}), b.number(6)});
}

std::string gelu(builder &b, const std::string &x) {
    const std::string erf = b.node("Erf", {b.node("Div", {x, b.number(std::sqrt(2.f))})});
    const std::string sum = b.node("Add", {erf, b.number(1)});
    return b.node("Mul", {b.node("Mul", {x, sum}), b.number(0.5f)});
}

std::string layer_norm(builder &b, const std::string &x, std::int64_t row) {
    const attribute last = integers({-1});
    const std::string d = b.node("Sub", {x, b.node("ReduceMean", {x}, {{"axes", last}})});
    const std::string variance =
        b.node("ReduceMean", {b.node("Pow", {d, b.number(2)})}, {{"axes", last}});
    const std::string root = b.node("Sqrt", {b.node("Add", {variance, b.number(1e-5f)})});
    const std::string scaled =
        b.node("Mul", {b.node("Div", {d, root}), b.weights({row}, 0.5f, 1.5f)});
    return b.node("Add", {scaled, b.weights({row})});
}

void image(builder &b) { b.input("x", {2, 6, 9, 7}); }

std::string batch_norm(builder &b, const std::string &x, std::int64_t channels) {
    return b.node(
        "BatchNormalization", {x, b.weights({channels}, 0.5f, 1.5f), b.weights({channels}),
                                  b.weights({channels}), b.weights({channels}, 0.5f, 1.5f)});
}

const graph_case cases[] = {
    {"batch normalization into a convolution",
        [](builder &b) {
            image(b);
            b.output(b.node("Relu", {batch_norm(b, convolution(b, "x", 8, 6, 3, true), 8)}));
        },
        1, "relu"},
    {"a factor and a summand of all elements into weights, hard-swish from its pieces",
        [](builder &b) {
            image(b);
            const std::string y =
                b.node("Mul", {b.number(0.7f), convolution(b, "x", 8, 6, 1, true)});
            const std::string s = hard_swish(b, b.node("Add", {y, b.number(0.1f)}));
            b.output(b.node("Add", {b.node("Mul", {s, b.number(1.3f)}), b.number(-0.2f)}));
        },
        1, "hardswish, linear"},
    {"swish with a factor, behind a depthwise convolution",
        [](builder &b) {
            image(b);
            const std::string y = b.node("Conv", {"x", b.weights({6, 1, 3, 3})},
                {{"group", integer(6)}, {"pads", integers({1, 1, 1, 1})}});
            const std::string s = b.node("Sigmoid", {b.node("Mul", {y, b.number(1.5f)})});
            b.output(b.node("Mul", {y, s}));
        },
        1, "swish"},
    {"a residual sum behind the later of two convolutions",
        [](builder &b) {
            image(b);
            const std::string shortcut = convolution(b, "x", 8, 6, 1, true);
            const std::string main =
                convolution(b, convolution(b, "x", 6, 6, 3, false), 8, 6, 3, true);
            b.output(b.node("Relu", {b.node("Add", {main, shortcut})}));
        },
        3, ""},
    {"squeeze and excitation with its residual",
        [](builder &b) {
            image(b);
            const std::string y = convolution(b, "x", 8, 6, 3, true);
            const std::string mean = b.node("GlobalAveragePool", {y});
            const std::string gate = b.node("HardSigmoid",
                {convolution(
                    b, b.node("Relu", {convolution(b, mean, 4, 8, 1, true)}), 8, 4, 1, true)});
            b.output(b.node("Add", {b.node("Mul", {y, gate}), y}));
        },
        5, ""},
    {"gelu behind a product of matrices with a bias",
        [](builder &b) {
            b.input("x", {2, 5, 12});
            const std::string y = b.node("MatMul", {"x", b.weights({12, 16})});
            b.output(gelu(b, b.node("Add", {y, b.weights({16})})));
        },
        1, "gelu_erf"},
    {"mish",
        [](builder &b) {
            image(b);
            const std::string y = convolution(b, "x", 8, 6, 1, false);
            b.output(b.node("Mul", {y, b.node("Tanh", {b.node("Softplus", {y})})}));
        },
        1, "mish"},
    {"layer normalization from its pieces",
        [](builder &b) {
            b.input("x", {2, 5, 12});
            b.output(layer_norm(b, "x", 12));
        },
        1, ""},
    {"softmax from its pieces, along a dimension within",
        [](builder &b) {
            b.input("x", {3, 7, 5});
            const std::string most = b.node("ReduceMax", {"x"}, {{"axes", integers({1})}});
            const std::string power = b.node("Exp", {b.node("Sub", {"x", most})});
            const std::string sum = b.node("ReduceSum", {power, b.constant(integers_tensor({-2}))});
            b.output(b.node("Div", {power, sum}));
        },
        1, ""},
    {"softmax without its largest element, and a function behind it",
        [](builder &b) {
            b.input("x", {4, 9});
            const std::string power = b.node("Exp", {"x"});
            const std::string sum = b.node("ReduceSum", {power, b.constant(integers_tensor({1}))});
            b.output(b.node("Sqrt", {b.node("Div", {power, sum})}));
        },
        1, "sqrt"},
    {"the logarithm of softmax from its pieces",
        [](builder &b) {
            b.input("x", {4, 9});
            const std::string most = b.node("ReduceMax", {"x"}, {{"axes", integers({1})}});
            const std::string less = b.node("Sub", {"x", most});
            const std::string sum =
                b.node("ReduceSum", {b.node("Exp", {less}), b.constant(integers_tensor({1}))});
            b.output(b.node("Sub", {less, b.node("Log", {sum})}));
        },
        1, ""},
    {"exponentials over sums of another dimension are no softmax",
        [](builder &b) {
            b.input("x", {9, 9});
            const std::string most = b.node("ReduceMax", {"x"}, {{"axes", integers({0})}});
            const std::string power = b.node("Exp", {b.node("Sub", {"x", most})});
            const std::string sum = b.node("ReduceSum", {power, b.constant(integers_tensor({1}))});
            b.output(b.node("Div", {power, sum}));
        },
        3, ""},
    {"attention: scaled scores, softmax, product",
        [](builder &b) {
            b.input("q", {2, 3, 5, 8});
            b.input("k", {2, 3, 7, 8});
            b.input("v", {2, 3, 7, 8});
            const std::string turned =
                b.node("Transpose", {"k"}, {{"perm", integers({0, 1, 3, 2})}});
            const std::string scores =
                b.node("MatMul", {b.node("Mul", {"q", b.number(0.35f)}), turned});
            const std::string p = b.node("Softmax", {scores}, {{"axis", integer(-1)}});
            b.output(b.node("MatMul", {p, "v"}));
        },
        3, "linear"},
    {"Gemm with factors, a transposed matrix and a row",
        [](builder &b) {
            b.input("x", {4, 12});
            const std::string y = b.node("Gemm", {"x", b.weights({9, 12}), b.weights({9})},
                {{"transB", integer(1)}, {"alpha", number(0.5f)}, {"beta", number(2)}});
            b.output(b.node("Tanh", {y}));
        },
        1, "tanh"},
    {"an enlarged image plus another",
        [](builder &b) {
            image(b);
            b.input("y", {2, 6, 18, 14});
            const std::string up = b.node("Resize",
                {"x", "", b.constant(floats_tensor({1, 1, 2, 2}))},
                {{"mode", text("nearest")}, {"coordinate_transformation_mode", text("asymmetric")},
                    {"nearest_mode", text("floor")}});
            b.output(b.node("Add", {"y", up}));
        },
        1, "add"},
    {"a transposed convolution whose windows touch",
        [](builder &b) {
            image(b);
            const std::string y = b.node("ConvTranspose",
                {"x", b.weights({6, 5, 2, 2}), b.weights({5})}, {{"strides", integers({2, 2})}});
            b.output(b.node("Sigmoid", {batch_norm(b, y, 5)}));
        },
        1, "sigmoid"},
    {"a difference whose second operand is the product",
        [](builder &b) {
            image(b);
            b.output(b.node("Sub", {"x", convolution(b, "x", 6, 6, 3, false)}));
        },
        1, "linear, add"},
};

double largest(const tensor &t) {
    double most = 0;
    for (double v : t.numbers()) most = std::max(most, std::abs(v));
    return most;
}

std::string failure(const graph_case &c) {
    builder b(c.opset);
    c.build(b);
    network_options plain;
    plain.fuse = false;
    network fused(b.finished()), by_nodes(b.finished(), plain);
    named_tensors given;
    for (std::size_t i = 0; i < fused.inputs().size(); ++i)
        given[fused.inputs()[i].name] = random_tensor(fused.inputs()[i].type, i + 1);
    const tensor found = fused.run(given).at(0), wanted = by_nodes.run(given).at(0);
    if (found.type() != wanted.type())
        return "is " + text_of(found.type()) + " instead of " + text_of(wanted.type());
    const std::vector<double> x = found.numbers(), y = wanted.numbers();
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(x[i] - y[i]) <= 2e-6 * (1 + largest(wanted))))
            return fmt::format("has {} instead of {} at {}", x[i], y[i], i);
    std::size_t steps = 0;
    std::string post_ops;
    for (const step &s : fused.last_programs().at(0)->list()) {
        if (s.kind == "reorder") continue;
        if (steps++ == 0) post_ops = s.post_ops;
    }
    if (steps != c.steps) return fmt::format("has {} steps instead of {}", steps, c.steps);
    if (post_ops != c.post_ops)
        return fmt::format("has the post-ops '{}' instead of '{}'", post_ops, c.post_ops);
    return "";
}

} // namespace

int main() {
    int failed = 0;
    for (const graph_case &c : cases) {
        std::string text;
        try {
            text = failure(c);
        } catch (const std::exception &e) {
            text = e.what();
        }
        fmt::print("{}{}{}\n", text.empty() ? "passed: " : "FAILED: ", c.name,
            text.empty() ? "" : ": " + text);
        failed += !text.empty();
    }
    return failed > 0;
}
