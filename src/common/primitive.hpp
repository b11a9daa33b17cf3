// SPDX-License-Identifier: Apache-2.0
// An executable operation: checks the arguments, binds them, runs the plan. Immutable, thread-safe.
#pragma once

#include <span>
#include <vector>

#include "common/engine.hpp"
#include "common/primitive_desc.hpp"

struct dnnl_primitive {
  public:
    explicit dnnl_primitive(const dnnl::impl::primitive_desc &pd);
    const dnnl::impl::primitive_desc &pd() const { return pd_; }
    /// Throws error(invalid_arguments) that names a missing, doubled or mismatched argument.
    void execute(dnnl_stream_t stream, std::span<const dnnl_exec_arg_t> args) const;

  private:
    dnnl::impl::primitive_desc pd_;
    std::vector<int> required_; ///< arguments that must be passed, attribute arguments included
};

namespace dnnl::impl {
using primitive = ::dnnl_primitive;
}
