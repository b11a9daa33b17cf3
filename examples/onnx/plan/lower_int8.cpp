// SPDX-License-Identifier: Apache-2.0
// Products of f32 whose sources were calibrated, in 8-bit integers: weights by one scale per
// output, sources by one scale and zero point. Post-ops are computed in f32; a result that only
// such products take is stored by the scale of its next reader.
#include "lower_products.hpp"

#include "../operators/loops.hpp"
#include "../operators/window.hpp"

#include <algorithm>
#include <cmath>

namespace dnnl_onnx {

using dnnl::memory;

namespace {

/// Weights seen as outer x outputs x inner, as s8 by a scale per output: max |w| / 127.
struct integer_weights {
    tensor values, scales;
};

integer_weights integers_of(
    lowering &to, const tensor &weights, std::int64_t outputs, std::int64_t inner) {
    const std::string key = "s8/" + std::to_string(std::uintptr_t(weights.bytes()));
    const float *w = weights.data<float>();
    const std::int64_t count = weights.count();
    integer_weights made;
    if (const integer_constant *given = to.integers_of(weights)) { // the model's own
        const std::int64_t each = given->scales.count();
        const extents &dims = weights.dims();
        const bool by_output =
            each == 1 || (each == outputs && around(dims, given->axis).inner == inner &&
                             dims[given->axis] == outputs);
        if (by_output) return {given->values, given->scales};
    }
    made.scales = to.shared_constants().computed(key + "scales", [&] {
        tensor scales(element_type::f32, {outputs});
        float *largest = scales.data<float>();
        for (std::int64_t i = 0; i < count; ++i) {
            float &most = largest[i / inner % outputs];
            most = std::max(most, std::abs(w[i]) / 127);
        }
        for (std::int64_t o = 0; o < outputs; ++o)
            if (!(largest[o] > 0)) largest[o] = 1;
        return scales;
    });
    made.values = to.shared_constants().computed(key, [&] {
        tensor values(element_type::s8, weights.dims());
        for (std::int64_t i = 0; i < count; ++i)
            values.data<std::int8_t>()[i] = std::int8_t(
                std::clamp(std::nearbyint(w[i] / made.scales.data<float>()[i / inner % outputs]),
                    -127.f, 127.f));
        return values;
    });
    return made;
}

operand scalar_operand(lowering &to, float value) {
    const memory::desc desc = plain_desc({1}, memory::data_type::f32);
    return to.constant(floats_tensor({value}), desc, desc);
}

operand zero_operand(lowering &to, std::int32_t value) {
    tensor zero(element_type::s32, {1});
    *zero.data<std::int32_t>() = value;
    const memory::desc desc = plain_desc({1}, memory::data_type::s32);
    return to.constant(zero, desc, desc);
}

/// Adds the scale and the zero point of one argument.
void add_quantizer(lowering &to, int argument, const calibration::quantizer &q,
    dnnl::primitive_attr &attr, lowering::arguments &args) {
    attr.set_scales_mask(argument, 0);
    args.push_back({DNNL_ARG_ATTR_SCALES | argument, scalar_operand(to, q.scale)});
    if (q.zero_point == 0) return;
    attr.set_zero_points_mask(argument, 0);
    args.push_back({DNNL_ARG_ATTR_ZERO_POINTS | argument, zero_operand(to, q.zero_point)});
}

void add_weight_scales(lowering &to, const tensor &scales, int mask, dnnl::primitive_attr &attr,
    lowering::arguments &args) {
    const memory::desc desc = plain_desc({scales.count()}, memory::data_type::f32);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, scales.count() > 1 ? mask : 0);
    args.push_back({DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, to.constant(scales, desc, desc)});
}

bool int8_convolution(lowering &to, const operation &op) {
    const calibration::quantizer *q = to.source_quantizer(op);
    if (!q) return false;
    const op_context c = to.context(op);
    const extents &w = c.dims(1);
    const window window = window_of(c, spatial(c.dims(0)), spatial(w));
    const std::int64_t groups = c.integer("group", 1), outputs = w[0],
                       inner = count_of(w) / outputs;
    extents dims = w;
    if (groups > 1) {
        dims[0] /= groups;
        dims.insert(dims.begin(), groups);
    }
    const parameters p = folded(to, op, 2, {outputs, inner}, 0, outputs);
    if (!p.bias && op.in.size() > 2 && op.in[2] >= 0) return false;
    const integer_weights weights = integers_of(to, p.weights, outputs, inner);
    lowering::arguments args;
    dnnl::primitive_attr attr = to.attributes(op, c.rank(0), args);
    add_quantizer(to, DNNL_ARG_SRC, *q, attr, args);
    add_weight_scales(to, weights.scales, groups > 1 ? 3 : 1, attr, args);
    const std::optional<calibration::quantizer> result = to.result_quantizer(op);
    if (result) add_quantizer(to, DNNL_ARG_DST, *result, attr, args);
    const memory::desc bias =
        p.bias ? plain_desc({outputs}, memory::data_type::f32) : memory::desc();
    const dnnl::convolution_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        any_desc(c.dims(0), q->type), any_desc(dims, memory::data_type::s8), bias,
        any_desc(to.dims_of(op.out[0]), result ? result->type : memory::data_type::f32),
        window.strides, minus_one(window.dilations), window.begin, window.end, attr);
    args.push_back({DNNL_ARG_SRC, to.quantized(op.in[0], *q, desc.src_desc())});
    args.push_back({DNNL_ARG_WEIGHTS,
        to.constant(weights.values, plain_desc(dims, memory::data_type::s8), desc.weights_desc())});
    if (p.bias) args.push_back({DNNL_ARG_BIAS, to.constant(p.bias, bias, bias)});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    if (result) to.mark_quantized(op.out[0], *result);
    to.add<dnnl::convolution_forward>(op, "convolution", desc, std::move(args), attr);
    return true;
}

