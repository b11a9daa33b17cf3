// SPDX-License-Identifier: Apache-2.0
// Weights of a product in the numbers of its format.
#pragma once

#include "products.hpp"

namespace int8_accuracy {

class prepared_weights {
  public:
    prepared_weights(const dnnl::engine &engine, const product_parts &parts);

    /// The type that the primitive reads: f32 where the format is simulated.
    dnnl::memory::data_type stored() const { return stored_; }
    /// Of integers: one, or one for each row.
    const std::vector<float> &scales() const { return scales_; }
    double bytes() const { return bytes_; } // with scales and bias, as the format stores them

    /// The weights, which as f32 lie as `plain` says, in the wanted layout and stored(). Rows of a
    /// dense layer that reads an image are in the order of its memory: row, column, channel.
    dnnl::memory in_layout(const dnnl::memory::desc &plain, const dnnl::memory::desc &wanted) const;
    /// The recurrent weights of an lstm.
    dnnl::memory recurrent_in_layout(
        const dnnl::memory::desc &plain, const dnnl::memory::desc &wanted) const;

  private:
    dnnl::memory reordered(const std::vector<float> &values, const dnnl::memory::desc &plain,
        const dnnl::memory::desc &wanted) const;

    dnnl::engine engine_;
    dnnl::memory::data_type stored_ = dnnl::memory::data_type::f32;
    layer_parameters numbers_; // of integers, these as f32
    std::vector<float> scales_;
    double bytes_ = 0;
};

} // namespace int8_accuracy
