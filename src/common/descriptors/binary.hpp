// SPDX-License-Identifier: Apache-2.0
// Binary: its descriptor, checked (specification: "Binary").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// True for the algorithms of binary, select included.
bool is_binary_algorithm(dnnl_alg_kind_t alg);

struct binary_tensors {
    const memory_desc *src0, *src1, *src2, *dst; ///< src2: for select, otherwise ignored
};

/// dst = alg(src0, src1), each source dim equal to dst's or 1; select: src2 != 0 ? src0 : src1 with
/// src2 s8 of src0's dims. Throws error(invalid_arguments) where shapes disagree.
binary_desc make_binary_desc(dnnl_alg_kind_t alg, const binary_tensors &tensors);

} // namespace dnnl::impl
