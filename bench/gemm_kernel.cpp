// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels alone: one core, packed B, random operands, raw sums or an epilogue;
// each as a fraction of the FMA peak of its register width.
// usage: gemm_kernel [M N K]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "common/layout/data_type.hpp"
#include "common/runtime/isa.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/select.hpp"
#include "instruction_peak.hpp"
#include "random_operand.hpp"

namespace {

using namespace dnnl::impl;
using namespace dnnl::impl::cpu;

struct shape {
    dim_t M = 512, N = 512, K = 512;
};

// GMAC/s of the whole product as one block, in parts of K where a call takes no more.
double measure(isa level, data_type a, data_type b, shape s, const epilogue *finish) {
    gemm_driver driver(level, a, b, s.M, s.N, s.K, 1);
    driver.cut({s.M, s.N, s.K});
    const gemm_kernel &kernel = driver.kernel();
    const dim_t a_bytes = dim_t(size_of(a)), b_bytes = dim_t(size_of(b));
    const dim_t k_padded = (s.K + kernel.k_panel - 1) / kernel.k_panel * kernel.k_panel;
    const dim_t columns = kernel.panel_columns, panels = (s.N + columns - 1) / columns;
    const bench::operand A = bench::random_operand(s.M * s.K, a),
                         B = bench::random_operand(panels * k_padded * columns, b),
                         C = bench::random_operand(s.M * s.N, data_type::f32),
                         sums = bench::random_operand(s.M * s.N, data_type::f32);
    const auto pending = std::make_unique<pending_block>();
    reset(*pending);
    gemm_task t {};
    t.batch = 1;
    t.rows = A.get();
    t.lda_bytes = s.K * a_bytes;
    t.b = B.get();
    t.b_panel_bytes = k_padded * columns * b_bytes;
    t.m = s.M, t.n = s.N, t.k = s.K;
    t.finish = finish;
    t.c = sums.get();
    t.dst = C.get();
    t.ldd_bytes = s.N * (finish ? dim_t(size_of(finish->dst_type)) : 4);
    t.previous = pending.get();
    driver.begin();
    const double taken = bench::least_seconds([&] { driver.run(t); });
    driver.end(pending.get());
    return double(s.M) * double(s.N) * double(s.K) / taken * 1e-9;
}

void print_level(const char *name, isa level, shape s) {
    const double peak = has(level, isa::avx512) ? bench::peak_fma_512() : bench::peak_fma_256();
    std::printf("%s: FMA peak %.1f GMAC/s\n", name, peak);
    const std::vector<float> scales(static_cast<std::size_t>(s.N), 0.001f), bias = scales;
    epilogue_step relu {};
    relu.what = epilogue_step::kind::eltwise, relu.alg = algorithm::relu, relu.scale = 1.0f;
    epilogue finish {};
    finish.scales = scales.data(), finish.scale_stride = 1, finish.bias = bias.data();
    finish.steps = &relu, finish.step_count = 1;
    finish.inverse_dst_scale = 1.0f;
    using t = data_type;
    constexpr t pairs[][2] = {{t::f32, t::f32}, {t::bf16, t::bf16}, {t::f32, t::bf16},
        {t::f16, t::f16}, {t::f32, t::f16}, {t::u8, t::s8}, {t::s8, t::s8}, {t::u8, t::u8},
        {t::s8, t::u8}};
    for (const auto &[a, b] : pairs) {
        const gemm_kernel kernel = select_gemm(level, a, b);
        finish.dst_type = kernel.acc_type == t::s32 ? t::u8 : a;
        const double raw = measure(level, a, b, s, nullptr);
        const double finished = measure(level, a, b, s, &finish);
        std::printf(
            "  %-4s x %-4s %7.1f GMAC/s, %5.1f %% of FMA; scale + bias + relu to %s: %7.1f\n",
            name_of(a), name_of(b), raw, raw / peak * 100, name_of(finish.dst_type), finished);
    }
}

} // namespace

int main(int argc, char **argv) {
    shape s;
    if (argc == 4) s = {std::atol(argv[1]), std::atol(argv[2]), std::atol(argv[3])};
    if ((argc != 1 && argc != 4) || s.M < 1 || s.N < 1 || s.K < 1) {
        std::fprintf(stderr, "usage: gemm_kernel [M N K]\n");
        return 1;
    }
    const struct {
        const char *name;
        isa level;
    } levels[] = {{"avx2", isa::avx2}, {"avx2_vnni", isa::avx2_vnni}, {"avx512", isa::avx512},
        {"avx512_vnni", isa::avx512_vnni}, {"avx512_bf16", isa::avx512_bf16}, {"amx", isa::amx}};
    for (const auto &l : levels) {
        if (has(effective_isa(), l.level) && (l.level != isa::amx || request_amx_permission()))
            print_level(l.name, l.level, s);
        else
            std::printf("%s: skipped, the CPU or its cap lacks it\n", l.name);
    }
}
