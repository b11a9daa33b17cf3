// SPDX-License-Identifier: Apache-2.0
// What the creation functions of all primitive descriptors share.
#pragma once

#include <variant>

#include "common/c_api/guard.hpp"
#include "common/plan/primitive_desc.hpp"
#include "common/verbose/verbose.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

/// What every creation function takes besides the problem.
struct creation {
    dnnl_primitive_desc_t *out;
    dnnl_engine_t engine;
    const_dnnl_primitive_attr_t attr;
    dnnl_primitive_kind_t kind;
    dnnl_engine_t dst_engine = nullptr; ///< of a reorder
};

/// Builds the operation with make_op() and searches an implementation; *out is set on success only.
template <class MakeOp>
dnnl_status_t create_primitive_desc(const creation &c, MakeOp &&make_op) noexcept {
    return guarded([&] {
        try {
            require(c.out, "primitive_desc: must not be NULL");
            require(c.engine, "engine: must not be NULL");
            *c.out = new primitive_desc(c.engine, make_op(), c.attr, c.dst_engine);
        } catch (const error &e) {
            if (verbose::wants(verbose::check))
                verbose::check_failed("create", dnnl_prim_kind2str(c.kind), e.what());
            throw;
        }
    });
}

/// The descriptor of the forward pass behind a hint; null without a hint.
/// Throws error(invalid_arguments) when the hint is another primitive or not a forward pass.
template <class Desc> const Desc *forward_hint(const_dnnl_primitive_desc_t hint) {
    if (!hint) return nullptr;
    const Desc *desc = std::get_if<Desc>(&hint->resolved().op);
    require(desc && is_forward(desc->prop),
        "hint_fwd_pd: it is not a forward descriptor of this primitive");
    return desc;
}

} // namespace dnnl::impl
