// SPDX-License-Identifier: Apache-2.0
// The case language: parsing, printing, deduction, errors; placement of elements; guard pages.
#include "execution/guarded_buffer.hpp"
#include "execution/interpreter.hpp"
#include "language/attributes.hpp"
#include "language/spatial.hpp"
#include "language/tags.hpp"
#include "language/usage_error.hpp"
#include "oracle/tensor.hpp"

#include <boost/test/unit_test.hpp>

using namespace conformance;

namespace {

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    interpreter language(
        [&](const test_case &c, const run_options &) { lines.push_back(c.line()); }, {});
    language.run(batch_tokens(text));
    return lines;
}

std::string line_of(const std::string &text) {
    const auto lines = lines_of(text);
    BOOST_REQUIRE_EQUAL(lines.size(), 1u);
    return lines[0];
}

} // namespace

BOOST_AUTO_TEST_SUITE(grammar)

BOOST_AUTO_TEST_CASE(printed_lines_read_back) {
    for (const char *text :
        {"--conv --dir=FWD_B --stag=axb --dtag=axb g4mb3ic32ih14oc64oh14kh3ph1",
            "--conv --dt=u8:s8:s8 --attr-scales=src:common:0.5+wei:per_oc "
            "--attr-post-ops=relu+sum:0.25 ic24iw30oc40kw5_sw2_n\"w1\"",
            "--ip --dt=f16:f16:f32 --attr-post-ops=gelu_tanh+add:f32:per_oc mb4ic12ih3oc40_n\"fc\"",
            "--matmul --bia-dt=f32 --bia_mask=3 --attr-post-ops=tanh 33x20:20x7",
            "--pool --alg=avg_np --tag=axb mb3ic11ih20kh3sh2ph1",
            "--softmax --axis=2 --stag=axb 4x19x6",
            "--eltwise --alg=clip_v2 --alpha=-1 --beta=2 3x4x5",
            "--binary --sdt=u8:s8 --ddt=f32 --attr-scales=src:common:0.25+src1:common:2 6x40:6",
            "--matmul --attr-post-ops=select:f32+select:s8.per_oc:3+select:f32.common.ba 3x4:4x5",
            "--matmul --attr-post-ops=select:bf16.3.ab:per_tensor.ba+prelu:3 3x4:4x5",
            "--eltwise --attr-post-ops=add:f32:3:any:8x1 3x4",
            "--matmul --dt=u8:s8:f32 --attr-scales=src:host_scalar:0.5:bf16+wei:2:f16+dst:mx "
            "--attr-zero-points=src:host_scalar:3+wei:3:s8:8x1 "
            "--attr-precomputed-reductions=src:per_tensor:s32:1x8 3x16:16x64",
            "--matmul --attr-scales=dst:dynamic_fp:f8_e4m3:1x32 3x4:4x64",
            "--matmul --attr-dropout=0.5:1:undef:7:true 3x4:4x5",
            "--binary --strides=8x1::1x3 --alg=SELECT 3x4:1x4:3x1",
            "--reorder --strides=20x1:1x8 8x10", "--sum --sdt=f32:f32:f32 --scales=0.5:2:1 3x7x4",
            "--concat --sdt=s8 --ddt=s8 --dtag=axb "
            "--attr-scales=msrc0:common:2+msrc1:common:0.5 1x8x4x4:1x24x4x4"}) {
        const std::string once = line_of(text);
        BOOST_CHECK_EQUAL(line_of(once), once);
    }
    BOOST_CHECK_EQUAL(
        line_of("--matmul --attr-post-ops=binary_select:f32.common.any:common+prelu:2 3x4:4x5"),
        "--matmul --attr-post-ops=select:f32+prelu:2 3x4:4x5");
    BOOST_CHECK_EQUAL(line_of("--matmul --attr-scales=dst:mx:e8m0:1x32 3x4:4x64"),
        "--matmul --attr-scales=dst:mx 3x4:4x64");
    BOOST_CHECK_EQUAL(line_of("--matmul --attr-scales=src:0:1:f16+dst:HOST_SCALAR:1:f32 3x4:4x5"),
        "--matmul --attr-scales=src:common:1:f16+dst:host_scalar 3x4:4x5");
    BOOST_CHECK_EQUAL(line_of("--matmul --dt=f32:f32:f32 --stag=any --attr-post-ops=sum:1 3x4:4x5"),
        "--matmul --attr-post-ops=sum 3x4:4x5");
}