/// Products with a constant matrix; batches are its rows.
bool int8_matrix_product(lowering &to, const operation &op) {
    const calibration::quantizer *q = to.source_quantizer(op);
    const op_context c = to.context(op);
    if (!q || c.integer("transA", 0) || c.rank(1) != 2 || !operands_fit_rows(to, op)) return false;
    if (c.rank(0) < 2 || (op.in.size() > 2 && op.in[2] >= 0)) return false;
    const bool turned = c.integer("transB", 0) != 0;
    const extents &b = c.dims(1);
    const std::int64_t k = b[turned ? 1 : 0], n = b[turned ? 0 : 1], m = c.in(0).count() / k;
    const parameters p = folded(to, op, 2, b, turned ? 0 : 1, n);
    const integer_weights weights = integers_of(to, p.weights, n, turned ? k : 1);
    lowering::arguments args;
    dnnl::primitive_attr attr = attributes_of_rows(to, op, {m, n}, args);
    add_quantizer(to, DNNL_ARG_SRC, *q, attr, args);
    add_weight_scales(to, weights.scales, 2, attr, args);
    const memory::desc src = plain_desc({m, k}, q->type);
    const memory::desc plain(
        {k, n}, memory::data_type::s8, turned ? extents {1, k} : extents {n, 1});
    const memory::desc bias = p.bias ? plain_desc({1, n}, memory::data_type::f32) : memory::desc();
    const dnnl::matmul::primitive_desc desc(to.engine(), src,
        any_desc({k, n}, memory::data_type::s8), bias, plain_desc({m, n}, memory::data_type::f32),
        attr);
    operand source = to.quantized(op.in[0], *q, plain_desc(c.dims(0), q->type));
    source.desc = src;
    args.push_back({DNNL_ARG_SRC, source});
    args.push_back({DNNL_ARG_WEIGHTS, to.constant(weights.values, plain, desc.weights_desc())});
    if (p.bias) args.push_back({DNNL_ARG_BIAS, to.constant(p.bias, bias, bias)});
    operand dst = to.make(op.out[0], plain_desc(to.type_of(op.out[0])));
    dst.desc = desc.dst_desc();
    args.push_back({DNNL_ARG_DST, dst});
    to.add<dnnl::matmul>(op, "matmul", desc, std::move(args), attr);
    return true;
}

/// f32 to the model's integers; nothing is left to do where a product stored its result so.
bool quantize(lowering &to, const operation &op) {
    calibration::quantizer q;
    if (to.type_of(op.in[0]).type != element_type::f32 ||
        !constant_quantizer(to.source(), op, to.type_of(op.out[0]).type, q))
        return false;
    const memory::desc there = to.layout_of(op.in[0]);
    to.place(
        op.out[0], to.quantized(op.in[0], q,
                       memory::desc(there.get_dims(), q.type, compact_desc(there).get_strides())));
    return true;
}

/// The model's integers stay what they are until somebody needs floats.
bool dequantize(lowering &to, const operation &op) {
    calibration::quantizer q;
    if (!constant_quantizer(to.source(), op, to.type_of(op.in[0]).type, q)) return false;
    to.take_as_integers(op.out[0], to.strided(op.in[0]), q);
    return true;
}

} // namespace

std::span<const lower_entry> lower_int8() {
    static const lower_entry table[] = {
        {"Conv", int8_convolution},
        {"DequantizeLinear", dequantize},
        {"Gemm", int8_matrix_product},
        {"MatMul", int8_matrix_product},
        {"QuantizeLinear", quantize},
    };
    return table;
}

} // namespace dnnl_onnx
