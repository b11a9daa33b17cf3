// SPDX-License-Identifier: Apache-2.0
// Two tensors joined along their channels right into a region of a larger one; what lies around the
// region stays. A sum reads the region again through the same descriptor.
#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim N = 2, C0 = 3, C1 = 5, C = 12, FIRST = 2, S = 4 * 3;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> a = values(N * C0 * S, 1), b = values(N * C1 * S, 2);
    std::vector<float> whole = values(N * C * S, 3), doubled(N * (C0 + C1) * S);
    std::vector<double> expected(whole.begin(), whole.end()), expected_sum(doubled.size());

    const memory::desc whole_md({N, C, 4, 3}, dt::f32, tag::nchw);
    const memory::desc region = whole_md.submemory_desc({N, C0 + C1, 4, 3}, {0, FIRST, 0, 0});
    memory a_mem({{N, C0, 4, 3}, dt::f32, tag::nchw}, eng, a.data());
    memory b_mem({{N, C1, 4, 3}, dt::f32, tag::nchw}, eng, b.data());
    const concat::primitive_desc pd(eng, region, 1, {a_mem.get_desc(), b_mem.get_desc()});
    if (pd.dst_desc() != region) return 1;
    memory region_mem(region, eng, whole.data());
    concat(pd).execute(strm, {{DNNL_ARG_MULTIPLE_SRC + 0, a_mem},
                                 {DNNL_ARG_MULTIPLE_SRC + 1, b_mem}, {DNNL_ARG_DST, region_mem}});

    memory doubled_mem({{N, C0 + C1, 4, 3}, dt::f32, tag::nchw}, eng, doubled.data());
    const sum::primitive_desc sum_pd(eng, doubled_mem.get_desc(), {1.5f, 0.5f}, {region, region});
    sum(sum_pd).execute(
        strm, {{DNNL_ARG_MULTIPLE_SRC + 0, region_mem}, {DNNL_ARG_MULTIPLE_SRC + 1, region_mem},
                  {DNNL_ARG_DST, doubled_mem}});
    strm.wait();

    for (memory::dim n = 0; n < N; ++n)
        for (memory::dim c = 0; c < C0 + C1; ++c)
            for (memory::dim s = 0; s < S; ++s) {
                const float joined =
                    c < C0 ? a[(n * C0 + c) * S + s] : b[(n * C1 + c - C0) * S + s];
                expected[(n * C + FIRST + c) * S + s] = joined;
                expected_sum[(n * (C0 + C1) + c) * S + s] = 2 * double {joined};
            }
    bool good = agree("whole", whole, expected, 0);
    good &= agree("sum", doubled, expected_sum, 1e-6);
    return good ? 0 : 1;
}
