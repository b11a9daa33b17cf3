// SPDX-License-Identifier: Apache-2.0
// Collects the files of each class in the order of their names, then reads them one by one.
#include "image_folder.hpp"

#include "files.hpp"
#include "png.hpp"
#include "ppm.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path &file) {
    std::string extension = file.extension().string();
    for (char &c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

/// What a folder holds and `wanted` says yes to, sorted by name.
template <typename predicate>
std::vector<fs::path> sorted_entries(const fs::path &folder, predicate &&wanted) {
    std::error_code error;
    std::vector<fs::path> found;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
        if (wanted(*entry)) found.push_back(entry->path());
    if (error) fail(folder, "cannot read: " + error.message());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<fs::path> class_folders(const fs::path &folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) fail(folder, "no such folder");
    std::vector<fs::path> found = sorted_entries(folder, [&](const fs::directory_entry &entry) {
        return entry.is_directory(ignored) && !entry.path().filename().string().starts_with('.');
    });
    if (found.size() < 2 || found.size() > 256)
        fail(folder, fmt::format("has {} folder{}, expected one for each of 2 to 256 classes",
                         found.size(), found.size() == 1 ? "" : "s"));
    return found;
}

std::vector<fs::path> image_files(const fs::path &folder) {
    std::vector<fs::path> found = sorted_entries(folder, [](const fs::directory_entry &entry) {
        const std::string extension = lower_extension(entry.path());
        std::error_code ignored;
        return (extension == ".png" || extension == ".ppm" || extension == ".pgm") &&
               !entry.is_directory(ignored);
    });
    if (found.empty()) fail(folder, "has no .png, .ppm or .pgm file");
    return found;
}

/// Adds images of one size to a data set that turns to colour with the first colour image.
class collector {
  public:
    void add(const fs::path &file, int label) {
        const image read = lower_extension(file) == ".png" ? read_png(file) : read_ppm(file);
        object_shape &of = all_.of;
        if (all_.labels.empty()) of = {read.channels, read.height, read.width};
        if (read.width != of.width || read.height != of.height)
            fail(file, fmt::format("is {}x{}, the images before it are {}x{}", read.width,
                           read.height, of.width, of.height));
        if (read.channels > of.channels) {
            all_.values = colored(all_.values);
            of.channels = read.channels;
        }
        const auto &pixels = read.channels < of.channels ? colored(read.pixels) : read.pixels;
        all_.values.insert(all_.values.end(), pixels.begin(), pixels.end());
        all_.labels.push_back(std::uint8_t(label));
    }

    dataset finish(int classes) {
        all_.classes = classes;
        return std::move(all_);
    }

  private:
    static std::vector<std::uint8_t> colored(const std::vector<std::uint8_t> &grey) {
        std::vector<std::uint8_t> rgb;
        rgb.reserve(3 * grey.size());
        for (std::uint8_t value : grey) rgb.insert(rgb.end(), 3, value);
        return rgb;
    }

    dataset all_;
};

} // namespace

data_split read_image_folder(const fs::path &folder, std::uint64_t seed) {
    const std::vector<fs::path> classes = class_folders(folder);
    collector images;
    std::vector<std::string> names;
    for (const fs::path &of_class : classes) {
        for (const fs::path &file : image_files(of_class)) images.add(file, int(names.size()));
        names.push_back(of_class.filename().string());
    }
    const dataset all = images.finish(int(classes.size()));
    constexpr int fewest = 10;
    if (all.count() < fewest)
        fail(folder, fmt::format("has {} images, at least {} are needed to train and hold out",
                         all.count(), fewest));
    data_split result =
        split(all, all.count() - all.count() / 5, seed, fmt::format("images, {}", folder.string()));
    result.class_names = std::move(names);
    return result;
}

} // namespace int8_accuracy
