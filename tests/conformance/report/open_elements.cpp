// SPDX-License-Identifier: Apache-2.0
// Reading of the file open_elements, and the comparison of counts with its ceilings.
#include "report/open_elements.hpp"

#include "language/usage_error.hpp"

#include <fstream>
#include <sstream>

namespace conformance {

open_elements::open_elements(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw usage_error("cannot read '" + path + "'");
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string primitive, types;
        ceiling c;
        if (!(words >> primitive)) continue;
        if (!(words >> types >> c.fills >> c.percent))
            throw usage_error("open_elements: not primitive, types, fills and percent: " + line);
        try {
            c.primitive = std::regex(primitive);
            c.types = std::regex(types);
        } catch (const std::regex_error &) {
            throw usage_error("open_elements: no regular expression in " + line);
        }
        ceilings_.push_back(std::move(c));
    }
}

std::string open_elements::excess(const std::string &primitive, const std::string &types, char fill,
    const element_total &total) const {
    const element_count &count = total.all, &largest = total.most_open;
    if (count.open == 0) return {};
    const double percent = 100 * double(count.open) / double(count.judged);
    double most = 0;
    for (const ceiling &c : ceilings_)
        if (std::regex_match(primitive, c.primitive) && std::regex_match(types, c.types) &&
            c.fills.find(fill) != std::string::npos) {
            most = c.percent;
            break;
        }
    // Where some may be open, a few cases of few elements do not decide.
    constexpr double grace = 100;
    for (const element_count &part :
        {count, element_count {count.judged - largest.judged, count.open - largest.open}})
        if (most > 0 && double(part.open) <= most / 100 * double(part.judged) + grace) return {};
    char text[96];
    std::snprintf(text, sizeof text,
        "%zu of %zu elements (%.3g %%) are open, at most %.3g %% may be", count.open, count.judged,
        percent, most);
    return "fill " + std::string(1, fill) + " of " + types + ": " + text;
}

} // namespace conformance
