// SPDX-License-Identifier: Apache-2.0
// Every argument of every creation function made wrong in turn: each tensor missing, with one
// dimension more or less, with each of its extents changed, each propagation kind and algorithm of
// another primitive, each entry of a window. No such call may succeed; misuse_rows.txt has the rows
// whose very status matters.
#include <algorithm>

#include "objects.hpp"

using namespace api_tests;

namespace {

struct tensor {
    std::string name;
    dims extents;
    bool optional = false;
    std::string free = {}; // its dimensions whose extents nothing else decides, as digits
};

/// The arguments of a creation function; those that it lacks are empty.
struct request {
    std::vector<dnnl_prop_kind_t> props; // the legal ones; the first is asked for
    std::vector<dnnl_alg_kind_t> algorithms;
    std::vector<tensor> tensors;
    // Strides, dilations, padding before and after, as the call takes them.
    std::vector<dims> window = {};
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t algorithm = dnnl_alg_kind_undef;
};

using descriptors = std::vector<const_dnnl_memory_desc_t>;
using creation =
    std::function<dnnl_status_t(dnnl_primitive_desc_t *, const request &, const descriptors &)>;

struct function {
    std::string name;
    request valid;
    creation create;
};

const auto train = dnnl_forward_training, infer = dnnl_forward_inference;

std::vector<function> functions_of_products() {
    const std::vector<dnnl_prop_kind_t> forward {train, infer};
    const std::vector<dnnl_alg_kind_t> convolution {
        dnnl_convolution_direct, dnnl_convolution_winograd, dnnl_convolution_auto};
    const std::vector<dnnl_alg_kind_t> deconvolution {
        dnnl_deconvolution_direct, dnnl_deconvolution_winograd};
    const std::vector<tensor> images {{"src", {2, 6, 8, 7}}, {"weights", {4, 6, 3, 3}},
        {"bias", {4}, true}, {"dst", {2, 4, 8, 7}}};
    std::vector<tensor> without_bias = images;
    without_bias.erase(without_bias.begin() + 2);
    const std::vector<dims> window {{1, 1}, {0, 0}, {1, 1}, {1, 1}};
    const std::vector<tensor> rows {
        {"src", {5, 6, 2}}, {"weights", {4, 6, 2}}, {"bias", {4}, true}, {"dst", {5, 4}}};
    std::vector<tensor> rows_without_bias = rows;
    rows_without_bias.erase(rows_without_bias.begin() + 2);
    const auto w = [](const request &r, std::size_t i) { return r.window[i].data(); };
    // Convolution and deconvolution have creation functions of the same types.
    const auto windowed =
        [&](const std::string &name, const std::vector<dnnl_alg_kind_t> &algorithms,
            decltype(&dnnl_convolution_forward_primitive_desc_create) run,
            decltype(&dnnl_convolution_backward_data_primitive_desc_create) data,
            decltype(&dnnl_convolution_backward_weights_primitive_desc_create) weights) {
            return std::vector<function> {
                {name + "_forward", {forward, algorithms, images, window},
                    [=](auto out, const request &r, const descriptors &d) {
                        return run(out, engine(), r.prop, r.algorithm, d[0], d[1], d[2], d[3],
                            w(r, 0), w(r, 1), w(r, 2), w(r, 3), nullptr);
                    }},
                {name + "_backward_data", {{}, algorithms, without_bias, window},
                    [=](auto out, const request &r, const descriptors &d) {
                        return data(out, engine(), r.algorithm, d[0], d[1], d[2], w(r, 0), w(r, 1),
                            w(r, 2), w(r, 3), nullptr, nullptr);
                    }},
                {name + "_backward_weights", {{}, algorithms, images, window},
                    [=](auto out, const request &r, const descriptors &d) {
                        return weights(out, engine(), r.algorithm, d[0], d[1], d[2], d[3], w(r, 0),
                            w(r, 1), w(r, 2), w(r, 3), nullptr, nullptr);
                    }},
            };
        };
    std::vector<function> all =
        windowed("convolution", convolution, dnnl_convolution_forward_primitive_desc_create,
            dnnl_convolution_backward_data_primitive_desc_create,
            dnnl_convolution_backward_weights_primitive_desc_create);
    for (const function &f :
        windowed("deconvolution", deconvolution, dnnl_deconvolution_forward_primitive_desc_create,
            dnnl_deconvolution_backward_data_primitive_desc_create,
            dnnl_deconvolution_backward_weights_primitive_desc_create))
        all.push_back(f);
    const std::vector<function> others {
        {"inner_product_forward", {forward, {}, rows},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_inner_product_forward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], d[2], d[3], nullptr);
            }},
        {"inner_product_backward_data", {{}, {}, rows_without_bias},
            [](auto out, const request &, const descriptors &d) {
                return dnnl_inner_product_backward_data_primitive_desc_create(
                    out, engine(), d[0], d[1], d[2], nullptr, nullptr);
            }},
        {"inner_product_backward_weights", {{}, {}, rows},
            [](auto out, const request &, const descriptors &d) {
                return dnnl_inner_product_backward_weights_primitive_desc_create(
                    out, engine(), d[0], d[1], d[2], d[3], nullptr, nullptr);
            }},
        {"matmul",
            {{}, {},
                {{"src", {3, 5, 6}}, {"weights", {3, 6, 4}}, {"bias", {3, 5, 4}, true},
                    {"dst", {3, 5, 4}}}},
            [](auto out, const request &, const descriptors &d) {
                return dnnl_matmul_primitive_desc_create(
                    out, engine(), d[0], d[1], d[2], d[3], nullptr);
            }},
    };
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

