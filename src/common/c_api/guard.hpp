// SPDX-License-Identifier: Apache-2.0
// In this folder live the C entry points, and here the guard around every one of them: exceptions
// become the status, the reason is kept per thread.
#pragma once

#include <initializer_list>
#include <new>

#include "common/verbose/verbose.hpp"
#include "dnnl/dnnl_types.h"

namespace dnnl::impl {

/// Runs body() and returns dnnl_success, or the status of what it threw.
template <class Body> dnnl_status_t guarded(Body &&body) noexcept {
    try {
        body();
        return dnnl_success;
    } catch (error &e) {
        const bool refuses = e.status() != dnnl_unimplemented && verbose::wants(verbose::refusals);
        if (refuses && !e.told) verbose::failed("api", e.what());
        set_last_error(e.take_reason());
        return e.status();
    } catch (const std::bad_alloc &) {
        set_last_error("memory allocation failed");
        return dnnl_out_of_memory;
    } catch (const std::exception &e) {
        set_last_error(e.what());
        verbose::failed("api", e.what());
        return dnnl_runtime_error;
    } catch (...) {
        set_last_error("unknown failure");
        verbose::failed("api", "unknown failure");
        return dnnl_runtime_error;
    }
}

/// A pointer that a caller passes, with the name of the argument.
struct passed {
    const void *pointer;
    const char *name;
};

/// guarded(), with a check before the body that none of the arguments is null.
template <class Body>
dnnl_status_t guarded(std::initializer_list<passed> arguments, Body &&body) noexcept {
    return guarded([&] {
        for (const passed &argument : arguments)
            require(argument.pointer, argument.name, "must not be NULL");
        body();
    });
}

/// What the functions that destroy an object do and answer.
template <class Object> dnnl_status_t destroyed(Object *object) {
    delete object;
    return dnnl_success;
}

} // namespace dnnl::impl

// The entry points stand outside of the namespace: what most of them name.
using dnnl::impl::data_type;
using dnnl::impl::destroyed;
using dnnl::impl::error;
using dnnl::impl::guarded;
using dnnl::impl::memory_desc;
using dnnl::impl::require;
using dnnl::impl::require_implemented;
namespace impl = dnnl::impl;
