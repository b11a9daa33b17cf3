// SPDX-License-Identifier: Apache-2.0
// Which primitive accepts which mode, dropout, rounding and depthwise post-op, what descriptors
// answer about them, and what an execution then needs.
#include "dnnl/dnnl.hpp"

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/test/unit_test.hpp>

using dnnl::memory;
using dnnl::primitive_attr;
using dnnl::prop_kind;
using type = memory::data_type;
using tag = memory::format_tag;

namespace {

const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

memory::desc md(const memory::dims &dims, type t = type::f32, tag f = tag::any) {
    static constexpr tag plain[] = {tag::undef, tag::a, tag::ab, tag::abc, tag::abcd, tag::abcde};
    return {dims, t, f == tag::undef ? plain[dims.size()] : f};
}

dnnl::matmul::primitive_desc matmul(const primitive_attr &attr, type src = type::f32,
    type weights = type::f32, type dst = type::f32) {
    return {cpu(), md({3, 4}, src, tag::ab), md({4, 5}, weights, tag::ab), md({3, 5}, dst, tag::ab),
        attr};
}

dnnl::convolution_forward::primitive_desc convolution(const primitive_attr &attr, type src,
    type dst, dnnl::memory::dim kernel = 1, dnnl::memory::dim stride = 1) {
    const auto O = (6 - kernel) / stride + 1;
    return {cpu(), prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        md({2, 3, 6, 6}, src), md({4, 3, kernel, kernel}, src == type::u8 ? type::s8 : src),
        md({2, 4, O, O}, dst), {stride, stride}, {0, 0}, {0, 0}, attr};
}

using creation = std::function<void(const primitive_attr &)>;
/// Every built primitive, on floats.
const std::vector<std::pair<std::string, creation>> &creations() {
    using namespace dnnl;
    const auto x = md({2, 3, 6, 6}, type::f32, tag::nchw);
    static const std::vector<std::pair<std::string, creation>> all = {
        {"matmul", [](const primitive_attr &a) { matmul(a); }},
        {"convolution", [](const primitive_attr &a) { convolution(a, type::f32, type::f32); }},
        {"inner product",
            [](const primitive_attr &a) {
                inner_product_forward::primitive_desc(
                    cpu(), prop_kind::forward_inference, md({3, 4}), md({5, 4}), md({3, 5}), a);
            }},
        {"pooling",
            [x](const primitive_attr &a) {
                pooling_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                    algorithm::pooling_max, x, md({2, 3, 3, 3}), {2, 2}, {2, 2}, {0, 0}, {0, 0},
                    {0, 0}, a);
            }},
        {"eltwise",
            [x](const primitive_attr &a) {
                eltwise_forward::primitive_desc(
                    cpu(), prop_kind::forward_inference, algorithm::eltwise_relu, x, x, 0, 0, a);
            }},
        {"binary",
            [x](const primitive_attr &a) {
                binary::primitive_desc(cpu(), algorithm::binary_add, x, x, x, a);
            }},
        {"softmax",
            [x](const primitive_attr &a) {
                softmax_forward::primitive_desc(
                    cpu(), prop_kind::forward_inference, algorithm::softmax_accurate, x, x, 1, a);
            }},
        {"reorder",
            [x](const primitive_attr &a) { reorder::primitive_desc(cpu(), x, cpu(), x, a); }},
        {"sum",
            [x](const primitive_attr &a) {
                sum::primitive_desc(cpu(), x, {1, 2}, {x, x}, a);
            }},
        {"concat",
            [x](const primitive_attr &a) {
                concat::primitive_desc(cpu(), md({4, 3, 6, 6}, type::f32, tag::nchw), 0, {x, x}, a);
            }},
    };
    return all;
}

