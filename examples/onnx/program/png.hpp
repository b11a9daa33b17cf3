// SPDX-License-Identifier: Apache-2.0
// Pictures as inputs of networks.
#pragma once

#include "../model/model.hpp"

#include <filesystem>
#include <vector>

namespace dnnl_onnx {

/// Pixels become (v / 255 - mean) / deviation: one of each for all colours, or one per colour.
struct pixel_scaling {
    std::vector<double> mean {0}, deviation {1};
};

/// A PNG file as the input wants it: colours before rows and columns, or behind them where the
/// model declares 1 or 3 for the last extent; one colour where it declares 1, otherwise three.
/// f32, or u8 without scaling. Throws `error` where the file is no picture, or the library was
/// built without libpng.
tensor read_png(
    const std::filesystem::path &file, const value_info &wanted, const pixel_scaling &scaling);

} // namespace dnnl_onnx
