// SPDX-License-Identifier: Apache-2.0
// One thing wrong per row in the creation of convolution, deconvolution, pooling, matmul and inner
// product: the status, a reason that names the argument, an untouched output, and a library that
// goes on working.
#include <climits>

#include "objects.hpp"

using namespace api_tests;

namespace {

/// A valid 2-D convolution, 2x6x8x8 with 4 filters of 3x3; as valid as a deconvolution.
struct convolution_call {
    bool transposed = false;
    bool no_out = false, no_engine = false, no_src = false, no_strides = false;
    dnnl_prop_kind_t prop = dnnl_forward_inference;
    dnnl_alg_kind_t alg = dnnl_convolution_direct;
    dims src {2, 6, 8, 8}, weights {4, 6, 3, 3}, bias {4}, dst {2, 4, 8, 8};
    dnnl_data_type_t weights_type = dnnl_f32;
    dims strides {1, 1}, dilates {0, 0}, padding_l {1, 1}, padding_r {1, 1};
    int src_scale_mask = -1, dst_scale_mask = -1, src_zero_point_mask = -1;
    dims binary_src1;
    bool depthwise = false;

    dnnl_alg_kind_t algorithm() const {
        if (!transposed) return alg;
        if (alg == dnnl_convolution_direct) return dnnl_deconvolution_direct;
        return alg == dnnl_convolution_winograd ? dnnl_deconvolution_winograd : alg;
    }
    dnnl_status_t create(dnnl_primitive_desc_t *out) const {
        attr_owner attr;
        ok(dnnl_primitive_attr_create(attr.out()));
        if (src_scale_mask >= 0)
            ok(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, src_scale_mask));
        if (dst_scale_mask >= 0)
            ok(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, dst_scale_mask));
        if (src_zero_point_mask >= 0)
            ok(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, src_zero_point_mask));
        post_ops_owner ops;
        ok(dnnl_post_ops_create(ops.out()));
        if (!binary_src1.empty())
            ok(dnnl_post_ops_append_binary(ops, dnnl_binary_add, plain(binary_src1)));
        if (depthwise)
            ok(dnnl_post_ops_append_dw(ops, dnnl_f32, dnnl_data_type_undef, dnnl_f32, 3, 1, 1));
        ok(dnnl_primitive_attr_set_post_ops(attr, ops));
        const auto s = plain(src), w = plain(weights, weights_type);
        const auto b = plain(bias), d = plain(dst);
        const auto create_desc = transposed ? dnnl_deconvolution_forward_primitive_desc_create
                                            : dnnl_convolution_forward_primitive_desc_create;
        return create_desc(no_out ? nullptr : out, no_engine ? nullptr : engine(), prop,
            algorithm(), no_src ? nullptr : +s, w, b, d, no_strides ? nullptr : strides.data(),
            dilates.data(), padding_l.data(), padding_r.data(), attr);
    }
};

