// SPDX-License-Identifier: Apache-2.0
// A trained network for inference, each product in a format of its own.
#pragma once

#include "../quantization/calibration.hpp"
#include "../quantization/sources.hpp"

#include <memory>
#include <string>
#include <vector>

namespace int8_accuracy {

class runner {
  public:
    /// Builds all primitives and packs all weights. `network` has no layers of kind normalization;
    /// `formats` has a format for each product; `measured` is only read by formats that need ranges
    /// (or inputs of tuned rounding) and may be empty otherwise.
    ///
    /// `keep_results`: results of products stay readable by result_of(). Without it, an add may
    /// overwrite its addend, which is faster; the numbers are the same.
    ///
    /// Throws dnnl::error with status unimplemented if the library refuses a format,
    /// std::invalid_argument if something is missing.
    runner(const dnnl::engine &engine, const trained_network &network, const assignment &formats,
        const calibration_data &measured, int batch, bool keep_results = true);
    ~runner();

    /// At most so many threads for each run; 0: as many as the runtime has.
    void set_threads(int threads);

    /// Logits, rows x classes, in the order of labels_of_batch(). They stay valid until the next
    /// call. `encoded_input`: a batch as encode_batch() gives it.
    const float *run(const float *encoded_input);

    /// The result of a product (counted as in network::products()) in the last run, with the add
    /// and the activation that belong to the same primitive, as f32 in the order of desc_of().
    /// Throws std::logic_error without keep_results.
    std::vector<float> result_of(int product) const;

    /// The result of a layer in the last run; std::out_of_range if it is only inside of a
    /// primitive.
    std::vector<float> result_of_layer(int layer) const;

    /// Bytes of the weights with scales and bias, as the format stores them.
    double weight_bytes(int product) const;
    /// Bytes of source, weights and result of one object, as the formats store them.
    double moved_bytes(int product) const;
    /// The library's name of the implementation.
    const std::string &implementation(int product) const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace int8_accuracy
