// SPDX-License-Identifier: Apache-2.0
// ONEDNN_VERBOSE: one line per creation, refusal and execution, in the v1 format.
#pragma once

#include <cstddef>
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
    warnings = 32,
};

/// True when any of the wanted classes is on; one relaxed load after the first call, which reads
/// ONEDNN_VERBOSE.
bool wants(unsigned wanted);
/// dnnl_set_verbose(): level 0, 1 or 2. Overrides the environment.
void set_level(int level);

/// `primitive,create:cache_miss,...,<ms>`.
void created(const ::dnnl_primitive_desc &pd, double milliseconds);
/// `primitive,exec,...,<ms>`.
void executed(const ::dnnl_primitive_desc &pd, double milliseconds);
/// `common,info,scratchpad,<bytes> bytes leased beside the user's`: run-time dimensions needed more
/// than was asked for at creation.
void leased(std::size_t bytes);
/// `primitive,create:dispatch,<primitive>,...,<reason>,<row>`.
void refused(const problem &p, const std::string &row, const char *reason);
/// `primitive,create:check|exec:check,<primitive>,<reason>,<entry point>`; operation is "create" or
/// "exec".
void check_failed(const char *operation, const char *primitive, const char *reason);
/// `common,error,<component>,<message>`: a failure that is not the caller's mistake.
void failed(const char *component, const char *message) noexcept;

/// What the library ignores, one line each on stderr, where it does not mix with what is asked for:
/// `common,warn,<primitive>,<argument> is not an argument of this primitive: ignored`, once per
/// process for each argument of a kind of primitives, when any class but errors is on.
void argument_ignored(const char *primitive, const std::string &argument) noexcept;
/// `common,warn,environment,<variable>=<value> is not known: ignored`, unless the level is `none`.
/// name: without its prefix.
void setting_ignored(const char *name, const std::string &value) noexcept;

/// A product on plain pointers (dnnl_sgemm, ...): types of A, B and C, op(A) of MxK, op(B) of KxN.
struct gemm_line {
    data_type types[3];
    bool a_transposed, b_transposed;
    dim_t M, N, K;
};
/// `primitive,exec,cpu,gemm_api,...,<ms>`.
void gemm_executed(const gemm_line &line, double milliseconds);

/// Milliseconds of a steady clock.
double now_ms();

} // namespace verbose
} // namespace dnnl::impl
