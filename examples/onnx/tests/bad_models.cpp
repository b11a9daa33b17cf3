// SPDX-License-Identifier: Apache-2.0
// Models and inputs that are wrong: each gives one line that names what is wrong.
#include "builder.hpp"

#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "../program/inputs.hpp"

#include <onnx/onnx.pb.h>

#include <fmt/core.h>

#include <fstream>
#include <functional>

namespace {

using namespace dnnl_onnx;
namespace fs = std::filesystem;

/// A model of one convolution and a relu, whole.
onnx::ModelProto whole_model() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    auto *opset = model.add_opset_import();
    opset->set_domain("");
    opset->set_version(13);
    auto *graph = model.mutable_graph();
    auto *input = graph->add_input();
    input->set_name("x");
    auto *type = input->mutable_type()->mutable_tensor_type();
    type->set_elem_type(1);
    for (int extent : {1, 3, 8, 8}) type->mutable_shape()->add_dim()->set_dim_value(extent);
    graph->add_output()->set_name("y");
    auto *weights = graph->add_initializer();
    weights->set_name("w");
    weights->set_data_type(1);
    for (int extent : {4, 3, 3, 3}) weights->add_dims(extent);
    for (int i = 0; i < 108; ++i) weights->add_float_data(0.01f * float(i));
    auto *conv = graph->add_node();
    conv->set_name("conv");
    conv->set_op_type("Conv");
    conv->add_input("x");
    conv->add_input("w");
    conv->add_output("z");
    auto *relu = graph->add_node();
    relu->set_op_type("Relu");
    relu->add_input("z");
    relu->add_output("y");
    return model;
}

struct bad_case {
    const char *name;
    std::function<void(onnx::ModelProto &)> spoil;
    const char *message; // what the line has to contain
};

onnx::TensorProto &weights_of(onnx::ModelProto &m) {
    return *m.mutable_graph()->mutable_initializer(0);
}
onnx::NodeProto &node_of(onnx::ModelProto &m, int i) { return *m.mutable_graph()->mutable_node(i); }

void external(onnx::ModelProto &m, const char *file) {
    auto &w = weights_of(m);
    w.clear_float_data();
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    auto *place = w.add_external_data();
    place->set_key("location");
    place->set_value(file);
}

const bad_case cases[] = {
    {"no graph", [](auto &m) { m.clear_graph(); }, "the model has no graph"},
    {"a missing initialiser", [](auto &m) { m.mutable_graph()->clear_initializer(); },
        "Conv 'conv': its input 'w' is neither an initialiser nor made by a node"},
    {"a cycle", [](auto &m) { node_of(m, 0).set_input(0, "y"); },
        "waits for its own results: the graph has a cycle"},
    {"a value made twice", [](auto &m) { node_of(m, 1).set_output(0, "z"); },
        "Relu of 'z': 'z' is made twice, also by Conv 'conv'"},
    {"an output that nobody makes",
        [](auto &m) { m.mutable_graph()->mutable_output(0)->set_name("q"); },
        "the output 'q' of the graph is made by no node"},
    {"an operator that is not there", [](auto &m) { node_of(m, 1).set_op_type("Frobnicate"); },
        "Frobnicate of 'y': there is no operator Frobnicate"},
    {"a domain that is not there", [](auto &m) { node_of(m, 1).set_domain("com.example"); },
        "Relu of 'y': there is no operator com.example.Relu"},
    {"weights for other channels",
        [](auto &m) {
            weights_of(m).set_dims(1, 1);
            weights_of(m).set_dims(0, 12);
        },
        "Conv 'conv': weights [12, 1, 3, 3] in 1 groups do not fit the input [1, 3, 8, 8]"},
    {"too few elements", [](auto &m) { weights_of(m).mutable_float_data()->Truncate(7); },
        "tensor 'w' f32[4, 3, 3, 3] has 7 elements"},
    {"raw data of another length",
        [](auto &m) {
            weights_of(m).clear_float_data();
            weights_of(m).set_raw_data("abc");
        },
        "tensor 'w' f32[4, 3, 3, 3] has 3 bytes of data"},
    {"weights of 10 GB that are not there", [](auto &m) { weights_of(m).set_dims(0, 100000000); },
        "tensor 'w' f32[100000000, 3, 3, 3] has 108 elements"},
    {"extents whose product overflows",
        [](auto &m) {
            for (int d = 0; d < 4; ++d) weights_of(m).set_dims(d, std::int64_t(1) << 40);
        },
        "is too large"},
    {"a negative extent", [](auto &m) { weights_of(m).set_dims(0, -4); },
        "tensor 'w' has the extents [?, 3, 3, 3]"},
    {"a type that is not there", [](auto &m) { weights_of(m).set_data_type(8); },
        "tensor 'w' has elements of the type string"},
    {"external data that is missing", [](auto &m) { external(m, "nowhere.bin"); },
        "tensor 'w': its data is missing: "},
    {"external data outside of the folder", [](auto &m) { external(m, "../../etc/passwd"); },
        "tensor 'w': its data is outside of the model's folder: '../../etc/passwd'"},
    {"external data that is too short", [](auto &m) { external(m, "short.bin"); },
        "short.bin' is too short for its data"},
    {"strides of 0",
        [](auto &m) {
            auto *a = node_of(m, 0).add_attribute();
            a->set_name("strides");
            a->set_type(onnx::AttributeProto::INTS);
            a->add_ints(0);
            a->add_ints(1);
        },
        "Conv 'conv': its windows have a kernel, strides or dilations below 1"},
    {"an input too few", [](auto &m) { node_of(m, 0).mutable_input()->RemoveLast(); },
        "Conv 'conv': input 1 is missing"},
};

