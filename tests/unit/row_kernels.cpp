// SPDX-License-Identifier: Apache-2.0
// Eltwise, binary, pooling and softmax: every implementation against formulas in f64, with all
// tails of a vector and special values, and the instruction sets against each other bit by bit.
#include "row_kernels.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

using namespace row_kernels;
using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using tag = memory::format_tag;
using dt = memory::data_type;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan_value = std::nanf("");

std::vector<float> numbers(std::size_t count, float low = -4, float high = 4) {
    std::uint64_t state = 7;
    std::vector<float> values(count);
    for (float &x : values) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = low + (high - low) * static_cast<float>(state >> 40) / 16777216.0f;
    }
    return values;
}

/// Distance from the exact value in units in the last place of its rounding to f32.
double ulps(float got, double exact) {
    const auto rounded = static_cast<float>(exact);
    if (std::isnan(got) || std::isnan(rounded))
        return std::isnan(got) == std::isnan(rounded) ? 0 : 1e9;
    if (got == rounded) return 0;
    if (std::isinf(got) || std::isinf(rounded)) return 1e9;
    if (std::fabs(exact) < 0x1p-126) return std::fabs(got) <= 0x1p-126f ? 0 : 1e9;
    return std::fabs(got - exact) / std::ldexp(1.0, std::ilogb(exact) - 23);
}

/// Rows that are compiled for a vector instruction set give the same bits, but for the lowest one:
/// its polynomials round products before they add them.
void check_same_bits(const std::vector<outcome> &outcomes) {
    for (const outcome &o : outcomes)
        if (o.name.starts_with("vector") && outcomes[0].name.starts_with("vector") &&
            !o.name.ends_with(":sse41"))
            BOOST_TEST(
                (o.outputs == outcomes[0].outputs), o.name << " differs from " << outcomes[0].name);
}

/// The f32 results at an argument with every NaN replaced by one: the sign and payload of a NaN
/// follow the order in which the compiler puts the operands.
std::vector<outcome> with_one_nan(std::vector<outcome> outcomes, int arg = DNNL_ARG_DST) {
    for (outcome &o : outcomes) {
        std::vector<float> values = o.as<float>(arg);
        for (float &x : values)
            if (std::isnan(x)) x = nan_value;
        std::memcpy(o.outputs.at(arg).data(), values.data(), values.size() * sizeof(float));
    }
    return outcomes;
}

struct function {
    algorithm alg;
    float alpha, beta;
    double limit; ///< ulps
    double (*value)(double);
};
double gelu_erf(double x) { return x == -INFINITY ? 0 : 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double soft_plus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double gelu_tanh(double x) {
    const double u = 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return x < -40 ? 0 : x > 40 ? x : x * logistic(u);
}
const function functions[] = {
    {algorithm::eltwise_relu, 0, 0, 0, [](double x) { return x > 0 || std::isnan(x) ? x : 0; }},
    {algorithm::eltwise_tanh, 0, 0, 2, [](double x) { return std::tanh(x); }},
    {algorithm::eltwise_elu, 0.5f, 0, 3, [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }},
    {algorithm::eltwise_sqrt, 0, 0, 0.5, [](double x) { return std::sqrt(x); }},
    {algorithm::eltwise_exp, 0, 0, 2, [](double x) { return std::exp(x); }},
    {algorithm::eltwise_log, 0, 0, 2, [](double x) { return std::log(x); }},
    {algorithm::eltwise_logistic, 0, 0, 2, logistic},
    {algorithm::eltwise_soft_relu, 1, 0, 4, soft_plus},
    {algorithm::eltwise_gelu_erf, 0, 0, 4, gelu_erf},
    {algorithm::eltwise_gelu_tanh, 0, 0, 4, gelu_tanh},
    {algorithm::eltwise_swish, 1.5f, 0, 4,
        [](double x) { return x < -500 ? 0 : x / (1 + std::exp(-1.5 * x)); }},
    {algorithm::eltwise_mish, 0, 0, 4,
        [](double x) { return x < -700 ? 0 : x * std::tanh(soft_plus(x)); }},
    {algorithm::eltwise_pow, 1, 1.7f, 4, [](double x) { return std::pow(x, double {1.7f}); }},
    {algorithm::eltwise_hardswish, 0.25f, 0.5f, 2,
        [](double x) { return x * std::min(1.0, std::max(0.0, 0.25 * x + 0.5)); }},
    {algorithm::eltwise_round, 0, 0, 0, [](double x) { return std::nearbyint(x); }},
};

} // namespace

