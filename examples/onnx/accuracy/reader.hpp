// SPDX-License-Identifier: Apache-2.0
// Readers of text lines: networks that give a probability of each character at each place.
#pragma once

#include "../network.hpp"
#include "picture.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace accuracy {

/// The characters of a network's classes: class 0 is no character, then the lines of a file, then
/// the space.
class alphabet {
  public:
    explicit alphabet(const std::filesystem::path &file);
    explicit alphabet(std::vector<std::string> characters);

    /// The most probable class of each place; equal neighbours are one character.
    /// `probabilities` has places x classes elements.
    std::string decode(const float *probabilities, std::int64_t places, std::int64_t classes) const;

  private:
    std::vector<std::string> characters_;
};

/// Lines of one width as the network takes them: [lines, 3, 48, width], (v / 255 - 0.5) / 0.5;
/// what a line does not fill is 0.
struct line_batch {
    std::vector<std::size_t> lines; // their numbers
    dnnl_onnx::tensor pixels;
};

/// Scales pictures to a height of 48 and puts those together whose widths, rounded up to a multiple
/// of 32, are equal: at most `most` in a batch.
std::vector<line_batch> batches_of(const std::vector<picture> &lines, std::size_t most);

/// The text of each line.
std::vector<std::string> read_lines(dnnl_onnx::network &by, const alphabet &letters,
    const std::vector<line_batch> &batches, std::size_t line_count);

} // namespace accuracy
