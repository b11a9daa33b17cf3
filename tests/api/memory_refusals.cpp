// SPDX-License-Identifier: Apache-2.0
// Which memories an execution takes besides those of the primitive's own descriptor, and how it
// refuses the others: both descriptors stand in the reason.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <functional>
#include <string>
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
memory::desc tagged(const dims &extents, tag layout, data_type type = data_type::f32) {
    return {extents, type, layout};
}
template <class T = float> memory filled(const memory::desc &md) {
    memory made(md, cpu());
    auto *data = static_cast<T *>(made.get_data_handle());
    for (std::size_t i = 0; i < md.get_size() / sizeof(T); ++i)
        data[i] = static_cast<T>(static_cast<int>(i * 5 % 9) - 4);
    return made;
}
template <class T = float> std::vector<T> values(const memory &m) {
    const auto *data = static_cast<const T *>(m.get_data_handle());
    return std::vector<T>(data, data + m.get_desc().get_size() / sizeof(T));
}

void refused(const std::function<void()> &call, const std::string &text) {
    try {
        call();
        BOOST_ERROR("accepted, expected: " << text);
    } catch (const dnnl::error &e) {
        BOOST_TEST(e.status == dnnl_invalid_arguments);
        const std::string reason = e.what();
        BOOST_TEST(reason.find(text) != std::string::npos, "`" << reason << "` lacks " << text);
    }
}

/// dst = relu(src), 64 x 32.
void copy(const memory::desc &md, const memory &src, const memory &dst) {
    dnnl::stream stream(cpu());
    dnnl::eltwise_forward(
        dnnl::eltwise_forward::primitive_desc(
            cpu(), dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, md, md))
        .execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

} // namespace

BOOST_AUTO_TEST_CASE(what_cannot_be_right) {
    const memory::desc rows = tagged({64, 32}, tag::ab);
    const memory dst = filled(rows);
    const auto passes_src = [&](const memory::desc &md, const memory::desc &passed) {
        return [&, md, passed] { copy(md, memory(passed, cpu()), dst); };
    };
    refused(passes_src(rows, tagged({64, 32}, tag::ab, data_type::bf16)),
        "its memory is bf16 ab 64x32, expected f32 ab 64x32");
    refused(passes_src(rows, memory::desc({64, 32}, data_type::f32, {40, 1})),
        "its memory is f32 ab 64x32 strides 40x1, expected f32 ab 64x32");
    refused(passes_src(rows, tagged({2047}, tag::a)),
        "its memory is f32 a 2047, expected f32 ab 64x32: the buffer has 8188 bytes of 8192");
    // A region of a parent, with the memory of a smaller one: the offset counts.
    const memory::desc parent = tagged({66, 32}, tag::ab);
    const memory::desc region = parent.submemory_desc({64, 32}, {2, 0});
    refused(
        [&] {
            copy(region, memory(tagged({65, 32}, tag::ab), cpu()), memory(parent, cpu()));
        },
        "its memory is f32 ab 65x32, expected f32 ab 64x32 offset 64: the buffer has 8320 bytes of "
        "8448");
    // Equal dims, another place in the buffer.
    std::vector<float> buffer(66 * 32);
    refused([&] { copy(rows, memory(region, cpu(), buffer.data()), dst); },
        "its memory is f32 ab 64x32 offset 64, expected f32 ab 64x32");
    // A forgotten reorder to a blocked layout, and from one.
    const memory::desc image = tagged({2, 32, 3, 3}, tag::abcd);
    const memory::desc blocks = tagged({2, 32, 3, 3}, tag::aBcd16b);
    refused([&] { copy(blocks, memory(image, cpu()), memory(blocks, cpu())); },
        "its memory is f32 abcd 2x32x3x3, expected f32 aBcd16b 2x32x3x3");
    refused([&] { copy(image, memory(blocks, cpu()), memory(image, cpu())); },
        "its memory is f32 aBcd16b 2x32x3x3, expected f32 abcd 2x32x3x3");
}

