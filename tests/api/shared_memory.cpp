// SPDX-License-Identifier: Apache-2.0
// Arguments that share memory where nothing runs in place (N-38) are refused, and nothing is
// written. Slices of one buffer are apart from each other. in_place.cpp has the primitives that run
// in place.
#include "shared_arguments.hpp"

BOOST_AUTO_TEST_CASE(products) {
    const memory::desc a({24, 33}, dt::f32, tag::ab), b({33, 33}, dt::f32, tag::ab),
        row({1, 33}, dt::f32, tag::ab), vector({33}, dt::f32, tag::a);
    check(dnnl::matmul::primitive_desc(eng, a, b, row, a), none);
    check(inner_product_forward::primitive_desc(eng, prop_kind::forward_inference, a, b, vector, a),
        none);
    const memory::desc image({2, 8, 9, 9}, dt::f32, tag::nhwc),
        weights({8, 8, 3, 3}, dt::f32, tag::abcd), bias({8}, dt::f32, tag::a);
    const mdims ones {1, 1};
    const convolution_forward::primitive_desc forward(eng, prop_kind::forward_training,
        algorithm::convolution_direct, image, weights, bias, image, ones, ones, ones);
    check(forward, none);
    check(convolution_backward_data::primitive_desc(
              eng, algorithm::convolution_direct, image, weights, image, ones, ones, ones, forward),
        none);
    check(convolution_backward_weights::primitive_desc(eng, algorithm::convolution_direct, image,
              weights, bias, image, ones, ones, ones, forward),
        none);
    check(deconvolution_forward::primitive_desc(eng, prop_kind::forward_training,
              algorithm::deconvolution_direct, image, weights, bias, image, ones, ones, ones),
        none);
}

BOOST_AUTO_TEST_CASE(windows) {
    const mdims ones {1, 1}, zeros {0, 0}, threes {3, 3};
    for (const tag t : {tag::nchw, tag::nhwc}) {
        const memory::desc md({2, 20, 7, 7}, dt::f32, t), half({2, 20, 3, 4}, dt::f32, t);
        for (const algorithm alg :
            {algorithm::pooling_max, algorithm::pooling_avg_exclude_padding}) {
            const pooling_forward::primitive_desc pd(
                eng, prop_kind::forward_training, alg, md, md, ones, threes, zeros, ones, ones);
            check(pd, none);
            check(pooling_backward::primitive_desc(
                      eng, alg, md, md, ones, threes, zeros, ones, ones, pd),
                none);
        }
        check(resampling_forward::primitive_desc(
                  eng, prop_kind::forward_training, algorithm::resampling_linear, half, md),
            none);
        check(lrn_forward::primitive_desc(eng, prop_kind::forward_training,
                  algorithm::lrn_across_channels, md, md, 5, 1e-4f, 0.75f, 1.0f),
            none);
        const memory::desc reduced({2, 1, 7, 7}, dt::f32, t);
        check(reduction::primitive_desc(eng, algorithm::reduction_sum, md, reduced, 0.0f, 0.0f),
            none);
    }
}

BOOST_AUTO_TEST_CASE(shifted) {
    const memory::desc md({3, 20, 6, 7}, dt::f32, tag::abcd), tiny({1}, dt::f32, tag::a);
    const eltwise_forward::primitive_desc pd(
        eng, prop_kind::forward_inference, algorithm::eltwise_tanh, md, md, 0, 0);
    std::vector<float> buffer(2 * 3 * 20 * 6 * 7 + 32, 1.0f);
    const auto at = [&](std::ptrdiff_t place) {
        return memory(md, eng, &buffer[std::size_t(place)]);
    };
    for (const int shift : {1, 5, 16, 2519}) {
        BOOST_TEST(is_refused(pd, {{DNNL_ARG_SRC, at(0)}, {DNNL_ARG_DST, at(shift)}}));
        BOOST_TEST(is_refused(pd, {{DNNL_ARG_SRC, at(shift)}, {DNNL_ARG_DST, at(0)}}));
    }
    BOOST_TEST(buffer == std::vector<float>(buffer.size(), 1.0f));
    run(pd, {{DNNL_ARG_SRC, at(0)}, {DNNL_ARG_DST, at(2520)}});
    run(pd, {{DNNL_ARG_SRC, at(2520)}, {DNNL_ARG_DST, at(0)}});
}

// ---- Attributes, scratchpads, sparse tensors, run-time dimensions, nothing at all ----

