// SPDX-License-Identifier: Apache-2.0
// Instructions against their models, on two million lanes and more of random and extreme operands.
//   instructions_test three|vpdpbusd|vpdpbusd_vex|vpdpwssd|bf16_conversion|bf16_products|
//                     saturation|encodings|features
// 77 where the processor lacks the instruction.
#include "instructions.hpp"

#include <cpuid.h>
#include <immintrin.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "dnnl/dnnl.h"

namespace {

using namespace models;

constexpr int lanes = 16; // of 32 bits
constexpr long rounds = 1 << 17;

class random_bits {
  public:
    std::uint32_t next() {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
    }
    /// Now and then a word of extreme bytes.
    std::uint32_t word() {
        const std::uint32_t kind = next() % 8, bits = next();
        constexpr std::uint32_t extremes[] = {0x80808080u, 0x7f7f7f7fu, 0xffffffffu, 0x80008000u};
        return kind == 0 ? extremes[bits % 4] : kind == 1 ? bits & 0x80808080u : bits;
    }

  private:
    std::uint64_t state_ = 1;
};

struct alignas(64) registers {
    std::uint32_t sum[lanes], a[lanes], b[lanes];
};

/// Fills the operands and compares instruction and model lane by lane; the lanes that differ.
template <class Instruction, class Model>
long differences(const Instruction &instruction, const Model &model, bool floats = false) {
    random_bits random;
    long differ = 0;
    for (long r = 0; r < rounds; ++r) {
        registers in;
        for (int i = 0; i < lanes; ++i) {
            in.sum[i] =
                random.next() % 16 == 0 ? 0x7fffffffu - random.next() % 100000 : random.next();
            in.a[i] = random.word();
            in.b[i] = random.word();
            if (!floats) continue;
            // Exponents of about 60 below and above 1, and those near the smallest numbers: sums of
            // finite numbers stay finite.
            const std::uint32_t low = r % 4 == 0 ? 0 : 0x20;
            const auto tamed = [&](std::uint32_t bits) {
                const std::uint32_t exponent = (bits >> 8 & 0x3f) + low;
                return (bits & 0x807fu) | exponent << 7;
            };
            in.a[i] = tamed(in.a[i]) | tamed(in.a[i] >> 16) << 16;
            in.b[i] = tamed(in.b[i]) | tamed(in.b[i] >> 16) << 16;
            in.sum[i] = tamed(in.sum[i] >> 16) << 16 | (in.sum[i] & 0xffffu);
        }
        registers out = in;
        instruction(out);
        for (int i = 0; i < lanes; ++i) differ += model(in, i) != out.sum[i];
    }
    std::printf("%ld lanes, %ld differ\n", rounds * lanes, differ);
    return differ;
}

template <class T> const T *lane_of(const std::uint32_t (&words)[lanes], int i) {
    return reinterpret_cast<const T *>(words + i);
}

/// A model of (sum, u8, s8) or (sum, s16, s16) for a lane.
template <class A, class B, class Function> auto integer_model(const Function &f) {
    return [f](const registers &in, int i) {
        return static_cast<std::uint32_t>(
            f(static_cast<std::int32_t>(in.sum[i]), lane_of<A>(in.a, i), lane_of<B>(in.b, i)));
    };
}

__m256i *half(std::uint32_t *words, int h) { return reinterpret_cast<__m256i *>(words) + h; }

[[gnu::target("avx2")]] void run_three(registers &r) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (int h = 0; h < 2; ++h) {
        const __m256i pairs = _mm256_maddubs_epi16(*half(r.a, h), *half(r.b, h));
        *half(r.sum, h) = _mm256_add_epi32(*half(r.sum, h), _mm256_madd_epi16(pairs, ones));
    }
}
[[gnu::target("avxvnni")]] void run_vex(registers &r) {
    for (int h = 0; h < 2; ++h)
        *half(r.sum, h) = _mm256_dpbusd_avx_epi32(*half(r.sum, h), *half(r.a, h), *half(r.b, h));
}
#define WIDE(name, features, intrinsic)                                                            \
    [[gnu::target(features)]] void name(registers &r) {                                            \
        const __m512i a = _mm512_load_si512(r.a), b = _mm512_load_si512(r.b);                      \
        _mm512_store_si512(r.sum, intrinsic(_mm512_load_si512(r.sum), a, b));                      \
    }