BOOST_AUTO_TEST_CASE(what_is_read_as_bytes) {
    // Dense in another order of dimensions.
    const memory::desc rows = tagged({4, 8}, tag::ab), columns = tagged({4, 8}, tag::ba);
    const memory src = filled(columns), dst = filled(rows);
    copy(rows, src, dst);
    const auto all = values(src), got = values(dst);
    for (std::size_t i = 0; i < all.size(); ++i) BOOST_TEST(got[i] == std::max(all[i], 0.f));
    // Bytes of the other sign: -1 is 255.
    const memory::desc u8 = tagged({2, 16}, tag::ab, data_type::u8),
                       s8 = tagged({2, 16}, tag::ab, data_type::s8);
    const dnnl::reorder widen(
        dnnl::reorder::primitive_desc(cpu(), u8, cpu(), tagged({2, 16}, tag::ab)));
    memory bytes = filled<std::int8_t>(s8), wide(tagged({2, 16}, tag::ab), cpu());
    dnnl::stream stream(cpu());
    widen.execute(stream, bytes, wide);
    const auto given = values<std::int8_t>(bytes);
    for (std::size_t i = 0; i < given.size(); ++i)
        BOOST_TEST(values(wide)[i] == static_cast<float>(static_cast<std::uint8_t>(given[i])));
}

// dst is s8, what a sum post-op adds to it is read as u8: a memory of either type.
BOOST_AUTO_TEST_CASE(dst_in_the_type_of_a_sum) {
    const memory::desc src = tagged({3, 8}, tag::ab, data_type::u8),
                       weights = tagged({8, 5}, tag::ab, data_type::s8),
                       dst = tagged({3, 5}, tag::ab, data_type::f32);
    dnnl::post_ops sums;
    sums.append_sum(1.f, 0, data_type::s32);
    primitive_attr attr;
    attr.set_post_ops(sums);
    dnnl::matmul::primitive_desc pd(cpu(), src, weights, dst, attr);
    do {
        const memory whole = filled<std::int32_t>(tagged({3, 5}, tag::ab, data_type::s32));
        const auto before = values<std::int32_t>(whole);
        const memory a = filled<std::uint8_t>(src), b = filled<std::int8_t>(weights);
        dnnl::stream stream(cpu());
        dnnl::matmul(pd).execute(
            stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, whole}});
        const auto x = values<std::uint8_t>(a);
        const auto w = values<std::int8_t>(b);
        const auto *got = static_cast<const float *>(whole.get_data_handle());
        for (std::size_t m = 0; m < 3; ++m)
            for (std::size_t n = 0; n < 5; ++n) {
                int sum = before[m * 5 + n];
                for (std::size_t k = 0; k < 8; ++k) sum += x[m * 8 + k] * w[k * 5 + n];
                BOOST_TEST(got[m * 5 + n] == static_cast<float>(sum), pd.impl_info_str());
            }
    } while (pd.next_impl());
}

BOOST_AUTO_TEST_CASE(what_may_be_right) {
    const memory::desc md = tagged({1, 64, 1, 1}, tag::abcd);
    const memory dst(md, cpu());
    // The same bytes under other names: another rank, other dims, layouts that place all elements
    // alike, strides of dimensions of size 1, a longer buffer.
    for (const memory::desc &passed :
        {tagged({64}, tag::a), tagged({1, 64}, tag::ab), tagged({8, 8}, tag::ab),
            tagged({1, 64, 1, 1}, tag::acdb), tagged({1, 64, 1, 1}, tag::aBcd16b),
            memory::desc({1, 64, 1, 1}, data_type::f32, {1000, 1, 7, 3}),
            tagged({3, 64}, tag::ab)}) {
        const memory src = filled(passed);
        copy(md, src, dst);
        const auto got = values(dst), all = values(src);
        int wrong = 0;
        for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != (all[i] > 0 ? all[i] : 0);
        BOOST_TEST(wrong == 0);
    }
    // The last row of a region need not fill the row of its parent.
    std::vector<float> end(2 * 32);
    const memory::desc corner = tagged({4, 32}, tag::ab).submemory_desc({2, 3}, {2, 29});
    std::vector<float> parent(4 * 32, 2.0f), results(4 * 32, 0.0f);
    copy(corner, memory(tagged({4, 32}, tag::ab), cpu(), parent.data()),
        memory(tagged({128}, tag::a), cpu(), results.data()));
    float sum = 0;
    for (float x : results) sum += x;
    BOOST_TEST(sum == 12.0f);
    BOOST_TEST(results[3 * 32 + 31] == 2.0f);
}

