// SPDX-License-Identifier: Apache-2.0
// Copies of a network, each with threads of its own.
#pragma once

#include "../int8_accuracy/inference/runner.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace serve {

/// How the cores are divided: so many instances at once, each with so many threads, each working on
/// up to so many images at once.
struct division {
    int instances = 1, threads = 1, batch = 1;
    std::string words() const;
};

/// The residual network of the laboratory with random weights, in f32 or bytes.
class served_network {
  public:
    served_network(bool bytes, std::uint64_t seed);

    int image_values() const { return net_.net.input().values(); }
    int classes() const { return net_.net.classes(); }
    /// Random images to be asked about, one after the other.
    const std::vector<float> &images() const { return images_; }
    int image_count() const { return int(images_.size()) / image_values(); }

    /// A runner for so many images at once on so many threads.
    std::unique_ptr<int8_accuracy::runner> make_runner(int batch, int threads) const;

  private:
    dnnl::engine cpu_ {dnnl::engine::kind::cpu, 0};
    int8_accuracy::trained_network net_;
    int8_accuracy::calibration_data measured_;
    int8_accuracy::assignment formats_;
    std::vector<float> images_;
};

/// One instance: answers one image, or a whole batch.
class instance {
  public:
    instance(const served_network &of, const division &by);

    /// The classes that images `first` ... `first + count - 1` of the network belong to, count not
    /// above the batch. Numbers of images wrap around.
    void answer(int first, int count, int *classes);

  private:
    const served_network &of_;
    std::unique_ptr<int8_accuracy::runner> one_, many_;
    std::vector<float> input_;
};

} // namespace serve
