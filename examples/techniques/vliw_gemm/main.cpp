// SPDX-License-Identifier: Apache-2.0
// Products of bytes on processors of other kinds: a machine of 64-bit words by a model of its
// instructions, its twin of 128 bits, what packing costs and brings, and a model of channels that
// tells which machine gains from bytes. See doc/techniques.md.
#include "../../random_source.hpp"
#include "../claims.hpp"
#include "../sequences.hpp"
#include "product.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include <dnnl.hpp>

using namespace vliw_gemm;
using models::loop_step;
using models::machine;
using techniques::claims;
using techniques::sequence;

namespace {

bytes_matrix random_matrix(int rows, int columns, std::uint64_t seed) {
    examples::random_source random(seed);
    bytes_matrix m {rows, columns, {}};
    for (int i = 0; i < rows * columns; ++i) m.values.push_back(std::uint8_t(random.below(256)));
    return m;
}

void products_are_exact(claims &c) {
    bool equal = true;
    for (int size = 1; size <= 70; size += size < 20 ? 1 : 7) {
        const bytes_matrix a = random_matrix(size, size + 3, 1),
                           b = random_matrix(size + 3, 2 * size, 2);
        const auto expected = multiply(a, b, kernel::scalar, false);
        for (const kernel by : {kernel::words_64, kernel::sse2})
            for (const bool pack : {true, false})
                equal = equal && multiply(a, b, by, pack) == expected;
    }
    c.holds(
        "S4-09", "the kernels of 64 and 128 bits are exact for 1 to 70 rows and odd depths", equal);
    bytes_matrix a = random_matrix(3, 5, 3);
    const auto packed = pack_rows(a, 8);
    bool same = packed.size() == 8 * 6;
    for (int r = 0; r < 8; ++r)
        for (int k = 0; k < 6; ++k)
            same = same && packed[std::size_t(k / 2 * 16 + r * 2 + k % 2)] ==
                               (r < 3 && k < 5 ? a.at(r, k) : 0);
    c.holds("S4-07", "packing pads odd depths and heights with zeros", same);
}

void depth_is_bounded(claims &c) {
    const auto extreme = [](int depth) {
        const bytes_matrix a {1, depth, std::vector<std::uint8_t>(std::size_t(depth), 255)};
        const bytes_matrix b {depth, 1, std::vector<std::uint8_t>(std::size_t(depth), 255)};
        return multiply(a, b, kernel::words_64, true)[0];
    };
    bool refused = false;
    try {
        extreme(33026);
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    c.figure("S4-09", "the depth up to which no sum of unsigned bytes wraps",
        double(models::safe_depth), "", "33025",
        models::safe_depth == 33025 && extreme(33025) == 2147450625 && refused);
}

/// The identity of zero points: sums of stored bytes, of rows and of columns are enough.
void zero_points(claims &c) {
    const int M = 7, K = 33, N = 9, za = 121, zb = 7;
    const bytes_matrix a = random_matrix(M, K, 5), b = random_matrix(K, N, 6);
    const auto sums = multiply(a, b, kernel::sse2, true);
    bool equal = true;
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) {
            int expected = 0, row = 0, column = 0;
            for (int k = 0; k < K; ++k) {
                expected += (a.at(m, k) - za) * (b.at(k, n) - zb);
                row += a.at(m, k);
                column += b.at(k, n);
            }
            equal = equal &&
                    expected == sums[std::size_t(m * N + n)] - zb * row - za * column + K * za * zb;
        }
    c.holds("S4-01", "zero points of both sides by sums of rows and columns", equal);
}

/// The library's product, weights packed beforehand; seconds of the fastest call.
double library_seconds(int size, dnnl::memory::data_type src, dnnl::memory::data_type weights,
    dnnl::memory::data_type dst) {
    using dnnl::memory;
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const auto desc = [&](memory::data_type t, memory::format_tag tag) {
        return memory::desc({size, size}, t, tag);
    };
    const dnnl::matmul::primitive_desc pd(cpu, desc(src, memory::format_tag::ab),
        desc(weights, memory::format_tag::any), desc(dst, memory::format_tag::ab));
    const memory a(pd.src_desc(), cpu), b(pd.weights_desc(), cpu), out(pd.dst_desc(), cpu);
    std::fill_n(static_cast<char *>(a.get_data_handle()), pd.src_desc().get_size(), char(1));
    std::fill_n(static_cast<char *>(b.get_data_handle()), pd.weights_desc().get_size(), char(1));
    const dnnl::matmul product(pd);
    dnnl::stream stream(cpu);
    using clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i < 12; ++i) {
        const clock::time_point start = clock::now();
        product.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, out}});
        stream.wait();
        best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
    }
    return best;
}

