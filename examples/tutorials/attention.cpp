// SPDX-License-Identifier: Apache-2.0
// Attention: softmax(Q K^T / sqrt(d) + mask) V, for all heads at once. Two batched products and a
// softmax; scale and mask are post-ops of the first product, K is transposed by its strides alone.
// Then the same by one primitive, an extension of this library.
#include "../example.hpp"
#include "dnnl_ext.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim heads = 4, tokens = 12, d = 16;
        std::vector<float> q = numbers(heads * tokens * d, 1), k = numbers(heads * tokens * d, 2),
                           v = numbers(heads * tokens * d, 3), out(q.size());
        // Causal: a token sees itself and those before it.
        std::vector<float> mask(tokens * tokens);
        for (memory::dim i = 0; i < tokens * tokens; ++i)
            mask[i] = i % tokens > i / tokens ? -1e30f : 0.f;
        std::vector<float> factor {1 / std::sqrt(float(d))};

        const memory::desc vectors({heads, tokens, d}, dt::f32, tag::abc);
        const memory::desc transposed({heads, d, tokens}, dt::f32, tag::acb);
        const memory::desc scores_md({heads, tokens, tokens}, dt::f32, tag::abc);
        const memory::desc mask_md({1, tokens, tokens}, dt::f32, tag::abc);
        const memory::desc one({1, 1, 1}, dt::f32, tag::abc);

        dnnl::post_ops ops;
        ops.append_binary(algorithm::binary_mul, one);
        ops.append_binary(algorithm::binary_add, mask_md);
        dnnl::primitive_attr attr;
        attr.set_post_ops(ops);
        const dnnl::matmul::primitive_desc scores(cpu, vectors, transposed, scores_md, attr);
        const dnnl::softmax_forward::primitive_desc softmax(cpu, prop_kind::forward_inference,
            algorithm::softmax_accurate, scores_md, scores_md, 2);
        const dnnl::matmul::primitive_desc mix(cpu, scores_md, vectors, vectors);

        const memory scores_m(scores_md, cpu);
        dnnl::stream stream(cpu); // executions in order; one wait at the end
        dnnl::matmul(scores).execute(stream,
            {{DNNL_ARG_SRC, memory(vectors, cpu, q.data())},
                {DNNL_ARG_WEIGHTS, memory(transposed, cpu, k.data())}, {DNNL_ARG_DST, scores_m},
                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                    memory(one, cpu, factor.data())},
                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1,
                    memory(mask_md, cpu, mask.data())}});
        dnnl::softmax_forward(softmax).execute(
            stream, {{DNNL_ARG_SRC, scores_m}, {DNNL_ARG_DST, scores_m}});
        dnnl::matmul(mix).execute(
            stream, {{DNNL_ARG_SRC, scores_m}, {DNNL_ARG_WEIGHTS, memory(vectors, cpu, v.data())},
                        {DNNL_ARG_DST, memory(vectors, cpu, out.data())}});
        stream.wait();

        std::vector<float> at_once(out.size());
        const dnnl::ext::attention::primitive_desc attention(cpu, vectors, vectors, vectors,
            memory::desc(), vectors, factor[0], true); // causal: there is no need of a mask
        dnnl::ext::attention(attention).execute(
            stream, {{DNNL_ARG_QUERIES, memory(vectors, cpu, q.data())},
                        {DNNL_ARG_KEYS, memory(vectors, cpu, k.data())},
                        {DNNL_ARG_VALUES, memory(vectors, cpu, v.data())},
                        {DNNL_ARG_DST, memory(vectors, cpu, at_once.data())}});
        stream.wait();

        std::vector<float> expected(out.size());
        for (memory::dim row = 0; row < heads * tokens; ++row) {
            const memory::dim head = row / tokens, seen = row % tokens + 1;
            std::vector<double> weights;
            double sum = 0;
            for (memory::dim t = 0; t < seen; ++t) {
                double dot = 0;
                for (memory::dim i = 0; i < d; ++i)
                    dot += q[row * d + i] * k[(head * tokens + t) * d + i];
                weights.push_back(std::exp(dot / std::sqrt(double(d))));
                sum += weights.back();
            }
            for (memory::dim t = 0; t < seen; ++t)
                for (memory::dim i = 0; i < d; ++i)
                    expected[row * d + i] +=
                        float(weights[t] / sum * v[(head * tokens + t) * d + i]);
        }
        expect_near("attention", out, expected);
        expect_near("attention at once", at_once, expected);
    });
}
