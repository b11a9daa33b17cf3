// SPDX-License-Identifier: Apache-2.0
// Calls that are made wrong on purpose, and what is answered.
#pragma once

#include <functional>
#include <string>

#include "cpu.hpp"

namespace api_tests {

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;
using md = memory::desc;

/// The status and the message of the error that the call throws.
struct answer {
    dnnl_status_t status;
    std::string message;
};
inline answer answer_to(const std::function<void()> &call) {
    try {
        call();
    } catch (const error &e) {
        return {e.status, e.what()};
    }
    return {dnnl_success, ""};
}

inline md plain(const memory::dims &dims, dt type = dt::f32) {
    return md(dims, type, memory::dims());
}

inline void multiply(const md &src, const md &weights, const md &dst,
    const primitive_attr &attr = primitive_attr()) {
    matmul::primitive_desc(cpu(), src, weights, dst, attr);
}
inline void multiply(const primitive_attr &attr, dt weights = dt::f32) {
    multiply(plain({2, 64}), plain({64, 32}, weights), plain({2, 32}), attr);
}
inline void convolve(dt src, dt weights, const memory::dims &dst = {2, 4, 8, 8},
    const primitive_attr &attr = primitive_attr()) {
    convolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
        algorithm::convolution_direct, plain({2, 6, 8, 8}, src), plain({4, 6, 3, 3}, weights),
        plain(dst), {1, 1}, {1, 1}, {1, 1}, attr);
}

/// The tensors of multiply(), as reasons tell them.
const std::string products = " (src f32 ab 2x64, weights f32 ab 64x32, dst f32 ab 2x32)";

} // namespace api_tests
