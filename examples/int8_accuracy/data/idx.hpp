// SPDX-License-Identifier: Apache-2.0
// Reads digit images from MNIST-style IDX files, gzip'ed or not.
#pragma once

#include "dataset.hpp"

#include <filesystem>
#include <string>

namespace int8_accuracy {

/// IDX: big-endian header (u32 magic 0x00000803, count, rows, columns for images; 0x00000801, count
/// for labels), then one byte per pixel or label. Throws std::runtime_error with one line, which
/// names the file, if a file is missing, damaged or truncated, or its header is not the expected
/// one.
dataset read_idx(const std::filesystem::path &images, const std::filesystem::path &labels);

/// The digits of a folder. With `train-images-idx3-ubyte` and `t10k-images-idx3-ubyte` (and their
/// `-labels-idx1-ubyte`, each with or without `.gz`) these are the training and the held-out
/// images; a folder that has only one of the two is shuffled with `seed`, and a fifth of it is held
/// out.
data_split read_idx_folder(const std::filesystem::path &folder, std::uint64_t seed);

} // namespace int8_accuracy
