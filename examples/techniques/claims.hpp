// SPDX-License-Identifier: Apache-2.0
// What a program of this folder claims of a technique: each claim is printed, kept for a file, and
// makes the exit status.
#pragma once

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace techniques {

class claims {
  public:
    /// `arguments`: those of main(). `--json FILE` keeps the claims in a file, `--no-times` leaves
    /// out what depends on how fast the machine is.
    claims(int count, char **arguments) {
        for (int i = 1; i < count; ++i) {
            const std::string argument = arguments[i];
            if (argument == "--no-times")
                timed_ = false;
            else if (argument == "--json" && i + 1 < count)
                file_ = arguments[++i];
            else
                throw std::invalid_argument(
                    argument + ": not understood; there are --json FILE and --no-times");
        }
    }

    /// The same, of a program with options of its own; an empty `file` is none.
    claims(bool timed, const std::string &file) : file_(file), timed_(timed) {}

    bool timed() const { return timed_; }

    /// A statement that is true or false.
    void holds(const std::string &id, const std::string &statement, bool truth) {
        add({id, statement, "", "", truth});
    }

    /// A number with its unit, beside the published one (empty: none); `truth` says whether it is
    /// what the program expects.
    void figure(const std::string &id, const std::string &statement, double value,
        const std::string &unit, const std::string &published, bool truth = true) {
        char text[64];
        std::snprintf(text, sizeof(text), value >= 1000 ? "%.0f%s" : "%.3g%s", value,
            unit.empty() ? "" : (" " + unit).c_str());
        add({id, statement, text, published, truth});
    }

    int finish() const {
        if (!file_.empty()) write();
        std::printf("%zu claims, %d do not hold\n", all_.size(), failed_);
        return failed_ > 0;
    }

  private:
    struct claim {
        std::string id, statement, figure, published;
        bool truth;
    };

    void add(const claim &c) {
        std::printf(
            "%s %s: %s", c.id.c_str(), c.truth ? "holds" : "DOES NOT HOLD", c.statement.c_str());
        if (!c.figure.empty()) std::printf(": %s", c.figure.c_str());
        if (!c.published.empty()) std::printf(" (published: %s)", c.published.c_str());
        std::printf("\n");
        failed_ += !c.truth;
        all_.push_back(c);
    }

    void write() const {
        std::ofstream to(file_);
        to << "[";
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const claim &c = all_[i];
            to << (i ? ",\n" : "\n") << R"( {"id": ")" << c.id << R"(", "statement": ")"
               << c.statement << R"(", "figure": ")" << c.figure << R"(", "published": ")"
               << c.published << R"(", "holds": )" << (c.truth ? "true" : "false") << "}";
        }
        if (!(to << "\n]\n")) throw std::runtime_error(file_ + ": cannot write");
    }

    std::string file_;
    bool timed_ = true;
    std::vector<claim> all_;
    int failed_ = 0;
};

} // namespace techniques
