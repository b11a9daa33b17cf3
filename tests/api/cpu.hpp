// SPDX-License-Identifier: Apache-2.0
// The engine of the tests of the C++ API.
#pragma once

#include "dnnl/dnnl.hpp"

namespace api_tests {

/// The one CPU device; made at the first call.
inline const dnnl::engine &cpu() {
    static const dnnl::engine made(dnnl::engine::kind::cpu, 0);
    return made;
}

} // namespace api_tests
