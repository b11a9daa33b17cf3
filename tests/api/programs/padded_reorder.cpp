// SPDX-License-Identifier: Apache-2.0
// Thirteen channels in a layout of blocks of 16: the padding that appears is zero, and the way back
// gives the same values. Then a reorder that quantizes, with a scale per channel and a zero point.
#include <algorithm>
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim N = 2, C = 13, S = 5 * 7, BLOCK = 16;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> plain = values(N * C * S, 1), back(plain.size());
    memory plain_mem({{N, C, 5, 7}, dt::f32, tag::nchw}, eng, plain.data());
    memory back_mem({{N, C, 5, 7}, dt::f32, tag::nchw}, eng, back.data());

    const memory::desc blocked_md({N, C, 5, 7}, dt::f32, tag::nChw16c);
    if (blocked_md.get_size() != sizeof(float) * N * BLOCK * S) return 1;
    if (blocked_md.get_padded_dims() != memory::dims({N, BLOCK, 5, 7})) return 1;
    std::vector<float> blocked(N * BLOCK * S, 123.f);
    memory blocked_mem(blocked_md, eng, blocked.data());
    reorder(plain_mem, blocked_mem).execute(strm, plain_mem, blocked_mem);
    reorder(blocked_mem, back_mem).execute(strm, blocked_mem, back_mem);

    std::vector<double> expected(blocked.size());
    for (memory::dim i = 0; i < N * C * S; ++i) {
        const memory::dim n = i / (C * S), c = i / S % C, s = i % S;
        expected[(n * S + s) * BLOCK + c] = plain[i];
    }
    strm.wait();
    bool good = agree("blocked", blocked, expected, 0);
    good &= agree("back", back, std::vector<double>(plain.begin(), plain.end()), 0);

    std::vector<float> scales(C);
    for (memory::dim c = 0; c < C; ++c) scales[c] = 0.01f * static_cast<float>(c + 1);
    int32_t zero_point = 11;
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_DST, 1 << 1);
    attr.set_zero_points_mask(DNNL_ARG_DST, 0);
    std::vector<int8_t> quantized(plain.size());
    memory quantized_mem({{N, C, 5, 7}, dt::s8, tag::nchw}, eng, quantized.data());
    const reorder::primitive_desc pd(
        eng, plain_mem.get_desc(), eng, quantized_mem.get_desc(), attr);
    reorder(pd).execute(strm, {{DNNL_ARG_FROM, plain_mem}, {DNNL_ARG_TO, quantized_mem},
                                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
                                      memory({{C}, dt::f32, tag::x}, eng, scales.data())},
                                  {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST,
                                      memory({{1}, dt::s32, tag::x}, eng, &zero_point)}});
    strm.wait();
    std::vector<double> numbers;
    for (memory::dim i = 0; i < N * C * S; ++i)
        numbers.push_back(
            std::min(127.0, std::max(-128.0, double {plain[i]} / scales[i / S % C] + zero_point)));
    good &= agree("quantized", quantized, numbers, 0.501);
    return good ? 0 : 1;
}