BOOST_AUTO_TEST_CASE(attributes) {
    const memory::desc a({16, 16}, dt::f32, tag::ab), one({1}, dt::f32, tag::a);
    primitive_attr attr;
    post_ops ops;
    ops.append_sum();
    ops.append_binary(algorithm::binary_add, a);
    attr.set_post_ops(ops);
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scratchpad_mode(scratchpad_mode::user);
    const int operand = DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1;
    dnnl::matmul::primitive_desc pd(eng, a, a, a, attr);
    std::vector<float> src(256, 1.0f), weights(256, 1.0f), dst(256, 1.0f), scale(1, 1.0f),
        other(256, 1.0f);
    bytes scratch(pd.scratchpad_desc().get_size() + 1);
    std::unordered_map<int, memory> args {{DNNL_ARG_SRC, memory(a, eng, src.data())},
        {DNNL_ARG_WEIGHTS, memory(a, eng, weights.data())},
        {DNNL_ARG_DST, memory(a, eng, dst.data())}, {operand, memory(a, eng, other.data())},
        {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(one, eng, scale.data())},
        {DNNL_ARG_SCRATCHPAD, memory(pd.scratchpad_desc(), eng, scratch.data())}};
    run(pd, args);
    BOOST_TEST(dst[0] == 18.0f);
    const auto with = [&](int arg, const memory::desc &md, void *buffer) {
        auto changed = args;
        changed.erase(arg);
        changed.emplace(arg, memory(md, eng, buffer));
        return changed;
    };
    const std::vector<float> kept = dst;
    BOOST_TEST(is_refused(pd, with(operand, a, dst.data())));
    BOOST_TEST(is_refused(pd, with(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, one, &dst[7])));
    BOOST_TEST(is_refused(pd, with(DNNL_ARG_DST, a, weights.data())));
    run(pd, with(operand, a, src.data())); // both are read
    if (pd.scratchpad_desc().get_size() > 0)
        BOOST_TEST(
            is_refused(pd, with(DNNL_ARG_SRC, a,
                               scratch.data() + (64 - std::uintptr_t(scratch.data()) % 64) % 64)));
    BOOST_TEST(std::equal(kept.begin(), kept.end(), dst.begin()) == false); // by the last run alone
}

BOOST_AUTO_TEST_CASE(sparse_operands) {
    const memory::desc src = memory::desc::csr({2, 3}, dt::f32, 2, dt::s32, dt::s32);
    const memory::desc weights({3, 2}, dt::f32, tag::ab), dst({2, 2}, dt::f32, tag::ab);
    const dnnl::matmul::primitive_desc pd(eng, src, weights, dst);
    std::vector<float> values {1, 2}, right(6, 1.0f);
    union {
        float number[16];
        std::int32_t index[16];
    } shared {};
    shared.index[0] = 1, shared.index[1] = 2;                      // columns
    shared.index[4] = 0, shared.index[5] = 1, shared.index[6] = 2; // rows
    const memory sparse(src, eng, {values.data(), &shared.index[0], &shared.index[4]});
    const auto args = [&](void *out) {
        return std::unordered_map<int, memory> {{DNNL_ARG_SRC, sparse},
            {DNNL_ARG_WEIGHTS, memory(weights, eng, right.data())},
            {DNNL_ARG_DST, memory(dst, eng, out)}};
    };
    for (const int place : {0, 1, 3, 4, 6}) BOOST_TEST(is_refused(pd, args(&shared.number[place])));
    BOOST_TEST(is_refused(pd, args(values.data() - 3)));
    run(pd, args(&shared.number[8]));
    BOOST_TEST(shared.number[8] == 1.0f);
    BOOST_TEST(shared.number[10] == 2.0f);
}

BOOST_AUTO_TEST_CASE(dimensions_of_the_execution) {
    constexpr memory::dim any = DNNL_RUNTIME_DIM_VAL;
    const memory::desc open({any, any}, dt::f32, mdims {any, 1}), md({8, 8}, dt::f32, tag::ab);
    const dnnl::matmul::primitive_desc product(eng, open, open, open);
    std::vector<float> a(64, 1.0f), b(64, 1.0f), c(64, 1.0f);
    const memory left(md, eng, a.data()), right(md, eng, b.data()), result(md, eng, c.data());
    run(product, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}});
    BOOST_TEST(is_refused(
        product, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, left}}));
    const dnnl::reorder::primitive_desc copy(eng, open, eng, open);
    run(copy, {{DNNL_ARG_FROM, left}, {DNNL_ARG_TO, left}});
}

