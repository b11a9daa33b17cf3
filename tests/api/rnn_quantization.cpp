// SPDX-License-Identifier: Apache-2.0
// 8-bit recurrent networks as programs prepare them: data and weights are quantized by reorders
// that carry the parameters of the network, the network runs, a reorder widens what it gave.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "cpu.hpp"

using namespace dnnl;
using api_tests::cpu;
using tag = memory::format_tag;
using type = memory::data_type;

namespace {

// Every row of reorder, too.
[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

memory filled(const memory::desc &md, const std::vector<float> &values) {
    memory made(md, cpu());
    BOOST_REQUIRE_EQUAL(md.get_size(), values.size() * sizeof(float));
    std::memcpy(made.get_data_handle(), values.data(), values.size() * sizeof(float));
    return made;
}
template <class Element> std::vector<float> values_of(const memory &m) {
    const auto *data = static_cast<const Element *>(m.get_data_handle());
    return {data, data + m.get_desc().get_size() / sizeof(Element)};
}
std::vector<float> values_of(const memory &m) {
    switch (m.get_desc().get_data_type()) {
    case type::u8: return values_of<std::uint8_t>(m);
    case type::s8: return values_of<std::int8_t>(m);
    default: return values_of<float>(m);
    }
}

void execute(const primitive_desc_base &pd, const std::unordered_map<int, memory> &args) {
    stream s(cpu());
    primitive(pd).execute(s, args);
    s.wait();
}

primitive_attr data_parameters(float scale, float shift) {
    primitive_attr attr;
    attr.set_rnn_data_qparams(scale, shift);
    return attr;
}

/// The memory in another layout or type, by the first implementation.
memory reordered(const memory &from, const memory::desc &md, const primitive_attr &attr = {}) {
    const memory to(md, cpu());
    execute(reorder::primitive_desc(from, to, attr), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return to;
}

/// dst of every implementation of the reorder.
void check_reorder(const memory &from, const memory::desc &md, const primitive_attr &attr,
    const std::vector<float> &expected) {
    reorder::primitive_desc pd(cpu(), from.get_desc(), cpu(), md, attr);
    std::string last;
    do {
        last = pd.impl_info_str();
        const memory to(md, cpu());
        execute(pd, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
        BOOST_TEST_CONTEXT(last)
        BOOST_TEST(values_of(to) == expected, boost::test_tools::per_element());
    } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    BOOST_TEST(last == "reference");
}

std::vector<float> random_values(const memory::dims &dims, unsigned seed, float reach) {
    std::size_t count = 1;
    for (const memory::dim d : dims) count *= static_cast<std::size_t>(d);
    std::vector<float> values(count);
    for (float &v : values) {
        seed = seed * 1664525u + 1013904223u;
        v = reach * (static_cast<float>(seed >> 8) / 8388608.0f - 1);
    }
    return values;
}

} // namespace

BOOST_AUTO_TEST_CASE(data_is_scaled_shifted_and_widened_again) {
    // x * 10 + 100, halves to even, cut at the ends.
    const std::vector<float> x {0, 1, -1, 0.25f, 0.35f, 20, -20, 15.5f};
    const memory::desc plain({2, 1, 4}, type::f32, tag::tnc);
    const memory from = filled(plain, x);
    check_reorder(from, {{2, 1, 4}, type::u8, tag::tnc}, data_parameters(10, 100),
        {100, 110, 90, 102, 104, 255, 0, 255});
    check_reorder(from, {{2, 1, 4}, type::s8, tag::tnc}, data_parameters(10, 3),
        {3, 13, -7, 6, 6, 127, -128, 127});
    const memory::desc bytes({2, 1, 4}, type::u8, tag::tnc);
    const memory coded = reordered(from, bytes, data_parameters(10, 100));
    check_reorder(
        coded, plain, data_parameters(10, 100), {0, 1, -1, 0.2f, 0.4f, 15.5f, -10, 15.5f});
    // What was quantized before stays as it is.
    check_reorder(coded, bytes, data_parameters(10, 100), values_of(coded));
}

BOOST_AUTO_TEST_CASE(data_in_other_layouts_and_states) {
    const auto x = random_values({5, 3, 70}, 1, 1);
    const memory from = filled({{5, 3, 70}, type::f32, tag::tnc}, x);
    std::vector<float> expected;
    for (int n = 0; n < 3; ++n)
        for (int t = 0; t < 5; ++t)
            for (int c = 0; c < 70; ++c)
                expected.push_back(std::nearbyint(x[(t * 3 + n) * 70 + c] * 64 + 128));
    check_reorder(from, {{5, 3, 70}, type::u8, tag::ntc}, data_parameters(64, 128), expected);
    const memory::dims states {2, 1, 3, 4};
    const auto h = random_values(states, 2, 1);
    expected.clear();
    for (const float v : h) expected.push_back(std::nearbyint(v * 100 + 1));
    primitive_attr all = data_parameters(100, 1);
    all.set_rnn_weights_qparams(0, {5});
    all.set_rnn_weights_projection_qparams(0, {7});
    check_reorder(
        filled({states, type::f32, tag::ldnc}, h), {states, type::s8, tag::ldnc}, all, expected);
}

BOOST_AUTO_TEST_CASE(weights_have_scales_of_their_gates_and_channels) {
    const memory::dims dims {2, 1, 3, 4, 5};
    const auto w = random_values(dims, 3, 1);
    primitive_attr attr = data_parameters(9, 9); // of no concern here
    std::vector<float> scales, one, each;
    for (int go = 0; go < 20; ++go) scales.push_back(static_cast<float>(40 + 5 * go));
    for (std::size_t i = 0; i < w.size(); ++i) {
        one.push_back(std::nearbyint(w[i] * 100));
        each.push_back(std::max(-128.0f, std::min(127.0f, std::nearbyint(w[i] * scales[i % 20]))));
    }
    const memory from = filled({dims, type::f32, tag::ldigo}, w);
    const memory::desc to(dims, type::s8, tag::ldigo);
    attr.set_rnn_weights_qparams(0, {100});
    check_reorder(from, to, attr, one);
    attr.set_rnn_weights_qparams(24, scales);
    check_reorder(from, to, attr, each);
    // From the transposed layout, and back.
    const memory turned = reordered(from, {dims, type::f32, tag::ldgoi});
    check_reorder(turned, to, attr, each);
    for (std::size_t i = 0; i < each.size(); ++i) each[i] /= scales[i % 20];
    check_reorder(reordered(from, to, attr), from.get_desc(), attr, each);
    // The weights of a projection, alone.
    const memory::dims square {1, 1, 4, 5};
    const auto r = random_values(square, 4, 1);
    primitive_attr projection;
    projection.set_rnn_weights_projection_qparams(8, {40, 50, 60, 70, 80});
    std::vector<float> expected;
    for (std::size_t i = 0; i < r.size(); ++i)
        expected.push_back(std::nearbyint(r[i] * static_cast<float>(40 + 10 * (i % 5))));
    const memory weights_r = filled({square, type::f32, tag::ldio}, r);
    check_reorder(weights_r, {square, type::s8, tag::ldio}, projection, expected);
    // In blocks beside the parameters of data.
    const memory::desc blocked(square, type::s8, tag::ldOI32o4i);
    projection.set_rnn_data_qparams(9, 9);
    const memory packed = reordered(weights_r, blocked, projection);
    check_reorder(packed, {square, type::s8, tag::ldio}, {}, expected);
}

namespace {

constexpr memory::dim L = 2, T = 3, N = 4, C = 24, G = 4;

/// An LSTM with or without projection, in f32 or with 8-bit data.
struct lstm {
    bool projects;
    memory::dim DHC = projects ? 40 : C;
    memory::dims sequence {T, N, C}, state {L, 1, N, C}, cell {L, 1, N, DHC};
    memory::dims weights {L, 1, C, G, DHC}, projection {L, 1, DHC, C}, bias {L, 1, G, DHC};

    lstm_forward::primitive_desc describe(
        type data, type weights_type, const primitive_attr &attr, tag weights_tag) const {
        const auto md = [](const memory::dims &dims, type t, tag f) {
            return memory::desc(dims, t, f);
        };
        const memory::desc h = md(state, data, tag::ldnc), c = md(cell, type::f32, tag::ldnc);
        const memory::desc w = md(weights, weights_type, weights_tag);
        const memory::desc r = projects
                                   ? md(projection, weights_type,
                                         projects && weights_tag != tag::any ? tag::ldio : tag::any)
                                   : memory::desc();
        return {cpu(), prop_kind::forward_inference, rnn_direction::unidirectional_left2right,
            md(sequence, data, tag::tnc), h, c, w, w, memory::desc(), r,
            md(bias, type::f32, tag::ldgo), md(sequence, data, tag::tnc), h, c, attr};
    }
};

/// Values of all tensors in f32; weights are small, so that gates stay open.
struct numbers {
    memory src, h, c, layer, iter, projection, bias;
    explicit numbers(const lstm &net)
        : src(make(net.sequence, tag::tnc, 1, 1)), h(make(net.state, tag::ldnc, 2, 0.5f)),
          c(make(net.cell, tag::ldnc, 3, 0.5f)), layer(make(net.weights, tag::ldigo, 4, 0.3f)),
          iter(make(net.weights, tag::ldigo, 5, 0.3f)),
          projection(make(net.projection, tag::ldio, 6, 0.2f)),
          bias(make(net.bias, tag::ldgo, 7, 0.2f)) {}
    static memory make(const memory::dims &dims, tag f, unsigned seed, float reach) {
        return filled({dims, type::f32, f}, random_values(dims, seed, reach));
    }
};

/// dst_layer, dst_iter and dst_iter_c one after the other, in f32. attr holds the parameters of an
/// 8-bit network and goes to every reorder alike.
std::vector<float> run(const lstm &net, const lstm_forward::primitive_desc &pd, const numbers &in,
    const primitive_attr &attr) {
    const auto prepared = [&](const memory &from, const memory::desc &md) {
        const bool same = md.get_data_type() == type::f32;
        return reordered(from, md, same ? primitive_attr() : attr);
    };
    std::unordered_map<int, memory> args {
        {DNNL_ARG_SRC_LAYER, prepared(in.src, pd.src_layer_desc())},
        {DNNL_ARG_SRC_ITER, prepared(in.h, pd.src_iter_desc())}, {DNNL_ARG_SRC_ITER_C, in.c},
        {DNNL_ARG_WEIGHTS_LAYER, prepared(in.layer, pd.weights_layer_desc())},
        {DNNL_ARG_WEIGHTS_ITER, prepared(in.iter, pd.weights_iter_desc())},
        {DNNL_ARG_BIAS, in.bias}, {DNNL_ARG_DST_LAYER, memory(pd.dst_layer_desc(), cpu())},
        {DNNL_ARG_DST_ITER, memory(pd.dst_iter_desc(), cpu())},
        {DNNL_ARG_DST_ITER_C, memory(pd.dst_iter_c_desc(), cpu())}};
    if (net.projects)
        args[DNNL_ARG_WEIGHTS_PROJECTION] = prepared(in.projection, pd.weights_projection_desc());
    execute(pd, args);
    std::vector<float> results;
    const auto add = [&](const memory &from, const memory::dims &dims, tag f) {
        const memory::desc wide(dims, type::f32, f);
        const bool same = from.get_desc().get_data_type() == type::f32;
        const auto values = values_of(reordered(from, wide, same ? primitive_attr() : attr));
        results.insert(results.end(), values.begin(), values.end());
    };
    add(args[DNNL_ARG_DST_LAYER], net.sequence, tag::tnc);
    add(args[DNNL_ARG_DST_ITER], net.state, tag::ldnc);
    add(args[DNNL_ARG_DST_ITER_C], net.cell, tag::ldnc);
    return results;
}

primitive_attr network_parameters(const lstm &net, type data, int mask) {
    primitive_attr attr = data_parameters(100, data == type::u8 ? 128 : 2);
    std::vector<float> scales {400};
    if (mask) scales.resize(static_cast<std::size_t>(G * net.DHC), 400);
    for (std::size_t i = 0; i < scales.size(); ++i) scales[i] -= static_cast<float>(i % 5);
    attr.set_rnn_weights_qparams(mask, scales);
    if (net.projects)
        attr.set_rnn_weights_projection_qparams(
            mask ? 8 : 0, std::vector<float>(mask ? C : 1, 600.0f));
    return attr;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_8_bit_lstm_from_f32_to_f32) {
    for (const bool projects : {false, true}) {
        const lstm net {projects};
        const numbers in(net);
        const auto exact = run(net, net.describe(type::f32, type::f32, {}, tag::any), in, {});
        for (const type data : {type::u8, type::s8})
            for (const int mask : {0, 24}) {
                const primitive_attr attr = network_parameters(net, data, mask);
                auto pd = net.describe(data, type::s8, attr, tag::any);
                std::vector<std::vector<float>> results;
                std::vector<std::string> names;
                do {
                    names.push_back(pd.impl_info_str());
                    results.push_back(run(net, pd, in, attr));
                } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
                BOOST_TEST(names.back() == "reference");
                float farthest = 0;
                for (std::size_t i = 0; i < exact.size(); ++i)
                    farthest = std::max(farthest, std::fabs(results[0][i] - exact[i]));
                // A state is off by half of a hundredth at each step, and so is what it leads to.
                BOOST_TEST(farthest > 0);
                BOOST_TEST(farthest < 0.03f);
                for (std::size_t row = 0; row < names.size(); ++row)
                    BOOST_TEST_CONTEXT(names[row] << " projection " << projects << " mask " << mask)
                for (std::size_t i = 0; i < exact.size(); ++i)
                    BOOST_REQUIRE_SMALL(results[row][i] - results.back()[i], 1e-6f);
            }
    }
}

BOOST_AUTO_TEST_CASE(values_at_execution_are_refused) {
    const lstm net {true};
    const float later = DNNL_RUNTIME_F32_VAL;
    const memory::desc data({T, N, C}, type::f32, tag::tnc), bytes({T, N, C}, type::u8, tag::tnc);
    const memory::desc w(net.weights, type::f32, tag::ldigo), q(net.weights, type::s8, tag::ldigo);
    const auto refused = [](const error &e) {
        return e.status == dnnl_unimplemented && std::strstr(e.what(), "rnn_qparams");
    };
    for (const int which : {0, 1, 2, 3}) {
        primitive_attr attr = data_parameters(which == 0 ? later : 2, which == 1 ? later : 2);
        attr.set_rnn_weights_qparams(0, {which == 2 ? later : 2});
        attr.set_rnn_weights_projection_qparams(0, {which == 3 ? later : 2});
        BOOST_CHECK_EXCEPTION(net.describe(type::u8, type::s8, attr, tag::any), error, refused);
        if (which < 2)
            BOOST_CHECK_EXCEPTION(
                reorder::primitive_desc(cpu(), data, cpu(), bytes, attr), error, refused);
        if (which == 2)
            BOOST_CHECK_EXCEPTION(
                reorder::primitive_desc(cpu(), w, cpu(), q, attr), error, refused);
    }
}

BOOST_AUTO_TEST_CASE(what_a_reorder_refuses) {
    const auto status = [](const memory::desc &from, const memory::desc &to,
                            const primitive_attr &attr) {
        const reorder::primitive_desc pd(cpu(), from, cpu(), to, attr, true);
        return pd ? dnnl_success : dnnl_unimplemented;
    };
    const auto md = [](const memory::dims &dims, type t) {
        return memory::desc(dims, t, memory::dims());
    };
    const primitive_attr data = data_parameters(2, 1);
    BOOST_TEST(status(md({2, 3, 4}, type::f32), md({2, 3, 4}, type::u8), data) == dnnl_success);
    BOOST_TEST(
        status(md({2, 3, 4}, type::f32), md({2, 3, 4}, type::bf16), data) == dnnl_unimplemented);
    BOOST_TEST(status(md({3, 4}, type::f32), md({3, 4}, type::u8), data) == dnnl_unimplemented);
    const memory::dims weights {1, 1, 2, 4, 3};
    BOOST_TEST(status(md(weights, type::f32), md(weights, type::u8), data) == dnnl_unimplemented);
    primitive_attr other_mask, few, beside = data;
    other_mask.set_rnn_weights_qparams(16, {1, 2, 3});
    BOOST_TEST(
        status(md(weights, type::f32), md(weights, type::s8), other_mask) == dnnl_unimplemented);
    few.set_rnn_weights_qparams(24, {1, 2, 3});
    BOOST_CHECK_EXCEPTION(
        reorder::primitive_desc(cpu(), md(weights, type::f32), cpu(), md(weights, type::s8), few),
        error, [](const error &e) {
            return e.status == dnnl_invalid_arguments && std::strstr(e.what(), "12") &&
                   std::strstr(e.what(), "3");
        });
    beside.set_scales_mask(DNNL_ARG_DST, 0);
    BOOST_TEST(
        status(md({2, 3, 4}, type::f32), md({2, 3, 4}, type::u8), beside) == dnnl_unimplemented);
}
