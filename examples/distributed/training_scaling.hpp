// SPDX-License-Identifier: Apache-2.0
// How training scales: measured on the ranks there are, predicted for more.
#pragma once

#include "training_options.hpp"

namespace distributed {

/// Times steps on 1, 2, 4, ... ranks, in turn and in one run, with the same shares of the same
/// batches, and prints tables up to 1024 ranks. 1 if the losses differ by more than the tolerance,
/// otherwise 0. A call of all ranks.
int measure_scaling(mpi_job &all, const options &o, const int8_accuracy::problem &of);

} // namespace distributed
