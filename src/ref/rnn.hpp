// SPDX-License-Identifier: Apache-2.0
// What the forward and the backward pass of the reference for recurrent networks share.
#pragma once

#include "common/descriptors/rnn.hpp"
#include "ref/tensor.hpp"

namespace dnnl::impl::ref {

planned make_rnn_backward(problem &);

/// How states hold real numbers: rounded to bf16 or f16, or as 8-bit integers.
class rnn_state_values {
  public:
    rnn_state_values(data_type type, const rnn_quantization &q)
        : type_(type), scale_(q.data_scale), shift_(q.data_shift) {}

    data_type type() const { return type_; }
    bool is_quantized() const { return is_int8(type_); }
    /// The state closest to a real number: the number rounded, or the 8-bit integer for it.
    float to_state(float real) const {
        switch (type_) {
        case data_type::bf16: return bf16_to_f32(f32_to_bf16(real));
        case data_type::f16: return f16_to_f32(f32_to_f16(real));
        case data_type::s8: return f32_to_s8(real * scale_ + shift_);
        case data_type::u8: return f32_to_u8(real * scale_ + shift_);
        default: return real;
        }
    }
    float to_real(float state) const { return is_quantized() ? (state - shift_) / scale_ : state; }
    /// The value that a tensor of type `stored` holds for the sum of two states.
    float sum(float a, float b, data_type stored) const {
        if (!is_quantized()) return a + b;
        if (stored == type_) return a + b - shift_;
        return (a - shift_ + (b - shift_)) / scale_;
    }
    /// The value that a tensor of this type holds for a state.
    float stored(float state, data_type type) const {
        return type == type_ ? state : to_real(state);
    }
    double shift() const { return shift_; }
    float scale() const { return scale_; }

  private:
    data_type type_;
    float scale_, shift_;
};

/// One execution: the tensors that both passes read.
class rnn_run {
  protected:
    rnn_run(const rnn_desc &desc, const rnn_quantization &q, const rnn_states &states,
        const exec_context &ctx, std::byte *base)
        : desc_(desc), s_(shape_of(desc)), states_(states), ctx_(ctx), base_(base),
          values_(state_type_of(desc), q), src_layer_(view(rnn_tensor::src_layer)),
          src_iter_(view(rnn_tensor::src_iter)), src_iter_c_(view(rnn_tensor::src_iter_c)),
          attention_(view(rnn_tensor::attention)), weights_layer_(view(rnn_tensor::weights_layer)),
          weights_iter_(view(rnn_tensor::weights_iter)),
          peephole_(view(rnn_tensor::weights_peephole)),
          projection_(view(rnn_tensor::weights_projection)) {}

    tensor view(rnn_tensor t) const { return {ctx_, rnn_tensors[+t].arg}; }
    /// The time step that direction d reaches as its step number `step`.
    dim_t time(dim_t d, dim_t step) const { return is_reversed(desc_, d) ? s_.T - 1 - step : step; }
    float load_state(const std::byte *states, dim_t i) const {
        return load_f32(states_.state_type(), states, i);
    }
    /// The state of row n before step `step` of layer l and direction d; s_.T: after the last step.
    float h_before(dim_t l, dim_t d, dim_t step, dim_t n, dim_t i) const {
        if (step > 0) return load_state(states_.h(base_, l, d, time(d, step - 1)), n * s_.DIC + i);
        const float given = src_iter_.get_or<float>({l, d, n, i}, 0);
        const bool is_state = src_iter_ && src_iter_.dtype() == values_.type();
        return is_state ? given : values_.to_state(given);
    }
    float c_before(dim_t l, dim_t d, dim_t step, dim_t n, dim_t o) const {
        if (step > 0) return states_.c(base_, l, d, time(d, step - 1))[n * s_.DHC + o];
        return src_iter_c_.get_or<float>({l, d, n, o}, 0);
    }

    const rnn_desc &desc_;
    rnn_shape s_;
    const rnn_states &states_;
    const exec_context &ctx_;
    std::byte *const base_; ///< of the states
    rnn_state_values values_;
    // Those that the network lacks are tensors without dimensions.
    tensor src_layer_, src_iter_, src_iter_c_, attention_;
    tensor weights_layer_, weights_iter_, peephole_, projection_;
};

} // namespace dnnl::impl::ref
