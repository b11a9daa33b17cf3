// SPDX-License-Identifier: Apache-2.0
// Prints the multiply-accumulate peaks of one core of this machine.
#include <cstdio>

#include "common/runtime/isa.hpp"
#include "instruction_peak.hpp"

int main() {
    using namespace dnnl::impl;
    const isa cpu = effective_isa();
    const struct {
        const char *name;
        isa needs;
        double (*measure)();
    } rows[] = {
        {"f32  vfmadd231ps ymm", isa::avx2, bench::peak_fma_256},
        {"f32  vfmadd231ps zmm", isa::avx512, bench::peak_fma_512},
        {"int8 vpdpbusd ymm", isa::avx2_vnni, bench::peak_bytes_256},
        {"int8 vpdpbusd zmm", isa::avx512_vnni, bench::peak_bytes_512},
        {"bf16 vdpbf16ps zmm", isa::avx512_bf16, bench::peak_bf16_512},
    };
    for (const auto &row : rows) {
        if (has(cpu, row.needs))
            std::printf("%-22s %7.1f GMAC/s\n", row.name, row.measure());
        else
            std::printf("%-22s skipped: the CPU or its cap lacks it\n", row.name);
    }
}
