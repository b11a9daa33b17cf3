// SPDX-License-Identifier: Apache-2.0
// The result of a case as one line of text, between processes of this program.
#pragma once

#include "report/report.hpp"

namespace conformance {

std::string record_of(const case_result &result);
case_result case_of(const std::string &record);

} // namespace conformance
