// SPDX-License-Identifier: Apache-2.0
// Gradients of elementwise functions where the slope is 0: 0, also for an infinite gradient of dst
// (NaN stays NaN). All implementations agree about every combination of special numbers.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

using dnnl::algorithm;
using dnnl::memory;
using type = memory::data_type;

constexpr float infinity = std::numeric_limits<float>::infinity();
const float specials[] = {0.f, -0.f, 1.f, -1.f, 0.5f, 3.f, -40.f, 200.f, -200.f, infinity,
    -infinity, std::numeric_limits<float>::quiet_NaN()};

struct function {
    const char *name;
    algorithm alg;
    float alpha, beta;
    bool uses_dst;
};
const function functions[] = {{"relu", algorithm::eltwise_relu, 0, 0, false},
    {"leaky relu", algorithm::eltwise_relu, 0.5f, 0, false},
    {"tanh", algorithm::eltwise_tanh, 0, 0, false}, {"elu 0", algorithm::eltwise_elu, 0, 0, false},
    {"elu", algorithm::eltwise_elu, 1, 0, false},
    {"square", algorithm::eltwise_square, 0, 0, false},
    {"abs", algorithm::eltwise_abs, 0, 0, false}, {"sqrt", algorithm::eltwise_sqrt, 0, 0, false},
    {"linear 0", algorithm::eltwise_linear, 0, 1, false},
    {"soft_relu", algorithm::eltwise_soft_relu, 1, 0, false},
    {"logistic", algorithm::eltwise_logistic, 0, 0, false},
    {"exp", algorithm::eltwise_exp, 0, 0, false}, {"log", algorithm::eltwise_log, 0, 0, false},
    {"gelu_tanh", algorithm::eltwise_gelu_tanh, 0, 0, false},
    {"gelu_erf", algorithm::eltwise_gelu_erf, 0, 0, false},
    {"swish", algorithm::eltwise_swish, 1, 0, false},
    {"mish", algorithm::eltwise_mish, 0, 0, false}, {"clip", algorithm::eltwise_clip, -1, 1, false},
    {"hardswish", algorithm::eltwise_hardswish, 0.2f, 0.5f, false},
    {"hardsigmoid", algorithm::eltwise_hardsigmoid, 0.2f, 0.5f, false},
    {"pow 2", algorithm::eltwise_pow, 1, 2, false}, {"pow 3", algorithm::eltwise_pow, 1, 3, false},
    {"pow -1", algorithm::eltwise_pow, 1, -1, false},
    {"tanh by dst", algorithm::eltwise_tanh_use_dst_for_bwd, 0, 0, true},
    {"logistic by dst", algorithm::eltwise_logistic_use_dst_for_bwd, 0, 0, true},
    {"exp by dst", algorithm::eltwise_exp_use_dst_for_bwd, 0, 0, true},
    {"sqrt by dst", algorithm::eltwise_sqrt_use_dst_for_bwd, 0, 0, true},
    {"elu by dst", algorithm::eltwise_elu_use_dst_for_bwd, 1, 0, true}};

std::vector<float> to_f32(const memory &from, const dnnl::engine &engine) {
    const memory::desc md(from.get_desc().get_dims(), type::f32, memory::format_tag::ab);
    std::vector<float> values(md.get_size() / sizeof(float));
    memory to(md, engine, values.data());
    dnnl::stream stream(engine);
    dnnl::reorder(from, to).execute(stream, const_cast<memory &>(from), to);
    stream.wait();
    return values;
}

bool same(float a, float b) { // but for rounding
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b) || a == 0 || b == 0)
        return a == b || std::fabs(a - b) < 1e-30f;
    return std::fabs(a - b) <= 1e-2f * std::fabs(b);
}

} // namespace

BOOST_AUTO_TEST_CASE(every_pair_of_special_numbers) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    constexpr std::int64_t count = std::size(specials);
    std::vector<float> gradients, data;
    for (const float g : specials)
        for (const float x : specials) gradients.push_back(g), data.push_back(x);
    for (const type t : {type::f32, type::bf16})
        for (const function &f : functions) {
            const memory::desc md({count, count}, t, memory::format_tag::ab),
                plain({count, count}, type::f32, memory::format_tag::ab);
            const auto converted = [&](std::vector<float> &values) {
                memory from(plain, engine, values.data()), to(md, engine);
                dnnl::reorder(from, to).execute(stream, from, to);
                stream.wait();
                return to;
            };
            const dnnl::eltwise_forward::primitive_desc hint(
                engine, dnnl::prop_kind::forward_training, f.alg, md, md, f.alpha, f.beta);
            dnnl::eltwise_backward::primitive_desc pd(
                engine, f.alg, md, md, md, f.alpha, f.beta, hint);
            std::vector<std::pair<std::string, std::vector<float>>> results;
            do {
                const memory to(md, engine);
                dnnl::eltwise_backward(pd).execute(stream,
                    {{f.uses_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, converted(data)},
                        {DNNL_ARG_DIFF_DST, converted(gradients)}, {DNNL_ARG_DIFF_SRC, to}});
                stream.wait();
                results.emplace_back(pd.impl_info_str(), to_f32(to, engine));
            } while (pd.next_impl());
            const auto &reference = results.back().second;
            for (const auto &[row, got] : results)
                for (std::size_t i = 0; i < got.size(); ++i)
                    BOOST_TEST(same(got[i], reference[i]),
                        row << ", " << f.name << " at " << data[i] << " times " << gradients[i]
                            << ": " << got[i] << ", the reference has " << reference[i]);
        }
}
