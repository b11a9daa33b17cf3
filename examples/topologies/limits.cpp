// SPDX-License-Identifier: Apache-2.0
// Without VNNI exact products of bytes are vpmaddwd on 16 bits and vpaddd. vpmaddwd multiplies
// twice as many operands as the f32 instruction does, and starts on the same ports, but vpaddd
// takes ports too. In 256 bits: AMD has two ports that multiply and two others that add, so
// that 2.0 remains; Intel has two that do both and one that adds: three ports for two
// instructions, 1.5. In 512 bits Intel has two for everything: 1.0.
#include "limits.hpp"

#include <dnnl.hpp>

namespace topologies {

int8_limit int8_limit_here() {
    using dnnl::cpu_isa;
    switch (dnnl::get_effective_cpu_isa()) {
    case cpu_isa::sse41: return {"SSE4.1", 1, false};
    case cpu_isa::avx: return {"AVX", 1, false};
    case cpu_isa::avx2: return {"AVX2", __builtin_cpu_is("amd") ? 2 : 1.5, false};
    case cpu_isa::avx512_core: return {"AVX512_CORE", 1, false};
    case cpu_isa::avx2_vnni: return {"AVX2_VNNI", 4, true};
    case cpu_isa::avx2_vnni_2: return {"AVX2_VNNI_2", 4, true};
    case cpu_isa::avx512_core_vnni: return {"AVX512_CORE_VNNI", 4, true};
    case cpu_isa::avx512_core_bf16: return {"AVX512_CORE_BF16", 4, true};
    case cpu_isa::avx10_1_512: return {"AVX10_1_512", 4, true};
    default: return {"AVX10_1_512_AMX or better", 32, true};
    }
}

} // namespace topologies
