// SPDX-License-Identifier: Apache-2.0
// Dropout of a product with a seed and an offset of 64 bits, given as host scalars. The mask says
// which elements are kept, those grow by 1 / (1 - p), about a share of p is dropped, a seed and an
// offset always draw the same mask and another offset another one.
#include <algorithm>
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim M = 64, K = 8, N = 64;
    const float p = 0.25f;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> src = values(M * K, 1), weights = values(K * N, 2);
    const memory::desc src_md({M, K}, dt::f32, tag::ab), weights_md({K, N}, dt::f32, tag::ab);
    const memory::desc dst_md({M, N}, dt::f32, tag::ab), mask_md({M, N}, dt::u8, tag::ab);

    primitive_attr attr;
    attr.set_dropout(mask_md, dt::s64, true, true);
    memory::desc mask_read;
    dt seed_type = dt::undef;
    bool use_offset = false, use_host_scalars = false;
    attr.get_dropout(mask_read, seed_type, use_offset, use_host_scalars);
    if (mask_read != mask_md || seed_type != dt::s64 || !use_offset || !use_host_scalars) return 1;
    const matmul product(matmul::primitive_desc(eng, src_md, weights_md, dst_md, attr));

    const memory::desc s64_value = memory::desc::host_scalar(dt::s64);
    memory probability(memory::desc::host_scalar(dt::f32), p);
    memory seed(s64_value, int64_t {1} << 40), offset(s64_value, int64_t {0});
    std::vector<std::vector<uint8_t>> masks;
    bool good = true;
    for (const int64_t begin : {int64_t {3} << 33, int64_t {5}, int64_t {3} << 33}) {
        std::vector<float> dst(M * N);
        std::vector<uint8_t> mask(M * N, 77);
        offset.set_host_scalar_value(begin);
        product.execute(
            strm, {{DNNL_ARG_SRC, memory(src_md, eng, src.data())},
                      {DNNL_ARG_WEIGHTS, memory(weights_md, eng, weights.data())},
                      {DNNL_ARG_DST, memory(dst_md, eng, dst.data())},
                      {DNNL_ARG_ATTR_DROPOUT_MASK, memory(mask_md, eng, mask.data())},
                      {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, probability},
                      {DNNL_ARG_ATTR_DROPOUT_SEED, seed}, {DNNL_ARG_ATTR_DROPOUT_OFFSET, offset}});
        strm.wait();
        std::vector<double> expected(M * N);
        for (memory::dim i = 0; i < M * N; ++i) {
            for (memory::dim k = 0; k < K; ++k)
                expected[i] += double {src[i / N * K + k]} * weights[k * N + i % N];
            expected[i] *= mask[i] / (1 - p);
        }
        const auto kept = std::count(mask.begin(), mask.end(), uint8_t {1});
        const auto dropped = std::count(mask.begin(), mask.end(), uint8_t {0});
        // The share of 4096 draws has a standard deviation of 0.007; five of them are allowed.
        const double share = static_cast<double>(dropped) / static_cast<double>(M * N);
        good = good && kept + dropped == M * N && std::fabs(share - p) < 0.034;
        good = agree("dst", dst, expected, 1e-5) && good;
        masks.push_back(mask);
    }
    return good && masks[0] == masks[2] && masks[0] != masks[1] ? 0 : 1;
}