WIDE(run_bytes, "avx512f,avx512vnni", _mm512_dpbusd_epi32)
WIDE(run_bytes_saturating, "avx512f,avx512vnni", _mm512_dpbusds_epi32)
WIDE(run_words, "avx512f,avx512vnni", _mm512_dpwssd_epi32)
WIDE(run_words_saturating, "avx512f,avx512vnni", _mm512_dpwssds_epi32)

[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void run_bf16(registers &r) {
    const __m512i a = _mm512_load_si512(r.a), b = _mm512_load_si512(r.b);
    _mm512_store_ps(r.sum, _mm512_dpbf16_ps(_mm512_load_ps(r.sum), (__m512bh)a, (__m512bh)b));
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void convert_bf16(registers &r) {
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_load_ps(r.a), _mm512_load_ps(r.b));
    _mm512_store_si512(r.sum, (__m512i)both);
}

long three() {
    return differences(run_three, integer_model<std::uint8_t, std::int8_t>(three_instructions));
}
long bytes() {
    return differences(run_bytes, integer_model<std::uint8_t, std::int8_t>(vpdpbusd)) +
           differences(run_bytes_saturating, integer_model<std::uint8_t, std::int8_t>(vpdpbusds));
}
long bytes_vex() {
    return differences(run_vex, integer_model<std::uint8_t, std::int8_t>(vpdpbusd));
}
long words() {
    return differences(run_words, integer_model<std::int16_t, std::int16_t>(vpdpwssd)) +
           differences(run_words_saturating, integer_model<std::int16_t, std::int16_t>(vpdpwssds));
}
long bf16_products() {
    return differences(
        run_bf16,
        [](const registers &in, int i) {
            return bits_of(vdpbf16ps(float_of(in.sum[i]), lane_of<std::uint16_t>(in.a, i),
                lane_of<std::uint16_t>(in.b, i)));
        },
        true);
}
long bf16_conversion() {
    return differences(convert_bf16, [](const registers &in, int i) {
        std::uint16_t to[2 * lanes];
        vcvtne2ps2bf16(lane_of<float>(in.a, 0), lane_of<float>(in.b, 0), lanes, to);
        std::uint32_t word;
        std::memcpy(&word, to + 2 * i, sizeof(word));
        return word;
    });
}

/// Which activations are safe in a pair of products, over all weights of a range; and how many
/// random pairs saturate.
long saturation() {
    struct row {
        int low, high, safe;
    };
    long failures = 0;
    for (const row &r : {row {-128, 127, 128}, row {-127, 127, 129}, row {-64, 64, 255}}) {
        int safe = 255;
        for (int a = 255; a > 0; --a) {
            bool saturates = false;
            for (int v = r.low; v <= r.high && !saturates; ++v)
                for (int w = r.low; w <= r.high; ++w) {
                    const std::uint8_t pair[] {std::uint8_t(a), std::uint8_t(a)};
                    const std::int8_t weights[] {std::int8_t(v), std::int8_t(w)};
                    if (pair_of_bytes(pair, weights) != a * v + a * w) saturates = true;
                }
            if (saturates) safe = a - 1;
        }
        std::printf("weights %d ... %d: activations up to %d are safe\n", r.low, r.high, safe);
        failures += safe != r.safe;
    }
    random_bits random;
    long saturate = 0;
    for (long i = 0; i < 1000000; ++i) {
        const std::uint32_t x = random.next(), y = random.next();
        const std::uint8_t a[] {std::uint8_t(x), std::uint8_t(x >> 8)};
        const std::int8_t b[] {std::int8_t(y), std::int8_t(y >> 8)};
        saturate += pair_of_bytes(a, b) != a[0] * b[0] + a[1] * b[1];
    }
    std::printf("%.2f %% of random pairs saturate\n", 1e-4 * double(saturate));
    return failures + !(saturate > 35000 && saturate < 37000);
}

// What the assembler makes of the same instructions. They are read, never run.
asm(".pushsection .rodata\n"
    "dnnl_assembled:\n"
    "vpdpbusd %zmm28, %zmm24, %zmm0\n"
    "vpdpbusds %zmm3, %zmm2, %zmm1\n"
    "vpdpwssd %zmm17, %zmm9, %zmm31\n"
    "vpdpwssds %zmm8, %zmm16, %zmm7\n"
    "vdpbf16ps %zmm3, %zmm2, %zmm1\n"
    "vcvtne2ps2bf16 %zmm3, %zmm2, %zmm1\n"
    "vcvtne2ps2bf16 %zmm29, %zmm30, %zmm10\n"
    ".popsection\n");
extern "C" const std::uint8_t dnnl_assembled[];

long encodings() {
    const encoded ours[] = {evex_512(1, 0x50, 0, 24, 28), evex_512(1, 0x51, 1, 2, 3),
        evex_512(1, 0x52, 31, 9, 17), evex_512(1, 0x53, 7, 16, 8), evex_512(2, 0x52, 1, 2, 3),
        evex_512(3, 0x72, 1, 2, 3), evex_512(3, 0x72, 10, 30, 29)};
    const bool equal = std::memcmp(ours, dnnl_assembled, sizeof(ours)) == 0;
    std::printf("7 encodings %s the assembler's\n", equal ? "equal" : "differ from");
    return !equal;
}

/// The flags of the system, in one list of words.
std::set<std::string> flags_of_system() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("flags", 0) == 0) {
            std::istringstream words(line.substr(line.find(':') + 1));
            return {std::istream_iterator<std::string>(words), {}};
        }
    return {};
}

