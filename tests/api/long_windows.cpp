// SPDX-License-Identifier: Apache-2.0
// Averages over windows of millions of elements: integers stay exact, floats keep their digits. By
// every implementation, pixels or channels adjacent.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "dnnl/dnnl.hpp"

namespace {

using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;

template <class T> memory filled(const memory::desc &md, const dnnl::engine &engine, T value) {
    memory made(md, engine);
    T *data = static_cast<T *>(made.get_data_handle());
    std::fill_n(data, md.get_size() / sizeof(T), value);
    return made;
}

/// The average of equal elements is that element, whether or not the padding counts.
template <class T>
void check(type data, T value, std::int64_t C, std::int64_t side, double tolerance) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    for (const tag order : {tag::nchw, tag::nhwc}) {
        const memory::desc src({1, C, side, side}, data, order), dst({1, C, 1, 1}, data, order);
        const memory from = filled(src, engine, value);
        dnnl::pooling_forward::primitive_desc pd(engine, dnnl::prop_kind::forward_inference,
            dnnl::algorithm::pooling_avg_exclude_padding, src, dst, {1, 1}, {side, side}, {0, 0},
            {0, 0}, {0, 0});
        do {
            memory to = filled(dst, engine, T(1));
            dnnl::pooling_forward(pd).execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
            stream.wait();
            for (std::int64_t c = 0; c < C; ++c) {
                const double got = static_cast<double>(static_cast<T *>(to.get_data_handle())[c]);
                const double right = static_cast<double>(value);
                BOOST_TEST(std::fabs(got - right) <= tolerance * std::fabs(right),
                    pd.impl_info_str() << ": " << got << ", expected " << right);
            }
        } while (pd.next_impl());
    }
}

} // namespace

// 2,900^2 elements of 255 are 2,144,550,000, 3,000^2 are beyond s32.
BOOST_AUTO_TEST_CASE(bytes) {
    check<std::uint8_t>(type::u8, 255, 1, 2900, 0);
    check<std::uint8_t>(type::u8, 255, 2, 3000, 0);
    check<std::int8_t>(type::s8, -128, 1, 4100, 0);
}

// 0.1 is no number of f32, so that every addition is rounded; in one order the error is 7 %.
BOOST_AUTO_TEST_CASE(floats) {
    check<float>(type::f32, 0.1f, 1, 3000, 1e-5);
    check<float>(type::f32, 0.1f, 18, 600, 1e-5);
    check<float>(type::f32, 0.1f, 3, 150, 1e-5);
}
