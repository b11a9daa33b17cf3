// SPDX-License-Identifier: Apache-2.0
// Takes the place of src/common/runtime/cpu_features.cpp in the library over the models: any
// machine with AVX-512 has the levels whose kernels call the emulator.
#include "common/runtime/isa.hpp"

namespace dnnl::impl {

std::uint32_t detected_features() {
    __builtin_cpu_init();
    const bool has_avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (!has_avx512) return 0;
    return static_cast<std::uint32_t>(isa::amx) | static_cast<std::uint32_t>(isa::avx2_vnni);
}

bool has_fast_bf16_pairs() { return true; }

bool request_amx_permission() { return true; }

} // namespace dnnl::impl
