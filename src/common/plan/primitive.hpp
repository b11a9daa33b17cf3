// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors: one resolved operation and the implementation chosen for it. Primitives:
// operations that can be executed, and executions that end after the call, on a pool of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/plan/implementation.hpp"
#include "common/verbose/verbose.hpp"

struct dnnl_primitive_desc;

namespace dnnl::impl {

// ---- Shared memory: what is read may share it; what is written, element on element in place ----

struct required_argument;

/// The first byte of a tensor and the byte behind its last one, counted from the start of its
/// buffer. Tensors known at execution only, or of several buffers, may lie anywhere in them.
struct byte_range {
    dim_t first = -(dim_t {1} << 62), end = dim_t {1} << 62;
};

/// Two arguments of a primitive, by their places in its list. The first is written.
struct written_pair {
    std::size_t written, other;
    bool both_written, in_place; ///< in_place: both may have one buffer
    byte_range written_bytes, other_bytes;
};
std::vector<written_pair> written_pairs(
    const op_desc &op, std::span<const required_argument> required);

/// False where the buffers alone show that no memory is shared, or all of it in place.
inline bool may_share_memory(const written_pair &pair, std::span<const bound_argument> bound) {
    const auto written = reinterpret_cast<std::intptr_t>(bound[pair.written].data);
    const auto other = reinterpret_cast<std::intptr_t>(bound[pair.other].data);
    if (pair.in_place && written == other) return false;
    return written + pair.written_bytes.first < other + pair.other_bytes.end &&
           other + pair.other_bytes.first < written + pair.written_bytes.end;
}

/// Throws where a written element overlaps one of the other argument, except in place.
void check_shared_memory(const ::dnnl_primitive_desc &pd, std::span<const bound_argument> bound,
    const written_pair &pair);
/// Throws where the user's scratchpad overlaps an argument.
void check_scratchpad(const ::dnnl_primitive_desc &pd, std::span<const bound_argument> bound,
    const std::byte *scratchpad);

/// True when every element, padding and appended sums included, has the same offset in both. Both
/// have equal dims (refusals.cpp).
bool same_places(const memory_desc &a, const memory_desc &b);

} // namespace dnnl::impl

/// A primitive descriptor. Copies share the problem and the plan, which are immutable.
struct dnnl_primitive_desc {
  public:
    /// Searches the table. Throws error(unimplemented) with the reasons of rows where none takes
    /// the operation. dst_engine is that of a reorder's result; null: the same engine.
    dnnl_primitive_desc(dnnl_engine_t engine, dnnl::impl::op_desc op,
        const dnnl_primitive_attr *attr, dnnl_engine_t dst_engine = nullptr);

    /// Moves to the next row that takes the problem; false (and no change) at the table's end.
    /// To users reorder, concat and sum have one implementation: walks_every_primitive().
    bool next_impl();

    const dnnl::impl::problem &request() const { return *request_; }
    const dnnl::impl::problem &resolved() const { return row_->resolved; }
    const dnnl::impl::plan &prepared() const { return *row_->made; }
    dnnl_engine_t engine() const { return engine_; }
    dnnl_engine_t dst_engine() const { return dst_engine_; }
    const std::string &info() const { return row_->info; }
    dnnl::impl::verbose::chosen chosen() const {
        return {*request_, row_->resolved, *engine_, row_->info};
    }
    dnnl_primitive_kind_t kind() const { return dnnl::impl::kind_of(row_->resolved.op); }
    static void forget_kept();                  ///< of creations until now
    bool was_kept() const { return was_kept_; } ///< found, not searched for

    /// The descriptor of an execution argument with the chosen layout; also post-op sources (by
    /// DNNL_ARG_ATTR_MULTIPLE_POST_OP) and the scratchpad (user mode); zero where there is none.
    const dnnl::impl::memory_desc &md(int arg) const;

    /// Tensors that execute() takes, as arguments_of() lists them, with the chosen layouts.
    const std::vector<dnnl::impl::tensor_argument> &arguments() const { return row_->arguments; }

    /// Bytes that each execution needs, whoever provides them.
    std::size_t scratchpad_bytes() const { return row_->resolved.scratchpad.bytes(); }
    bool user_scratchpad() const {
        return row_->resolved.attr.scratchpad == dnnl_scratchpad_mode_user;
    }

  private:
    /// A row that takes the problem, with the problem as it resolved it and the plan that it made.
    struct chosen_row {
        dnnl::impl::problem resolved; ///< as planned, no `any` left
        std::size_t number;
        std::unique_ptr<dnnl::impl::plan> made {};
        std::string info {};
        std::vector<dnnl::impl::tensor_argument> arguments {}; ///< into resolved
        dnnl::impl::memory_desc scratchpad {};                 ///< of user mode
        /// Lists the arguments and describes the scratchpad once a row is chosen.
        void complete();
    };
    // What the last creations found is kept, by value (kept_rows.cpp).
    /// Takes over what an equal creation found. Returns the hash of this one; 0: it is not kept.
    std::uint64_t take_kept(
        dnnl::impl::op_desc &op, const dnnl_primitive_attr &attr, dnnl::impl::isa target);
    void keep(std::uint64_t hash) const;
    struct kept_row;
    static kept_row &place_of(std::uint64_t hash, int used);
    /// Tries rows from index `first` on. Returns false, and changes nothing, when none takes the
    /// problem; then it composes the refusal where one is asked for, which needs `first` to be 0.
    bool search(std::size_t first, std::string *refusal);

