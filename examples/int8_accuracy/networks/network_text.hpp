// SPDX-License-Identifier: Apache-2.0
// Reads networks from a short text, one layer a line.
#pragma once

#include "network.hpp"

#include <filesystem>

namespace int8_accuracy {

/// A line has the kind of a layer, its numbers, and what it reads; `#` begins a comment.
///
///     input 3 32 32          channels, height and width of images
///     input tokens 65 length 64
///                            sequences; `positions` after it adds channels of positions
///     convolution 16 kernel 3 [stride 2] [padding 1] [groups 16]
///                            padding: kernel / 2 unless it is given
///     dense 20
///     lstm 256
///     normalization          of a convolution or dense layer that nothing else reads
///     layer_normalization    also: relu, gelu, average
///     maximum 2              window and stride
///     add NAME               the layer before plus the named one
///     attention Q K V heads 4
///
/// `from NAME` makes a layer read another one than the one before it, `as NAME` gives it a name;
/// without one its name is its kind and a number. Throws std::runtime_error with one line,
/// `SOURCE:LINE: ...`, for what is not understood or does not fit.
network parse_network(const std::string &text, const std::string &source);
network read_network(const std::filesystem::path &path);

/// The text again: parse_network(text_of(n)) has equal layers.
std::string text_of(const network &net);

} // namespace int8_accuracy