struct convolution_row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    void (*spoil)(convolution_call &);
};
const convolution_row convolution_rows[] = {
    {"valid", dnnl_success, "", [](convolution_call &) {}},
    {"C01", dnnl_invalid_arguments, "primitive_desc", [](convolution_call &c) { c.no_out = true; }},
    {"C02", dnnl_invalid_arguments, "engine", [](convolution_call &c) { c.no_engine = true; }},
    {"C03", dnnl_invalid_arguments, "src", [](convolution_call &c) { c.no_src = true; }},
    {"C04", dnnl_invalid_arguments, "strides", [](convolution_call &c) { c.no_strides = true; }},
    {"C05", dnnl_invalid_arguments, "prop_kind",
        [](convolution_call &c) { c.prop = dnnl_backward_data; }},
    {"C06", dnnl_invalid_arguments, "alg_kind",
        [](convolution_call &c) { c.alg = dnnl_eltwise_relu; }},
    {"C07", dnnl_invalid_arguments, "weights", [](convolution_call &c) { c.weights[1] = 5; }},
    {"C08", dnnl_invalid_arguments, "weights", [](convolution_call &c) { c.weights[0] = 5; }},
    {"C09", dnnl_invalid_arguments, "bias", [](convolution_call &c) { c.bias[0] = 5; }},
    {"C10", dnnl_invalid_arguments, "bias",
        [](convolution_call &c) {
            c.bias = {1, 4};
        }},
    {"C11", dnnl_invalid_arguments, "dst", [](convolution_call &c) { c.dst[0] = 3; }},
    {"C12", dnnl_invalid_arguments, "strides", [](convolution_call &c) { c.strides[0] = 0; }},
    {"C13", dnnl_invalid_arguments, "strides", [](convolution_call &c) { c.strides[1] = -1; }},
    {"C14", dnnl_invalid_arguments, "dilates", [](convolution_call &c) { c.dilates[0] = -1; }},
    {"C15", dnnl_invalid_arguments, "padding_l", [](convolution_call &c) { c.padding_l[0] = -1; }},
    {"C16", dnnl_invalid_arguments, "dst", [](convolution_call &c) { c.padding_r[0] = 2; }},
    {"C17", dnnl_invalid_arguments, "dst",
        [](convolution_call &c) {
            c.weights[2] = 11;
            c.dst[2] = 1;
        }},
    {"C18", dnnl_unimplemented, "operands", [](convolution_call &c) { c.weights_type = dnnl_s8; }},
    {"C19", dnnl_invalid_arguments, "src",
        [](convolution_call &c) {
            c.src = {2, 6};
        }},
    {"C20", dnnl_invalid_arguments, "src",
        [](convolution_call &c) {
            c.src = {2, 6, 8, 8, 8, 8};
        }},
    {"C21", dnnl_success, "", [](convolution_call &c) { c.src[0] = c.dst[0] = 0; }},
    {"C22", dnnl_invalid_arguments, "weights",
        [](convolution_call &c) { c.src[1] = c.weights[1] = 0; }},
    {"C23", dnnl_invalid_arguments, "weights", [](convolution_call &c) { c.weights[2] = 0; }},
    {"C24", dnnl_unimplemented, "alg_kind",
        [](convolution_call &c) { c.alg = dnnl_convolution_winograd; }},
    {"C25", dnnl_success, "",
        [](convolution_call &c) {
            c.strides[0] = INT64_MAX;
            c.dst[2] = 1;
        }},
    {"C26", dnnl_invalid_arguments, "dst",
        [](convolution_call &c) { c.dilates[0] = INT64_C(1) << 62; }},
    {"C27", dnnl_invalid_arguments, "dst",
        [](convolution_call &c) { c.padding_l[0] = c.padding_r[0] = INT64_C(1) << 62; }},
    {"C28", dnnl_unimplemented, "scales", [](convolution_call &c) { c.src_scale_mask = 2; }},
    {"C29", dnnl_unimplemented, "zero_points",
        [](convolution_call &c) { c.src_zero_point_mask = 0; }},
    {"C31", dnnl_invalid_arguments, "post_ops",
        [](convolution_call &c) {
            c.binary_src1 = {2, 3, 8, 8};
        }},
    {"C31 rank", dnnl_invalid_arguments, "post_ops",
        [](convolution_call &c) { c.binary_src1 = {4}; }},
    {"C33", dnnl_unimplemented, "src",
        [](convolution_call &c) { c.src[0] = DNNL_RUNTIME_DIM_VAL; }},
};

