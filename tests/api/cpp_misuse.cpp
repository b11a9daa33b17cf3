// SPDX-License-Identifier: Apache-2.0
// The misuse table through the C++ interface: one wrong thing per row, the status inside
// dnnl::error, a message that names the argument, nothing left on the heap, and a product that is
// right afterwards.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "dnnl/dnnl.hpp"
#include "heap.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;
using dims = memory::dims;
using md = memory::desc;

namespace {

int failures = 0;

void check(bool good, const std::string &row, const std::string &what) {
    if (good) return;
    std::printf("%s: %s\n", row.c_str(), what.c_str());
    ++failures;
}

const engine &eng() {
    static const engine made(engine::kind::cpu, 0);
    return made;
}
const prop_kind inference = prop_kind::forward_inference;

/// One row: what the call does wrong, the status and a word of the message.
struct row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    std::function<void()> call;
};

/// A product of small integers, whose values are known.
void check_canary(const std::string &row) {
    const md a_md({2, 3}, dt::f32, tag::ab), b_md({3, 2}, dt::f32, tag::ab);
    const md c_md({2, 2}, dt::f32, tag::ab);
    float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, -1, 2, -2, 3, -3}, c[] = {0, 0, 0, 0};
    const float expected[] = {14, -14, 32, -32};
    stream s(eng());
    const matmul product(matmul::primitive_desc(eng(), a_md, b_md, c_md));
    product.execute(
        s, {{DNNL_ARG_SRC, memory(a_md, eng(), a)}, {DNNL_ARG_WEIGHTS, memory(b_md, eng(), b)},
               {DNNL_ARG_DST, memory(c_md, eng(), c)}});
    s.wait();
    check(std::memcmp(c, expected, sizeof c) == 0, row, "the canary has other values");
}

void run(const row &r) {
    long blocks = 0;
    for (int round = 0; round < 2; ++round) { // the first call may fill what the process keeps
        blocks = heap::live_blocks();
        try {
            r.call();
            check(r.expected == dnnl_success, r.id, "no error was thrown");
        } catch (const error &e) {
            check(e.status == r.expected, r.id,
                std::string("status ") + std::to_string(e.status) + ": " + e.what());
            check(std::strstr(e.what(), r.named) != nullptr, r.id,
                std::string("`") + e.what() + "` does not name " + r.named);
        }
        blocks = heap::live_blocks() - blocks;
    }
    check(blocks == 0, r.id, std::to_string(blocks) + " blocks were left behind");
    check_canary(r.id);
}

const dims image {2, 6, 8, 8}, filter {4, 6, 3, 3}, output {2, 4, 8, 8}, one {1, 1}, zero {0, 0};
md plain(const dims &extents, dt type = dt::f32) { return md(extents, type, dims()); }

void convolve(const md &src, const md &weights, const md &dst, const dims &strides = one,
    const dims &padding = one, const primitive_attr &attr = primitive_attr(),
    bool allow_empty = false) {
    convolution_forward::primitive_desc pd(eng(), inference, algorithm::convolution_direct, src,
        weights, dst, strides, padding, padding, attr, allow_empty);
    check(!allow_empty || !pd, "allow_empty", "the descriptor is not empty");
}
void pool(const dims &kernel, const dims &strides, const dims &dst) {
    pooling_forward::primitive_desc(eng(), inference, algorithm::pooling_max, plain({2, 3, 8, 8}),
        plain(dst), strides, kernel, zero, zero, zero);
}
void multiply(const dims &src, const dims &weights, const dims &dst,
    const primitive_attr &attr = primitive_attr()) {
    matmul::primitive_desc(eng(), plain(src), plain(weights), plain(dst), attr);
}
void activate(algorithm alg, const dims &dst, float alpha = 0, float beta = 0) {
    eltwise_forward::primitive_desc(
        eng(), prop_kind::forward_training, alg, plain({2, 3}), plain(dst), alpha, beta);
}
void normalise(const dims &dst, int axis) {
    softmax_forward::primitive_desc(
        eng(), inference, algorithm::softmax_accurate, plain({2, 3}), plain(dst), axis);
}
void append_full() {
    post_ops ops;
    for (int i = 0; i < 33; ++i) ops.append_eltwise(algorithm::eltwise_relu, 0, 0);
}
/// Runs a matmul with the arguments that `spoil` leaves.
void execute(const std::function<void(std::unordered_map<int, memory> &)> &spoil) {
    const md src = plain({2, 3}), weights = plain({3, 4}), dst = plain({2, 4});
    std::unordered_map<int, memory> args {{DNNL_ARG_SRC, memory(src, eng())},
        {DNNL_ARG_WEIGHTS, memory(weights, eng())}, {DNNL_ARG_DST, memory(dst, eng())}};
    for (const auto &a : args)
        std::memset(a.second.get_data_handle(), 0, a.second.get_desc().get_size());
    spoil(args);
    stream s(eng());
    matmul(matmul::primitive_desc(eng(), src, weights, dst)).execute(s, args);
}

const dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;

const std::vector<row> objects {
    {"E02", invalid, "index", [] { engine(engine::kind::cpu, 1); }},
    {"E04", invalid, "kind", [] { engine(engine::kind::gpu, 0); }},
    {"S04", invalid, "flags",
        [] { stream(eng(), stream::flags::in_order | stream::flags::out_of_order); }},
    {"S06", invalid, "flags", [] { stream(eng(), static_cast<stream::flags>(0x100)); }},
    {"D02", invalid, "dim", [] { md(dims(13, 1), dt::f32, tag::a); }},
    {"D06", invalid, "dims",
        [] {
            md({-2, 3}, dt::f32, tag::ab);
        }},
    {"D07", invalid, "data_type",
        [] {
            md({2, 3}, dt::undef, tag::ab);
        }},
    {"D10", invalid, "format_tag",
        [] {
            md({2, 3}, dt::f32, static_cast<tag>(99999));
        }},
    {"D11", invalid, "format_tag",
        [] {
            md({2, 3}, dt::f32, tag::abcd);
        }},
    {"D14", invalid, "dims",
        [] {
            md({INT64_C(1) << 62, 4}, dt::f32, tag::ab);
        }},
    {"D18", invalid, "strides",
        [] {
            md({2, 3}, dt::f32, dims {-3, 1});
        }},
    {"D20", invalid, "strides",
        [] {
            md({2, 3}, dt::f32, dims {1, 1});
        }},
    {"strides too few", invalid, "strides",
        [] {
            md({2, 3}, dt::f32, dims {1});
        }},
    {"D25", invalid, "offsets",
        [] {
            plain({2, 3}).submemory_desc({2, 3}, {1, 1});
        }},
    {"offsets too few", invalid, "offsets",
        [] {
            plain({2, 3}).submemory_desc({2, 3}, {1});
        }},
    {"D30", invalid, "dims",
        [] {
            plain({2, 3}).reshape({2, 4});
        }},
    {"D33", invalid, "permutation",
        [] {
            plain({2, 3}).permute_axes({0, 0});
        }},
    {"permutation too short", invalid, "permutation",
        [] {
            plain({2, 3}).permute_axes({0});
        }},
    {"allow_empty reshape", dnnl_success, "",
        [] {
            check(!plain({2, 3}).reshape({2, 4}, true), "reshape", "not empty");
        }},
    {"M04", invalid, "memory_desc",
        [] {
            memory(md({2, 3}, dt::f32, tag::any), eng());
        }},
    {"M05", invalid, "memory_desc",
        [] {
            memory(md({DNNL_RUNTIME_DIM_VAL, 3}, dt::f32, tag::ab), eng());
        }},
    {"D49", invalid, "blob",
        [] {
            std::vector<uint8_t> blob = plain({2, 3}).get_blob();
            for (uint8_t &byte : blob) byte = 0xff;
            md made(blob);
        }},
    {"empty handle", invalid, "", [] { memory().get_data_handle(); }},
    {"GL1", invalid, "capacity", [] { set_primitive_cache_capacity(-1); }},
    {"A35", dnnl_success, "",
        [] { // this one returns its status
            check(
                set_default_fpmath_mode(static_cast<fpmath_mode>(99)) == status::invalid_arguments,
                "A35", "accepted");
        }},
};

