// SPDX-License-Identifier: Apache-2.0
// Builds a network in each type, checks the results and times them side by side.
#include "report.hpp"

#include "calibration.hpp"
#include "limits.hpp"
#include "measure.hpp"

#include <dnnl_ext.h>

#include <cmath>
#include <set>

#include <fmt/format.h>

namespace topologies {
namespace {

constexpr double bf16_bound = 30; // dB
constexpr int calibration_inputs = 4, compared_inputs = 4;

void use_threads(dnnl::stream &stream, int threads) {
    dnnl::error::wrap_c_api(
        dnnl_ext_stream_set_threads(stream.get(), threads), "cannot set the threads of a stream");
}

struct network_in_type {
    precision type;
    built_network network;
};

class network_report {
  public:
    network_report(
        const named_network &which, const run_options &options, techniques::claims &claims)
        : which_(which), options_(options), claims_(claims), g_(which.make(options.size)),
          engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
        use_threads(stream_, options.threads);
    }

    void run() {
        print_facts();
        build();
        check_results();
        if (which_.make == srgan) check_shuffles();
        if (claims_.timed()) measure();
    }

  private:
    std::string named(const std::string &statement, precision p) const {
        return fmt::format("{}, {}: {}", which_.name, name_of(p), statement);
    }

    void print_facts() {
        double weights = 0, multiplications = 0;
        for (int i = 0; i < int(g_.layers.size()); ++i) {
            weights += g_.weights(i);
            multiplications += g_.multiplications(i);
        }
        fmt::print("\n{}, batch {}: {} layers, {:.1f} million weights, {:.2f} G multiplications "
                   "for one of the {}\n",
            which_.title, g_.batch, g_.layers.size(), weights / 1e6,
            multiplications / 1e9 / double(g_.batch), g_.unit);
        if (which_.weights == 0 || options_.size.quick) return;
        claims_.figure("S0-33", fmt::format("{}: millions of weights", which_.name), weights / 1e6,
            "", fmt::format("{:.1f}", which_.weights),
            std::fabs(weights / 1e6 - which_.weights) < .02 * which_.weights);
    }

    /// f32 first, which the others are compared with and calibrated by.
    void build() {
        networks_.push_back({precision::f32, built_network(engine_, g_, precision::f32)});
        ranges_ = largest_magnitudes(
            networks_[0].network, g_, stream_, options_.size.quick ? 2 : calibration_inputs);
        for (const precision p : options_.types) {
            if (p == precision::f32) continue;
            try {
                networks_.push_back({p, built_network(engine_, g_, p, ranges_)});
            } catch (const dnnl::error &refused) {
                if (refused.status != dnnl_unimplemented || p != precision::bf16) throw;
                fmt::print("{}: skipped, {}\n", name_of(p), refused.what());
            }
        }
    }

    /// Results are finite, near those of f32, and have the same bits on one thread and on two.
    void check_results() {
        const int inputs = options_.size.quick ? 2 : compared_inputs;
        std::vector<float> exact;
        for (network_in_type &n : networks_) {
            const std::vector<float> got = results(n.network, g_, stream_, inputs);
            claims_.holds("S0-33", named("the results are finite", n.type), finite(got));
            if (n.type == precision::f32) exact = got;
            if (n.type != precision::f32)
                claim_likeness(n, compare(got, exact, std::size_t(inputs) * std::size_t(g_.batch)));
            std::vector<float> by_threads[2];
            for (int threads = 1; threads <= 2; ++threads) {
                use_threads(stream_, threads);
                by_threads[threads - 1] = results(n.network, g_, stream_, 1);
            }
            use_threads(stream_, options_.threads);
            claims_.holds("S0-33", named("one thread and two give the same bits", n.type),
                by_threads[0] == by_threads[1]);
        }
    }

    void claim_likeness(const network_in_type &n, const signal_over_noise &likeness) {
        const double bound = n.type == precision::bf16 ? bf16_bound : which_.int8_bound;
        claims_.figure("S0-33",
            named(fmt::format("signal over noise against f32, at least {:g}", bound), n.type),
            likeness.whole, "dB", "", likeness.whole >= bound);
        claims_.figure("S0-33", named("the same of what differs between inputs", n.type),
            likeness.differing, "dB", "");
    }

