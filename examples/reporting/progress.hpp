// SPDX-License-Identifier: Apache-2.0
// A progress bar on a terminal; plain lines when the output goes elsewhere.
#pragma once

#include <string>

namespace reporting {

class progress_bar {
  public:
    /// `total` steps; the bar is redrawn in place if standard output is a terminal, otherwise only
    /// the lines given to line() are printed.
    progress_bar(std::string label, int total);
    ~progress_bar();

    /// `done` of `total` steps are behind us; `text` stands to the right of the bar.
    void show(int done, const std::string &text);

    /// Prints a line that stays.
    void line(const std::string &text);

  private:
    void clear();

    std::string label_;
    int total_, last_permille_ = -1;
    bool terminal_, drawn_ = false;
};

} // namespace reporting
