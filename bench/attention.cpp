// SPDX-License-Identifier: Apache-2.0
// Attention as one primitive (dnnl_ext.h) against the three primitives that compute it otherwise:
// product with scale and mask, softmax, product. Random data, medians of interleaved rounds.
// usage: bench.attention [--chain] [batch M N K]
// --chain times the three primitives alone and calls nothing else, so that the program can be
// started with another library of the same interface.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <vector>

#include "instruction_peak.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ext.hpp"

namespace {

using namespace dnnl;
using dt = memory::data_type;
using arguments = std::unordered_map<int, memory>;

const engine cpu(engine::kind::cpu, 0);

struct shape {
    const char *name;
    long batch, M, N, K;
    bool causal;
};

memory::desc matrices(long batch, long rows, long columns, dt type, bool transposed = false) {
    if (!transposed) return {{batch, rows, columns}, type, memory::format_tag::abc};
    return {{batch, rows, columns}, type, memory::format_tag::acb};
}

memory random(const memory::desc &md) {
    memory plain(memory::desc(md.get_dims(), dt::f32, memory::format_tag::abc), cpu);
    auto *values = static_cast<float *>(plain.get_data_handle());
    const bool bytes = md.get_data_type() == dt::u8 || md.get_data_type() == dt::s8;
    unsigned state = 7;
    const std::size_t count = plain.get_desc().get_size() / sizeof(float);
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (static_cast<float>(state >> 8) * 0x1p-23f - 1) * (bytes ? 100 : 1);
    }
    memory to(md, cpu);
    stream s(cpu);
    reorder(plain, to).execute(s, plain, to);
    s.wait();
    return to;
}

memory one(float value) {
    memory scale(memory::desc({1}, dt::f32, memory::format_tag::a), cpu);
    *static_cast<float *>(scale.get_data_handle()) = value;
    return scale;
}

struct operation {
    primitive what;
    arguments with;
};

struct problem {
    shape s;
    dt q, k, dst;
    memory queries, keys, values, mask;
    float scale;
    bool integers;

    problem(const shape &of, dt q_type, dt k_type)
        : s(of), q(q_type), k(k_type), dst(q_type == dt::u8 ? dt::f32 : q_type),
          queries(random(matrices(s.batch, s.M, s.K, q))),
          keys(random(matrices(s.batch, s.N, s.K, k))),
          values(random(matrices(s.batch, s.N, s.K, k))), scale(1 / std::sqrt(float(s.K))),
          integers(q == dt::u8) {
        if (!s.causal) return;
        mask = memory(matrices(1, s.M, s.N, dt::f32), cpu);
        auto *m = static_cast<float *>(mask.get_data_handle());
        for (long i = 0; i < s.M * s.N; ++i)
            m[i] = i % s.N > i / s.N + s.N - s.M ? -std::numeric_limits<float>::infinity() : 0;
    }

