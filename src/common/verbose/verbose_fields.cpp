// SPDX-License-Identifier: Apache-2.0
// Fields of verbose lines: tensors, auxiliary words and shapes of each primitive.
#define FMT_HEADER_ONLY
#include "common/verbose/verbose_fields.hpp"

#include <fmt/format.h>

#include "common/descriptors/describe.hpp"
#include "common/descriptors/rnn.hpp"
#include "common/layout/data_type.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl::verbose {

namespace {

std::string shape(const memory_desc &md) { return extents(md, md.dims); }

} // namespace

std::string tensor_item(const char *name, const memory_desc &md, bool created_as_any) {
    if (md.is_zero()) return fmt::format("{}:undef::undef:::", name);
    std::string props;
    if (created_as_any) props += 'a';
    if (md.has_padding()) props += 'p';
    if (md.offset0 != 0) props += '0';
    std::string kind = "any", tag = "any", strides;
    if (md.is_blocked()) {
        kind = "blocked";
        tag = layout_name(md);
        if (!md.has_runtime() && !has_dense_strides(md)) strides = extents(md, md.strides);
    }
    const std::string extra =
        md.column_sums_mask ? fmt::format("s{}", md.column_sums_mask) : std::string("f0");
    return fmt::format(
        "{}:{}:{}:{}:{}:{}:{}", name, name_of(md.dtype), props, kind, tag, strides, extra);
}

namespace {

/// Collects the items of one operation: each tensor twice, as planned and as asked for.
class items {
  public:
    items &add(const char *name, const memory_desc &md, const memory_desc &asked) {
        if (!text_.empty()) text_ += ' ';
        text_ += tensor_item(name, md, asked.is_any());
        return *this;
    }
    items &append(const std::string &suffix) {
        text_ += suffix;
        return *this;
    }
    std::string text() const { return text_; }

