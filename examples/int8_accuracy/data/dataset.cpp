// SPDX-License-Identifier: Apache-2.0
// Division of data sets, and the numbers that networks read for their objects.
#include "dataset.hpp"

#include "../../random_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace int8_accuracy {

using examples::random_source;
namespace {

/// The object at place `place` of a batch's order; places beyond the end give the last object.
int object_at(const dataset &from, const std::vector<int> &order, int place) {
    if (order.empty()) return std::min(place, from.count() - 1);
    return order[std::min<std::size_t>(place, order.size() - 1)];
}

/// The encoded number of each value that a byte of one channel can have.
using byte_values = std::array<float, 256>;

std::vector<byte_values> encoded_bytes(const encoding &how) {
    std::vector<byte_values> channels(how.mean.size());
    for (std::size_t c = 0; c < channels.size(); ++c)
        for (int byte = 0; byte < 256; ++byte)
            channels[c][byte] = (static_cast<float>(byte) / 255 - how.mean[c]) / how.deviation[c];
    return channels;
}

/// What happens to one image: it is mirrored, then its content moves left and up.
struct image_move {
    int x = 0, y = 0; // pixels
    bool mirror = false;
};

image_move random_move(const augmentation &moves, random_source &random) {
    const int places = 2 * moves.largest_shift + 1;
    image_move drawn;
    drawn.x = random.below(places) - moves.largest_shift;
    drawn.y = random.below(places) - moves.largest_shift;
    drawn.mirror = moves.mirror && random.unit() < .5;
    return drawn;
}

void encode_image(const object_shape &of, const std::uint8_t *image,
    const std::vector<byte_values> &values, const image_move &move, float *to) {
    for (int y = 0; y < of.height; ++y) {
        const int from_y = std::clamp(y + move.y, 0, of.height - 1);
        for (int x = 0; x < of.width; ++x) {
            const int moved = std::clamp(x + move.x, 0, of.width - 1);
            const int from_x = move.mirror ? of.width - 1 - moved : moved;
            const std::uint8_t *pixel =
                image + (std::size_t(from_y) * of.width + from_x) * of.channels;
            for (int c = 0; c < of.channels; ++c) *to++ = values[c][pixel[c]];
        }
    }
}

/// Writes the ones of object `b` of `batch`; `to` holds zeros before.
void encode_sequence(const object_shape &of, const std::uint8_t *tokens, bool positions,
    int channels, int b, int batch, float *to) {
    for (int p = 0; p < of.length; ++p) {
        float *row = to + (std::size_t(p) * batch + b) * channels;
        row[tokens[p]] = 1;
        if (positions) row[of.channels + p] = 1;
    }
}

void encode_sequences(const dataset &from, const encoding &how, const std::vector<int> &order,
    int begin, int count, float *to) {
    const int channels = how.channels(from.of);
    std::fill_n(to, std::size_t(from.of.length) * count * channels, 0.f);
    for (int b = 0; b < count; ++b)
        encode_sequence(from.of, from.object(object_at(from, order, begin + b)), how.positions,
            channels, b, count, to);
}

template <typename next_move>
void encode_images(const dataset &from, const encoding &how, next_move &&move,
    const std::vector<int> &order, int begin, int count, float *to) {
    const std::vector<byte_values> values = encoded_bytes(how);
    for (int b = 0; b < count; ++b)
        encode_image(from.of, from.object(object_at(from, order, begin + b)), values, move(),
            to + std::size_t(b) * from.of.row_values());
}

} // namespace

std::vector<int> shuffled_indices(int count, std::uint64_t seed) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    random_source random(seed);
    for (int i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    return order;
}

dataset select(const dataset &from, const std::vector<int> &order, int begin, int end) {
    dataset chosen {from.of, from.classes, from.labels_per_object, {}, {}};
    chosen.values.reserve(std::size_t(end - begin) * from.values_per_object());
    chosen.labels.reserve(std::size_t(end - begin) * from.labels_per_object);
    for (int i = begin; i < end; ++i) {
        const std::uint8_t *object = from.object(order[i]), *labels = from.labels_of(order[i]);
        chosen.values.insert(chosen.values.end(), object, object + from.values_per_object());
        chosen.labels.insert(chosen.labels.end(), labels, labels + from.labels_per_object);
    }
    return chosen;
}

data_split split(const dataset &all, int training_count, std::uint64_t seed, std::string origin) {
    const std::vector<int> order = shuffled_indices(all.count(), seed);
    return {select(all, order, 0, training_count), select(all, order, training_count, all.count()),
        std::move(origin), {}};
}

int encoding::channels(const object_shape &of) const {
    return of.channels + (of.sequence() && positions ? of.length : 0);
}

encoding measure_encoding(const dataset &images) {
    encoding measured;
    if (images.of.sequence()) return measured;
    const int channels = images.of.channels;
    std::vector<double> sums(channels), sums_of_squares(channels);
    for (std::size_t i = 0; i < images.values.size(); ++i) {
        const double pixel = images.values[i] / 255.0;
        sums[i % channels] += pixel;
        sums_of_squares[i % channels] += pixel * pixel;
    }
    const double count = std::max<double>(1, double(images.values.size()) / channels);
    for (int c = 0; c < channels; ++c) {
        const double mean = sums[c] / count;
        const double variance = sums_of_squares[c] / count - mean * mean;
        measured.mean.push_back(static_cast<float>(mean));
        measured.deviation.push_back(static_cast<float>(std::sqrt(std::max(variance, 1e-6))));
    }
    return measured;
}

void encode_batch(const dataset &from, const encoding &how, const std::vector<int> &order,
    int begin, int count, float *to) {
    if (from.of.sequence())
        encode_sequences(from, how, order, begin, count, to);
    else
        encode_images(
            from, how, [] { return image_move {}; }, order, begin, count, to);
}

void encode_moved_batch(const dataset &from, const encoding &how, const augmentation &moves,
    std::uint64_t seed, const std::vector<int> &order, int begin, int count, float *to) {
    random_source random(seed);
    if (from.of.sequence())
        encode_sequences(from, how, order, begin, count, to); // nothing moves in a sequence
    else
        encode_images(
            from, how, [&] { return random_move(moves, random); }, order, begin, count, to);
}

std::vector<std::uint8_t> labels_of_batch(
    const dataset &from, const std::vector<int> &order, int begin, int count) {
    std::vector<std::uint8_t> labels(std::size_t(count) * from.labels_per_object);
    for (int b = 0; b < count; ++b) {
        const std::uint8_t *own = from.labels_of(object_at(from, order, begin + b));
        for (int p = 0; p < from.labels_per_object; ++p)
            labels[std::size_t(p) * count + b] = own[p];
    }
    return labels;
}

} // namespace int8_accuracy
