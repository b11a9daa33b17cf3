// SPDX-License-Identifier: Apache-2.0
// Tensors of few elements that lie gigabytes apart, in memory of which a few pages exist: whoever
// counts offsets in 32 bits reads or writes elsewhere. Every implementation must find the results
// that dense tensors give.
#include <boost/test/unit_test.hpp>

#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

using dnnl::memory;
using dnnl::prop_kind;
using dims = memory::dims;
using type = memory::data_type;
using numbers = std::vector<float>;

dnnl::engine &cpu() {
    static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// Address space without memory behind it until it is touched.
class sparse_bytes {
  public:
    explicit sparse_bytes(std::size_t bytes) : bytes_(bytes + 64) {
        data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        BOOST_REQUIRE(data_ != MAP_FAILED);
    }
    sparse_bytes(const sparse_bytes &) = delete;
    sparse_bytes &operator=(const sparse_bytes &) = delete;
    ~sparse_bytes() { munmap(data_, bytes_); }
    char *data() const { return static_cast<char *>(data_); }

  private:
    std::size_t bytes_;
    void *data_;
};

enum class order { dense, channels_last, rows, apart };

/// channels_last: the channels of a pixel are adjacent and pixels 2^31 bytes apart, or more; rows:
/// the same of pixels and rows; apart: no elements are closer to each other.
memory::desc described(const dims &d, type t, order how) {
    const int n = static_cast<int>(d.size());
    std::vector<int> inner_first;
    if (how == order::channels_last) inner_first.push_back(1);
    for (int i = n - 1; i >= 0; --i)
        if (how != order::channels_last || i != 1) inner_first.push_back(i);
    const memory::dim bytes = t == type::f32 ? 4 : t == type::u8 || t == type::s8 ? 1 : 2;
    memory::dim next = 1;
    dims strides(d.size());
    for (int place = 0; place < n; ++place) {
        const auto i = static_cast<std::size_t>(inner_first[static_cast<std::size_t>(place)]);
        if (place == (how == order::apart ? 0 : 1) && how != order::dense)
            next = (memory::dim {1} << 31) / bytes + 16;
        strides[i] = next;
        next *= d[i];
    }
    return memory::desc(d, t, strides);
}

/// A tensor of a plain layout and its elements in row-major order.
struct tensor {
    memory::desc md;
    std::unique_ptr<sparse_bytes> bytes;

    explicit tensor(const memory::desc &desc)
        : md(desc), bytes(std::make_unique<sparse_bytes>(desc.get_size())) {}
    memory handle() const { return memory(md, cpu(), bytes->data()); }
    template <class Body> void for_each(const Body &body) const {
        const dims d = md.get_dims(), strides = md.get_strides();
        memory::dim count = 1;
        for (const memory::dim extent : d) count *= extent;
        for (memory::dim i = 0; i < count; ++i) {
            memory::dim offset = 0, rest = i;
            for (std::size_t k = d.size(); k-- > 0; rest /= d[k])
                offset += rest % d[k] * strides[k];
            body(i, offset);
        }
    }
    void fill(int seed) const {
        for_each([&](memory::dim i, memory::dim offset) {
            const int value = static_cast<int>((i * 7 + i / 5 + seed) % 11);
            if (md.get_data_type() == type::f32)
                reinterpret_cast<float *>(bytes->data())[offset] =
                    0.25f * static_cast<float>(value - 5);
            else
                bytes->data()[offset] = static_cast<char>(value);
        });
    }
    numbers read() const {
        numbers all;
        for_each([&](memory::dim, memory::dim offset) {
            const char *data = bytes->data();
            all.push_back(md.get_data_type() == type::f32
                              ? reinterpret_cast<const float *>(data)[offset]
                              : static_cast<float>(static_cast<unsigned char>(data[offset])));
        });
        return all;
    }
};

using arguments = std::map<int, std::shared_ptr<tensor>>;

/// Runs with filled inputs; the outputs' elements. `given` are arguments that exist already.
std::vector<numbers> run(const dnnl::primitive_desc_base &pd, const std::vector<int> &inputs,
    const std::vector<int> &outputs, const arguments &given = {}) {
    arguments held = given;
    const auto add = [&](int arg) {
        auto &place = held[arg];
        if (!place) place = std::make_shared<tensor>(pd.query_md(dnnl::query::exec_arg_md, arg));
        return place;
    };
    for (const int arg : inputs)
        if (!given.count(arg)) add(arg)->fill(arg);
    for (const int arg : outputs) add(arg);
    std::unordered_map<int, memory> memories;
    for (const auto &[arg, t] : held) memories.emplace(arg, t->handle());
    dnnl::stream stream(cpu());
    dnnl::primitive(pd.get()).execute(stream, memories);
    stream.wait();
    std::vector<numbers> results;
    for (const int arg : outputs) results.push_back(held[arg]->read());
    return results;
}

void check(const std::vector<numbers> &found, const std::vector<numbers> &wanted,
    const std::string &what) {
    for (std::size_t t = 0; t < wanted.size(); ++t)
        for (std::size_t i = 0; i < wanted[t].size(); ++i)
            BOOST_REQUIRE_MESSAGE(
                std::abs(found[t][i] - wanted[t][i]) <= 1e-4f * (1 + std::abs(wanted[t][i])),
                what << ": element " << i << " is " << found[t][i] << ", not " << wanted[t][i]);
}

/// make(order) is the primitive descriptor on tensors that lie so.
template <class Make>
void every_row(const Make &make, const std::vector<int> &inputs, const std::vector<int> &outputs) {
    const std::vector<numbers> wanted = run(make(order::dense), inputs, outputs);
    for (const order how : {order::channels_last, order::rows, order::apart}) {
        auto pd = make(how);
        do {
            const std::string name = pd.impl_info_str();
            check(run(pd, inputs, outputs), wanted, name);
        } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    }
}

constexpr int src = DNNL_ARG_SRC, dst = DNNL_ARG_DST, weights = DNNL_ARG_WEIGHTS;
constexpr int diff_src = DNNL_ARG_DIFF_SRC, diff_dst = DNNL_ARG_DIFF_DST;
constexpr int diff_weights = DNNL_ARG_DIFF_WEIGHTS;
} // namespace

