// SPDX-License-Identifier: Apache-2.0
// What works element by element or along one dimension: functions, operations of two tensors,
// softmax, layer normalization, reductions, concatenation.
#include "lowering.hpp"

#include "../operators/loops.hpp"

#include <algorithm>
#include <cmath>

namespace dnnl_onnx {

using dnnl::memory;

namespace {

bool has_floats(lowering &to, int id) {
    const element_type type = to.type_of(id).type;
    return is_float(type) && has_library_type(type);
}

bool eltwise(lowering &to, const operation &op) {
    operand src = to.strided(op.in[0]);
    src = to.converted(src, compact_desc(src.desc)); // the result lies like the source
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, int(src.desc.get_dims().size()), args);
    const dnnl::eltwise_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, op.algorithm, src.desc, compact_desc(src.desc),
        op.alpha, op.beta, attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_DST, to.make_over(op.out[0], desc.dst_desc(), op.in[0])});
    to.add<dnnl::eltwise_forward>(op, "eltwise", desc, std::move(args), attr);
    return true;
}

bool binary(lowering &to, const operation &op) {
    const extents &result = to.dims_of(op.out[0]);
    if (!has_floats(to, op.in[0]) || !has_floats(to, op.in[1])) return false;
    const int rank = std::max(1, int(result.size()));
    operand a = to.strided(op.in[0]), b = to.strided(op.in[1]);
    a.desc = with_rank(a.desc, rank);
    b.desc = with_rank(b.desc, rank);
    const bool whole_a = to.dims_of(op.in[0]) == result, whole_b = to.dims_of(op.in[1]) == result;
    memory::desc wanted = whole_a   ? compact_desc(a.desc)
                          : whole_b ? compact_desc(b.desc)
                                    : plain_desc(result, a.desc.get_data_type());
    if (whole_a && whole_b && compact_desc(b.desc) != wanted) b = to.converted(b, wanted);
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, rank, args);
    const dnnl::binary::primitive_desc desc(
        to.engine(), op.algorithm, a.desc, b.desc, wanted, attr);
    operand dst;
    const bool over_a = whole_a && to.where(op.in[0]).desc == desc.dst_desc();
    const bool over_b = !over_a && whole_b && to.where(op.in[1]).desc == desc.dst_desc();
    if (over_a)
        dst = to.make_over(op.out[0], desc.dst_desc(), op.in[0]);
    else if (over_b && op.in[0] != op.in[1])
        dst = to.make_over(op.out[0], desc.dst_desc(), op.in[1]);
    else
        dst = to.make(op.out[0], desc.dst_desc());
    args.push_back({DNNL_ARG_SRC_0, a});
    args.push_back({DNNL_ARG_SRC_1, b});
    args.push_back({DNNL_ARG_DST, dst});
    to.add<dnnl::binary>(op, "binary", desc, std::move(args), attr);
    return true;
}

/// A factor and a summand for all elements, or for each index of an axis.
bool affine(lowering &to, const operation &op) {
    const operand src = to.strided(op.in[0]);
    const int rank = int(src.desc.get_dims().size());
    lowering::arguments args;
    dnnl::primitive_attr attr = to.attributes(op, rank, args);
    dnnl::post_ops posts = attr.get_post_ops(), all;
    if (posts.len() > 0) return false;
    extents dims(rank, 1);
    if (op.scale.count() > 1) dims[op.axis] = op.scale.count();
    const memory::desc values = plain_desc(dims, memory::data_type::f32);
    const operand scale = to.constant(op.scale, values, values);
    const operand shift = to.constant(op.shift, values, values);
    all.append_binary(dnnl::algorithm::binary_add, values);
    attr.set_post_ops(all);
    const dnnl::binary::primitive_desc desc(
        to.engine(), dnnl::algorithm::binary_mul, src.desc, values, compact_desc(src.desc), attr);
    args.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, shift});
    args.push_back({DNNL_ARG_SRC_0, src});
    args.push_back({DNNL_ARG_SRC_1, scale});
    args.push_back({DNNL_ARG_DST, to.make_over(op.out[0], desc.dst_desc(), op.in[0])});
    to.add<dnnl::binary>(op, "binary", desc, std::move(args), attr);
    return true;
}