std::vector<function> functions_of_windows_and_channels() {
    const std::vector<dnnl_prop_kind_t> forward {train, infer};
    const std::vector<dnnl_alg_kind_t> pooling {
        dnnl_pooling_avg_include_padding, dnnl_pooling_avg_exclude_padding, dnnl_pooling_max};
    const std::vector<dnnl_alg_kind_t> resampling {dnnl_resampling_linear, dnnl_resampling_nearest};
    const std::vector<dnnl_alg_kind_t> lrn {dnnl_lrn_across_channels, dnnl_lrn_within_channel};
    const std::vector<dnnl_prop_kind_t> backward {dnnl_backward, dnnl_backward_data};
    const std::vector<tensor> images {{"src", {2, 6, 8, 7}}, {"dst", {2, 6, 8, 7}}};
    std::vector<tensor> backward_images = images;
    backward_images.push_back({"src", {2, 6, 8, 7}});
    const std::vector<tensor> scaled {
        {"src", {2, 6, 8, 7}, false, "23"}, {"dst", {2, 6, 5, 4}, false, "23"}};
    const std::vector<dims> window {{1, 1}, {3, 3}, {0, 0}, {1, 1}, {1, 1}};
    const auto w = [](const request &r, std::size_t i) { return r.window[i].data(); };
    const auto all = dnnl_use_scale | dnnl_use_shift;
    return {
        {"pooling_forward", {{infer, train}, pooling, images, window},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_pooling_forward_primitive_desc_create(out, engine(), r.prop,
                    r.algorithm, d[0], d[1], w(r, 0), w(r, 1), w(r, 2), w(r, 3), w(r, 4), nullptr);
            }},
        {"resampling_forward", {forward, resampling, scaled},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_resampling_forward_primitive_desc_create(
                    out, engine(), r.prop, r.algorithm, nullptr, d[0], d[1], nullptr);
            }},
        {"resampling_backward", {{}, resampling, scaled},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_resampling_backward_primitive_desc_create(
                    out, engine(), r.algorithm, nullptr, d[0], d[1], nullptr, nullptr);
            }},
        {"lrn_forward", {forward, lrn, images},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_lrn_forward_primitive_desc_create(
                    out, engine(), r.prop, r.algorithm, d[0], d[1], 5, 1e-4f, 0.75f, 1, nullptr);
            }},
        {"lrn_backward", {{}, lrn, backward_images},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_lrn_backward_primitive_desc_create(out, engine(), r.algorithm, d[0],
                    d[1], d[2], 5, 1e-4f, 0.75f, 1, nullptr, nullptr);
            }},
        {"batch_normalization_forward", {forward, {}, images},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_batch_normalization_forward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], 1e-4f, all, nullptr);
            }},
        {"batch_normalization_backward", {backward, {}, backward_images},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_batch_normalization_backward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], d[2], 1e-4f, all, nullptr, nullptr);
            }},
        {"group_normalization_forward", {forward, {}, images},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_group_normalization_forward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], 3, 1e-4f, all, nullptr);
            }},
        {"group_normalization_backward", {backward, {}, backward_images},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_group_normalization_backward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], d[2], 3, 1e-4f, all, nullptr, nullptr);
            }},
        {"layer_normalization_forward",
            {forward, {}, {{"src", {2, 6, 7}}, {"dst", {2, 6, 7}}, {"statistics", {2, 6}, true}}},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_layer_normalization_forward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], d[2], 1e-4f, all, nullptr);
            }},
        {"shuffle_forward", {forward, {}, images},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_shuffle_forward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], 1, 3, nullptr);
            }},
    };
}