/// The status of a call; an error must name `word`.
template <class Call> dnnl_status_t status_of(const Call &call, const std::string &word = "") {
    try {
        call();
    } catch (const dnnl::error &e) {
        BOOST_TEST(
            std::string(e.what()).find(word) != std::string::npos, e.what() << " lacks " << word);
        return e.status;
    }
    return dnnl_success;
}

primitive_attr with_dropout(const memory::desc &mask) {
    primitive_attr attr;
    attr.set_dropout(mask);
    return attr;
}
primitive_attr rounding(int arg) {
    primitive_attr attr;
    attr.set_rounding_mode(arg, dnnl::rounding_mode::stochastic);
    return attr;
}
primitive_attr with_depthwise(
    type dst = type::f32, type weights = type::f32, dnnl::memory::dim stride = 2) {
    dnnl::post_ops chain;
    chain.append_dw(weights, type::f32, dst, 3, stride, 1);
    primitive_attr attr;
    attr.set_post_ops(chain);
    return attr;
}

} // namespace

BOOST_AUTO_TEST_CASE(math_modes_and_determinism_never_fail) {
    for (const auto &[name, create] : creations())
        for (const auto mode : {dnnl::fpmath_mode::strict, dnnl::fpmath_mode::bf16,
                 dnnl::fpmath_mode::f16, dnnl::fpmath_mode::tf32, dnnl::fpmath_mode::any})
            for (const bool integers : {false, true}) {
                primitive_attr attr;
                attr.set_fpmath_mode(mode, integers);
                attr.set_deterministic(integers);
                BOOST_TEST(
                    status_of([&, &create = create] { create(attr); }) == dnnl_success, name);
            }
}

BOOST_AUTO_TEST_CASE(accumulation_modes_are_accepted_where_they_are_the_truth) {
    const auto accumulating = [](dnnl::accumulation_mode mode) {
        primitive_attr attr;
        attr.set_accumulation_mode(mode);
        return attr;
    };
    using dnnl::accumulation_mode;
    for (const auto &[name, create] : creations()) {
        for (const auto mode : {accumulation_mode::strict, accumulation_mode::relaxed,
                 accumulation_mode::any, accumulation_mode::f32})
            BOOST_TEST(
                status_of([&, &create = create] { create(accumulating(mode)); }) == dnnl_success,
                name);
        for (const auto mode : {accumulation_mode::s32, accumulation_mode::f16})
            BOOST_TEST(status_of([&, &create = create] { create(accumulating(mode)); },
                           "accumulation_mode") == dnnl_unimplemented,
                name);
    }
    const auto int8 = [&](accumulation_mode mode) {
        return status_of([&] { matmul(accumulating(mode), type::u8, type::s8, type::s32); });
    };
    for (const auto mode : {accumulation_mode::strict, accumulation_mode::relaxed,
             accumulation_mode::any, accumulation_mode::s32})
        BOOST_TEST(int8(mode) == dnnl_success);
    BOOST_TEST(int8(accumulation_mode::f32) == dnnl_unimplemented);
    BOOST_TEST(int8(accumulation_mode::f16) == dnnl_unimplemented);
}

BOOST_AUTO_TEST_CASE(recurrent_parameters_dropout_and_rounding_name_themselves_when_refused) {
    const memory::desc mask_of_image = md({2, 3, 6, 6}, type::u8);
    for (const auto &[name, create] : creations()) {
        primitive_attr data, weights;
        data.set_rnn_data_qparams(2, 1);
        weights.set_rnn_weights_qparams(0, {0.5f});
        for (const primitive_attr *attr : {&data, &weights})
            BOOST_TEST(status_of([&, &create = create] { create(*attr); }, "rnn_qparams") ==
                           dnnl_unimplemented,
                name);
        const bool rounds = name == "matmul" || name == "convolution";
        const bool masks = name == "eltwise" || name == "softmax";
        const bool drops = name == "matmul" || masks;
        BOOST_TEST(status_of(
                       [&, &create = create] {
                           create(with_dropout(masks ? mask_of_image : md({3, 5}, type::u8)));
                       },
                       "dropout") == (drops ? dnnl_success : dnnl_unimplemented),
            name);
        BOOST_TEST(status_of([&, &create = create] { create(rounding(DNNL_ARG_DST)); },
                       "rounding_mode") == (rounds ? dnnl_success : dnnl_unimplemented),
            name);
        for (const int arg : {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS})
            BOOST_TEST(status_of([&, &create = create] { create(rounding(arg)); },
                           "rounding_mode") == dnnl_unimplemented,
                name);
        BOOST_TEST(status_of([&, &create = create] { create(with_depthwise()); }, "post_ops") ==
                       (name == "convolution" ? dnnl_success : dnnl_unimplemented),
            name);
    }
}

