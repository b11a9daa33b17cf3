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

// Short names for the parameters of creation functions.
using new_desc = dnnl_primitive_desc_t *;
using tensor = const_dnnl_memory_desc_t;
using hint_desc = const_dnnl_primitive_desc_t;
using attributes = const_dnnl_primitive_attr_t;

/// What every creation function takes besides the problem.
struct creation {
    new_desc out;
    dnnl_engine_t engine;
    attributes attr;
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

/// The same for a forward pass; refuses other propagation kinds.
template <class MakeOp>
dnnl_status_t create_forward(
    const creation &c, dnnl_prop_kind_t prop, const MakeOp &make_op) noexcept {
    return create_primitive_desc(c, [&] {
        require(is_forward(prop), dnnl_prim_kind2str(c.kind), "prop_kind is not a forward kind");
        return make_op();
    });
}

/// The same for a backward pass: make_op() gets the descriptor of the forward pass whose primitive
/// descriptor is the hint, null without a hint. Refuses a hint that is another primitive or not a
/// forward pass, and first of all a propagation kind for the reason given, if any.
template <class Desc, class MakeOp>
dnnl_status_t create_backward(const creation &c, hint_desc hint, const MakeOp &make_op,
    const char *prop_refusal = nullptr) noexcept {
    return create_primitive_desc(c, [&] {
        require(!prop_refusal, dnnl_prim_kind2str(c.kind), prop_refusal);
        const Desc *forward = hint ? std::get_if<Desc>(&hint->resolved().op) : nullptr;
        require(!hint || (forward && is_forward(forward->prop)),
            "hint_fwd_pd: it is not a forward descriptor of this primitive");
        return make_op(forward);
    });
}

} // namespace dnnl::impl