std::vector<dnnl_alg_kind_t> from_to(int first, int last) {
    std::vector<dnnl_alg_kind_t> all;
    for (int x = first; x <= last; ++x) all.push_back(static_cast<dnnl_alg_kind_t>(x));
    return all;
}

std::vector<function> functions_of_elements() {
    const std::vector<dnnl_prop_kind_t> forward {train, infer};
    const std::vector<dnnl_alg_kind_t> softmax {dnnl_softmax_accurate, dnnl_softmax_log};
    auto eltwise = from_to(dnnl_eltwise_relu, dnnl_eltwise_hardswish);
    for (dnnl_alg_kind_t x :
        from_to(dnnl_eltwise_relu_use_dst_for_bwd, dnnl_eltwise_clip_v2_use_dst_for_bwd))
        eltwise.push_back(x);
    const std::vector<tensor> two {{"src", {2, 6, 7}}, {"dst", {2, 6, 7}}};
    std::vector<tensor> three = two;
    three.push_back({"data", {2, 6, 7}});
    std::vector<tensor> three_with_dst = two;
    three_with_dst.push_back({"dst", {2, 6, 7}});
    const std::vector<tensor> sources {{"src", {2, 6, 7}}, {"src", {2, 6, 7}}, {"dst", {2, 6, 7}}};
    std::vector<tensor> optional_dst = sources;
    optional_dst[2].optional = true;
    const std::vector<tensor> sloped {
        {"src", {4, 6, 7}}, {"weights", {1, 6, 1}}, {"dst", {4, 6, 7}}};
    return {
        {"eltwise_forward", {forward, eltwise, two},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_eltwise_forward_primitive_desc_create(
                    out, engine(), r.prop, r.algorithm, d[0], d[1], 0.5f, 1, nullptr);
            }},
        {"eltwise_backward", {{}, eltwise, three},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_eltwise_backward_primitive_desc_create(
                    out, engine(), r.algorithm, d[0], d[1], d[2], 0.5f, 1, nullptr, nullptr);
            }},
        {"softmax_forward", {forward, softmax, two},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_softmax_forward_primitive_desc_create(
                    out, engine(), r.prop, r.algorithm, d[0], d[1], 1, nullptr);
            }},
        {"softmax_backward", {{}, softmax, three_with_dst},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_softmax_backward_primitive_desc_create(
                    out, engine(), r.algorithm, d[0], d[1], d[2], 1, nullptr, nullptr);
            }},
        {"binary", {{}, from_to(dnnl_binary_add, dnnl_binary_ne), sources},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_binary_primitive_desc_create(
                    out, engine(), r.algorithm, d[0], d[1], d[2], nullptr);
            }},
        {"prelu_forward", {forward, {}, sloped},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_prelu_forward_primitive_desc_create(
                    out, engine(), r.prop, d[0], d[1], d[2], nullptr);
            }},
        {"reduction",
            {{}, from_to(dnnl_reduction_max, dnnl_reduction_norm_lp_power_p_sum),
                {{"src", {2, 6, 7}, false, "1"}, {"dst", {2, 1, 7}}}},
            [](auto out, const request &r, const descriptors &d) {
                return dnnl_reduction_primitive_desc_create(
                    out, engine(), r.algorithm, d[0], d[1], 2, 0, nullptr);
            }},
        {"sum", {{}, {}, optional_dst},
            [](auto out, const request &, const descriptors &d) {
                const float scales[] = {1, 2};
                return dnnl_sum_primitive_desc_create(
                    out, engine(), d[2], 2, scales, d.data(), nullptr);
            }},
        {"concat", {{}, {}, {{"src", {2, 6, 7}}, {"src", {2, 3, 7}}, {"dst", {2, 9, 7}, true}}},
            [](auto out, const request &, const descriptors &d) {
                return dnnl_concat_primitive_desc_create(
                    out, engine(), d[2], 2, 1, d.data(), nullptr);
            }},
        {"reorder", {{}, {}, two},
            [](auto out, const request &, const descriptors &d) {
                return dnnl_reorder_primitive_desc_create(
                    out, d[0], engine(), d[1], engine(), nullptr);
            }},
    };
}

