// SPDX-License-Identifier: Apache-2.0
// The side of a measurement that loads the library: a process that answers requests on its standard
// input by lines of JSON on its standard output.
//
//   prepare <case>         {"implementation", "operations", "bytes", "first_creation_us",
//                          "creation_us"}; the case of before is dropped
//   run <ms> <warm|cold>   {"us": [...]}: microseconds of an execution, sample by sample
//   what cannot be done    {"fault": why}
#pragma once

namespace bench {

/// Greets with {"version"}, then answers until the input ends. Returns the exit code.
int serve_cases();

} // namespace bench
