// SPDX-License-Identifier: Apache-2.0
// What it costs to create a primitive with windows, whatever their extents: bytes that the heap is
// asked for, and microseconds, which are printed. And what packed weights cost.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "dnnl/dnnl.hpp"
#include "heap.hpp"

namespace {

using dnnl::memory;
using dnnl::prop_kind;
using dims = memory::dims;
using type = memory::data_type;
using tag = memory::format_tag;

dnnl::engine &cpu() {
    static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

memory::desc any(const dims &d, type t = type::f32) { return memory::desc(d, t, tag::any); }
memory::desc plain(const dims &d, type t = type::f32) {
    dims strides(d.size());
    memory::dim next = 1;
    for (std::size_t i = d.size(); i-- > 0; next *= d[i]) strides[i] = next;
    return memory::desc(d, t, strides);
}

constexpr long most_bytes = 110 * 1024;

/// Creates the descriptor with every row, and a primitive of the first; the heap may be asked for
/// most_bytes per row.
template <class Make> void check(const std::string &what, const Make &make) {
    dnnl::set_primitive_cache_capacity(0);
    make(); // what a process allocates once
    const long before = heap::requested_bytes();
    const auto start = std::chrono::steady_clock::now();
    auto pd = make();
    const dnnl::primitive primitive(pd.get());
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    const long first = heap::requested_bytes() - before;
    std::cout << what << ": " << first << " bytes, " << time.count() << " us, "
              << pd.impl_info_str() << '\n';
    BOOST_TEST(first < most_bytes, what << ": " << first << " bytes");
    BOOST_TEST(time.count() < 20000.0, what << ": " << time.count() << " us"); // of a busy machine
    for (;;) {
        const long before_next = heap::requested_bytes();
        if (dnnl_primitive_desc_next_impl(pd.get()) != dnnl_success) break;
        const long next = heap::requested_bytes() - before_next;
        BOOST_TEST(
            next < most_bytes, what << ", " << pd.impl_info_str() << ": " << next << " bytes");
    }
}

struct window {
    std::string name;
    dims src, weights, dst;
    memory::dim stride, dilation, padding;
};

const std::vector<window> &windows() {
    static const std::vector<window> list {
        {"1-D, 10^6 x 1000", {1, 8, 1000000}, {8, 8, 1000}, {1, 8, 999001}, 1, 0, 0},
        {"1-D, stride 2", {1, 8, 1000000}, {8, 8, 1000}, {1, 8, 499501}, 2, 0, 0},
        {"1-D, stride 64", {1, 8, 1000000}, {8, 8, 1000}, {1, 8, 15610}, 64, 0, 0},
        {"1-D, stride 1000", {1, 8, 1000000}, {8, 8, 1000}, {1, 8, 1000}, 1000, 0, 0},
        {"1-D, dilated", {1, 8, 1000000}, {8, 8, 1000}, {1, 8, 334001}, 3, 0, 1500},
        {"1-D, depthwise", {1, 32, 1000000}, {32, 1, 1, 1000}, {1, 32, 499999}, 2, 0, 498},
        {"1-D, depthwise, stride 1000", {1, 32, 1000000}, {32, 1, 1, 1000}, {1, 32, 1000}, 1000, 0,
            0},
        {"2-D", {8, 64, 56, 56}, {64, 64, 3, 3}, {8, 64, 56, 56}, 1, 0, 1},
        {"2-D, 20000 x 20000", {1, 1, 20000, 20000}, {1, 1, 301, 301}, {1, 1, 9850, 9850}, 2, 0, 0},
        {"2-D, groups", {1, 128, 56, 56}, {32, 4, 4, 3, 3}, {1, 128, 28, 28}, 2, 0, 1},
        {"3-D, stride 4", {1, 16, 64, 64, 64}, {16, 16, 5, 5, 5}, {1, 16, 15, 15, 15}, 4, 0, 0},
    };
    return list;
}

} // namespace

BOOST_AUTO_TEST_CASE(convolutions_and_deconvolutions) {
    for (const window &w : windows()) {
        const std::size_t n = w.src.size() - 2;
        dims s(n, w.stride), d(n, w.dilation), p(n, w.padding), r(n);
        const std::size_t first = w.weights.size() - n;
        for (std::size_t i = 0; i < n; ++i) {
            const memory::dim kernel = (w.weights[first + i] - 1) * (d[i] + 1) + 1;
            r[i] = (w.dst[2 + i] - 1) * s[i] + kernel - w.src[2 + i] - p[i];
        }
        const auto direct = dnnl::algorithm::convolution_direct;
        const auto forward = [&] {
            return dnnl::convolution_forward::primitive_desc(cpu(), prop_kind::forward_training,
                direct, any(w.src), any(w.weights), any(w.dst), s, d, p, r);
        };
        check(w.name + ", forward", forward);
        const auto hint = forward();
        check(w.name + ", backward data", [&] {
            return dnnl::convolution_backward_data::primitive_desc(
                cpu(), direct, any(w.src), any(w.weights), any(w.dst), s, d, p, r, hint);
        });
        check(w.name + ", backward weights", [&] {
            return dnnl::convolution_backward_weights::primitive_desc(
                cpu(), direct, any(w.src), any(w.weights), any(w.dst), s, d, p, r, hint);
        });
        dims exchanged = w.weights;
        std::swap(exchanged[first - 1], exchanged[first - 2]);
        check(w.name + ", deconvolution", [&] {
            return dnnl::deconvolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                dnnl::algorithm::deconvolution_direct, any(w.dst), any(exchanged), any(w.src), s, d,
                p, r);
        });
    }
}