/// Before operator set 13 softmax goes over all dimensions from the axis on.
bool softmax(lowering &to, const operation &op) {
    if (!has_floats(to, op.in[0])) return false;
    const op_context c = to.context(op);
    const bool fused = op.kind[0] == '.', flat = !fused && c.opset < 13;
    int axis = fused ? op.axis : c.axis("axis", flat ? 1 : -1, c.rank(0));
    operand src = to.strided(op.in[0]);
    extents dims = src.desc.get_dims();
    const bool one_dimension = std::all_of(dims.begin() + std::min<int>(axis + 1, int(dims.size())),
        dims.end(), [](std::int64_t extent) { return extent == 1; });
    operand dst;
    lowering::arguments args;
    if (flat && !one_dimension) {
        src = to.dense_as_stored(op.in[0]);
        const axis_view view = around(dims, axis);
        src.desc = plain_desc({view.outer, view.extent * view.inner}, src.desc.get_data_type());
        axis = 1;
    }
    const dnnl::primitive_attr attr = to.attributes(op, int(src.desc.get_dims().size()), args);
    const dnnl::softmax_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference,
        op.kind.ends_with("LogSoftmax") ? dnnl::algorithm::softmax_log
                                        : dnnl::algorithm::softmax_accurate,
        src.desc, compact_desc(src.desc), axis, attr);
    if (flat && !one_dimension) {
        dst = to.make_over(
            op.out[0], plain_desc(to.dims_of(op.out[0]), src.desc.get_data_type()), op.in[0]);
        dst.desc = desc.dst_desc();
    } else {
        dst = to.make_over(op.out[0], desc.dst_desc(), op.in[0]);
    }
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_DST, dst});
    to.add<dnnl::softmax_forward>(op, "softmax", desc, std::move(args), attr);
    return true;
}

/// ONNX's further outputs of a layer normalization: the means, and 1 / sqrt(variance + epsilon).
void give_statistics(lowering &to, const operation &op, const operand &mean,
    const operand &variance, float epsilon) {
    const auto give = [&](std::size_t output, const operand &from, const host_step &host) {
        if (op.out.size() <= output || !to.uses_of(op.out[output])) return;
        const tensor_type type = to.type_of(op.out[output]);
        to.add_host(op, host, {{from, type}}, {{to.make(op.out[output], plain_desc(type)), type}});
    };
    give(1, mean, [](views in, views out) {
        std::copy_n(in[0].data<float>(), in[0].count(), out[0].data<float>());
    });
    give(2, variance, [epsilon](views in, views out) {
        for (std::int64_t i = 0; i < in[0].count(); ++i)
            out[0].data<float>()[i] = 1 / std::sqrt(in[0].data<float>()[i] + epsilon);
    });
}

