// SPDX-License-Identifier: Apache-2.0
// Rounds weights to their format and packs them.
#include "prepared_weights.hpp"

#include "../quantization/simulation.hpp"

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

namespace {

/// Rows of channel x position become rows of position x channel, as images are channels-last.
std::vector<float> channels_last(const std::vector<float> &from, int channels, int positions) {
    std::vector<float> to(from.size());
    const std::size_t row = std::size_t(channels) * positions;
    for (std::size_t begin = 0; begin < from.size(); begin += row)
        for (int c = 0; c < channels; ++c)
            for (int p = 0; p < positions; ++p)
                to[begin + std::size_t(p) * channels + c] =
                    from[begin + std::size_t(c) * positions + p];
    return to;
}

} // namespace

prepared_weights::prepared_weights(const dnnl::engine &engine, const product_parts &parts)
    : engine_(engine) {
    const layer_format &format = parts.format;
    const weight_matrix matrix = matrix_of(parts.of, parts.learned);
    std::vector<float> values = matrix.values;
    if (parts.grid.simulated) {
        values = rounded_weights(engine, matrix, format, parts.moments);
    } else if (format.kind == number_kind::integer) {
        const quantized_weights integers = integer_weights(matrix, format, parts.moments);
        values.assign(integers.integers.begin(), integers.integers.end());
        scales_ = integers.scales;
        stored_ = type::s8;
    } else {
        stored_ = parts.grid.stored;
    }
    bytes_ = bytes_of_weights(matrix, format) + 4 * double(parts.learned.bias.size());
    set_matrix(parts.of, values, numbers_);
    const int positions = parts.of.source.height * parts.of.source.width;
    if (parts.of.kind == layer_kind::dense && positions > 1)
        numbers_.weights = channels_last(numbers_.weights, parts.of.source.channels, positions);
}

memory prepared_weights::in_layout(const memory::desc &plain, const memory::desc &wanted) const {
    return reordered(numbers_.weights, plain, wanted);
}

memory prepared_weights::recurrent_in_layout(
    const memory::desc &plain, const memory::desc &wanted) const {
    return reordered(numbers_.recurrent, plain, wanted);
}

memory prepared_weights::reordered(
    const std::vector<float> &values, const memory::desc &plain, const memory::desc &wanted) const {
    memory from = filled_memory(engine_, plain, values);
    memory to(wanted, engine_);
    dnnl::stream stream(engine_);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    return to;
}

} // namespace int8_accuracy
