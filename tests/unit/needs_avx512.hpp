// SPDX-License-Identifier: Apache-2.0
// For tests that run AVX-512 code of their own.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "common/runtime/isa.hpp"

namespace dnnl::impl {

/// Ends the program as skipped where the CPU or its cap lacks AVX-512. why: what holds such code.
struct needs_avx512 {
    explicit needs_avx512(const char *why) {
        if (has(effective_isa(), isa::avx512)) return;
        std::printf("skipped: %s, and the CPU or its cap lacks it\n", why);
        std::fflush(stdout);
        std::_Exit(77);
    }
};

} // namespace dnnl::impl
