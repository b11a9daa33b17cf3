// SPDX-License-Identifier: Apache-2.0
#include "typesetter.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <ft2build.h>
#include FT_FREETYPE_H

namespace accuracy {

struct typesetter::fonts {
    FT_Library library = nullptr;
    std::vector<FT_Face> faces;

    ~fonts() {
        for (FT_Face face : faces) FT_Done_Face(face);
        if (library) FT_Done_FreeType(library);
    }

    void add(const std::filesystem::path &file) {
        FT_Face face;
        if (FT_New_Face(library, file.c_str(), 0, &face)) return;
        const std::string family = face->family_name ? face->family_name : "";
        const bool letters = FT_Get_Char_Index(face, 'a') && FT_Get_Char_Index(face, 'Z') &&
                             FT_Get_Char_Index(face, '7');
        if (letters && family.find("Math") == std::string::npos)
            faces.push_back(face);
        else
            FT_Done_Face(face);
    }
};

typesetter::typesetter(const std::filesystem::path &folder) : fonts_(std::make_unique<fonts>()) {
    if (FT_Init_FreeType(&fonts_->library)) throw std::runtime_error("FreeType does not start");
    std::vector<std::filesystem::path> files;
    std::error_code status;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder, status))
        if (entry.path().extension() == ".ttf") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto &file : files) fonts_->add(file);
    if (fonts_->faces.empty())
        throw std::runtime_error("there are no fonts with Latin letters in " + folder.string() +
                                 ": apt-get install fonts-dejavu-core fonts-liberation");
}

typesetter::~typesetter() = default;

std::size_t typesetter::font_count() const { return fonts_->faces.size(); }

std::string typesetter::font_name(std::size_t font) const {
    const FT_Face face = fonts_->faces.at(font);
    const std::string style = face->style_name ? face->style_name : "";
    return face->family_name + (style.empty() ? "" : " " + style);
}

picture typesetter::line(const std::string &text, std::size_t font, int size, std::uint8_t ink,
    std::uint8_t paper) const {
    const FT_Face face = fonts_->faces.at(font);
    if (FT_Set_Pixel_Sizes(face, 0, FT_UInt(size)))
        throw std::runtime_error(font_name(font) + " cannot be drawn in this size");
    const int margin = size / 5;
    const int above = int(face->size->metrics.ascender >> 6),
              below = int(-face->size->metrics.descender >> 6);
    long width = 0;
    for (unsigned char letter : text)
        if (!FT_Load_Char(face, letter, FT_LOAD_DEFAULT)) width += face->glyph->advance.x;
    picture drawn(int(width >> 6) + 2 * margin + 2, above + below + 2 * margin, paper);
    long pen = long(margin) << 6; // 1/64 pixels
    for (unsigned char letter : text) {
        if (FT_Load_Char(face, letter, FT_LOAD_RENDER)) continue;
        const FT_GlyphSlot glyph = face->glyph;
        const int left = int(pen >> 6) + glyph->bitmap_left,
                  top = margin + above - glyph->bitmap_top;
        for (int y = 0; y < int(glyph->bitmap.rows); ++y)
            for (int x = 0; x < int(glyph->bitmap.width); ++x) {
                if (left + x < 0 || left + x >= drawn.width || top + y < 0 ||
                    top + y >= drawn.height)
                    continue;
                const int cover = glyph->bitmap.buffer[y * glyph->bitmap.pitch + x];
                std::uint8_t &pixel = drawn.at(left + x, top + y);
                pixel = std::uint8_t(pixel + (int(ink) - int(pixel)) * cover / 255);
            }
        pen += glyph->advance.x;
    }
    return drawn;
}

} // namespace accuracy
