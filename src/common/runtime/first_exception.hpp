// SPDX-License-Identifier: Apache-2.0
// Exceptions of parallel regions: no runtime lets one leave a share, so it waits for the caller.
#pragma once

#include <atomic>
#include <exception>

namespace dnnl::impl {

/// Keeps what the first failing share of a region threw; what others throw is dropped.
class first_exception {
  public:
    /// Runs body(); an exception ends here.
    template <class Body> void catch_from(const Body &body) noexcept {
        try {
            body();
        } catch (...) {
            if (!taken_.test_and_set()) kept_ = std::current_exception();
        }
    }
    /// On the caller, when every share has ended.
    void rethrow() const {
        if (kept_) std::rethrow_exception(kept_);
    }

  private:
    std::atomic_flag taken_;
    std::exception_ptr kept_;
};

} // namespace dnnl::impl