BOOST_AUTO_TEST_CASE(dropout_masks_are_like_dst) {
    const auto masked = [](const memory::desc &mask) {
        return status_of([&] { matmul(with_dropout(mask)); }, "dropout");
    };
    BOOST_TEST(masked(md({3, 5}, type::u8, tag::ab)) == dnnl_success);
    BOOST_TEST(masked(md({3, 5}, type::u8)) == dnnl_success);
    BOOST_TEST(masked(md({3, 5}, type::u8, tag::ba)) == dnnl_unimplemented);
    BOOST_TEST(masked(md({5, 3}, type::u8)) == dnnl_unimplemented);
    BOOST_TEST(masked(md({15}, type::u8)) == dnnl_unimplemented);
    const auto pd = matmul(with_dropout(md({3, 5}, type::u8)));
    BOOST_TEST((pd.query_md(dnnl::query::exec_arg_md, DNNL_ARG_ATTR_DROPOUT_MASK) ==
                md({3, 5}, type::u8, tag::ab)));
}

BOOST_AUTO_TEST_CASE(stochastic_rounding_needs_a_floating_dst) {
    const auto attr = rounding(DNNL_ARG_DST);
    const auto rounded = [&](type src, type weights, type dst) {
        return status_of([&] { matmul(attr, src, weights, dst); }, "rounding_mode");
    };
    BOOST_TEST(rounded(type::u8, type::s8, type::bf16) == dnnl_success);
    BOOST_TEST(rounded(type::u8, type::s8, type::s8) == dnnl_unimplemented);
    BOOST_TEST(rounded(type::f32, type::f32, type::f16) == dnnl_success);
    BOOST_TEST(status_of([&] { convolution(attr, type::u8, type::f32); }, "rounding_mode") ==
               dnnl_unimplemented);
    BOOST_TEST(status_of([&] { convolution(attr, type::bf16, type::bf16); }) == dnnl_success);
}

BOOST_AUTO_TEST_CASE(descriptors_answer_with_the_attributes_they_got) {
    primitive_attr attr = rounding(DNNL_ARG_DST);
    attr.set_dropout(md({3, 5}, type::u8, tag::ab));
    attr.set_fpmath_mode(dnnl::fpmath_mode::bf16, true);
    attr.set_accumulation_mode(dnnl::accumulation_mode::relaxed);
    attr.set_deterministic(true);
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto got = matmul(attr).get_primitive_attr();
    dnnl::fpmath_mode mode;
    bool integers = false;
    got.get_fpmath_mode(mode, integers);
    BOOST_TEST((mode == dnnl::fpmath_mode::bf16 && integers));
    BOOST_TEST((got.get_accumulation_mode() == dnnl::accumulation_mode::relaxed));
    BOOST_TEST(got.get_deterministic());
    BOOST_TEST((got.get_scratchpad_mode() == dnnl::scratchpad_mode::user));
    BOOST_TEST((got.get_rounding_mode(DNNL_ARG_DST) == dnnl::rounding_mode::stochastic));
    memory::desc mask;
    got.get_dropout(mask);
    BOOST_TEST((mask == md({3, 5}, type::u8, tag::ab)));
}

