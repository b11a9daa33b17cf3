// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

namespace dnnl_onnx {

std::string node::text() const {
    if (!name.empty()) return operation + " '" + name + "'";
    for (const std::string &output : outputs)
        if (!output.empty()) return operation + " of '" + output + "'";
    return operation;
}

std::int64_t model::opset() const {
    const auto found = opsets.find("");
    return found == opsets.end() ? 1 : found->second;
}

} // namespace dnnl_onnx
