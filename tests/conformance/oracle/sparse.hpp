// SPDX-License-Identifier: Apache-2.0
// Sparse tensors of two dimensions: which elements are stored, and the buffers of an encoding.
#pragma once

#include "oracle/problem.hpp"

namespace conformance {

/// "csr+0.5": an encoding and the share of elements that are absent, 0.9 unless given.
struct encoding_knob {
    memory::sparse_encoding encoding = memory::sparse_encoding::undef; // undef: dense
    double sparsity = 0.9;
};
encoding_knob encoding_of(const std::string &text);

/// Makes the tensor a sparse one: draws its pattern, a function of shape, sparsity and seed, and
/// its descriptor. Of few rows some are empty and some full.
void make_sparse(tensor_spec &spec, const encoding_knob &knob, std::uint64_t seed);

/// Values, then indices and pointers, as the encoding lists them; entries in ascending order.
std::vector<std::vector<std::uint8_t>> sparse_buffers(
    const tensor_spec &spec, const memory::desc &md, const tensor &values);

/// Bytes of all buffers.
std::size_t bytes_of_buffers(const memory::desc &md);

} // namespace conformance