BOOST_AUTO_TEST_CASE(resampling) {
    using dnnl::algorithm;
    for (const auto alg : {algorithm::resampling_linear, algorithm::resampling_nearest})
        for (const type t : {type::f32, type::u8})
            for (const auto &extents : std::vector<std::pair<dims, dims>> {{{1, 5, 9}, {1, 5, 4}},
                     {{2, 3, 5, 6}, {2, 3, 9, 11}}, {{1, 2, 3, 4, 5}, {1, 2, 6, 2, 3}}}) {
                const dims &I = extents.first, &O = extents.second;
                every_row(
                    [&](order how) {
                        return dnnl::resampling_forward::primitive_desc(cpu(),
                            prop_kind::forward_inference, alg, described(I, t, how),
                            described(O, t, how));
                    },
                    {src}, {dst});
                if (t != type::f32) continue;
                every_row(
                    [&](order how) {
                        const auto s = described(I, t, how), d = described(O, t, how);
                        return dnnl::resampling_backward::primitive_desc(cpu(), alg, s, d,
                            dnnl::resampling_forward::primitive_desc(
                                cpu(), prop_kind::forward_training, alg, s, d));
                    },
                    {diff_dst}, {diff_src});
            }
}

BOOST_AUTO_TEST_CASE(pooling) {
    using dnnl::algorithm;
    const dims I {2, 5, 6, 7}, O {2, 5, 3, 4}, window {3, 2}, strides {2, 2}, dense {0, 0};
    const dims left {1, 1}, right {0, 0};
    for (const auto alg : {algorithm::pooling_max, algorithm::pooling_avg_include_padding,
             algorithm::pooling_avg_exclude_padding}) {
        const bool maximum = alg == algorithm::pooling_max;
        const auto forward = [&](order how) {
            return dnnl::pooling_forward::primitive_desc(cpu(), prop_kind::forward_training, alg,
                described(I, type::f32, how), described(O, type::f32, how), strides, window, dense,
                left, right);
        };
        every_row(forward, {src},
            maximum ? std::vector<int> {dst, DNNL_ARG_WORKSPACE} : std::vector<int> {dst});
        const auto backward = [&](order how) {
            return dnnl::pooling_backward::primitive_desc(cpu(), alg, described(I, type::f32, how),
                described(O, type::f32, how), strides, window, dense, left, right, forward(how));
        };
        if (!maximum) {
            every_row(backward, {diff_dst}, {diff_src});
            continue;
        }
        std::vector<numbers> wanted;
        for (const order how : {order::dense, order::channels_last, order::rows, order::apart}) {
            const auto pd = forward(how);
            arguments given {{DNNL_ARG_WORKSPACE, std::make_shared<tensor>(pd.workspace_desc())}};
            run(pd, {src}, {dst}, given);
            auto back = backward(how);
            do {
                const auto found = run(back, {diff_dst}, {diff_src}, given);
                if (wanted.empty()) wanted = found;
                check(found, wanted, back.impl_info_str());
            } while (back.next_impl());
        }
    }
}

