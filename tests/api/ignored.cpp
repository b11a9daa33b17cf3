// SPDX-License-Identifier: Apache-2.0
// What the library ignores is mentioned once on stderr: unknown values of environment variables,
// and, with verbose lines on, arguments that a primitive does not take. The program starts itself
// once per setting.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

/// What the child does: reads all settings, executes a matmul and a relu, each three times, with
/// scales that no attribute announces.
int child() {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    stream s(eng);
    const memory::desc md({2, 2}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc one({1}, memory::data_type::f32, memory::format_tag::a);
    float values[] = {1, 2, 3, 4}, factor[] = {2}, results[4];
    const memory x(md, eng, values), y(md, eng, results), scale(one, eng, factor);
    const matmul product(matmul::primitive_desc(eng, md, md, md));
    const eltwise_forward relu(eltwise_forward::primitive_desc(
        eng, prop_kind::forward_inference, algorithm::eltwise_relu, md, md));
    for (int i = 0; i < 3; ++i) {
        product.execute(s, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, x}, {DNNL_ARG_DST, y},
                               {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scale}});
        relu.execute(s, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}, {DNNL_ARG_SCRATCHPAD, memory()}});
    }
    int capacity = 0;
    dnnl_get_primitive_cache_capacity(&capacity);
    dnnl_get_cpu_isa_hints();
    // Another descriptor than the primitive's: the setting of strictness is read.
    const memory row(memory::desc({4}, memory::data_type::f32, memory::format_tag::a), eng, values);
    try {
        relu.execute(s, {{DNNL_ARG_SRC, row}, {DNNL_ARG_DST, y}});
    } catch (const error &) { // as the setting says
    }
    return results[3] == 4 ? 0 : 4;
}

struct setting {
    const char *name, *value;
};

/// The lines on stderr of a child with these variables.
std::string lines_of(const char *program, const std::vector<setting> &settings) {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    const pid_t process = fork();
    if (process == 0) {
        for (const char *prefix : {"ONEDNN_", "DNNL_"}) // what the program itself was given
            for (const char *name : {"VERBOSE", "VERBOSE_TIMESTAMP", "MAX_CPU_ISA", "CPU_ISA_HINTS",
                     "DEFAULT_FPMATH_MODE", "PRIMITIVE_CACHE_CAPACITY", "STRICT_MEMORY"})
                unsetenv((std::string(prefix) + name).c_str());
        for (const setting &s : settings) setenv(s.name, s.value, 1);
        if (!std::freopen("/dev/null", "w", stdout)) _exit(5);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, "child", static_cast<char *>(nullptr));
        _exit(6);
    }
    close(ends[1]);
    std::string text;
    char part[512];
    for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(process, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        text += "status " + std::to_string(status) + "\n";
    return text;
}

/// The values that a line about another one lists, by the end of the variable's name.
std::string known_values(const std::string &name) {
    const struct {
        const char *end, *values;
    } known[] = {
        {"_VERBOSE", "error, warn, check, dispatch, profile_create, profile_exec, profile, "
                     "all, -1, 1, 2, profile_externals, none, 0, filter=<regex>"},
        {"_VERBOSE_TIMESTAMP", "0, 1"}, {"_STRICT_MEMORY", "0, 1"},
        {"_MAX_CPU_ISA",
            "AVX10_2_AMX_2, AVX10_1_512_AMX_FP16, AVX10_2, AVX10_1_512_AMX, AVX10_1_512, "
            "AVX512_CORE_BF16, AVX512_CORE_VNNI, AVX512_CORE, AVX2_VNNI_2, AVX2_VNNI, AVX2, AVX, "
            "SSE41, DEFAULT"},
        {"_CPU_ISA_HINTS", "NO_HINTS, PREFER_YMM"},
        {"_DEFAULT_FPMATH_MODE", "STRICT, BF16, F16, TF32, ANY"},
        {"_PRIMITIVE_CACHE_CAPACITY", "numbers"}};
    for (const auto &k : known) {
        const std::string end = k.end;
        if (name.size() > end.size() && name.substr(name.size() - end.size()) == end)
            return k.values;
    }
    return "";
}
/// What such a line ends with.
std::string ignored(const std::string &name) {
    return " is not known: ignored; known: " + known_values(name) + "\n";
}

