// SPDX-License-Identifier: Apache-2.0
// The numbers that a product reads: their grid, from its format and from calibration.
#pragma once

#include "calibration.hpp"

namespace int8_accuracy {

/// Whether the library has no primitives for the format, so that numbers are rounded to it and the
/// f32 primitive runs.
bool simulated(const layer_format &format);

/// The same for a layer: integers of lstm also need ranges that are known beforehand.
bool simulated(const layer &of, const layer_format &format);

/// A grid of numbers: scale * (stored number - zero point), where the stored number is an integer
/// from `lowest` to `highest`, or has a short floating-point type.
struct number_grid {
    number_kind kind = number_kind::f32;
    dnnl::memory::data_type stored = dnnl::memory::data_type::f32; // the type that holds them
    double bits = 32;                                              // that each one takes
    bool simulated = false, dynamic = false;                       // dynamic: scale and zero point
    activation_grid grid = activation_grid::asymmetric;            // are measured in each run
    float scale = 1;
    std::int32_t zero_point = 0;
    float lowest = 0, highest = 0; // of stored numbers, if they are limited

    bool operator==(const number_grid &) const = default;
};

/// The grid of f8 numbers up to `largest`: they are divided by the smallest power of two that
/// brings this one into the type's range.
number_grid f8_grid(number_kind kind, float largest);

/// The grid of the source of layer `product`. `measured` is read by formats with static ranges.
/// Throws std::invalid_argument if it has no values for the source, or for bits not in 2 ... 16.
///
/// The integers of lstm also hold its own results, which are between -1 and 1, so its range has
/// these; they are u8 in any case, with zero point 128 if the grid is symmetric.
number_grid source_grid(
    const network &net, int product, const layer_format &format, const calibration_data &measured);

} // namespace int8_accuracy
