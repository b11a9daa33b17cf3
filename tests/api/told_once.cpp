// SPDX-License-Identifier: Apache-2.0
// What the library says on stderr once per process: variables of the environment that it does not
// know, and large problems on reference rows. The program starts itself with each environment.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

using variables = std::vector<std::pair<const char *, const char *>>;

/// What the child does: creates products of 2 M N K operations, twice, of a type that the lowest
/// level leaves to the reference.
int create(dnnl::memory::dim extent) {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    const memory::desc md({extent, extent}, memory::data_type::f16, memory::format_tag::ab);
    for (int i = 0; i < 2; ++i) matmul(matmul::primitive_desc(eng, md, md, md));
    return 0;
}

/// The lines that a child with this environment writes to stderr.
std::vector<std::string> told(const char *program, const char *extent, const variables &set) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const pid_t child = fork();
    if (child == 0) {
        for (const auto &one : set) setenv(one.first, one.second, 1);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, extent, static_cast<char *>(nullptr));
        _exit(6);
    }
    close(ends[1]);
    std::vector<std::string> lines;
    std::FILE *from = fdopen(ends[0], "r");
    for (char line[512]; std::fgets(line, sizeof line, from);) lines.push_back(line);
    std::fclose(from);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) lines.push_back("the child failed");
    return lines;
}

int failures = 0;

/// There is one line, and it has this text; none for an empty text.
void expect(const char *program, const char *extent, const variables &set, const char *text) {
    const std::vector<std::string> lines = told(program, extent, set);
    const std::size_t wanted = *text ? 1 : 0;
    if (lines.size() == wanted && (!wanted || lines[0].find(text) != std::string::npos)) return;
    ++failures;
    std::printf("failed: '%s' is wanted with", text);
    for (const auto &one : set) std::printf(" %s=%s", one.first, one.second);
    std::printf(", there are %zu lines\n", lines.size());
    for (const std::string &line : lines) std::printf("  %s", line.c_str());
}

} // namespace

int main(int argc, char **argv) {
    if (argc > 1) return create(std::atoi(argv[1]));
    for (const char *name : {"ONEDNN_VERBOSE", "DNNL_VERBOSE", "ONEDNN_WARN", "DNNL_WARN",
             "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
        unsetenv(name);
    const char *const me = argv[0];
    const char small[] = "32", large[] = "256"; // 65,536 and 33 million operations
    // Variables.
    expect(me, small, {}, "");
    expect(me, small, {{"ONEDNN_VERBOS", "1"}}, "environment,ONEDNN_VERBOS is not known: ignored");
    expect(me, small, {{"DNNL_MAX_ISA", "AVX2"}}, "environment,DNNL_MAX_ISA is not known: ignored");
    expect(me, small, {{"ONEDNN_VERBOS", "1"}, {"ONEDNN_VERBOSE", "none"}}, "");
    expect(me, small,
        {{"ONEDNN_WARN", "1"}, {"DNNL_ROOT", "/opt"}, {"ONEDNN_JIT_DUMP", "1"},
            {"ONEDNN_GRAPH_DUMP", "1"}, {"DNNLROOT", "/opt"}},
        "");
    // Reference rows.
    const std::pair<const char *, const char *> low {"ONEDNN_MAX_CPU_ISA", "SSE41"};
    expect(me, large, {low}, "warn,matmul,reference,34 million operations");
    expect(me, small, {low}, "");
    expect(me, large, {low, {"DNNL_WARN", "0"}}, "");
    expect(me, large, {low, {"ONEDNN_WARN", "0"}}, "");
    expect(me, large, {low, {"ONEDNN_VERBOSE", "none"}}, "");
    std::printf("%d failures\n", failures);
    return failures != 0;
}
