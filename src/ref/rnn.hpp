// SPDX-License-Identifier: Apache-2.0
// What the forward and the backward pass of the reference of recurrent networks share.
#pragma once

#include "common/implementation.hpp"
#include "common/rnn.hpp"
#include "common/rnn_states.hpp"
#include "ref/tensor.hpp"

namespace dnnl::impl::ref {

planned make_rnn_forward(problem &);
planned make_rnn_backward(problem &);

/// Real numbers and how states hold them: rounded to bf16 or f16, or 8 bits wide.
class rnn_state_values {
  public:
    rnn_state_values(data_type type, const rnn_quantization &q)
        : type_(type), scale_(q.data_scale), shift_(q.data_shift) {}

    bool is_quantized() const { return is_int8(type_); }
    /// The state closest to a real number: a rounded number, or the integer that stands for it.
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
    /// What a tensor of this type is to hold of the sum of two states.
    float sum(float a, float b, data_type stored) const {
        if (!is_quantized()) return a + b;
        if (stored == type_) return a + b - shift_;
        return (a - shift_ + (b - shift_)) / scale_;
    }
    /// What a tensor of this type is to hold of a state.
    float stored(float state, data_type type) const {
        return type == type_ ? state : to_real(state);
    }
    double shift() const { return shift_; }
    float scale() const { return scale_; }

  private:
    data_type type_;
    float scale_, shift_;
};

/// The view of one tensor of the execution.
inline tensor rnn_view(const exec_context &ctx, rnn_tensor t) {
    return {ctx, rnn_tensors[static_cast<std::size_t>(t)].arg};
}

} // namespace dnnl::impl::ref
