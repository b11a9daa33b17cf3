// SPDX-License-Identifier: Apache-2.0
// Conversions of every element type, for every code of the types of at most 16 bits, against a
// model in exact long double arithmetic. `-- --full` adds all 2^32 f32 inputs.
#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "common/layout/data_type.hpp"
#include "data_type_model.hpp"
#include "ref/tensor.hpp"

using namespace dnnl::impl;
using namespace data_type_model;

namespace {

/// The code that store_f32() leaves.
std::uint32_t stored(data_type type, float value) {
    std::uint32_t code = 0;
    store_f32(type, &code, 0, value);
    return is_4bit(type) ? code & 15 : code;
}

float loaded(data_type type, std::uint32_t code) { return load_f32(type, &code, 0); }

std::string text(const format &f, float value) {
    char number[64];
    std::snprintf(number, sizeof number, "%a to ", value);
    return number + std::string(name_of(f.type));
}

void check_conversion(const format &f, float value) {
    const std::uint32_t got = stored(f.type, value);
    if (f.is_expected(got, value)) return;
    BOOST_ERROR(text(f, value) << ": code " << got << ", not " << f.narrowed(value));
}

std::vector<float> every_value_of(const format &f) {
    std::vector<float> values;
    for (std::uint32_t code = 0; code < f.codes(); ++code) values.push_back(loaded(f.type, code));
    return values;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_code_is_widened_exactly) {
    for (const format &f : small_formats())
        for (std::uint32_t code = 0; code < f.codes(); ++code) {
            const long double wanted = f.value(code);
            const float got = loaded(f.type, code);
            const bool same = std::isnan(wanted) ? std::isnan(got)
                                                 : static_cast<long double>(got) == wanted &&
                                                       std::signbit(got) == std::signbit(wanted);
            BOOST_REQUIRE_MESSAGE(same, name_of(f.type) << " code " << code << " gives " << got);
        }
}

BOOST_AUTO_TEST_CASE(every_code_comes_back) {
    for (const format &f : small_formats())
        for (std::uint32_t code = 0; code < f.codes(); ++code)
            if (!std::isnan(f.value(code)))
                BOOST_REQUIRE_EQUAL(stored(f.type, loaded(f.type, code)), code);
}

BOOST_AUTO_TEST_CASE(every_value_of_a_type_into_every_type) {
    for (const format &from : small_formats())
        for (const float value : every_value_of(from))
            for (const format &to : all_formats()) check_conversion(to, value);
}

BOOST_AUTO_TEST_CASE(ties_and_their_neighbours) {
    for (const format &f : all_formats())
        for (const float tie : f.ties())
            for (const float value : {tie, std::nextafterf(tie, 0), std::nextafterf(tie, INFINITY)})
                for (const float signed_value : {value, -value}) check_conversion(f, signed_value);
}

BOOST_AUTO_TEST_CASE(extremes_into_every_type) {
    for (const format &f : all_formats())
        for (const float value : {INFINITY, NAN, 3.4028235e38f, 0x1p31f, 2147483520.0f, 0x1p-149f,
                 0x1p-126f, 0.0f, 464.0f, 57344.0f, 61440.0f, 65519.0f, 65520.0f, 300.0f})
            for (const float signed_value : {value, -value}) check_conversion(f, signed_value);
}

BOOST_AUTO_TEST_CASE(f64_is_rounded_once) {
    for (const data_type type : {data_type::bf16, data_type::f16, data_type::f8_e5m2,
             data_type::f8_e4m3, data_type::s8, data_type::u8, data_type::s32}) {
        const format &f = format_of(type);
        const auto check = [&](double value) {
            std::uint64_t code = 0;
            ref::with_elements(
                type, &code, [&](auto elements) { ref::store_element(elements, 0, value); });
            BOOST_CHECK_MESSAGE(f.is_expected(static_cast<std::uint32_t>(code), value),
                name_of(f.type) << " from " << value);
        };
        for (const float tie : f.ties())
            for (const double nudge : {0.0, 0x1p-30, -0x1p-30, 0x1p-50, -0x1p-50})
                for (const double sign : {1.0, -1.0}) check(sign * tie * (1 + nudge));
        for (const double value :
            {1e300, -1e300, 1e-300, -1e-300, 0.1, 2147483647.4, -2147483648.6})
            check(value);
    }
}

BOOST_AUTO_TEST_CASE(four_bit_elements_share_bytes) {
    for (const data_type type : {data_type::s4, data_type::u4, data_type::f4_e2m1}) {
        std::uint8_t bytes[4] = {0xff, 0xff, 0xff, 0xff};
        for (dim_t i = 0; i < 7; ++i) store_f32(type, bytes, i, static_cast<float>(i % 4));
        const std::uint32_t one = stored(type, 1), two = stored(type, 2), three = stored(type, 3);
        BOOST_CHECK_EQUAL(bytes[0], one << 4);
        BOOST_CHECK_EQUAL(bytes[1], three << 4 | two);
        BOOST_CHECK_EQUAL(bytes[3], 0xf0 | two); // the neighbour behind the last one stays
        const float wanted[] = {0, 1, 2, 3, 0, 1, 2};
        for (dim_t i = 0; i < 7; ++i) BOOST_CHECK_EQUAL(load_f32(type, bytes, i), wanted[i]);
    }
    const std::uint8_t pair = 0x87;
    BOOST_CHECK_EQUAL(load_s32(data_type::s4, &pair, 0), 7);
    BOOST_CHECK_EQUAL(load_s32(data_type::s4, &pair, 1), -8);
    BOOST_CHECK_EQUAL(load_s32(data_type::u4, &pair, 1), 8);
}

BOOST_AUTO_TEST_CASE(threads_may_write_neighbouring_nibbles) {
    constexpr dim_t count = 20000;
    std::vector<std::uint8_t> bytes(count / 2, 0);
    const auto write = [&](dim_t first) {
        for (dim_t i = first; i < count; i += 2) set_nibble(bytes.data(), i, (i * 7 + 1) & 15);
    };
    std::thread other(write, 1);
    write(0);
    other.join();
    dim_t wrong = 0;
    for (dim_t i = 0; i < count; ++i)
        wrong += nibble_of(bytes[static_cast<std::size_t>(i / 2)], i) != ((i * 7 + 1) & 15);
    BOOST_CHECK_EQUAL(wrong, 0);
}

namespace {
boost::test_tools::assertion_result full_set_is_wanted(boost::unit_test::test_unit_id) {
    const auto &suite = boost::unit_test::framework::master_test_suite();
    for (int i = 1; i < suite.argc; ++i)
        if (std::string(suite.argv[i]) == "--full") return true;
    return false;
}

/// Walks the f32 values of one sign from 0 upwards beside the list of steps of the format.
template <class Convert>
std::uint64_t wrong_codes(const format &f, bool negative, const Convert &convert) {
    const std::vector<step> steps = f.steps(negative);
    std::size_t at = 0;
    std::uint64_t wrong = 0;
    for (std::uint32_t magnitude = 0; magnitude <= 0x7f800000; ++magnitude) {
        while (magnitude > steps[at].last) ++at;
        const float value = std::bit_cast<float>(magnitude | std::uint32_t {negative} << 31);
        wrong += convert(value) != steps[at].code;
    }
    for (std::uint32_t magnitude = 0x7f800001; magnitude < 0x80000000; ++magnitude) {
        const float value = std::bit_cast<float>(magnitude | std::uint32_t {negative} << 31);
        wrong += !f.is_expected(convert(value), value);
    }
    return wrong;
}

template <class Convert> void check_all_inputs(data_type type, const Convert &convert) {
    const format &f = format_of(type);
    std::uint64_t wrong = 0;
    std::thread negative([&] { wrong = wrong_codes(f, true, convert); });
    const std::uint64_t wrong_positive = wrong_codes(f, false, convert);
    negative.join();
    BOOST_CHECK_MESSAGE(
        wrong + wrong_positive == 0, wrong + wrong_positive << " wrong codes of " << name_of(type));
}
} // namespace

BOOST_AUTO_TEST_CASE(all_f32_inputs, *boost::unit_test::precondition(full_set_is_wanted)) {
    check_all_inputs(data_type::bf16, [](float x) { return std::uint32_t {f32_to_bf16(x)}; });
    check_all_inputs(data_type::f16, [](float x) { return std::uint32_t {f32_to_f16(x)}; });
    for (const data_type f8 : {data_type::f8_e5m2, data_type::f8_e4m3})
        check_all_inputs(f8, [f8](float x) { return std::uint32_t {f32_to_code(f8, x)}; });
    check_all_inputs(data_type::s8,
        [](float x) { return std::uint32_t {static_cast<std::uint8_t>(f32_to_s8(x))}; });
    check_all_inputs(data_type::u8, [](float x) { return std::uint32_t {f32_to_u8(x)}; });
}
