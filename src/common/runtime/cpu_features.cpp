// SPDX-License-Identifier: Apache-2.0
// Detects features: CPUID tells those of the CPU, XCR0 those that the operating system saves, and
// the system is asked for its permission of tiles. Tests replace this file to run rows over
// instruction models (tests/models).
#include "common/runtime/isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace dnnl::impl {

#if defined(__x86_64__)
namespace {

// Feature bits, also of features that no level of plain_types.hpp names.
constexpr std::uint32_t bit_avx2 = 0x7, bit_avx2_vnni = 0x8, bit_avx512 = 0x20,
                        bit_avx512_vnni = 0x40, bit_avx512_bf16 = 0x80, bit_avx512_fp16 = 0x100,
                        bit_amx = 0xe00, bit_amx_fp16 = 0x1000, bit_amx_fp8 = 0x2000,
                        bit_avx10_2 = 0x20010, // and the dot products of AVX2_VNNI_2
    bit_vbmi = 0x40000000;                     // of isa::avx512_vbmi alone

struct cpuid_registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

cpuid_registers cpuid(unsigned leaf, unsigned subleaf) {
    cpuid_registers r;
    __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
}

/// State components that the operating system saves (XCR0).
std::uint64_t saved_state() {
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t {high} << 32 | low;
}

constexpr bool bit(unsigned value, int index) { return value >> index & 1; }

} // namespace

std::uint32_t detected_features() {
    const cpuid_registers leaf1 = cpuid(1, 0), leaf7 = cpuid(7, 0), leaf7_1 = cpuid(7, 1);
    const bool osxsave = bit(leaf1.ecx, 27);
    const std::uint64_t state = osxsave ? saved_state() : 0;
    const bool fma = bit(leaf1.ecx, 12), f16c = bit(leaf1.ecx, 29);
    const bool avx2 = bit(leaf7.ebx, 5), bmi2 = bit(leaf7.ebx, 8);
    if (!(fma && f16c && avx2 && bmi2 && (state & 0x6) == 0x6)) return bit(leaf1.ecx, 19);

    std::uint32_t features = bit_avx2;
    if (bit(leaf7_1.eax, 4)) features |= bit_avx2_vnni;
    const bool f = bit(leaf7.ebx, 16), dq = bit(leaf7.ebx, 17), bw = bit(leaf7.ebx, 30),
               vl = bit(leaf7.ebx, 31);
    if (!(f && dq && bw && vl && (state & 0xe0) == 0xe0)) return features;
    features |= bit_avx512;
    if (bit(leaf7.ecx, 1)) features |= bit_vbmi;
    if (bit(leaf7.ecx, 11)) features |= bit_avx512_vnni;
    if (bit(leaf7_1.eax, 5)) features |= bit_avx512_bf16;
    if (bit(leaf7.edx, 23)) features |= bit_avx512_fp16;
    const unsigned avx10_version = bit(leaf7_1.edx, 19) ? cpuid(0x24, 0).ebx & 0xff : 0;
    if (avx10_version >= 2) features |= bit_avx10_2;
    const bool tile = bit(leaf7.edx, 24), int8 = bit(leaf7.edx, 25), bf16 = bit(leaf7.edx, 22);
    if (tile && int8 && bf16 && (state & 0x60000) == 0x60000) {
        features |= bit_amx;
        if (bit(leaf7_1.eax, 21)) features |= bit_amx_fp16;
        if (bit(cpuid(0x1e, 1).eax, 4)) features |= bit_amx_fp8;
    }
    return features;
}

#else

/// Another processor has none of the levels; only the reference rows run on it.
std::uint32_t detected_features() { return 0; }

#endif

bool has_fast_bf16_pairs() {
#if defined(__x86_64__)
    static const bool is_amd = [] {
        const cpuid_registers leaf0 = cpuid(0, 0);
        return leaf0.ebx == signature_AMD_ebx && leaf0.edx == signature_AMD_edx &&
               leaf0.ecx == signature_AMD_ecx;
    }();
    return is_amd;
#else
    return false;
#endif
}

bool request_amx_permission() {
#if defined(__x86_64__) && defined(__linux__)
    static const bool granted = [] {
        constexpr long request_permission = 0x1023,
                       tile_data = 18; // arch_prctl(2), ARCH_REQ_XCOMP_PERM
        return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
    }();
    return granted;
#else
    return false;
#endif
}

} // namespace dnnl::impl
