// SPDX-License-Identifier: Apache-2.0
// Products of 8-bit integers whose scales and zero points are constants.
#include "lowering.hpp"

#include "../operators/window.hpp"

#include <algorithm>

namespace dnnl_onnx {

using dnnl::memory;

namespace {

/// Which inputs of an operator are what; -1 where it has none.
struct quantized_inputs {
    int src, src_scale, src_zero, weights, weights_scale, weights_zero, dst_scale, dst_zero, bias;
};
constexpr quantized_inputs of_convolution {0, 1, 2, 3, 4, 5, 6, 7, 8};
constexpr quantized_inputs of_product {0, 1, 2, 3, 4, 5, 6, 7, -1};
constexpr quantized_inputs of_integers {0, -1, 2, 1, -1, 3, -1, -1, -1};

/// Attributes of a product of integers and the memory of its scales and zero points.
class quantized_product {
  public:
    quantized_product(lowering &to, const operation &op, const quantized_inputs &inputs)
        : to_(to), op_(op), inputs_(inputs) {}

    lowering::arguments args;
    dnnl::primitive_attr attr;

    int at(int input) const {
        return input >= 0 && input < int(op_.in.size()) ? op_.in[input] : -1;
    }
    tensor known(int input) const { return at(input) < 0 ? tensor() : to_.of(at(input)).constant; }

    /// False where the primitive cannot do it: something is no constant, weights are unsigned or
    /// have zero points. `axis` is the bit of the mask of scales of weights.
    bool prepare(int rank, int axis) {
        for (int input : {inputs_.src_scale, inputs_.src_zero, inputs_.weights_scale,
                 inputs_.weights_zero, inputs_.dst_scale, inputs_.dst_zero})
            if (at(input) >= 0 && !known(input)) return false;
        if (to_.type_of(at(inputs_.weights)).type != element_type::s8) return false;
        if (const tensor zero = known(inputs_.weights_zero))
            for (std::int64_t z : zero.integers())
                if (z != 0) return false;
        for (int input : {inputs_.src_zero, inputs_.dst_zero})
            if (known(input) && known(input).count() != 1) return false;
        operation plain = op_;
        attr = to_.attributes(plain, rank, args);
        scale(DNNL_ARG_SRC, inputs_.src_scale, 0);
        scale(DNNL_ARG_WEIGHTS, inputs_.weights_scale, 1 << axis);
        scale(DNNL_ARG_DST, inputs_.dst_scale, 0);
        zero(DNNL_ARG_SRC, inputs_.src_zero);
        zero(DNNL_ARG_DST, inputs_.dst_zero);
        return true;
    }

    /// The bias is in units of the scales of source and weights; the library adds it in f32.
    operand bias(std::int64_t outputs, const memory::desc &desc) {
        const tensor values = known(inputs_.bias), src = known(inputs_.src_scale),
                     weights = known(inputs_.weights_scale);
        tensor made(element_type::f32, {outputs});
        for (std::int64_t i = 0; i < outputs; ++i)
            made.data<float>()[i] =
                float(double(values.data<std::int32_t>()[i]) * double(*src.data<float>()) *
                      weights.data<float>()[weights.count() > 1 ? i : 0]);
        return to_.constant(made, desc, desc);
    }

  private:
    void scale(int argument, int input, int mask) {
        const tensor values = known(input);
        if (!values) return;
        attr.set_scales_mask(argument, values.count() > 1 ? mask : 0);
        const memory::desc desc = plain_desc({values.count()}, memory::data_type::f32);
        args.push_back({DNNL_ARG_ATTR_SCALES | argument, to_.constant(values, desc, desc)});
    }

    void zero(int argument, int input) {
        const tensor values = known(input);
        if (!values || values.integers()[0] == 0) return;
        tensor made(element_type::s32, {1});
        *made.data<std::int32_t>() = std::int32_t(values.integers()[0]);
        attr.set_zero_points_mask(argument, 0);
        const memory::desc desc = plain_desc({1}, memory::data_type::s32);
        args.push_back({DNNL_ARG_ATTR_ZERO_POINTS | argument, to_.constant(made, desc, desc)});
    }

