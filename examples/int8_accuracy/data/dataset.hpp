// SPDX-License-Identifier: Apache-2.0
// Labelled images and sequences, and their division into training and held-out ones.
#pragma once

#include "../networks/network.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace int8_accuracy {

/// Objects with labels. An image is height x width x channels bytes; a sequence is `length` tokens,
/// each below `channels`, with a label for each position or one for all.
struct dataset {
    object_shape of;
    int classes = 0;
    int labels_per_object = 1;
    std::vector<std::uint8_t> values, labels;

    int values_per_object() const { return of.sequence() ? of.length : of.row_values(); }
    int count() const { return int(labels.size()) / labels_per_object; }
    const std::uint8_t *object(int i) const {
        return values.data() + std::size_t(i) * values_per_object();
    }
    const std::uint8_t *labels_of(int i) const {
        return labels.data() + std::size_t(i) * labels_per_object;
    }
};

struct data_split {
    dataset training, held_out;
    std::string origin;                   // where the data come from, for the report
    std::vector<std::string> class_names; // empty: numbers
};

/// A random order of 0 ... count-1; equal seeds give equal orders.
std::vector<int> shuffled_indices(int count, std::uint64_t seed);

/// The objects `order[begin]` ... `order[end - 1]`.
dataset select(const dataset &from, const std::vector<int> &order, int begin, int end);

/// Shuffles, then puts the first `training_count` objects into one part and all others into the
/// other.
data_split split(const dataset &all, int training_count, std::uint64_t seed, std::string origin);

/// How bytes become the numbers that a network reads: (pixel / 255 - mean) / deviation for each
/// channel of an image; a one for the token, and one for the position if asked for, in a sequence.
struct encoding {
    std::vector<float> mean, deviation; // of images
    bool positions = false;             // of sequences

    /// The channels of a row: of the images, tokens, or tokens + length.
    int channels(const object_shape &of) const;
};

/// Mean and deviation of each channel of the training images; no positions.
encoding measure_encoding(const dataset &images);

/// Moves of an image before it is read: each is chosen at random for each image.
struct augmentation {
    int largest_shift = 0; // pixels, in both directions; the border is repeated
    bool mirror = false;   // left and right
};

/// Objects `order[begin + i]`, i below `count`, as dims_of() says; beyond the end of `order` the
/// last one repeats. Without `order`, object begin + i.
void encode_batch(const dataset &from, const encoding &how, const std::vector<int> &order,
    int begin, int count, float *to);

/// The same with random moves, drawn from the generator whose state is `seed`.
void encode_moved_batch(const dataset &from, const encoding &how, const augmentation &moves,
    std::uint64_t seed, const std::vector<int> &order, int begin, int count, float *to);

/// The labels of the same objects in the order of the rows of the network's result: of sequences
/// with a label per position, all objects of the first position first.
std::vector<std::uint8_t> labels_of_batch(
    const dataset &from, const std::vector<int> &order, int begin, int count);

} // namespace int8_accuracy
