// SPDX-License-Identifier: Apache-2.0
// What the creation functions of all primitive descriptors share.
#pragma once

#include "common/c_api/guard.hpp"
#include "common/descriptors/primitive_facts.hpp"
#include "common/plan/primitive.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/dnnl_debug.h"

// Short names for the parameters of creation functions.
using new_desc = dnnl_primitive_desc_t *;
using tensor = const_dnnl_memory_desc_t;
using hint_desc = const_dnnl_primitive_desc_t;
using attributes = const_dnnl_primitive_attr_t;
using spatial = const dnnl_dim_t *; ///< one number for each spatial dimension

/// What every creation function takes besides the problem.
struct creation {
    new_desc out;
    dnnl_engine_t engine;
    attributes attr;
    dnnl_engine_t dst_engine = nullptr; ///< of a reorder
};

/// Builds the operation with make_op() and searches an implementation; *out is set on success only.
template <class MakeOp>
dnnl_status_t create_primitive_desc(const creation &c, const MakeOp &make_op) noexcept {
    return guarded([&] {
        try {
            require(c.out, "primitive_desc: must not be NULL");
            require(c.engine, "engine: must not be NULL");
            *c.out = new impl::primitive_desc(c.engine, make_op(), c.attr, c.dst_engine);
        } catch (error &e) {
            using desc = decltype(make_op());
            impl::verbose::check_failed("create", dnnl_prim_kind2str(desc::facts.kind), e);
            throw;
        }
    });
}

/// The same for a forward pass; refuses other propagation kinds.
template <class MakeOp>
dnnl_status_t create_forward(
    const creation &c, dnnl_prop_kind_t prop, const MakeOp &make_op) noexcept {
    return create_primitive_desc(c, [&] {
        impl::require_of(impl::is_forward(prop), decltype(make_op())::facts.kind,
            "prop_kind is not a forward kind");
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
        impl::require_of(!prop_refusal, Desc::facts.kind, prop_refusal);
        const Desc *forward = hint ? std::get_if<Desc>(&hint->resolved().op) : nullptr;
        require(!hint || (forward && impl::is_forward(forward->prop)),
            "hint_fwd_pd: it is not a forward descriptor of this primitive");
        return make_op(forward);
    });
}

/// A forward pass whose operation make(prop, args...) builds, given no hint where it takes one.
template <class Desc, class... Params, class... Args>
dnnl_status_t create_forward(const creation &c, Desc (*make)(dnnl_prop_kind_t, Params...),
    dnnl_prop_kind_t prop, const Args &...args) noexcept {
    return create_forward(c, prop, [&] {
        if constexpr (sizeof...(Params) > sizeof...(Args))
            return make(prop, args..., nullptr);
        else
            return make(prop, args...);
    });
}

/// A backward pass whose operation make(prop, args...) builds, given the forward pass as the last
/// argument where it takes one.
template <class Desc, class... Params, class... Args>
dnnl_status_t create_backward(const creation &c, hint_desc hint,
    Desc (*make)(dnnl_prop_kind_t, Params...), dnnl_prop_kind_t prop,
    const Args &...args) noexcept {
    const auto make_op = [&]([[maybe_unused]] const Desc *forward) {
        if constexpr (sizeof...(Params) > sizeof...(Args))
            return make(prop, args..., forward);
        else
            return make(prop, args...);
    };
    return create_backward<Desc>(
        c, hint, make_op, impl::is_forward(prop) ? "prop_kind is not a backward kind" : nullptr);
}
