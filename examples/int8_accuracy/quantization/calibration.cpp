// SPDX-License-Identifier: Apache-2.0
// Looks at the sources of products while the f32 network runs.
#include "calibration.hpp"

#include "../../random_source.hpp"
#include "../inference/runner.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace int8_accuracy {

namespace {

/// Draws rows of the inputs of one product, as moments_of() reads them.
class input_sampler {
  public:
    input_sampler(const layer &of, int batch) : of_(of), batch_(batch) {}

    /// Appends `count` rows. `source` and `result` are those of the layer, in the order of
    /// desc_of().
    void draw(const std::vector<float> &source, const std::vector<float> &result, int count,
        examples::random_source &random) {
        for (int i = 0; i < count; ++i) {
            if (of_.kind == layer_kind::convolution)
                add_window(source, random);
            else if (of_.kind == layer_kind::lstm)
                add_step(source, result, random);
            else
                add_row(source, random);
            ++count_;
        }
    }

    int count() const { return count_; }
    input_moments moments() const { return moments_of(of_, inputs_, count_); }

  private:
    float pixel(const std::vector<float> &source, int image, int channel, int y, int x) const {
        const object_shape &s = of_.source;
        if (y < 0 || y >= s.height || x < 0 || x >= s.width) return 0;
        return source[((std::size_t(image) * s.height + y) * s.width + x) * s.channels + channel];
    }

    void add_window(const std::vector<float> &source, examples::random_source &random) {
        const int image = random.below(batch_);
        const int y = random.below(of_.result.height) * of_.stride - of_.padding;
        const int x = random.below(of_.result.width) * of_.stride - of_.padding;
        for (int c = 0; c < of_.source.channels; ++c)
            for (int ky = 0; ky < of_.kernel; ++ky)
                for (int kx = 0; kx < of_.kernel; ++kx)
                    inputs_.push_back(pixel(source, image, c, y + ky, x + kx));
    }

    /// Weights of a layer that reads an image are channel by channel.
    void add_row(const std::vector<float> &source, examples::random_source &random) {
        const int row = random.below(of_.source.rows() * batch_);
        for (int c = 0; c < of_.source.channels; ++c)
            for (int y = 0; y < of_.source.height; ++y)
                for (int x = 0; x < of_.source.width; ++x)
                    inputs_.push_back(pixel(source, row, c, y, x));
    }

    /// The source of a step, and the state that the step before it gave.
    void add_step(const std::vector<float> &source, const std::vector<float> &result,
        examples::random_source &random) {
        const int inputs = of_.source.channels, states = of_.result.channels;
        const int row = random.below(of_.source.length * batch_), before = row - batch_;
        const auto x = source.begin() + std::ptrdiff_t(row) * inputs;
        inputs_.insert(inputs_.end(), x, x + inputs);
        if (before < 0) return inputs_.resize(inputs_.size() + std::size_t(states));
        const auto h = result.begin() + std::ptrdiff_t(before) * states;
        inputs_.insert(inputs_.end(), h, h + states);
    }

    const layer &of_;
    int batch_, count_ = 0;
    std::vector<float> inputs_;
};

} // namespace

struct calibrator::state {
    state(const dnnl::engine &engine, const trained_network &of, int batch, int wanted,
        std::uint64_t seed)
        : net(of.net), products(net.products()),
          exact(engine, of, assignment(products.size()), {}, batch), rows_per_product(wanted),
          random(seed), collectors(net.layers.size()) {
        for (int l : products) {
            sources.insert(net.layers[std::size_t(l)].from.front());
            samplers.emplace_back(net.layers[std::size_t(l)], batch);
        }
        for (int l = 0; l < int(net.layers.size()); ++l)
            if (net.layers[std::size_t(l)].kind == layer_kind::layer_normalization)
                sources.insert(l); // migration looks at these, too
        measured.values.resize(net.layers.size());
        measured.extremes.resize(net.layers.size());
        measured.largest.resize(net.layers.size());
    }

    void look_at(int l, const std::vector<float> &values) {
        const auto i = std::size_t(l);
        collectors[i].add(values.data(), values.size());
        const value_range range = extremes(values.data(), values.size());
        value_range &all = measured.extremes[i];
        all = {std::min(all.low, range.low), std::max(all.high, range.high)};
        const auto channels = std::size_t(net.layers[i].result.channels);
        std::vector<float> &largest = measured.largest[i];
        largest.resize(channels);
        for (std::size_t v = 0; v < values.size(); ++v)
            largest[v % channels] = std::max(largest[v % channels], std::fabs(values[v]));
    }

    /// The rows come from four batches or more.
    void sample(std::size_t p) {
        input_sampler &to = samplers[p];
        const int count = std::min((rows_per_product + 3) / 4, rows_per_product - to.count());
        if (count <= 0) return;
        const layer &of = net.layers[std::size_t(products[p])];
        const bool recurrent = of.kind == layer_kind::lstm;
        to.draw(exact.result_of_layer(of.from.front()),
            recurrent ? exact.result_of(int(p)) : std::vector<float> {}, count, random);
    }

    network net;
    std::vector<int> products;
    runner exact;
    int rows_per_product;
    examples::random_source random;
    std::set<int> sources;
    std::vector<collector> collectors;
    std::vector<input_sampler> samplers; // of products
    calibration_data measured;
};

calibrator::calibrator(const dnnl::engine &engine, const trained_network &of, int batch,
    int rows_per_product, std::uint64_t seed)
    : state_(std::make_unique<state>(engine, of, batch, rows_per_product, seed)) {}

calibrator::~calibrator() = default;

void calibrator::add(const float *encoded) {
    state_->exact.run(encoded);
    for (int l : state_->sources) state_->look_at(l, state_->exact.result_of_layer(l));
    for (std::size_t p = 0; p < state_->products.size(); ++p) state_->sample(p);
}

calibration_data calibrator::result() const {
    calibration_data result = state_->measured;
    for (int l : state_->sources)
        result.values[std::size_t(l)] = state_->collectors[std::size_t(l)].result();
    for (const input_sampler &of : state_->samplers)
        result.moments.push_back(of.count() > 0 ? of.moments() : input_moments {});
    return result;
}

} // namespace int8_accuracy