BOOST_AUTO_TEST_CASE(lists_multiply_first_knob_slowest) {
    const auto lines = lines_of("--eltwise --dt=f32,bf16 --tag=abx,axb 2x3");
    BOOST_REQUIRE_EQUAL(lines.size(), 4u);
    BOOST_CHECK(lines[1].find("--tag=axb") != std::string::npos);
    BOOST_CHECK(lines[1].find("bf16") == std::string::npos);
    BOOST_CHECK_EQUAL(lines_of("--eltwise --attr-post-ops=,relu --attr-post-ops= 2x3").size(), 1u);
    BOOST_CHECK_EQUAL(lines_of("--matmul --attr-post-ops=,relu 2x3:3x2").size(), 2u);
}

BOOST_AUTO_TEST_CASE(options_do_not_reach_back_and_reset_clears) {
    const auto lines = lines_of("--softmax --axis=0 2x3 --axis=1 2x3 --reset 4x5");
    BOOST_CHECK_EQUAL(lines[0], "--softmax --axis=0 2x3");
    BOOST_CHECK_EQUAL(lines[1], "--softmax 2x3");
    BOOST_CHECK_EQUAL(lines[2], "--softmax 4x5");
}

BOOST_AUTO_TEST_CASE(batch_comments_and_glue) {
    const auto tokens = batch_tokens("a # comment\nb\\\n c\nd \\\ne");
    const std::vector<std::string> wanted = {"a", "bc", "de"};
    BOOST_CHECK_EQUAL_COLLECTIONS(tokens.begin(), tokens.end(), wanted.begin(), wanted.end());
}

BOOST_AUTO_TEST_CASE(what_is_unknown_is_an_error) {
    for (const char *text : {"--matmul --attr-post-ops=select 2x3:3x2",
             "--matmul --attr-post-ops=select:f32.1.ab.2 2x3:3x2",
             "--matmul --attr-post-ops=select:f32:1:ab 2x3:3x2",
             "--matmul --attr-post-ops=prelu:-1 2x3:3x2",
             "--matmul --attr-post-ops=add:f32:1:ab:3x1:2 2x3:3x2",
             "--binary --strides=3x1: 2x3:2x3", "--matmul --colour=red 2x3:3x2",
             "--matmul --dt=f33 2x3:3x2", "2x3", "--conv mb1ic3oc4", "--conv mb1ic3ih5oc4kh3zz1",
             "--pool --alg=median ic3ih5kh3", "--matmul --mode=X 2x3:3x2",
             "--matmul --mode-modifier=Q 2x3:3x2", "--matmul --stag=aab 2x3:3x2",
             "--matmul --attr-post-ops=relu: 2x3:3x2",
             "--matmul --attr-scales=src:common:-1 2x3:3x2",
             "--matmul --attr-zero-points=src:common:0.5 2x3:3x2",
             "--matmul --attr-scales=src:mx 2x3:3x2", "--matmul --attr-zero-points=dst:mx 2x3:3x2",
             "--matmul --attr-scales=src:-1 2x3:3x2", "--matmul --attr-scales=src: 2x3:3x2",
             "--matmul --attr-scales=src:host_scalar:1:f32:1x2 2x3:3x2",
             "--matmul --attr-precomputed-reductions=src:per_tensor 2x3:3x2", "--eltwise 2x03",
             "-x"})
        BOOST_CHECK_THROW(lines_of(text), usage_error);
}

BOOST_AUTO_TEST_CASE(deduction_of_sizes) {
    using enum window_kind;
    const std::string keys = find_driver("conv")->keys;
    const auto cube = window_problem_of(descriptor_of("mb1ic8id5oc8kd3pd1", keys), convolution);
    BOOST_REQUIRE_EQUAL(cube.spatial.size(), 3u);
    BOOST_CHECK_EQUAL(cube.spatial[2].out, 5);
    BOOST_CHECK_EQUAL(cube.G, 1);
    const auto padded = window_problem_of(descriptor_of("ic3ih7oc4oh7kh3", keys), convolution);
    BOOST_CHECK_EQUAL(padded.spatial[0].pad_left, 1);
    BOOST_CHECK_EQUAL(padded.MB, 2);
    const auto dilated = window_problem_of(descriptor_of("ic3iw9oc4kw3dw1sw2", keys), convolution);
    BOOST_CHECK_EQUAL(dilated.spatial[0].out, 3);
    BOOST_CHECK_EQUAL(dilated.spatial[0].pad_right, 0);
    const auto transposed =
        window_problem_of(descriptor_of("ic20ih7oc12kh4sh2ph1", keys), deconvolution);
    BOOST_CHECK_EQUAL(transposed.spatial[0].out, 14);
    BOOST_CHECK_EQUAL(transposed.spatial[1].pad_right, 1);
    const auto cropped =
        window_problem_of(descriptor_of("ic3iw4oc2ow8kw3sw2", keys), deconvolution);
    BOOST_CHECK_EQUAL(cropped.spatial[0].pad_left, 0);
    BOOST_CHECK_EQUAL(cropped.spatial[0].pad_right, 1);
    const auto longer =
        window_problem_of(descriptor_of("ic3iw4oc2ow9kw2sw2pw0", keys), deconvolution);
    BOOST_CHECK_EQUAL(longer.spatial[0].pad_right, -1);
}