/// Vectors of 512 bits have tables for gelu, its gradient and tanh.
bool is_gelu(algorithm alg) {
    return alg == algorithm::eltwise_gelu_erf || alg == algorithm::eltwise_gelu_tanh;
}

BOOST_AUTO_TEST_CASE(eltwise_within_limits_over_the_whole_range) {
    std::vector<float> x;
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 65521)
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    for (float special : {0.0f, -0.0f, infinity, -infinity, nan_value, 1.0f, -1.0f, 88.7f, -87.3f})
        x.push_back(special);
    const memory::desc md({static_cast<dnnl_dim_t>(x.size())}, dt::f32, tag::a);
    for (const function &f : functions) {
        const auto outcomes = run_all<dnnl::eltwise_forward>(
            dnnl::eltwise_forward::primitive_desc(
                cpu(), prop_kind::forward_inference, f.alg, md, md, f.alpha, f.beta),
            {{DNNL_ARG_SRC, input(md, x)}}, {{DNNL_ARG_DST, md}});
        if (!is_gelu(f.alg) && f.alg != algorithm::eltwise_tanh)
            check_same_bits(with_one_nan(outcomes));
        for (const outcome &o : outcomes) {
            const auto dst = o.as<float>(DNNL_ARG_DST);
            double worst = 0;
            std::size_t where = 0;
            for (std::size_t i = 0; i < x.size(); ++i)
                if (const double u = ulps(dst[i], f.value(x[i])); u > worst) worst = u, where = i;
            BOOST_TEST(worst <= f.limit + 0.01, o.name << " algorithm " << static_cast<int>(f.alg)
                                                       << ": " << worst << " ulp at " << x[where]
                                                       << ": " << dst[where]);
        }
    }
}

BOOST_AUTO_TEST_CASE(gradients_follow_the_reference_over_the_whole_range) {
    std::vector<float> x;
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 131063)
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    const memory::desc md({static_cast<dnnl_dim_t>(x.size())}, dt::f32, tag::a);
    const std::vector<float> ones(x.size(), 1.0f);
    for (const function &f : functions) {
        if (f.alg == algorithm::eltwise_round) continue;
        const dnnl::eltwise_forward::primitive_desc hint(
            cpu(), prop_kind::forward_training, f.alg, md, md, f.alpha, f.beta);
        const auto outcomes = run_all<dnnl::eltwise_backward>(
            dnnl::eltwise_backward::primitive_desc(cpu(), f.alg, md, md, md, f.alpha, f.beta, hint),
            {{DNNL_ARG_SRC, input(md, x)}, {DNNL_ARG_DIFF_DST, input(md, ones)}},
            {{DNNL_ARG_DIFF_SRC, md}});
        // With AVX-512 the gradient of sqrt improves an estimate.
        if (!is_gelu(f.alg) && f.alg != algorithm::eltwise_sqrt)
            check_same_bits(with_one_nan(outcomes, DNNL_ARG_DIFF_SRC));
        const auto exact = outcomes.back().as<float>(DNNL_ARG_DIFF_SRC);
        // These slopes cross zero; next to it only their absolute error is bounded.
        const bool crosses = f.alg == algorithm::eltwise_gelu_erf ||
                             f.alg == algorithm::eltwise_gelu_tanh ||
                             f.alg == algorithm::eltwise_swish || f.alg == algorithm::eltwise_mish;
        for (const outcome &o : outcomes) {
            const auto got = o.as<float>(DNNL_ARG_DIFF_SRC);
            double worst = 0;
            std::size_t where = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (crosses && std::fabs(got[i] - exact[i]) < 4e-7) continue;
                if (const double u = ulps(got[i], exact[i]); u > worst) worst = u, where = i;
            }
            BOOST_TEST(worst <= f.limit + 2, o.name << " algorithm " << static_cast<int>(f.alg)
                                                    << ": " << worst << " ulp at " << x[where]
                                                    << ": " << got[where]);
        }
    }
}

BOOST_AUTO_TEST_CASE(eltwise_tails_and_types) {
    for (dnnl_dim_t n = 1; n <= 33; ++n)
        for (dt type : {dt::f32, dt::bf16, dt::f16, dt::s32, dt::s8, dt::u8}) {
            const memory::desc md({n}, type, tag::a);
            const auto raw = numbers(static_cast<std::size_t>(n));
            const auto outcomes = run_all<dnnl::eltwise_forward>(
                dnnl::eltwise_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                    algorithm::eltwise_linear, md, md, 2.f, 1.f),
                {{DNNL_ARG_SRC, input(md, raw)}}, {{DNNL_ARG_DST, md}});
            BOOST_TEST(outcomes.back().name == "reference");
            for (const outcome &o : outcomes)
                BOOST_TEST((o.outputs == outcomes.back().outputs), o.name << ", n = " << n);
        }
}