const std::vector<row> attributes {
    {"A03", invalid, "mode",
        [] { primitive_attr().set_scratchpad_mode(static_cast<scratchpad_mode>(99)); }},
    {"A04", invalid, "mode",
        [] { primitive_attr().set_accumulation_mode(static_cast<accumulation_mode>(99)); }},
    {"A05", invalid, "arg", [] { primitive_attr().set_scales_mask(DNNL_ARG_BIAS, 0); }},
    {"A06", invalid, "mask", [] { primitive_attr().set_scales_mask(DNNL_ARG_SRC, -1); }},
    {"A09", invalid, "group_dims",
        [] {
            primitive_attr().set_scales(DNNL_ARG_SRC, 0, {-4, 1}, dt::f32);
        }},
    {"A11", invalid, "data_type", [] { primitive_attr().set_scales(DNNL_ARG_SRC, 0, {}, dt::s8); }},
    {"A12", invalid, "arg", [] { primitive_attr().set_zero_points_mask(DNNL_ARG_BIAS, 0); }},
    {"A13", invalid, "data_type",
        [] { primitive_attr().set_zero_points(DNNL_ARG_SRC, 0, {}, dt::f32); }},
    {"A15", dnnl_out_of_memory, "post_ops", append_full},
    {"A16", invalid, "alg_kind",
        [] { post_ops().append_eltwise(algorithm::convolution_direct, 0, 0); }},
    {"A17", invalid, "alg_kind",
        [] {
            post_ops().append_binary(algorithm::eltwise_relu, plain({2, 3}));
        }},
    {"A19", invalid, "mask", [] { post_ops().append_prelu(-1); }},
    {"A21", invalid, "kernel_size",
        [] { post_ops().append_dw(dt::f32, dt::f32, dt::f32, 0, 1, 1); }},
    {"A23", invalid, "index",
        [] {
            post_ops ops;
            algorithm alg;
            float alpha, beta;
            ops.get_params_eltwise(1, alg, alpha, beta);
        }},
    {"A28", invalid, "count", [] { primitive_attr().set_rnn_weights_qparams(0, {}); }},
};

