// SPDX-License-Identifier: Apache-2.0
// ONEDNN_VERBOSE: one line per creation, refusal and execution, in the v1 format.
#pragma once

#include <string>

#include "common/plain_types.hpp"

struct dnnl_primitive_desc;

namespace dnnl::impl {

struct problem;

namespace verbose {

/// What is printed; bits.
enum flags : unsigned {
    none = 0,
    errors = 1,
    check = 2,
    dispatch = 4,
    profile_create = 8,
    profile_exec = 16,
};

/// True when any of the wanted classes is on; one relaxed load.
bool wants(unsigned wanted);
/// dnnl_set_verbose(): level 0, 1 or 2.
void set_level(int level);

/// `primitive,create:cache_miss,...,<ms>`.
void created(const ::dnnl_primitive_desc &pd, double milliseconds);
/// `primitive,exec,...,<ms>`.
void executed(const ::dnnl_primitive_desc &pd, double milliseconds);
/// `primitive,create:dispatch,...,<row's name>: <reason>`.
void refused(const problem &p, const std::string &row, const char *reason);
/// `primitive,create:check|exec:check,<primitive>,<reason>`.
void check_failed(const char *operation, const char *primitive, const char *reason);

/// Milliseconds of a steady clock.
double now_ms();

} // namespace verbose
} // namespace dnnl::impl