BOOST_AUTO_TEST_CASE(eltwise_keeps_the_padding_zero) {
    const memory::desc md({2, 19, 3}, dt::f32, tag::aBc16b);
    const auto outcomes = run_all<dnnl::eltwise_forward>(
        dnnl::eltwise_forward::primitive_desc(
            cpu(), prop_kind::forward_inference, algorithm::eltwise_exp, md, md),
        {{DNNL_ARG_SRC, input(md, std::vector<float>(2 * 32 * 3, 0.0f))}}, {{DNNL_ARG_DST, md}});
    for (const outcome &o : outcomes) {
        const auto dst = o.as<float>(DNNL_ARG_DST);
        for (std::size_t i = 0; i < dst.size(); ++i) {
            const std::size_t channel = i / 48 % 2 * 16 + i % 16;
            BOOST_TEST(dst[i] == (channel < 19 ? 1.0f : 0.0f), o.name << " at " << i);
        }
    }
}

BOOST_AUTO_TEST_CASE(binary_broadcasts) {
    const auto a = numbers(5 * 33), b = numbers(33, 1, 3);
    const memory::desc full({5, 33}, dt::f32, tag::ab), row({1, 33}, dt::f32, tag::ab);
    const memory::desc turned({5, 33}, dt::f32, tag::ba), column({5, 1}, dt::f32, tag::ab);
    const auto element = [&](const memory::desc &md, const std::vector<float> &v, int i, int j) {
        const auto strides = md.get_strides(), dims = md.get_dims();
        return v[static_cast<std::size_t>(
            (dims[0] > 1 ? i * strides[0] : 0) + (dims[1] > 1 ? j * strides[1] : 0))];
    };
    for (const memory::desc &src0 : {full, turned, row})
        for (const memory::desc &src1 : {full, turned, row, column}) {
            if (src0 == row && src1 == row) continue;
            const auto outcomes = run_all<dnnl::binary>(
                dnnl::binary::primitive_desc(cpu(), algorithm::binary_div, src0, src1, full),
                {{DNNL_ARG_SRC_0, input(src0, a)}, {DNNL_ARG_SRC_1, input(src1, a)}},
                {{DNNL_ARG_DST, full}});
            for (const outcome &o : outcomes)
                for (int i = 0; i < 5; ++i)
                    for (int j = 0; j < 33; ++j)
                        BOOST_TEST(
                            o.as<float>(DNNL_ARG_DST)[static_cast<std::size_t>(i * 33 + j)] ==
                                element(src0, a, i, j) / element(src1, a, i, j),
                            o.name);
        }
}