BOOST_AUTO_TEST_CASE(inner_products) {
    check("inner product over an image", [] {
        return dnnl::inner_product_forward::primitive_desc(cpu(), prop_kind::forward_inference,
            any({2, 16, 1000, 1000}), any({10, 16, 1000, 1000}), any({2, 10}));
    });
}

BOOST_AUTO_TEST_CASE(poolings) {
    for (const bool channels : {false, true})
        for (const memory::dim stride : {memory::dim {1}, memory::dim {7}, memory::dim {1000}}) {
            const memory::dim I = 1000000, K = 1000, O = (I - K) / stride + 1;
            const auto md = [&](memory::dim W) {
                return memory::desc({1, 4, W}, type::f32, channels ? tag::nwc : tag::ncw);
            };
            const auto forward = [&] {
                return dnnl::pooling_forward::primitive_desc(cpu(), prop_kind::forward_training,
                    dnnl::algorithm::pooling_max, md(I), md(O), {stride}, {K}, {0}, {0}, {0});
            };
            const std::string name = "pooling, stride " + std::to_string(stride);
            check(name, forward);
            const auto hint = forward();
            check(name + ", backward", [&] {
                return dnnl::pooling_backward::primitive_desc(cpu(), dnnl::algorithm::pooling_max,
                    md(I), md(O), {stride}, {K}, {0}, {0}, {0}, hint);
            });
        }
}

BOOST_AUTO_TEST_CASE(resamplings) {
    const auto linear = dnnl::algorithm::resampling_linear;
    for (const auto &[I, O] : {std::pair {dims {1, 4, 600000}, dims {1, 4, 300000}},
             std::pair {dims {1, 4, 300001}, dims {1, 4, 700000}},
             std::pair {dims {1, 4, 2000, 3000}, dims {1, 4, 3000, 5000}},
             std::pair {dims {1, 4, 100, 200}, dims {1, 4, 200, 400}}})
        for (const tag t : {tag::any, tag::abc}) {
            const auto md = [&, &size = I](const dims &d) {
                return t == tag::any && size.size() == 3 ? memory::desc(d, type::f32, tag::nwc)
                                                         : plain(d);
            };
            const auto forward = [&, &from = I, &to = O] {
                return dnnl::resampling_forward::primitive_desc(
                    cpu(), prop_kind::forward_training, linear, md(from), md(to));
            };
            check("resampling", forward);
            const auto hint = forward();
            check("resampling, backward", [&, &from = I, &to = O] {
                return dnnl::resampling_backward::primitive_desc(
                    cpu(), linear, md(from), md(to), hint);
            });
        }
}

