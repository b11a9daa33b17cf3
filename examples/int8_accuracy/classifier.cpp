// SPDX-License-Identifier: Apache-2.0
// Builds the inference networks: quantised tensors, fused attributes, packed weights.
#include "classifier.hpp"

#include <algorithm>

namespace int8_accuracy {

using dnnl::memory;
using dnnl::prop_kind;
using type = memory::data_type;

classifier::classifier(const dnnl::engine &engine, const parameters &trained, const variant &how,
    const calibration &measured, int batch)
    : engine_(engine), stream_(engine), how_(how), batch_(batch),
      images_(activation_desc(layers()[0].src_dims(batch), type::f32), engine) {
    current_ = input_tensor(measured);
    for (int l = 0; l < layer_count; ++l) add_layer(l, trained, measured);
    add_softmax();
}

const float *classifier::run(const float *images) {
    std::copy(images, images + std::size_t(batch_) * image_pixels,
        static_cast<float *>(images_.get_data_handle()));
    program_.run(stream_);
    return static_cast<const float *>(probabilities_.get_data_handle());
}

std::vector<float> classifier::layer_result(int layer) {
    const stored_tensor &from = results_[layer];
    const memory::dims dims = layers()[layer].dst_dims(batch_);
    const auto plain = dims.size() == 4 ? memory::format_tag::nchw : memory::format_tag::nc;
    const memory to({dims, type::f32, plain}, engine_);
    dnnl::primitive_attr attr;
    program::arguments args {{DNNL_ARG_FROM, from.data}, {DNNL_ARG_TO, to}};
    if (from.scale) {
        attr.set_scales_mask(DNNL_ARG_FROM, 0);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM] = from.scale;
    }
    dnnl::reorder({engine_, from.desc(), engine_, to.get_desc(), attr}).execute(stream_, args);
    stream_.wait();
    const auto *values = static_cast<const float *>(to.get_data_handle());
    return {values, values + to.get_desc().get_size() / sizeof(float)};
}

type classifier::weights_type() const {
    if (int8()) return type::s8;
    return how_.kind == arithmetic::bf16 ? type::bf16 : type::f32;
}

/// with_zero: give it a zero point even if that is 0 now.
classifier::stored_tensor classifier::integer_tensor(
    const memory::dims &dims, const quantizer &q, bool with_zero) {
    stored_tensor tensor;
    tensor.data = memory(activation_desc(dims, q.type), engine_);
    tensor.scale = scalar_memory(engine_, q.scale);
    if (with_zero || q.zero_point != 0) tensor.zero_point = scalar_memory(engine_, q.zero_point);
    return tensor;
}

/// Normalised images are negative where the paper is empty, so their zero point is not 0.
classifier::stored_tensor classifier::input_tensor(const calibration &measured) {
    const memory::dims dims = layers()[0].src_dims(batch_);
    stored_tensor input {images_, {}, {}};
    if (how_.kind == arithmetic::bf16) {
        input.data = memory(activation_desc(dims, type::bf16), engine_);
        program_.copy(images_, input.data);
    }
    if (how_.kind == arithmetic::int8_static) {
        const value_range range = chosen_range(measured[0], how_.rule, how_.grid);
        input = integer_tensor(dims, quantizer_for(range, how_.grid), false);
        add_quantization(images_, input);
    }
    return input;
}

/// The last layer gives f32; static int8 stores the others the way the next layer reads them.
classifier::stored_tensor classifier::result_tensor(int layer, const calibration &measured) {
    const memory::dims dims = layers()[layer].dst_dims(batch_);
    const bool last = layer + 1 == layer_count;
    if (how_.kind == arithmetic::int8_static && !last) {
        const value_range range = chosen_range(measured[layer + 1], how_.rule, how_.grid);
        return integer_tensor(dims, quantizer_for(range, how_.grid), false);
    }
    const type t = how_.kind == arithmetic::bf16 && !last ? type::bf16 : type::f32;
    return {memory(activation_desc(dims, t), engine_), {}, {}};
}

/// Dynamic quantisation: each run measures the range, then a reorder stores the values as u8. The
/// primitives stay the same from run to run; scale and zero point are arguments of execution.
classifier::stored_tensor classifier::dynamically_quantized(const memory &values, bool with_zero) {
    const memory::desc desc = values.get_desc();
    const stored_tensor to = integer_tensor(desc.get_dims(), quantizer {1, 0, type::u8}, with_zero);
    program_.add([values, to, count = desc.get_size() / sizeof(float)] {
        const auto *first = static_cast<const float *>(values.get_data_handle());
        const quantizer q = quantizer_for(extremes(first, count), activation_grid::asymmetric);
        *static_cast<float *>(to.scale.get_data_handle()) = q.scale;
        if (to.zero_point)
            *static_cast<std::int32_t *>(to.zero_point.get_data_handle()) = q.zero_point;
    });
    add_quantization(values, to);
    return to;
}

/// to = round(from / scale) + zero point, saturated.
void classifier::add_quantization(const memory &from, const stored_tensor &to) {
    dnnl::primitive_attr attr;
    program::arguments args {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to.data}};
    attr.set_scales_mask(DNNL_ARG_TO, 0);
    args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO] = to.scale;
    if (to.zero_point) {
        attr.set_zero_points_mask(DNNL_ARG_TO, 0);
        args[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO] = to.zero_point;
    }
    program_.add(dnnl::reorder({engine_, from.get_desc(), engine_, to.desc(), attr}), args);
}

