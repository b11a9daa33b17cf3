// SPDX-License-Identifier: Apache-2.0
// Matmul and convolution at the AMX level against the reference, on the tiles of the CPU or on the
// model of them: the drivers' begin, run and end, their pending blocks, accumulators over several
// blocks of k, and threads. Temporary memory holds NaN before each execution. All sums are of small
// integers, so that bf16 is exact too.
#include "amx_tiles.hpp"
#include "reference_run.hpp"

#include "common/descriptors/products/shapes.hpp"
#include "cpu/cpu.hpp"

namespace dnnl::impl {
namespace {

using namespace reference_run;
const needs_avx512 requirements("AMX kernels hold AVX-512 code");

using make_function = planned (*)(problem &);
using arguments = std::initializer_list<passed>;

// As reference_run::run, for the AMX level.
const char *run_amx(
    make_function make, op_desc op, const arguments &passed_ones, const primitive_attr &attr) {
    problem p;
    p.op = std::move(op);
    p.attr = attr;
    p.target = isa::amx;
    const planned made = make(p);
    if (!made.result) return made.why_not;
    std::vector<bound_argument> bound;
    for (const passed &a : passed_ones)
        bound.push_back({a.arg, &a.tensor.md, a.tensor.bytes.data()});
    auto *scratch = static_cast<std::byte *>(allocate_aligned(p.scratchpad.bytes() + 64));
    std::memset(scratch, 0xff, p.scratchpad.bytes());
    made.result->execute(exec_context(bound, scratch));
    free_aligned(scratch);
    return nullptr;
}

buffer filled(data_type type, std::vector<dim_t> dims, unsigned seed,
    dnnl_format_tag_t tag = dnnl_format_tag_undef) {
    dim_t count = 1;
    for (dim_t d : dims) count *= d;
    return buffer(type, std::move(dims), small_integers(count, seed), tag);
}

struct types {
    data_type a, b, dst;
};
constexpr types all_types[] = {{data_type::bf16, data_type::bf16, data_type::f32},
    {data_type::bf16, data_type::bf16, data_type::bf16},
    {data_type::u8, data_type::s8, data_type::u8}, {data_type::s8, data_type::s8, data_type::s32},
    {data_type::u8, data_type::u8, data_type::f32}, {data_type::s8, data_type::u8, data_type::s8}};
bool is_int8(const types &t) { return t.a != data_type::bf16; }

// Runs both; `result` is what they write.
void check_rows(make_function amx, make_function reference, const op_desc &op, buffer &result,
    const arguments &passed_ones, const primitive_attr &attr = {}) {
    const std::vector<std::byte> before = result.bytes;
    const char *refusal = run_amx(amx, op, passed_ones, attr);
    BOOST_TEST(!refusal, (refusal ? refusal : ""));
    const std::vector<std::byte> found = result.bytes;
    result.bytes = before;
    refusal = run(reference, op, passed_ones, attr);
    BOOST_TEST(!refusal, (refusal ? refusal : ""));
    BOOST_TEST((found == result.bytes));
}

quantization one_value(int arg, data_type type) {
    quantization q;
    q.arg = arg;
    q.dtype = type;
    return q;
}

void check_matmul(const types &t, dim_t batch, dim_t M, dim_t N, dim_t K) {
    buffer src = filled(t.a, {batch, M, K}, 1), weights = filled(t.b, {batch, K, N}, 2);
    buffer bias = filled(data_type::f32, {1, 1, N}, 3), dst = filled(t.dst, {batch, M, N}, 4);
    buffer scale(data_type::f32, {1}, {0.25f}), zero_point(data_type::s32, {1}, {3});
    primitive_attr attr;
    BOOST_TEST_CONTEXT("plain, batch " << batch << " M " << M << " N " << N << " K " << K)
    check_rows(cpu::make_gemm_matmul, ref::make_matmul,
        matmul_desc {src.md, weights.md, {}, dst.md}, dst,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    attr.scales.set(one_value(DNNL_ARG_WEIGHTS, data_type::f32));
    if (is_int8(t)) attr.zero_points.set(one_value(DNNL_ARG_SRC, data_type::s32));
    attr.post_ops.entries = {
        sum_post_op {0.5f, 0, data_type::undef}, eltwise_post_op {dnnl_eltwise_relu, 0, 0}};
    BOOST_TEST_CONTEXT("attributes, batch " << batch << " M " << M << " N " << N << " K " << K)
    check_rows(cpu::make_gemm_matmul, ref::make_matmul,
        matmul_desc {src.md, weights.md, bias.md, dst.md}, dst,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias},
            {DNNL_ARG_DST, dst}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scale},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, zero_point}},
        attr);
}

struct image {
    dim_t G, IC, OC, size, kernel, stride, padding; // channels per group
};
convolution_desc convolution(
    dnnl_prop_kind_t prop, const image &i, const buffer &s, const buffer &w, const buffer &d) {
    const dim_t strides[] = {i.stride, i.stride}, dilates[] = {0, 0};
    const dim_t padding[] = {i.padding, i.padding};
    return make_convolution_desc(prop, dnnl_convolution_direct, {&s.md, &w.md, nullptr, &d.md},
        {strides, dilates, padding, padding});
}

} // namespace

BOOST_AUTO_TEST_CASE(matmul) {
    const amx_tiles tiles;
    for (const types &t : all_types) {
        for (dim_t M : {1, 33, 70})
            for (dim_t K : {3, 64, 100}) check_matmul(t, 1, M, 37, K);
        check_matmul(t, 3, 40, 70, 50);
        check_matmul(t, 2, 130, 300, 20);
        check_matmul(t, 1, 20, 40, 5000); // several KC
    }
    if (tiles.emulated()) BOOST_TEST(tiles.counts().products > 0);
}

BOOST_AUTO_TEST_CASE(convolution_forward_and_backward) {
    const amx_tiles tiles;
    for (const image &i : {image {1, 3, 20, 9, 3, 1, 1}, image {2, 5, 40, 8, 3, 2, 0},
             image {1, 16, 33, 7, 1, 1, 0}, image {1, 70, 3, 6, 5, 1, 2}})
        for (const types &t : all_types) {
            const dim_t out = (i.size + 2 * i.padding - i.kernel) / i.stride + 1;
            buffer src = filled(t.a, {2, i.G * i.IC, i.size, i.size}, 1, dnnl_nhwc);
            buffer weights = filled(t.b, {i.G, i.OC, i.IC, i.kernel, i.kernel}, 2);
            buffer dst = filled(t.dst, {2, i.G * i.OC, out, out}, 3, dnnl_nhwc);
            BOOST_TEST_CONTEXT("IC " << i.IC << " OC " << i.OC << " " << name_of(t.a))
            check_rows(cpu::make_gemm_convolution, ref::make_convolution,
                convolution(dnnl_forward_inference, i, src, weights, dst), dst,
                {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
            if (t.dst != data_type::bf16) continue;
            BOOST_TEST_CONTEXT("backward data")
            check_rows(cpu::make_gemm_convolution, ref::make_convolution,
                convolution(dnnl_backward_data, i, src, weights, dst), src,
                {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DIFF_SRC, src}});
            BOOST_TEST_CONTEXT("backward weights")
            check_rows(cpu::make_gemm_convolution_weights, ref::make_convolution,
                convolution(dnnl_backward_weights, i, src, weights, dst), weights,
                {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, weights}});
        }
    if (tiles.emulated()) BOOST_TEST(tiles.counts().products > 0);
}

} // namespace dnnl::impl
