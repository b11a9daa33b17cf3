// SPDX-License-Identifier: Apache-2.0
// Draws the progress bar with a carriage return.
#include "progress.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace reporting {

progress_bar::progress_bar(std::string label, int total)
    : label_(std::move(label)), total_(total), terminal_(isatty(STDOUT_FILENO) != 0) {}

progress_bar::~progress_bar() { clear(); }

void progress_bar::show(int done, const std::string &text) {
    const int permille = total_ > 0 ? 1000 * done / total_ : 1000;
    if (!terminal_ || permille == last_permille_) return;
    last_permille_ = permille;
    constexpr int width = 30;
    const int filled = width * permille / 1000;
    fmt::print("\r\x1b[K{} [{}{}] {:3} %  {}", label_, std::string(filled, '#'),
        std::string(width - filled, '.'), permille / 10, text);
    std::fflush(stdout);
    drawn_ = true;
}

void progress_bar::line(const std::string &text) {
    clear();
    fmt::print("{}\n", text);
    std::fflush(stdout);
    last_permille_ = -1;
}

void progress_bar::clear() {
    if (drawn_) fmt::print("\r\x1b[K");
    drawn_ = false;
}

} // namespace reporting