/// Rows of deconvolution alone; those above hold for it, too, but C25: there the result overflows.
const convolution_row deconvolution_rows[] = {
    {"DC01", dnnl_invalid_arguments, "alg_kind",
        [](convolution_call &c) { c.alg = dnnl_convolution_auto; }},
    {"DC02", dnnl_invalid_arguments, "dst",
        [](convolution_call &c) { c.strides[0] = INT64_MAX, c.dst[2] = 1; }},
    {"DC03", dnnl_invalid_arguments, "dst",
        [](convolution_call &c) {
            c.strides = {2, 2}, c.dst = {2, 4, 17, 15};
        }},
    {"DC04", dnnl_success, "",
        [](convolution_call &c) {
            c.strides = {2, 2}, c.padding_r = {-1, -1}, c.dst = {2, 4, 17, 17};
        }},
    {"DC05", dnnl_unimplemented, "post_ops", [](convolution_call &c) { c.depthwise = true; }},
    {"DC06", dnnl_unimplemented, "scales",
        [](convolution_call &c) { c.weights_type = dnnl_s8, c.dst_scale_mask = 2; }},
    {"DC07", dnnl_invalid_arguments, "dst",
        [](convolution_call &c) { c.padding_l[0] = INT64_MAX, c.padding_r[0] = INT64_MAX; }},
};

/// A valid average pooling, 2x3x7x7, windows 3x3 at distance 2.
struct pooling_call {
    dnnl_alg_kind_t alg = dnnl_pooling_max;
    dims src {2, 3, 7, 7}, dst {2, 3, 4, 4};
    dims strides {2, 2}, kernel {3, 3}, dilation {0, 0}, padding_l {1, 1}, padding_r {1, 1};
    dnnl_format_tag_t src_tag = dnnl_abcd;

    dnnl_status_t create(dnnl_primitive_desc_t *out) const {
        const auto s = src_tag == dnnl_abcd ? plain(src) : tagged(src, src_tag);
        const auto d = plain(dst);
        return dnnl_pooling_forward_primitive_desc_create(out, engine(), dnnl_forward_inference,
            alg, s, d, strides.data(), kernel.data(), dilation.data(), padding_l.data(),
            padding_r.data(), nullptr);
    }
};
struct pooling_row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    void (*spoil)(pooling_call &);
};
void all_padding(pooling_call &c) {
    c.padding_l = c.padding_r = {4, 4};
    c.dst = {2, 3, 7, 7};
}
const pooling_row pooling_rows[] = {
    {"valid", dnnl_success, "", [](pooling_call &) {}},
    {"P01", dnnl_invalid_arguments, "kernel", [](pooling_call &c) { c.kernel[0] = 0; }},
    {"P02", dnnl_invalid_arguments, "strides", [](pooling_call &c) { c.strides[0] = 0; }},
    {"P03", dnnl_invalid_arguments, "dst", [](pooling_call &c) { c.dst[1] = 4; }},
    {"P04", dnnl_invalid_arguments, "dst", [](pooling_call &c) { c.dst[2] = 5; }},
    {"P05", dnnl_invalid_arguments, "alg_kind",
        [](pooling_call &c) { c.alg = dnnl_convolution_direct; }},
    {"P06", dnnl_invalid_arguments, "dilates", [](pooling_call &c) { c.dilation[0] = -1; }},
    {"P07 max", dnnl_success, "", all_padding},
    {"P07 include", dnnl_success, "",
        [](pooling_call &c) { all_padding(c), c.alg = dnnl_pooling_avg_include_padding; }},
    {"P07 exclude", dnnl_invalid_arguments, "padding",
        [](pooling_call &c) { all_padding(c), c.alg = dnnl_pooling_avg_exclude_padding; }},
    {"N-24", dnnl_invalid_arguments, "src",
        [](pooling_call &c) { c.src_tag = dnnl_format_tag_any; }},
    {"N-01", dnnl_unimplemented, "src", [](pooling_call &c) { c.src[0] = DNNL_RUNTIME_DIM_VAL; }},
};

/// A valid product of 3x4x5 and 3x5x6 with a bias.
struct matmul_call {
    dims src {3, 4, 5}, weights {3, 5, 6}, bias {1, 1, 6}, dst {3, 4, 6}, dst_strides {24, 6, 1};
    dnnl_data_type_t src_type = dnnl_f32, weights_type = dnnl_f32;
    dims weights_groups;
    int src_zero_point_mask = -1, accumulation = -1;