/// What reading and running says; empty if nothing is wrong.
std::string line_of(const std::function<void()> &run) {
    try {
        run();
    } catch (const error &e) {
        return e.what();
    }
    return "";
}

int failures = 0;

void expect(const std::string &name, const std::string &line, const std::string &wanted) {
    const bool right = line.find(wanted) != std::string::npos &&
                       line.find('\n') == std::string::npos && !line.empty();
    fmt::print(
        "{}{}: {}\n", right ? "passed: " : "FAILED: ", name, line.empty() ? "nothing" : line);
    failures += !right;
}

void run_bytes(const std::string &bytes, const fs::path &folder) {
    const fs::path file = folder / "model.onnx";
    std::ofstream(file, std::ios::binary) << bytes;
    network net(read_model(file));
    net.run({{"x", random_tensor({element_type::f32, {1, 3, 8, 8}}, 1)}});
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const fs::path folder = argv[1];
    fs::create_directories(folder);
    std::ofstream(folder / "short.bin") << "123";
    const std::string whole = whole_model().SerializeAsString();
    expect(
        "the whole model is right", line_of([&] { run_bytes(whole, folder); }) + "right", "right");
    for (const bad_case &c : cases) {
        onnx::ModelProto model = whole_model();
        c.spoil(model);
        expect(c.name, line_of([&] { run_bytes(model.SerializeAsString(), folder); }), c.message);
    }
    for (const std::size_t length :
        {std::size_t(0), std::size_t(1), whole.size() / 2, whole.size() - 1})
        expect(fmt::format("the first {} bytes", length),
            line_of([&] { run_bytes(whole.substr(0, length), folder); }), "model.onnx'");
    expect("text instead of a model", line_of([&] { run_bytes("# a text\n", folder); }),
        "the model is no ONNX file, or it is cut off");
    expect("a file that is not there", line_of([&] { read_model(folder / "none.onnx"); }),
        "cannot be read");
    expect("a folder", line_of([&] { read_model(folder); }), "is a folder");
    network net(parse_model(whole, folder));
    const tensor other = random_tensor({element_type::f32, {1, 3, 9, 8}}, 1);
    expect("no input", line_of([&] { net.run({}); }), "the input 'x' is missing");
    expect("an input of other extents", line_of([&] {
        net.run({{"x", other}});
    }),
        "the input 'x' is f32[1, 3, 9, 8], and the model wants f32[1, 3, 8, 8]");
    expect("an unknown input", line_of([&] {
        net.run({{"x", random_tensor({element_type::f32, {1, 3, 8, 8}}, 1)}, {"q", other}});
    }),
        "the model has no input 'q'");
    return failures > 0;
}
