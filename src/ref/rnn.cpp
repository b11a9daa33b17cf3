// SPDX-License-Identifier: Apache-2.0
// Recurrent networks (specification: "RNN"): which problems the reference takes.
#include "ref/rnn.hpp"

#include "common/descriptors/problem.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {
/// 8-bit weights of the projection get column sums, which nothing here reads, so that a reorder
/// tells them from states.
void mark_projection(memory_desc &md) {
    if (!md.is_any() || md.dtype != data_type::s8) return;
    md = make_with_strides(md.ndims, md.dims.data(), md.dtype, nullptr);
    md.column_sums_mask = 11; // layers, directions, output channels
}
} // namespace

planned make_rnn(problem &p) {
    auto &desc = std::get<rnn_desc>(p.op);
    if (const char *why = rnn_refusal(desc)) return why;
    if (desc.has(rnn_tensor::weights_projection))
        mark_projection(desc.md(rnn_tensor::weights_projection));
    default_layouts(p);
    return is_forward(desc.prop) ? make_rnn_forward(p) : make_rnn_backward(p);
}

} // namespace dnnl::impl::ref
