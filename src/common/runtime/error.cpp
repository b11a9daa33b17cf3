// SPDX-License-Identifier: Apache-2.0
// Keeps the reason of the last failed call of each thread, which cannot fail itself: texts of up to
// 1 KB lie in the thread's own storage, longer ones are taken over from the error.
#include "common/runtime/error.hpp"

#include <algorithm>
#include <string_view>

namespace dnnl::impl {

namespace {
constexpr std::size_t short_bytes = 1024;
thread_local char short_text[short_bytes] = "";
/// False once the thread is ending and its long text has been destroyed.
thread_local bool takes_long_text = true;
thread_local bool is_long = false;

struct long_text {
    std::string text;
    ~long_text() { is_long = takes_long_text = false; }
};
thread_local long_text kept;

void set_short(std::string_view reason) noexcept {
    const std::size_t length = std::min(reason.size(), short_bytes - 1);
    std::copy_n(reason.data(), length, short_text);
    short_text[length] = '\0';
    if (is_long) kept.text = std::string();
    is_long = false;
}
} // namespace

const char *last_error() { return is_long ? kept.text.c_str() : short_text; }

void set_last_error(const char *reason) noexcept { set_short(reason); }

void set_last_error(std::string &&reason) noexcept {
    if (reason.size() < short_bytes || !takes_long_text) return set_short(reason);
    kept.text = std::move(reason);
    is_long = true;
}

} // namespace dnnl::impl
