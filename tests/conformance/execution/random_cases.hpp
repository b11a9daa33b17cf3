// SPDX-License-Identifier: Apache-2.0
// Random whole problems, a function of driver and seed alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

/// `count` case lines of one driver.
std::vector<std::string> random_cases(
    const std::string &driver, std::size_t count, std::uint64_t seed);

} // namespace conformance