int failures = 0;
void expect(const char *program, const std::vector<setting> &settings, const std::string &lines) {
    const std::string got = lines_of(program, settings);
    if (got == lines) return;
    ++failures;
    std::string asked;
    for (const setting &s : settings) asked += std::string(s.name) + "=" + s.value + " ";
    std::printf("%s\nexpected: %s\ngot:      %s\n", asked.c_str(), lines.c_str(), got.c_str());
}

} // namespace

int main(int argc, char **argv) {
    if (argc > 1) return child();
    const char *program = argv[0];
    const std::string start = "onednn_verbose,v1,common,warn,";
    const std::string scales =
        start + "matmul,DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS is not an argument of this "
                "primitive: ignored\n";
    expect(program, {}, "");
    for (const char *level : {"1", "2", "profile", "warn", "check", "all", "-1", "dispatch"})
        expect(program, {{"ONEDNN_VERBOSE", level}}, scales);
    for (const char *level : {"0", "none", "error", "debuginfo=1", "filter=conv", ""})
        expect(program, {{"ONEDNN_VERBOSE", level}}, "");
    expect(program, {{"ONEDNN_VERBOSE", "warn,filter=relu"}}, "");
    const setting unknown[] = {{"ONEDNN_VERBOSE", "profle"}, {"DNNL_VERBOSE", "3"},
        {"ONEDNN_VERBOSE_TIMESTAMP", "yes"}, {"ONEDNN_MAX_CPU_ISA", "AVX5"},
        {"DNNL_MAX_CPU_ISA", "AVX512"}, {"ONEDNN_CPU_ISA_HINTS", "YMM"},
        {"ONEDNN_DEFAULT_FPMATH_MODE", "bf17"}, {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "many"},
        {"DNNL_STRICT_MEMORY", "yes"}};
    for (const setting &s : unknown) {
        const std::string line = start + "environment," + s.name + "=" + s.value;
        expect(program, {s}, line + ignored(s.name));
        if (std::string(s.name).find("VERBOSE") == std::string::npos)
            expect(program, {s, {"ONEDNN_VERBOSE", "none"}}, "");
    }
    const setting known[] = {{"ONEDNN_MAX_CPU_ISA", "avx2"}, {"ONEDNN_MAX_CPU_ISA", "DEFAULT"},
        {"ONEDNN_MAX_CPU_ISA", "ALL"}, {"ONEDNN_MAX_CPU_ISA", "AVX512_CORE_AMX"},
        {"ONEDNN_CPU_ISA_HINTS", "NO_HINTS"}, {"ONEDNN_CPU_ISA_HINTS", "prefer_ymm"},
        {"ONEDNN_DEFAULT_FPMATH_MODE", "STRICT"}, {"ONEDNN_DEFAULT_FPMATH_MODE", "any"},
        {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0"}, {"ONEDNN_VERBOSE_TIMESTAMP", "1"},
        {"ONEDNN_STRICT_MEMORY", "0"}, {"ONEDNN_MAX_CPU_ISA", ""}};
    for (const setting &s : known) expect(program, {s}, "");
    // What cannot be printed, or is long, is mentioned safely.
    expect(program, {{"ONEDNN_VERBOSE", "\xff%n"}},
        start + "environment,ONEDNN_VERBOSE=?%n" + ignored("ONEDNN_VERBOSE"));
    const std::string name(5000, 'A');
    expect(program, {{"ONEDNN_MAX_CPU_ISA", name.c_str()}},
        start + "environment,ONEDNN_MAX_CPU_ISA=" + name.substr(0, 60) + "..." +
            ignored("ONEDNN_MAX_CPU_ISA"));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
