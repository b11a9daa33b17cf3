// SPDX-License-Identifier: Apache-2.0
// Counts and prints what a test program looks at.
#pragma once

#include <cstdio>
#include <exception>
#include <string>

namespace int8_accuracy {

class checks {
  public:
    void that(bool holds, const std::string &what) {
        std::printf("%s: %s\n", holds ? "passed" : "FAILED", what.c_str());
        failed_ += !holds;
    }

    /// `work` must throw an exception whose text has `part` in it and is one line.
    template <typename Work>
    void refuses(const Work &work, const std::string &part, const std::string &what) {
        std::string said = "nothing was refused";
        try {
            work();
        } catch (const std::exception &refusal) {
            said = refusal.what();
        }
        const bool right = said.find(part) != std::string::npos && said.find('\n') == said.npos;
        that(right, what + (right ? "" : ": " + said));
    }

    int status() const { return failed_ > 0; }

  private:
    int failed_ = 0;
};

} // namespace int8_accuracy
