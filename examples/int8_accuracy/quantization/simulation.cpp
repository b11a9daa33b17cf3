// SPDX-License-Identifier: Apache-2.0
// Rounding by reorders to the narrow type and back.
#include "simulation.hpp"

#include "fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

namespace {

float *floats(const memory &of) { return static_cast<float *>(of.get_data_handle()); }
std::size_t count_of(const memory &of) { return of.get_desc().get_size() / sizeof(float); }

/// to = from rounded to the stored type and back; `from` and `to` may be the same memory.
void add_reorders(program &steps, type stored, const memory &from, const memory &to,
    const memory &scale, const memory &zero_point) {
    const dnnl::engine engine = from.get_engine();
    const memory narrow(plain_desc(from.get_desc().get_dims(), stored), engine);
    for (const bool back : {false, true}) {
        const int side = back ? DNNL_ARG_FROM : DNNL_ARG_TO;
        const memory &source = back ? narrow : from, &result = back ? to : narrow;
        program::arguments args {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, result}};
        dnnl::primitive_attr attr;
        if (scale) {
            attr.set_scales_mask(side, 0);
            args[DNNL_ARG_ATTR_SCALES | side] = scale;
        }
        if (zero_point) {
            attr.set_zero_points_mask(side, 0);
            args[DNNL_ARG_ATTR_ZERO_POINTS | side] = zero_point;
        }
        steps.add(
            dnnl::reorder({engine, source.get_desc(), engine, result.get_desc(), attr}), args);
    }
}

/// Numbers beyond the ends of the grid become its ends, so that what holds more bits than the grid
/// has (4-bit integers in s8) gets no number beyond them.
void clamp_to_grid(const number_grid &grid, const memory &from, const memory &to, float scale,
    std::int32_t zero_point) {
    const float low = (grid.lowest - float(zero_point)) * scale;
    const float high = (grid.highest - float(zero_point)) * scale;
    const float *x = floats(from);
    float *y = floats(to);
    for (std::size_t i = 0, n = count_of(from); i < n; ++i)
        y[i] = std::min(std::max(x[i], low), high);
}

/// Reorders work on one dimension, whatever the tensor's own are.
memory flat(const memory &of) {
    return memory(
        vector_desc(memory::dim(count_of(of)), type::f32), of.get_engine(), of.get_data_handle());
}

void add_scaled_rounding(
    program &steps, const number_grid &grid, const memory &from, const memory &to) {
    const memory scale = scalar_memory(from.get_engine(), grid.scale);
    const memory zero_point = grid.kind == number_kind::integer
                                  ? scalar_memory(from.get_engine(), grid.zero_point)
                                  : memory();
    steps.add([=] {
        if (grid.dynamic) measure_range(grid, from, scale, zero_point);
        clamp_to_grid(grid, from, to, *floats(scale),
            zero_point ? *static_cast<std::int32_t *>(zero_point.get_data_handle()) : 0);
    });
    add_reorders(steps, grid.stored, flat(to), flat(to), scale, zero_point);
}

/// Numbers that share a power of two: each block is divided by it so that its largest number lies
/// in the highest binade of the format.
struct shared_format {
    type stored;
    int exponent;  // of the highest binade
    float largest; // the end of the format
};

shared_format shared_format_of(number_kind kind) {
    return kind == number_kind::mx_f4 ? shared_format {type::f4_e2m1, 2, 6.f}
                                      : shared_format {type::f8_e4m3, 8, 448.f};
}

/// What lies beyond the end after the division becomes the end.
void divide_by_powers(const shared_format &format, const memory &from, const memory &to,
    const std::vector<int> &block, std::vector<float> &powers) {
    const std::size_t columns = block.size(), rows = count_of(from) / columns;
    const std::size_t blocks = powers.size() / rows;
    std::fill(powers.begin(), powers.end(), 0.f);
    for (std::size_t r = 0; r < rows; ++r) {
        const float *x = floats(from) + r * columns;
        float *y = floats(to) + r * columns, *power = powers.data() + r * blocks;
        for (std::size_t c = 0; c < columns; ++c) {
            float &largest = power[block[c]];
            largest = std::max(largest, std::fabs(x[c]));
        }
        for (std::size_t b = 0; b < blocks; ++b)
            power[b] = power[b] > 0
                           ? std::ldexp(1.f, std::max(std::ilogb(power[b]) - format.exponent, -126))
                           : 1;
        for (std::size_t c = 0; c < columns; ++c)
            y[c] = std::clamp(x[c] / power[block[c]], -format.largest, format.largest);
    }
}

void multiply_by_powers(
    const memory &to, const std::vector<int> &block, const std::vector<float> &powers) {
    const std::size_t columns = block.size(), rows = count_of(to) / columns;
    const std::size_t blocks = powers.size() / rows;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            floats(to)[r * columns + c] *= powers[r * blocks + std::size_t(block[c])];
}

void add_shared_rounding(program &steps, number_kind kind, const memory &from, const memory &to,
    const std::vector<int> &block) {
    const shared_format format = shared_format_of(kind);
    const std::size_t blocks = std::size_t(*std::max_element(block.begin(), block.end())) + 1;
    const auto powers =
        std::make_shared<std::vector<float>>(count_of(from) / block.size() * blocks);
    steps.add([=] { divide_by_powers(format, from, to, block, *powers); });
    add_reorders(steps, format.stored, flat(to), flat(to), memory(), memory());
    steps.add([=] { multiply_by_powers(to, block, *powers); });
}

} // namespace

void add_rounding(program &steps, const number_grid &grid, const memory &from, const memory &to,
    const std::vector<int> &block) {
    if (grid.kind == number_kind::mx_f8 || grid.kind == number_kind::mx_f4)
        add_shared_rounding(steps, grid.kind, from, to, block);
    else
        add_scaled_rounding(steps, grid, from, to);
}

void measure_range(
    const number_grid &grid, const memory &numbers, const memory &scale, const memory &zero_point) {
    const quantizer q =
        quantizer_for(extremes(floats(numbers), count_of(numbers)), grid.grid, int(grid.bits));
    *floats(scale) = q.scale;
    if (zero_point) *static_cast<std::int32_t *>(zero_point.get_data_handle()) = q.zero_point;
}

quantized_weights integer_weights(
    const weight_matrix &weights, const layer_format &format, const input_moments &moments) {
    const quantized_weights nearest = quantize(weights, format.groups, format.weight_bits);
    if (format.rounding == weight_rounding::nearest) return nearest;
    if (moments.empty())
        throw std::invalid_argument("tuned rounding needs inputs kept during calibration");
    return tuned(weights, nearest, moments);
}

std::vector<float> rounded_weights(const dnnl::engine &engine, const weight_matrix &weights,
    const layer_format &format, const input_moments &moments) {
    if (format.kind == number_kind::integer)
        return integer_weights(weights, format, moments).values();
    std::vector<float> values = weights.values;
    if (format.kind == number_kind::fixed_point) {
        round_to_fixed_point(values.data(), values.data(), values.size(), format.weight_bits,
            best_fraction_bits(values.data(), values.size(), format.weight_bits));
        return values;
    }
    const float largest = extremes(values.data(), values.size()).largest();
    const memory all =
        filled_memory(engine, vector_desc(memory::dim(values.size()), type::f32), values);
    program steps;
    add_rounding(steps, f8_grid(format.kind, largest), all, all, weights.block);
    dnnl::stream stream(engine);
    steps.run(stream);
    return values_of(all);
}

} // namespace int8_accuracy
