// SPDX-License-Identifier: Apache-2.0
// Outputs in the buffers of inputs that the primitive may overwrite (N-37): they get the bits that
// they get apart from them, in every row.
#include "shared_arguments.hpp"

namespace {

// ---- Layouts and types ----

/// Dense ones, blocked ones with padding, and one with gaps between the rows.
std::vector<memory::desc> images(dt type) {
    std::vector<memory::desc> all;
    for (const mdims &shape : {mdims {2, 19, 3, 5}, mdims {1, 64, 1, 1}, mdims {3, 7, 2, 33}})
        for (const tag t : {tag::abcd, tag::acdb, tag::aBcd8b, tag::aBcd16b})
            all.emplace_back(shape, type, t);
    all.emplace_back(mdims {2, 32, 28, 28}, type, tag::abcd);
    all.emplace_back(mdims {2, 32, 28, 28}, type, tag::acdb);
    all.emplace_back(mdims {2, 5, 3, 7}, type, mdims {5 * 3 * 9, 3 * 9, 9, 1});
    return all;
}
/// Rows of every length up to 40, for the tails of vectors, and long ones that threads share.
std::vector<memory::desc> rows(dt type) {
    std::vector<memory::desc> all;
    for (memory::dim n = 1; n <= 40; ++n) all.emplace_back(mdims {3, n}, type, tag::ab);
    all.emplace_back(mdims {64, 999}, type, tag::ab);
    all.emplace_back(mdims {64, 999}, type, tag::ba);
    all.emplace_back(mdims {2, 30000}, type, tag::ab);
    return all;
}
std::vector<memory::desc> both(dt type) {
    std::vector<memory::desc> all = images(type);
    for (const memory::desc &md : rows(type)) all.push_back(md);
    return all;
}
const dt floats[] = {dt::f32, dt::bf16, dt::f16};
const dt all_types[] = {dt::f32, dt::bf16, dt::f16, dt::s8, dt::u8, dt::s32};

} // namespace

BOOST_AUTO_TEST_CASE(eltwise) {
    std::vector<algorithm> algorithms;
    for (int a = dnnl_eltwise_relu; a <= dnnl_eltwise_hardswish; ++a)
        algorithms.push_back(static_cast<algorithm>(a));
    for (const dt type : all_types) {
        int turn = 0;
        for (const memory::desc &md : both(type)) {
            const algorithm alg = algorithms[std::size_t(turn++) % algorithms.size()];
            check(eltwise_forward::primitive_desc(
                      eng, prop_kind::forward_training, alg, md, md, 0.5f, 2.0f),
                forward_pair);
        }
    }
    for (const dt type : floats) {
        int turn = 0;
        for (const memory::desc &md : both(type)) {
            const algorithm alg = algorithms[std::size_t(turn++) % algorithms.size()];
            if (alg == algorithm::eltwise_round) continue;
            const eltwise_forward::primitive_desc hint(
                eng, prop_kind::forward_training, alg, md, md, 0.5f, 2.0f);
            check(eltwise_backward::primitive_desc(eng, alg, md, md, md, 0.5f, 2.0f, hint),
                backward_pair);
        }
    }
}

BOOST_AUTO_TEST_CASE(softmax) {
    for (const dt type : floats)
        for (const memory::desc &md : both(type))
            for (const int axis : {0, 1})
                for (const algorithm alg : {algorithm::softmax_accurate, algorithm::softmax_log}) {
                    const softmax_forward::primitive_desc forward(
                        eng, prop_kind::forward_training, alg, md, md, axis);
                    check(forward, forward_pair);
                    check(softmax_backward::primitive_desc(eng, alg, md, md, md, axis, forward),
                        backward_pair);
                }
    for (const dt type : {dt::s8, dt::u8})
        for (const memory::desc &md : images(type))
            check(softmax_forward::primitive_desc(
                      eng, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1),
                forward_pair);
    // Another type or layout has its elements in other places.
    const memory::desc wide({4, 6}, dt::f32, tag::ab), narrow({4, 6}, dt::bf16, tag::ab),
        turned({4, 6}, dt::f32, tag::ba);
    for (const memory::desc &dst : {narrow, turned})
        check(softmax_forward::primitive_desc(
                  eng, prop_kind::forward_inference, algorithm::softmax_accurate, wide, dst, 1),
            forward_pair);
}

