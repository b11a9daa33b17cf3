// SPDX-License-Identifier: Apache-2.0
// The tensors and the temporary memory of one execute() call.
#pragma once

#include <cstddef>
#include <span>

#include "common/layout/memory_desc.hpp"
#include "common/runtime/scratchpad.hpp"

namespace dnnl::impl {

/// One argument: the descriptor by which it is read (the primitive's; the memory's for what the
/// primitive knows at execution only: run-time dims, scales, zero points, slopes) and its buffer
/// (the descriptor's offset0 is not added).
struct bound_argument {
    int arg;
    const memory_desc *md;
    void *data;
};

class exec_context {
  public:
    exec_context(std::span<const bound_argument> arguments, std::byte *scratchpad)
        : arguments_(arguments), scratchpad_(scratchpad) {}

    /// Buffers of arguments, null for those not passed. offset0 of the descriptor is NOT added.
    template <class T> const T *in(int arg) const { return static_cast<const T *>(data(arg)); }
    template <class T> T *out(int arg) const { return static_cast<T *>(data(arg)); }
    void *data(int arg) const {
        const bound_argument *found = find(arg);
        return found ? found->data : nullptr;
    }
    /// The descriptor by which the argument is read; a zero descriptor for an argument not passed.
    const memory_desc &desc(int arg) const {
        static const memory_desc none {};
        const bound_argument *found = find(arg);
        return found ? *found->md : none;
    }
    std::span<const bound_argument> arguments() const { return arguments_; }

    template <class T> T *scratch(scratch_slot<T> slot) const {
        return reinterpret_cast<T *>(scratchpad_ + slot.offset);
    }

  private:
    const bound_argument *find(int arg) const {
        for (const bound_argument &a : arguments_)
            if (a.arg == arg) return &a;
        return nullptr;
    }
    std::span<const bound_argument> arguments_;
    std::byte *scratchpad_;
};

} // namespace dnnl::impl
