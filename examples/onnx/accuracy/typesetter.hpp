// SPDX-License-Identifier: Apache-2.0
// Draws lines of text with the fonts of the machine, by FreeType.
#pragma once

#include "picture.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace accuracy {

class typesetter {
  public:
    /// Takes the .ttf files below `folder` that have Latin letters, in the order of their paths.
    /// Throws std::runtime_error where there is none.
    explicit typesetter(const std::filesystem::path &folder);
    ~typesetter();

    std::size_t font_count() const;
    std::string font_name(std::size_t font) const; // "DejaVu Serif Bold"

    /// A line of ASCII text, `size` pixels high from line to line, with a margin around it.
    picture line(const std::string &text, std::size_t font, int size, std::uint8_t ink,
        std::uint8_t paper) const;

  private:
    struct fonts;
    std::unique_ptr<fonts> fonts_;
};

} // namespace accuracy