std::vector<function> functions_of_networks() {
    const std::vector<dnnl_prop_kind_t> forward {train, infer};
    // Of 2 steps, 3 rows, 5 channels, one layer of `gates` gates and `biases` biases.
    const auto network = [](dnnl_dim_t gates, dnnl_dim_t biases) {
        return std::vector<tensor> {{"src_layer", {2, 3, 5}}, {"src_iter", {1, 1, 3, 5}, true},
            {"weights_layer", {1, 1, 5, gates, 5}}, {"weights_iter", {1, 1, 5, gates, 5}},
            {"bias", {1, 1, biases, 5}, true}, {"dst_layer", {2, 3, 5}},
            {"dst_iter", {1, 1, 3, 5}, true}};
    };
    std::vector<tensor> lstm = network(4, 4), attentive = network(3, 3);
    lstm.push_back({"src_iter_c", {1, 1, 3, 5}, true});
    lstm.push_back({"dst_iter_c", {1, 1, 3, 5}, true});
    lstm.push_back({"weights_peephole", {1, 1, 3, 5}, true});
    attentive.push_back({"attention", {2, 3, 1}});
    const auto direction = dnnl_unidirectional_left2right;
    return {
        {"vanilla_rnn_forward",
            {forward, {dnnl_eltwise_tanh, dnnl_eltwise_relu, dnnl_eltwise_logistic}, network(1, 1)},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_vanilla_rnn_forward_primitive_desc_create(out, engine(), r.prop,
                    r.algorithm, direction, d[0], d[1], d[2], d[3], d[4], d[5], d[6], 0, 0, 0,
                    nullptr);
            }},
        {"lstm_forward", {forward, {}, lstm},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_lstm_forward_primitive_desc_create(out, engine(), r.prop, direction,
                    d[0], d[1], d[7], d[2], d[3], d[9], nullptr, d[4], d[5], d[6], d[8], 0,
                    nullptr);
            }},
        {"gru_forward", {forward, {}, network(3, 3)},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_gru_forward_primitive_desc_create(out, engine(), r.prop, direction,
                    d[0], d[1], d[2], d[3], d[4], d[5], d[6], 0, nullptr);
            }},
        {"lbr_gru_forward", {forward, {}, network(3, 4)},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_lbr_gru_forward_primitive_desc_create(out, engine(), r.prop, direction,
                    d[0], d[1], d[2], d[3], d[4], d[5], d[6], 0, nullptr);
            }},
        {"augru_forward", {forward, {}, attentive},
            [=](auto out, const request &r, const descriptors &d) {
                return dnnl_augru_forward_primitive_desc_create(out, engine(), r.prop, direction,
                    d[0], d[1], d[7], d[2], d[3], d[4], d[5], d[6], 0, nullptr);
            }},
    };
}

