// SPDX-License-Identifier: Apache-2.0
#include "../instruction_peak.hpp"
#include "peaks.hpp"
#include "prepared_case.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

double copy_gigabytes_per_second(double bytes) {
    const auto half = static_cast<std::size_t>(bytes / 2);
    if (half == 0) return 0;
    const buffer from(half), to(half);
    std::memset(from.data(), 1, half);
    const std::size_t times = std::max<std::size_t>(1, (std::size_t {1} << 18) / half);
    const double least = least_seconds(
        [&] {
            for (std::size_t i = 0; i < times; ++i) {
                std::memcpy(to.data(), from.data(), half);
                asm volatile("" ::"r"(to.data()) : "memory");
            }
        },
        0.02);
    return 2e-9 * static_cast<double>(half) * static_cast<double>(times) / least;
}

} // namespace bench
