// SPDX-License-Identifier: Apache-2.0
// Seconds since construction.
#pragma once

#include <chrono>

namespace int8_accuracy {

class timer {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace int8_accuracy
