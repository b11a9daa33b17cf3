// SPDX-License-Identifier: Apache-2.0
// The one way to refuse inside the library: an exception with a status and a reason in words.
// The guard of the C entry points (c_api/guard.hpp) turns it into the status and keeps the reason.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "dnnl/dnnl_types.h"

namespace dnnl::impl {

/// A refused request: the status that the C function returns, and why.
class error : public std::exception {
  public:
    error(dnnl_status_t status, std::string reason) : status_(status), reason_(std::move(reason)) {}
    dnnl_status_t status() const { return status_; }
    const char *what() const noexcept override { return reason_.c_str(); }
    void append(const std::string &text) { reason_ += text; }
    /// True once a verbose line has told the error, or its filter hides it.
    bool told = false;
    /// Moves the reason out, which leaves what() empty.
    std::string take_reason() noexcept { return std::move(reason_); }

  private:
    dnnl_status_t status_;
    std::string reason_;
};

/// The error for a size that 64 bits do not hold. Where the user asks for the layout, an argument
/// is wrong; where a row of the table would choose the layout, the row refuses.
class size_overflow final : public error {
  public:
    explicit size_overflow(const char *reason) : error(dnnl_invalid_arguments, reason) {}
};
inline void require_size(bool fits, const char *reason) {
    if (!fits) throw size_overflow(reason);
}

/// Throws error(invalid_arguments, reason), which names the argument, unless the condition holds.
inline void require(bool condition, const char *reason) {
    if (!condition) throw error(dnnl_invalid_arguments, reason);
}
inline void require(bool condition, const std::string &reason) {
    if (!condition) throw error(dnnl_invalid_arguments, reason);
}
/// The same with the reason "<subject>: <what>", composed only when it is needed.
inline void require(bool condition, const char *subject, const char *what) {
    if (!condition) throw error(dnnl_invalid_arguments, std::string(subject) + ": " + what);
}

/// Throws error(unimplemented, reason) unless the condition holds.
inline void require_implemented(bool condition, const char *reason) {
    if (!condition) throw error(dnnl_unimplemented, reason);
}

/// The reason of the last failed call on this thread, whole; "" when there was none.
const char *last_error();
/// Keeps a literal, or another text of at most 1023 bytes, for last_error().
void set_last_error(const char *reason) noexcept;
/// Keeps a text of any length.
void set_last_error(std::string &&reason) noexcept;

} // namespace dnnl::impl
