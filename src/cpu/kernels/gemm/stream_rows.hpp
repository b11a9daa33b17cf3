// SPDX-License-Identifier: Apache-2.0
// Products with few rows, on rows of B as they lie: a stream through B that is neither packed nor
// read twice.
#pragma once

#include "cpu/kernels/gemm/dot_rows.hpp"

namespace dnnl::impl::cpu {

/// c[i][j] = sum over k of a[i][k] * b[k][j], i < m, j < n, as f32 and in the order of k; m is at
/// most most_stream_rows. ldb_bytes goes from k to k + 1. Nothing outside the operands is read.
template <class Isa, class T> void stream_rows(const dot_rows_args &args);

inline constexpr dim_t most_stream_rows = 4;

} // namespace dnnl::impl::cpu
