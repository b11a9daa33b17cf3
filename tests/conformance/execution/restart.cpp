// SPDX-License-Identifier: Apache-2.0
// fork + exec of this program, and the comparison of what the runs report.
#include "execution/restart.hpp"

#include "language/text.hpp"
#include "language/usage_error.hpp"

#include "oneapi/dnnl/dnnl.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace conformance {
namespace {

struct cap_name {
    const char *name;
    dnnl::cpu_isa isa;
};
const cap_name cap_names[] = {{"SSE41", dnnl::cpu_isa::sse41}, {"AVX2", dnnl::cpu_isa::avx2},
    {"AVX2_VNNI", dnnl::cpu_isa::avx2_vnni}, {"AVX512_CORE", dnnl::cpu_isa::avx512_core},
    {"AVX512_CORE_VNNI", dnnl::cpu_isa::avx512_core_vnni},
    {"AVX512_CORE_BF16", dnnl::cpu_isa::avx512_core_bf16},
    {"AVX512_CORE_AMX", dnnl::cpu_isa::avx512_core_amx}};

struct setting {
    std::string name, value;
};

struct outcome {
    int status = 1;
    long passed = 0, failed = 0, skipped = 0;
};

// The program itself; its output goes through, and the last line's counts are read.
outcome run_self(
    const std::vector<std::string> &arguments, const std::vector<setting> &environment) {
    int ends[2];
    if (pipe(ends) != 0) throw usage_error("no pipe");
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) throw usage_error("no process");
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        for (const setting &s : environment) setenv(s.name.c_str(), s.value.c_str(), 1);
        std::vector<char *> argv = {const_cast<char *>("dnnl-conformance")};
        for (const std::string &argument : arguments)
            argv.push_back(const_cast<char *>(argument.c_str()));
        argv.push_back(nullptr);
        execv("/proc/self/exe", argv.data());
        _exit(127);
    }
    close(ends[1]);
    outcome result;
    std::FILE *const output = fdopen(ends[0], "r");
    char line[4096];
    while (std::fgets(line, sizeof line, output)) {
        std::fputs(line, stdout);
        std::sscanf(line, "%ld passed, %ld failed, %ld skipped", &result.passed, &result.failed,
            &result.skipped);
    }
    std::fclose(output);
    int status = 0;
    waitpid(child, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

void print_outcome(const std::string &title, const outcome &o) {
    std::printf("  %-18s %7ld passed %7ld failed %7ld skipped%s\n", title.c_str(), o.passed,
        o.failed, o.skipped,
        o.status == 77                   ? "  (not on this CPU)"
        : o.status != 0 && o.failed == 0 ? "  (ended early)"
                                         : "");
}

int finish(const outcome &total, bool failed) {
    std::printf("%ld passed, %ld failed, %ld skipped\n", total.passed, total.failed, total.skipped);
    return failed ? 1 : 0;
}

void accumulate(outcome &total, const outcome &o) {
    total.passed += o.passed;
    total.failed += o.failed + (o.status != 0 && o.status != 77 && o.failed == 0 ? 1 : 0);
    total.skipped += o.skipped;
}

// "row | case line" to result bits, of a file that the report wrote.
std::map<std::string, std::string> hashes_in(const std::string &path) {
    std::map<std::string, std::string> hashes;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line))
        if (line.size() > 17) hashes[line.substr(17)] = line.substr(0, 16);
    return hashes;
}

} // namespace

std::vector<std::string> default_caps() {
    std::vector<std::string> names;
    for (const cap_name &cap : cap_names) names.push_back(cap.name);
    return names;
}

bool reaches_cap(const std::string &name, std::string &why_not) {
    for (const cap_name &cap : cap_names) {
        if (upper_case(name) != cap.name) continue;
        const int wanted = int(cap.isa), got = int(dnnl::get_effective_cpu_isa());
        if ((got & wanted) == wanted) return true;
        why_not = "this CPU lacks " + name;
        return false;
    }
    throw usage_error("unknown cap '" + name + "'; caps: " + joined(default_caps(), " "), 2);
}

int run_per_cap(const std::vector<std::string> &arguments, const std::vector<std::string> &caps) {
    std::vector<outcome> outcomes;
    outcome total;
    for (const std::string &cap : caps) {
        std::printf("== ONEDNN_MAX_CPU_ISA=%s\n", cap.c_str());
        auto with_cap = arguments;
        with_cap.insert(with_cap.begin(), "--require-isa=" + cap);
        outcomes.push_back(run_self(with_cap, {{"ONEDNN_MAX_CPU_ISA", cap}}));
        accumulate(total, outcomes.back());
    }
    std::printf("caps:\n");
    for (std::size_t i = 0; i < caps.size(); ++i) print_outcome(caps[i], outcomes[i]);
    return finish(total, total.failed > 0);
}

int run_per_thread_count(
    const std::vector<std::string> &arguments, const std::vector<std::string> &counts) {
    outcome total;
    std::map<std::string, std::string> first;
    long differences = 0;
    for (const std::string &count : counts) {
        std::printf("== OMP_NUM_THREADS=%s\n", count.c_str());
        const std::string path =
            "/tmp/dnnl-conformance." + std::to_string(getpid()) + "." + count + ".hashes";
        auto with_hashes = arguments;
        with_hashes.insert(with_hashes.begin(), "--hashes=" + path);
        const outcome run = run_self(with_hashes,
            {{"OMP_NUM_THREADS", count}, {"OMP_WAIT_POLICY", "passive"}, {"OMP_DYNAMIC", "false"}});
        accumulate(total, run);
        const auto hashes = hashes_in(path);
        unlink(path.c_str());
        if (first.empty()) first = hashes;
        for (const auto &entry : first) {
            const auto found = hashes.find(entry.first);
            if (found != hashes.end() && found->second == entry.second) continue;
            ++differences;
            std::printf("FAILED (other bits with %s threads than with %s) %s\n", count.c_str(),
                counts[0].c_str(), entry.first.c_str());
        }
    }
    std::printf("results compared over %zu numbers of threads: %zu, different: %ld\n",
        counts.size(), first.size(), differences);
    total.failed += differences;
    return finish(total, total.failed > 0 || first.empty());
}

} // namespace conformance
