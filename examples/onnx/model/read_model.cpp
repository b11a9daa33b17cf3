// SPDX-License-Identifier: Apache-2.0
#include "read_model.hpp"

#include "error.hpp"
#include "order.hpp"
#include "read_tensor.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <fstream>
#include <limits>
#include <sstream>

namespace dnnl_onnx {

namespace {

using std::filesystem::path;

// Bodies of If and Loop inside each other; deeper ones are no model, but would fill the stack.
constexpr int deepest_body = 50;

class reader {
  public:
    explicit reader(path folder) : folder_(std::move(folder)) {}

    graph read(const onnx::GraphProto &from, int depth) {
        if (depth > deepest_body) throw error("bodies of If and Loop are nested too deeply");
        graph to;
        to.name = from.name();
        for (const auto &initializer : from.initializer())
            to.initializers[initializer.name()] = tensor_from(initializer, folder_);
        if (from.sparse_initializer_size()) throw unsupported("the model has sparse initialisers");
        for (const auto &input : from.input())
            if (!to.initializers.count(input.name())) to.inputs.push_back(read(input));
        for (const auto &output : from.output()) to.outputs.push_back(read(output));
        for (const auto &each : from.node()) to.nodes.push_back(read(each, depth));
        return to;
    }

  private:
    static value_info read(const onnx::ValueInfoProto &from) {
        value_info to;
        to.name = from.name();
        if (!from.type().has_tensor_type()) return to;
        const auto &type = from.type().tensor_type();
        to.type.type = element_type(type.elem_type());
        to.has_dims = type.has_shape();
        for (const auto &dim : type.shape().dim()) {
            to.type.dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
            to.symbols.push_back(dim.dim_param());
        }
        return to;
    }

    node read(const onnx::NodeProto &from, int depth) {
        node to;
        to.operation = from.op_type();
        to.domain = from.domain();
        to.name = from.name();
        to.inputs.assign(from.input().begin(), from.input().end());
        to.outputs.assign(from.output().begin(), from.output().end());
        for (const auto &each : from.attribute()) {
            try {
                to.attributes[each.name()] = read(each, depth);
            } catch (const unsupported &e) {
                to.attributes[each.name()].missing = e.what();
            } catch (const error &e) {
                throw error(to.text() + ": " + e.what());
            }
        }
        return to;
    }

    attribute read(const onnx::AttributeProto &from, int depth) {
        using kind = onnx::AttributeProto;
        attribute to;
        switch (from.type()) {
        case kind::FLOAT: to.number = from.f(); break;
        case kind::INT: to.integer = from.i(); break;
        case kind::STRING: to.text = from.s(); break;
        case kind::TENSOR: to.constant = tensor_from(from.t(), folder_); break;
        case kind::GRAPH: to.body = std::make_shared<const graph>(read(from.g(), depth + 1)); break;
        case kind::FLOATS: to.numbers.assign(from.floats().begin(), from.floats().end()); break;
        case kind::INTS: to.integers.assign(from.ints().begin(), from.ints().end()); break;
        case kind::STRINGS: to.texts.assign(from.strings().begin(), from.strings().end()); break;
        default: to.missing = "its attribute " + from.name() + " has a type that is not there";
        }
        return to;
    }

    path folder_;
};

std::string read_bytes(const path &file) {
    std::error_code status;
    if (std::filesystem::is_directory(file, status))
        throw error("'" + file.string() + "' is a folder");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw error("'" + file.string() + "' cannot be read");
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    return std::move(bytes).str();
}

template <class Message> bool parsed(Message &message, std::string_view bytes) {
    if (bytes.size() > std::size_t(std::numeric_limits<int>::max())) return false;
    google::protobuf::io::ArrayInputStream array(bytes.data(), int(bytes.size()));
    google::protobuf::io::CodedInputStream stream(&array);
    stream.SetRecursionLimit(2 * deepest_body + 20);
    return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

} // namespace

model parse_model(std::string_view bytes, const path &folder) {
    onnx::ModelProto from;
    if (bytes.empty()) throw error("the model is empty");
    if (!parsed(from, bytes))
        throw error("the model is no ONNX file, or it is cut off: protobuf cannot read its " +
                    std::to_string(bytes.size()) + " bytes");
    if (!from.has_graph()) throw error("the model has no graph");
    if (from.functions_size())
        throw unsupported(
            "the model has functions of its own ('" + from.functions(0).name() + "')");
    model to;
    to.producer = from.producer_name();
    for (const auto &opset : from.opset_import())
        to.opsets[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
    to.main = reader(folder).read(from.graph(), 0);
    put_in_order(to.main);
    return to;
}

model read_model(const path &file) {
    const std::string bytes = read_bytes(file);
    try {
        return parse_model(bytes, file.parent_path());
    } catch (const unsupported &e) {
        throw unsupported("'" + file.string() + "': " + e.what());
    } catch (const error &e) {
        throw error("'" + file.string() + "': " + e.what());
    }
}

tensor read_tensor(const path &file) {
    onnx::TensorProto from;
    const std::string bytes = read_bytes(file);
    if (!parsed(from, bytes)) throw error("'" + file.string() + "' is no tensor of ONNX");
    return tensor_from(from, file.parent_path());
}

} // namespace dnnl_onnx
