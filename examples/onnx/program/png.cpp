// SPDX-License-Identifier: Apache-2.0
#include "png.hpp"

#include "../model/error.hpp"

#ifdef DNNL_ONNX_HAS_PNG
#include <png.h>
#endif

namespace dnnl_onnx {

namespace {

struct pixels {
    std::int64_t width = 0, height = 0;
    std::vector<std::uint8_t> values; // rows from the top, the colours of a pixel side by side
};

#ifdef DNNL_ONNX_HAS_PNG
pixels read_pixels(const std::filesystem::path &file, bool grey) {
    png_image image {};
    image.version = PNG_IMAGE_VERSION;
    const auto fail = [&] {
        const std::string why = image.message;
        png_image_free(&image);
        throw error(file.string() + ": " + why);
    };
    if (!png_image_begin_read_from_file(&image, file.c_str())) fail();
    image.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    pixels read {image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
    const png_color white {255, 255, 255}; // behind what is transparent
    if (!png_image_finish_read(&image, &white, read.values.data(), 0, nullptr)) fail();
    return read;
}
#else
pixels read_pixels(const std::filesystem::path &file, bool) {
    throw error(file.string() + ": built without libpng: apt-get install libpng-dev");
}
#endif

double of_colour(const std::vector<double> &values, std::int64_t colour) {
    return values[values.size() == 1 ? 0 : std::size_t(colour)];
}

} // namespace

tensor read_png(
    const std::filesystem::path &file, const value_info &wanted, const pixel_scaling &scaling) {
    const extents &declared = wanted.type.dims;
    const bool image = wanted.has_dims && (declared.size() == 4 || declared.size() == 3);
    const bool bytes = wanted.type.type == element_type::u8;
    if (!image || (wanted.type.type != element_type::f32 && !bytes))
        throw error("the input '" + wanted.name + "' is " + text_of(wanted.type) + ", no picture");
    const std::size_t batch = declared.size() - 3; // dimensions before those of the picture
    const auto is_colour = [](std::int64_t extent) { return extent == 1 || extent == 3; };
    const bool last = is_colour(declared.back()) && !is_colour(declared[batch]);
    const std::int64_t colours = (last ? declared.back() : declared[batch]) == 1 ? 1 : 3;
    for (const std::vector<double> *each : {&scaling.mean, &scaling.deviation})
        if (each->size() != 1 && std::int64_t(each->size()) != colours)
            throw error("the picture has " + std::to_string(colours) + " colours, there are " +
                        std::to_string(each->size()) + " means or deviations");
    for (double deviation : scaling.deviation)
        if (deviation == 0) throw error("a deviation of 0");
    const pixels read = read_pixels(file, colours == 1);
    const std::int64_t area = read.width * read.height;
    extents dims(batch, 1);
    const extents own = last ? extents {read.height, read.width, colours}
                             : extents {colours, read.height, read.width};
    dims.insert(dims.end(), own.begin(), own.end());
    tensor made(wanted.type.type, dims);
    for (std::int64_t pixel = 0; pixel < area; ++pixel)
        for (std::int64_t colour = 0; colour < colours; ++colour) {
            const std::uint8_t value = read.values[std::size_t(pixel * colours + colour)];
            const std::int64_t at = last ? pixel * colours + colour : colour * area + pixel;
            if (bytes)
                made.data<std::uint8_t>()[at] = value;
            else
                made.data<float>()[at] = float((value / 255. - of_colour(scaling.mean, colour)) /
                                               of_colour(scaling.deviation, colour));
        }
    return made;
}

} // namespace dnnl_onnx
