// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <algorithm>
#include <iterator>

namespace accuracy {

namespace {

using examples::random_source;

const char *const words[] = {"about", "above", "after", "again", "along", "always", "animal",
    "answer", "around", "because", "before", "began", "begin", "being", "below", "between", "book",
    "both", "bridge", "bring", "brought", "build", "carry", "change", "children", "circle", "city",
    "clear", "close", "cold", "color", "could", "country", "cover", "cross", "does", "door", "down",
    "draw", "during", "earth", "east", "enough", "equal", "every", "example", "family", "farm",
    "father", "field", "figure", "final", "fire", "first", "fish", "five", "flower", "follow",
    "food", "force", "found", "four", "friend", "from", "garden", "gave", "girl", "give", "glass",
    "gold", "great", "green", "ground", "group", "grow", "half", "hand", "happy", "hard", "have",
    "head", "hear", "heavy", "help", "high", "home", "horse", "hour", "house", "hundred", "island",
    "just", "keep", "kind", "king", "knew", "large", "last", "late", "laugh", "learn", "leave",
    "left", "letter", "life", "light", "listen", "little", "long", "machine", "made", "many",
    "measure", "might", "mile", "money", "moon", "morning", "mother", "mountain", "move", "much",
    "music", "name", "near", "never", "night", "north", "notice", "number", "object", "ocean",
    "often", "once", "open", "order", "other", "over", "page", "paper", "part", "pattern", "people",
    "perhaps", "person", "picture", "piece", "place", "plain", "plant", "point", "power", "problem",
    "produce", "product", "pull", "quick", "quiet", "rain", "reach", "read", "ready", "river",
    "road", "rock", "round", "school", "science", "second", "seven", "should", "simple", "sleep",
    "small", "snow", "some", "song", "sound", "south", "space", "special", "spell", "spring",
    "stand", "start", "state", "still", "stood", "story", "street", "study", "summer", "surface",
    "table", "teach", "their", "there", "thing", "think", "though", "thousand", "three", "through",
    "together", "travel", "true", "under", "until", "usual", "valley", "voice", "walk", "warm",
    "watch", "water", "week", "weight", "wheel", "where", "which", "while", "white", "window",
    "winter", "wonder", "wood", "world", "would", "write", "year", "young"};

std::string next_word(random_source &random) {
    switch (random.below(12)) {
    case 0: return std::to_string(random.below(10000));
    case 1:
        return std::to_string(1 + random.below(99)) + "." + std::to_string(10 + random.below(90));
    default: break;
    }
    std::string word = words[random.below(int(std::size(words)))];
    const int form = random.below(10);
    if (form == 0)
        for (char &c : word) c = char(std::toupper(static_cast<unsigned char>(c)));
    else if (form < 3)
        word[0] = char(std::toupper(static_cast<unsigned char>(word[0])));
    else if (form == 3)
        word += random.below(2) ? "," : ".";
    return word;
}

std::string sentence(random_source &random, int least, int most) {
    std::string text;
    for (int left = least + random.below(most - least + 1); left > 0; --left)
        text += (text.empty() ? "" : " ") + next_word(random);
    return text;
}

picture seen(const picture &drawn, double degrees, double blur, double noise, random_source &to) {
    return noisy(blurred(rotated(drawn, degrees), blur), noise, to);
}

} // namespace

std::vector<text_line> make_lines(const typesetter &with, int count, std::uint64_t seed) {
    random_source random(seed);
    std::vector<text_line> made;
    for (int i = 0; i < count; ++i) {
        text_line next;
        next.text = sentence(random, 4, 6);
        next.font = std::size_t(random.below(int(with.font_count())));
        const auto ink = std::uint8_t(random.below(80)),
                   paper = std::uint8_t(190 + random.below(66));
        const picture drawn = with.line(next.text, next.font, 24 + random.below(21), ink, paper);
        const double degrees = random.uniform(-2, 2) * 300 / std::max(drawn.width, 300);
        const double blur = random.uniform(0, 1.4);
        next.drawn = seen(drawn, degrees, blur, random.uniform(2, 24), random);
        made.push_back(std::move(next));
    }
    return made;
}

text_page make_page(const typesetter &with, int width, int height, std::uint64_t seed) {
    random_source random(seed);
    const auto ink = std::uint8_t(random.below(60)), paper = std::uint8_t(200 + random.below(56));
    text_page page {picture(width, height, paper), {}};
    int top = 24;
    while (true) {
        const std::string text = sentence(random, 2, 4);
        const auto font = std::size_t(random.below(int(with.font_count())));
        const picture line = with.line(text, font, 20 + random.below(20), ink, paper);
        if (top + line.height + 24 > height) break;
        const int left = 24 + random.below(80);
        if (line.width <= width - left - 8) {
            for (int y = 0; y < line.height; ++y)
                for (int x = 0; x < line.width; ++x)
                    page.drawn.at(left + x, top + y) = line.at(x, y);
            page.lines.push_back({text, top, line.height});
        }
        top += line.height + 8 + random.below(24);
    }
    page.drawn = seen(page.drawn, 0, random.uniform(0, 1), random.uniform(2, 12), random);
    return page;
}

} // namespace accuracy
