// SPDX-License-Identifier: Apache-2.0
// What one core of this machine can do at most, measured in the same run as the cases.
#pragma once

#include "results.hpp"

namespace bench {

/// Threads of an execution: OMP_NUM_THREADS, the number of cores where it is not set.
int threads_in_use();

/// Products with operands from L1 (random data), and bandwidths of reading from L1, L2, L3 and
/// memory, with what the processor has and ONEDNN_MAX_CPU_ISA allows. Takes some seconds.
std::vector<measured_peak> measure_peaks();

/// The share of the peak that `gmacs` are for these types, on `threads` cores; 0: no peak is known.
double share_of_peak(
    const std::vector<measured_peak> &peaks, const std::string &types, double gmacs, int threads);

/// Of reading and writing together, when `bytes` are copied from one half of as many bytes to the
/// other again and again: what the cache or the memory that holds them allows. Milliseconds.
double copy_gigabytes_per_second(double bytes);

} // namespace bench
