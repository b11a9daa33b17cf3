// SPDX-License-Identifier: Apache-2.0
// Weights of prelu post-ops lie as the memory that is passed does: channels last as clients pass
// them, row-major, with gaps and an offset, every mask, in every row.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"

using dnnl::memory;
using dnnl::primitive_attr;
using dims = memory::dims;
using tag = memory::format_tag;
using data_type = memory::data_type;

namespace {

using api_tests::cpu;
memory::dim product(const dims &extents) {
    memory::dim count = 1;
    for (memory::dim extent : extents) count *= extent;
    return count;
}
/// Offset of the index-th element of a plain descriptor, row-major over its dims.
memory::dim offset_of(const memory::desc &md, memory::dim index) {
    const dims extents = md.get_dims(), strides = md.get_strides();
    memory::dim offset = md.get_submemory_offset();
    for (std::size_t d = extents.size(); d-- > 0;) {
        offset += index % extents[d] * strides[d];
        index /= extents[d];
    }
    return offset;
}

constexpr float poison = 12345;

/// A tensor whose index-th element is value(index); the gaps are poisoned.
memory filled(const memory::desc &md, memory::dim buffer_size,
    const std::function<float(memory::dim)> &value) {
    memory made({{buffer_size}, data_type::f32, tag::a}, cpu());
    auto *data = static_cast<float *>(made.get_data_handle());
    std::fill_n(data, buffer_size, poison);
    for (memory::dim i = 0; i < product(md.get_dims()); ++i) data[offset_of(md, i)] = value(i);
    return made;
}

float source(memory::dim i) { return static_cast<float>(i * 7 % 11) - 5; }
float slope(memory::dim i) { return 0.25f + static_cast<float>(i % 13) / 4; }

/// The layouts of weights of up to 5 dimensions, the dims that each has in the buffer.
tag channels_last(std::size_t ndims) {
    const tag tags[] = {tag::a, tag::ab, tag::acb, tag::acdb, tag::acdeb};
    return tags[ndims - 1];
}
tag row_major(std::size_t ndims) {
    const tag tags[] = {tag::a, tag::ab, tag::abc, tag::abcd, tag::abcde};
    return tags[ndims - 1];
}
struct placed {
    const char *name;
    memory::desc view, buffer;
};
std::vector<placed> layouts_of(const dims &extents) {
    const memory::desc last(extents, data_type::f32, channels_last(extents.size()));
    const memory::desc first(extents, data_type::f32, row_major(extents.size()));
    dims larger = extents, offsets(extents.size(), 1), reversed(extents.size());
    for (memory::dim &extent : larger) extent += 2;
    memory::dim stride = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) { // the first dimension is the densest
        reversed[d] = stride;
        stride *= extents[d];
    }
    const memory::desc parent(larger, data_type::f32, channels_last(extents.size()));
    const memory::desc columns(extents, data_type::f32, reversed);
    return {{"channels last", last, last}, {"row-major", first, first},
        {"reversed", columns, columns},
        {"region", parent.submemory_desc(extents, offsets), parent}};
}

/// An operation without post-ops gives the accumulators; prelu is applied to them by hand.
struct operation {
    const char *name;
    dims dst;
    std::unordered_map<int, memory::desc> inputs;
    memory::desc dst_md;
    std::function<dnnl::primitive_desc_base(const primitive_attr &)> create;
};

std::vector<float> run(const operation &op, const dnnl::primitive_desc_base &pd,
    const std::unordered_map<int, memory> &slopes) {
    dnnl::stream stream(cpu());
    std::unordered_map<int, memory> args = slopes;
    for (const auto &input : op.inputs)
        args[input.first] = filled(input.second, product(input.second.get_dims()), source);
    const memory dst(op.dst_md, cpu());
    args[DNNL_ARG_DST] = dst;
    const memory::desc scratchpad = pd.scratchpad_desc();
    if (!scratchpad.is_zero()) args[DNNL_ARG_SCRATCHPAD] = memory(scratchpad, cpu());
    dnnl::primitive(pd.get()).execute(stream, args);
    std::vector<float> values;
    const auto *data = static_cast<const float *>(dst.get_data_handle());
    for (memory::dim i = 0; i < product(op.dst); ++i)
        values.push_back(data[offset_of(op.dst_md, i)]);
    return values;
}

/// Position of the index-th element of dst in weights with these extents, row-major.
memory::dim weight_index(const dims &dst, const dims &weights, memory::dim index) {
    memory::dim result = 0, stride = 1;
    for (std::size_t d = dst.size(); d-- > 0;) {
        if (weights[d] != 1) result += index % dst[d] * stride;
        stride *= weights[d];
        index /= dst[d];
    }
    return result;
}