    dnnl_status_t create(dnnl_primitive_desc_t *out) const {
        attr_owner attr;
        ok(dnnl_primitive_attr_create(attr.out()));
        if (!weights_groups.empty())
            ok(dnnl_primitive_attr_set_scales(
                attr, DNNL_ARG_WEIGHTS, 6, 2, weights_groups.data(), dnnl_f32));
        if (src_zero_point_mask >= 0)
            ok(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, src_zero_point_mask));
        if (accumulation >= 0)
            ok(dnnl_primitive_attr_set_accumulation_mode(
                attr, static_cast<dnnl_accumulation_mode_t>(accumulation)));
        const auto s = plain(src, src_type), w = plain(weights, weights_type), b = plain(bias);
        const auto d = dst_strides.size() == dst.size() ? strided(dst, dst_strides) : plain(dst);
        return dnnl_matmul_primitive_desc_create(out, engine(), s, w, b, d, attr);
    }
};
struct matmul_row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    void (*spoil)(matmul_call &);
};
const matmul_row matmul_rows[] = {
    {"valid", dnnl_success, "", [](matmul_call &) {}},
    {"X01", dnnl_invalid_arguments, "weights", [](matmul_call &c) { c.weights[1] = 4; }},
    {"X02", dnnl_invalid_arguments, "weights", [](matmul_call &c) { c.weights[0] = 2; }},
    {"X03", dnnl_invalid_arguments, "src", [](matmul_call &c) { c.src = {5}; }},
    {"X04", dnnl_invalid_arguments, "bias", [](matmul_call &c) { c.bias = {6}; }},
    {"X07", dnnl_invalid_arguments, "dst", [](matmul_call &c) { c.src[1] = DNNL_RUNTIME_DIM_VAL; }},
    {"X08", dnnl_invalid_arguments, "src", [](matmul_call &c) { c.src_type = dnnl_s32; }},
    {"X10", dnnl_unimplemented, "scales",
        [](matmul_call &c) {
            c.weights_groups = {2, 1};
        }},
    {"X12", dnnl_invalid_arguments, "dst",
        [](matmul_call &c) {
            c.dst_strides = {24, 0, 1};
        }},
    {"N-20 batch", dnnl_invalid_arguments, "dst",
        [](matmul_call &c) { c.src[0] = c.weights[0] = 1; }},
    {"N-20 rank", dnnl_invalid_arguments, "weights",
        [](matmul_call &c) {
            c.weights = {5, 6};
        }},
    {"N-20 N", dnnl_invalid_arguments, "dst", [](matmul_call &c) { c.weights[2] = 1; }},
    {"N-21", dnnl_unimplemented, "zero_points", [](matmul_call &c) { c.src_zero_point_mask = 0; }},
    {"N-32", dnnl_invalid_arguments, "zero_points",
        [](matmul_call &c) { c.src_type = c.weights_type = dnnl_s8, c.src_zero_point_mask = 8; }},
    {"accumulation", dnnl_unimplemented, "accumulation_mode",
        [](matmul_call &c) { c.accumulation = dnnl_accumulation_mode_f16; }},
    {"N-28", dnnl_success, "", [](matmul_call &c) { c.src[2] = c.weights[1] = 0; }},
};