BOOST_AUTO_TEST_CASE(a_row_for_a_vector) {
    // {1, C} where {C} was said, and the other way round: bias and source of a post-op.
    const dims strides {1, 1}, none {0, 0};
    dnnl::post_ops ops;
    ops.append_binary(dnnl::algorithm::binary_add, tagged({1, 24, 1, 1}, tag::abcd));
    for (const auto mode : {dnnl::scratchpad_mode::library, dnnl::scratchpad_mode::user}) {
        primitive_attr attr;
        attr.set_post_ops(ops);
        attr.set_scratchpad_mode(mode);
        dnnl::convolution_forward::primitive_desc pd(cpu(), dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, tagged({2, 16, 5, 5}, tag::acdb),
            tagged({24, 16, 1, 1}, tag::abcd), tagged({24}, tag::a),
            tagged({2, 24, 5, 5}, tag::acdb), strides, none, none, attr);
        const memory src = filled(tagged({2, 16, 5, 5}, tag::acdb));
        const memory weights = filled(tagged({24, 16, 1, 1}, tag::abcd));
        std::vector<float> expected;
        do
            for (const bool rows : {false, true}) {
                const memory bias = filled(rows ? tagged({1, 24}, tag::ab) : tagged({24}, tag::a));
                const memory addend =
                    filled(rows ? tagged({24}, tag::a) : tagged({1, 24, 1, 1}, tag::abcd));
                const memory dst(tagged({2, 24, 5, 5}, tag::acdb), cpu());
                dnnl::stream stream(cpu());
                dnnl::convolution_forward(pd).execute(
                    stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                                {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst},
                                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, addend},
                                {DNNL_ARG_SCRATCHPAD, memory(pd.scratchpad_desc(), cpu())}});
                if (expected.empty()) expected = values(dst);
                BOOST_TEST((values(dst) == expected), pd.impl_info_str());
            }
        while (pd.next_impl());
    }
}

BOOST_AUTO_TEST_CASE(a_plain_buffer_for_packed_weights) {
    // Packed weights with appended column sums, kept by the program as so many bytes.
    primitive_attr attr;
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    dnnl::convolution_forward::primitive_desc pd(cpu(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, tagged({2, 16, 5, 5}, tag::acdb, data_type::u8),
        tagged({24, 16, 3, 3}, tag::any, data_type::s8),
        tagged({2, 24, 3, 3}, tag::acdb, data_type::s32), {1, 1}, {0, 0}, {0, 0}, attr);
    const memory src = filled<std::uint8_t>(tagged({2, 16, 5, 5}, tag::acdb, data_type::u8));
    memory given = filled<std::int8_t>(tagged({24, 16, 3, 3}, tag::abcd, data_type::s8));
    const memory zero_point = filled<std::int32_t>(tagged({1}, tag::a, data_type::s32));
    std::vector<std::int32_t> expected;
    do {
        const memory::desc packed = pd.weights_desc();
        const auto bytes = static_cast<memory::dim>(packed.get_size());
        memory weights(packed, cpu());
        const memory buffer(
            tagged({bytes}, tag::a, data_type::s8), cpu(), weights.get_data_handle());
        const memory shorter(
            tagged({bytes - 1}, tag::a, data_type::s8), cpu(), weights.get_data_handle());
        dnnl::stream stream(cpu());
        dnnl::reorder(given, weights).execute(stream, given, weights);
        const auto run = [&](const memory &passed) {
            const memory dst(pd.dst_desc(), cpu());
            dnnl::convolution_forward(pd).execute(
                stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, passed}, {DNNL_ARG_DST, dst},
                            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, zero_point}});
            return values<std::int32_t>(dst);
        };
        if (expected.empty()) expected = run(weights);
        BOOST_TEST((run(weights) == expected), pd.impl_info_str());
        BOOST_TEST((run(buffer) == expected), pd.impl_info_str());
        refused([&] { run(shorter); },
            "DNNL_ARG_WEIGHTS: its memory is s8 a " + std::to_string(bytes - 1) + ", expected s8 ");
        if (packed != given.get_desc())
            refused([&] { run(given); }, "its memory is s8 abcd 24x16x3x3, expected s8 ");
    } while (pd.next_impl());
}