void check(const operation &op, int mask, dnnl::scratchpad_mode mode) {
    dims extents = op.dst;
    for (std::size_t d = 0; d < extents.size(); ++d)
        if (!(mask >> d & 1)) extents[d] = 1;
    std::vector<float> expected = run(op, op.create({}), {});
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (expected[i] < 0)
            expected[i] *= slope(weight_index(op.dst, extents, static_cast<memory::dim>(i)));
    dnnl::post_ops ops;
    ops.append_prelu(mask);
    primitive_attr attr;
    attr.set_post_ops(ops);
    attr.set_scratchpad_mode(mode);
    for (const placed &layout : layouts_of(extents)) {
        const memory::dim size = static_cast<memory::dim>(layout.buffer.get_size() / sizeof(float));
        const memory buffer = filled(layout.view, size, slope);
        const memory weights(layout.view, cpu(), buffer.get_data_handle());
        dnnl::primitive_desc_base pd = op.create(attr);
        do {
            const auto got =
                run(op, pd, {{DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_WEIGHTS, weights}});
            int wrong = 0;
            for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
            BOOST_TEST(wrong == 0, op.name << " " << pd.impl_info_str() << ", mask " << mask << ", "
                                           << layout.name << ": " << wrong << " of " << got.size()
                                           << " differ");
        } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    }
}

void check_masks(const operation &op, const std::vector<int> &masks) {
    for (int mask : masks)
        for (const auto mode : {dnnl::scratchpad_mode::library, dnnl::scratchpad_mode::user}) {
            BOOST_TEST_CONTEXT(op.name << ", mask " << mask) { check(op, mask, mode); }
        }
}

operation matmul_of(const dims &src, const dims &weights, const dims &dst) {
    const memory::desc a(src, data_type::f32, row_major(src.size()));
    const memory::desc b(weights, data_type::f32, row_major(src.size()));
    const memory::desc c(dst, data_type::f32, row_major(src.size()));
    return {"matmul", dst, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}}, c,
        [=](const primitive_attr &attr) {
            return dnnl::matmul::primitive_desc(cpu(), a, b, c, attr);
        }};
}

operation convolution_of(const char *name, const dims &src, const dims &weights, const dims &dst,
    bool last, memory::dim padding) {
    const auto layout = last ? channels_last : row_major;
    const memory::desc a(src, data_type::f32, layout(src.size()));
    const memory::desc b(weights, data_type::f32, row_major(weights.size()));
    const memory::desc c(dst, data_type::f32, layout(dst.size()));
    const dims strides(src.size() - 2, 1), border(src.size() - 2, padding);
    return {
        name, dst, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}}, c, [=](const primitive_attr &attr) {
            return dnnl::convolution_forward::primitive_desc(cpu(),
                dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, a, b, c,
                strides, border, border, attr);
        }};
}

} // namespace

BOOST_AUTO_TEST_CASE(matrices) {
    check_masks(matmul_of({5, 7}, {7, 19}, {5, 19}), {0, 1, 2, 3});
    check_masks(matmul_of({3, 5, 7}, {3, 7, 19}, {3, 5, 19}), {0, 1, 2, 4, 6, 7});
    check_masks(matmul_of({2, 3, 5, 4}, {2, 3, 4, 9}, {2, 3, 5, 9}), {1, 2, 3, 5, 8, 10, 12, 15});
    check_masks(matmul_of({2, 2, 3, 5, 4}, {2, 2, 3, 4, 9}, {2, 2, 3, 5, 9}), {3, 6, 16, 19, 31});
}

BOOST_AUTO_TEST_CASE(images) {
    for (const bool last : {true, false}) {
        check_masks(convolution_of("convolution 1-D", {2, 8, 9}, {12, 8, 3}, {2, 12, 9}, last, 1),
            {0, 2, 4, 6, 7});
        check_masks(
            convolution_of("convolution", {2, 8, 4, 5}, {12, 8, 3, 3}, {2, 12, 4, 5}, last, 1),
            {0, 1, 2, 3, 4, 6, 12, 14, 15});
        check_masks(
            convolution_of("convolution 1x1", {1, 8, 4, 5}, {12, 8, 1, 1}, {1, 12, 4, 5}, last, 0),
            {2, 8, 14, 15});
        check_masks(convolution_of("convolution 3-D", {2, 4, 3, 4, 2}, {6, 4, 1, 1, 1},
                        {2, 6, 3, 4, 2}, last, 0),
            {2, 6, 30, 31});
        check_masks(convolution_of("depthwise convolution", {2, 16, 4, 5}, {16, 1, 1, 3, 3},
                        {2, 16, 4, 5}, last, 1),
            {2, 14, 15});
    }
}