/// Over the last dimensions, from the axis on. The results lie dense.
bool layer_normalization(lowering &to, const operation &op) {
    if (!has_floats(to, op.in[0])) return false;
    const op_context c = to.context(op);
    const bool fused = op.kind == ".LayerNorm";
    const extents &dims = to.dims_of(op.in[0]);
    const int axis = fused ? op.axis : c.axis("axis", -1, c.rank(0));
    const float epsilon = fused ? op.alpha : c.number("epsilon", 1e-5f);
    const axis_view view = around(dims, axis);
    const std::int64_t row = view.extent * view.inner;
    operand src = to.strided(op.in[0]);
    if (axis == int(dims.size()) - 1 && dims.size() <= 5 && dims.size() > 1) {
        // The library walks rows in any strided layout.
    } else {
        src = to.dense_as_stored(op.in[0]);
        src.desc = plain_desc({view.outer, row}, src.desc.get_data_type());
    }
    using flags = dnnl::normalization_flags;
    const bool scale = op.in.size() > 1 && op.in[1] >= 0;
    const bool shift = op.in.size() > 2 && op.in[2] >= 0;
    const bool statistics = (op.out.size() > 1 && to.uses_of(op.out[1])) ||
                            (op.out.size() > 2 && to.uses_of(op.out[2]));
    flags wanted = flags::none;
    if (scale) wanted |= flags::use_scale;
    if (shift) wanted |= flags::use_shift;
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, int(src.desc.get_dims().size()), args);
    const memory::desc plain = plain_desc(src.desc.get_dims(), src.desc.get_data_type());
    const dnnl::layer_normalization_forward::primitive_desc desc(to.engine(),
        statistics ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference,
        src.desc, plain, epsilon, wanted, attr);
    const memory::desc values = plain_desc({row}, memory::data_type::f32);
    args.push_back({DNNL_ARG_SRC, src});
    const auto vector_of = [&](int id) {
        operand there = to.dense(id);
        there.desc = plain_desc({row}, there.desc.get_data_type());
        return to.converted(there, values);
    };
    if (scale) args.push_back({DNNL_ARG_SCALE, vector_of(op.in[1])});
    if (shift) args.push_back({DNNL_ARG_SHIFT, vector_of(op.in[2])});
    operand dst = to.make(op.out[0], plain_desc(to.dims_of(op.out[0]), src.desc.get_data_type()));
    dst.desc = desc.dst_desc();
    args.push_back({DNNL_ARG_DST, dst});
    operand mean, variance;
    if (statistics) {
        mean = to.scratch(desc.mean_desc());
        variance = to.scratch(desc.variance_desc());
        args.push_back({DNNL_ARG_MEAN, mean});
        args.push_back({DNNL_ARG_VARIANCE, variance});
    }
    to.add<dnnl::layer_normalization_forward>(
        op, "layer_normalization", desc, std::move(args), attr);
    if (statistics) give_statistics(to, op, mean, variance, epsilon);
    return true;
}

struct reduction {
    dnnl::algorithm algorithm;
    float p = 0;
};

bool reduction_of(const std::string &kind, reduction &found) {
    using a = dnnl::algorithm;
    if (kind == "ReduceMax") return found = {a::reduction_max}, true;
    if (kind == "ReduceMin") return found = {a::reduction_min}, true;
    if (kind == "ReduceSum") return found = {a::reduction_sum}, true;
    if (kind == "ReduceMean") return found = {a::reduction_mean}, true;
    if (kind == "ReduceProd") return found = {a::reduction_mul}, true;
    if (kind == "ReduceL1") return found = {a::reduction_norm_lp_sum, 1}, true;
    if (kind == "ReduceL2") return found = {a::reduction_norm_lp_sum, 2}, true;
    return false;
}

bool reduce(lowering &to, const operation &op) {
    reduction wanted;
    const op_context c = to.context(op);
    if (!has_floats(to, op.in[0]) || !reduction_of(op.kind, wanted) || c.rank(0) == 0) return false;
    extents kept = c.dims(0);
    const extents axes = c.integers_at("axes", 1, {});
    if (axes.empty() && c.integer("noop_with_empty_axes", 0)) return false;
    for (std::int64_t axis : axes) kept[c.axis_of(axis, c.rank(0))] = 1;
    if (axes.empty()) kept.assign(kept.size(), 1);
    if (kept == c.dims(0)) return false; // the primitive wants something to reduce
    const operand src = to.strided(op.in[0]);
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    const dnnl::reduction::primitive_desc desc(to.engine(), wanted.algorithm, src.desc,
        plain_desc(kept, src.desc.get_data_type()), wanted.p, 0.f, attr);
    operand dst = to.make(op.out[0], plain_desc(to.dims_of(op.out[0]), src.desc.get_data_type()));
    dst.desc = desc.dst_desc();
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_DST, dst});
    to.add<dnnl::reduction>(op, "reduction", desc, std::move(args), attr);
    return true;
}

