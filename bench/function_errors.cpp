// SPDX-License-Identifier: Apache-2.0
// The errors of the elementwise functions over all inputs of a type, at the level that
// ONEDNN_MAX_CPU_ISA gives: the rows of the table in doc/numerics.md. Exact values are those of the
// conformance program, in f64.
#include "oracle/eltwise_formulas.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using dnnl::algorithm;
using dnnl::memory;

/// A function with its parameters, and the units of the last place of f32 that it may be off by.
struct function {
    const char *name;
    algorithm alg;
    float alpha, beta;
    double limit;
};
constexpr function functions[] = {
    {"relu", algorithm::eltwise_relu, 0, 0, 0},
    {"relu, slope 0.1", algorithm::eltwise_relu, 0.1f, 0, 1},
    {"abs", algorithm::eltwise_abs, 0, 0, 0},
    {"clip -1 to 2", algorithm::eltwise_clip, -1, 2, 0},
    {"clip_v2 -1 to 2", algorithm::eltwise_clip_v2, -1, 2, 0},
    {"round", algorithm::eltwise_round, 0, 0, 0},
    {"square", algorithm::eltwise_square, 0, 0, 1},
    {"sqrt", algorithm::eltwise_sqrt, 0, 0, 1},
    {"linear 2 x", algorithm::eltwise_linear, 2, 0, 1},
    {"hardsigmoid", algorithm::eltwise_hardsigmoid, 0.2f, 0.5f, 1},
    {"hardswish", algorithm::eltwise_hardswish, 0.25f, 0.5f, 2},
    {"exp", algorithm::eltwise_exp, 0, 0, 2},
    {"log", algorithm::eltwise_log, 0, 0, 2},
    {"tanh", algorithm::eltwise_tanh, 0, 0, 2},
    {"logistic", algorithm::eltwise_logistic, 0, 0, 2},
    {"elu", algorithm::eltwise_elu, 1, 0, 3},
    {"soft_relu", algorithm::eltwise_soft_relu, 1, 0, 4},
    {"gelu_erf", algorithm::eltwise_gelu_erf, 0, 0, 4},
    {"gelu_tanh", algorithm::eltwise_gelu_tanh, 0, 0, 4},
    {"swish", algorithm::eltwise_swish, 1, 0, 4},
    {"swish 0.7", algorithm::eltwise_swish, 0.7f, 0, 4},
    {"mish", algorithm::eltwise_mish, 0, 0, 4},
    {"pow 0.5", algorithm::eltwise_pow, 1, 0.5f, 2},
    {"pow -0.5", algorithm::eltwise_pow, 1, -0.5f, 2},
    {"pow -1", algorithm::eltwise_pow, 1, -1, 2},
};

/// A format of floats: bits after the binary point, exponents of its normal numbers.
struct format {
    memory::data_type type;
    int digits, lowest, highest;
    double largest = std::ldexp(2 - std::ldexp(1.0, -digits), highest);
    double beyond = std::ldexp(2 - std::ldexp(0.5, -digits), highest); ///< rounds to infinity
};
const std::map<std::string, format> formats {
    {"f32", format {memory::data_type::f32, 23, -126, 127}},
    {"bf16", format {memory::data_type::bf16, 7, -126, 127}},
    {"f16", format {memory::data_type::f16, 10, -14, 15}},
};

/// What some inputs showed. A result is of another kind where one of it and the exact value is NaN,
/// infinite or not where the other is, and not within the limit of it in the format.
struct findings {
    double ulp = 0;
    float at = 0;
    std::uint64_t of_other_kind = 0;
    float other_kind_at = 0;
    void join(const findings &o) {
        if (o.ulp > ulp) ulp = o.ulp, at = o.at;
        if (of_other_kind == 0) other_kind_at = o.other_kind_at;
        of_other_kind += o.of_other_kind;
    }
};

/// Units of the last place of the exact value, of the smallest normal number below it. There
/// results of f32 and bf16 are not judged, as long as they are not above it; nor is the sign of 0.
void judge(const format &to, float x, float got, double exact, findings &found) {
    // Of results that are rounded rightly, one after the other need no closer look.
    if (got == exact) return;
    if (to.digits == 23 && found.ulp >= 0.5 && got == static_cast<float>(exact)) return;
    const bool wants_nan = std::isnan(exact), wants_infinity = std::fabs(exact) >= to.beyond;
    if (wants_nan || wants_infinity || !std::isfinite(got)) {
        // Where an error of the limit takes a value over the border to infinity, or keeps it below.
        const double last_place = 0x1p-20, low = to.largest * (1 - last_place);
        const bool near_border =
            std::fabs(exact) >= low && std::fabs(exact) <= to.beyond * (1 + last_place) &&
            std::fabs(double {got}) >= low && std::signbit(got) == std::signbit(exact);
        const bool is_infinite = std::fabs(exact) > to.beyond && std::isinf(got) &&
                                 std::signbit(got) == std::signbit(exact);
        if (!(wants_nan && std::isnan(got)) && !near_border && !is_infinite) {
            if (found.of_other_kind++ == 0) found.other_kind_at = x;
        }
        return;
    }
    const bool below = std::fabs(exact) < std::ldexp(1.0, to.lowest);
    if (below && to.lowest == -126 && std::fabs(got) <= 0x1p-126f) return;
    const int exponent = exact == 0 ? to.lowest : std::max(std::ilogb(exact), to.lowest);
    const double ulp = std::fabs(got - exact) / std::ldexp(1.0, exponent - to.digits);
    if (ulp > found.ulp) found.ulp = ulp, found.at = x;
}

