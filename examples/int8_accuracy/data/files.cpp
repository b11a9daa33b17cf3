// SPDX-License-Identifier: Apache-2.0
// Reads files through standard streams; names the system's reason where there is one.
#include "files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {

void fail(const std::filesystem::path &file, const std::string &reason) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), reason));
}

std::vector<std::uint8_t> read_bytes(const std::filesystem::path &file, std::uint64_t most) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) fail(file, "is a folder, not a file");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) fail(file, fmt::format("cannot open: {}", std::strerror(errno)));
    std::vector<std::uint8_t> bytes;
    constexpr std::size_t chunk = 1 << 16;
    // The size is not asked for: pipes and devices have none.
    while (stream) {
        const std::size_t have = bytes.size();
        bytes.resize(have + chunk);
        stream.read(reinterpret_cast<char *>(bytes.data() + have), chunk);
        bytes.resize(have + std::size_t(stream.gcount()));
        if (bytes.size() > most) fail(file, fmt::format("is larger than {} bytes", most));
    }
    if (!stream.eof()) fail(file, fmt::format("cannot read: {}", std::strerror(errno)));
    return bytes;
}

} // namespace int8_accuracy
