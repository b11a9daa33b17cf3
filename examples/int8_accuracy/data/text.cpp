// SPDX-License-Identifier: Apache-2.0
// Text -> vocabulary -> tokens -> sequences; the last tenth is held out.
#include "text.hpp"

#include "files.hpp"
#include "text_grammar.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

/// The distinct bytes of a text, sorted, and the token of each byte.
struct vocabulary {
    std::vector<std::uint8_t> bytes;
    std::array<std::uint8_t, 256> tokens {};
};

vocabulary vocabulary_of(std::string_view text) {
    std::array<bool, 256> present {};
    for (char c : text) present[static_cast<unsigned char>(c)] = true;
    vocabulary found;
    for (int byte = 0; byte < 256; ++byte)
        if (present[byte]) {
            found.tokens[byte] = std::uint8_t(found.bytes.size());
            found.bytes.push_back(std::uint8_t(byte));
        }
    return found;
}

/// The character, or an escape sequence in ASCII if it is not printable or part of a longer one.
std::string character_name(std::uint8_t byte) {
    switch (byte) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default:
        return byte < 0x20 || byte > 0x7e ? fmt::format("\\x{:02x}", byte)
                                          : std::string(1, char(byte));
    }
}

/// Sequences `begin` ... `end - 1` of the text; sequence i starts at character i x length.
dataset sequences(
    std::string_view text, const vocabulary &of, int length, std::size_t begin, std::size_t end) {
    const int count = int(of.bytes.size());
    dataset cut {{count, 1, 1, length}, count, length, {}, {}};
    for (std::size_t i = begin * length; i < end * length; ++i) {
        cut.values.push_back(of.tokens[static_cast<unsigned char>(text[i])]);
        cut.labels.push_back(of.tokens[static_cast<unsigned char>(text[i + 1])]);
    }
    return cut;
}

data_split cut_text(
    std::string_view text, int length, std::uint64_t seed, const std::string &name) {
    const vocabulary of = vocabulary_of(text);
    const std::size_t count = text.empty() ? 0 : (text.size() - 1) / length;
    constexpr std::size_t fewest = 20;
    if (count < fewest)
        fail(name, fmt::format("{} characters are too few: {} sequences of {} need {}", text.size(),
                       fewest, length, fewest * length + 1));
    if (of.bytes.size() < 2) fail(name, "all its characters are equal");
    if (of.bytes.size() > 255) fail(name, "has all 256 different bytes, so it is not a text");
    data_split result;
    const std::size_t border = count - count / 10;
    const dataset before = sequences(text, of, length, 0, border);
    result.training = select(before, shuffled_indices(int(border), seed), 0, int(border));
    result.held_out = sequences(text, of, length, border, count);
    for (std::uint8_t byte : of.bytes) result.class_names.push_back(character_name(byte));
    return result;
}

} // namespace

data_split read_text(const std::filesystem::path &file, int length, std::uint64_t seed) {
    const std::vector<std::uint8_t> bytes = read_bytes(file, 256 << 20);
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    data_split result = cut_text(text, length, seed, file.string());
    result.origin = fmt::format("text, {}", file.string());
    return result;
}

data_split drawn_text(int characters, int length, std::uint64_t seed) {
    const grammar_text drawn = draw_text(characters, seed);
    data_split result = cut_text(drawn.characters, length, seed, "drawn text");
    result.origin = fmt::format("drawn text, seed {}, at most {:.2f} bits per character", seed,
        drawn.bits / double(drawn.characters.size()));
    return result;
}

} // namespace int8_accuracy