namespace {
/// All passes of a convolution. W: dims of weights.
void convolutions(const dims &I, const dims &W, const dims &O, memory::dim stride,
    memory::dim dilation, memory::dim padding, type data, type weight) {
    using dnnl::algorithm;
    const dims s(I.size() - 2, stride), d(I.size() - 2, dilation), p(I.size() - 2, padding);
    const auto alg = algorithm::convolution_direct;
    const type result = type::f32;
    const auto w = described(W, weight, order::dense);
    const auto forward = [&](order how) {
        return dnnl::convolution_forward::primitive_desc(cpu(), prop_kind::forward_training, alg,
            described(I, data, how), w, described(O, result, how), s, d, p, p);
    };
    every_row(forward, {src, weights}, {dst});
    if (data != type::f32) return;
    every_row(
        [&](order how) {
            return dnnl::convolution_backward_data::primitive_desc(cpu(), alg,
                described(I, data, how), w, described(O, result, how), s, d, p, p, forward(how));
        },
        {diff_dst, weights}, {diff_src});
    every_row(
        [&](order how) {
            return dnnl::convolution_backward_weights::primitive_desc(cpu(), alg,
                described(I, data, how), w, described(O, result, how), s, d, p, p, forward(how));
        },
        {src, diff_dst}, {diff_weights});
}
} // namespace

BOOST_AUTO_TEST_CASE(convolution) {
    for (const auto &[data, weight] :
        {std::pair {type::f32, type::f32}, std::pair {type::u8, type::s8}}) {
        convolutions({1, 3, 9}, {4, 3, 3}, {1, 4, 5}, 2, 0, 1, data, weight);
        convolutions({2, 4, 5, 6}, {6, 4, 3, 3}, {2, 6, 5, 6}, 1, 0, 1, data, weight);
        convolutions({1, 8, 5, 5}, {6, 8, 1, 1}, {1, 6, 5, 5}, 1, 0, 0, data, weight);
        convolutions({1, 6, 7, 7}, {3, 4, 2, 2, 2}, {1, 12, 3, 3}, 2, 1, 0, data, weight);
        convolutions({1, 5, 7, 6}, {5, 1, 1, 3, 3}, {1, 5, 4, 3}, 2, 0, 1, data, weight);
    }
}

BOOST_AUTO_TEST_CASE(deconvolution) {
    const dims one {2, 2}, none {0, 0};
    every_row(
        [&](order how) {
            return dnnl::deconvolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                dnnl::algorithm::deconvolution_direct, described({1, 4, 3, 4}, type::f32, how),
                described({6, 4, 3, 3}, type::f32, order::dense),
                described({1, 6, 7, 9}, type::f32, how), one, none, none, none);
        },
        {src, weights}, {dst});
}

