// SPDX-License-Identifier: Apache-2.0
// The recurrence over layers, directions and steps, forward and backward.
#pragma once

#include "oracle/problem.hpp"
#include "oracle/rnn_cell.hpp"

namespace conformance {

/// Results of every output of the forward or backward primitive. With `states`, the last layer's
/// outputs as the library computed them, each of its steps starts from the state that the library's
/// own step in front of it came to.
expectation_map rnn_results(
    const rnn_setting &setting, const tensor_map &in, const tensor *states = nullptr);

} // namespace conformance