    std::vector<operation> chain() const {
        const dt weights_type = integers ? dt::u8 : q;
        const memory scores(matrices(s.batch, s.M, s.N, integers ? dt::f32 : q), cpu);
        const memory weights(matrices(s.batch, s.M, s.N, weights_type), cpu);
        const memory transposed(matrices(s.batch, s.K, s.N, k, true), cpu, keys.get_data_handle());
        primitive_attr first, second, third;
        post_ops scaled;
        scaled.append_eltwise(algorithm::eltwise_linear, scale, 0);
        if (mask) scaled.append_binary(algorithm::binary_add, mask.get_desc());
        first.set_post_ops(scaled);
        arguments a {
            {DNNL_ARG_SRC, queries}, {DNNL_ARG_WEIGHTS, transposed}, {DNNL_ARG_DST, scores}};
        if (mask) a[DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1] = mask;
        arguments b {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, weights}};
        const memory result(matrices(s.batch, s.M, s.K, dst), cpu);
        arguments c {{DNNL_ARG_SRC, weights}, {DNNL_ARG_WEIGHTS, values}, {DNNL_ARG_DST, result}};
        if (integers) {
            for (primitive_attr *attr : {&first, &third}) {
                attr->set_scales_mask(DNNL_ARG_SRC, 0);
                attr->set_scales_mask(DNNL_ARG_WEIGHTS, 0);
            }
            second.set_scales_mask(DNNL_ARG_DST, 0);
            a[DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC] = a[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] =
                c[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = one(.01f);
            b[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = c[DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC] =
                one(1.f / 255);
        }
        return {{matmul(matmul::primitive_desc(
                     cpu, queries.get_desc(), transposed.get_desc(), scores.get_desc(), first)),
                    a},
            {softmax_forward(softmax_forward::primitive_desc(cpu, prop_kind::forward_inference,
                 algorithm::softmax_accurate, scores.get_desc(), weights.get_desc(), 2, second)),
                b},
            {matmul(matmul::primitive_desc(
                 cpu, weights.get_desc(), values.get_desc(), result.get_desc(), third)),
                c}};
    }

    std::vector<operation> at_once() const {
        primitive_attr attr;
        const memory result(matrices(s.batch, s.M, s.K, dst), cpu);
        arguments a {{DNNL_ARG_QUERIES, queries}, {DNNL_ARG_KEYS, keys}, {DNNL_ARG_VALUES, values},
            {DNNL_ARG_DST, result}};
        if (integers)
            for (const int arg : {DNNL_ARG_QUERIES, DNNL_ARG_KEYS, DNNL_ARG_VALUES}) {
                attr.set_scales_mask(arg, 0);
                a[DNNL_ARG_ATTR_SCALES | arg] = one(.01f);
            }
        return {
            {ext::attention(ext::attention::primitive_desc(cpu, queries.get_desc(), keys.get_desc(),
                 values.get_desc(), memory::desc(), result.get_desc(), scale, s.causal, attr)),
                a}};
    }
};

double microseconds(const std::vector<operation> &operations, int times) {
    stream s(cpu);
    const double start = bench::seconds();
    for (int i = 0; i < times; ++i)
        for (const operation &o : operations) o.what.execute(s, o.with);
    s.wait();
    return (bench::seconds() - start) / times * 1e6;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

void compare(const shape &s, dt q, dt k, const char *types, bool chain_only) {
    const problem p(s, q, k);
    std::vector<std::vector<operation>> ways {p.chain()};
    if (!chain_only) ways.push_back(p.at_once());
    std::vector<std::vector<double>> taken(ways.size());
    const int times = std::max(1, static_cast<int>(2e4 / microseconds(ways[0], 1)));
    for (int round = 0; round < 9; ++round)
        for (std::size_t i = 0; i < ways.size(); ++i)
            taken[i].push_back(microseconds(ways[i], times));
    const double chain = median(taken[0]), once = median(taken.back());
    std::printf("%-16s %3ld x %4ld x %4ld x %3ld %-5s three primitives %9.1f us", s.name, s.batch,
        s.M, s.N, s.K, types, chain);
    if (!chain_only) std::printf(", one %9.1f us: %.2f times as fast", once, chain / once);
    std::printf("\n");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
    const bool chain_only = argc > 1 && std::strcmp(argv[1], "--chain") == 0;
    const char *const *extents = argv + 1 + chain_only;
    std::vector<shape> shapes {{"BERT-base", 12, 128, 128, 64, false},
        {"BERT-large", 16, 384, 384, 64, false}, {"ViT-B", 48, 197, 197, 64, false},
        {"Swin", 64, 49, 49, 32, false}, {"Llama prefill", 32, 256, 256, 128, true},
        {"Llama decode", 32, 1, 1024, 128, false}, {"image to text", 8, 4096, 77, 64, false},
        {"long", 4, 2048, 2048, 64, false}, {"long, causal", 4, 2048, 2048, 128, true}};
    if (argc - 1 - chain_only == 4)
        shapes = {{"", std::atol(extents[0]), std::atol(extents[1]), std::atol(extents[2]),
            std::atol(extents[3]), false}};
    else if (argc - 1 - chain_only != 0) {
        std::fprintf(stderr, "usage: bench.attention [--chain] [batch M N K]\n");
        return 1;
    }
    const struct {
        dt queries, keys;
        const char *name;
    } types[] {{dt::f32, dt::f32, "f32"}, {dt::bf16, dt::bf16, "bf16"}, {dt::u8, dt::s8, "u8:s8"}};
    for (const shape &s : shapes)
        for (const auto &t : types) try {
                compare(s, t.queries, t.keys, t.name, chain_only);
            } catch (const error &e) { // another library, or an old processor
                std::printf("%-16s %s: %s\n", s.name, t.name, e.what());
            }
}
