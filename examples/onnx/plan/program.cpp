// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

namespace dnnl_onnx {

op_context program::context(const operation &of) const {
    std::vector<const tensor_type *> types;
    std::vector<const tensor *> known;
    for (int id : of.in) {
        types.push_back(id < 0 ? nullptr : &values[id].type);
        known.push_back(id < 0 || !values[id].constant ? nullptr : &values[id].constant);
    }
    return op_context(*of.asked, opset, std::move(types), std::move(known));
}

} // namespace dnnl_onnx