  private:
    std::string text_;
};

// ---- Memory descriptors: tensors(op, as asked) ----

template <class Desc> std::string convolution_tensors(const Desc &op, const Desc &asked) {
    return items()
        .add("src", op.src, asked.src)
        .add("wei", op.weights, asked.weights)
        .add("bia", op.bias, asked.bias)
        .add("dst", op.dst, asked.dst)
        .text();
}
std::string tensors(const convolution_desc &op, const convolution_desc &asked) {
    return convolution_tensors(op, asked);
}
std::string tensors(const inner_product_desc &op, const inner_product_desc &asked) {
    return convolution_tensors(op, asked);
}
std::string tensors(const matmul_desc &op, const matmul_desc &asked) {
    items all;
    all.add("src", op.src, asked.src).add("wei", op.weights, asked.weights);
    if (!op.bias.is_zero()) {
        int mask = 0;
        for (int d = 0; d < op.bias.ndims; ++d) mask |= (op.bias.dims[d] != 1) << d;
        all.add("bia", op.bias, asked.bias).append(fmt::format("_mask{}", mask));
    }
    return all.add("dst", op.dst, asked.dst).text();
}
std::string tensors(const pooling_desc &op, const pooling_desc &asked) {
    return items()
        .add("src", op.src, asked.src)
        .add("dst", op.dst, asked.dst)
        .add("ws", op.workspace, asked.workspace)
        .text();
}
std::string tensors(const eltwise_desc &op, const eltwise_desc &asked) {
    if (is_forward(op.prop))
        return items().add("data", op.src, asked.src).add("diff", {}, {}).text();
    return items().add("data", op.data, asked.data).add("diff", op.src, asked.src).text();
}
std::string tensors(const binary_desc &op, const binary_desc &asked) {
    items all;
    all.add("src", op.src0, asked.src0).add("src", op.src1, asked.src1);
    if (!op.src2.is_zero()) all.add("src", op.src2, asked.src2);
    return all.add("dst", op.dst, asked.dst).text();
}
std::string tensors(const softmax_desc &op, const softmax_desc &asked) {
    items all;
    all.add("src", op.src, asked.src);
    if (is_forward(op.prop)) return all.add("dst", op.dst, asked.dst).text();
    return all.add("dst", op.data, asked.data).add("diff_dst", op.dst, asked.dst).text();
}
std::string tensors(const batch_normalization_desc &op, const batch_normalization_desc &asked) {
    if (is_forward(op.prop))
        return items().add("data", op.src, asked.src).add("diff", {}, {}).text();
    return items().add("data", op.data, asked.data).add("diff", op.src, asked.src).text();
}
std::string tensors(const normalization_desc &op, const normalization_desc &asked) {
    const bool forward = is_forward(op.prop);
    items all;
    if (forward)
        all.add("src", op.src, asked.src).add("dst", op.dst, asked.dst);
    else
        all.add("src", op.data, asked.data);
    all.add("stats", op.statistics, asked.statistics);
    if (op.has(dnnl_use_scale)) all.add("scale", op.scale_shift, asked.scale_shift);
    if (op.has(dnnl_use_shift)) all.add("shift", op.scale_shift, asked.scale_shift);
    if (!forward) all.add("diff_src", op.src, asked.src).add("diff_dst", op.dst, asked.dst);
    return all.text();
}
std::string tensors(const prelu_desc &op, const prelu_desc &asked) {
    items all;
    all.add("data", op.src, asked.src).add("wei", op.weights, asked.weights);
    if (is_forward(op.prop)) return all.add("diff", {}, {}).text();
    return all.add("diff", op.diff_src, asked.diff_src)
        .add("diff_wei", op.diff_weights, asked.diff_weights)
        .text();
}
std::string tensors(const resampling_desc &op, const resampling_desc &asked) {
    return items().add("src", op.src, asked.src).add("dst", op.dst, asked.dst).text();
}
std::string tensors(const reduction_desc &op, const reduction_desc &asked) {
    return items().add("src", op.src, asked.src).add("dst", op.dst, asked.dst).text();
}
std::string tensors(const reorder_desc &op, const reorder_desc &asked) {
    return items().add("src", op.src, asked.src).add("dst", op.dst, asked.dst).text();
}
template <class Desc> std::string several_tensors(const Desc &op, const Desc &asked) {
    items all;
    for (std::size_t i = 0; i < op.srcs.size(); ++i) all.add("src", op.srcs[i], asked.srcs[i]);
    return all.add("dst", op.dst, asked.dst).text();
}
std::string tensors(const sum_desc &op, const sum_desc &asked) {
    return several_tensors(op, asked);
}
std::string tensors(const concat_desc &op, const concat_desc &asked) {
    return several_tensors(op, asked);
}
std::string tensors(const rnn_desc &op, const rnn_desc &asked) {
    items all;
    const auto is_always_listed = [](rnn_tensor t) {
        return t == rnn_tensor::src_iter || t == rnn_tensor::bias || t == rnn_tensor::dst_iter;
    };
    for (const rnn_tensor_info &t : rnn_tensors)
        if (op.has(t.tensor) || is_always_listed(t.tensor))
            all.add(t.short_name, op.md(t.tensor), asked.md(t.tensor));
    if (!op.diffs.empty())
        for (const rnn_tensor_info &t : rnn_tensors)
            if (!op.diff(t.tensor).is_zero())
                all.add(fmt::format("diff_{}", t.short_name).c_str(), op.diff(t.tensor),
                    asked.diff(t.tensor));
    if (!op.workspace.is_zero()) all.add("ws", op.workspace, asked.workspace);
    return all.text();
}
std::string tensors(const shuffle_desc &op, const shuffle_desc &asked) {
    if (is_forward(op.prop))
        return items().add("data", op.src, asked.src).add("diff", {}, {}).text();
    return items().add("data", op.dst, asked.dst).add("diff", op.src, asked.src).text();
}
std::string tensors(const lrn_desc &op, const lrn_desc &asked) {
    if (is_forward(op.prop))
        return items().add("data", op.src, asked.src).add("diff", {}, {}).text();
    return items().add("data", op.data, asked.data).add("diff", op.src, asked.src).text();
}

// ---- Auxiliary words ----

std::string algorithm(dnnl_alg_kind_t alg) { return fmt::format("alg:{}", dnnl_alg_kind2str(alg)); }

std::string auxiliary(const convolution_desc &op) { return algorithm(op.alg); }
std::string auxiliary(const inner_product_desc &) { return {}; }
std::string auxiliary(const matmul_desc &op) {
    const auto mask = [](const memory_desc &md) {
        int bits = 0;
        for (int d = 0; d < md.ndims; ++d) bits |= (md.dims[d] == runtime_dim) << d;
        return bits;
    };
    const int src = mask(op.src), weights = mask(op.weights);
    return src || weights ? fmt::format("runtime_dims_masks:{}:{}", src, weights) : std::string();
}
std::string auxiliary(const pooling_desc &op) { return algorithm(op.alg); }
std::string auxiliary(const eltwise_desc &op) {
    return fmt::format("{} alpha:{:g} beta:{:g}", algorithm(op.alg), op.alpha, op.beta);
}
std::string auxiliary(const binary_desc &op) { return algorithm(op.alg); }
std::string auxiliary(const softmax_desc &op) {
    return fmt::format("{} axis:{}", algorithm(op.alg), op.axis);
}
std::string auxiliary(const normalization_desc &op) {
    std::string letters;
    if (op.has(dnnl_use_global_stats)) letters += 'G';
    if (op.has(dnnl_use_scale)) letters += 'C';
    if (op.has(dnnl_use_shift)) letters += 'H';
    if (op.has(dnnl_fuse_norm_relu)) letters += 'R';
    return "flags:" + letters;
}
std::string auxiliary(const prelu_desc &) { return {}; }
std::string auxiliary(const resampling_desc &op) { return algorithm(op.alg); }
std::string auxiliary(const reduction_desc &op) {
    return fmt::format("{} p:{:g} eps:{:g}", algorithm(op.alg), op.p, op.epsilon);
}
std::string auxiliary(const reorder_desc &) { return {}; }
std::string auxiliary(const sum_desc &) { return {}; }
std::string auxiliary(const concat_desc &op) { return fmt::format("axis:{}", op.axis); }
std::string auxiliary(const rnn_desc &op) {
    return fmt::format("{} direction:{} activation:{} flags:{}", algorithm(op.cell_kind),
        dnnl_rnn_direction2str(op.direction), dnnl_alg_kind2str(op.activation),
        op.flags & dnnl_rnn_flags_diff_weights_overwrite ? "O" : "");
}
std::string auxiliary(const shuffle_desc &op) {
    return fmt::format("axis:{} group:{}", op.axis, op.group_size);
}
std::string auxiliary(const lrn_desc &op) { return algorithm(op.alg); }

// ---- Problem descriptions ----

/// "_ih8oh4kh3sh2dh0ph1" for each spatial dimension, the depth first.
struct window {
    const memory_desc &src, &dst;
    const dims_t &strides, &dilation, &padding;
    dims_t kernel;
};
std::string spatial(const window &w) {
    std::string text;
    const int count = w.src.ndims - 2;
    for (int i = 0; i < count; ++i) {
        const char x = "dhw"[3 - count + i];
        text += fmt::format("_i{0}{1}o{0}{2}k{0}{3}s{0}{4}d{0}{5}p{0}{6}", x, w.src.dims[2 + i],
            w.dst.dims[2 + i], w.kernel[i], w.strides[i], w.dilation[i], w.padding[i]);
    }
    return text;
}

std::string shape(const convolution_desc &op) {
    const int grouped = op.weights.ndims == op.src.ndims + 1;
    const dim_t G = grouped ? op.weights.dims[0] : 1;
    window w {op.src, op.dst, op.strides, op.dilates, op.padding_l, {}};
    for (int i = 0; i < op.src.ndims - 2; ++i) w.kernel[i] = op.weights.dims[2 + grouped + i];
    return fmt::format("{}mb{}_ic{}oc{}{}", G > 1 ? fmt::format("g{}", G) : std::string(),
        op.src.dims[0], op.src.dims[1], op.dst.dims[1], spatial(w));
}
/// "mb2ic16ih4iw4"
std::string image(const memory_desc &src) {
    std::string text = fmt::format("mb{}ic{}", src.dims[0], src.dims[1]);
    const int count = src.ndims - 2;
    for (int i = 0; i < count; ++i)
        text += fmt::format("i{}{}", "dhw"[3 - count + i], src.dims[2 + i]);
    return text;
}
std::string shape(const inner_product_desc &op) {
    return fmt::format("{}oc{}", image(op.src), op.dst.dims[1]);
}
std::string shape(const matmul_desc &op) { return shape(op.src) + ':' + shape(op.weights); }
std::string shape(const pooling_desc &op) {
    const window w {op.src, op.dst, op.strides, op.dilation, op.padding_l, op.kernel};
    return fmt::format("mb{}ic{}{}", op.src.dims[0], op.src.dims[1], spatial(w));
}
std::string shape(const eltwise_desc &op) { return shape(op.src); }
std::string shape(const binary_desc &op) {
    const std::string two = shape(op.src0) + ':' + shape(op.src1);
    return op.src2.is_zero() ? two : two + ':' + shape(op.src2);
}
std::string shape(const softmax_desc &op) { return shape(op.src); }
std::string shape(const batch_normalization_desc &op) { return image(op.src); }
std::string shape(const layer_normalization_desc &op) { return shape(op.src); }
std::string shape(const group_normalization_desc &op) {
    return fmt::format("g{}{}", op.groups, image(op.src));
}
std::string shape(const prelu_desc &op) { return shape(op.src) + ':' + shape(op.weights); }
std::string shape(const resampling_desc &op) {
    std::string text = fmt::format("mb{}ic{}", op.src.dims[0], op.src.dims[1]);
    const int count = op.src.ndims - 2;
    for (int i = 0; i < count; ++i)
        text += fmt::format(
            "_i{0}{1}o{0}{2}", "dhw"[3 - count + i], op.src.dims[2 + i], op.dst.dims[2 + i]);
    return text;
}
std::string shape(const reduction_desc &op) { return shape(op.src) + ':' + shape(op.dst); }
std::string shape(const reorder_desc &op) { return shape(op.src); }
std::string shape(const sum_desc &op) { return shape(op.dst); }
std::string shape(const concat_desc &op) {
    std::string text;
    for (const memory_desc &src : op.srcs) text += (text.empty() ? "" : ":") + shape(src);
    return text;
}
std::string shape(const rnn_desc &op) {
    const rnn_shape s = shape_of(op);
    return fmt::format(
        "l{}t{}mb{}sic{}slc{}dhc{}dic{}", s.L, s.T, s.MB, s.SIC, s.SLC, s.DHC, s.DIC);
}
std::string shape(const shuffle_desc &op) { return shape(op.src); }
std::string shape(const lrn_desc &op) {
    std::string text = fmt::format("mb{}ic{}", op.src.dims[0], op.src.dims[1]);
    for (int d = 2; d < op.src.ndims; ++d)
        text += fmt::format("i{}{}", "dhw"[d + 3 - op.src.ndims], op.src.dims[d]);
    return text + fmt::format("ls{}beta{:g}", op.local_size, op.beta);
}

} // namespace

std::string fields_of(const problem &resolved, const problem &asked) {
    return std::visit(
        [&]<class Desc>(const Desc &op) {
            return fmt::format("{},{},{},{},{}", dnnl_prop_kind2str(prop_of(resolved.op)),
                tensors(op, std::get<Desc>(asked.op)), attribute_items(resolved.attr),
                auxiliary(op), shape(std::get<Desc>(asked.op)));
        },
        resolved.op);
}

} // namespace dnnl::impl::verbose
