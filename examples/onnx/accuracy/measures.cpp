// SPDX-License-Identifier: Apache-2.0
#include "measures.hpp"

#include "../../random_source.hpp"

#include <algorithm>
#include <numeric>

namespace accuracy {

namespace {

/// The bytes of each character, as one number; what is no UTF-8 counts byte by byte.
std::vector<std::uint32_t> characters_of(const std::string &text) {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < text.size();) {
        std::uint32_t code = static_cast<unsigned char>(text[i++]);
        while (
            code >= 0x80 && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80)
            code = code << 8 | static_cast<unsigned char>(text[i++]);
        found.push_back(code);
    }
    return found;
}

template <class F> rate with_interval(std::size_t lines, std::uint64_t seed, F &&value_of) {
    std::vector<std::size_t> drawn(lines);
    std::iota(drawn.begin(), drawn.end(), std::size_t(0));
    rate found {value_of(drawn)};
    found.low = found.high = found.value;
    if (lines == 0) return found;
    examples::random_source random(seed);
    std::vector<double> values(1000);
    for (double &value : values) {
        for (std::size_t &line : drawn) line = std::size_t(random.below(int(lines)));
        value = value_of(drawn);
    }
    std::sort(values.begin(), values.end());
    found.low = values[25];
    found.high = values[974];
    return found;
}

double percent(const std::vector<line_errors> &lines, const std::vector<std::size_t> &which) {
    std::int64_t wrong = 0, all = 0;
    for (std::size_t line : which) {
        wrong += lines[line].wrong;
        all += lines[line].characters;
    }
    return all ? 100. * double(wrong) / double(all) : 0;
}

} // namespace

int edit_distance(const std::string &a, const std::string &b) {
    const std::vector<std::uint32_t> x = characters_of(a), y = characters_of(b);
    std::vector<int> row(y.size() + 1); // distances of the first i characters of x to those of y
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        int diagonal = row[0];
        row[0] = int(i) + 1;
        for (std::size_t j = 0; j < y.size(); ++j) {
            const int replaced = diagonal + (x[i] != y[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

int character_count(const std::string &text) { return int(characters_of(text).size()); }

rate error_rate(const std::vector<line_errors> &lines, std::uint64_t seed) {
    return with_interval(
        lines.size(), seed, [&](const auto &which) { return percent(lines, which); });
}

rate error_difference(const std::vector<line_errors> &of, const std::vector<line_errors> &against,
    std::uint64_t seed) {
    return with_interval(std::min(of.size(), against.size()), seed,
        [&](const auto &which) { return percent(of, which) - percent(against, which); });
}

double area_under_curve(const std::vector<double> &first, const std::vector<double> &second) {
    if (first.empty() || second.empty()) return .5;
    std::vector<double> sorted = second;
    std::sort(sorted.begin(), sorted.end());
    double above = 0;
    for (double value : first) {
        const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
        above += double(low - sorted.begin()) + .5 * double(high - low);
    }
    return above / (double(first.size()) * double(second.size()));
}

} // namespace accuracy
