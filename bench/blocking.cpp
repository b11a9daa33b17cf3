// SPDX-License-Identifier: Apache-2.0
// How a product is cut into blocks (choose_blocking) against cuts that it did not take:
// one core, packed B, random operands, raw sums. Measured with the caches that are there, or
// simulated for L1 of 32 and 48 KiB and L2 of 256 KiB to 2 MiB.
// usage: bench.blocking [--simulate] [M N K]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cache_model.hpp"
#include "common/layout/data_type.hpp"
#include "instruction_peak.hpp"
#include "random_operand.hpp"

namespace {

using namespace dnnl::impl;
using namespace dnnl::impl::cpu;

using shape = bench::product_shape;

/// A product of packed operands, whose blocks are multiplied in the order of matmul.
class product {
  public:
    product(isa level, data_type a, data_type b, shape s)
        : s_(s), a_(a), driver_(level, a, b, s.M, s.N, s.K, 1),
          k_padded_(round_up(s.K, driver_.kernel().k_panel)),
          panel_bytes_(k_padded_ * driver_.kernel().panel_columns * size_in_bytes(b)),
          rows_(bench::random_operand(s.M * s.K, a)),
          panels_(bench::random_operand(div_up(s.N, driver_.kernel().panel_columns) * k_padded_ *
                                            driver_.kernel().panel_columns,
              b)),
          sums_(bench::random_operand(s.M * s.N, data_type::f32)),
          pending_(std::make_unique<pending_block>()) {
        reset(*pending_);
    }

    const gemm_blocking &chosen() const { return driver_.blocking(); }
    const gemm_kernel &kernel() const { return driver_.kernel(); }

    /// Seconds of one product.
    double run(const gemm_blocking &cut) {
        driver_.cut(cut);
        const double products = double(s_.M) * double(s_.N) * double(s_.K);
        const int times = std::max(1, static_cast<int>(5e8 / products));
        const double start = bench::seconds();
        for (int i = 0; i < times; ++i) multiply(cut);
        return (bench::seconds() - start) / times;
    }

  private:
    void multiply(const gemm_blocking &cut) {
        driver_.begin();
        for (dim_t m0 = 0; m0 < s_.M; m0 += cut.MC)
            for (dim_t n0 = 0; n0 < s_.N; n0 += cut.NC) {
                gemm_task t {};
                t.batch = 1;
                t.rows = element_at(rows_.get(), a_, m0 * s_.K);
                t.lda_bytes = s_.K * size_in_bytes(a_);
                t.b = panels_.get() + n0 / driver_.kernel().panel_columns * panel_bytes_;
                t.b_panel_bytes = panel_bytes_;
                t.m = std::min(cut.MC, s_.M - m0);
                t.n = std::min(cut.NC, s_.N - n0);
                t.k = s_.K;
                t.dst = element_at(sums_.get(), data_type::f32, m0 * s_.N + n0);
                t.ldd_bytes = s_.N * dim_t(sizeof(f32));
                t.previous = pending_.get();
                driver_.run(t);
            }
        driver_.end(pending_.get());
    }