/// The level that the library detects is what the system's list allows.
long features() {
    const std::set<std::string> flags = flags_of_system();
    const auto all = [&](std::initializer_list<const char *> names) {
        for (const char *name : names)
            if (!flags.count(name)) return false;
        return true;
    };
    unsigned expected = dnnl_cpu_isa_sse41;
    if (all({"avx"})) expected = dnnl_cpu_isa_avx;
    if (all({"avx2", "fma", "f16c"})) {
        expected = dnnl_cpu_isa_avx2;
        if (all({"avx_vnni"})) expected = dnnl_cpu_isa_avx2_vnni;
        if (all({"avx512f", "avx512bw", "avx512dq", "avx512vl"})) {
            expected = dnnl_cpu_isa_avx512_core;
            if (all({"avx512_vnni"})) expected = dnnl_cpu_isa_avx512_core_vnni;
            if (all({"avx512_vnni", "avx512_bf16"})) expected = dnnl_cpu_isa_avx512_core_bf16;
        }
    }
    unsetenv("ONEDNN_MAX_CPU_ISA");
    unsetenv("DNNL_MAX_CPU_ISA");
    const unsigned found = dnnl_get_effective_cpu_isa();
    std::printf("detected %#x, at least %#x by the system's list\n", found, expected);
    // Levels above these have more flags than the list names.
    const bool may_be_more = flags.count("avx512f") || flags.count("avx_vnni");
    return (found & expected) != expected || (!may_be_more && found != expected);
}

/// The builtin of clang 14 does not know the name.
bool has_avx_vnni() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
           (a >> 4 & 1);
}

struct test {
    const char *name;
    bool possible;
    long (*run)();
};

} // namespace

int main(int count, char **arguments) {
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512bw");
    const test tests[] = {{"three", bool(__builtin_cpu_supports("avx2")), three},
        {"vpdpbusd", avx512 && __builtin_cpu_supports("avx512vnni"), bytes},
        {"vpdpbusd_vex", has_avx_vnni(), bytes_vex},
        {"vpdpwssd", avx512 && __builtin_cpu_supports("avx512vnni"), words},
        {"bf16_conversion", avx512 && __builtin_cpu_supports("avx512bf16"), bf16_conversion},
        {"bf16_products", avx512 && __builtin_cpu_supports("avx512bf16"), bf16_products},
        {"saturation", true, saturation}, {"encodings", true, encodings},
        {"features", true, features}};
    for (const test &t : tests) {
        if (count != 2 || std::string(arguments[1]) != t.name) continue;
        if (!t.possible) {
            std::printf("skipped: the processor lacks the instruction\n");
            return 77;
        }
        return t.run() != 0;
    }
    std::fprintf(stderr, "usage: %s three|vpdpbusd|...\n", arguments[0]);
    return 2;
}
