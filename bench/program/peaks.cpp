// SPDX-License-Identifier: Apache-2.0
#include "peaks.hpp"

#include "../instruction_peak.hpp"
#include "dnnl/dnnl.hpp"

#include <algorithm>
#include <cstdlib>
#include <immintrin.h>
#include <unistd.h>

namespace bench {
namespace {

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

/// An instruction that multiplies, where the level of the library allows it and the processor has
/// it.
struct instruction {
    const char *name; ///< begins with the type of the operands
    dnnl::cpu_isa level;
    bool is_there;
    double (*measure)();
};

std::vector<instruction> instructions() {
    using level = dnnl::cpu_isa;
    return {
        {"f32 vfmadd231ps, 256 bits", level::avx2, true, peak_fma_256},
        {"f32 vfmadd231ps, 512 bits", level::avx512_core, true, peak_fma_512},
        {"f16 vfmadd231ph, 512 bits", level::avx512_core, __builtin_cpu_supports("avx512fp16") != 0,
            peak_f16_512},
        {"int8 vpdpbusd, 256 bits", level::avx2_vnni, true, peak_bytes_256},
        {"int8 vpdpbusd, 512 bits", level::avx512_core_vnni, true, peak_bytes_512},
        {"int8 tdpbusd, tiles", level::avx512_core_amx, true, peak_bytes_tiles},
        {"bf16 vdpbf16ps, 512 bits", level::avx512_core_bf16, true, peak_bf16_512},
        {"bf16 tdpbf16ps, tiles", level::avx512_core_amx, true, peak_bf16_tiles},
    };
}

/// "int8" for the types "u8:s8:f32".
std::string operands_of(const std::string &types) {
    const std::string source = types.substr(0, types.find_first_of(":-"));
    return source == "u8" || source == "s8" ? "int8" : source == "bf16" ? "bf16" : "f32";
}

} // namespace

int threads_in_use() {
    const char *asked = std::getenv("OMP_NUM_THREADS");
    return asked ? std::max(1, std::atoi(asked)) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

std::vector<measured_peak> measure_peaks() {
    std::vector<measured_peak> peaks;
    for (const instruction &i : instructions())
        if (i.is_there && has(i.level)) peaks.push_back({i.name, "GMAC/s", i.measure()});
    if (peaks.empty()) return peaks;
    const std::size_t l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
    const std::size_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
    const struct {
        const char *name;
        std::size_t bytes;
    } places[] = {{"reads from L1", l1 / 2}, {"reads from L2", l2 / 2}, {"reads from L3", 4 * l2},
        {"reads from memory", std::size_t {512} << 20}};
    for (const auto &place : places)
        peaks.push_back({place.name, "GB/s", read_gigabytes_per_second(place.bytes)});
    return peaks;
}

double share_of_peak(
    const std::vector<measured_peak> &peaks, const std::string &types, double gmacs, int threads) {
    const std::string operands = operands_of(types) + " ";
    double most = 0;
    // bf16 may be widened to f32, bytes to 16 bits, which multiply half as fast as with vpdpbusd.
    for (const measured_peak &p : peaks)
        if (p.name.rfind(operands, 0) == 0 || p.name.rfind("f32 ", 0) == 0)
            most = std::max(most, p.value);
    return most > 0 ? gmacs / (most * threads) : 0;
}

} // namespace bench
