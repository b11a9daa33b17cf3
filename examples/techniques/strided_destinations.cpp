// SPDX-License-Identifier: Apache-2.0
// Convolutions that write where their results are wanted: into every second pixel, so that a pixel
// shuffle (SRGAN) costs nothing, and into the channels of a larger tensor, so that a concat does
// not.
#include "../example.hpp"
#include "claims.hpp"
#include "timing.hpp"

#include <algorithm>
#include <cstdint>

using namespace examples;

namespace {

/// An image of C channels, channels last; kernel x kernel pixels, padded to keep its size.
struct layer {
    memory::dim C, OC, H, W, kernel;
    dt type; // f32, or u8 beside s8 weights
};

dt weights_type(const layer &l) { return l.type == dt::u8 ? dt::s8 : l.type; }

memory filled(const engine &cpu, const memory::desc &md, int seed) {
    memory to(md, cpu);
    random_source random(static_cast<std::uint64_t>(seed));
    const std::size_t bytes = md.get_size();
    if (md.get_data_type() == dt::f32) {
        auto *values = static_cast<float *>(to.get_data_handle());
        for (std::size_t i = 0; i < bytes / 4; ++i) values[i] = float(random.uniform(-1, 1));
    } else {
        auto *values = static_cast<std::uint8_t *>(to.get_data_handle());
        for (std::size_t i = 0; i < bytes; ++i) values[i] = std::uint8_t(random.below(256));
    }
    return to;
}

/// A convolution of `count` of the output channels from `first` on, into `dst`.
struct part {
    dnnl::convolution_forward run;
    std::unordered_map<int, memory> args;

    part(const engine &cpu, const layer &l, const memory &src, const memory &weights,
        memory::dim first, memory::dim count, const memory &dst) {
        const memory::desc some =
            weights.get_desc().submemory_desc({count, l.C, l.kernel, l.kernel}, {first, 0, 0, 0});
        dnnl::primitive_attr attr;
        if (l.type == dt::u8) attr.set_scales_mask(DNNL_ARG_DST, 0);
        const memory::dims ones {1, 1}, padding {l.kernel / 2, l.kernel / 2};
        const dnnl::convolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
            algorithm::convolution_direct, src.get_desc(),
            memory::desc({count, l.C, l.kernel, l.kernel}, weights_type(l), tag::any),
            dst.get_desc(), ones, padding, padding, attr);
        const memory own(pd.weights_desc(), cpu), from(some, cpu, weights.get_data_handle());
        execute(dnnl::reorder(from, own), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, own}});
        run = dnnl::convolution_forward(pd);
        args = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, own}, {DNNL_ARG_DST, dst}};
        const memory scale({{1}, dt::f32, tag::x}, cpu);
        *static_cast<float *>(scale.get_data_handle()) = 300;
        if (l.type == dt::u8) args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = scale;
    }
};

bool equal(const memory &a, const memory &b) {
    const auto *x = static_cast<const char *>(a.get_data_handle());
    return std::equal(
        x, x + a.get_desc().get_size(), static_cast<const char *>(b.get_data_handle()));
}

/// out[c][2 h + dy][2 w + dx] = in[c + (2 dy + dx) OC / 4][h][w].
void pixel_shuffle(
    const engine &cpu, techniques::claims &c, const layer &l, const std::string &name) {
    const memory::dim P = l.OC / 4, OH = 2 * l.H, OW = 2 * l.W;
    const memory src = filled(cpu, {{1, l.C, l.H, l.W}, l.type, tag::nhwc}, 1);
    const memory weights =
        filled(cpu, {{l.OC, l.C, l.kernel, l.kernel}, weights_type(l), tag::oihw}, 2);
    // The convolution as it is, then a reorder of a view: dy, dx, c, h, w become h, dy, w, dx, c.
    const memory wide({{1, l.OC, l.H, l.W}, l.type, tag::nhwc}, cpu),
        expected({{1, P, OH, OW}, l.type, tag::nhwc}, cpu);
    const memory::dims dims {2, 2, P, l.H, l.W};
    const memory from({dims, l.type, {2 * P, P, 1, l.W * l.OC, l.OC}}, cpu, wide.get_data_handle());
    const memory to(
        {dims, l.type, {OW * P, P, 1, 2 * OW * P, 2 * P}}, cpu, expected.get_data_handle());
    const part whole(cpu, l, src, weights, 0, l.OC, wide);
    const dnnl::reorder shuffle(from, to);
    // Each quarter of the channels goes to its pixels by itself.
    const memory fused({{1, P, OH, OW}, l.type, tag::nhwc}, cpu);
    const std::size_t bytes = memory::data_type_size(l.type);
    std::vector<part> quarters;
    for (memory::dim q = 0; q < 4; ++q) {
        char *first = static_cast<char *>(fused.get_data_handle()) +
                      std::size_t((q / 2 * OW + q % 2) * P) * bytes;
        const memory view(
            {{1, P, l.H, l.W}, l.type, {OH * OW * P, 1, 2 * OW * P, 2 * P}}, cpu, first);
        quarters.emplace_back(cpu, l, src, weights, q * P, P, view);
    }
    dnnl::stream stream(cpu);
    const auto two_passes = [&] {
        whole.run.execute(stream, whole.args);
        shuffle.execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
        stream.wait();
    };
    const auto one_pass = [&] {
        for (const part &q : quarters) q.run.execute(stream, q.args);
        stream.wait();
    };
    two_passes();
    one_pass();
    c.holds("S0-26",
        "four convolutions into every second pixel have the bits of a shuffle, " + name,
        equal(fused, expected));
    if (!c.timed()) return;
    double two = 1e9, one = 1e9;
    for (int i = 0; i < 15; ++i) {
        two = std::min(two, techniques::fastest(two_passes, 3));
        one = std::min(one, techniques::fastest(one_pass, 3));
    }
    c.figure("S0-26", "gain over convolution and shuffle, " + name, two / one, "times", "",
        two / one > (l.kernel == 1 ? 1.2 : .9));
}

