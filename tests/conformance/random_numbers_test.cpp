// SPDX-License-Identifier: Apache-2.0
// The oracle's own generator against the published words, and the knobs that use it.
#include "oracle/random_numbers.hpp"

#include "language/attributes.hpp"
#include "language/usage_error.hpp"

#include <boost/test/unit_test.hpp>

using namespace conformance;

BOOST_AUTO_TEST_SUITE(random_numbers)

BOOST_AUTO_TEST_CASE(words_are_those_of_the_specification) {
    BOOST_TEST(random_word(0, 0) == 0x5D940E0Du);
    BOOST_TEST(random_word(3, 0) == 0x67392736u);
    BOOST_TEST(random_word(5, 1) == 0x09C6B614u);
    BOOST_TEST(random_word(1000, 12345) == 0x75E41CF9u);
    BOOST_TEST(random_word(7, std::uint32_t(-7)) == 0xD4E8E8B4u);
}

BOOST_AUTO_TEST_CASE(rounding_carries_by_random_bytes) {
    // R(0, 0) ends in 0D: the value 1 + 0xFFF3 * 2^-23 just reaches the next bf16.
    const double ulp = 1.0 / (1 << 23);
    BOOST_TEST(rounded_at_random(1 + 0xFFF3 * ulp, data_type::bf16, 0, 0) == 1.0078125);
    BOOST_TEST(rounded_at_random(1 + 0xFFF2 * ulp, data_type::bf16, 0, 0) == 1.0);
    BOOST_TEST(rounded_at_random(-1e9, data_type::f16, 0, 0) == -65504.0);
    const interval x =
        rounded_at_random(interval(1 + 0xFFF2 * ulp, 2 * ulp), data_type::bf16, 0, 0); // either way
    BOOST_TEST((x.low == 1.0 && x.high == 1.0078125));
}

BOOST_AUTO_TEST_CASE(knobs_have_one_form) {
    BOOST_TEST(text_of(dropout_of("0.5:0")) == "0.5");
    BOOST_TEST(text_of(dropout_of("0.5:0:ab")) == "0.5:0:ab");
    BOOST_TEST(text_of(dropout_of("1:-7:any")) == "1:-7");
    BOOST_CHECK_THROW(dropout_of("1.5"), usage_error);
    BOOST_CHECK_THROW(dropout_of("0.5:1:ab:2"), usage_error);
    BOOST_TEST(text_of(rounding_of("dst:environment")) == "");
    BOOST_TEST(text_of(rounding_of("DST:Stochastic:3")) == "dst:stochastic:3");
    BOOST_CHECK_THROW(rounding_of("dst:up"), usage_error);
    BOOST_TEST(text_of(post_ops_of("dw:k3s1p1:f32+prelu:common+prelu:per_oc")) ==
               "dw:k3s1p1+prelu+prelu:per_oc");
    BOOST_TEST(text_of(post_ops_of("relu+dw:k5s2p0:u8")) == "relu+dw:k5s2p0:u8");
    for (const char *wrong :
        {"dw", "dw:s1p1", "dw:k3s1", "dw:k0s1p1", "prelu:-7", "prelu:common:1"})
        BOOST_CHECK_THROW(post_ops_of(wrong), usage_error);
}

BOOST_AUTO_TEST_SUITE_END()
