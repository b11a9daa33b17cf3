// SPDX-License-Identifier: Apache-2.0
// Convolutions and dense layers: weights in the type and layout that the primitive asks for, scales
// and zero points, and what is fused. A dense layer is a matrix product, because that takes zero
// points.
#include "products.hpp"

#include "lstm.hpp"
#include "prepared_weights.hpp"

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

namespace {

/// dst = post-ops(scale_src * scale_weights * (src - zero point) * weights + bias) / scale_dst +
/// zero point
class product_builder {
  public:
    product_builder(stored_values &values, const product_parts &parts, const stored_value &source,
        const stored_value &result, const epilogue &after)
        : values_(values), parts_(parts), source_(source), result_(result),
          weights_(values.engine(), parts), args_(after.arguments) {
        attr_.set_post_ops(after.ops);
    }

    product_facts_of_run add() {
        product_facts_of_run facts;
        facts.weight_bytes = weights_.bytes();
        facts.implementation =
            parts_.of.kind == layer_kind::convolution ? add_convolution() : add_dense();
        return facts;
    }

  private:
    void quantize(int output_channels) {
        if (!weights_.scales().empty()) {
            const bool one = weights_.scales().size() == 1;
            const auto count = memory::dim(weights_.scales().size());
            attr_.set_scales_mask(DNNL_ARG_WEIGHTS, one ? 0 : output_channels);
            args_[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] =
                filled_memory(values_.engine(), vector_desc(count, type::f32), weights_.scales());
        }
        for (const auto &[arg, value] :
            {std::pair {DNNL_ARG_SRC, &source_}, {DNNL_ARG_DST, &result_}}) {
            if (value->scale) attr_.set_scales_mask(arg, 0);
            if (value->scale) args_[DNNL_ARG_ATTR_SCALES | arg] = value->scale;
            if (value->zero_point) attr_.set_zero_points_mask(arg, 0);
            if (value->zero_point) args_[DNNL_ARG_ATTR_ZERO_POINTS | arg] = value->zero_point;
        }
    }

    /// A 1x1 image is stored like a vector, but convolutions have four dimensions.
    memory image(const memory &of, const object_shape &shape) const {
        const memory::dims dims {values_.batch(), shape.channels, shape.height, shape.width};
        return view(of, {dims, of.get_desc().get_data_type(), memory::format_tag::nhwc});
    }

    std::string add_convolution() {
        const layer &of = parts_.of;
        quantize(of.groups > 1 ? 3 : 1);
        const memory src = image(source_.data, of.source), dst = image(result_.data, of.result);
        const memory::dims strides {of.stride, of.stride}, padding {of.padding, of.padding};
        const int below = (of.result.height - 1) * of.stride + of.kernel - of.source.height;
        const int right = (of.result.width - 1) * of.stride + of.kernel - of.source.width;
        const dnnl::convolution_forward::primitive_desc pd(values_.engine(),
            dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src.get_desc(),
            any_layout(weights_dims(of), weights_.stored()),
            vector_desc(of.result.channels, type::f32), dst.get_desc(), strides, padding,
            {below - of.padding, right - of.padding}, attr_);
        execute(dnnl::convolution_forward(pd), src, dst,
            weights_.in_layout(plain_desc(weights_dims(of), type::f32), pd.weights_desc()),
            vector_desc(of.result.channels, type::f32));
        return pd.impl_info_str();
    }

    std::string add_dense() {
        const layer &of = parts_.of;
        quantize(1 << 1);
        const memory::dim rows = memory::dim(of.source.rows()) * values_.batch();
        const memory::dim K = of.source.row_values(), N = of.result.channels;
        const memory src = view(source_.data, plain_desc({rows, K}, source_.form.type));
        const memory dst = view(result_.data, plain_desc({rows, N}, result_.form.type));
        const memory::desc bias = plain_desc({1, N}, type::f32);
        const dnnl::matmul::primitive_desc pd(values_.engine(), src.get_desc(),
            any_layout({K, N}, weights_.stored()), bias, dst.get_desc(), attr_);
        execute(dnnl::matmul(pd), src, dst,
            weights_.in_layout({{K, N}, type::f32, memory::dims {1, K}}, pd.weights_desc()), bias);
        return pd.impl_info_str();
    }

    void execute(const dnnl::primitive &product, const memory &src, const memory &dst,
        const memory &weights, const memory::desc &bias) {
        args_[DNNL_ARG_SRC] = src;
        args_[DNNL_ARG_WEIGHTS] = weights;
        args_[DNNL_ARG_BIAS] = filled_memory(values_.engine(), bias, parts_.learned.bias);
        args_[DNNL_ARG_DST] = dst;
        values_.steps().add(product, args_);
    }

    stored_values &values_;
    const product_parts &parts_;
    const stored_value &source_, &result_;
    prepared_weights weights_;
    dnnl::primitive_attr attr_;
    program::arguments args_;
};

} // namespace

product_facts_of_run add_product(stored_values &values, const product_parts &parts,
    const stored_value &source, const stored_value &result, const epilogue &after) {
    if (parts.of.kind == layer_kind::lstm) return add_lstm(values, parts, source, result);
    return product_builder(values, parts, source, result, after).add();
}

} // namespace int8_accuracy
