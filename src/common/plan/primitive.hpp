// SPDX-License-Identifier: Apache-2.0
// An executable operation: checks the arguments, binds them, runs the plan. Immutable, thread-safe.
#pragma once

#include <span>
#include <vector>

#include "common/plan/primitive_desc.hpp"
#include "common/runtime/engine.hpp"

struct dnnl_primitive {
  public:
    explicit dnnl_primitive(const dnnl::impl::primitive_desc &pd);
    const dnnl::impl::primitive_desc &pd() const { return pd_; }
    /// Throws error(invalid_arguments) that names a missing, doubled or mismatched argument.
    void execute(dnnl_stream_t stream, std::span<const dnnl_exec_arg_t> args) const;

  private:
    /// One verbose line for each argument that is not needed; they are ignored otherwise.
    void mention_unknown(std::span<const dnnl_exec_arg_t> args) const;
    /// What dropout and stochastic rounding take.
    void require_random_arguments(const dnnl::impl::primitive_attr &attr);
    /// A tensor that must be passed; attribute tensors included.
    struct required_argument {
        int arg;
        const dnnl::impl::memory_desc *md; ///< what it must be; null: `values` instead
        dnnl::impl::quantization values; ///< scales, zero points or slopes of the tensor values.arg
        bool is_output;
        bool are_slopes = false; ///< of a prelu post-op
    };
    const dnnl_memory *find_checked(
        const required_argument &required, std::span<const dnnl_exec_arg_t> args) const;
    void check_values(const required_argument &required, const dnnl_memory &memory,
        std::span<const dnnl::impl::bound_argument> bound) const;
    /// Run-time dims come from the memory, everything else must agree.
    void check_runtime(
        const required_argument &required, const dnnl::impl::memory_desc &actual) const;
    /// A memory of another descriptor than the primitive's, by which it is read all the same.
    void check_view(const required_argument &required, const dnnl::impl::memory_desc &actual) const;
    void bind(
        std::span<const dnnl_exec_arg_t> args, std::span<dnnl::impl::bound_argument> bound) const;
    /// bound: one entry per required argument, filled here.
    void run(
        std::span<const dnnl_exec_arg_t> args, std::span<dnnl::impl::bound_argument> bound) const;

    dnnl::impl::primitive_desc pd_;
    std::vector<required_argument> required_;     ///< the operation's tensors first
    bool has_runtime_ = false;                    ///< shapes must be checked at each execution
    dnnl::impl::scratchpad_user scratchpad_user_; ///< of the library's memory
};

namespace dnnl::impl {
using primitive = ::dnnl_primitive;
}
