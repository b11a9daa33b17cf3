// SPDX-License-Identifier: Apache-2.0
// The engine of the tests of the C++ API, and memory on it.
#pragma once

#include <cstring>

#include "dnnl/dnnl.hpp"

namespace api_tests {

/// The one CPU device; made at the first call.
inline const dnnl::engine &cpu() {
    static const dnnl::engine made(dnnl::engine::kind::cpu, 0);
    return made;
}

/// A memory of md, all of whose bytes are 0.
inline dnnl::memory zeros(const dnnl::memory::desc &md) {
    const dnnl::memory made(md, cpu());
    if (md.get_size() > 0) std::memset(made.get_data_handle(), 0, md.get_size());
    return made;
}

} // namespace api_tests