BOOST_AUTO_TEST_CASE(normalization) {
    using flags = normalization_flags;
    const flags affine = flags::use_scale | flags::use_shift;
    for (const dt type : floats) {
        for (const memory::desc &md : images(type))
            for (const flags f : {affine, affine | flags::use_global_stats}) {
                const auto training = prop_kind::forward_training;
                const batch_normalization_forward::primitive_desc batch(
                    eng, training, md, md, 1e-4f, f);
                check(batch, forward_pair);
                check(batch_normalization_backward::primitive_desc(
                          eng, prop_kind::backward, md, md, md, 1e-4f, f, batch),
                    backward_pair);
                const memory::dim groups = md.get_dims()[1] % 2 == 0 ? 2 : 1;
                const group_normalization_forward::primitive_desc group(
                    eng, training, md, md, groups, 1e-4f, f);
                check(group, forward_pair);
                check(group_normalization_backward::primitive_desc(
                          eng, prop_kind::backward, md, md, md, groups, 1e-4f, f, group),
                    backward_pair);
            }
        for (const memory::desc &md : both(type))
            for (const flags f : {affine, affine | flags::rms_norm}) {
                const layer_normalization_forward::primitive_desc layer(
                    eng, prop_kind::forward_training, md, md, 1e-4f, f);
                check(layer, forward_pair);
                check(layer_normalization_backward::primitive_desc(
                          eng, prop_kind::backward, md, md, md, 1e-4f, f, layer),
                    backward_pair);
            }
    }
    const memory::desc md({2, 19, 3, 5}, dt::f32, tag::abcd);
    check(batch_normalization_forward::primitive_desc(
              eng, prop_kind::forward_training, md, md, 1e-4f, affine | flags::fuse_norm_relu),
        forward_pair);
}

BOOST_AUTO_TEST_CASE(binary_operations) {
    for (const dt type : all_types) {
        int turn = 0;
        for (const memory::desc &md : both(type)) {
            const auto alg = static_cast<algorithm>(dnnl_binary_add + turn++ % 6);
            mdims part = md.get_dims();
            part[1] = 1;
            check(binary::primitive_desc(eng, alg, md, md, md), forward_pair);
            check(binary::primitive_desc(eng, alg, md,
                      memory::desc(part, dt::f32, part.size() == 4 ? tag::abcd : tag::ab), md),
                forward_pair);
        }
    }
    // The broadcast source has not the layout of dst.
    const memory::desc row({1, 6}, dt::f32, tag::ab), matrix({4, 6}, dt::f32, tag::ab);
    check(binary::primitive_desc(eng, algorithm::binary_sub, row, matrix, matrix), forward_pair);
    const memory::desc condition({4, 6}, dt::s8, tag::ab);
    check(binary::primitive_desc(eng, algorithm::binary_select, matrix, matrix, condition, matrix),
        forward_pair);
}

BOOST_AUTO_TEST_CASE(prelu) {
    for (const dt type : floats)
        for (const memory::desc &md : both(type))
            for (const bool one : {false, true}) {
                mdims slopes = md.get_dims();
                for (std::size_t d = 0; d < slopes.size(); ++d)
                    if (one || d != 1) slopes[d] = 1;
                const memory::desc weights(slopes, type, slopes.size() == 4 ? tag::abcd : tag::ab);
                const prelu_forward::primitive_desc forward(
                    eng, prop_kind::forward_training, md, weights, md);
                check(forward, forward_pair);
                check(prelu_backward::primitive_desc(eng, md, weights, md, weights, md, forward),
                    none);
            }
}

