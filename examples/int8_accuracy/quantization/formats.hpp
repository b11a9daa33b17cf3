// SPDX-License-Identifier: Apache-2.0
// How the numbers of a layer are stored: the choices that the program compares.
#pragma once

#include "../../calibration/quantization.hpp"
#include "../networks/network.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

using namespace calibration; // range_rule, activation_grid, quantizer, histogram, value_range

enum class number_kind {
    f32,
    bf16,
    f16,
    f8_e4m3,
    f8_e5m2,
    mx_f8,       // f8_e4m3 with a power of two shared by 32 neighbours (OCP microscaling formats)
    mx_f4,       // the same with f4_e2m1
    integer,     // scale * (stored integer - zero point)
    fixed_point, // stored integer * 2^-fraction, one fraction per tensor: dynamic fixed point
};

/// How many weights share a scale: all, those of an output channel, or 32 neighbours within one.
enum class weight_groups { tensor, channel, group };

enum class weight_rounding {
    nearest,
    tuned, // chosen so that the layer's results on calibration data change least
};

/// The numbers that one layer reads, and its weights. Everything below `kind` is for integers
/// alone, the bits for fixed point, too; sums, biases and the last layer's results are f32 or s32.
struct layer_format {
    number_kind kind = number_kind::f32;
    int source_bits = 8, weight_bits = 8; // 2 ... 16
    weight_groups groups = weight_groups::channel;
    activation_grid grid = activation_grid::asymmetric;
    range_rule rule = range_rule::least_squares;
    bool dynamic = false; // ranges of the source are measured in each run
    weight_rounding rounding = weight_rounding::nearest;

    bool operator==(const layer_format &) const = default;
};

/// A format for each of network::products(), in their order.
using assignment = std::vector<layer_format>;

/// A way to run all of a network, by the name of tables.
struct method {
    std::string name;
    layer_format format;
    bool migrated = false; // scales are moved from activations to weights first
};

} // namespace int8_accuracy