/// Creates what the request describes.
dnnl_status_t create(const function &f, const request &r, dnnl_primitive_desc_t *out) {
    std::vector<desc_owner> owners(r.tensors.size());
    descriptors all;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (!r.tensors[i].extents.empty()) owners[i] = plain(r.tensors[i].extents);
        all.push_back(owners[i]);
    }
    return f.create(out, r, all);
}

void check_refused(const function &f, const request &wrong, const std::string &what,
    const std::string &named = "") {
    const auto marker = reinterpret_cast<dnnl_primitive_desc_t>(std::uintptr_t {64});
    dnnl_primitive_desc_t out = marker;
    const dnnl_status_t status = create(f, wrong, &out);
    BOOST_CHECK_MESSAGE(status == dnnl_invalid_arguments || status == dnnl_unimplemented,
        f.name << " with " << what << ": status " << status);
    if (status == dnnl_success) return ok(dnnl_primitive_desc_destroy(out));
    BOOST_CHECK_MESSAGE(out == marker, f.name << " with " << what << ": the output was touched");
    const std::string reason = dnnl_ext_last_error();
    BOOST_CHECK_MESSAGE(!reason.empty() && reason.find(named) != std::string::npos,
        f.name << " with " << what << ": the reason `" << reason << "` does not name `" << named
               << "`");
}

const std::vector<dnnl_alg_kind_t> &algorithms_of_all() {
    static const std::vector<dnnl_alg_kind_t> all = [] {
        std::vector<dnnl_alg_kind_t> found {dnnl_alg_kind_undef, dnnl_convolution_direct,
            dnnl_convolution_winograd, dnnl_convolution_auto, dnnl_deconvolution_direct,
            dnnl_deconvolution_winograd, dnnl_pooling_max, dnnl_pooling_avg_include_padding,
            dnnl_pooling_avg_exclude_padding, dnnl_lrn_across_channels, dnnl_lrn_within_channel,
            dnnl_vanilla_rnn, dnnl_vanilla_lstm, dnnl_vanilla_gru, dnnl_lbr_gru, dnnl_vanilla_augru,
            dnnl_lbr_augru, dnnl_resampling_nearest, dnnl_resampling_linear, dnnl_softmax_accurate,
            dnnl_softmax_log};
        for (const auto &more : {from_to(dnnl_eltwise_relu, dnnl_eltwise_hardswish),
                 from_to(dnnl_eltwise_relu_use_dst_for_bwd, dnnl_eltwise_clip_v2_use_dst_for_bwd),
                 from_to(dnnl_binary_add, dnnl_binary_select),
                 from_to(dnnl_reduction_max, dnnl_reduction_norm_lp_power_p_sum)})
            found.insert(found.end(), more.begin(), more.end());
        return found;
    }();
    return all;
}

template <class T> bool has(const std::vector<T> &list, T x) {
    return std::find(list.begin(), list.end(), x) != list.end();
}

