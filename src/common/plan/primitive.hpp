// SPDX-License-Identifier: Apache-2.0
// An executable operation: checks the arguments, binds them, runs the plan. Immutable, thread-safe.
#pragma once

#include <span>
#include <vector>

#include "common/plan/primitive_desc.hpp"
#include "common/runtime/engine.hpp"

namespace dnnl::impl {
/// A tensor that must be passed to an execution, those of attributes included.
struct required_argument {
    int arg;
    const memory_desc *md; ///< what it must be; null: `values` instead
    quantization values;   ///< scales, zero points or slopes of the tensor values.arg
    bool is_output;
    bool are_slopes = false; ///< of a prelu post-op
};
} // namespace dnnl::impl

struct dnnl_primitive {
  public:
    explicit dnnl_primitive(const dnnl::impl::primitive_desc &pd);
    const dnnl::impl::primitive_desc &pd() const { return pd_; }
    /// Throws error(invalid_arguments) that names a missing, doubled or mismatched argument.
    void execute(dnnl_stream_t stream, std::span<const dnnl_exec_arg_t> args) const;

  private:
    /// One verbose line for each argument that is not needed; they are ignored otherwise.
    void mention_unknown(std::span<const dnnl_exec_arg_t> args) const;
    const dnnl_memory *find_checked(
        const dnnl::impl::required_argument &required, std::span<const dnnl_exec_arg_t> args) const;
    void bind(
        std::span<const dnnl_exec_arg_t> args, std::span<dnnl::impl::bound_argument> bound) const;
    /// bound: one entry per required argument, filled here.
    void run(
        std::span<const dnnl_exec_arg_t> args, std::span<dnnl::impl::bound_argument> bound) const;

    dnnl::impl::primitive_desc pd_;
    std::vector<dnnl::impl::required_argument> required_; ///< the operation's tensors first
    bool has_runtime_ = false;                    ///< shapes must be checked at each execution
    dnnl::impl::scratchpad_user scratchpad_user_; ///< of the library's memory
};

namespace dnnl::impl {

using primitive = ::dnnl_primitive;

// ---- What a memory must be to be passed to an execution ----

/// Why a memory with the descriptor `actual` cannot stand where a primitive reads or writes by the
/// descriptor `expected`, both in words; empty when it can. Refused are another data type, equal
/// dims whose elements lie elsewhere and a buffer that ends before the last element. Other dims are
/// a view of the buffer that the caller answers for: the memory of a parent for a submemory, {1, C}
/// for {C}. With ONEDNN_STRICT_MEMORY=1 every difference is refused. Both are concrete.
std::string memory_mismatch(const memory_desc &expected, const memory_desc &actual);

/// Why a memory cannot hold the scales or zero points of a tensor (null: one value), both shapes in
/// words; empty when it can: plain, dense row-major, its dims other than 1 those of value_dims(),
/// or all values in one dimension.
std::string values_mismatch(
    const quantization &q, const memory_desc *tensor, const memory_desc &actual);

/// Why a memory cannot hold the weights of a prelu post-op on dst; empty when it can: plain, its
/// dims other than 1 those of dst that the mask names, in their order.
std::string slopes_mismatch(int mask, const memory_desc &dst, const memory_desc &actual);

} // namespace dnnl::impl