BOOST_AUTO_TEST_CASE(movement) {
    for (const dt type : all_types)
        for (const memory::desc &md : both(type)) {
            check(dnnl::reorder::primitive_desc(eng, md, eng, md), forward_pair);
            check(dnnl::sum::primitive_desc(eng, md, {0.5f, 2.0f}, {md, md}),
                {{DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC}});
            check(dnnl::sum::primitive_desc(eng, md, {1.0f, 1.0f}, {md, md}),
                {{DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC}});
        }
    primitive_attr scaled;
    scaled.set_scales_mask(DNNL_ARG_SRC, 0);
    const memory::desc plain({3, 20, 6, 7}, dt::f32, tag::abcd),
        turned({3, 20, 6, 7}, dt::f32, tag::acdb), integers({3, 20, 6, 7}, dt::s32, tag::abcd);
    check(dnnl::reorder::primitive_desc(eng, plain, eng, turned), forward_pair);
    check(dnnl::reorder::primitive_desc(eng, plain, eng, integers), forward_pair);
    const memory::desc twice({6, 20, 6, 7}, dt::f32, tag::abcd);
    check(dnnl::concat::primitive_desc(eng, twice, 0, {plain, plain}), none);
    check(shuffle_forward::primitive_desc(eng, prop_kind::forward_inference, plain, plain, 1, 4),
        none);
}

BOOST_AUTO_TEST_CASE(recurrent_networks) {
    const auto md = [](const mdims &shape, tag t) { return memory::desc(shape, dt::f32, t); };
    const memory::desc layer = md({3, 2, 8}, tag::tnc), state = md({2, 1, 2, 8}, tag::ldnc);
    const memory::desc weights = md({2, 1, 8, 4, 8}, tag::ldigo),
                       bias = md({2, 1, 4, 8}, tag::ldgo);
    for (const prop_kind prop : {prop_kind::forward_inference, prop_kind::forward_training})
        check(lstm_forward::primitive_desc(eng, prop, rnn_direction::unidirectional_left2right,
                  layer, state, state, weights, weights, bias, layer, state, state),
            {{DNNL_ARG_DST_ITER, DNNL_ARG_SRC_ITER}, {DNNL_ARG_DST_ITER_C, DNNL_ARG_SRC_ITER_C}});
    const lstm_forward::primitive_desc forward(eng, prop_kind::forward_training,
        rnn_direction::unidirectional_left2right, layer, state, state, weights, weights, bias,
        layer, state, state);
    check(lstm_backward::primitive_desc(eng, prop_kind::backward,
              rnn_direction::unidirectional_left2right, layer, state, state, weights, weights, bias,
              layer, state, state, layer, state, state, weights, weights, bias, layer, state, state,
              forward),
        none);
}

// A decoder reads its context beside its state: the state is written into the front of the rows.
BOOST_AUTO_TEST_CASE(states_with_context) {
    constexpr memory::dim N = 3, F = 8;
    const auto md = [](const mdims &shape, tag t) { return memory::desc(shape, dt::f32, t); };
    const memory::desc layer = md({1, N, F}, tag::tnc), wide = md({1, 1, N, 2 * F}, tag::ldnc);
    const memory::desc narrow = wide.submemory_desc({1, 1, N, F}, {0, 0, 0, 0});
    const memory::desc cells = md({1, 1, N, F}, tag::ldnc);
    lstm_forward::primitive_desc pd(eng, prop_kind::forward_inference,
        rnn_direction::unidirectional_left2right, layer, wide, cells,
        md({1, 1, F, 4, F}, tag::ldigo), md({1, 1, 2 * F, 4, F}, tag::ldigo),
        md({1, 1, 4, F}, tag::ldgo), layer, narrow, cells);
    do {
        arguments apart(pd);
        apart.buffers[DNNL_ARG_DST_ITER] = apart.buffers[DNNL_ARG_SRC_ITER];
        arguments shared = apart;
        run(pd, apart.list());
        run(pd, shared.list({{DNNL_ARG_DST_ITER, DNNL_ARG_SRC_ITER},
                    {DNNL_ARG_DST_ITER_C, DNNL_ARG_SRC_ITER_C}}));
        BOOST_TEST((shared.buffers[DNNL_ARG_SRC_ITER] == apart.buffers[DNNL_ARG_DST_ITER]));
        BOOST_TEST((shared.buffers[DNNL_ARG_DST_LAYER] == apart.buffers[DNNL_ARG_DST_LAYER]));
    } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
}

