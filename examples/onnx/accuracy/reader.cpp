// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include "../model/error.hpp"
#include "variants.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

namespace accuracy {

using dnnl_onnx::tensor;

namespace {

constexpr int reader_height = 48;

std::vector<std::string> lines_of(const std::filesystem::path &file) {
    std::ifstream stream(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    if (lines.empty()) throw dnnl_onnx::error("there are no characters in " + file.string());
    return lines;
}

} // namespace

alphabet::alphabet(const std::filesystem::path &file) : alphabet(lines_of(file)) {}

alphabet::alphabet(std::vector<std::string> characters) : characters_(std::move(characters)) {
    characters_.insert(characters_.begin(), "");
    characters_.push_back(" ");
}

std::string alphabet::decode(
    const float *probabilities, std::int64_t places, std::int64_t classes) const {
    if (classes > std::int64_t(characters_.size()))
        throw dnnl_onnx::error("the network has " + std::to_string(classes) +
                               " classes, there are " + std::to_string(characters_.size()) +
                               " characters");
    std::string text;
    std::int64_t before = 0;
    for (std::int64_t place = 0; place < places; ++place) {
        const float *p = probabilities + place * classes;
        const std::int64_t best = std::max_element(p, p + classes) - p;
        if (best != before) text += characters_[std::size_t(best)];
        before = best;
    }
    return text;
}

std::vector<line_batch> batches_of(const std::vector<picture> &lines, std::size_t most) {
    std::map<int, std::vector<std::size_t>> by_width;
    std::vector<picture> scaled;
    for (const picture &line : lines) {
        const int width = std::max(
            1, int(std::lround(double(reader_height) * line.width / std::max(1, line.height))));
        by_width[(width + 31) / 32 * 32].push_back(scaled.size());
        scaled.push_back(resized(line, width, reader_height));
    }
    std::vector<line_batch> made;
    for (const auto &[width, numbers] : by_width)
        for (std::size_t begin = 0; begin < numbers.size(); begin += most) {
            const std::size_t count = std::min(most, numbers.size() - begin);
            line_batch batch {{numbers.begin() + std::ptrdiff_t(begin),
                                  numbers.begin() + std::ptrdiff_t(begin + count)},
                tensor(dnnl_onnx::element_type::f32,
                    {std::int64_t(count), 3, reader_height, std::int64_t(width)})};
            float *to = batch.pixels.data<float>();
            for (std::size_t number : batch.lines)
                for (int plane = 0; plane < 3; ++plane)
                    for (int y = 0; y < reader_height; ++y, to += width)
                        for (int x = 0; x < scaled[number].width; ++x)
                            to[x] = (float(scaled[number].at(x, y)) / 255 - .5f) / .5f;
            made.push_back(std::move(batch));
        }
    return made;
}

std::vector<std::string> read_lines(dnnl_onnx::network &by, const alphabet &letters,
    const std::vector<line_batch> &batches, std::size_t line_count) {
    std::vector<std::string> texts(line_count);
    for (const line_batch &batch : batches) {
        const tensor found = by.run({{by.inputs().at(0).name, batch.pixels}}).at(0);
        const dnnl_onnx::extents &dims = found.dims(); // lines, places, classes
        if (dims.size() != 3 || dims[0] != std::int64_t(batch.lines.size()))
            throw dnnl_onnx::error(
                "the network gives " + text_of(found.type()) + ", not places of classes");
        const float *probabilities = floats_of(found, found.count());
        for (std::size_t i = 0; i < batch.lines.size(); ++i)
            texts[batch.lines[i]] = letters.decode(
                probabilities + std::int64_t(i) * dims[1] * dims[2], dims[1], dims[2]);
    }
    return texts;
}

} // namespace accuracy