BOOST_AUTO_TEST_CASE(run_time_dims_come_from_the_memory) {
    const dims rows {DNNL_RUNTIME_DIM_VAL, 17}, results {DNNL_RUNTIME_DIM_VAL, 33};
    dnnl::matmul::primitive_desc pd(cpu(), tagged(rows, tag::ab), tagged({17, 33}, tag::ab),
        tagged({1, 33}, tag::ab), tagged(results, tag::ab));
    const memory weights = filled(tagged({17, 33}, tag::ab));
    const auto run = [&](const memory::desc &src, const memory::desc &bias) {
        const memory dst(tagged({9, 33}, tag::ab), cpu());
        dnnl::stream stream(cpu());
        dnnl::matmul(pd).execute(stream, {{DNNL_ARG_SRC, filled(src)}, {DNNL_ARG_WEIGHTS, weights},
                                             {DNNL_ARG_BIAS, filled(bias)}, {DNNL_ARG_DST, dst}});
        return values(dst);
    };
    do {
        const auto expected = run(tagged({9, 17}, tag::ab), tagged({1, 33}, tag::ab));
        BOOST_TEST((run(tagged({9, 17}, tag::ab), tagged({33}, tag::a)) == expected));
        refused(
            [&] {
                run(tagged({9, 17}, tag::ba), tagged({33}, tag::a));
            },
            "DNNL_ARG_SRC: its memory is f32 ba 9x17, expected f32 ab *x17");
        refused(
            [&] {
                run(tagged({9, 18}, tag::ab), tagged({33}, tag::a));
            },
            "its memory is f32 ab 9x18, expected f32 ab *x17");
    } while (pd.next_impl());
}

// Every engine object is the one CPU.
BOOST_AUTO_TEST_CASE(memories_of_other_engines) {
    const dnnl::engine other(dnnl::engine::kind::cpu, 0);
    const memory::desc md = tagged({4, 8}, tag::ab), columns = tagged({4, 8}, tag::ba);
    memory here = filled(md), there(columns, other);
    const memory copied(md, other);
    copy(md, here, copied);
    BOOST_TEST(values(copied)[2] == std::max(values(here)[2], 0.f));
    const dnnl::reorder between(dnnl::reorder::primitive_desc(cpu(), md, other, columns));
    dnnl::stream stream(cpu());
    between.execute(stream, here, there);
    BOOST_TEST(values(there)[1] == values(here)[8]);
    const dnnl::engine third(dnnl::engine::kind::cpu, 0);
    memory elsewhere(columns, third);
    between.execute(stream, here, elsewhere);
    BOOST_TEST(values(elsewhere)[1] == values(here)[8]);
}

namespace {
/// dst = src * (weights * scales), f32 by s8, groups of 4 along K; the scales as passed.
struct scaled_matmul {
    static constexpr memory::dim M = 2, K = 8, N = 3;
    memory src = filled(tagged({M, K}, tag::ab));
    memory weights = filled<std::int8_t>(tagged({K, N}, tag::ab, data_type::s8));
    float at[2][N] = {{1, 2, 3}, {4, 5, 6}};

