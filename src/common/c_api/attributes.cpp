// SPDX-License-Identifier: Apache-2.0
// C entry points: primitive attributes but scales and zero points (attributes_quantization.cpp).
#include "common/attributes/attributes.hpp"

#include <algorithm>

#include "common/c_api/guard.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl.h"

using dnnl::impl::guarded;
using dnnl::impl::require;

namespace {

void require_attr(const_dnnl_primitive_attr_t attr) { require(attr, "attr: must not be NULL"); }

/// Writes what a getter was asked for.
template <class T> void give(T *out, const char *reason, T value) {
    require(out, reason);
    *out = value;
}

} // namespace

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr) {
    return guarded([&] {
        require(attr, "attr: must not be NULL");
        auto *made = new dnnl_primitive_attr;
        made->fpmath = dnnl::impl::default_fpmath_mode();
        *attr = made;
    });
}

dnnl_status_t dnnl_primitive_attr_clone(
    dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr) {
    return guarded([&] {
        require(attr, "attr: must not be NULL");
        require(existing_attr, "existing_attr: must not be NULL");
        *attr = new dnnl_primitive_attr(*existing_attr);
    });
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr) {
    delete attr;
    return dnnl_success;
}

// ---- Modes ----

dnnl_status_t dnnl_primitive_attr_get_dropout(
    const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *dropout_desc) {
    return guarded([&] {
        require_attr(attr);
        require(dropout_desc, "dropout_desc: must not be NULL");
        *dropout_desc = &attr->dropout;
    });
}

dnnl_status_t dnnl_primitive_attr_set_dropout(
    dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t dropout_desc) {
    return guarded([&] {
        require_attr(attr);
        require(dropout_desc, "dropout_desc: must not be NULL");
        attr->dropout = *dropout_desc;
    });
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode) {
    return guarded([&] {
        require_attr(attr);
        give(mode, "mode: must not be NULL", attr->fpmath);
    });
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode) {
    return dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    return guarded([&] {
        require_attr(attr);
        if (mode) *mode = attr->fpmath;
        if (apply_to_int) *apply_to_int = attr->fpmath_apply_to_int;
    });
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int) {
    return guarded([&] {
        require_attr(attr);
        require(mode >= dnnl_fpmath_mode_strict && mode <= dnnl_fpmath_mode_tf32,
            "mode: not a math mode");
        attr->fpmath = mode;
        attr->fpmath_apply_to_int = apply_to_int != 0;
    });
}

dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int *value) {
    return guarded([&] {
        require_attr(attr);
        give(value, "value: must not be NULL", int {attr->deterministic});
    });
}

dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value) {
    return guarded([&] {
        require_attr(attr);
        attr->deterministic = value != 0;
    });
}

dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
    const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode) {
    return guarded([&] {
        require_attr(attr);
        give(mode, "mode: must not be NULL", attr->accumulation);
    });
}

dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
    dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode) {
    return guarded([&] {
        require_attr(attr);
        require(mode >= dnnl_accumulation_mode_strict && mode <= dnnl_accumulation_mode_f16,
            "mode: not an accumulation mode");
        attr->accumulation = mode;
    });
}

dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
    const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode) {
    return guarded([&] {
        require_attr(attr);
        give(mode, "mode: must not be NULL", attr->scratchpad);
    });
}

dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
    dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode) {
    return guarded([&] {
        require_attr(attr);
        require(mode == dnnl_scratchpad_mode_library || mode == dnnl_scratchpad_mode_user,
            "mode: not a scratchpad mode");
        attr->scratchpad = mode;
    });
}

// ---- Rounding ----

namespace {
void require_rounded(int arg) {
    require(arg == DNNL_ARG_DIFF_SRC || arg == DNNL_ARG_DIFF_WEIGHTS || arg == DNNL_ARG_DST,
        "arg: rounding can be chosen for DST, DIFF_SRC and DIFF_WEIGHTS");
}
} // namespace

dnnl_status_t dnnl_primitive_attr_set_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode) {
    return guarded([&] {
        require_attr(attr);
        require_rounded(arg);
        require(mode == dnnl_rounding_mode_environment || mode == dnnl_rounding_mode_stochastic,
            "mode: not a rounding mode");
        auto &stochastic = attr->stochastic_rounding;
        std::erase(stochastic, arg);
        if (mode == dnnl_rounding_mode_stochastic) stochastic.push_back(arg);
        std::sort(stochastic.begin(), stochastic.end());
    });
}

dnnl_status_t dnnl_primitive_attr_get_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode) {
    return guarded([&] {
        require_attr(attr);
        require(mode, "mode: must not be NULL");
        require_rounded(arg);
        const auto &stochastic = attr->stochastic_rounding;
        const bool found = std::find(stochastic.begin(), stochastic.end(), arg) != stochastic.end();
        *mode = found ? dnnl_rounding_mode_stochastic : dnnl_rounding_mode_environment;
    });
}

// ---- Post-ops ----

dnnl_status_t dnnl_primitive_attr_get_post_ops(
    const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops) {
    return guarded([&] {
        require_attr(attr);
        require(post_ops, "post_ops: must not be NULL");
        *post_ops = &attr->post_ops;
    });
}

dnnl_status_t dnnl_primitive_attr_set_post_ops(
    dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops) {
    return guarded([&] {
        require_attr(attr);
        require(post_ops, "post_ops: must not be NULL");
        attr->post_ops = *post_ops;
    });
}