// The weights that `any` chooses take at most twice the memory of dense ones whose input channels
// fill words of four bytes, which is what one lane multiplies; groups rounded up.
BOOST_AUTO_TEST_CASE(weights_of_small_groups) {
    struct shape {
        memory::dim G, OC, IC, K;
        type data, weights;
    };
    for (const shape &c : {shape {256, 4, 4, 3, type::f32, type::f32},
             shape {256, 8, 8, 3, type::f32, type::f32}, shape {256, 2, 1, 3, type::f32, type::f32},
             shape {256, 4, 4, 3, type::bf16, type::bf16}, shape {256, 4, 4, 3, type::u8, type::s8},
             shape {256, 8, 8, 3, type::u8, type::s8}, shape {256, 3, 1, 5, type::u8, type::s8},
             shape {32, 16, 16, 3, type::f32, type::f32}, shape {32, 24, 24, 1, type::s8, type::s8},
             shape {8, 40, 3, 3, type::bf16, type::bf16}}) {
        const dims one {1, 1}, none {0, 0}, side {(c.K - 1) / 2, (c.K - 1) / 2};
        auto pd = dnnl::convolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, any({1, c.G * c.IC, 14, 14}, c.data),
            any({c.G, c.OC, c.IC, c.K, c.K}, c.weights), any({1, c.G * c.OC, 14, 14}, type::f32),
            one, none, side, side);
        const std::size_t bytes = c.weights == type::f32 ? 4 : c.weights == type::s8 ? 1 : 2;
        const std::size_t words = (static_cast<std::size_t>(c.IC) * bytes + 3) / 4 * 4;
        const std::size_t dense = static_cast<std::size_t>(c.G * c.OC * c.K * c.K) * words;
        do {
            const std::string row = pd.impl_info_str();
            std::cout << "G=" << c.G << " OC=" << c.OC << " IC=" << c.IC << ": "
                      << pd.weights_desc().get_size() << " bytes of weights, " << dense
                      << " dense, " << row << '\n';
            BOOST_TEST(pd.weights_desc().get_size() <= 2 * dense + 4096,
                row << " has " << pd.weights_desc().get_size() << " bytes of weights, " << dense
                    << " dense");
        } while (pd.next_impl());
    }
}

// Extents that no execution reaches must not cost a creation more than others do.
BOOST_AUTO_TEST_CASE(long_extents) {
    const memory::dim wide = memory::dim {1} << 40, many = (memory::dim {1} << 32) + 1;
    check("matmul with 2^40 columns", [&] {
        return dnnl::matmul::primitive_desc(
            cpu(), plain({1, 4}, type::s8), plain({4, wide}, type::s8), plain({1, wide}, type::s8));
    });
    check("matmul with 2^40 rows", [&] {
        return dnnl::matmul::primitive_desc(
            cpu(), plain({wide, 4}, type::s8), plain({4, 8}, type::s8), plain({wide, 8}, type::s8));
    });
    const memory::desc images = plain({many, 4, 4, 4});
    for (const auto prop : {prop_kind::forward_training, prop_kind::forward_inference}) {
        check("batch normalization of 2^32 images", [&] {
            return dnnl::batch_normalization_forward::primitive_desc(
                cpu(), prop, images, images, 1e-5f, dnnl::normalization_flags::none);
        });
        check("group normalization of 2^32 images", [&] {
            return dnnl::group_normalization_forward::primitive_desc(
                cpu(), prop, images, images, 2, 1e-5f, dnnl::normalization_flags::none);
        });
    }
}
