// SPDX-License-Identifier: Apache-2.0
// Attention scores with a causal mask: the product of queries and keys, scaled, and where the s8
// condition is zero replaced by a large negative number (select as a post-op); then a softmax.
#include <algorithm>
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim HEADS = 3, T = 10, D = 16;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> queries = values(HEADS * T * D, 1), keys = values(HEADS * T * D, 2);
    std::vector<float> scores(HEADS * T * T);
    std::vector<int8_t> visible(T * T);
    float masked = -1e4f;
    for (memory::dim i = 0; i < T; ++i)
        for (memory::dim j = 0; j <= i; ++j) visible[i * T + j] = 1;

    const memory::desc q_md({HEADS, T, D}, dt::f32, tag::abc),
        k_md({HEADS, D, T}, dt::f32, tag::acb);
    const memory::desc scores_md({HEADS, T, T}, dt::f32, tag::abc);
    const memory::desc value_md({1, 1, 1}, dt::f32, tag::abc), mask_md({1, T, T}, dt::s8, tag::abc);
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_linear, 0.25f, 0.f);
    ops.append_binary(algorithm::binary_select, value_md, mask_md);
    algorithm kind = algorithm::undef;
    memory::desc source, condition;
    ops.get_params_binary(1, kind, source, condition);
    if (kind != algorithm::binary_select || source != value_md || condition != mask_md) return 1;

    primitive_attr attr;
    attr.set_post_ops(ops);
    memory scores_mem(scores_md, eng, scores.data());
    matmul(matmul::primitive_desc(eng, q_md, k_md, scores_md, attr))
        .execute(strm,
            {{DNNL_ARG_SRC, memory(q_md, eng, queries.data())},
                {DNNL_ARG_WEIGHTS, memory(k_md, eng, keys.data())}, {DNNL_ARG_DST, scores_mem},
                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1,
                    memory(value_md, eng, &masked)},
                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_2,
                    memory(mask_md, eng, visible.data())}});
    softmax_forward(softmax_forward::primitive_desc(eng, prop_kind::forward_inference,
                        algorithm::softmax_accurate, scores_md, scores_md, 2))
        .execute(strm, {{DNNL_ARG_SRC, scores_mem}, {DNNL_ARG_DST, scores_mem}});
    strm.wait();

    std::vector<double> expected(scores.size());
    for (memory::dim row = 0; row < HEADS * T; ++row) {
        const memory::dim head = row / T, i = row % T;
        double sum = 0;
        for (memory::dim j = 0; j <= i; ++j) {
            double product = 0;
            for (memory::dim d = 0; d < D; ++d)
                product += double {queries[row * D + d]} * keys[(head * T + j) * D + d];
            sum += expected[row * T + j] = std::exp(0.25 * product);
        }
        for (memory::dim j = 0; j <= i; ++j) expected[row * T + j] /= sum;
    }
    return agree("scores", scores, expected, 1e-6) ? 0 : 1;
}
