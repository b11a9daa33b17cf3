// SPDX-License-Identifier: Apache-2.0
// Recurrent networks on the GEMM kernels: which problems a row takes.
#include "cpu/rnn/rnn.hpp"

#include <cmath>

#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm/gemm_types.hpp"

namespace dnnl::impl::cpu {

namespace {
/// Compensations are products of the shift with sums of weights, in s32.
bool is_small_integer(float shift) {
    return std::nearbyint(shift) == shift && std::fabs(shift) <= 1024;
}
} // namespace

planned make_rnn(problem &p) {
    const auto &desc = std::get<rnn_desc>(p.op);
    if (const char *why = rnn_refusal(desc)) return why;
    const data_type type = desc.md(rnn_tensor::src_layer).dtype;
    const bool forward = is_forward(desc.prop);
    // Backward, f32 gradients multiply the weights.
    const data_type a = forward ? type : data_type::f32;
    const data_type b = forward && is_int8(type) ? data_type::s8 : a;
    if (const char *why = gemm_types_refusal(p.target, a, b)) return why;
    if (!is_small_integer(p.attr.rnn.data_shift)) return "the data shift is no small integer";
    return forward ? make_rnn_forward(p) : make_rnn_backward(p);
}

} // namespace dnnl::impl::cpu
