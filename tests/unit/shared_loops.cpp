// SPDX-License-Identifier: Apache-2.0
// How evenly the loops of every primitive are shared among 16 and 64 threads, on any machine with
// AVX2: the shares of a region are run one after the other. What a share has is counted, never
// timed: the products that reach the driver of the GEMM or, where none do, the items of the loop.
// Regions are weighed by what the library expects them to take. unit.shared_work and
// unit.gradient_blocks count the shapes of products and of gradients of weights.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/runtime/isa.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm.hpp"
#include "dnnl/dnnl.hpp"
#include "dnnl/dnnl_ext.hpp"

using namespace dnnl;
using impl::dim_t;
using type = memory::data_type;
using tag = memory::format_tag;

namespace {

/// Counts regions instead of starting threads, while it exists.
struct counter {
    explicit counter(int threads) : threads(threads) { current = this; }
    ~counter() { current = nullptr; }
    counter(const counter &) = delete;

    void run(int shares, void (*body)(void *, int), void *state) {
        const auto &loop = *static_cast<const impl::loop_size *>(state);
        std::vector<double> items, products;
        inside = true;
        for (int share = 0; share < shares; ++share) {
            const impl::item_range range = impl::range_of_thread(loop.n, loop.threads, share);
            items.push_back(static_cast<double>(range.end - range.begin));
            products_of_share = 0;
            body(state, share);
            products.push_back(products_of_share);
        }
        inside = false;
        const auto most = [](const auto &of) { return *std::max_element(of.begin(), of.end()); };
        const auto &work = most(products) > 0 ? products : items;
        double sum = 0;
        for (double w : work) sum += w;
        const double ns = static_cast<double>(loop.n) * loop.item_ns;
        all_ns += ns;
        largest_ns += ns * most(work) / sum;
    }

    /// The time of the largest shares, divided by that of equal ones.
    double evenness() const { return largest_ns * threads / all_ns; }

    static inline counter *current = nullptr;
    int threads;
    bool inside = false;
    double products_of_share = 0, all_ns = 0, largest_ns = 0;
};

} // namespace

// The linker sends the library's calls of the functions behind __wrap_ here; behind __real_ they
// are the library's own.
int own_max_threads() __asm__("__real__ZN4dnnl4impl11max_threadsEv");
void own_run(int, void (*)(void *, int), void *) __asm__(
    "__real__ZN4dnnl4impl14run_on_threadsEiPFvPviES1_");
void own_product(const impl::cpu::gemm_driver *, const impl::cpu::gemm_task &) __asm__(
    "__real__ZNK4dnnl4impl3cpu11gemm_driver3runERKNS1_9gemm_taskE");

const impl::cache_sizes &counted_caches() __asm__("__wrap__ZN4dnnl4impl6cachesEv");
int counted_max_threads() __asm__("__wrap__ZN4dnnl4impl11max_threadsEv");
void counted_run(int threads, void (*body)(void *, int), void *state) __asm__(
    "__wrap__ZN4dnnl4impl14run_on_threadsEiPFvPviES1_");
void counted_product(const impl::cpu::gemm_driver *driver, const impl::cpu::gemm_task &t) __asm__(
    "__wrap__ZNK4dnnl4impl3cpu11gemm_driver3runERKNS1_9gemm_taskE");

const impl::cache_sizes &counted_caches() { // the same blocks on every machine
    static const impl::cache_sizes sizes {std::size_t {32} << 10, std::size_t {512} << 10};
    return sizes;
}
int counted_max_threads() {
    const counter *c = counter::current;
    return c ? (c->inside ? 1 : c->threads) : own_max_threads();
}
void counted_run(int threads, void (*body)(void *, int), void *state) {
    if (counter::current) return counter::current->run(threads, body, state);
    own_run(threads, body, state);
}
void counted_product(const impl::cpu::gemm_driver *driver, const impl::cpu::gemm_task &t) {
    if (counter *c = counter::current)
        c->products_of_share +=
            static_cast<double>(t.m * t.n) * static_cast<double>(t.k * std::max<dim_t>(t.batch, 1));
    own_product(driver, t);
}

