// SPDX-License-Identifier: Apache-2.0
// Recurrent networks (specification: "RNN"): which problems the reference takes.
#include "ref/rnn.hpp"

#include "common/default_layouts.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

planned make_rnn(problem &p) {
    const auto &desc = std::get<rnn_desc>(p.op);
    if (const char *why = rnn_refusal(desc)) return why;
    default_layouts(p);
    return is_forward(desc.prop) ? make_rnn_forward(p) : make_rnn_backward(p);
}

} // namespace dnnl::impl::ref
