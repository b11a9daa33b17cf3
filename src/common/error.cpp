// SPDX-License-Identifier: Apache-2.0
// The reason of the last failed call, kept per thread in a fixed buffer so that it cannot fail.
#include "common/error.hpp"

#include <cstdio>

namespace dnnl::impl {

namespace {
thread_local char last_error_text[1024] = "";
}

const char *last_error() { return last_error_text; }

void set_last_error(const char *reason) noexcept {
    std::snprintf(last_error_text, sizeof last_error_text, "%s", reason);
}

} // namespace dnnl::impl