    shape s_;
    data_type a_;
    gemm_driver driver_;
    dim_t k_padded_, panel_bytes_;
    bench::operand rows_, panels_, sums_;
    std::unique_ptr<pending_block> pending_;
};

/// The chosen cut first, then halves and doubles of each extent of it.
std::vector<gemm_blocking> cuts_around(
    const gemm_kernel &k, const gemm_blocking &chosen, const shape &s) {
    std::vector<gemm_blocking> all {chosen};
    const auto add = [&](dim_t MC, dim_t NC, dim_t KC) {
        const gemm_blocking cut {std::min(round_up(MC, k.mr), round_up(s.M, k.mr)),
            std::min(round_up(NC, k.panel_columns), round_up(s.N, k.panel_columns)),
            std::min(round_up(KC, k.k_panel), round_up(s.K, k.k_panel))};
        const auto same = [&](const gemm_blocking &other) {
            return other.MC == cut.MC && other.NC == cut.NC && other.KC == cut.KC;
        };
        if (std::none_of(all.begin(), all.end(), same)) all.push_back(cut);
    };
    for (const dim_t by : {2, 4}) {
        add(chosen.MC / by, chosen.NC, chosen.KC);
        add(chosen.MC * by, chosen.NC, chosen.KC);
        add(chosen.MC, chosen.NC / by, chosen.KC);
        add(chosen.MC, chosen.NC * by, chosen.KC);
        add(chosen.MC, chosen.NC, chosen.KC / by);
        add(chosen.MC, chosen.NC, chosen.KC * by);
    }
    add(chosen.MC / 2, chosen.NC, chosen.KC * 2);
    add(chosen.MC * 2, chosen.NC, chosen.KC / 2);
    return all;
}

/// Prints the chosen cut, the first, beside the fastest. Returns how much faster that is.
double print(data_type a, data_type b, const shape &s, const std::vector<gemm_blocking> &cuts,
    const std::vector<double> &times, double products_per_time, const char *unit) {
    const auto best = std::min_element(times.begin(), times.end()) - times.begin();
    const gemm_blocking &chosen = cuts.front(), &other = cuts[static_cast<std::size_t>(best)];
    const double gain = times.front() / times[static_cast<std::size_t>(best)];
    std::printf("%-4s x %-4s %5ld x %5ld x %5ld: MC %4ld NC %4ld KC %5ld %7.1f %s; best of %zu: "
                "MC %4ld NC %4ld KC %5ld, %.3f times as fast%s\n",
        name_of(a), name_of(b), s.M, s.N, s.K, chosen.MC, chosen.NC, chosen.KC,
        double(s.M) * double(s.N) * double(s.K) / times.front() * products_per_time, unit,
        cuts.size(), other.MC, other.NC, other.KC, gain, gain > 1.05 ? " <- more than 5 %" : "");
    std::fflush(stdout);
    return gain;
}

/// Returns how much faster the best of the other cuts is.
double measure(isa level, data_type a, data_type b, const shape &s) {
    product p(level, a, b, s);
    const std::vector<gemm_blocking> cuts = cuts_around(p.kernel(), p.chosen(), s);
    std::vector<std::vector<double>> taken(cuts.size());
    for (int round = 0; round < 7; ++round)
        for (std::size_t i = 0; i < cuts.size(); ++i) taken[i].push_back(p.run(cuts[i]));
    std::vector<double> medians;
    for (auto &t : taken) {
        std::nth_element(t.begin(), t.begin() + 3, t.end());
        medians.push_back(t[3]);
    }
    return print(a, b, s, cuts, medians, 1e-9, "GMAC/s");
}

/// The same for a core with these caches.
double simulate(isa level, data_type a, data_type b, const shape &s, const cache_sizes &sizes) {
    const gemm_kernel kernel = select_gemm(level, a, b);
    const bench::core_model core {.lanes = has(level, isa::avx512) ? 16 : 8, .caches = sizes};
    const std::vector<gemm_blocking> cuts =
        cuts_around(kernel, choose_blocking(kernel, b, s.M, s.N, s.K, 1, sizes), s);
    std::vector<double> cycles;
    for (const gemm_blocking &cut : cuts)
        cycles.push_back(bench::simulated_cycles(core, kernel, s, cut));
    return print(a, b, s, cuts, cycles, 1, "MAC/cycle");
}

/// Calls compare(level, a, b) for each type at each of the levels that has a kernel for it.
template <class Compare> void for_each_kernel(isa levels, const Compare &compare) {
    using t = data_type;
    for (const isa level :
        {isa::amx, isa::avx512_bf16, isa::avx512_vnni, isa::avx512, isa::avx2_vnni, isa::avx2}) {
        if (!has(levels, level) || (level == isa::amx && !request_amx_permission())) continue;
        for (const auto &[a, b] :
            {std::pair {t::f32, t::f32}, {t::bf16, t::bf16}, {t::u8, t::s8}}) {
            if (gemm_types_refusal(level, a, b)) continue;
            std::printf("%s\n", std::string(name_of(level)).c_str());
            compare(level, a, b);
        }
    }
}

/// Compares the cuts of all shapes. Returns how many are beaten by more than 5 %.
int run_all(const std::vector<shape> &shapes, bool simulated) {
    int beaten = 0;
    if (!simulated) {
        for_each_kernel(effective_isa(), [&](isa level, data_type a, data_type b) {
            for (const shape &s : shapes) beaten += measure(level, a, b, s) > 1.05;
        });
        return beaten;
    }
    for (const std::size_t l1 : {32, 48})
        for (const std::size_t l2 : {256, 512, 1024, 1280, 2048}) {
            std::printf("L1 of %zu KiB, L2 of %zu KiB\n", l1, l2);
            for_each_kernel(effective_isa(), [&](isa level, data_type a, data_type b) {
                // Tiles of AMX hold panels of their own size; bytes that are widened go another
                // way.
                const gemm_kernel kernel = select_gemm(level, a, b);
                if (kernel.begin || kernel.most_k) return;
                for (const shape &s : shapes)
                    beaten += simulate(level, a, b, s, {l1 << 10, l2 << 10}) > 1.05;
            });
        }
    return beaten;
}

} // namespace

int main(int argc, char **argv) {
    std::vector<shape> shapes {{512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048},
        {128, 768, 768}, {384, 3072, 768}, {384, 768, 3072}, {128, 1024, 4096}, {256, 4096, 4096},
        {64, 4096, 4096}, {16, 4096, 4096}, {2048, 1024, 1024}, {3136, 256, 64}, {784, 512, 128}};
    const bool simulated = argc > 1 && std::string(argv[1]) == "--simulate";
    if (simulated) --argc, ++argv;
    if (argc == 4) shapes = {{std::atol(argv[1]), std::atol(argv[2]), std::atol(argv[3])}};
    if ((argc != 1 && argc != 4) || shapes[0].M < 1 || shapes[0].N < 1 || shapes[0].K < 1) {
        std::fprintf(stderr, "usage: bench.blocking [--simulate] [M N K]\n");
        return 1;
    }
    const int beaten = run_all(shapes, simulated);
    std::printf("%d cuts are beaten by more than 5 %%\n", beaten);
    return simulated && beaten > 0; // simulated times are the same each time
}
