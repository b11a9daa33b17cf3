// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of matrices.
#include "lower_products.hpp"

#include "../operators/loops.hpp"
#include "../operators/window.hpp"

#include <algorithm>

namespace dnnl_onnx {

using dnnl::memory;

namespace {

/// Weights times the factors that were folded into them: one for all, or one for each index of
/// `axis` of the weights seen as `dims`.
tensor scaled(const tensor &weights, const extents &dims, int axis, const tensor &scale) {
    tensor to(weights.type());
    const float *from = weights.data<float>(), *factor = scale.data<float>();
    const axis_view view = around(dims, axis);
    const bool one = scale.count() == 1;
    float *at = to.data<float>();
    for (std::int64_t o = 0; o < view.outer; ++o)
        for (std::int64_t i = 0; i < view.extent; ++i)
            for (std::int64_t n = 0; n < view.inner; ++n) *at++ = *from++ * factor[one ? 0 : i];
    return to;
}

/// The bias of `count` outputs times the folded factors, plus the folded summands.
tensor shifted(const tensor &bias, std::int64_t count, const tensor &scale, const tensor &shift) {
    tensor to(element_type::f32, {count});
    for (std::int64_t i = 0; i < count; ++i) {
        float b = bias ? bias.data<float>()[bias.count() == 1 ? 0 : i] : 0;
        if (scale) b *= scale.data<float>()[scale.count() == 1 ? 0 : i];
        if (shift) b += shift.data<float>()[shift.count() == 1 ? 0 : i];
        to.data<float>()[i] = b;
    }
    return to;
}

} // namespace

parameters folded(lowering &to, const operation &op, int bias_input, const extents &dims, int axis,
    std::int64_t outputs) {
    parameters result;
    result.weights = to.of(op.in[1]).constant;
    const bool has_bias = int(op.in.size()) > bias_input && op.in[bias_input] >= 0;
    if (has_bias) result.bias = to.of(op.in[bias_input]).constant;
    const auto address = [](const tensor &t) { return std::to_string(std::uintptr_t(t.bytes())); };
    const std::string key =
        address(result.weights) + "/" + address(result.bias) + key_of(op.scale) + key_of(op.shift);
    if (op.scale && result.weights)
        result.weights = to.shared_constants().computed(
            key + "w", [&] { return scaled(to.of(op.in[1]).constant, dims, axis, op.scale); });
    if ((op.scale && result.bias) || op.shift)
        result.bias = to.shared_constants().computed(
            key + "b", [&] { return shifted(result.bias, outputs, op.scale, op.shift); });
    return result;
}

namespace {

operand bias_operand(
    lowering &to, const operation &op, int input, const tensor &bias, const memory::desc &wanted) {
    if (bias) return to.constant(bias, wanted, wanted);
    operand there = to.dense(op.in[input]);
    there.desc = wanted;
    return there;
}

operand weights_operand(lowering &to, const operation &op, const tensor &weights,
    const memory::desc &plain, const memory::desc &wanted) {
    if (weights) return to.constant(weights, plain, wanted);
    operand there = to.dense(op.in[1]);
    there.desc = plain;
    return to.converted(there, wanted);
}

/// The layout to ask for: the primitive's choice, but what the user gave with few channels stays as
/// it is, since the library takes such images line by line.
memory::desc wanted_source(lowering &to, int id) {
    const memory::desc there = to.where(id).desc;
    if (to.dims_of(id)[1] <= 4 && is_plain(there))
        return plain_desc(to.dims_of(id), to.product_type(id));
    return any_desc(to.dims_of(id), to.product_type(id));
}

} // namespace

extents minus_one(extents values) {
    for (std::int64_t &v : values) --v;
    return values;
}

namespace {

bool convolution(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    const extents &w = c.dims(1);
    const window window = window_of(c, spatial(c.dims(0)), spatial(w));
    const std::int64_t groups = c.integer("group", 1), outputs = w[0];
    const auto type = to.product_type(op.in[0]), given = library_type(c.in(0).type);
    extents dims = w;
    if (groups > 1) {
        dims[0] /= groups;
        dims.insert(dims.begin(), groups);
    }
    const parameters p = folded(to, op, 2, {outputs, count_of(w) / outputs}, 0, outputs);
    const bool has_bias = p.bias || (op.in.size() > 2 && op.in[2] >= 0);
    const memory::desc bias = has_bias ? plain_desc({outputs}, given) : memory::desc();
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    const dnnl::convolution_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        wanted_source(to, op.in[0]), any_desc(dims, type), bias,
        any_desc(to.dims_of(op.out[0]), type), window.strides, minus_one(window.dilations),
        window.begin, window.end, attr);
    args.push_back({DNNL_ARG_SRC, to.in(op.in[0], desc.src_desc())});
    args.push_back({DNNL_ARG_WEIGHTS,
        weights_operand(to, op, p.weights, plain_desc(dims, given), desc.weights_desc())});
    if (has_bias) args.push_back({DNNL_ARG_BIAS, bias_operand(to, op, 2, p.bias, bias)});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::convolution_forward>(op, "convolution", desc, std::move(args), attr);
    return true;
}

/// Weights are [inputs, outputs / groups, kernel...]; the library wants the outputs first.
bool transposed_convolution(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    const extents &w = c.dims(1);
    extents result;
    window window = transposed_window_of(c, spatial(c.dims(0)), spatial(w), result);
    // The pads at the end are what makes the result as large as it is, if need be below 0.
    for (int d = 0; d < window.dims(); ++d)
        window.end[d] = (c.dims(0)[d + 2] - 1) * window.strides[d] + window.reach(d) -
                        window.begin[d] - result[d];
    const std::int64_t groups = c.integer("group", 1), outputs = w[1] * groups;
    const auto type = to.product_type(op.in[0]), given = library_type(c.in(0).type);
    // Per group [outputs, inputs, kernel...] over the memory of [inputs, outputs, kernel...].
    extents dims {groups, w[1], w[0] / groups}, strides = strides_of(w);
    strides = {strides[0] * (w[0] / groups), strides[1], strides[0]};
    const extents all = strides_of(w);
    for (std::size_t d = 2; d < w.size(); ++d) {
        dims.push_back(w[d]);
        strides.push_back(all[d]);
    }
    if (groups == 1) {
        dims.erase(dims.begin());
        strides.erase(strides.begin());
    } else if (op.scale) {
        return false; // fusing folds no factors into several groups
    }
    const memory::desc plain(dims, given, strides);
    const parameters p = folded(to, op, 2, {w[0], w[1], count_of(w) / w[0] / w[1]}, 1, outputs);
    const bool has_bias = p.bias || (op.in.size() > 2 && op.in[2] >= 0);
    const memory::desc bias = has_bias ? plain_desc({outputs}, given) : memory::desc();
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    const dnnl::deconvolution_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct,
        any_desc(c.dims(0), type), any_desc(dims, type), bias,
        any_desc(to.dims_of(op.out[0]), type), window.strides, minus_one(window.dilations),
        window.begin, window.end, attr);
    args.push_back({DNNL_ARG_SRC, to.in(op.in[0], desc.src_desc())});
    args.push_back(
        {DNNL_ARG_WEIGHTS, weights_operand(to, op, p.weights, plain, desc.weights_desc())});
    if (has_bias) args.push_back({DNNL_ARG_BIAS, bias_operand(to, op, 2, p.bias, bias)});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::deconvolution_forward>(op, "deconvolution", desc, std::move(args), attr);
    return true;
}

