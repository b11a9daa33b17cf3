// SPDX-License-Identifier: Apache-2.0
// Recurrent networks (specification: "RNN"): which problems the reference takes.
#include "ref/rnn.hpp"

#include "common/default_layouts.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

planned make_rnn(problem &p) {
    const auto &desc = std::get<rnn_desc>(p.op);
    if (const char *why = rnn_types_refusal(desc)) return why;
    for (const auto *list : {&desc.tensors, &desc.diffs})
        for (const memory_desc &md : *list)
            if (!md.is_zero() && !md.is_any() && !md.is_blocked())
                return "a tensor has an opaque layout";
    default_layouts(p);
    return is_forward(desc.prop) ? make_rnn_forward(p) : make_rnn_backward(p);
}

} // namespace dnnl::impl::ref
