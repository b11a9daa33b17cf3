// SPDX-License-Identifier: Apache-2.0
// Which pairs of element types a GEMM row serves at which instruction-set level.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// Null when a row that needs `target` multiplies a by b, else the reason. A level without
/// instructions of its own for a pair leaves it to the rows below.
const char *gemm_types_refusal(isa target, data_type a, data_type b);

/// The type in which a row that needs `target` multiplies operands of type t: another one for f8,
/// which bf16 and f32 hold exactly.
data_type gemm_operand_type(isa target, data_type t);

/// The longest sum of products of bytes that s32 surely holds. A byte less its zero point lies
/// between -255 and 255, where the zero point is a value of the byte's type.
dim_t exact_sum_length(
    data_type a, data_type b, bool a_has_zero_point = false, bool b_has_zero_point = false);

/// Nanoseconds that one core needs for this many products, roughly: to decide about threads.
double gemm_cost_ns(isa target, data_type a, double products);

} // namespace dnnl::impl::cpu