void check_tensors(const function &f, const request &valid) {
    for (std::size_t i = 0; i < valid.tensors.size(); ++i) {
        const tensor &t = valid.tensors[i];
        request wrong = valid;
        dims &extents = wrong.tensors[i].extents;
        const auto refused = [&](const std::string &what) {
            check_refused(f, wrong, what + " of " + t.name);
            extents = t.extents;
        };
        if (!t.optional) {
            extents.clear();
            check_refused(f, wrong, "no descriptor of " + t.name, t.name);
            extents = t.extents;
        }
        extents.push_back(1);
        refused("one dimension more");
        extents.pop_back();
        if (!extents.empty()) refused("one dimension less");
        extents = t.extents;
        for (std::size_t d = 0; d < extents.size(); ++d) {
            if (t.free.find(static_cast<char>('0' + d)) != std::string::npos) continue;
            ++extents[d];
            refused("dimension " + std::to_string(d) + " longer");
            extents[d] -= extents[d] > 1;
            if (extents[d] > 1) refused("dimension " + std::to_string(d) + " shorter");
        }
    }
}

void check_window(const function &f, const request &valid) {
    for (std::size_t i = 0; i < valid.window.size(); ++i)
        for (std::size_t d = 0; d < valid.window[i].size(); ++d)
            for (const dnnl_dim_t change : {-2, 1, 2}) {
                request wrong = valid;
                wrong.window[i][d] += change;
                check_refused(f, wrong,
                    "entry " + std::to_string(d) + " of list " + std::to_string(i) +
                        " of the window changed by " + std::to_string(change));
            }
}

void check_every_argument(const std::vector<function> &functions) {
    for (const function &f : functions) {
        request valid = f.valid;
        if (!valid.props.empty()) valid.prop = valid.props[0];
        if (!valid.algorithms.empty()) valid.algorithm = valid.algorithms[0];
        primitive_desc_owner made;
        const dnnl_status_t status = create(f, valid, made.out());
        BOOST_CHECK_MESSAGE(status == dnnl_success, f.name << ": " << dnnl_ext_last_error());
        check_tensors(f, valid);
        check_window(f, valid);
        for (const dnnl_prop_kind_t prop :
            {dnnl_prop_kind_undef, dnnl_forward_training, dnnl_forward_inference, dnnl_backward,
                dnnl_backward_data, dnnl_backward_weights, dnnl_backward_bias}) {
            request wrong = valid;
            wrong.prop = prop;
            if (!valid.props.empty() && !has(valid.props, prop))
                check_refused(f, wrong, "propagation kind " + std::to_string(prop));
        }
        for (const dnnl_alg_kind_t algorithm : algorithms_of_all()) {
            request wrong = valid;
            wrong.algorithm = algorithm;
            if (!valid.algorithms.empty() && !has(valid.algorithms, algorithm))
                check_refused(f, wrong, "algorithm " + std::to_string(algorithm));
        }
        check_canary();
    }
}

/// Products take the pairs of types of src and weights that `legal` lists, and no others.
void check_pairs_of_types(const std::string &legal,
    const std::function<dnnl_status_t(dnnl_primitive_desc_t *, const_dnnl_memory_desc_t,
        const_dnnl_memory_desc_t, const_dnnl_memory_desc_t)> &create,
    const dims &src, const dims &weights, const dims &dst) {
    const std::vector<std::pair<const char *, dnnl_data_type_t>> types {{"f32", dnnl_f32},
        {"bf16", dnnl_bf16}, {"f16", dnnl_f16}, {"f64", dnnl_f64}, {"s32", dnnl_s32},
        {"s8", dnnl_s8}, {"u8", dnnl_u8}, {"f8_e5m2", dnnl_f8_e5m2}, {"f8_e4m3", dnnl_f8_e4m3},
        {"s4", dnnl_s4}, {"u4", dnnl_u4}, {"f4_e2m1", dnnl_f4_e2m1}};
    for (const auto &a : types)
        for (const auto &b : types) {
            const std::string pair = std::string(a.first) + ":" + b.first;
            bool taken = false;
            for (const dnnl_data_type_t c : {dnnl_f32, a.second}) {
                primitive_desc_owner pd;
                taken |= create(pd.out(), plain(src, a.second), plain(weights, b.second),
                             plain(dst, c)) == dnnl_success;
            }
            const std::string reason = dnnl_ext_last_error();
            const bool integer = a.second == dnnl_s32 || a.second == dnnl_s8 || a.second == dnnl_u8;
            if (!taken && !integer && pair.find("f8") != std::string::npos)
                BOOST_CHECK_MESSAGE(reason.find("f8") < reason.find(" ("), pair << ": " << reason);
            BOOST_CHECK_MESSAGE(
                taken == ((" " + legal + " ").find(" " + pair + " ") != std::string::npos),
                pair << (taken ? " is taken" : " is refused"));
        }
}

} // namespace