    std::vector<float> expected() const {
        const auto a = values(src);
        const auto b = values<std::int8_t>(weights);
        std::vector<float> c(M * N);
        for (memory::dim m = 0; m < M; ++m)
            for (memory::dim n = 0; n < N; ++n)
                for (memory::dim k = 0; k < K; ++k)
                    c[m * N + n] += a[m * K + k] * at[k / 4][n] * b[k * N + n];
        return c;
    }
    void check(const memory &scales) const {
        primitive_attr attr;
        attr.set_scales(DNNL_ARG_WEIGHTS, 3, {4, 1});
        attr.set_fpmath_mode(dnnl::fpmath_mode::strict, true);
        dnnl::matmul::primitive_desc pd(
            cpu(), src.get_desc(), weights.get_desc(), tagged({M, N}, tag::ab), attr);
        do {
            const memory dst(tagged({M, N}, tag::ab), cpu());
            dnnl::stream stream(cpu());
            dnnl::matmul(pd).execute(
                stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst},
                            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales}});
            BOOST_TEST((values(dst) == expected()), pd.impl_info_str());
        } while (pd.next_impl());
    }
};
} // namespace

BOOST_FIXTURE_TEST_CASE(scales_are_dense_and_row_major, scaled_matmul) {
    float dense[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const auto scales = [&](const memory::desc &md) { return memory(md, cpu(), dense); };
    check(scales(tagged({2, 3}, tag::ab)));
    check(scales(tagged({6}, tag::a)));
    check(scales(tagged({1, 2, 3}, tag::abc)));
    // The same bytes under other dims or another order, and more of them.
    check(scales(tagged({2, 3}, tag::ba)));
    check(scales(tagged({3, 2}, tag::ab)));
    check(scales(tagged({8}, tag::a)));
    float behind[] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6};
    check(memory(tagged({4, 3}, tag::ab).submemory_desc({2, 3}, {2, 0}), cpu(), behind));
    const std::string expected = ", expected f32 ab 2x3";
    const auto is_refused = [&](const memory::desc &md, const std::string &is) {
        refused([&] { check(scales(md)); },
            "matmul: DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS: its memory is " + is + expected);
    };
    is_refused({{2, 3}, data_type::f32, {5, 1}}, "f32 ab 2x3 strides 5x1");
    is_refused({{6}, data_type::f32, {2}}, "f32 a 6 strides 2");
    is_refused(tagged({3}, tag::a), "f32 a 3");
    is_refused(tagged({0}, tag::a), "f32 a 0");
    is_refused(tagged({2, 3}, tag::ab, data_type::bf16), "bf16 ab 2x3");
}

BOOST_AUTO_TEST_CASE(one_value_where_the_mask_names_no_dimension) {
    const memory::desc md = tagged({4, 8}, tag::ab);
    primitive_attr attr;
    attr.set_zero_points_mask(DNNL_ARG_FROM, 0);
    const memory::desc bytes = tagged({4, 8}, tag::ab, data_type::u8);
    const dnnl::reorder widen(dnnl::reorder::primitive_desc(cpu(), bytes, cpu(), md, attr));
    const auto run = [&](const memory::desc &zero_points) {
        dnnl::stream stream(cpu());
        widen.execute(stream,
            {{DNNL_ARG_FROM, filled<std::uint8_t>(bytes)}, {DNNL_ARG_TO, memory(md, cpu())},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM, filled<std::int32_t>(zero_points)}});
    };
    run(tagged({1}, tag::a, data_type::s32));
    run(tagged({1, 1}, tag::ab, data_type::s32));
    refused([&] { run(tagged({0}, tag::a, data_type::s32)); },
        "its memory is s32 a 0, expected s32 a 1");
    run(tagged({8}, tag::a, data_type::s32)); // its first value
}
