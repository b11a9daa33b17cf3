// SPDX-License-Identifier: Apache-2.0
// Sums of products of bytes are exact however long they are: at the longest sum that s32 surely
// holds, one product beyond it, and far beyond, of extreme values, by every implementation.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <ios>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"

namespace {

using api_tests::cpu;
using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;

struct pair_of_types {
    type a, b;
};
const pair_of_types pairs[] {
    {type::u8, type::u8}, {type::u8, type::s8}, {type::s8, type::u8}, {type::s8, type::s8}};

/// The extreme values of a byte.
int lowest(type t) { return t == type::u8 ? 0 : -128; }
int highest(type t) { return t == type::u8 ? 255 : 127; }
/// The value of largest magnitude.
int farthest(type t) { return t == type::u8 ? 255 : -128; }

/// The longest sum of products of a and b that s32 surely holds.
std::int64_t limit(int a, int b) {
    return std::numeric_limits<std::int32_t>::max() / std::abs(std::int64_t {a} * b);
}

memory filled(const memory::desc &md, int value) {
    memory result(md, cpu());
    std::fill_n(
        static_cast<char *>(result.get_data_handle()), md.get_size(), static_cast<char>(value));
    return result;
}

memory one_value(std::int32_t value) {
    memory result({{1}, type::s32, tag::a}, cpu());
    *static_cast<std::int32_t *>(result.get_data_handle()) = value;
    return result;
}

/// What an exact sum becomes in dst.
double stored(double sum, type dst) {
    if (dst == type::f32) return static_cast<float>(sum);
    const std::numeric_limits<std::int32_t> s32;
    return std::min<double>(std::max<double>(sum, s32.min()), s32.max());
}

using arguments = std::unordered_map<int, memory>;

/// Every implementation computes `sum` for each element of dst.
template <class Primitive, class PrimitiveDesc>
void check(PrimitiveDesc pd, arguments args, double sum, const std::string &what) {
    dnnl::stream stream(cpu());
    do {
        const memory::desc md = pd.dst_desc();
        memory dst(md, cpu());
        args[DNNL_ARG_DST] = dst;
        Primitive(pd).execute(stream, args);
        stream.wait();
        const double expected = stored(sum, md.get_data_type());
        const void *data = dst.get_data_handle();
        double worst = expected;
        for (std::size_t i = 0; i < md.get_size() / 4; ++i) {
            const double x = md.get_data_type() == type::f32
                                 ? static_cast<double>(static_cast<const float *>(data)[i])
                                 : static_cast<double>(static_cast<const std::int32_t *>(data)[i]);
            if (x != expected) worst = x;
        }
        BOOST_TEST(worst == expected, what << ", " << pd.impl_info_str() << ": " << std::fixed
                                           << worst << " instead of " << expected);
    } while (pd.next_impl());
}

struct values {
    int a, b;
    bool a_shifted, b_shifted;              ///< with zero points at the other end of the range
    int a_zero_point = 0, b_zero_point = 0; ///< or with these, where they are not 0
};

std::string name_of(const pair_of_types &t, const values &v, std::int64_t K) {
    const auto of = [](type x) { return x == type::u8 ? "u8" : "s8"; };
    return std::string(of(t.a)) + " x " + of(t.b) + ", " + std::to_string(v.a) + " * " +
           std::to_string(v.b) + ", K = " + std::to_string(K) +
           (v.a_shifted ? ", src shifted" : "") + (v.b_shifted ? ", weights shifted" : "");
}

int zero_point(type t, int value) { return value == highest(t) ? lowest(t) : highest(t); }

/// groups: each half of K has a scale of the weights of its own, 1.
void check_matmul(const pair_of_types &t, const values &v, std::int64_t K, type dst,
    std::int64_t M = 1, bool groups = false) {
    const std::int64_t N = 33;
    dnnl::primitive_attr attr;
    arguments args;
    double a = v.a, b = v.b;
    const auto shift = [&](int arg, int by, double &x) {
        attr.set_zero_points_mask(arg, 0);
        args[DNNL_ARG_ATTR_ZERO_POINTS | arg] = one_value(by);
        x -= by;
    };
    if (v.a_shifted) shift(DNNL_ARG_SRC, v.a_zero_point ? v.a_zero_point : zero_point(t.a, v.a), a);
    if (v.b_shifted)
        shift(DNNL_ARG_WEIGHTS, v.b_zero_point ? v.b_zero_point : zero_point(t.b, v.b), b);
    if (groups) {
        attr.set_scales(DNNL_ARG_WEIGHTS, 3, {K / 2, 1}, type::f32);
        const memory ones({{2, N}, type::f32, tag::ab}, cpu());
        std::fill_n(static_cast<float *>(ones.get_data_handle()), 2 * N, 1.0f);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = ones;
    }
    const memory::desc src({M, K}, t.a, tag::ab), weights({K, N}, t.b, tag::ab);
    args[DNNL_ARG_SRC] = filled(src, v.a);
    args[DNNL_ARG_WEIGHTS] = filled(weights, v.b);
    check<dnnl::matmul>(
        dnnl::matmul::primitive_desc(cpu(), src, weights, {{M, N}, dst, tag::ab}, attr), args,
        a * b * static_cast<double>(K), "matmul " + name_of(t, v, K));
}

void check_inner_product(const pair_of_types &t, const values &v, std::int64_t K, type dst) {
    const memory::desc src({1, K}, t.a, tag::ab), weights({9, K}, t.b, tag::ab);
    const arguments args {
        {DNNL_ARG_SRC, filled(src, v.a)}, {DNNL_ARG_WEIGHTS, filled(weights, v.b)}};
    check<dnnl::inner_product_forward>(
        dnnl::inner_product_forward::primitive_desc(cpu(), dnnl::prop_kind::forward_inference, src,
            weights, memory::desc {{1, 9}, dst, tag::ab}),
        args, double(v.a) * v.b * static_cast<double>(K), "inner product " + name_of(t, v, K));
}

/// K channels, or K / 9 of them under windows of 3 x 3.
void check_convolution(const pair_of_types &t, const values &v, std::int64_t K, type dst) {
    const std::int64_t kernel = K % 9 == 0 ? 3 : 1, IC = K / kernel / kernel, OC = 3;
    dnnl::primitive_attr attr;
    const memory::desc src({1, IC, kernel, kernel + 1}, t.a, tag::nhwc);
    const memory::desc weights({OC, IC, kernel, kernel}, t.b, tag::hwio);
    arguments args {{DNNL_ARG_SRC, filled(src, v.a)}, {DNNL_ARG_WEIGHTS, filled(weights, v.b)}};
    double a = v.a;
    if (v.a_shifted) {
        attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
        args[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC] = one_value(zero_point(t.a, v.a));
        a -= zero_point(t.a, v.a);
    }
    check<dnnl::convolution_forward>(
        dnnl::convolution_forward::primitive_desc(cpu(), dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, src, weights,
            memory::desc {{1, OC, 1, 2}, dst, tag::nhwc}, {1, 1}, {0, 0}, {0, 0}, attr),
        args, a * v.b * static_cast<double>(K), "convolution " + name_of(t, v, K));
}

/// Both ends of the types, at the limit of the pair, beyond it and far beyond.
template <class Check> void check_all(const Check &check_one) {
    for (const pair_of_types &t : pairs) {
        const std::int64_t longest = limit(farthest(t.a), farthest(t.b));
        const auto check_values = [&](int b, std::int64_t K, type dst) {
            check_one(t, values {farthest(t.a), b, false, false}, K, dst);
        };
        check_values(farthest(t.b), longest, type::s32);
        check_values(farthest(t.b), longest, type::f32);
        check_values(farthest(t.b), longest + 1, type::s32);
        check_values(farthest(t.b), longest + 1, type::f32);
        check_values(highest(t.b), 2 * longest + 5, type::f32);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(limits) {
    BOOST_TEST(limit(255, 255) == 33025);
    BOOST_TEST(limit(255, -128) == 65793);
    BOOST_TEST(limit(-128, -128) == 131071);
}

BOOST_AUTO_TEST_CASE(of_matmul) {
    check_all([](const pair_of_types &t, const values &v, std::int64_t K, type dst) {
        check_matmul(t, v, K, dst);
    });
}
BOOST_AUTO_TEST_CASE(of_inner_product) { check_all(check_inner_product); }
BOOST_AUTO_TEST_CASE(of_convolution) {
    check_all(check_convolution);
    for (const std::int64_t K : {33021, 33030, 66069}) // windows of 3 x 3
        check_convolution({type::u8, type::u8}, {255, 255, false, false}, K, type::f32);
}

// A byte less a zero point lies between -255 and 255: sums are longer, and the products that are
// taken off them are, too.
BOOST_AUTO_TEST_CASE(with_zero_points) {
    for (const pair_of_types &t : pairs)
        for (const bool shift_b : {false, true})
            for (const type dst : {type::f32, type::s32})
                for (const int a : {lowest(t.a), highest(t.a)}) {
                    const values v {a, farthest(t.b), true, shift_b};
                    const int b = shift_b ? 255 : farthest(t.b);
                    const std::int64_t longest = limit(255, b);
                    check_matmul(t, v, longest, dst);
                    check_matmul(t, v, longest + 1, dst);
                    if (shift_b) continue;
                    check_convolution(t, v, longest, dst);
                    check_convolution(t, v, longest + 1, dst);
                }
}

// Zero points are numbers of 32 bits: legal where no byte has them, and known at execution only.
BOOST_AUTO_TEST_CASE(with_zero_points_of_no_byte) {
    for (const pair_of_types &t : pairs)
        for (const type dst : {type::f32, type::s32})
            for (const bool groups : {false, true})
                for (const std::int64_t M : {1, 70}) {
                    const auto check_shifts = [&](int of_a, int of_b, std::int64_t K) {
                        const int a = highest(t.a), b = highest(t.b);
                        check_matmul(
                            t, {a, b, of_a != 0, of_b != 0, of_a, of_b}, K, dst, M, groups);
                    };
                    check_shifts(100000000, 0, 64);
                    check_shifts(-100000000, 0, 64);
                    check_shifts(5000, 0, 4096);
                    check_shifts(0, -100000000, 64);
                    check_shifts(200000, -300000, 16);
                }
}

// What is added to integers is added as integers, and saturated once.
BOOST_AUTO_TEST_CASE(biases_and_sums_are_integers) {
    const std::int64_t K = 40, N = 35;
    const memory::desc src({1, K}, type::u8, tag::ab), weights({K, N}, type::s8, tag::ab);
    const memory::desc row({1, N}, type::s32, tag::ab);
    dnnl::primitive_attr attr;
    dnnl::post_ops ops;
    ops.append_sum();
    attr.set_post_ops(ops);
    const std::int64_t largest = std::numeric_limits<std::int32_t>::max();
    const std::int64_t cases[][2] {
        {(1 << 30) + 1, 3}, {largest, 5}, {largest, -largest}, {-largest, -7}};
    for (const auto &[bias_value, previous] : cases) {
        memory bias(row, cpu()), dst(row, cpu());
        std::fill_n(static_cast<std::int32_t *>(bias.get_data_handle()), N,
            static_cast<std::int32_t>(bias_value));
        dnnl::matmul::primitive_desc pd(cpu(), src, weights, row, row, attr);
        dnnl::stream stream(cpu());
        const auto expected =
            stored(static_cast<double>(K * 2 * 3 + bias_value + previous), type::s32);
        do {
            auto *result = static_cast<std::int32_t *>(dst.get_data_handle());
            std::fill_n(result, N, static_cast<std::int32_t>(previous));
            dnnl::matmul(pd).execute(
                stream, {{DNNL_ARG_SRC, filled(src, 2)}, {DNNL_ARG_WEIGHTS, filled(weights, 3)},
                            {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
            stream.wait();
            for (std::int64_t i = 0; i < N; i += N - 1)
                BOOST_TEST(result[i] == expected, pd.impl_info_str() << ": " << result[i]);
        } while (pd.next_impl());
    }
}