struct inner_product_call {
    dims src {2, 3, 4}, weights {5, 3, 4}, bias {5}, dst {2, 5};
    dnnl_status_t create(dnnl_primitive_desc_t *out) const {
        return dnnl_inner_product_forward_primitive_desc_create(out, engine(),
            dnnl_forward_inference, plain(src), plain(weights), plain(bias), plain(dst), nullptr);
    }
};
struct inner_product_row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    void (*spoil)(inner_product_call &);
};
const inner_product_row inner_product_rows[] = {
    {"valid", dnnl_success, "", [](inner_product_call &) {}},
    {"I01", dnnl_invalid_arguments, "weights", [](inner_product_call &c) { c.weights[1] = 2; }},
    {"I02", dnnl_invalid_arguments, "weights", [](inner_product_call &c) { c.weights[2] = 2; }},
    {"I03", dnnl_invalid_arguments, "src",
        [](inner_product_call &c) { c.src[1] = c.weights[1] = 0; }},
    {"bias", dnnl_invalid_arguments, "bias", [](inner_product_call &c) { c.bias[0] = 4; }},
    {"N-01", dnnl_unimplemented, "src",
        [](inner_product_call &c) { c.src[0] = DNNL_RUNTIME_DIM_VAL; }},
};

template <class Call, class Row> void check_table(const Row &rows, const std::string &primitive) {
    for (const auto &row : rows) {
        Call call;
        row.spoil(call);
        check_row(primitive + " " + row.id, row.expected, row.named,
            [&](dnnl_primitive_desc_t *out) { return call.create(out); });
    }
}
} // namespace

BOOST_AUTO_TEST_CASE(convolution) {
    check_table<convolution_call>(convolution_rows, "convolution");
}
BOOST_AUTO_TEST_CASE(deconvolution) {
    struct deconvolution_call : convolution_call {
        deconvolution_call() { transposed = true; }
    };
    std::vector<convolution_row> rows(std::begin(convolution_rows), std::end(convolution_rows));
    std::erase_if(rows, [](const convolution_row &row) { return row.id == std::string("C25"); });
    check_table<deconvolution_call>(rows, "deconvolution");
    check_table<deconvolution_call>(deconvolution_rows, "deconvolution");
}
BOOST_AUTO_TEST_CASE(pooling) { check_table<pooling_call>(pooling_rows, "pooling"); }
BOOST_AUTO_TEST_CASE(matmul) { check_table<matmul_call>(matmul_rows, "matmul"); }
BOOST_AUTO_TEST_CASE(inner_product) {
    check_table<inner_product_call>(inner_product_rows, "inner_product");
}

BOOST_AUTO_TEST_CASE(backward_without_hint) {
    const dims two {2, 2}, one {1, 1}, zero {0, 0};
    const auto image = plain({1, 2, 4, 4}), pooled = plain({1, 2, 2, 2});
    check_row("backward max pooling", dnnl_invalid_arguments, "hint_fwd_pd", [&](auto *out) {
        return dnnl_pooling_backward_primitive_desc_create(out, engine(), dnnl_pooling_max, image,
            pooled, two.data(), two.data(), zero.data(), zero.data(), zero.data(), nullptr,
            nullptr);
    });
    const auto weights = plain({3, 2, 1, 1}), result = plain({1, 3, 4, 4});
    check_row("C30", dnnl_success, "", [&](auto *out) {
        return dnnl_convolution_backward_data_primitive_desc_create(out, engine(),
            dnnl_convolution_direct, image, weights, result, one.data(), nullptr, zero.data(),
            nullptr, nullptr, nullptr);
    });
    check_row("deconvolution", dnnl_success, "", [&](auto *out) {
        return dnnl_deconvolution_backward_data_primitive_desc_create(out, engine(),
            dnnl_deconvolution_direct, image, weights, result, one.data(), nullptr, zero.data(),
            nullptr, nullptr, nullptr);
    });
    primitive_desc_owner convolution;
    ok(convolution_call().create(convolution.out()));
    check_row("DC08", dnnl_invalid_arguments, "hint_fwd_pd", [&](auto *out) {
        return dnnl_deconvolution_backward_data_primitive_desc_create(out, engine(),
            dnnl_deconvolution_direct, image, weights, result, one.data(), nullptr, zero.data(),
            nullptr, convolution, nullptr);
    });
}
