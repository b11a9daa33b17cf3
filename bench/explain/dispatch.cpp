// SPDX-License-Identifier: Apache-2.0
#include "dispatch.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace explain {
namespace {

constexpr char no_instructions[] =
    "the instruction set is not available"; // plan/implementation.hpp
constexpr char made_for[] = "made for ";

/// Standard output as a file, until the end of its scope.
class captured_output {
  public:
    captured_output() : file_(std::tmpfile()) {
        std::fflush(stdout);
        kept_ = dup(STDOUT_FILENO);
        if (!file_ || kept_ < 0 || dup2(fileno(file_), STDOUT_FILENO) < 0)
            throw std::runtime_error("standard output cannot be redirected");
    }
    ~captured_output() {
        restore();
        std::fclose(file_);
    }
    captured_output(const captured_output &) = delete;
    captured_output &operator=(const captured_output &) = delete;

    std::string text() {
        restore();
        std::rewind(file_);
        std::string all;
        char part[4096];
        for (std::size_t n; (n = std::fread(part, 1, sizeof part, file_)) > 0;) all.append(part, n);
        return all;
    }

  private:
    void restore() {
        if (kept_ < 0) return;
        std::fflush(stdout);
        dup2(kept_, STDOUT_FILENO);
        close(kept_);
        kept_ = -1;
    }

    std::FILE *file_;
    int kept_ = -1;
};

/// onednn_verbose,v1,primitive,create:dispatch,<kind>,cpu,<kind>,<row>,<five
/// fields>,<reason>,<file>
refusal refusal_of(const std::string &line) {
    constexpr int row_field = 7, reason_field = 13;
    refusal found;
    std::size_t begin = 0;
    for (int field = 0; field < reason_field; ++field) {
        const std::size_t comma = line.find(',', begin);
        if (comma == std::string::npos) return found;
        if (field == row_field) found.row = line.substr(begin, comma - begin);
        begin = comma + 1;
    }
    found.reason = line.substr(begin, line.rfind(',') - begin);
    return found;
}

std::string family_of(const std::string &row) { return row.substr(0, row.find(':')); }

void add(std::vector<refusal> &to, const refusal &r) {
    const std::string family = family_of(r.row);
    const auto same = std::find_if(
        to.begin(), to.end(), [&](const refusal &other) { return other.reason == r.reason; });
    if (same == to.end())
        to.push_back({family, r.reason});
    else if (!(", " + same->row).ends_with(", " + family))
        same->row += ", " + family;
}

} // namespace

dispatch observed(const std::function<void()> &create) {
    captured_output output;
    create();
    std::istringstream lines(output.text());
    dispatch found;
    const std::string cut = ",info,blocking,";
    for (std::string line; std::getline(lines, line);) {
        if (line.find(",create:dispatch,") != std::string::npos)
            found.refusals.push_back(refusal_of(line));
        else if (const std::size_t at = line.find(cut); at != std::string::npos)
            found.cuts.push_back(line.substr(at + cut.size()));
    }
    return found;
}

explained grouped(const std::vector<refusal> &refusals) {
    explained all;
    for (const refusal &r : refusals)
        if (r.reason == no_instructions)
            all.without_instructions.push_back(r.row);
        else
            add(r.reason.starts_with(made_for) ? all.made_for_others : all.refused, r);
    return all;
}

} // namespace explain