BOOST_AUTO_TEST_CASE(random_arguments_are_checked) {
    primitive_attr attr = rounding(DNNL_ARG_DST);
    attr.set_dropout(md({3, 5}, type::u8));
    const auto pd = matmul(attr);
    dnnl::stream stream(cpu());
    const auto of = [](const memory::desc &d) { return memory(d, cpu()); };
    const std::unordered_map<int, memory> good = {{DNNL_ARG_SRC, of(pd.src_desc())},
        {DNNL_ARG_WEIGHTS, of(pd.weights_desc())}, {DNNL_ARG_DST, of(pd.dst_desc())},
        {DNNL_ARG_ATTR_DROPOUT_MASK, of(md({3, 5}, type::u8, tag::ab))},
        {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, of(md({1}, type::f32, tag::a))},
        {DNNL_ARG_ATTR_DROPOUT_SEED, of(md({1}, type::s32, tag::a))},
        {DNNL_ARG_ATTR_ROUNDING_SEED, of(md({1}, type::s32, tag::a))}};
    const dnnl::matmul primitive(pd);
    const auto run = [&](const std::unordered_map<int, memory> &args, const std::string &word) {
        return status_of([&] { primitive.execute(stream, args); }, word);
    };
    BOOST_TEST(run(good, "") == dnnl_success);
    const std::pair<int, const char *> names[] = {
        {DNNL_ARG_ATTR_DROPOUT_MASK, "DNNL_ARG_ATTR_DROPOUT_MASK"},
        {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, "DNNL_ARG_ATTR_DROPOUT_PROBABILITY"},
        {DNNL_ARG_ATTR_DROPOUT_SEED, "DNNL_ARG_ATTR_DROPOUT_SEED"},
        {DNNL_ARG_ATTR_ROUNDING_SEED, "DNNL_ARG_ATTR_ROUNDING_SEED"}};
    for (const auto &[arg, name] : names) {
        auto missing = good, wrong = good, empty = good;
        missing.erase(arg);
        wrong[arg] = of(md({3, 5}, type::bf16, tag::ab));
        empty[arg] =
            of(md({0}, arg == DNNL_ARG_ATTR_DROPOUT_PROBABILITY ? type::f32 : type::s32, tag::a));
        for (const auto *args : {&missing, &wrong, &empty})
            BOOST_TEST(run(*args, name) == dnnl_invalid_arguments, name);
    }
}

BOOST_AUTO_TEST_CASE(a_depthwise_post_op_changes_dst_and_brings_tensors) {
    const auto pd = convolution(with_depthwise(), type::f32, type::f32);
    BOOST_TEST((pd.dst_desc().get_dims() == memory::dims {2, 4, 3, 3}));
    const auto argument = [&](int arg) {
        return pd.query_md(dnnl::query::exec_arg_md, DNNL_ARG_ATTR_POST_OP_DW | arg);
    };
    BOOST_TEST((argument(DNNL_ARG_WEIGHTS).get_dims() == memory::dims {4, 1, 1, 3, 3}));
    BOOST_TEST((argument(DNNL_ARG_BIAS).get_dims() == memory::dims {4}));
    BOOST_TEST(dnnl_primitive_desc_query_s32(pd.get(), dnnl_query_num_of_inputs_s32, 0) == 4);
    BOOST_TEST(dnnl_primitive_desc_query_s32(pd.get(), dnnl_query_num_of_outputs_s32, 0) == 1);
}

