// SPDX-License-Identifier: Apache-2.0
// The headers in a program whose own files are guarded by names such as MEMORY_HPP and
// DNNL_MEMORY_HPP: CMake defines both for every header of the library before this file begins.
#if !defined(DNNL_MEMORY_HPP) || !defined(COMMON_HPP) || !defined(DNNL_DNNL_H)
#error "the client's macros are not defined"
#endif
#include "dnnl.hpp"

#include <iostream>

int main() {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const dnnl::memory::desc md({2, 3}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
    const dnnl::eltwise_forward::primitive_desc pd(
        engine, dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, md, md);
    if (pd.dst_desc() == md) return 0;
    std::cerr << "a descriptor differs\n";
    return 1;
}