    void check_shuffles() {
        for (network_in_type &n : networks_) {
            built_network apart(engine_, g_, n.type, ranges_, false);
            claims_.holds("S0-26",
                named("shuffles in the stores of convolutions have the bits of reorders", n.type),
                results(apart, g_, stream_, 1) == results(n.network, g_, stream_, 1));
        }
    }

    void measure() {
        std::vector<const built_network *> all;
        for (const network_in_type &n : networks_) all.push_back(&n.network);
        const auto times = times_of(all, stream_, options_.rounds);
        std::vector<pass_time> least;
        for (std::size_t n = 0; n < all.size(); ++n) least.push_back(least_of(*all[n], times[n]));
        for (std::size_t n = 0; n < all.size() && options_.layers; ++n)
            print_layers(networks_[n], least[n].steps);
        print_times(least);
        for (std::size_t n = 1; n < times.size(); ++n)
            claim_ratios(networks_[n].type, ratio_of(times[0], times[n], &pass_time::whole),
                ratio_of(times[0], times[n], &pass_time::products));
    }

    void print_layers(const network_in_type &n, const std::vector<double> &seconds) const {
        fmt::print("{:<24} {:<26} {:>10} {:>9}  {}\n", name_of(n.type), "result", "ms", "GMAC/s",
            "implementation");
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            const step &s = n.network.steps()[i];
            const layer &l = g_.layers[std::size_t(s.layer)];
            const bool product = s.args.count(DNNL_ARG_WEIGHTS) != 0;
            const double parts = l.more.shuffles ? 4 : 1;
            fmt::print("{:<24} {:<26} {:10.3f} {:>9.1f}  {}\n", s.what,
                fmt::format("{}", fmt::join(l.shape, "x")), seconds[i] * 1e3,
                product ? g_.multiplications(s.layer) / parts / seconds[i] / 1e9 : 0,
                s.implementation);
        }
    }

    void print_times(const std::vector<pass_time> &least) const {
        const auto row = [&](const std::string &title, const auto &value) {
            fmt::print("{:<24}", title);
            for (const pass_time &t : least) fmt::print("{:10.2f}", value(t));
            fmt::print("\n");
        };
        fmt::print("{:<24}", "");
        for (const network_in_type &n : networks_) fmt::print("{:>10}", name_of(n.type));
        fmt::print("\n");
        row(g_.unit + " a second", [&](const pass_time &t) { return double(g_.batch) / t.whole; });
        row("ms", [](const pass_time &t) { return 1e3 * t.whole; });
        std::set<std::string> kinds;
        for (const pass_time &t : least)
            for (const auto &[kind, seconds] : t.kinds)
                if (seconds > 0) kinds.insert(kind);
        for (const std::string &kind : kinds)
            row("% " + kind, [&](const pass_time &t) {
                const auto found = t.kinds.find(kind);
                return found == t.kinds.end() ? 0 : 100 * found->second / t.whole;
            });
    }

    /// bf16 has no limit that every processor shares: its ratios are shown only.
    void claim_ratios(precision p, double whole, double products) {
        const int8_limit limit = int8_limit_here();
        const auto over_f32 = [&](const char *of) {
            return fmt::format("{}: {} over f32, {}, {}, batch {}", which_.name, name_of(p), of,
                limit.level, g_.batch);
        };
        if (p == precision::bf16) {
            claims_.figure("S0-33", over_f32("whole network"), whole, "times", "");
            claims_.figure("S0-33", over_f32("products"), products, "times", "");
            return;
        }
        const std::string published = fmt::format("{:g}", published_ratio);
        claims_.figure("S0-33", over_f32("whole network"), whole, "times", published);
        const std::string bound = limit.vnni
                                      ? fmt::format("products, at least {:g}", vnni_least)
                                      : fmt::format("products, ports allow {:g}", limit.products);
        claims_.figure("S0-33", over_f32(bound.c_str()), products, "times", published,
            !limit.vnni || products >= vnni_least);
        if (!limit.vnni)
            claims_.figure("S0-33", over_f32("products, part of what the ports allow"),
                100 * products / limit.products, "%", "");
    }

    const named_network &which_;
    const run_options &options_;
    techniques::claims &claims_;
    graph g_;
    dnnl::engine engine_;
    dnnl::stream stream_;
    std::vector<float> ranges_;
    std::vector<network_in_type> networks_;
};

} // namespace

void report(const named_network &which, const run_options &options, techniques::claims &claims) {
    network_report(which, options, claims).run();
}

} // namespace topologies