BOOST_AUTO_TEST_CASE(elementwise_and_rows) {
    using dnnl::algorithm;
    const dims d {2, 5, 4, 3};
    const auto md = [&](order how) { return described(d, type::f32, how); };
    const auto inference = prop_kind::forward_inference;
    every_row(
        [&](order how) {
            return dnnl::eltwise_forward::primitive_desc(
                cpu(), inference, algorithm::eltwise_tanh, md(how), md(how));
        },
        {src}, {dst});
    every_row(
        [&](order how) {
            return dnnl::binary::primitive_desc(cpu(), algorithm::binary_mul, md(how),
                described({1, 5, 1, 3}, type::f32, how), md(how));
        },
        {src, DNNL_ARG_SRC_1}, {dst});
    every_row(
        [&](order how) {
            return dnnl::prelu_forward::primitive_desc(cpu(), inference, md(how),
                described({1, 5, 1, 1}, type::f32, order::dense), md(how));
        },
        {src, weights}, {dst});
    every_row(
        [&](order how) {
            return dnnl::shuffle_forward::primitive_desc(cpu(), inference, md(how), md(how), 2, 2);
        },
        {src}, {dst});
    for (const int axis : {1, 3}) {
        every_row(
            [&](order how) {
                return dnnl::softmax_forward::primitive_desc(
                    cpu(), inference, algorithm::softmax_accurate, md(how), md(how), axis);
            },
            {src}, {dst});
        dims reduced = d;
        reduced[static_cast<std::size_t>(axis)] = 1;
        every_row(
            [&](order how) {
                return dnnl::reduction::primitive_desc(cpu(), algorithm::reduction_sum, md(how),
                    described(reduced, type::f32, how), 0.0f, 0.0f);
            },
            {src}, {dst});
    }
    every_row(
        [&](order how) {
            return dnnl::lrn_forward::primitive_desc(cpu(), inference,
                algorithm::lrn_across_channels, md(how), md(how), 3, 1e-4f, 0.75f, 1.0f);
        },
        {src}, {dst});
    every_row(
        [&](order how) {
            return dnnl::batch_normalization_forward::primitive_desc(cpu(),
                prop_kind::forward_training, md(how), md(how), 1e-5f,
                dnnl::normalization_flags::none);
        },
        {src}, {dst, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    every_row(
        [&](order how) {
            return dnnl::layer_normalization_forward::primitive_desc(
                cpu(), inference, md(how), md(how), 1e-5f, dnnl::normalization_flags::none);
        },
        {src}, {dst});
}

BOOST_AUTO_TEST_CASE(movement) {
    const dims d {2, 5, 4, 3};
    const auto md = [&](order how, type t) { return described(d, t, how); };
    for (const type t : {type::f32, type::u8}) {
        every_row(
            [&](order how) {
                return dnnl::reorder::primitive_desc(cpu(), md(how, type::f32), cpu(), md(how, t));
            },
            {DNNL_ARG_FROM}, {DNNL_ARG_TO});
        every_row(
            [&](order how) {
                const order other = how == order::rows ? order::channels_last : order::rows;
                return dnnl::reorder::primitive_desc(
                    cpu(), md(how, t), cpu(), md(how == order::dense ? order::dense : other, t));
            },
            {DNNL_ARG_FROM}, {DNNL_ARG_TO});
    }
    every_row(
        [&](order how) {
            return dnnl::concat::primitive_desc(cpu(), described({2, 5, 4, 6}, type::f32, how), 3,
                {md(how, type::f32), md(how, type::f32)});
        },
        {DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1}, {dst});
    every_row(
        [&](order how) {
            return dnnl::sum::primitive_desc(
                cpu(), md(how, type::f32), {1.0f, 2.0f}, {md(how, type::f32), md(how, type::f32)});
        },
        {DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1}, {dst});
}

BOOST_AUTO_TEST_CASE(products) {
    const auto f32 = type::f32;
    for (const auto &types : {std::pair {type::f32, type::f32}, std::pair {type::u8, type::s8}})
        every_row(
            [&](order how) {
                return dnnl::matmul::primitive_desc(cpu(), described({3, 4, 5}, types.first, how),
                    described({3, 5, 6}, types.second, how), described({3, 4, 6}, f32, how));
            },
            {src, weights}, {dst});
    every_row(
        [&](order how) {
            return dnnl::inner_product_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                described({4, 3, 2, 2}, f32, how), described({5, 3, 2, 2}, f32, how),
                described({4, 5}, f32, order::dense));
        },
        {src, weights}, {dst});
}

// Plans for tensors of 2^36 to 2^40 elements are made without touching any: by arithmetic.
BOOST_AUTO_TEST_CASE(plans_of_large_extents) {
    using dnnl::algorithm;
    const auto inference = prop_kind::forward_inference, training = prop_kind::forward_training;
    using tag = memory::format_tag;
    const auto every_plan = [](auto pd, const char *row_name) {
        bool found = false;
        do {
            const std::string name = pd.impl_info_str();
            found = found || name.compare(0, std::strlen(row_name), row_name) == 0;
        } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
        BOOST_TEST(found, row_name);
    };
    const memory::dim W = memory::dim {1} << 38, K = 1001;
    const dims none {0};
    for (const auto layout : {tag::ncw, tag::nwc}) {
        const auto x = [&](memory::dim extent) {
            return memory::desc({1, 4, extent}, type::f32, layout);
        };
        every_plan(dnnl::eltwise_forward::primitive_desc(
                       cpu(), inference, algorithm::eltwise_relu, x(W), x(W)),
            "vector");
        every_plan(dnnl::reorder::primitive_desc(
                       cpu(), x(W), cpu(), memory::desc({1, 4, W}, type::u8, layout)),
            "");
        every_plan(dnnl::softmax_forward::primitive_desc(
                       cpu(), inference, algorithm::softmax_accurate, x(W), x(W), 1),
            "vector");
        for (const auto &[O, alg] : {std::pair {W / 2, algorithm::resampling_linear},
                 std::pair {W / 3 * 4 + 1, algorithm::resampling_nearest}}) {
            const auto hint =
                dnnl::resampling_forward::primitive_desc(cpu(), training, alg, x(W), x(O));
            every_plan(hint, "vector");
            every_plan(
                dnnl::resampling_backward::primitive_desc(cpu(), alg, x(W), x(O), hint), "vector");
        }
        for (const memory::dim stride : {1, 2, 1000}) {
            const memory::dim O = (W - K) / stride + 1;
            const auto pool = dnnl::pooling_forward::primitive_desc(cpu(), training,
                algorithm::pooling_avg_exclude_padding, x(W), x(O), {stride}, {K}, none, none,
                none);
            every_plan(pool, "vector");
            every_plan(dnnl::pooling_backward::primitive_desc(cpu(),
                           algorithm::pooling_avg_exclude_padding, x(W), x(O), {stride}, {K}, none,
                           none, none, pool),
                "vector");
            for (const auto &[groups, kind] :
                {std::pair {dims {4, 4, K}, "gemm"}, std::pair {dims {4, 1, 1, K}, "depthwise"}}) {
                const memory::desc w(groups, type::f32, tag::any);
                const memory::desc from({1, 4, W}, type::f32, tag::nwc);
                const memory::desc to({1, 4, O}, type::f32, tag::nwc);
                const auto direct = algorithm::convolution_direct;
                const auto forward = dnnl::convolution_forward::primitive_desc(
                    cpu(), training, direct, from, w, to, {stride}, none, none, none);
                every_plan(forward, kind);
                every_plan(dnnl::convolution_backward_data::primitive_desc(
                               cpu(), direct, from, w, to, {stride}, none, none, none, forward),
                    kind);
                every_plan(dnnl::convolution_backward_weights::primitive_desc(
                               cpu(), direct, from, w, to, {stride}, none, none, none, forward),
                    kind);
            }
        }
    }
}
