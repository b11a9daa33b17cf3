// SPDX-License-Identifier: Apache-2.0
// mmap'ed regions with PROT_NONE neighbours, and the SIGSEGV handler that reports an overrun.
#include "execution/guarded_buffer.hpp"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace conformance {
namespace {

constexpr std::uint8_t pattern = 0x5c;
constexpr std::size_t page = 4096, largest_margin = 16 * page;

} // namespace

guarded_buffer::~guarded_buffer() {
    if (region_) munmap(region_ - page, region_bytes_ + 2 * page);
}

void guarded_buffer::fill(const std::vector<std::uint8_t> &contents, placement where) {
    const std::size_t wanted = std::max(page, (contents.size() + page - 1) / page * page);
    if (wanted > region_bytes_) {
        if (region_) munmap(region_ - page, region_bytes_ + 2 * page);
        region_ = nullptr;
        void *const whole =
            mmap(nullptr, wanted + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (whole == MAP_FAILED) throw std::bad_alloc();
        region_ = static_cast<std::uint8_t *>(whole) + page;
        region_bytes_ = wanted;
        if (mprotect(region_, wanted, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    }
    size_ = contents.size();
    const std::size_t margin = std::min(largest_margin, region_bytes_ - size_);
    data_ = where == placement::end ? region_ + region_bytes_ - size_ : region_;
    margin_begin_ = where == placement::end ? data_ - margin : data_ + size_;
    margin_end_ = margin_begin_ + margin;
    std::memset(margin_begin_, pattern, margin);
    std::copy(contents.begin(), contents.end(), data_);
}

bool guarded_buffer::rest_is_untouched() const {
    if (margin_begin_ == margin_end_) return true;
    const auto margin = std::size_t(margin_end_ - margin_begin_);
    return *margin_begin_ == pattern &&
           std::memcmp(margin_begin_, margin_begin_ + 1, margin - 1) == 0;
}

namespace {

sigjmp_buf return_point;
pthread_t judged_thread;
volatile std::sig_atomic_t armed = 0;
std::string current_line; // outlives the case, for faults on other threads

void on_fault(int signal) {
    if (armed && pthread_equal(pthread_self(), judged_thread)) siglongjmp(return_point, signal);
    const char message[] =
        "FAILED (a fault outside the guarded calls or on a worker thread) __REPRO: ";
    (void)!write(1, message, sizeof message - 1);
    (void)!write(1, current_line.data(), current_line.size());
    (void)!write(1, "\n", 1);
    _exit(1);
}

// On a stack of its own, so that an endless recursion is reported as well.
void install_handler() {
    static char handler_stack[1 << 16];
    stack_t stack {};
    stack.ss_sp = handler_stack;
    stack.ss_size = sizeof handler_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = on_fault;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

} // namespace

bool runs_inside_memory(
    const std::function<void()> &action, const std::string &line, std::string &what) {
    static const bool installed = (install_handler(), true);
    (void)installed;
    judged_thread = pthread_self();
    current_line = line;
    if (const int signal = sigsetjmp(return_point, 1)) {
        armed = 0;
        what = signal == SIGFPE   ? "divided by zero"
               : signal == SIGILL ? "used an illegal instruction"
                                  : "touched memory outside a buffer (or ran out of stack)";
        return false;
    }
    armed = 1;
    try {
        action();
    } catch (...) {
        armed = 0;
        throw;
    }
    armed = 0;
    return true;
}

} // namespace conformance