/// Weights [inputs, outputs, rows, columns] of windows that do not overlap, as a matrix per row:
/// [rows, inputs, columns * outputs].
tensor weights_by_rows(const tensor &weights) {
    const extents &w = weights.dims();
    tensor to(weights.type().type, {w[2], w[0], w[3] * w[1]});
    const extents strides = strides_of(w);
    const float *from = weights.data<float>();
    float *at = to.data<float>();
    for (std::int64_t y = 0; y < w[2]; ++y)
        for (std::int64_t c = 0; c < w[0]; ++c)
            for (std::int64_t x = 0; x < w[3]; ++x)
                for (std::int64_t o = 0; o < w[1]; ++o)
                    *at++ = from[c * strides[0] + o * strides[1] + y * strides[2] + x];
    return to;
}

/// A transposed convolution whose windows touch and do not overlap: each pixel of the source makes
/// a window of the result. Row y of all windows of a line of pixels is one product of matrices,
/// pixels x inputs by inputs x (columns * outputs), and lies in the result, channels last, as it
/// is.
bool windows_apart(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    const extents &x = c.dims(0), &w = c.dims(1), &result = to.dims_of(op.out[0]);
    if (x.size() != 4 || !to.is_constant(op.in[1]) || c.integer("group", 1) != 1) return false;
    extents unused;
    const window window = transposed_window_of(c, spatial(x), spatial(w), unused);
    if (window.strides != window.kernel || window.dilations != extents {1, 1}) return false;
    if (result[2] != x[2] * w[2] || result[3] != x[3] * w[3]) return false;
    for (const post_op &post : op.post)
        if (post.what != post_op::kind::eltwise) return false;
    const bool has_bias = op.in.size() > 2 && op.in[2] >= 0;
    if (has_bias && !to.is_constant(op.in[2])) return false;
    const parameters p = folded(to, op, 2, {w[0], w[1], w[2] * w[3]}, 1, w[1]);
    const auto type = to.product_type(op.in[0]), given = library_type(c.in(0).type);
    operand src = to.in(op.in[0], channels_last_desc(x, type));
    src.desc = plain_desc({x[0], x[2], 1, x[3], x[1]}, type);
    const std::string key = std::to_string(std::uintptr_t(p.weights.bytes())) + "rows" +
                            std::to_string(std::uintptr_t(p.bias.bytes()));
    const tensor weights =
        to.shared_constants().computed(key, [&] { return weights_by_rows(p.weights); });
    const std::int64_t columns = w[3] * w[1];
    const memory::desc plain = plain_desc({1, 1, w[2], w[0], columns}, given);
    const memory::desc bias = p.bias ? plain_desc({1, 1, 1, 1, columns}, given) : memory::desc();
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, 5, args);
    const dnnl::matmul::primitive_desc desc(to.engine(), src.desc,
        any_desc({1, 1, w[2], w[0], columns}, type), bias,
        plain_desc({x[0], x[2], w[2], x[3], columns}, type), attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_WEIGHTS, to.constant(weights, plain, desc.weights_desc())});
    if (p.bias) {
        const tensor repeated = to.shared_constants().computed(key + "bias", [&] {
            std::vector<float> values;
            for (std::int64_t i = 0; i < columns; ++i)
                values.push_back(p.bias.data<float>()[i % w[1]]);
            return floats_tensor(values);
        });
        args.push_back({DNNL_ARG_BIAS, to.constant(repeated, bias, bias)});
    }
    operand dst = to.make(op.out[0], channels_last_desc(result, type));
    dst.desc = desc.dst_desc();
    args.push_back({DNNL_ARG_DST, dst});
    to.add<dnnl::matmul>(op, "matmul", desc, std::move(args), attr);
    return true;
}

} // namespace