bool concat(lowering &to, const operation &op) {
    const op_context c = to.context(op);
    std::vector<int> inputs;
    for (int id : op.in)
        if (to.type_of(id).count() > 0) inputs.push_back(id);
    if (inputs.empty() || !has_library_type(c.in(0).type)) return false;
    std::vector<memory::desc> descs;
    lowering::arguments args;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        operand src = to.strided(inputs[i]);
        if (i > 0 && src.desc.get_data_type() != descs[0].get_data_type())
            src = to.converted(src, memory::desc(src.desc.get_dims(), descs[0].get_data_type(),
                                        compact_desc(src.desc).get_strides()));
        descs.push_back(src.desc);
        args.push_back({DNNL_ARG_MULTIPLE_SRC + int(i), src});
    }
    const dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    // The result lies as the largest of its parts.
    std::size_t largest = 0;
    for (std::size_t i = 1; i < inputs.size(); ++i)
        if (to.type_of(inputs[i]).count() > to.type_of(inputs[largest]).count()) largest = i;
    const memory::desc model = descs[largest];
    const memory::desc dst = ordered_like(model, to.dims_of(op.out[0]));
    const dnnl::concat::primitive_desc desc(
        to.engine(), dst, c.axis("axis", 1, c.rank(0)), descs, attr);
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::concat>(op, "concat", desc, std::move(args), attr);
    return true;
}

/// Between floating-point types; to integers the library rounds, and ONNX cuts.
bool cast(lowering &to, const operation &op) {
    if (!has_floats(to, op.in[0]) || !has_floats(to, op.out[0])) return false;
    const operand src = to.strided(op.in[0]);
    const extents dims = src.desc.get_dims();
    const memory::desc wanted = memory::desc(
        dims, library_type(to.type_of(op.out[0]).type), compact_desc(src.desc).get_strides());
    to.place(op.out[0], to.converted(src, wanted));
    return true;
}

bool prelu(lowering &to, const operation &op) {
    if (!has_floats(to, op.in[0])) return false;
    const operand src = to.strided(op.in[0]);
    operand slope = to.strided(op.in[1]);
    const int rank = int(src.desc.get_dims().size());
    slope.desc = with_rank(slope.desc, rank);
    lowering::arguments args;
    const dnnl::primitive_attr attr = to.attributes(op, rank, args);
    const dnnl::prelu_forward::primitive_desc desc(to.engine(), dnnl::prop_kind::forward_inference,
        src.desc, slope.desc, compact_desc(src.desc), attr);
    args.push_back({DNNL_ARG_SRC, src});
    args.push_back({DNNL_ARG_WEIGHTS, slope});
    args.push_back({DNNL_ARG_DST, to.make_over(op.out[0], desc.dst_desc(), op.in[0])});
    to.add<dnnl::prelu_forward>(op, "prelu", desc, std::move(args), attr);
    return true;
}

} // namespace

std::span<const lower_entry> lower_elements() {
    static const lower_entry table[] = {
        {".Affine", affine},
        {".Binary", binary},
        {".Eltwise", eltwise},
        {".LayerNorm", layer_normalization},
        {".LogSoftmax", softmax},
        {".Softmax", softmax},
        {"Cast", cast},
        {"Concat", concat},
        {"LayerNormalization", layer_normalization},
        {"LogSoftmax", softmax},
        {"PRelu", prelu},
        {"ReduceL1", reduce},
        {"ReduceL2", reduce},
        {"ReduceMax", reduce},
        {"ReduceMean", reduce},
        {"ReduceMin", reduce},
        {"ReduceProd", reduce},
        {"ReduceSum", reduce},
        {"Softmax", softmax},
    };
    return table;
}

} // namespace dnnl_onnx
