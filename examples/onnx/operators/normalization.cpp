// SPDX-License-Identifier: Apache-2.0
// The extents of normalizations and of softmax, which primitives compute.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>

namespace dnnl_onnx {

namespace {

host_step batch_normalization(op_context &c) {
    const extents &x = c.dims(0);
    if (x.size() < 2) c.fail("its input has no channels: " + text_of(x));
    for (std::size_t i = 1; i < 5; ++i)
        if (c.dims(i) != extents {x[1]})
            c.fail("input " + std::to_string(i) + " has the extents " + text_of(c.dims(i)) +
                   " instead of [" + std::to_string(x[1]) + "]");
    c.output(0, c.in(0).type, x);
    const bool training = c.opset >= 14 && c.integer("training_mode", 0);
    for (std::size_t i = 1; i < c.output_count(); ++i) {
        c.output(i, c.in(0).type, {x[1]});
        if (c.wants(i) && !training) c.not_there("there are no outputs of statistics");
    }
    return {};
}

host_step instance_normalization(op_context &c) {
    if (c.rank(0) < 3) c.fail("its input has no spatial dimensions: " + text_of(c.dims(0)));
    c.output(0, c.in(0).type, c.dims(0));
    return {};
}

host_step layer_normalization(op_context &c) {
    const int axis = c.axis("axis", -1, c.rank(0));
    c.output(0, c.in(0).type, c.dims(0));
    extents statistics = c.dims(0);
    std::fill(statistics.begin() + axis, statistics.end(), 1);
    c.output(1, element_type::f32, statistics);
    c.output(2, element_type::f32, statistics);
    return {};
}

/// (x - mean) / sqrt(variance), over the axes that are given; by default all but the channels.
host_step mean_variance_normalization(op_context &c) {
    const extents axes = c.integers("axes", {0, 2, 3});
    c.output(0, c.in(0).type, c.dims(0));
    if (c.in(0).type != element_type::f32) c.not_there("its input is no f32");
    extents kept = c.dims(0);
    for (std::int64_t axis : axes) kept[c.axis_of(axis, c.rank(0))] = 1;
    return [kept](views in, views out) {
        const extents &dims = in[0].dims();
        const std::array strides {strides_of(dims), broadcast_strides(kept, dims)};
        std::vector<double> sums(count_of(kept)), squares(sums.size());
        const auto *x = in[0].data<float>();
        for_each_offset(dims, strides, [&](auto i, auto group) {
            sums[group] += x[i];
            squares[group] += double(x[i]) * x[i];
        });
        const double count = double(count_of(dims)) / double(sums.size());
        for_each_offset(dims, strides, [&](auto i, auto group) {
            const double mean = sums[group] / count;
            const double deviation = std::sqrt(squares[group] / count - mean * mean);
            out[0].data<float>()[i] = float((x[i] - mean) / (deviation + 1e-9));
        });
    };
}

host_step softmax(op_context &c) {
    c.axis("axis", c.opset >= 13 ? -1 : 1, c.rank(0));
    c.output(0, c.in(0).type, c.dims(0));
    return {};
}

} // namespace

operator_table normalization_operators() {
    static const operator_entry table[] = {
        {"BatchNormalization", batch_normalization},
        {"InstanceNormalization", instance_normalization},
        {"LayerNormalization", layer_normalization},
        {"LogSoftmax", softmax},
        {"MeanVarianceNormalization", mean_variance_normalization},
        {"Softmax", softmax},
    };
    return table;
}

} // namespace dnnl_onnx
