// SPDX-License-Identifier: Apache-2.0
// Checks of programs that need no test framework: they are C++11 and count what fails.
#pragma once

#include <cstdio>

#include "dnnl/dnnl.hpp"

namespace {

int failures = 0;

void check(bool ok, const char *what) {
    if (ok) return;
    std::printf("failed: %s\n", what);
    ++failures;
}

/// Whether the call throws an error with this status and a message that is not empty.
template <typename Call> bool throws(dnnl_status_t status, const Call &call) {
    try {
        call();
    } catch (const dnnl::error &e) {
        return e.status == status && e.what()[0] != '\0';
    }
    return false;
}

} // namespace