    lowering &to_;
    const operation &op_;
    quantized_inputs inputs_;
};

bool quantized_convolution(lowering &to, const operation &op, const quantized_inputs &inputs) {
    const op_context c = to.context(op);
    const extents &w = c.dims(inputs.weights);
    const window window = window_of(c, spatial(c.dims(0)), spatial(w));
    const std::int64_t groups = c.integer("group", 1), outputs = w[0];
    quantized_product product(to, op, inputs);
    // Per output channel: both dimensions of grouped weights have a part of the index.
    if (!to.is_constant(op.in[inputs.weights]) || !product.prepare(c.rank(0), 0)) return false;
    if (groups > 1 && product.known(inputs.weights_scale) &&
        product.known(inputs.weights_scale).count() > 1)
        product.attr.set_scales_mask(DNNL_ARG_WEIGHTS, 3);
    extents dims = w, dilations = window.dilations;
    if (groups > 1) {
        dims[0] /= groups;
        dims.insert(dims.begin(), groups);
    }
    for (std::int64_t &d : dilations) --d;
    const bool has_bias = product.at(inputs.bias) >= 0;
    if (has_bias && !product.known(inputs.bias)) return false;
    const memory::desc bias =
        has_bias ? plain_desc({outputs}, memory::data_type::f32) : memory::desc();
    const dnnl::convolution_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        any_desc(c.dims(0), library_type(c.in(0).type)), any_desc(dims, memory::data_type::s8),
        bias, any_desc(to.dims_of(op.out[0]), library_type(to.type_of(op.out[0]).type)),
        window.strides, dilations, window.begin, window.end, product.attr);
    lowering::arguments args = product.args;
    args.push_back({DNNL_ARG_SRC, to.in(op.in[0], desc.src_desc())});
    args.push_back(
        {DNNL_ARG_WEIGHTS, to.constant(to.of(op.in[inputs.weights]).constant,
                               plain_desc(dims, memory::data_type::s8), desc.weights_desc())});
    if (has_bias) args.push_back({DNNL_ARG_BIAS, product.bias(outputs, bias)});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::convolution_forward>(op, "convolution", desc, std::move(args), product.attr);
    return true;
}

bool quantized_matmul(lowering &to, const operation &op, const quantized_inputs &inputs) {
    const op_context c = to.context(op);
    const extents &b_dims = c.dims(inputs.weights);
    const int rank = to.type_of(op.out[0]).rank();
    if (c.rank(0) < 2 || b_dims.size() < 2) return false;
    quantized_product product(to, op, inputs);
    if (!product.prepare(rank, rank - 1)) return false;
    operand a = to.strided(op.in[0]), b = to.strided(op.in[inputs.weights]);
    a.desc = with_rank(a.desc, rank);
    b.desc = with_rank(b.desc, rank);
    const bool constant = to.is_constant(op.in[inputs.weights]);
    const memory::desc result = plain_desc(to.type_of(op.out[0]));
    const dnnl::matmul::primitive_desc desc(to.engine(), a.desc,
        constant ? any_desc(b.desc.get_dims(), memory::data_type::s8) : b.desc, result,
        product.attr);
    lowering::arguments args = product.args;
    args.push_back({DNNL_ARG_SRC, a});
    args.push_back({DNNL_ARG_WEIGHTS,
        constant ? to.constant(to.of(op.in[inputs.weights]).constant, b.desc, desc.weights_desc())
                 : b});
    args.push_back({DNNL_ARG_DST, to.make(op.out[0], desc.dst_desc())});
    to.add<dnnl::matmul>(op, "matmul", desc, std::move(args), product.attr);
    return true;
}

} // namespace

std::span<const lower_entry> lower_quantized() {
    static const lower_entry table[] = {
        {"ConvInteger",
            [](lowering &to, const operation &op) {
                return quantized_convolution(to, op, of_integers);
            }},
        {"MatMulInteger",
            [](lowering &to, const operation &op) {
                return quantized_matmul(to, op, of_integers);
            }},
        {"QLinearConv",
            [](lowering &to, const operation &op) {
                return quantized_convolution(to, op, of_convolution);
            }},
        {"QLinearMatMul",
            [](lowering &to, const operation &op) { return quantized_matmul(to, op, of_product); }},
    };
    return table;
}

} // namespace dnnl_onnx