BOOST_AUTO_TEST_CASE(a_depthwise_post_op_is_refused_with_its_reason) {
    const auto refused = [](const primitive_attr &attr, type src, type dst, const char *word,
                             dnnl::memory::dim kernel = 1, dnnl::memory::dim stride = 1) {
        const auto create = [&] { convolution(attr, src, dst, kernel, stride); };
        BOOST_TEST(status_of(create, word) == dnnl_unimplemented, word);
    };
    refused(with_depthwise(), type::f32, type::f32, "kernel of 1x1", 3);
    refused(with_depthwise(), type::f32, type::f32, "stride 1", 1, 2);
    dnnl::post_ops two, sums, slopes;
    for (int i = 0; i < 2; ++i) two.append_dw(type::f32, type::undef, type::f32, 3, 1, 1);
    sums.append_sum();
    sums.append_dw(type::f32, type::undef, type::f32, 3, 1, 1);
    slopes.append_dw(type::f32, type::undef, type::f32, 3, 1, 1);
    slopes.append_prelu(2);
    for (const auto &[chain, word] :
        {std::pair(two, "more than one"), {sums, "beside"}, {slopes, "beside"}}) {
        primitive_attr attr;
        attr.set_post_ops(chain);
        refused(attr, type::f32, type::f32, word);
    }
    auto rounded = with_depthwise();
    rounded.set_rounding_mode(DNNL_ARG_DST, dnnl::rounding_mode::stochastic);
    refused(rounded, type::f32, type::f32, "rounding_mode");
    auto scaled = with_depthwise(type::s8, type::s8);
    scaled.set_scales_mask(DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST, 2);
    refused(scaled, type::u8, type::u8, "scales");
    auto shifted = with_depthwise(type::s8, type::s8);
    shifted.set_zero_points_mask(DNNL_ARG_DST, 0);
    refused(shifted, type::u8, type::u8, "zero_points");
    primitive_attr orphan;
    orphan.set_scales_mask(DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, 0);
    refused(orphan, type::u8, type::u8, "scales");
    refused(with_depthwise(type::f32, type::s8), type::f32, type::f32,
        "the operands must all be f32, bf16, f16 or f8");
}

BOOST_AUTO_TEST_CASE(depthwise_values_by_hand) {
    // One channel: the first convolution doubles; the second sums 3x3 windows of ones at stride 2
    // over 1 ... 9, and adds 1. Windows at (0,0), (0,2), (2,0), (2,2).
    dnnl::post_ops chain;
    chain.append_dw(type::f32, type::f32, type::f32, 3, 2, 1);
    primitive_attr attr;
    attr.set_post_ops(chain);
    dnnl::convolution_forward::primitive_desc pd(cpu(), prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, md({1, 1, 3, 3}, type::f32, tag::nchw),
        md({1, 1, 1, 1}, type::f32, tag::oihw), md({1, 1, 3, 3}, type::f32, tag::nchw), {1, 1},
        {0, 0}, {0, 0}, attr);
    dnnl::stream stream(cpu());
    std::vector<float> src = {1, 2, 3, 4, 5, 6, 7, 8, 9}, two = {2}, one = {1};
    do {
        std::vector<float> dst(4, -1);
        const auto weights =
            pd.query_md(dnnl::query::exec_arg_md, DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS);
        memory ones(weights, cpu());
        std::vector<float> nine(9, 1);
        const memory plain(md({1, 1, 1, 3, 3}, type::f32, tag::goihw), cpu(), nine.data());
        dnnl::reorder(plain, ones).execute(stream, {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, ones}});
        dnnl::convolution_forward(pd).execute(
            stream, {{DNNL_ARG_SRC, memory(pd.src_desc(), cpu(), src.data())},
                        {DNNL_ARG_WEIGHTS, memory(pd.weights_desc(), cpu(), two.data())},
                        {DNNL_ARG_DST, memory(pd.dst_desc(), cpu(), dst.data())},
                        {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, ones},
                        {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS,
                            memory(md({1}, type::f32, tag::a), cpu(), one.data())}});
        const std::vector<float> expected = {25, 33, 49, 57}; // 2 * (12, 16, 24, 28) + 1
        BOOST_TEST(dst == expected, boost::test_tools::per_element());
    } while (pd.next_impl());
}
