// SPDX-License-Identifier: Apache-2.0
// Pooling, resampling, and normalizations of images.
#include "lowering.hpp"

#include "../operators/window.hpp"

#include <algorithm>

namespace dnnl_onnx {

using dnnl::memory;

namespace {

bool is_f32(lowering &to, const operation &op) {
    return has_library_type(to.type_of(op.in[0]).type) && is_float(to.type_of(op.in[0]).type);
}

bool pool(lowering &to, const operation &op, dnnl::algorithm algorithm, const window &w) {
    const operand src = to.strided(op.in[0]);
    lowering::arguments args;
    const int rank = to.type_of(op.in[0]).rank();
    const dnnl::primitive_attr attr = to.attributes(op, rank, args);
    extents dilations = w.dilations;
    for (std::int64_t &d : dilations) --d;
    const dnnl::pooling_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, algorithm, src.desc,
        any_desc(to.dims_of(op.out[0]), src.desc.get_data_type()), w.strides, w.kernel, dilations,
        w.begin, w.end, attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::pooling_forward>(op, "pooling", desc, std::move(args), attr);
    return true;
}

/// With ceil_mode the last windows may pass the pads: the pads grow until they do not.
window whole_windows(window w, const extents &image, const extents &result) {
    for (int d = 0; d < w.dims(); ++d) {
        const std::int64_t reached =
            (result[d] - 1) * w.strides[d] + w.reach(d) - image[d] - w.begin[d];
        w.end[d] = std::max(w.end[d], reached);
    }
    return w;
}

bool max_pool(lowering &to, const operation &op) {
    if (!is_f32(to, op) || (op.out.size() > 1 && to.uses_of(op.out[1]))) return false;
    const op_context c = to.context(op);
    const extents image = spatial(c.dims(0));
    return pool(to, op, dnnl::algorithm::pooling_max,
        whole_windows(window_of(c, image, {}), image, spatial(to.dims_of(op.out[0]))));
}

bool average_pool(lowering &to, const operation &op) {
    if (!is_f32(to, op)) return false;
    const op_context c = to.context(op);
    const extents image = spatial(c.dims(0));
    const window w = window_of(c, image, {});
    const window whole = whole_windows(w, image, spatial(to.dims_of(op.out[0])));
    const bool include = c.integer("count_include_pad", 0) != 0;
    if (include && whole.end != w.end) return false; // what ceil_mode adds counts nowhere
    return pool(to, op,
        include ? dnnl::algorithm::pooling_avg_include_padding
                : dnnl::algorithm::pooling_avg_exclude_padding,
        whole);
}

bool global_pool(lowering &to, const operation &op, dnnl::algorithm algorithm) {
    if (!is_f32(to, op)) return false;
    window w;
    w.kernel = spatial(to.dims_of(op.in[0]));
    w.strides = w.dilations = extents(w.kernel.size(), 1);
    w.begin = w.end = extents(w.kernel.size(), 0);
    return pool(to, op, algorithm, w);
}

bool global_average_pool(lowering &to, const operation &op) {
    return global_pool(to, op, dnnl::algorithm::pooling_avg_exclude_padding);
}

bool global_max_pool(lowering &to, const operation &op) {
    return global_pool(to, op, dnnl::algorithm::pooling_max);
}

bool lrn(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    const operand src = to.strided(op.in[0]);
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    const dnnl::lrn_forward::primitive_desc desc(to.engine(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::lrn_across_channels, src.desc, compact_desc(src.desc),
        c.integer("size", 1), c.number("alpha", 0.0001f), c.number("beta", 0.75f),
        c.number("bias", 1), attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_DST, to.make_over(op.out[0], desc.dst_desc(), op.in[0])});
    to.add<dnnl::lrn_forward>(op, "lrn", desc, std::move(args), attr);
    return true;
}

/// Values [C] as f32 in the dense layout that statistics have.
operand channel_values(lowering &to, int id) {
    return to.in(id, plain_desc({to.dims_of(id)[0]}, memory::data_type::f32));
}

/// What training gives beside the result: statistics of before and of this batch, mixed.
void mix_statistics(lowering &to, const operation &op, std::size_t output, int before,
    const operand &batch, float momentum) {
    if (op.out.size() <= output || !to.uses_of(op.out[output])) return;
    const tensor_type type = to.type_of(op.out[output]);
    const auto mix = [momentum](views in, views out) {
        for (std::int64_t i = 0; i < out[0].count(); ++i)
            out[0].data<float>()[i] =
                in[0].data<float>()[i] * momentum + in[1].data<float>()[i] * (1 - momentum);
    };
    to.add_host(op, mix, {{to.dense(before), type}, {batch, type}},
        {{to.make(op.out[output], plain_desc(type)), type}});
}

bool batch_normalization(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    using flags = dnnl::normalization_flags;
    const bool training = c.opset >= 14 && c.integer("training_mode", 0);
    const operand src = to.strided(op.in[0]);
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    flags wanted = flags::use_scale | flags::use_shift;
    if (!training) wanted |= flags::use_global_stats;
    const dnnl::batch_normalization_forward::primitive_desc desc(to.engine(),
        training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference, src.desc,
        compact_desc(src.desc), c.number("epsilon", 1e-5f), wanted, attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_SCALE, channel_values(to, op.in[1])});
    args.push_back({DNNL_ARG_SHIFT, channel_values(to, op.in[2])});
    operand mean, variance;
    if (training) {
        mean = to.scratch(desc.mean_desc());
        variance = to.scratch(desc.variance_desc());
    } else {
        mean = channel_values(to, op.in[3]);
        variance = channel_values(to, op.in[4]);
    }
    args.push_back({DNNL_ARG_MEAN, mean});
    args.push_back({DNNL_ARG_VARIANCE, variance});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::batch_normalization_forward>(
        op, "batch_normalization", desc, std::move(args), attr);
    if (training) {
        const float momentum = c.number("momentum", 0.9f);
        mix_statistics(to, op, 1, op.in[3], mean, momentum);
        mix_statistics(to, op, 2, op.in[4], variance, momentum);
    }
    return true;
}

/// A group normalization whose groups are the channels.
bool instance_normalization(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    using flags = dnnl::normalization_flags;
    const operand src = to.strided(op.in[0]);
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    const dnnl::group_normalization_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, src.desc, compact_desc(src.desc), c.dims(0)[1],
        c.number("epsilon", 1e-5f), flags::use_scale | flags::use_shift, attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_SCALE, channel_values(to, op.in[1])});
    args.push_back({DNNL_ARG_SHIFT, channel_values(to, op.in[2])});
    args.push_back({DNNL_ARG_DST, to.make_over(op.out[0], desc.dst_desc(), op.in[0])});
    to.add<dnnl::group_normalization_forward>(
        op, "group_normalization", desc, std::move(args), attr);
    return true;
}

} // namespace