BOOST_AUTO_TEST_CASE(pairs_of_types) {
    const dims ones {1, 1}, zeros {0, 0};
    std::string both = "s8:s8 s8:u8 u8:s8 u8:u8";
    for (const char *a : {"f32", "bf16", "f16", "f8_e5m2", "f8_e4m3"})
        for (const char *b : {"f32", "bf16", "f16", "f8_e5m2", "f8_e4m3"})
            both += std::string(" ") + a + ":" + b;
    std::string packed = both + " s8:s4 s8:u4 u8:s4 u8:u4 f4_e2m1:f4_e2m1", widened;
    for (const char *b : {"f32", "bf16", "f16", "f8_e5m2", "f8_e4m3"})
        packed += std::string(" f4_e2m1:") + b;
    for (const char *a : {"f32", "bf16", "f16"}) {
        packed += std::string(" ") + a + ":f4_e2m1";
        for (const char *b : {"s8", "u8", "s4", "u4"}) widened += std::string(" ") + a + ":" + b;
    }
    attr_owner to_int;
    ok(dnnl_primitive_attr_create(to_int.out()));
    ok(dnnl_primitive_attr_set_fpmath_mode_v2(to_int, dnnl_fpmath_mode_any, 1));
    for (const bool widens : {false, true}) {
        const const_dnnl_primitive_attr_t attr = widens ? *to_int.out() : nullptr;
        check_pairs_of_types(widens ? packed + widened : packed,
            [&](auto out, auto src, auto weights, auto dst) {
                return dnnl_matmul_primitive_desc_create(
                    out, engine(), src, weights, nullptr, dst, attr);
            },
            {4, 6}, {6, 8}, {4, 8});
    }
    check_pairs_of_types(both,
        [](auto out, auto src, auto weights, auto dst) {
            return dnnl_inner_product_forward_primitive_desc_create(
                out, engine(), infer, src, weights, nullptr, dst, nullptr);
        },
        {4, 6}, {8, 6}, {4, 8});
    check_pairs_of_types(both,
        [&](auto out, auto src, auto weights, auto dst) {
            return dnnl_convolution_forward_primitive_desc_create(out, engine(), infer,
                dnnl_convolution_direct, src, weights, nullptr, dst, ones.data(), zeros.data(),
                zeros.data(), ones.data(), nullptr);
        },
        {2, 6, 8, 8}, {4, 6, 2, 2}, {2, 4, 8, 8});
    check_pairs_of_types(both,
        [&](auto out, auto src, auto weights, auto dst) {
            return dnnl_deconvolution_forward_primitive_desc_create(out, engine(), infer,
                dnnl_deconvolution_direct, src, weights, nullptr, dst, ones.data(), zeros.data(),
                zeros.data(), ones.data(), nullptr);
        },
        {2, 6, 8, 8}, {4, 6, 2, 2}, {2, 4, 8, 8});
}

BOOST_AUTO_TEST_CASE(products) { check_every_argument(functions_of_products()); }
BOOST_AUTO_TEST_CASE(windows_and_channels) {
    check_every_argument(functions_of_windows_and_channels());
}
BOOST_AUTO_TEST_CASE(elements) { check_every_argument(functions_of_elements()); }
BOOST_AUTO_TEST_CASE(networks) { check_every_argument(functions_of_networks()); }
