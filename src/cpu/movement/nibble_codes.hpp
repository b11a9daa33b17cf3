// SPDX-License-Identifier: Apache-2.0
// A tensor of 4-bit elements as codes, one per byte at the same offsets, which is what kernels work
// on. For every other type it is the tensor itself.
#pragma once

#include "common/descriptors/problem.hpp"
#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

class nibble_codes {
  public:
    nibble_codes() = default;
    /// keep: elements that no one writes must survive, or the tensor is read.
    nibble_codes(problem &p, const memory_desc &md, bool keep);

    /// The codes of the elements at `pairs`; for types of other sizes `pairs`.
    void *begin(const exec_context &ctx, void *pairs) const;
    /// Writes the codes back.
    void end(const exec_context &ctx, void *pairs) const;

  private:
    dim_t count_ = 0; ///< elements, from the start of the buffer; even
    bool keep_ = false;
    isa target_ = isa::none;
    scratch_slot<std::uint8_t> codes_;
};

} // namespace dnnl::impl::cpu
