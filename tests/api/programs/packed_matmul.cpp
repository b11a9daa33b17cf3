// SPDX-License-Identifier: Apache-2.0
// A linear layer: matmul with weights in a layout of the library's choice, packed once and used for
// two inputs, with bias, an accumulating sum, a ReLU and an element-wise factor; scratchpad of the
// caller.
#include <algorithm>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim M = 19, K = 33, N = 48;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> weights = values(K * N, 1), bias = values(N, 2), factor = values(M * N, 3);

    const memory::desc src_md({M, K}, dt::f32, tag::ab), dst_md({M, N}, dt::f32, tag::ab);
    const memory::desc bias_md({1, N}, dt::f32, tag::ab);
    post_ops ops;
    ops.append_sum(0.5f);
    ops.append_eltwise(algorithm::eltwise_relu, 0.25f, 0.f);
    ops.append_binary(algorithm::binary_mul, dst_md);
    primitive_attr attr;
    attr.set_post_ops(ops);
    attr.set_scratchpad_mode(scratchpad_mode::user);
    const matmul::primitive_desc pd(
        eng, src_md, memory::desc({K, N}, dt::f32, tag::any), bias_md, dst_md, attr);

    memory user_weights({{K, N}, dt::f32, tag::ab}, eng, weights.data());
    memory packed(pd.weights_desc(), eng), scratchpad(pd.scratchpad_desc(), eng);
    reorder(user_weights, packed).execute(strm, user_weights, packed);
    const matmul layer(pd);

    bool good = true;
    for (int seed = 10; seed < 12; ++seed) {
        std::vector<float> src = values(M * K, seed), dst = values(M * N, seed + 10);
        const std::vector<float> before = dst;
        layer.execute(strm, {{DNNL_ARG_SRC, memory(src_md, eng, src.data())},
                                {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_SCRATCHPAD, scratchpad},
                                {DNNL_ARG_BIAS, memory(bias_md, eng, bias.data())},
                                {DNNL_ARG_DST, memory(dst_md, eng, dst.data())},
                                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(2) | DNNL_ARG_SRC_1,
                                    memory(dst_md, eng, factor.data())}});
        strm.wait();
        std::vector<double> expected(M * N);
        for (memory::dim m = 0; m < M; ++m)
            for (memory::dim n = 0; n < N; ++n) {
                double sum = bias[n] + 0.5 * before[m * N + n];
                for (memory::dim k = 0; k < K; ++k)
                    sum += double {src[m * K + k]} * weights[k * N + n];
                expected[m * N + n] = (sum > 0 ? sum : 0.25 * sum) * factor[m * N + n];
            }
        good = agree("dst", dst, expected, 2e-5) && good;
    }
    return good ? 0 : 1;
}
