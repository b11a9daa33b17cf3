// SPDX-License-Identifier: Apache-2.0
// What a user reads after a mistake: the beginning of the message, which says what can be mended,
// word for word, alike on every processor; and that doc/errors.md quotes the library literally.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "cpu.hpp"
#include "refused_calls.hpp"

using namespace dnnl;
using namespace api_tests;

namespace {

void check(const std::function<void()> &call, dnnl_status_t status, const std::string &beginning) {
    const answer a = answer_to(call);
    BOOST_TEST(a.status == status);
    BOOST_TEST(a.message.substr(0, beginning.size()) == beginning);
}

void activate(const memory::dims &addend) {
    post_ops ops;
    ops.append_binary(algorithm::binary_add, plain(addend));
    primitive_attr attr;
    attr.set_post_ops(ops);
    const md image = plain({2, 16, 3, 3});
    eltwise_forward::primitive_desc(
        cpu(), prop_kind::forward_inference, algorithm::eltwise_relu, image, image, 0.f, 0.f, attr);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_mismatch_shows_all_descriptors) {
    check(
        [] {
            multiply(plain({2, 64}), plain({30, 32}), plain({2, 32}));
        },
        dnnl_invalid_arguments,
        "no primitive descriptor: matmul: weights: K differs from src's (src f32 ab 2x64, weights "
        "f32 ab 30x32, dst f32 ab 2x32)");
    check(
        [] {
            eltwise_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::eltwise_relu, md({64, 32}, dt::f32, tag::ab),
                md({64, 32}, dt::f32, tag::ba), 0.f);
        },
        dnnl_unimplemented,
        "no primitive descriptor: eltwise: dst: its layout differs from src's (src f32 ab 64x32, "
        "dst f32 ba 64x32)");
    check(
        [] {
            convolve(dt::f32, dt::f32, {2, 4, 9, 8});
        },
        dnnl_invalid_arguments,
        "no primitive descriptor: convolution: dst: the spatial extent 9 does not follow from "
        "source, kernel, strides, dilation and padding, which give 8 (src f32 abcd 2x6x8x8, ");
    check(
        [] {
            concat::primitive_desc(cpu(), 1, {plain({2, 16}), plain({3, 16})});
        },
        dnnl_invalid_arguments,
        "no primitive descriptor: concat: src_descs: a dimension beside the axis differs (src0 f32 "
        "ab 2x16, src1 f32 ab 3x16)");
}

BOOST_AUTO_TEST_CASE(numbers_and_arguments_of_attributes_are_told) {
    primitive_attr groups;
    groups.set_scales(DNNL_ARG_WEIGHTS, 3, {30, 1});
    check([&] { multiply(groups); }, dnnl_unimplemented,
        "no primitive descriptor: matmul: scales of DNNL_ARG_WEIGHTS: the group size 30 does not "
        "divide K = 64" +
            products);
    primitive_attr beside;
    beside.set_scales(DNNL_ARG_WEIGHTS, 2, {32, 1});
    check([&] { multiply(beside); }, dnnl_unimplemented,
        "no primitive descriptor: matmul: scales of DNNL_ARG_WEIGHTS: a group of 32 lies along K, "
        "which the mask 2 does not name (bit 0)" +
            products);
    primitive_attr beyond;
    beyond.set_scales_mask(DNNL_ARG_SRC, 8);
    check([&] { multiply(beyond); }, dnnl_invalid_arguments,
        "no primitive descriptor: matmul: scales of DNNL_ARG_SRC: the mask 8 names a dimension "
        "that the tensor lacks, it has 2" +
            products);
    primitive_attr masked;
    masked.set_scales_mask(DNNL_ARG_WEIGHTS, 2);
    check(
        [&] {
            convolve(dt::u8, dt::s8, {2, 4, 8, 8}, masked);
        },
        dnnl_unimplemented,
        "no primitive descriptor: convolution: scales of DNNL_ARG_WEIGHTS: the mask 2 is not "
        "offered for this tensor, only 0, 1 (");
    primitive_attr shifted;
    shifted.set_zero_points_mask(DNNL_ARG_WEIGHTS, 0);
    check([&] { multiply(shifted); }, dnnl_unimplemented,
        "no primitive descriptor: matmul: zero_points of DNNL_ARG_WEIGHTS: they need an integer "
        "tensor" +
            products);
}

BOOST_AUTO_TEST_CASE(the_rank_of_a_post_op_is_asked_for) {
    check([] { activate({16}); }, dnnl_invalid_arguments,
        "no primitive descriptor: eltwise: post_ops: entry 0: src1 of a binary, f32 a 16, has rank "
        "1, it must have dst's rank 4, with extent 1 where it is broadcast (src f32 abcd "
        "2x16x3x3, dst f32 abcd 2x16x3x3)");
    check(
        [] {
            activate({1, 5, 1, 1});
        },
        dnnl_invalid_arguments,
        "no primitive descriptor: eltwise: post_ops: entry 0: src1 of a binary, f32 abcd 1x5x1x1, "
        "is neither 1 nor dst's 16 along dimension 1 (");
    activate({1, 16, 1, 1});
}

BOOST_AUTO_TEST_CASE(the_cure_is_all_that_is_told) {
    const answer a = answer_to([] { multiply(primitive_attr(), dt::s8); });
    BOOST_TEST(a.status == dnnl_unimplemented);
    BOOST_TEST(
        a.message ==
        "no primitive descriptor: matmul: weights are integers beside a float src: call "
        "set_fpmath_mode(mode, true), mode being src's type or any (src f32 ab 2x64, weights "
        "s8 ab 64x32, dst f32 ab 2x32)");
    primitive_attr cured;
    cured.set_fpmath_mode(fpmath_mode::any, true);
    multiply(cured, dt::s8);
}

