// SPDX-License-Identifier: Apache-2.0
// Tensors of more than 2^31 elements, really worked on: every implementation but the reference,
// results compared at the borders of 31 and 32 bits, at both ends and at samples between.
#include <boost/test/unit_test.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

using dnnl::memory;
using dnnl::prop_kind;
using dims = memory::dims;
using place = memory::dim;
using tag = memory::format_tag;

constexpr place channels = 1024, width = (place {1} << 21) + 1024;
constexpr place count = channels * width; // 2^31 + 2^20

dnnl::engine &cpu() {
    static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// u8 elements; source element i is value(i).
struct tensor {
    memory::desc md;
    std::uint8_t *data;
    explicit tensor(const memory::desc &desc) : md(desc) {
        void *bytes = mmap(nullptr, md.get_size(), PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        BOOST_REQUIRE(bytes != MAP_FAILED);
        data = static_cast<std::uint8_t *>(bytes);
    }
    tensor(const tensor &) = delete;
    tensor &operator=(const tensor &) = delete;
    ~tensor() { munmap(data, md.get_size()); }
};

/// A period that is no power of two, so that an offset that lost its high bits reads another value.
constexpr place period = 9973;
std::uint8_t value(place i) { return static_cast<std::uint8_t>(i % period * 7 % 251); }

/// 2^31 + 2^20 elements whose values are known.
const tensor &source() {
    static const tensor t(memory::desc({1, channels, width}, memory::data_type::u8, tag::nwc));
    static const bool filled = [] {
        for (place i = 0; i < period; ++i) t.data[i] = value(i);
        for (place i = period; i < count; i += period)
            std::memcpy(t.data + i, t.data, static_cast<std::size_t>(std::min(period, count - i)));
        return true;
    }();
    BOOST_REQUIRE(filled);
    return t;
}

/// Indices where an error of 32 bits would show, below `end`.
std::vector<place> samples(place end) {
    std::vector<place> list;
    for (const place border : {place {0}, place {1} << 29, place {1} << 30, place {1} << 31, end})
        for (place i = border - 3000; i < border + 3000; ++i) list.push_back(i);
    for (place i = 0; i < end; i += 100003) list.push_back(i);
    list.erase(std::remove_if(list.begin(), list.end(), [&](place i) { return i < 0 || i >= end; }),
        list.end());
    return list;
}

/// wanted(i) is element i of dst as it lies in memory; rows whose names begin with `kind`.
template <class Pd, class Wanted>
void check(Pd pd, const memory::desc &src_md, const Wanted &wanted,
    std::unordered_map<int, memory> more = {}, const std::string &kind = "") {
    dnnl::stream stream(cpu());
    do {
        const std::string row = pd.impl_info_str();
        if (row.compare(0, 9, "reference") == 0) break;
        if (row.compare(0, kind.size(), kind) != 0) continue;
        const tensor dst(pd.dst_desc());
        auto arguments = more;
        arguments.emplace(DNNL_ARG_SRC, memory(src_md, cpu(), source().data));
        arguments.emplace(DNNL_ARG_DST, memory(dst.md, cpu(), dst.data));
        dnnl::primitive(pd.get()).execute(stream, arguments);
        stream.wait();
        for (const place i : samples(static_cast<place>(dst.md.get_size())))
            BOOST_REQUIRE_MESSAGE(dst.data[i] == wanted(i), row << ": element " << i << " is "
                                                                << int {dst.data[i]} << ", not "
                                                                << int {wanted(i)});
    } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
}

memory::desc u8(const dims &d, tag t) { return memory::desc(d, memory::data_type::u8, t); }
const auto inference = prop_kind::forward_inference;
} // namespace

BOOST_AUTO_TEST_CASE(eltwise) {
    const auto md = source().md;
    check(dnnl::eltwise_forward::primitive_desc(
              cpu(), inference, dnnl::algorithm::eltwise_clip, md, md, 3.0f, 100.0f),
        md, [](place i) { return std::clamp<std::uint8_t>(value(i), 3, 100); });
}

BOOST_AUTO_TEST_CASE(reorder) {
    const auto md = source().md, transposed = u8({1, channels, width}, tag::ncw);
    check(dnnl::reorder::primitive_desc(cpu(), md, cpu(), transposed), md,
        [](place i) { return value(i % width * channels + i / width); });
}

BOOST_AUTO_TEST_CASE(pooling) {
    using pooling = dnnl::pooling_forward::primitive_desc;
    const auto maximum = dnnl::algorithm::pooling_max;
    check(pooling(cpu(), inference, maximum, source().md, u8({1, channels, width / 2}, tag::nwc),
              {2}, {2}, {0}, {0}, {0}),
        source().md, [](place i) {
            const place first = i / channels * 2 * channels + i % channels;
            return std::max(value(first), value(first + channels));
        });
    const auto row = u8({1, 1, count}, tag::ncw);
    check(pooling(cpu(), inference, maximum, row, u8({1, 1, count - 2}, tag::ncw), {1}, {3}, {0},
              {0}, {0}),
        row, [](place i) {
            return std::max({value(i), value(i + 1), value(i + 2)});
        });
}

BOOST_AUTO_TEST_CASE(resampling) {
    using resampling = dnnl::resampling_forward::primitive_desc;
    const auto nearest = dnnl::algorithm::resampling_nearest;
    check(
        resampling(cpu(), inference, nearest, source().md, u8({1, channels, width / 2}, tag::nwc)),
        source().md,
        [](place i) { return value((i / channels * 2 + 1) * channels + i % channels); });
    const auto row = u8({1, 1, count}, tag::ncw);
    check(resampling(cpu(), inference, nearest, row, u8({1, 1, count / 2}, tag::ncw)), row,
        [](place i) { return value(2 * i + 1); });
    check(resampling(cpu(), inference, dnnl::algorithm::resampling_linear, row,
              u8({1, 1, count / 2}, tag::ncw)),
        row, [](place i) {
            const int sum = value(2 * i) + value(2 * i + 1), half = sum / 2;
            return static_cast<std::uint8_t>(sum % 2 ? half + half % 2 : half); // to even
        });
}

// Depthwise with a kernel of ones, and a product whose eight channels pick one element each.
BOOST_AUTO_TEST_CASE(convolution) {
    using convolution = dnnl::convolution_forward::primitive_desc;
    const auto direct = dnnl::algorithm::convolution_direct;
    const auto s8 = memory::data_type::s8;
    const memory::desc each({channels, 1, 1, 2}, s8, tag::abcd),
        all({8, channels, 2}, s8, tag::abc);
    std::vector<std::int8_t> ones(each.get_size(), 1), picks(all.get_size(), 0);
    for (place oc = 0; oc < 8; ++oc)
        picks[static_cast<std::size_t>((oc * channels + 100 * oc) * 2 + 1)] = 1;
    check(
        convolution(cpu(), inference, direct, source().md, each,
            u8({1, channels, width / 2}, tag::nwc), {2}, {0}, {0}),
        source().md,
        [](place i) {
            const place first = i / channels * 2 * channels + i % channels;
            return static_cast<std::uint8_t>(std::min(value(first) + value(first + channels), 255));
        },
        {{DNNL_ARG_WEIGHTS, memory(each, cpu(), ones.data())}}, "depthwise");
    check(
        convolution(cpu(), inference, direct, source().md, all, u8({1, 8, width / 2}, tag::nwc),
            {2}, {0}, {0}),
        source().md, [](place i) { return value((i / 8 * 2 + 1) * channels + i % 8 * 100); },
        {{DNNL_ARG_WEIGHTS, memory(all, cpu(), picks.data())}}, "gemm");
}

// More than 2^31 bytes of f32: the channels of pixel x of dst are the mean of pixels 2 x and 2 x
// + 1.
BOOST_AUTO_TEST_CASE(resampling_of_f32) {
    constexpr place from = 600000, to = from / 2;
    const memory::desc read({1, channels, from}, memory::data_type::f32, tag::nwc);
    const memory::desc written({1, channels, to}, memory::data_type::f32, tag::nwc);
    const tensor src(read), dst(written);
    auto *x = reinterpret_cast<float *>(src.data);
    const auto *y = reinterpret_cast<const float *>(dst.data);
    for (place pixel = 0; pixel < from; pixel += 997) // elsewhere zeros that take no memory
        x[pixel * channels + pixel % channels] = static_cast<float>(pixel);
    dnnl::resampling_forward::primitive_desc pd(
        cpu(), inference, dnnl::algorithm::resampling_linear, read, written);
    dnnl::stream stream(cpu());
    dnnl::primitive(pd.get()).execute(
        stream, {{DNNL_ARG_SRC, memory(read, cpu(), src.data)},
                    {DNNL_ARG_DST, memory(written, cpu(), dst.data)}});
    stream.wait();
    for (place pixel = 0; pixel < from; pixel += 997)
        BOOST_REQUIRE_EQUAL(
            y[pixel / 2 * channels + pixel % channels], 0.5f * static_cast<float>(pixel));
}