void sizes(claims &c) {
    using dt = dnnl::memory::data_type;
    std::printf("\n size   packed, share of packing   gathered    64-bit model   library f32   "
                "library u8 x s8\n");
    double last_share = 1, gathered_over_packed = 0;
    for (const int size : {64, 128, 256, 512}) {
        const bytes_matrix a = random_matrix(size, size, 7), b = random_matrix(size, size, 8);
        product_time packed, gathered, words;
        double best = 1e9;
        for (int i = 0; i < 5; ++i) {
            product_time t;
            multiply(a, b, kernel::sse2, true, &t);
            if (t.packing + t.multiplying < best) best = t.packing + t.multiplying, packed = t;
        }
        if (size <= 256) {
            multiply(a, b, kernel::sse2, false, &gathered);
            multiply(a, b, kernel::words_64, true, &words);
            gathered_over_packed = gathered.multiplying / best;
        }
        last_share = packed.packing / best;
        const auto rate = [&](double s) {
            return s > 0 ? 1e-9 * size * size * double(size) / s : 0;
        };
        std::printf("%5d   %6.2f GMAC/s, %4.1f %%      %6.2f       %8.4f       %8.2f       %8.2f\n",
            size, rate(best), 100 * last_share, rate(gathered.multiplying),
            rate(words.multiplying + words.packing),
            rate(library_seconds(size, dt::f32, dt::f32, dt::f32)),
            rate(library_seconds(size, dt::u8, dt::s8, dt::s32)));
    }
    c.figure("S4-07", "share of packing in a product of 512 x 512 x 512, SSE2", 100 * last_share,
        "%", "", last_share < .2);
    c.figure("S4-06", "speed of packed operands over gathered ones, 256 x 256 x 256",
        gathered_over_packed, "times", "", gathered_over_packed > 1);
}

/// Published ratios follow from channels alone.
void channels(claims &c) {
    const auto step = [](sequence s, int bits) { return techniques::step_of(s, bits); };
    const loop_step f32 = step(sequence::float_fma, 512), three = step(sequence::three, 512),
                    fused = step(sequence::fused, 512);
    constexpr machine avx512 {"AVX-512 of Intel", 2, 2, 2, 2};
    const double old_gain = gain(three, f32, avx512), new_gain = gain(fused, f32, avx512);
    c.figure("S4-04", "bytes over f32 on AVX-512 by three instructions, by channels", old_gain,
        "times", "1.33", std::fabs(old_gain - 4. / 3) < .01);
    c.figure("S4-04", "by one instruction", new_gain, "times", "4", new_gain == 4);
    c.figure("S0-01", "one instruction over three", gain(fused, three, avx512), "times", "3",
        gain(fused, three, avx512) == 3);
    // The 12 x 8 tile of the machine of 64-bit words, a pair of depth: 8 shuffles and 6 unpackings,
    // 48 multiplications and 48 additions for 192 products; the f32 tile of 6 x 8 has 48 in 48.
    constexpr loop_step bytes_tile {0, 8 + 6 + 48, 48, 192}, float_tile {48, 0, 0, 48};
    constexpr machine third {"Elbrus, version 3", 6, 2, 6, 6},
        fourth {"version 4, pairs of f32", 12, 2, 6, 18};
    c.figure("S4-10", "clocks of the f32 tile on six channels", clocks(float_tile, third), "", "8",
        clocks(float_tile, third) == 8);
    const double on_third = gain(bytes_tile, float_tile, third),
                 on_fourth = gain(bytes_tile, float_tile, fourth);
    c.figure("S4-11", "bytes over f32 on six channels, before packing", on_third, "times",
        "not faster, packing included", on_third < 1.1);
    c.figure("S4-12", "bytes over f32 where each channel multiplies pairs of f32", on_fourth,
        "times", "slower", on_fourth <= 1);
}

void this_host(claims &c) {
    for (const int bits : {256, 512}) {
        const double base = techniques::rate_of(sequence::float_fma, bits);
        if (base == 0) continue;
        const machine here = techniques::this_machine(bits);
        const loop_step f32 = techniques::step_of(sequence::float_fma, bits);
        const auto compare = [&](const char *id, const char *name, sequence s) {
            const double rate = techniques::rate_of(s, bits);
            if (rate == 0) return;
            const double expected = gain(techniques::step_of(s, bits), f32, here),
                         found = rate / base;
            char text[160];
            std::snprintf(text, sizeof(text), "%s over f32, %d bits, where channels give %.2f",
                name, bits, expected);
            c.figure(id, text, found, "times", "", std::fabs(found / expected - 1) < .25);
        };
        compare("S4-04", "three instructions", sequence::three);
        compare("S4-09", "bytes widened to 16 bits", sequence::widened);
        compare("S4-04", "vpdpbusd", sequence::fused);
    }
}

} // namespace

int main(int count, char **arguments) {
    try {
        claims c(count, arguments);
        products_are_exact(c);
        depth_is_bounded(c);
        zero_points(c);
        channels(c);
        if (c.timed()) {
            this_host(c);
            sizes(c);
        }
        return c.finish();
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "vliw_gemm: %s\n", failure.what());
        return 1;
    }
}
