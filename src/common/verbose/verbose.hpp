// SPDX-License-Identifier: Apache-2.0
// This folder composes what ONEDNN_VERBOSE tells of operations, in the v1 format: one line per
// creation, refusal and execution.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "common/descriptors/problem.hpp"
#include "common/runtime/engine.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/event_log.hpp"

namespace dnnl::impl::verbose {

/// An operation and the implementation that was chosen for it.
struct chosen {
    const problem &request,
        &resolved; ///< the problem as asked for, and as planned without layouts `any`
    const dnnl_engine &engine;
    const std::string &info; ///< impl_info_str()
};

/// Prints `primitive,<operation>,...,<ms>`; `operation` is "create:cache_miss", "create:cache_hit"
/// or "exec".
void profiled(const char *operation, const chosen &c, double milliseconds);
/// Prints `common,info,scratchpad,<bytes> bytes leased beside the user's`, where run-time
/// dimensions need more than the creation asked for.
void leased(std::size_t bytes);
/// `primitive,create:dispatch,<primitive>,...,<reason>,<row>`.
void refused(const problem &p, const std::string &row, const char *reason);
/// Prints `common,info,blocking,<M>x<N>x<K> in blocks of <MC>x<NC>x<KC>`: how a product is cut.
void blocked(const std::array<dim_t, 3> &extents, const std::array<dim_t, 3> &block);
/// Warns on stderr, once per process, of a problem of some 10 million operations or more that only
/// the reference takes; DNNL_WARN=0 and verbose level `none` silence it.
void reference_taken(const op_desc &op, std::span<const tensor_argument> arguments) noexcept;
/// Prints `primitive,create:check|exec:check,<primitive>,<reason>,<entry point>`; `operation` is
/// "create" or "exec".
void check_failed(const char *operation, const char *primitive, error &refusal);
/// Prints `common,warn,<primitive>,<argument> is not an argument of this primitive: ignored` on
/// stderr, once per process for each argument of a kind of primitives.
void argument_ignored(const char *primitive, const std::string &argument) noexcept;
/// Prints `primitive,exec:check,<primitive>,<argument>: <how>,primitive_execute`, once per process
/// for each text; nothing for an empty `how`.
void argument_reread(
    const char *primitive, const std::string &argument, const std::string &how) noexcept;

/// A product on plain pointers (dnnl_sgemm, ...): types of A, B and C, op(A) of MxK, op(B) of KxN.
struct gemm_line {
    data_type types[3];
    bool a_transposed, b_transposed;
    dim_t M, N, K;
};
/// `primitive,exec,cpu,gemm_api,...,<ms>`.
void gemm_executed(const gemm_line &line, double milliseconds);

// ---- Fields of these lines ----

/// `prop_kind,memory_descriptors,attributes,auxiliary,problem_desc` of an operation. `asked` is the
/// same operation before layouts were chosen: its `any` marks the descriptors with `a`.
std::string fields_of(const problem &resolved, const problem &asked);

/// "attr-scales:... attr-post-ops:..."; empty for default attributes.
std::string attribute_items(const primitive_attr &attr);

} // namespace dnnl::impl::verbose