operand viewed(lowering &to, int id, const extents &dims) {
    operand there = to.strided(id);
    const auto strides = reshaped_strides(there.desc.get_dims(), there.desc.get_strides(), dims);
    if (!strides) {
        there = to.dense_as_stored(id);
        there.desc = plain_desc(dims, there.desc.get_data_type());
    } else {
        there.desc = memory::desc(dims, there.desc.get_data_type(), *strides);
    }
    return there;
}

namespace {

/// The same elements in another type, in the order in which they lie.
operand of_type(lowering &to, const operand &from, memory::data_type type) {
    if (from.desc.get_data_type() == type) return from;
    const memory::desc order = compact_desc(from.desc);
    return to.converted(from, memory::desc(order.get_dims(), type, order.get_strides()));
}

operand turned(operand matrix, bool turn) {
    if (!turn) return matrix;
    extents dims = matrix.desc.get_dims(), strides = matrix.desc.get_strides();
    std::swap(dims[dims.size() - 2], dims.back());
    std::swap(strides[dims.size() - 2], strides.back());
    matrix.desc = memory::desc(dims, matrix.desc.get_data_type(), strides);
    return matrix;
}

} // namespace

bool operands_fit_rows(lowering &to, const operation &op) {
    const extents &result = to.dims_of(op.out[0]);
    for (const post_op &post : op.post) {
        if (post.operand < 0) continue;
        const extents &dims = to.dims_of(post.operand);
        const std::int64_t count = count_of(dims);
        const bool along_rows = count == 1 || (!dims.empty() && count == dims.back());
        if (dims != result && !along_rows) return false;
    }
    return true;
}

