// SPDX-License-Identifier: Apache-2.0
// Bytes as a model: whatever the reader accepts is run on random inputs, if it is small. Anything
// but a result or one of this program's errors is a find.
#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "../network.hpp"
#include "../program/inputs.hpp"

#include <cstdint>

namespace {

using namespace dnnl_onnx;

constexpr std::int64_t most_elements = 1 << 16; // of an input
constexpr std::size_t most_bytes = 1 << 24;     // of a tensor

/// Loops may run for ever, which is no error of this program.
bool has_loops(const graph &of) {
    for (const node &n : of.nodes) {
        if (n.operation == "Loop" || n.operation == "Scan") return true;
        for (const auto &[name, value] : n.attributes)
            if (value.body && has_loops(*value.body)) return true;
    }
    return false;
}

void run(model from) {
    if (has_loops(from.main)) return;
    network net(std::move(from));
    named_tensors given;
    for (const value_info &input : net.inputs()) {
        tensor_type type = input.type;
        for (std::int64_t &extent : type.dims)
            if (extent < 0) extent = 2;
        if (type.type == element_type::undefined || type.count() > most_elements) return;
        given[input.name] = random_tensor(type, 1);
    }
    net.run(given);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    limit_tensors(most_bytes);
    try {
        run(parse_model({reinterpret_cast<const char *>(data), size}, "nowhere"));
    } catch (const error &) {
    } catch (const dnnl::error &) {}
    return 0;
}