bool resampling_algorithm(const op_context &c, const extents &result, dnnl::algorithm &algorithm) {
    const extents &image = c.dims(0);
    if (c.in(0).type != element_type::f32 || image.size() < 3 || image.size() > 5) return false;
    if (image[0] != result[0] || image[1] != result[1]) return false;
    bool whole = true, smaller = false; // whole: every factor is an integer
    for (std::size_t d = 2; d < image.size(); ++d) {
        whole &= result[d] % image[d] == 0;
        smaller |= result[d] < image[d];
    }
    const bool old = c.asked.operation == "Upsample" || c.opset < 11;
    const std::string mode = c.text("mode", "nearest");
    const std::string places =
        c.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    const std::string nearest = c.text("nearest_mode", old ? "floor" : "round_prefer_floor");
    if (c.has_attribute("antialias") || c.integer("exclude_outside", 0)) return false;
    if (mode == "nearest") {
        // Element i of an image enlarged by f is element floor(i / f), by either rule.
        const bool same = (places == "asymmetric" && nearest == "floor") ||
                          (places == "half_pixel" && nearest.rfind("round_prefer", 0) == 0);
        algorithm = dnnl::algorithm::resampling_nearest;
        return whole && same;
    }
    algorithm = dnnl::algorithm::resampling_linear;
    return mode == "linear" && places == "half_pixel" && !smaller && whole;
}

namespace {

bool resize(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    dnnl::algorithm algorithm;
    if (!resampling_algorithm(c, to.dims_of(op.out[0]), algorithm)) return false;
    const operand src = to.strided(op.in[0]);
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    const dnnl::resampling_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, algorithm, src.desc,
        any_desc(to.dims_of(op.out[0]), src.desc.get_data_type()), attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::resampling_forward>(op, "resampling", desc, std::move(args), attr);
    return true;
}

} // namespace

std::span<const lower_entry> lower_windows() {
    static const lower_entry table[] = {
        {"AveragePool", average_pool},
        {"BatchNormalization", batch_normalization},
        {"GlobalAveragePool", global_average_pool},
        {"GlobalMaxPool", global_max_pool},
        {"InstanceNormalization", instance_normalization},
        {"LRN", lrn},
        {"MaxPool", max_pool},
        {"Resize", resize},
        {"Upsample", resize},
    };
    return table;
}

} // namespace dnnl_onnx