BOOST_AUTO_TEST_CASE(binary_integers_are_exact) {
    const memory::desc md({4}, dt::s32, tag::a);
    const std::vector<std::int32_t> a {16777217, INT32_MIN, 5, -7}, b {16777216, INT32_MAX, 5, -8};
    const std::vector<std::int32_t> larger {16777217, INT32_MAX, 5, -7};
    for (const outcome &o :
        run_all<dnnl::binary>(
            dnnl::binary::primitive_desc(cpu(), algorithm::binary_max, md, md, md),
            {{DNNL_ARG_SRC_0, input(md, a)}, {DNNL_ARG_SRC_1, input(md, b)}}, {{DNNL_ARG_DST, md}}))
        BOOST_TEST(o.as<std::int32_t>(DNNL_ARG_DST) == larger, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(max_pooling_takes_the_first_maximum_and_passes_over_nan) {
    const memory::desc src({1, 1, 2, 6}, dt::f32, tag::nchw), dst({1, 1, 1, 3}, dt::f32, tag::nchw);
    const std::vector<float> x {3, 3, nan_value, -infinity, nan_value, nan_value, //
        1, 3, -infinity, nan_value, nan_value, nan_value};
    dnnl::pooling_forward::primitive_desc pd(cpu(), prop_kind::forward_training,
        algorithm::pooling_max, src, dst, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0});
    for (const outcome &o : run_all<dnnl::pooling_forward>(pd, {{DNNL_ARG_SRC, input(src, x)}},
             {{DNNL_ARG_DST, dst}, {DNNL_ARG_WORKSPACE, pd.workspace_desc()}})) {
        const auto y = o.as<float>(DNNL_ARG_DST);
        const auto where = o.as<std::uint8_t>(DNNL_ARG_WORKSPACE);
        BOOST_TEST(y[0] == 3.0f, o.name);
        BOOST_TEST(y[1] == -infinity, o.name);
        BOOST_TEST(std::isnan(y[2]), o.name);
        BOOST_TEST(int {where[0]} == 0, o.name);
        BOOST_TEST(int {where[1]} == 1, o.name);
        BOOST_TEST(int {where[2]} == 0, o.name);
    }
}

BOOST_AUTO_TEST_CASE(pooling_layouts_agree) {
    const memory::dims in {2, 19, 9, 21}, out {2, 19, 5, 11};
    const auto x = numbers(2 * 32 * 9 * 21);
    for (algorithm alg : {algorithm::pooling_max, algorithm::pooling_avg_include_padding,
             algorithm::pooling_avg_exclude_padding})
        for (tag layout : {tag::nchw, tag::nhwc, tag::nChw16c}) {
            const memory::desc src(in, dt::f32, layout), dst(out, dt::f32, layout);
            dnnl::pooling_forward::primitive_desc forward(cpu(), prop_kind::forward_training, alg,
                src, dst, {2, 2}, {3, 3}, {0, 0}, {1, 1}, {1, 1});
            std::map<int, memory::desc> outputs {{DNNL_ARG_DST, dst}};
            if (alg == algorithm::pooling_max)
                outputs.emplace(DNNL_ARG_WORKSPACE, forward.workspace_desc());
            const auto outcomes =
                run_all<dnnl::pooling_forward>(forward, {{DNNL_ARG_SRC, input(src, x)}}, outputs);
            check_same_bits(outcomes);
            BOOST_TEST(outcomes.size() >= 1u);
            std::map<int, tensor> inputs {{DNNL_ARG_DIFF_DST, input(dst, x)}};
            if (alg == algorithm::pooling_max) {
                const auto &o = outcomes[0];
                for (const outcome &other : outcomes)
                    BOOST_TEST((other.outputs == o.outputs), other.name);
                inputs.emplace(DNNL_ARG_WORKSPACE,
                    tensor {forward.workspace_desc(), o.outputs.at(DNNL_ARG_WORKSPACE)});
            }
            const auto gradients = run_all<dnnl::pooling_backward>(
                dnnl::pooling_backward::primitive_desc(
                    cpu(), alg, src, dst, {2, 2}, {3, 3}, {0, 0}, {1, 1}, {1, 1}, forward),
                inputs, {{DNNL_ARG_DIFF_SRC, src}});
            // Planes add up what windows of one row give first.
            const outcome &reference = gradients.back();
            const auto exact = reference.as<float>(DNNL_ARG_DIFF_SRC);
            for (const outcome &o : gradients) {
                const auto y = o.as<float>(DNNL_ARG_DIFF_SRC);
                for (std::size_t i = 0; layout == tag::nchw && i < y.size(); ++i)
                    BOOST_TEST(std::abs(y[i] - exact[i]) <= 4e-6f, o.name);
                if (layout != tag::nchw || &o != &reference)
                    BOOST_TEST(
                        (o.outputs == (layout == tag::nchw ? gradients[0] : reference).outputs),
                        o.name);
            }
        }
}

BOOST_AUTO_TEST_CASE(softmax_sums_to_one_along_any_axis) {
    for (int axis : {0, 1, 2})
        for (dnnl_dim_t n = 1; n <= 33; n += 4) {
            memory::dims dims {3, 5, 7};
            dims[static_cast<std::size_t>(axis)] = n;
            const memory::desc md(dims, dt::f32, tag::abc);
            const auto strides = md.get_strides();
            const auto x = numbers(md.get_size() / 4, -20, 20);
            const auto outcomes = run_all<dnnl::softmax_forward>(
                dnnl::softmax_forward::primitive_desc(
                    cpu(), prop_kind::forward_inference, algorithm::softmax_accurate, md, md, axis),
                {{DNNL_ARG_SRC, input(md, x)}}, {{DNNL_ARG_DST, md}});
            check_same_bits(outcomes);
            const auto stride = static_cast<std::size_t>(strides[static_cast<std::size_t>(axis)]);
            for (const outcome &o : outcomes) {
                const auto y = o.as<float>(DNNL_ARG_DST);
                for (std::size_t start = 0; start < y.size(); ++start) {
                    if (start / stride % static_cast<std::size_t>(n) != 0) continue;
                    double sum = 0;
                    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
                        sum += y[start + i * stride];
                    BOOST_TEST(std::fabs(sum - 1) < 1e-6, o.name << ": " << sum);
                }
            }
        }
}
