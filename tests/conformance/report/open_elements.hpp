// SPDX-License-Identifier: Apache-2.0
// How many elements the oracle may leave open: the ceilings of the file open_elements.
#pragma once

#include "report/report.hpp"

#include <regex>

namespace conformance {

class open_elements {
  public:
    /// Reads the file. Throws usage_error for what it does not understand.
    explicit open_elements(const std::string &path);
    /// Empty if the share of open elements is below the first ceiling that fits, with or without
    /// the case that leaves most open: among few cases, one large tensor whose fill has an infinity
    /// in each row would decide alone. Else what is wrong.
    std::string excess(const std::string &primitive, const std::string &types, char fill,
        const element_total &total) const;

  private:
    struct ceiling {
        std::regex primitive, types;
        std::string fills;
        double percent;
    };
    std::vector<ceiling> ceilings_;
};

} // namespace conformance
