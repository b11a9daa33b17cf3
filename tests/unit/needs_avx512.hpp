// SPDX-License-Identifier: Apache-2.0
// For tests of models that save AVX-512 registers: leaves the program, as skipped, where the CPU or
// its cap lacks these.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "common/runtime/isa.hpp"

namespace dnnl::impl {

struct needs_avx512 {
    needs_avx512() {
        if (has(effective_isa(), isa::avx512)) return;
        std::puts("skipped: the model saves AVX-512 registers, and the CPU or its cap lacks them");
        std::fflush(stdout);
        std::_Exit(77);
    }
};

} // namespace dnnl::impl
