// SPDX-License-Identifier: Apache-2.0
// A report of five networks with plain numbers, for tests of what is made from it.
#pragma once

#include "../report/results.hpp"

namespace int8_accuracy {

/// Equal numbers in every call. The networks have 4 to 21 products, one has bits per character,
/// one has no speeds, and one method is refused.
report example_report();

} // namespace int8_accuracy
