// SPDX-License-Identifier: Apache-2.0
// The recurrence over layers, directions and steps, forward and backward.
#pragma once

#include "oracle/problem.hpp"
#include "oracle/rnn_cell.hpp"

namespace conformance {

/// Results of every output of the forward or backward primitive.
expectation_map rnn_results(const rnn_setting &setting, const tensor_map &in);

} // namespace conformance
