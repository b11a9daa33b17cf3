// SPDX-License-Identifier: Apache-2.0
// The heap as seen by a test program that is linked with heap.cpp: how many blocks are alive, and
// allocations that fail on request. A sanitized program keeps the sanitizer's heap: nothing is
// counted there (the leak checker does that) and nothing can be made to fail.
#pragma once

namespace heap {

/// True where this program counts allocations and can let them fail.
bool is_watched();
/// The same as a precondition of Boost.Test, which gives the number of the test.
inline bool watched(unsigned long) { return is_watched(); }

/// Blocks that were allocated and not freed, by all threads.
long live_blocks();

/// Bytes that were asked for since the program began, by all threads, freed or not.
long requested_bytes();

/// From now on `successes` allocations of the calling thread succeed, the next `failures` fail.
void fail_after(long successes, long failures);
/// Ends that; returns how many allocations failed.
long stop_failing();

/// The same for all other threads together: those of the library's runtime.
void fail_elsewhere_after(long successes, long failures);
long stop_failing_elsewhere();

} // namespace heap
