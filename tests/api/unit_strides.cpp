// SPDX-License-Identifier: Apache-2.0
// Strides of dimensions of extent 1 mean nothing, and views lie anywhere in their parent: results
// are those of plain tensors, by every implementation, and no byte beside the view is written.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"

namespace {

using api_tests::cpu;
using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;
using dims = memory::dims;

memory with_values(const memory::desc &md, std::vector<float> values) {
    memory made(md, cpu());
    std::copy(values.begin(), values.end(), static_cast<float *>(made.get_data_handle()));
    return made;
}

std::vector<float> numbered(std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0.f);
    return values;
}

std::vector<float> plain_values(const memory &from, const dims &extents, tag order) {
    const memory::desc md(extents, type::f32, order);
    memory to(md, cpu());
    dnnl::stream stream(cpu());
    dnnl::reorder(from, to).execute(stream, const_cast<memory &>(from), to);
    stream.wait();
    const float *first = static_cast<const float *>(to.get_data_handle());
    return {first, first + md.get_size() / sizeof(float)};
}

dnnl::inner_product_forward::primitive_desc hint(
    const memory::desc &src, const memory::desc &weights, const memory::desc &dst) {
    return {cpu(), dnnl::prop_kind::forward_training, src, weights, dst};
}

} // namespace

// An image of two rows of two pixels with three adjacent channels; N may have any stride.
BOOST_AUTO_TEST_CASE(gradients_of_inner_product_with_one_image) {
    const memory::desc weights({2, 3, 2, 2}, type::f32, tag::nchw), dst({1, 2}, type::f32, tag::nc);
    for (const std::int64_t n_stride : {1, 2, 3, 12, 1000}) {
        const memory::desc src({1, 3, 2, 2}, type::f32, {n_stride, 1, 6, 3});
        dnnl::stream stream(cpu());
        dnnl::inner_product_backward_data::primitive_desc pd(
            cpu(), src, weights, dst, hint(src, weights, dst));
        do {
            const memory diff_src = with_values(pd.diff_src_desc(), std::vector<float>(12, -1.f));
            dnnl::inner_product_backward_data(pd).execute(
                stream, {{DNNL_ARG_DIFF_DST, with_values(dst, {1, 100})},
                            {DNNL_ARG_WEIGHTS, with_values(weights, numbered(24))},
                            {DNNL_ARG_DIFF_SRC, diff_src}});
            stream.wait();
            const auto got = plain_values(diff_src, {1, 3, 2, 2}, tag::nchw);
            for (std::size_t i = 0; i < 12; ++i)
                BOOST_TEST(got[i] == 1200.f + 101.f * static_cast<float>(i),
                    pd.impl_info_str() << ", N's stride " << n_stride << ", element " << i);
        } while (pd.next_impl());

        const memory::desc any({2, 3, 2, 2}, type::f32, tag::any);
        dnnl::inner_product_backward_weights::primitive_desc of_weights(
            cpu(), src, any, dst, hint(src, any, dst));
        do {
            const memory diff_weights(of_weights.diff_weights_desc(), cpu());
            dnnl::inner_product_backward_weights(of_weights)
                .execute(stream, {{DNNL_ARG_DIFF_DST, with_values(dst, {1, 100})},
                                     {DNNL_ARG_SRC, with_values(src, numbered(12))},
                                     {DNNL_ARG_DIFF_WEIGHTS, diff_weights}});
            stream.wait();
            const auto got = plain_values(diff_weights, {2, 3, 2, 2}, tag::nchw);
            for (int i = 0; i < 24; ++i) {
                const int c = i / 4 % 3, pixel = i % 4; // element pixel * 3 + c of src
                const int right = (i < 12 ? 1 : 100) * (pixel * 3 + c);
                BOOST_TEST(got[static_cast<std::size_t>(i)] == static_cast<float>(right),
                    of_weights.impl_info_str() << ", N's stride " << n_stride << ", " << i);
            }
        } while (of_weights.next_impl());
    }
}

// The sum of the input channels of each pixel, then of its neighbours above, below and beside it.
BOOST_AUTO_TEST_CASE(fused_depthwise_into_a_submemory) {
    const dims extents {1, 8, 4, 4};
    const memory::desc parent({2, 8, 4, 4}, type::f32, tag::nchw),
        src(extents, type::f32, tag::nchw), weights({8, 8, 1, 1}, type::f32, tag::oihw);
    const memory::desc part = parent.submemory_desc(extents, {1, 0, 0, 0});
    dnnl::post_ops chain;
    chain.append_dw(type::f32, type::undef, type::f32, 3, 1, 1);
    for (const auto mode : {dnnl::scratchpad_mode::user, dnnl::scratchpad_mode::library}) {
        dnnl::primitive_attr attr;
        attr.set_post_ops(chain);
        attr.set_scratchpad_mode(mode);
        dnnl::convolution_forward::primitive_desc pd(cpu(), dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, src, weights, part, {1, 1}, {0, 0}, {0, 0}, attr);
        do {
            BOOST_TEST((pd.dst_desc() == part), pd.impl_info_str());
            const std::size_t bytes = pd.scratchpad_desc().get_size();
            std::vector<unsigned char> scratchpad(bytes + 1024, 0xa5);
            const memory dst = with_values(parent, std::vector<float>(256, -1.f));
            const int depthwise = DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS;
            const memory::desc taps = pd.query_md(dnnl::query::exec_arg_md, depthwise);
            dnnl::stream stream(cpu());
            dnnl::convolution_forward(pd).execute(stream,
                {{DNNL_ARG_SRC, with_values(src, std::vector<float>(128, 1.f))},
                    {DNNL_ARG_WEIGHTS, with_values(weights, std::vector<float>(64, 1.f))},
                    {depthwise, with_values(taps, std::vector<float>(taps.get_size() / 4, 1.f))},
                    {DNNL_ARG_DST, memory(part, cpu(), dst.get_data_handle())},
                    {DNNL_ARG_SCRATCHPAD, memory(pd.scratchpad_desc(), cpu(), scratchpad.data())}});
            stream.wait();
            const auto *got = static_cast<const float *>(dst.get_data_handle());
            for (int i = 0; i < 256; ++i) {
                const int h = i / 4 % 4, w = i % 4;
                const int taps_in_image = (h % 3 ? 3 : 2) * (w % 3 ? 3 : 2);
                BOOST_TEST(got[i] == (i < 128 ? -1.f : 8.f * static_cast<float>(taps_in_image)),
                    pd.impl_info_str() << ": element " << i);
            }
            for (std::size_t i = bytes; i < scratchpad.size(); ++i)
                BOOST_REQUIRE(scratchpad[i] == 0xa5);
        } while (pd.next_impl());
    }
}