void classifier::add_layer(int layer, const parameters &trained, const calibration &measured) {
    const layer_shape &shape = layers()[layer];
    stored_tensor src = current_;
    if (how_.kind == arithmetic::int8_dynamic)
        src = dynamically_quantized(
            current_.data, layer == 0); // what follows a relu is never negative
    const stored_tensor dst = result_tensor(layer, measured);
    if (shape.convolution)
        add_convolution(shape, trained.layer[layer], src, dst, layer);
    else
        add_inner_product(shape, trained.layer[layer], src, dst, layer);
    results_[layer] = current_ = dst;
    if (shape.convolution) add_pooling(shape);
}

void classifier::add_convolution(const layer_shape &shape, const layer_parameters &from,
    const stored_tensor &src, const stored_tensor &dst, int layer) {
    const memory::dims strides {1, 1}, padding {shape.K / 2, shape.K / 2};
    const dnnl::convolution_forward::primitive_desc pd(engine_, prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, src.desc(),
        any_layout(shape.weights_dims(), weights_type()), vector_desc(shape.OC, type::f32),
        dst.desc(), strides, padding, padding, attributes(shape, src, dst));
    implementations_[layer] = pd.impl_info_str();
    program_.add(
        dnnl::convolution_forward(pd), arguments_of(shape, from, src, dst, pd.weights_desc()));
}

void classifier::add_inner_product(const layer_shape &shape, const layer_parameters &from,
    const stored_tensor &src, const stored_tensor &dst, int layer) {
    const dnnl::inner_product_forward::primitive_desc pd(engine_, prop_kind::forward_inference,
        src.desc(), any_layout(shape.weights_dims(), weights_type()),
        vector_desc(shape.OC, type::f32), dst.desc(), attributes(shape, src, dst));
    implementations_[layer] = pd.impl_info_str();
    program_.add(
        dnnl::inner_product_forward(pd), arguments_of(shape, from, src, dst, pd.weights_desc()));
}

/// dst = relu(scale_src * scale_weights * (src - zero_point) * weights + bias) / scale_dst
dnnl::primitive_attr classifier::attributes(
    const layer_shape &shape, const stored_tensor &src, const stored_tensor &dst) const {
    dnnl::primitive_attr attr;
    if (shape.relu) {
        dnnl::post_ops ops;
        ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f);
        attr.set_post_ops(ops);
    }
    if (!int8()) return attr;
    constexpr int output_channels = 1 << 0; // dimension 0 of the weights
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(
        DNNL_ARG_WEIGHTS, how_.weights == weight_scales::per_channel ? output_channels : 0);
    if (src.zero_point) attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    if (dst.scale) attr.set_scales_mask(DNNL_ARG_DST, 0);
    return attr;
}

/// Quantises the weights into the layout that the primitive asked for.
program::arguments classifier::arguments_of(const layer_shape &shape, const layer_parameters &from,
    const stored_tensor &src, const stored_tensor &dst, const memory::desc &wanted) {
    const memory plain =
        filled_memory(engine_, plain_weights_desc(shape.weights_dims()), from.weights);
    const memory bias = filled_memory(engine_, vector_desc(shape.OC, type::f32), from.bias);
    const memory weights(wanted, engine_);
    program::arguments args {{DNNL_ARG_SRC, src.data}, {DNNL_ARG_WEIGHTS, weights},
        {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst.data}};
    dnnl::primitive_attr attr;
    program::arguments reorder_args {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, weights}};
    weight_bytes_ += shape.weights_count() * memory::data_type_size(weights_type());
    weight_bytes_ += from.bias.size() * sizeof(float);
    if (int8()) {
        const std::vector<float> scales = scales_of_weights(from.weights, shape.OC, how_.weights);
        const auto count = static_cast<memory::dim>(scales.size());
        const memory scale = filled_memory(engine_, vector_desc(count, type::f32), scales);
        attr.set_scales_mask(DNNL_ARG_TO, how_.weights == weight_scales::per_channel ? 1 : 0);
        reorder_args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO] = scale;
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = scale;
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC] = src.scale;
        if (src.zero_point) args[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC] = src.zero_point;
        if (dst.scale) args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = dst.scale;
        weight_bytes_ += scales.size() * sizeof(float);
    }
    dnnl::reorder({engine_, plain.get_desc(), engine_, wanted, attr})
        .execute(stream_, reorder_args);
    stream_.wait();
    return args;
}

/// A maximum keeps scale and zero point.
void classifier::add_pooling(const layer_shape &shape) {
    stored_tensor pooled = current_;
    const memory::desc dst =
        activation_desc(shape.pooled_dims(batch_), current_.desc().get_data_type());
    pooled.data = memory(dst, engine_);
    const dnnl::pooling_forward::primitive_desc pd(engine_, prop_kind::forward_inference,
        dnnl::algorithm::pooling_max, current_.desc(), dst, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0});
    program_.add(
        dnnl::pooling_forward(pd), {{DNNL_ARG_SRC, current_.data}, {DNNL_ARG_DST, pooled.data}});
    current_ = pooled;
}

void classifier::add_softmax() {
    const memory::desc desc = current_.desc();
    probabilities_ = memory(desc, engine_);
    const dnnl::softmax_forward::primitive_desc pd(
        engine_, prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, desc, desc, 1);
    program_.add(
        dnnl::softmax_forward(pd), {{DNNL_ARG_SRC, current_.data}, {DNNL_ARG_DST, probabilities_}});
}

} // namespace int8_accuracy
