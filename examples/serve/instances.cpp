// SPDX-License-Identifier: Apache-2.0
// Builds the network and its instances.
#include "instances.hpp"

#include "../int8_accuracy/networks/zoo.hpp"
#include "../random_source.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace serve {

using namespace int8_accuracy;

namespace {

constexpr int image_count_ = 64, class_count = 20;

} // namespace

std::string division::words() const {
    return fmt::format("{} x {} thread(s), batch {}", instances, threads, batch);
}

served_network::served_network(bool bytes, std::uint64_t seed) {
    trained_network fresh;
    fresh.net = known_network("residual", {3, 32, 32}, class_count);
    fresh.learned = random_parameters(fresh.net, seed);
    fresh.mean = fresh.deviation = {0, 0, 0};
    net_ = folded(fresh);
    examples::random_source random(seed + 1);
    for (int i = 0; i < image_count_ * image_values(); ++i)
        images_.push_back(float(random.normal()));
    formats_.assign(net_.net.products().size(), layer_format());
    if (!bytes) return;
    for (layer_format &format : formats_) format.kind = number_kind::integer;
    calibrator looks(cpu_, net_, image_count_);
    looks.add(images_.data());
    measured_ = looks.result();
}

std::unique_ptr<runner> served_network::make_runner(int batch, int threads) const {
    auto made = std::make_unique<runner>(cpu_, net_, formats_, measured_, batch, false);
    made->set_threads(threads);
    return made;
}

instance::instance(const served_network &of, const division &by)
    : of_(of), one_(of.make_runner(1, by.threads)),
      many_(by.batch > 1 ? of.make_runner(by.batch, by.threads) : nullptr),
      input_(std::size_t(by.batch) * std::size_t(of.image_values())) {}

void instance::answer(int first, int count, int *classes) {
    const std::size_t values = std::size_t(of_.image_values());
    // Images of a batch that are not asked about are those of the last call.
    const int asked = count > 1 ? count : 1;
    for (int i = 0; i < asked; ++i)
        std::copy_n(of_.images().data() + std::size_t((first + i) % of_.image_count()) * values,
            values, input_.data() + std::size_t(i) * values);
    const float *logits = (count > 1 ? *many_ : *one_).run(input_.data());
    for (int i = 0; i < count; ++i, logits += of_.classes())
        classes[i] = int(std::max_element(logits, logits + of_.classes()) - logits);
}

} // namespace serve
