// SPDX-License-Identifier: Apache-2.0
// Prints what one core of this machine can do: products with operands from L1, reads by place.
#include "program/peaks.hpp"

#include <cstdio>

int main() {
    for (const bench::measured_peak &p : bench::measure_peaks())
        std::printf("%-28s %8.1f %s\n", p.name.c_str(), p.value, p.unit.c_str());
}
