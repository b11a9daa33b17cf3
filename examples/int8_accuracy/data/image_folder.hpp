// SPDX-License-Identifier: Apache-2.0
// Reads labelled images from a folder that has a folder for each class.
#pragma once

#include "dataset.hpp"

#include <filesystem>

namespace int8_accuracy {

/// The folders in `folder`, sorted by name, are the classes, 2 to 256 of them; their files that end
/// in .png, .ppm or .pgm are the images, all of one size, at most 256 x 256 pixels. The data set is
/// grey if all files are; otherwise grey files become colour images. Shuffled with `seed`; a fifth
/// is held out. Other files, hidden folders and folders within those of the classes are not looked
/// at. Throws std::runtime_error with one line that names the folder or the file in question.
data_split read_image_folder(const std::filesystem::path &folder, std::uint64_t seed);

} // namespace int8_accuracy