BOOST_AUTO_TEST_CASE(tags_bind_to_dimensions) {
    BOOST_CHECK_EQUAL(bound_tag("axb", 4), "acdb");
    BOOST_CHECK_EQUAL(bound_tag("axb", 1), "a");
    BOOST_CHECK_EQUAL(bound_tag("xba", 3), "cba");
    BOOST_CHECK_EQUAL(bound_tag("aBx16b", 2), "aB16b");
    BOOST_CHECK_EQUAL(bound_tag("aBx16b", 5), "aBcde16b");
    BOOST_CHECK_EQUAL(bound_tag("ABx16a16b", 1), "A16a");
    BOOST_CHECK_EQUAL(bound_tag("abxc", 4), "abdc");
    BOOST_CHECK_EQUAL(bound_tag("nhwc", 4), "acdb");
    BOOST_CHECK_EQUAL(bound_tag("hwio", 4), "cdba");
    BOOST_CHECK_EQUAL(bound_tag("OIhw16i16o", 4), "ABcd16b16a");
    BOOST_CHECK_EQUAL(bound_tag("ldgoi", 5), "abdec");
    BOOST_CHECK_EQUAL(bound_tag("nt", 2), "ba");
}

BOOST_AUTO_TEST_CASE(masks_of_policies) {
    BOOST_CHECK_EQUAL(mask_of("per_oc", "conv", "wei", 5, true), 3);
    BOOST_CHECK_EQUAL(mask_of("per_oc", "conv", "wei", 4, false), 1);
    BOOST_CHECK_EQUAL(mask_of("per_ocic", "matmul", "wei", 3, false), 6);
    BOOST_CHECK_EQUAL(mask_of("per_oc", "matmul", "wei", 2, false), 2);
    BOOST_CHECK_EQUAL(mask_of("per_dim_01", "reorder", "src", 4, false), 3);
    BOOST_CHECK_THROW(mask_of("per_tensor", "conv", "wei", 4, false), usage_error);
    BOOST_CHECK_THROW(mask_of("per_dim_0", "matmul", "src", 2, false), usage_error);
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(placement_of_elements)

BOOST_AUTO_TEST_CASE(blocked_layouts_and_their_padding) {
    const memory::desc md({2, 3, 1, 2}, data_type::f32, memory::format_tag::aBcd8b);
    const layout placed(md);
    BOOST_REQUIRE(placed.is_known());
    BOOST_CHECK_EQUAL(placed.bytes(), 2u * 8 * 2 * 4);
    BOOST_CHECK_EQUAL(placed.offset({1, 2, 0, 1}), 16 + 8 + 2);
    tensor values({2, 3, 1, 2}, data_type::f32);
    for (std::size_t i = 0; i < values.values.size(); ++i) values.values[i] = double(i + 1);
    auto bytes = placed.pack(values, 0xff);
    BOOST_CHECK(placed.unpack(bytes.data()).values == values.values);
    BOOST_CHECK(placed.damage_outside(bytes.data(), 0xff).empty());
    bytes[3 * 4] = 1; // first padding element
    BOOST_CHECK(!placed.damage_outside(bytes.data(), 0xff).empty());
}

BOOST_AUTO_TEST_CASE(gaps_of_strides_are_watched) {
    const layout placed(memory::desc({2, 3}, data_type::s8, dims {5, 1}));
    tensor values({2, 3}, data_type::s8);
    auto bytes = placed.pack(values, 0xa5);
    BOOST_CHECK_EQUAL(bytes[3], 0xa5);
    BOOST_CHECK(placed.damage_outside(bytes.data(), 0xa5).empty());
    bytes[4] = 0;
    BOOST_CHECK(!placed.damage_outside(bytes.data(), 0xa5).empty());
}

BOOST_AUTO_TEST_CASE(guard_pages_stop_both_ends) {
    guarded_buffer buffer;
    std::string what;
    volatile std::uint8_t sink = 0;
    buffer.fill(std::vector<std::uint8_t>(10, 1), placement::end);
    BOOST_CHECK(runs_inside_memory([&] { sink = buffer.data()[9]; }, "", what));
    BOOST_CHECK(!runs_inside_memory([&] { sink = buffer.data()[10]; }, "", what));
    buffer.fill(std::vector<std::uint8_t>(10, 1), placement::begin);
    BOOST_CHECK(!runs_inside_memory([&] { sink = *(buffer.data() - 1); }, "", what));
    BOOST_CHECK(buffer.rest_is_untouched());
    buffer.data()[10] = 0;
    BOOST_CHECK(!buffer.rest_is_untouched());
}

BOOST_AUTO_TEST_SUITE_END()