class examination {
  public:
    examination(const function &f, const format &type)
        : f_(f), format_(type), md_({chunk}, type.type, memory::format_tag::a),
          f32_({chunk}, memory::data_type::f32, memory::format_tag::a), bits_(md_, engine_),
          dst_(md_, engine_), x_(f32_, engine_), y_(f32_, engine_),
          pd_(engine_, dnnl::prop_kind::forward_inference, f.alg, md_, md_, f.alpha, f.beta),
          run_(pd_), widen_(dnnl::reorder::primitive_desc(engine_, md_, engine_, f32_)) {}

    std::string name() const { return pd_.impl_info_str(); }

    /// Every `stride`-th bit pattern.
    findings run(std::uint64_t stride) {
        const std::uint64_t patterns = std::uint64_t {1}
                                       << (8 * memory::data_type_size(format_.type));
        std::vector<findings> parts(std::max(std::thread::hardware_concurrency(), 1u));
        for (std::uint64_t first = 0; first < patterns; first += chunk * stride) {
            for (std::uint64_t i = 0; i < chunk; ++i) {
                const std::uint64_t pattern = std::min(first + i * stride, patterns - 1);
                if (format_.type == memory::data_type::f32)
                    static_cast<std::uint32_t *>(bits_.get_data_handle())[i] =
                        static_cast<std::uint32_t>(pattern);
                else
                    static_cast<std::uint16_t *>(bits_.get_data_handle())[i] =
                        static_cast<std::uint16_t>(pattern);
            }
            run_.execute(stream_, {{DNNL_ARG_SRC, bits_}, {DNNL_ARG_DST, dst_}});
            widen_.execute(stream_, bits_, x_);
            widen_.execute(stream_, dst_, y_);
            stream_.wait();
            judge_chunk(parts);
        }
        findings all;
        for (const findings &p : parts) all.join(p);
        return all;
    }

  private:
    static constexpr memory::dim chunk = 1 << 20;

    /// One thread for each part.
    void judge_chunk(std::vector<findings> &parts) const {
        const auto *x = static_cast<const float *>(x_.get_data_handle()),
                   *y = static_cast<const float *>(y_.get_data_handle());
        const std::size_t threads = parts.size();
        std::vector<std::thread> workers;
        for (std::size_t t = 0; t < threads; ++t)
            workers.emplace_back([&, t] {
                findings found = parts[t];
                for (std::size_t i = t * chunk / threads; i < (t + 1) * chunk / threads; ++i)
                    judge(format_, x[i], y[i],
                        conformance::eltwise_value(f_.alg, x[i], f_.alpha, f_.beta), found);
                parts[t] = found;
            });
        for (std::thread &w : workers) w.join();
    }

    const function &f_;
    const format &format_;
    dnnl::engine engine_ {dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_ {engine_};
    memory::desc md_, f32_;
    memory bits_, dst_, x_, y_;
    dnnl::eltwise_forward::primitive_desc pd_;
    dnnl::eltwise_forward run_;
    dnnl::reorder widen_;
};

/// In units of a format with fewer digits than f32, the rounding comes on top.
double limit_of(const function &f, const format &type) {
    const double rounding = type.digits == 23 ? 0 : 0.5;
    return rounding + std::ldexp(f.limit, type.digits - 23);
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app {"The errors of the elementwise functions over all inputs."};
    std::vector<std::string> names;
    std::string type = "f32";
    std::uint64_t stride = 1;
    bool limits = false;
    app.add_option("--algorithm", names, "names as in the table, all without");
    app.add_option("--type", type, "f32, bf16 or f16")
        ->check(CLI::IsMember({"f32", "bf16", "f16"}));
    app.add_option("--stride", stride, "every so many bit patterns")->check(CLI::PositiveNumber);
    app.add_flag("--limits", limits, "fail above the limits of doc/numerics.md");
    CLI11_PARSE(app, argc, argv);
    const format &to = formats.at(type);
    for (const std::string &name : names)
        if (std::none_of(std::begin(functions), std::end(functions),
                [&](const function &f) { return name == f.name; })) {
            std::fprintf(stderr, "no function is called '%s'\n", name.c_str());
            return 2;
        }
    bool good = true;
    std::printf(
        "| function | type | row | units of the last place | at | limit | of another kind |\n"
        "|---|---|---|---|---|---|---|\n");
    for (const function &f : functions) {
        if (!names.empty() && std::find(names.begin(), names.end(), f.name) == names.end())
            continue;
        examination one(f, to);
        const findings found = one.run(stride);
        const double limit = limit_of(f, to);
        std::printf("| %s | %s | %s | %.3f | %.9g | %.3f | %llu", f.name, type.c_str(),
            one.name().c_str(), found.ulp, found.at, limit,
            static_cast<unsigned long long>(found.of_other_kind));
        if (found.of_other_kind > 0) std::printf(", first at %.9g", found.other_kind_at);
        std::printf(" |\n");
        std::fflush(stdout);
        good = good && found.ulp <= limit + 0.01 && found.of_other_kind == 0;
    }
    return limits && !good ? 1 : 0;
}