namespace {} // namespace

dnnl::primitive_attr attributes_of_rows(
    lowering &to, const operation &op, const extents &rows, lowering::arguments &args) {
    operation without = op;
    without.post.clear();
    dnnl::primitive_attr attr = to.attributes(without, 2, args);
    dnnl::post_ops posts;
    for (const post_op &post : op.post) {
        if (post.what == post_op::kind::eltwise) {
            posts.append_eltwise(post.algorithm, post.alpha, post.beta);
            continue;
        }
        const bool whole = to.dims_of(post.operand) == to.dims_of(op.out[0]);
        const operand with = viewed(
            to, post.operand, whole ? rows : extents {1, count_of(to.dims_of(post.operand))});
        args.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(posts.len()) | DNNL_ARG_SRC_1, with});
        posts.append_binary(post.algorithm, with.desc);
    }
    attr.set_post_ops(posts);
    return attr;
}

namespace {

bool matrix_product(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    const bool turn_a = c.integer("transA", 0) != 0, turn_b = c.integer("transB", 0) != 0;
    const auto type = to.product_type(op.in[0]), given = library_type(c.in(0).type);
    extents x = c.dims(0), y = c.dims(1);
    if (x.size() == 1) x.insert(x.begin(), 1);
    if (y.size() == 1) y.push_back(1);
    const std::int64_t n = turn_b ? y[0] : y.back();
    const bool constant = to.is_constant(op.in[1]);
    const bool rows = y.size() == 2 && !turn_a && operands_fit_rows(to, op);
    lowering::arguments args;
    operand a, b;
    extents result;
    if (rows) {
        a = viewed(to, op.in[0], {count_of(x) / x.back(), x.back()});
        result = {a.desc.get_dims()[0], n};
    } else {
        const int rank = int(std::max(x.size(), y.size()));
        a = turned(viewed(to, op.in[0], x), turn_a);
        a.desc = with_rank(a.desc, rank);
        result = broadcast(c, {x.begin(), x.end() - 2}, {y.begin(), y.end() - 2});
        result.push_back(a.desc.get_dims()[rank - 2]);
        result.push_back(n);
    }
    const int rank = int(result.size());
    const dnnl::primitive_attr attr =
        rows ? attributes_of_rows(to, op, result, args) : to.attributes(op, rank, args);
    const parameters p =
        folded(to, op, 2, turn_b ? extents {n, y[1]} : y, turn_b ? 0 : int(y.size()) - 1, n);
    a = of_type(to, a, type);
    if (!constant) {
        b = turned(of_type(to, viewed(to, op.in[1], y), type), turn_b);
        b.desc = with_rank(b.desc, rank);
    } else {
        b.desc = with_rank(turned({-1, 0, plain_desc(y, given)}, turn_b).desc, rank);
    }
    const bool has_bias = p.bias || (op.in.size() > 2 && op.in[2] >= 0);
    extents bias_dims(rank, 1);
    bias_dims.back() = n;
    const memory::desc bias = has_bias ? plain_desc(bias_dims, given) : memory::desc();
    const dnnl::matmul::primitive_desc desc(to.engine(), a.desc,
        constant ? any_desc(b.desc.get_dims(), type) : b.desc, bias, plain_desc(result, type),
        attr);
    args.push_back({DNNL_ARG_SRC, a});
    args.push_back(
        {DNNL_ARG_WEIGHTS, constant ? to.constant(p.weights, b.desc, desc.weights_desc()) : b});
    if (has_bias) args.push_back({DNNL_ARG_BIAS, bias_operand(to, op, 2, p.bias, bias)});
    operand dst = to.make(op.out[0], plain_desc(to.dims_of(op.out[0]), type));
    dst.desc = desc.dst_desc();
    args.push_back({DNNL_ARG_DST, dst});
    to.add<dnnl::matmul>(op, "matmul", desc, std::move(args), attr);
    return true;
}

} // namespace

std::span<const lower_entry> lower_products() {
    static const lower_entry table[] = {
        {"Conv", convolution},
        {"ConvTranspose", windows_apart},
        {"ConvTranspose", transposed_convolution},
        {"Gemm", matrix_product},
        {"MatMul", matrix_product},
    };
    return table;
}

} // namespace dnnl_onnx