    dnnl_engine_t engine_, dst_engine_;
    std::shared_ptr<const dnnl::impl::problem> request_; ///< as asked, for next_impl()
    std::shared_ptr<const chosen_row> row_;
    bool was_kept_ = false;
};

namespace dnnl::impl {

using primitive_desc = ::dnnl_primitive_desc;

/// A tensor that must be passed to an execution, those of attributes included.
struct required_argument {
    int arg;
    const memory_desc *md; ///< the expected descriptor; null: `values` instead
    quantization values;   ///< scales, zero points or slopes of the tensor values.arg
    bool is_output;
    bool are_slopes = false;                  ///< of a prelu post-op
    data_type type_of_sum = data_type::undef; ///< of dst: the type in which a sum post-op reads it
};

// ---- Which memories an execution takes (refusals.cpp) ----

/// Appends the arguments that the attributes need.
void require_arguments_of(const primitive_attr &attr, std::vector<required_argument> &list);

/// Why a memory with the descriptor `actual` cannot be the argument, in words; empty when it can.
/// `bound` has at least the tensors that the values of attributes belong to.
std::string mismatch(const required_argument &required, const memory_desc &actual,
    std::span<const bound_argument> bound);
/// The text of a check line for a memory that is accepted although its bytes are read by another
/// descriptor than its own; empty for any other memory.
std::string reread(const required_argument &required, const memory_desc &actual,
    std::span<const bound_argument> bound);

/// Throws where the extents that an execution gives run-time dimensions do not fit each other.
void check_runtime_shapes(const primitive_desc &pd, std::span<const bound_argument> bound);

[[noreturn]] void refuse(const primitive_desc &pd, int arg, const std::string &what);

} // namespace dnnl::impl

/// Checks the arguments of an execution, binds them and runs the plan. It is immutable, and several
/// threads may execute it at once.
struct dnnl_primitive {
  public:
    explicit dnnl_primitive(const dnnl::impl::primitive_desc &pd);
    const dnnl::impl::primitive_desc &pd() const { return pd_; }
    /// Throws error(invalid_arguments) that names a missing, doubled or mismatched argument.
    void execute(dnnl_stream_t stream, std::span<const dnnl_exec_arg_t> args) const;

  private:
    /// Prints one verbose line for each argument that the primitive does not need and ignores.
    void mention_unknown(std::span<const dnnl_exec_arg_t> args) const;
    const dnnl_memory *find_checked(
        const dnnl::impl::required_argument &required, std::span<const dnnl_exec_arg_t> args) const;
    void bind(
        std::span<const dnnl_exec_arg_t> args, std::span<dnnl::impl::bound_argument> bound) const;
    /// Runs the plan. `bound` has one entry per required argument, which this function fills.
    void run(dnnl_stream &stream, std::span<const dnnl_exec_arg_t> args,
        std::span<dnnl::impl::bound_argument> bound) const;

    dnnl::impl::primitive_desc pd_;
    std::vector<dnnl::impl::required_argument> required_; ///< the operation's tensors first
    std::vector<dnnl::impl::written_pair> written_pairs_;
    bool has_runtime_ = false;                    ///< shapes must be checked at each execution
    dnnl::impl::scratchpad_user scratchpad_user_; ///< of the library's memory
};

namespace dnnl::impl {

/// An address for what has no bytes: tensors without elements, and scratchpads in which nothing was
/// reserved. Plans add offsets to it, which a null pointer does not allow.
alignas(64) inline std::byte nothing[64];

/// Runs the plan on bound arguments. `users` is the user's scratchpad; where it is null, the
/// library leases one.
inline void run_plan(
    const primitive_desc &pd, std::span<const bound_argument> bound, std::byte *users) {
    const std::size_t bytes = pd.scratchpad_bytes();
    const scratchpad_lease lease(users ? 0 : bytes);
    std::byte *scratchpad = users ? users : bytes > 0 ? lease.data() : nothing;
    pd.prepared().execute(exec_context(bound, scratchpad));
}

/// An execution that was handed to an asynchronous pool: what it needs of the primitive and of the
/// memories, except for the buffers. The values of host scalars are those at the call, because the
/// caller may set others before the execution ends.
struct submitted_execution {
    primitive_desc pd;
    std::vector<memory_desc> descriptors {}; ///< of the memories whose descriptors matter
    std::vector<std::uint64_t> scalars {};   ///< the values of host scalars
    std::vector<bound_argument> bound {};
    std::byte *users;

    submitted_execution(
        const primitive_desc &made, std::span<const bound_argument> arguments, std::byte *scratch)
        : pd(made), bound(arguments.begin(), arguments.end()), users(scratch) {
        descriptors.reserve(bound.size());
        scalars.reserve(bound.size());
        for (bound_argument &b : bound) {
            descriptors.push_back(*b.md);
            b.md = &descriptors.back();
            if (!b.md->is_host_scalar()) continue;
            std::memcpy(&scalars.emplace_back(), b.data, b.md->size_bytes());
            b.data = &scalars.back();
        }
    }
};

} // namespace dnnl::impl
