// SPDX-License-Identifier: Apache-2.0
// Reads IDX files through zlib, which also passes files that are not compressed.
#include "idx.hpp"

#include "files.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

namespace fs = std::filesystem;

constexpr int class_count = 10, image_side = 28, image_pixels = image_side * image_side;

class idx_file {
  public:
    explicit idx_file(fs::path path) : path_(std::move(path)) {
        if (fs::is_directory(path_)) fail(path_, "is a folder, not an IDX file");
        errno = 0;
        file_.reset(gzopen(path_.c_str(), "rb"));
        if (!file_) fail(path_, fmt::format("cannot open: {}", std::strerror(errno)));
    }

    /// The next big-endian number of the header.
    std::uint32_t header_word() {
        unsigned char bytes[4];
        if (read_some(bytes, 4) != 4) fail(path_, "truncated: it ends inside its header");
        return std::uint32_t(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    }

    void expect_magic(std::uint32_t expected) {
        const std::uint32_t magic = header_word();
        if (magic != expected)
            fail(path_,
                fmt::format("wrong magic number 0x{:08x}, expected 0x{:08x}", magic, expected));
    }

    /// The rest of the file, which must be exactly `count` bytes. Memory grows with what is really
    /// there, so that a damaged count cannot ask for more than the file holds.
    std::vector<std::uint8_t> body(std::uint64_t count) {
        std::vector<std::uint8_t> bytes;
        constexpr std::uint64_t chunk = 1 << 20;
        while (bytes.size() < count) {
            const std::size_t have = bytes.size();
            const auto want = static_cast<unsigned>(std::min(chunk, count - have));
            bytes.resize(have + want);
            const unsigned got = read_some(bytes.data() + have, want);
            if (got != want)
                fail(path_,
                    fmt::format("truncated: its header promises {} bytes of data, {} are there",
                        count, have + got));
        }
        unsigned char extra;
        if (read_some(&extra, 1) != 0) fail(path_, "damaged: it is longer than its header says");
        return bytes;
    }

    const fs::path &path() const { return path_; }

  private:
    struct closer {
        void operator()(gzFile file) const { gzclose(file); }
    };

    /// Reads up to `count` bytes; fewer only at the end of the file, also at an early one.
    unsigned read_some(void *bytes, unsigned count) {
        const int got = gzread(file_.get(), bytes, count);
        int code = Z_OK;
        const std::string reason = gzerror(file_.get(), &code);
        if (got < 0 && code != Z_BUF_ERROR) fail(path_, "damaged: " + reason_only(reason));
        return got < 0 ? 0 : static_cast<unsigned>(got);
    }

    /// zlib puts the path before its reason.
    std::string reason_only(const std::string &message) const {
        const std::string prefix = path_.string() + ": ";
        return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
    }

    fs::path path_;
    std::unique_ptr<gzFile_s, closer> file_;
};

/// The file in `folder` under one of its usual names, if there is one.
std::optional<fs::path> find(const fs::path &folder, const std::string &set, const char *kind) {
    for (const char *separator : {"-", "."})
        for (const char *suffix : {"", ".gz"}) {
            fs::path file = folder / (set + kind + separator + (kind[1] == 'i' ? "idx3" : "idx1") +
                                         "-ubyte" + suffix);
            if (fs::exists(file)) return file;
        }
    return std::nullopt;
}

dataset read_set(const fs::path &folder, const std::string &set) {
    const auto images = find(folder, set, "-images"), labels = find(folder, set, "-labels");
    if (!images) fail(folder / (set + "-images-idx3-ubyte[.gz]"), "no such file");
    if (!labels) fail(folder / (set + "-labels-idx1-ubyte[.gz]"), "no such file");
    return read_idx(*images, *labels);
}

} // namespace

dataset read_idx(const fs::path &images, const fs::path &labels) {
    idx_file image_file(images), label_file(labels);
    image_file.expect_magic(0x00000803);
    label_file.expect_magic(0x00000801);
    const std::uint32_t count = image_file.header_word();
    const std::uint32_t rows = image_file.header_word(), columns = image_file.header_word();
    if (rows != image_side || columns != image_side)
        fail(images, fmt::format("its images are {}x{}, expected 28x28", rows, columns));
    if (count == 0) fail(images, "holds no image");
    const std::uint32_t label_count = label_file.header_word();
    if (label_count != count)
        fail(labels, fmt::format("holds {} labels for {} images", label_count, count));
    dataset all {{1, image_side, image_side}, class_count, 1, {}, {}};
    all.values = image_file.body(std::uint64_t(count) * image_pixels);
    all.labels = label_file.body(count);
    const auto wrong = std::find_if(all.labels.begin(), all.labels.end(),
        [](std::uint8_t label) { return label >= class_count; });
    if (wrong != all.labels.end())
        fail(labels,
            fmt::format("damaged: label {} at place {}", *wrong, wrong - all.labels.begin()));
    return all;
}

data_split read_idx_folder(const fs::path &folder, std::uint64_t seed) {
    if (!fs::is_directory(folder)) fail(folder, "no such folder");
    const bool has_train = find(folder, "train", "-images").has_value();
    const bool has_t10k = find(folder, "t10k", "-images").has_value();
    const std::string origin = "IDX files, " + folder.string();
    if (has_train && has_t10k)
        return {read_set(folder, "train"), read_set(folder, "t10k"), origin, {}};
    const dataset all = read_set(folder, has_train ? "train" : "t10k");
    if (all.count() < 1000) fail(folder, "fewer than 1,000 images: too few to train and hold out");
    return split(all, all.count() / 5 * 4, seed, origin);
}

} // namespace int8_accuracy