const std::vector<row> primitives {
    {"C07", invalid, "weights",
        [] {
            convolve(plain(image), plain({4, 5, 3, 3}), plain(output));
        }},
    {"C12", invalid, "strides",
        [] {
            convolve(plain(image), plain(filter), plain(output), {0, 1});
        }},
    {"C15", invalid, "padding",
        [] {
            convolve(plain(image), plain(filter), plain(output), one, {-1, 1});
        }},
    {"C16", invalid, "dst",
        [] {
            convolve(plain(image), plain(filter), plain(output), one, {2, 2});
        }},
    {"C18", missing, "operands",
        [] { convolve(plain(image), plain(filter, dt::s8), plain(output)); }},
    {"C18 allow_empty", dnnl_success, "",
        [] {
            convolve(plain(image), plain(filter, dt::s8), plain(output), one, one, primitive_attr(),
                true);
        }},
    {"C28", missing, "scales",
        [] {
            primitive_attr attr;
            attr.set_scales_mask(DNNL_ARG_SRC, 2);
            convolve(plain(image), plain(filter), plain(output), one, one, attr);
        }},
    {"strides too few", invalid, "strides",
        [] { convolve(plain(image), plain(filter), plain(output), {1}); }},
    {"strides too few, allow_empty", invalid, "strides",
        [] {
            convolve(plain(image), plain(filter), plain(output), {1}, one, primitive_attr(), true);
        }},
    {"P01", invalid, "kernel",
        [] {
            pool({0, 2}, {2, 2}, {2, 3, 4, 4});
        }},
    {"P02", invalid, "strides",
        [] {
            pool({2, 2}, {0, 2}, {2, 3, 4, 4});
        }},
    {"P04", invalid, "dst",
        [] {
            pool({2, 2}, {2, 2}, {2, 3, 5, 4});
        }},
    {"X01", invalid, "weights",
        [] {
            multiply({2, 3}, {4, 5}, {2, 5});
        }},
    {"X02", invalid, "weights",
        [] {
            multiply({3, 2, 3}, {2, 3, 5}, {3, 2, 5});
        }},
    {"X03", invalid, "src", [] { multiply({3}, {3}, {3}); }},
    {"T02", invalid, "alpha",
        [] {
            activate(algorithm::eltwise_clip, {2, 3}, 2, 1);
        }},
    {"T05", invalid, "dst",
        [] {
            activate(algorithm::eltwise_relu, {3, 2});
        }},
    {"F01", invalid, "axis",
        [] {
            normalise({2, 3}, 2);
        }},
    {"F03", invalid, "dst",
        [] {
            normalise({3, 3}, 1);
        }},
    {"Y01", invalid, "src1",
        [] {
            binary::primitive_desc(
                eng(), algorithm::binary_add, plain({2, 3}), plain({2, 2}), plain({2, 3}));
        }},
    {"K02", invalid, "concat_dimension",
        [] {
            concat::primitive_desc(eng(), 2, {plain({2, 3}), plain({2, 3})});
        }},
    {"U03", invalid, "src_descs",
        [] {
            sum::primitive_desc(eng(), {1, 2}, {plain({2, 3}), plain({3, 2})});
        }},
    {"N-23", invalid, "scales",
        [] {
            sum::primitive_desc(eng(), {1}, {plain({2, 3}), plain({2, 3})});
        }},
    {"O01", invalid, "dst",
        [] {
            reorder::primitive_desc(eng(), plain({2, 3}), eng(), plain({3, 2}));
        }},
    {"I01", invalid, "weights",
        [] {
            inner_product_forward::primitive_desc(
                eng(), inference, plain({2, 3}), plain({4, 5}), plain({2, 4}));
        }},
    {"N01", invalid, "local_size",
        [] {
            lrn_forward::primitive_desc(eng(), inference, algorithm::lrn_across_channels,
                plain(image), plain(image), 0, 1, 1, 1);
        }},
    {"H02", invalid, "group_size",
        [] {
            shuffle_forward::primitive_desc(eng(), inference, plain({2, 16}), plain({2, 16}), 1, 3);
        }},
};

const std::vector<row> executions {
    {"valid", dnnl_success, "", [] { execute([](std::unordered_map<int, memory> &) {}); }},
    {"X25", invalid, "DNNL_ARG_DST",
        [] { execute([](std::unordered_map<int, memory> &args) { args.erase(DNNL_ARG_DST); }); }},
    {"X28", invalid, "DNNL_ARG_SRC",
        [] {
            execute([](std::unordered_map<int, memory> &args) {
                args[DNNL_ARG_SRC].set_data_handle(nullptr);
            });
        }},
    {"X31", invalid, "DNNL_ARG_SRC",
        [] {
            execute([](std::unordered_map<int, memory> &args) {
                args[DNNL_ARG_SRC] = memory(plain({1, 3}), eng());
            });
        }},
};
} // namespace

int main() {
    std::size_t count = 0;
    for (const std::vector<row> *rows : {&objects, &attributes, &primitives, &executions}) {
        for (const row &r : *rows) run(r);
        count += rows->size();
    }
    std::printf("%zu rows, %d failures\n", count, failures);
    return failures != 0;
}
