// SPDX-License-Identifier: Apache-2.0
// Chooses grids for the sources of products.
#include "sources.hpp"

#include "fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace int8_accuracy {

using type = dnnl::memory::data_type;

bool simulated(const layer_format &format) {
    switch (format.kind) {
    case number_kind::f32:
    case number_kind::bf16:
    case number_kind::f16: return false;
    case number_kind::integer:
        return format.source_bits != 8 || format.weight_bits != 8 ||
               format.groups == weight_groups::group;
    default: return true;
    }
}

bool simulated(const layer &of, const layer_format &format) {
    if (of.kind == layer_kind::lstm && format.kind == number_kind::integer && format.dynamic)
        return true;
    return simulated(format);
}

namespace {

number_grid float_grid(number_kind kind) {
    switch (kind) {
    case number_kind::bf16: return {kind, type::bf16, 16};
    case number_kind::f16: return {kind, type::f16, 16};
    case number_kind::f8_e5m2: return {kind, type::f8_e5m2, 8};
    case number_kind::f8_e4m3:
    case number_kind::mx_f8: return {kind, type::f8_e4m3, 8};
    case number_kind::mx_f4: return {kind, type::f4_e2m1, 4};
    default: return {};
    }
}

const histogram &values_of_source(const calibration_data &measured, int source) {
    if (std::size_t(source) >= measured.values.size() ||
        measured.values[std::size_t(source)].counts.empty())
        throw std::invalid_argument("the source of a product has not been calibrated");
    return measured.values[std::size_t(source)];
}

float largest_of_source(const calibration_data &measured, int source) {
    values_of_source(measured, source);
    return measured.extremes[std::size_t(source)].largest();
}

number_grid fixed_point_grid(int bits, const histogram &values) {
    const integer_limits limits = limits_of(activation_grid::symmetric, bits);
    number_grid grid {number_kind::fixed_point, bits > 8 ? type::s32 : type::s8, double(bits)};
    grid.grid = activation_grid::symmetric;
    grid.scale = std::ldexp(1.f, -best_fraction_bits(values, bits));
    grid.lowest = float(limits.lowest);
    grid.highest = float(limits.highest);
    return grid;
}

number_grid integer_grid(const layer_format &format, const quantizer &q) {
    const integer_limits limits = limits_of(format.grid, format.source_bits);
    number_grid grid {number_kind::integer, q.type, double(format.source_bits)};
    grid.dynamic = format.dynamic;
    grid.grid = format.grid;
    grid.scale = q.scale;
    grid.zero_point = q.zero_point;
    grid.lowest = float(limits.lowest);
    grid.highest = float(limits.highest);
    return grid;
}

number_grid lstm_grid(const layer_format &format, value_range range) {
    range = {std::min(range.low, -1.f), std::max(range.high, 1.f)};
    number_grid grid = integer_grid(format, quantizer_for(range, format.grid));
    if (format.grid == activation_grid::symmetric) {
        grid.stored = type::u8;
        grid.zero_point = 128;
        grid.lowest = 0;
        grid.highest = 255;
    }
    return grid;
}

number_grid static_integer_grid(
    const layer &of, const layer_format &format, const histogram &values) {
    const int bits = format.source_bits;
    const value_range range = chosen_range(values, format.rule, format.grid, bits);
    if (of.kind == layer_kind::lstm && !simulated(format)) return lstm_grid(format, range);
    return integer_grid(format, quantizer_for(range, format.grid, bits));
}

} // namespace

number_grid f8_grid(number_kind kind, float largest) {
    number_grid grid = float_grid(kind);
    grid.highest = kind == number_kind::f8_e5m2 ? 57344.f : 448.f;
    grid.lowest = -grid.highest;
    if (largest > 0) grid.scale = std::exp2(std::ceil(std::log2(largest / grid.highest)));
    return grid;
}

number_grid source_grid(
    const network &net, int product, const layer_format &format, const calibration_data &measured) {
    const layer &of = net.layers[std::size_t(product)];
    const int source = of.from.front();
    const bool limited =
        format.kind == number_kind::integer || format.kind == number_kind::fixed_point;
    if (limited && (format.source_bits < 2 || format.source_bits > 16))
        throw std::invalid_argument("sources have 2 to 16 bits");
    number_grid grid = float_grid(format.kind);
    if (format.kind == number_kind::f8_e4m3 || format.kind == number_kind::f8_e5m2)
        grid = f8_grid(format.kind, largest_of_source(measured, source));
    if (format.kind == number_kind::fixed_point)
        grid = fixed_point_grid(format.source_bits, values_of_source(measured, source));
    if (format.kind == number_kind::integer)
        grid = format.dynamic
                   ? integer_grid(format, quantizer_for({0, 0}, format.grid, format.source_bits))
                   : static_integer_grid(of, format, values_of_source(measured, source));
    grid.simulated = simulated(of, format);
    return grid;
}

} // namespace int8_accuracy
