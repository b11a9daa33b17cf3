// SPDX-License-Identifier: Apache-2.0
// The C++ interface without exceptions (compiled with -fno-exceptions): calls that succeed work as
// usual, a call that fails prints what failed and why and ends the process by a trap.

#include <cstdio>
#include <cstring>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "dnnl/dnnl.hpp"

#if DNNL_ENABLE_EXCEPTIONS
#error "this file must be compiled without exceptions"
#endif

namespace {

using namespace dnnl;

bool reorder_works() {
    const engine eng(engine::kind::cpu, 0);
    const stream strm(eng);
    float src[6] = {1, 2, 3, 4, 5, 6}, dst[6] = {};
    memory src_mem({{2, 3}, memory::data_type::f32, memory::format_tag::ab}, eng, src);
    memory dst_mem({{2, 3}, memory::data_type::f32, memory::format_tag::ba}, eng, dst);
    reorder(src_mem, dst_mem).execute(strm, src_mem, dst_mem);
    const float expected[6] = {1, 4, 2, 5, 3, 6};
    return std::memcmp(dst, expected, sizeof dst) == 0;
}

bool allow_empty_does_not_trap() {
    const memory::desc bad(
        {2, 3}, memory::data_type::f32, memory::format_tag::nchw, /* allow_empty = */ true);
    return !bad;
}

// Runs `failing` in a child and returns what that wrote to stderr before a signal ended it; empty
// if no signal did.
std::string last_words(void (*failing)()) {
    int ends[2];
    if (pipe(ends) != 0) return "";
    const pid_t child = fork();
    if (child < 0) return "";
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        failing();
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char buffer[256];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(n));
    close(ends[0]);
    int state = 0;
    waitpid(child, &state, 0);
    return WIFSIGNALED(state) ? text : "";
}

void use_empty_engine() { stream strm {engine()}; }
void use_wrong_index() { engine eng(engine::kind::cpu, 1000); }

bool check(bool ok, const char *what) {
    if (!ok) std::printf("failed: %s\n", what);
    return ok;
}

} // namespace

int main() {
    bool ok = check(allow_empty_does_not_trap(), "allow_empty gives an empty handle");
    ok &= check(last_words(use_empty_engine).find("empty") != std::string::npos,
        "an empty engine ends the process with a message");
    ok &= check(last_words(use_wrong_index).find("cannot create an engine") != std::string::npos,
        "a wrong engine index ends the process with a message");
    ok &= check(reorder_works(), "reorder");
    return ok ? 0 : 1;
}