BOOST_AUTO_TEST_CASE(a_fused_convolution_is_judged_by_its_own_rows) {
    post_ops ops;
    ops.append_dw(dt::s8, dt::f32, dt::f32, 3, 1, 1);
    primitive_attr attr;
    attr.set_post_ops(ops);
    const answer a = answer_to([&] {
        convolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
            algorithm::convolution_direct, plain({2, 6, 8, 8}), plain({4, 6, 1, 1}),
            plain({2, 4, 8, 8}), {1, 1}, {0, 0}, {0, 0}, attr);
    });
    BOOST_TEST(a.status == dnnl_unimplemented);
    BOOST_TEST(a.message ==
               "no primitive descriptor: convolution: the operands must all be f32, bf16, f16 or "
               "f8, or all be s8 or u8 (src f32 abcd 2x6x8x8, weights f32 abcd 4x6x1x1, dst f32 "
               "abcd 2x4x8x8)");
}

BOOST_AUTO_TEST_CASE(a_long_message_is_whole) {
    std::vector<md> sources(63, plain({2, 16}));
    sources.push_back(plain({2, 17}));
    const answer a = answer_to([&] { concat::primitive_desc(cpu(), 0, sources); });
    BOOST_TEST(a.status == dnnl_invalid_arguments);
    const std::string end = ", src63 f32 ab 2x17)";
    BOOST_REQUIRE(a.message.size() > 1024u);
    BOOST_TEST(a.message.substr(a.message.size() - end.size()) == end);
}

BOOST_AUTO_TEST_CASE(an_empty_object_is_named) {
    const matmul none;
    stream s(cpu());
    check([&] { none.execute(s, {}); }, dnnl_invalid_arguments, "the primitive is empty");
    const matmul::primitive_desc no_descriptor;
    check([&] { matmul made(no_descriptor); }, dnnl_invalid_arguments,
        "the primitive descriptor is empty");
    check([] { memory().get_desc(); }, dnnl_invalid_arguments, "the memory is empty");
    check([] { memory(plain({2, 3}), engine()); }, dnnl_invalid_arguments, "the engine is empty");
}

namespace {

/// The paragraphs of the blocks ```text of a document, each on one line.
std::vector<std::string> quotations(const std::string &path) {
    std::ifstream file(path);
    BOOST_REQUIRE(file.is_open());
    std::vector<std::string> found;
    bool inside = false, begins = false;
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, 3, "```") == 0) {
            inside = line == "```text";
            begins = true;
        } else if (inside && line.empty()) {
            begins = true;
        } else if (inside) {
            if (begins)
                found.push_back(line);
            else
                found.back() += ' ' + line;
            begins = false;
        }
    }
    return found;
}

/// What the library says about the mistakes that the document tells of.
std::vector<std::string> sayings() {
    const md src = plain({2, 64}), weights = plain({64, 32}), dst = plain({2, 32});
    primitive_attr groups, scaled;
    groups.set_scales(DNNL_ARG_WEIGHTS, 3, {30, 1});
    scaled.set_scales_mask(DNNL_ARG_WEIGHTS, 0);
    stream s(cpu());
    const auto run = [&](const primitive_attr &attr, const memory &first) {
        matmul(matmul::primitive_desc(cpu(), src, weights, dst, attr))
            .execute(s, {{DNNL_ARG_SRC, first}, {DNNL_ARG_WEIGHTS, memory(weights, cpu())},
                            {DNNL_ARG_DST, memory(dst, cpu())}});
    };
    const std::vector<std::function<void()>> mistakes {[&] {
                                                           multiply(src, plain({30, 32}), dst);
                                                       },
        [&] { multiply(groups); }, [] { activate({16}); },
        [&] { run(primitive_attr(), memory(src, cpu(), nullptr)); },
        [&] { run(scaled, memory(src, cpu())); }, [] { multiply(primitive_attr(), dt::s8); },
        [] {
            softmax_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::softmax_accurate, plain({2, 16}, dt::s32), plain({2, 16}), 1);
        },
        [&] {
            const memory both(plain({2, 16}), cpu());
            shuffle_forward(shuffle_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                                both.get_desc(), both.get_desc(), 1, 4))
                .execute(s, {{DNNL_ARG_SRC, both}, {DNNL_ARG_DST, both}});
        },
        [&] {
            const memory wide(plain({2, 16}), cpu()),
                narrow(plain({2, 16}, dt::bf16), cpu(), wide.get_data_handle());
            softmax_forward(softmax_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                                algorithm::softmax_accurate, wide.get_desc(), narrow.get_desc(), 1))
                .execute(s, {{DNNL_ARG_SRC, wide}, {DNNL_ARG_DST, narrow}});
        }};
    std::vector<std::string> said;
    for (const auto &mistake : mistakes) {
        std::string message = answer_to(mistake).message;
        for (const std::string &prefix :
            {std::string("no primitive descriptor: "), std::string("cannot execute a primitive: ")})
            if (message.compare(0, prefix.size(), prefix) == 0) message.erase(0, prefix.size());
        said.push_back(message);
    }
    return said;
}

/// What processors without AVX2 say alike, whose rows are the references alone.
std::string common_part(const std::string &text) {
    return text.substr(0, text.find("; implementation"));
}

} // namespace

BOOST_AUTO_TEST_CASE(the_document_quotes_the_library) {
    const bool as_documented = get_effective_cpu_isa() >= cpu_isa::avx2;
    std::vector<std::string> quoted = quotations(ERRORS_DOCUMENT), said = sayings();
    if (!as_documented)
        for (auto *list : {&quoted, &said})
            for (std::string &text : *list) text = common_part(text);
    BOOST_TEST(quoted == said, boost::test_tools::per_element());
}
