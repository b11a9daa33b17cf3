// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../calibration/quantization.hpp"

namespace int8_accuracy {
using namespace calibration;
} // namespace int8_accuracy