namespace {

const engine &cpu() {
    static const engine e(engine::kind::cpu, 0);
    return e;
}

/// Executes a primitive once, on buffers of zeros, and returns how uneven its shares are.
template <class Primitive> double evenness_of(const typename Primitive::primitive_desc &pd) {
    std::unordered_map<int, memory> args;
    std::vector<int> known {DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_DST,
        DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_WORKSPACE,
        DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
        DNNL_ARG_DIFF_BIAS, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT, DNNL_ARG_SRC_ITER_C,
        DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_DST_ITER, DNNL_ARG_DST_ITER_C};
    for (int i = 0; i < 4; ++i) known.push_back(DNNL_ARG_MULTIPLE_SRC + i);
    for (int arg : known) {
        const memory::desc md = pd.query_md(query::exec_arg_md, arg);
        if (md.get_size() == 0) continue;
        memory m(md, cpu());
        std::fill_n(static_cast<char *>(m.get_data_handle()), md.get_size(), char {0});
        args.emplace(arg, m);
    }
    Primitive primitive(pd);
    stream s(cpu());
    primitive.execute(s, args);
    s.wait();
    return counter::current->evenness();
}

/// Channels of all groups; windows of k x k.
struct layer {
    dim_t MB, G, IC, IH, OC, k, stride, padding;
};
memory::desc image(dim_t n, dim_t c, dim_t h, type t, tag layout = tag::nhwc) {
    return {{n, c, h, h}, t, layout};
}

double convolution(const layer &l, prop_kind prop, type t) {
    const dim_t OH = (l.IH + 2 * l.padding - l.k) / l.stride + 1;
    const bool bytes = t == type::u8;
    const memory::desc src = image(l.MB, l.IC, l.IH, t), dst = image(l.MB, l.OC, OH, t);
    const type wt = bytes ? type::s8 : t;
    const memory::desc weights =
        l.G > 1 ? memory::desc({l.G, l.OC / l.G, l.IC / l.G, l.k, l.k}, wt, tag::any)
                : memory::desc({l.OC, l.IC, l.k, l.k}, wt, tag::any);
    const memory::dims strides {l.stride, l.stride}, padding {l.padding, l.padding};
    const convolution_forward::primitive_desc forward(cpu(),
        bytes ? prop_kind::forward_inference : prop_kind::forward_training,
        algorithm::convolution_direct, src, weights, dst, strides, padding, padding);
    if (prop == prop_kind::backward_data)
        return evenness_of<convolution_backward_data>({cpu(), algorithm::convolution_direct, src,
            weights, dst, strides, padding, padding, forward});
    if (prop == prop_kind::backward_weights)
        return evenness_of<convolution_backward_weights>({cpu(), algorithm::convolution_direct, src,
            weights, dst, strides, padding, padding, forward});
    return evenness_of<convolution_forward>(forward);
}

double pooling(const layer &l, algorithm a, bool backward, type t) {
    const dim_t OH = (l.IH + 2 * l.padding - l.k) / l.stride + 1;
    const memory::desc src = image(l.MB, l.IC, l.IH, t), dst = image(l.MB, l.IC, OH, t);
    const memory::dims strides {l.stride, l.stride}, kernel {l.k, l.k}, dilation {0, 0},
        padding {l.padding, l.padding};
    const pooling_forward::primitive_desc forward(cpu(),
        backward ? prop_kind::forward_training : prop_kind::forward_inference, a, src, dst, strides,
        kernel, dilation, padding, padding);
    if (!backward) return evenness_of<pooling_forward>(forward);
    return evenness_of<pooling_backward>(
        {cpu(), a, src, dst, strides, kernel, dilation, padding, padding, forward});
}

/// Of the channels of an image.
double batch_normalization(const memory::desc &md, prop_kind prop) {
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift |
                       (prop == prop_kind::forward_inference ? normalization_flags::use_global_stats
                                                             : normalization_flags::none);
    const batch_normalization_forward::primitive_desc forward(cpu(),
        prop == prop_kind::backward ? prop_kind::forward_training : prop, md, md, 1e-5f, flags);
    if (prop != prop_kind::backward) return evenness_of<batch_normalization_forward>(forward);
    return evenness_of<batch_normalization_backward>(
        {cpu(), prop, md, md, md, 1e-5f, flags, forward});
}

double layer_normalization(const memory::desc &md, bool backward) {
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
    const layer_normalization_forward::primitive_desc forward(
        cpu(), prop_kind::forward_training, md, md, 1e-5f, flags);
    if (!backward) return evenness_of<layer_normalization_forward>(forward);
    return evenness_of<layer_normalization_backward>(
        {cpu(), prop_kind::backward, md, md, md, 1e-5f, flags, forward});
}

double prelu_slopes(const memory::desc &md, const memory::dims &slopes) {
    const memory::desc weights(slopes, md.get_data_type(), tag::any);
    const prelu_forward::primitive_desc forward(
        cpu(), prop_kind::forward_training, md, weights, md);
    return evenness_of<prelu_backward>({cpu(), md, weights, md, weights, md, forward});
}

/// A primitive, and how uneven the work of one execution is.
struct subject {
    std::string name;
    std::function<double()> evenness;
};
using subjects = std::vector<subject>;

/// Those that are less even on so many threads: how uneven they are, and why.
struct named {
    double limit;
    const char *reason;
};
const std::map<std::pair<int, std::string>, named> uneven {
    {{64, "depthwise 28"}, {1.53, "28 lines, cut by shares of channels"}},
    {{64, "depthwise 28, 7 x 7"}, {1.53, "28 lines, cut by shares of channels"}},
    {{64, "depthwise 28, weights"}, {1.78, "6 chunks of pixels, 12 shares of channels"}},
    {{64, "groups of 8, stride 2"}, {2.0, "lower blocks would copy too many lines twice"}},
    {{64, "global average"}, {4.0, "an image is one piece"}},
    {{64, "layer normalization, backward"}, {1.54, "at most 64 chunks of sums of the vectors"}},
    {{64, "group normalization"}, {2.76, "few chunks of the sums of many channels"}},
    {{64, "gradient of slopes"}, {3.06, "at most 16 pieces of 64 sums"}},
};

constexpr auto inference = prop_kind::forward_inference, training = prop_kind::forward_training,
               backward = prop_kind::backward, data = prop_kind::backward_data,
               weights = prop_kind::backward_weights;

void add_convolutions(subjects &all) {
    const auto add = [&](const std::string &name, const layer &l, prop_kind prop = inference,
                         type t = type::f32) {
        all.push_back({name, [=] { return convolution(l, prop, t); }});
    };
    add("depthwise 112", {1, 32, 32, 112, 32, 3, 1, 1});
    add("depthwise 112, stride 2", {1, 96, 96, 112, 96, 3, 2, 1});
    add("depthwise 28", {1, 192, 192, 28, 192, 3, 1, 1});
    add("depthwise 14", {1, 576, 576, 14, 576, 3, 1, 1});
    add("depthwise 7", {1, 960, 960, 7, 960, 3, 1, 1});
    add("depthwise 28, 7 x 7", {1, 192, 192, 28, 192, 7, 1, 3});
    add("depthwise 56, bytes", {1, 144, 144, 56, 144, 3, 1, 1}, inference, type::u8);
    add("depthwise 28, data", {8, 192, 192, 28, 192, 3, 2, 1}, data);
    add("depthwise 112, weights", {8, 32, 32, 112, 32, 3, 1, 1}, weights);
    add("depthwise 28, weights", {8, 192, 192, 28, 192, 3, 2, 1}, weights);
    add("depthwise 14, weights", {8, 576, 576, 14, 576, 3, 1, 1}, weights);
    add("groups of 4", {1, 32, 128, 56, 128, 3, 1, 1});
    add("groups of 8, stride 2", {1, 32, 256, 28, 256, 3, 2, 1});
    add("few outputs", {1, 1, 64, 128, 3, 9, 1, 4});
    add("data, 3 x 3 with stride 2", {4, 1, 128, 28, 128, 3, 2, 1}, data);
    add("data, 1 x 1 with stride 2", {4, 1, 256, 28, 512, 1, 2, 0}, data);
    add("data, 7 x 7 with stride 2", {1, 1, 3, 112, 64, 7, 2, 3}, data);
}

void add_normalizations(subjects &all) {
    for (const auto &[name, prop] : std::map<std::string, prop_kind> {
             {"inference", inference}, {"training", training}, {"backward", backward}})
        for (const tag layout : {tag::nhwc, tag::nchw})
            all.push_back({"batch normalization, " + name +
                               (layout == tag::nhwc ? ", channels last" : ", planes"),
                [=, prop = prop] {
                    return batch_normalization(image(8, 256, 28, type::f32, layout), prop);
                }});
    const memory::desc rows({1024, 768}, type::f32, tag::ab);
    all.push_back({"layer normalization", [=] { return layer_normalization(rows, false); }});
    all.push_back(
        {"layer normalization, backward", [=] { return layer_normalization(rows, true); }});
    const auto softmax = [&](const std::string &name, const memory::desc &md) {
        all.push_back({name, [=] {
                           return evenness_of<softmax_forward>(
                               {cpu(), inference, algorithm::softmax_accurate, md, md, 1});
                       }});
    };
    softmax("softmax, short rows", {{1536, 128}, type::f32, tag::ab});
    softmax("softmax, long rows", {{64, 32000}, type::f32, tag::ab});
    softmax("softmax, columns", {{1, 21, 256, 256}, type::f32, tag::abcd});
    all.push_back({"group normalization", [] {
                       const memory::desc md = image(4, 256, 28, type::f32);
                       return evenness_of<group_normalization_forward>(
                           {cpu(), inference, md, md, 32, 1e-5f, normalization_flags::none});
                   }});
    const memory::desc md = image(4, 64, 56, type::f32);
    all.push_back({"local response", [=] {
                       return evenness_of<lrn_forward>({cpu(), inference,
                           algorithm::lrn_across_channels, md, md, 5, 1e-4f, 0.75f, 1.0f});
                   }});
}

void add_windows_and_sums(subjects &all) {
    const auto pool = [&](const std::string &name, const layer &l, algorithm a, bool back,
                          type t = type::f32) {
        all.push_back({name, [=] { return pooling(l, a, back, t); }});
    };
    const layer three {8, 1, 64, 112, 64, 3, 2, 1};
    pool("maximum, 3 x 3", {1, 1, 64, 112, 64, 3, 2, 1}, algorithm::pooling_max, false);
    pool("maximum, 3 x 3, bytes", three, algorithm::pooling_max, false, type::u8);
    pool("maximum, 3 x 3, backward", three, algorithm::pooling_max, true);
    pool("global average", {16, 1, 2048, 7, 2048, 7, 1, 0}, algorithm::pooling_avg_exclude_padding,
        false);
    all.push_back({"resampling", [] {
                       return evenness_of<resampling_forward>(
                           {cpu(), inference, algorithm::resampling_linear,
                               image(1, 256, 32, type::f32), image(1, 256, 64, type::f32)});
                   }});
    const auto reduce = [&](const std::string &name, const memory::desc &from,
                            const memory::desc &to) {
        all.push_back({name, [=] {
                           return evenness_of<reduction>(
                               {cpu(), algorithm::reduction_mean, from, to, 0.0f, 0.0f});
                       }});
    };
    reduce("reduction of planes", image(8, 256, 56, type::f32, tag::nchw),
        image(8, 256, 1, type::f32, tag::nchw));
    reduce(
        "reduction of rows", {{2048, 1024}, type::f32, tag::ab}, {{2048, 1}, type::f32, tag::ab});
    all.push_back({"gradient of slopes", [] {
                       return prelu_slopes(image(8, 64, 56, type::f32, tag::nchw), {1, 64, 1, 1});
                   }});
}

void add_movement(subjects &all) {
    const memory::desc md = image(8, 256, 28, type::f32);
    const auto add = [&](const std::string &name, auto evenness) {
        all.push_back({name, evenness});
    };
    add("relu", [=] {
        return evenness_of<eltwise_forward>(
            {cpu(), inference, algorithm::eltwise_relu, md, md, 0.0f});
    });
    add("addition", [=] {
        return evenness_of<binary>({cpu(), algorithm::binary_add, md, md, md});
    });
    const std::vector<memory::desc> both {md, md};
    add("sum", [=] { return evenness_of<sum>({cpu(), std::vector<float> {1, 2}, both}); });
    add("concatenation", [=] { return evenness_of<concat>({cpu(), 1, both}); });
    add("conversion", [=] {
        return evenness_of<reorder>({cpu(), md, cpu(), image(8, 256, 28, type::bf16)});
    });
    add("transposition", [=] {
        return evenness_of<reorder>({cpu(), image(8, 256, 28, type::f32, tag::nchw), cpu(), md});
    });
    add("shuffle", [=] {
        const memory::desc image_of_240 = image(8, 240, 28, type::f32);
        return evenness_of<shuffle_forward>({cpu(), inference, image_of_240, image_of_240, 1, 3});
    });
}

/// Products, and networks that are made of them.
void add_products(subjects &all) {
    const auto add = [&](const std::string &name, auto evenness) {
        all.push_back({name, evenness});
    };
    add("inner product", [] {
        const memory::desc src({64, 2048}, type::f32, tag::ab),
            weights({1000, 2048}, type::f32, tag::any), dst({64, 1000}, type::f32, tag::ab);
        return evenness_of<inner_product_forward>({cpu(), inference, src, weights, dst});
    });
    add("matmul of a batch", [] {
        const memory::desc a({48, 128, 64}, type::f32, tag::abc),
            b({48, 64, 128}, type::f32, tag::abc), c({48, 128, 128}, type::f32, tag::abc);
        return evenness_of<matmul>({cpu(), a, b, c});
    });
    const auto attention = [](dim_t heads, dim_t tokens) {
        const memory::desc all({heads, tokens, 64}, type::f32, tag::abc);
        return evenness_of<ext::attention>({cpu(), all, all, all, {}, all, 0.125f});
    };
    add("attention", [=] { return attention(12, 384); });
    add("attention, few heads", [=] { return attention(3, 2048); });
    add("deconvolution", [] {
        const memory::desc src = image(1, 256, 16, type::f32), dst = image(1, 128, 32, type::f32),
                           weights({128, 256, 4, 4}, type::f32, tag::any);
        const memory::dims strides {2, 2}, padding {1, 1};
        return evenness_of<deconvolution_forward>({cpu(), inference,
            algorithm::deconvolution_direct, src, weights, dst, strides, padding, padding});
    });
    // 10 steps of 64 rows and 256 channels.
    const memory::desc layer({10, 64, 256}, type::f32, tag::tnc),
        state({1, 1, 64, 256}, type::f32, tag::ldnc);
    const auto gates = [](dim_t count) {
        return memory::desc({1, 1, 256, count, 256}, type::f32, tag::any);
    };
    const auto bias = [](dim_t count) {
        return memory::desc({1, 1, count, 256}, type::f32, tag::ldgo);
    };
    constexpr auto forward = rnn_direction::unidirectional_left2right;
    add("LSTM", [=] {
        return evenness_of<lstm_forward>({cpu(), inference, forward, layer, state, state, gates(4),
            gates(4), bias(4), layer, state, state});
    });
    add("GRU", [=] {
        return evenness_of<gru_forward>(
            {cpu(), inference, forward, layer, state, gates(3), gates(3), bias(3), layer, state});
    });
}

boost::test_tools::assertion_result has_avx2(boost::unit_test::test_unit_id) {
    return impl::has(impl::effective_isa(), impl::isa::avx2); // the reference counts nothing
}

BOOST_AUTO_TEST_CASE(threads_get_equal_shares, *boost::unit_test::precondition(has_avx2)) {
    subjects all;
    add_products(all);
    add_convolutions(all);
    add_normalizations(all);
    add_windows_and_sums(all);
    add_movement(all);
    for (const auto &[threads, usual] : std::map<int, double> {{16, 1.15}, {64, 1.5}}) {
        double worst = 1;
        for (const subject &s : all) {
            const counter counting(threads);
            const double evenness = s.evenness();
            const auto found = uneven.find({threads, s.name});
            const bool is_named = found != uneven.end();
            if (is_named)
                BOOST_TEST_MESSAGE(s.name << ": " << evenness << ", " << found->second.reason);
            else
                worst = std::max(worst, evenness);
            BOOST_TEST(evenness <= (is_named ? found->second.limit : usual),
                s.name << " on " << threads << " threads: " << evenness << " times the mean");
        }
        BOOST_TEST_MESSAGE(threads << " threads: at most " << worst << " times the mean");
    }
}

} // namespace