// An input that may be overwritten, passed a second time: x * x and x + x.
BOOST_AUTO_TEST_CASE(one_tensor_everywhere) {
    for (const dt type : all_types)
        for (const memory::desc &md : both(type)) {
            const auto check_all = [&](primitive_desc_base pd, int first, int second) {
                do {
                    arguments apart(pd), shared(pd);
                    run(pd, apart.list({{second, first}}));
                    run(pd, shared.list({{second, first}, {DNNL_ARG_DST, first}}));
                    BOOST_TEST(
                        (shared.buffers[first] == apart.buffers[DNNL_ARG_DST]), pd.impl_info_str());
                } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
            };
            check_all(binary::primitive_desc(eng, algorithm::binary_mul, md, md, md),
                DNNL_ARG_SRC_0, DNNL_ARG_SRC_1);
            check_all(dnnl::sum::primitive_desc(eng, md, {0.5f, 2.0f}, {md, md}),
                DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1);
        }
}

// Attributes work on the results before they are stored; a sum post-op adds what is overwritten.
BOOST_AUTO_TEST_CASE(in_place_with_attributes) {
    const int operand = DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1;
    const int scale = DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC_0;
    const memory::desc one({1}, dt::f32, tag::a);
    float factor = 0.75f;
    const auto attributes = [](const post_ops &ops, bool scales) {
        primitive_attr attr;
        attr.set_post_ops(ops);
        if (scales) attr.set_scales_mask(DNNL_ARG_SRC_0, 0);
        return attr;
    };
    for (const dt type : all_types)
        for (const memory::desc &md : both(type)) {
            mdims part = md.get_dims();
            part[0] = 1;
            const memory::desc other(part, dt::f32, part.size() == 4 ? tag::abcd : tag::ab);
            std::vector<float> values(other.get_size() / sizeof(float), 1.5f);
            post_ops sum, sum_and_more, two;
            sum.append_sum(0.5f);
            sum_and_more.append_sum(2.0f);
            two.append_eltwise(algorithm::eltwise_tanh, 0, 0);
            for (post_ops *ops : {&sum_and_more, &two})
                ops->append_binary(algorithm::binary_add, other);
            const auto check_all = [&](primitive_desc_base pd) {
                do {
                    arguments apart(pd);
                    apart.buffers[DNNL_ARG_DST] = apart.buffers[DNNL_ARG_SRC];
                    arguments shared = apart;
                    const auto with = [&](std::unordered_map<int, memory> args) {
                        args.emplace(operand, memory(other, eng, values.data()));
                        args.emplace(scale, memory(one, eng, &factor));
                        return args;
                    };
                    run(pd, with(apart.list()));
                    run(pd, with(shared.list({{DNNL_ARG_DST, DNNL_ARG_SRC}})));
                    BOOST_TEST((shared.buffers[DNNL_ARG_SRC] == apart.buffers[DNNL_ARG_DST]),
                        pd.impl_info_str());
                } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
            };
            const auto inference = prop_kind::forward_inference;
            check_all(dnnl::reorder::primitive_desc(eng, md, eng, md, attributes(sum, true)));
            check_all(binary::primitive_desc(
                eng, algorithm::binary_sub, md, md, md, attributes(sum_and_more, true)));
            if (type == dt::s32) continue;
            if (type == dt::s8 || type == dt::u8) {
                check_all(layer_normalization_forward::primitive_desc(eng, inference, md, md, 1e-4f,
                    normalization_flags::none, attributes(two, true)));
                check_all(softmax_forward::primitive_desc(
                    eng, inference, algorithm::softmax_accurate, md, md, 1, attributes(two, true)));
                continue;
            }
            check_all(layer_normalization_forward::primitive_desc(
                eng, inference, md, md, 1e-4f, normalization_flags::none, attributes(two, false)));
            check_all(softmax_forward::primitive_desc(
                eng, inference, algorithm::softmax_accurate, md, md, 1, attributes(two, false)));
        }
}
