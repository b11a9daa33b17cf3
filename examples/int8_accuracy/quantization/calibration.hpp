// SPDX-License-Identifier: Apache-2.0
// What the products of a network read on calibration data.
#pragma once

#include "formats.hpp"
#include "rounding.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace int8_accuracy {

/// For each layer whose result a product reads; those of other layers are empty.
struct calibration_data {
    std::vector<histogram> values;
    std::vector<value_range> extremes;
    std::vector<std::vector<float>> largest; // max |x| of each channel
    std::vector<input_moments> moments;      // of each product, in the order of products()
};

/// Runs the f32 network on batches and keeps what its products read.
class calibrator {
  public:
    /// `rows_per_product`: how many inputs of each product are kept for tuned rounding, 0 for none.
    calibrator(const dnnl::engine &engine, const trained_network &of, int batch,
        int rows_per_product = 0, std::uint64_t seed = 1);
    ~calibrator();

    /// `encoded`: a batch as encode_batch() gives it.
    void add(const float *encoded);
    calibration_data result() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace int8_accuracy