BOOST_AUTO_TEST_CASE(products_by_other_primitives) {
    const memory::desc src({5, 7}, data_type::f32, tag::ab),
        weights({19, 7}, data_type::f32, tag::ab);
    const memory::desc dst({5, 19}, data_type::f32, tag::ab);
    check_masks({"inner product", {5, 19}, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}}, dst,
                    [=](const primitive_attr &attr) {
                        return dnnl::inner_product_forward::primitive_desc(
                            cpu(), dnnl::prop_kind::forward_inference, src, weights, dst, attr);
                    }},
        {0, 1, 2, 3});
    const memory::desc image({2, 8, 4, 5}, data_type::f32, tag::acdb);
    const memory::desc taps({12, 8, 2, 2}, data_type::f32, tag::abcd);
    const memory::desc larger({2, 12, 8, 10}, data_type::f32, tag::acdb);
    check_masks(
        {"deconvolution", {2, 12, 8, 10}, {{DNNL_ARG_SRC, image}, {DNNL_ARG_WEIGHTS, taps}}, larger,
            [=](const primitive_attr &attr) {
                return dnnl::deconvolution_forward::primitive_desc(cpu(),
                    dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct,
                    image, taps, larger, {2, 2}, {0, 0}, {0, 0}, attr);
            }},
        {2, 12, 14, 15});
}

// By hand: dst [1, 2, 2] of -1, slopes [2, 2] over channel c and position x; the value is
// -(slope at (c, x)), whichever way the slopes lie.
BOOST_AUTO_TEST_CASE(by_hand) {
    const memory::desc src({1, 1, 2}, data_type::f32, tag::abc);
    const memory::desc weights({2, 1, 1}, data_type::f32, tag::abc);
    const memory::desc dst({1, 2, 2}, data_type::f32, tag::abc);
    dnnl::post_ops ops;
    ops.append_prelu(6);
    primitive_attr attr;
    attr.set_post_ops(ops);
    dnnl::convolution_forward::primitive_desc pd(cpu(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, src, weights, dst, {1}, {0}, {0}, attr);
    float ones[] = {1, 1}, minus[] = {-1, -1};
    do {
        // slopes (c, x): (0,0) 2, (0,1) 3, (1,0) 5, (1,1) 7
        float last[] = {2, 5, 3, 7}, first[] = {2, 3, 5, 7};
        const memory::desc acb({1, 2, 2}, data_type::f32, tag::acb), abc = dst;
        for (const memory &slopes : {memory(acb, cpu(), last), memory(abc, cpu(), first)}) {
            float results[4] = {};
            dnnl::stream stream(cpu());
            dnnl::convolution_forward(pd).execute(
                stream, {{DNNL_ARG_SRC, memory(src, cpu(), ones)},
                            {DNNL_ARG_WEIGHTS, memory(weights, cpu(), minus)},
                            {DNNL_ARG_DST, memory(dst, cpu(), results)},
                            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_WEIGHTS, slopes}});
            const std::vector<float> got(results, results + 4), want = {-2, -3, -5, -7};
            BOOST_TEST(got == want, boost::test_tools::per_element());
        }
    } while (pd.next_impl());
}

BOOST_AUTO_TEST_CASE(other_shapes_are_refused) {
    const operation op = matmul_of({3, 5, 7}, {3, 7, 19}, {3, 5, 19});
    dnnl::post_ops ops;
    ops.append_prelu(6);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_WEIGHTS;
    const auto refused = [&](const memory::desc &md, const std::string &text) {
        try {
            run(op, op.create(attr), {{arg, memory(md, cpu())}});
            BOOST_ERROR("accepted, expected: " << text);
        } catch (const dnnl::error &e) {
            const std::string reason = e.what();
            BOOST_TEST(e.status == dnnl_invalid_arguments);
            BOOST_TEST(reason.find(text) != std::string::npos, reason << " lacks " << text);
        }
    };
    refused({{1, 19, 5}, data_type::f32, tag::abc},
        "its memory is f32 abc 1x19x5, expected f32 1x5x19 in a plain layout");
    refused({{95}, data_type::f32, tag::a}, "its memory is f32 a 95, expected f32 1x5x19");
    refused({{0}, data_type::f32, tag::a}, "its memory is f32 a 0, expected f32 1x5x19");
    refused({{1, 5, 19}, data_type::bf16, tag::abc}, "its memory is bf16 abc 1x5x19");
    refused({{1, 5, 19}, data_type::f32, tag::aBc16b}, "its memory is f32 aBc16b 1x5x19");
}