/// The shuffle alone, back and forth.
void round_trip(const engine &cpu, techniques::claims &c) {
    const memory::dim P = 5, H = 6, W = 7;
    const memory in = filled(cpu, {{1, 4 * P, H, W}, dt::f32, tag::nhwc}, 3);
    const memory::dims dims {2, 2, P, H, W};
    const memory::desc deep(dims, dt::f32, {2 * P, P, 1, W * 4 * P, 4 * P}),
        flat(dims, dt::f32, {2 * W * P, P, 1, 4 * W * P, 2 * P});
    const memory from(deep, cpu, in.get_data_handle()), to(flat, cpu), back(deep, cpu);
    execute(dnnl::reorder(from, to), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    execute(dnnl::reorder(to, back), cpu, {{DNNL_ARG_FROM, to}, {DNNL_ARG_TO, back}});
    bool right = true;
    const auto *x = static_cast<const float *>(in.get_data_handle());
    const auto *y = static_cast<const float *>(to.get_data_handle());
    for (memory::dim h = 0; h < 2 * H; ++h)
        for (memory::dim w = 0; w < 2 * W; ++w)
            for (memory::dim p = 0; p < P; ++p)
                right = right && y[(h * 2 * W + w) * P + p] ==
                                     x[(h / 2 * W + w / 2) * 4 * P + (h % 2 * 2 + w % 2) * P + p];
    c.holds("S0-25", "a reorder of a view is a pixel shuffle, and its inverse goes back",
        right &&
            std::equal(x, x + 4 * P * H * W, static_cast<const float *>(back.get_data_handle())));
}

/// Two convolutions write the channels that a concat would put side by side.
void concat_in_place(const engine &cpu, techniques::claims &c) {
    const layer l {32, 48, 14, 14, 3, dt::u8};
    const memory src = filled(cpu, {{1, l.C, l.H, l.W}, l.type, tag::nhwc}, 4);
    const memory weights = filled(cpu, {{l.OC, l.C, l.kernel, l.kernel}, dt::s8, tag::oihw}, 5);
    const memory both({{1, l.OC, l.H, l.W}, l.type, tag::nhwc}, cpu),
        expected(both.get_desc(), cpu);
    const memory::dim first = 16;
    std::vector<memory::desc> inputs;
    std::unordered_map<int, memory> args {{DNNL_ARG_DST, expected}};
    dnnl::stream stream(cpu);
    for (int i = 0; i < 2; ++i) {
        const memory::dim begin = i ? first : 0, count = i ? l.OC - first : first;
        const memory view(both.get_desc().submemory_desc({1, count, l.H, l.W}, {0, begin, 0, 0}),
            cpu, both.get_data_handle());
        const part placed(cpu, l, src, weights, begin, count, view);
        placed.run.execute(stream, placed.args);
        const memory alone({{1, count, l.H, l.W}, l.type, tag::nhwc}, cpu);
        const part separate(cpu, l, src, weights, begin, count, alone);
        separate.run.execute(stream, separate.args);
        inputs.push_back(alone.get_desc());
        args[DNNL_ARG_MULTIPLE_SRC + i] = alone;
    }
    dnnl::concat(dnnl::concat::primitive_desc(cpu, expected.get_desc(), 1, inputs))
        .execute(stream, args);
    stream.wait();
    c.holds("S0-24",
        "convolutions of one range into the channels of a tensor have the bits of a concat",
        equal(both, expected));
}

} // namespace

int main(int count, char **arguments) {
    return run([&](const engine &cpu) {
        techniques::claims c(count, arguments);
        round_trip(cpu, c);
        pixel_shuffle(
            cpu, c, {64, 256, 48, 48, 3, dt::f32}, "3 x 3, 64 to 256 channels, 48 x 48, f32");
        pixel_shuffle(cpu, c, {64, 256, 48, 48, 3, dt::u8}, "the same in bytes");
        pixel_shuffle(
            cpu, c, {64, 256, 96, 96, 1, dt::f32}, "1 x 1, 64 to 256 channels, 96 x 96, f32");
        concat_in_place(cpu, c);
        expect(c.finish() == 0, "every claim holds");
    });
}
