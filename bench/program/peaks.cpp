// SPDX-License-Identifier: Apache-2.0
#include "peaks.hpp"

#include "../instruction_peak.hpp"
#include "dnnl/dnnl.hpp"

#include <algorithm>
#include <immintrin.h>
#include <unistd.h>

namespace bench {
namespace {

constexpr const char *f32_name = "f32 products", *int8_name = "int8 products";
constexpr const char *bf16_name = "bf16 products";

/// Reads the bytes, whose number is a multiple of 512, once.
__attribute__((target("avx2"))) void read_all(const char *data, std::size_t bytes) {
    __m256i sum[8] = {};
    for (std::size_t i = 0; i < bytes; i += 256)
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k)
            sum[k] = _mm256_or_si256(
                sum[k], _mm256_load_si256(reinterpret_cast<const __m256i *>(data + i) + k));
    for (int k = 1; k < 8; ++k) sum[0] = _mm256_or_si256(sum[0], sum[k]);
    asm volatile("" ::"x"(sum[0]));
}

double read_gigabytes_per_second(std::size_t bytes) {
    bytes = bytes / 512 * 512;
    auto *data = static_cast<char *>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
    if (!data) return 0;
    std::fill_n(data, bytes, '\1');
    const long times = std::max<long>(1, static_cast<long>((std::size_t {1} << 20) / bytes));
    const double least = least_seconds([&] {
        for (long i = 0; i < times; ++i) read_all(data, bytes);
    });
    std::free(data);
    return 1e-9 * static_cast<double>(bytes) * static_cast<double>(times) / least;
}

std::size_t cache_bytes(int name, std::size_t otherwise) {
    const long bytes = sysconf(name);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

bool has(dnnl::cpu_isa level) {
    const auto mine = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    return (mine & static_cast<unsigned>(level)) == static_cast<unsigned>(level);
}

} // namespace

std::vector<measured_peak> measure_peaks() {
    using dnnl::cpu_isa;
    std::vector<measured_peak> peaks;
    const auto add = [&](const char *name, const char *unit, double value) {
        peaks.push_back({name, unit, value});
    };
    if (!has(cpu_isa::avx2)) return peaks;
    const bool wide = has(cpu_isa::avx512_core);
    add(f32_name, "GMAC/s", wide ? peak_fma_512() : peak_fma_256());
    if (has(cpu_isa::avx512_core_vnni))
        add(int8_name, "GMAC/s", peak_bytes_512());
    else if (has(cpu_isa::avx2_vnni))
        add(int8_name, "GMAC/s", peak_bytes_256());
    if (has(cpu_isa::avx512_core_bf16)) add(bf16_name, "GMAC/s", peak_bf16_512());
    const std::size_t l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
    const std::size_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
    add("L1 reads", "GB/s", read_gigabytes_per_second(l1 / 2));
    add("L2 reads", "GB/s", read_gigabytes_per_second(l2 / 2));
    add("L3 reads", "GB/s", read_gigabytes_per_second(4 * l2));
    add("memory reads", "GB/s", read_gigabytes_per_second(std::size_t {512} << 20));
    return peaks;
}

double share_of_peak(
    const std::vector<measured_peak> &peaks, const std::string &types, double gmacs, int threads) {
    const std::string source = types.substr(0, types.find_first_of(":-"));
    const char *name = source == "u8" || source == "s8" ? int8_name
                       : source == "bf16"               ? bf16_name
                                                        : f32_name;
    for (const char *wanted : {name, f32_name}) // bf16 is widened where it has no instruction
        for (const measured_peak &p : peaks)
            if (p.name == wanted) return gmacs / (p.value * threads);
    return 0;
}

} // namespace bench