BOOST_AUTO_TEST_CASE(nothing) {
    const memory::desc empty({0, 8}, dt::f32, tag::ab), md({8, 8}, dt::f32, tag::ab);
    std::vector<float> a(64, 1.0f), b(64, 1.0f);
    const dnnl::matmul::primitive_desc pd(eng, memory::desc({8, 0}, dt::f32, tag::ab), empty, md);
    // Without elements, in the middle of dst.
    run(pd, {{DNNL_ARG_SRC, memory(pd.src_desc(), eng, &a[3])},
                {DNNL_ARG_WEIGHTS, memory(empty, eng, &a[5])},
                {DNNL_ARG_DST, memory(md, eng, a.data())}});
    BOOST_TEST(a == std::vector<float>(64, 0.0f));
}

// ---- Slices of one buffer ----

BOOST_AUTO_TEST_CASE(columns_of_one_buffer) {
    const memory::desc whole({6, 24}, dt::f32, tag::ab);
    std::vector<float> buffer(6 * 24, 1.0f);
    const auto part = [&](memory::dim first, memory::dim count) {
        return whole.submemory_desc({6, count}, {0, first});
    };
    const auto in = [&](const memory::desc &md) { return memory(md, eng, buffer.data()); };
    const auto sum_to = [&](const memory::desc &x, const memory::desc &y, const memory::desc &to) {
        const dnnl::sum::primitive_desc pd(eng, to, {1.0f, 1.0f}, {x, y});
        std::unordered_map<int, memory> args {{DNNL_ARG_MULTIPLE_SRC, in(x)},
            {DNNL_ARG_MULTIPLE_SRC + 1, in(y)}, {DNNL_ARG_DST, in(to)}};
        if (is_refused(pd, args)) return false;
        return true;
    };
    BOOST_TEST(sum_to(part(0, 8), part(8, 8), part(16, 8)));
    BOOST_TEST(buffer[16] == 2.0f);
    BOOST_TEST(buffer[0] == 1.0f);
    BOOST_TEST(sum_to(part(0, 8), part(4, 8), part(12, 8)));
    BOOST_TEST(!sum_to(part(0, 8), part(8, 8), part(15, 8)));
    BOOST_TEST(!sum_to(part(8, 8), part(0, 8), part(7, 8)));
    const dnnl::concat::primitive_desc joined(eng, part(8, 16), 1, {part(0, 8), part(0, 8)});
    run(joined, {{DNNL_ARG_MULTIPLE_SRC, in(part(0, 8))},
                    {DNNL_ARG_MULTIPLE_SRC + 1, in(part(0, 8))}, {DNNL_ARG_DST, in(part(8, 16))}});
    const dnnl::matmul::primitive_desc product(eng, part(0, 6), part(6, 6), part(12, 6));
    run(product, {{DNNL_ARG_SRC, in(part(0, 6))}, {DNNL_ARG_WEIGHTS, in(part(6, 6))},
                     {DNNL_ARG_DST, in(part(12, 6))}});
    // Rows upside down: only some of the elements meet.
    const memory::desc rows({3, 24}, dt::f32, mdims {48, 1});
    const dnnl::reorder::primitive_desc copy(eng, rows, eng, rows);
    const auto from = [&](std::size_t row) { return memory(rows, eng, &buffer[row * 24]); };
    run(copy, {{DNNL_ARG_FROM, from(0)}, {DNNL_ARG_TO, from(1)}});
    std::vector<float> longer(9 * 24, 1.0f);
    BOOST_TEST(is_refused(copy, {{DNNL_ARG_FROM, memory(rows, eng, longer.data())},
                                    {DNNL_ARG_TO, memory(rows, eng, &longer[48])}}));
}

BOOST_AUTO_TEST_CASE(channels_of_one_buffer) {
    for (const tag t : {tag::nchw, tag::nhwc, tag::nChw16c, tag::nChw8c}) {
        const memory::desc whole({3, 48, 5, 7}, dt::f32, t);
        bytes buffer(whole.get_size());
        fill(buffer, dt::f32, false);
        const auto part = [&](memory::dim first) {
            return whole.submemory_desc({3, 16, 5, 7}, {0, first, 0, 0});
        };
        const auto in = [&](const memory::desc &md) { return memory(md, eng, buffer.data()); };
        for (const memory::dim to : {0, 16, 32})
            for (const memory::dim from : {0, 16, 32}) {
                const dnnl::reorder::primitive_desc copy(eng, part(from), eng, part(to));
                run(copy, {{DNNL_ARG_FROM, in(part(from))}, {DNNL_ARG_TO, in(part(to))}});
            }
        if (t == tag::nChw16c) continue; // its slices begin with a block
        const dnnl::reorder::primitive_desc one(eng, part(0), eng, part(8));
        BOOST_TEST(is_refused(one, {{DNNL_ARG_FROM, in(part(0))}, {DNNL_ARG_TO, in(part(8))}}));
    }
}
