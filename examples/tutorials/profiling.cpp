// SPDX-License-Identifier: Apache-2.0
// Where the time goes: with verbose level 1 (ONEDNN_VERBOSE=1, or this call) each execution prints
// a line with the implementation that ran, the problem and the milliseconds. The example reads its
// own lines and adds up the times by primitive, as a script does with a whole program's.
#include <cstdlib>
#include <map>
#include <sstream>
#include <unistd.h>

#include "../example.hpp"

using namespace examples;

namespace {

/// What `body` prints to stdout, by a pipe to a file.
template <class Body> std::string printed(const Body &body) {
    std::FILE *file = std::tmpfile();
    std::fflush(stdout);
    const int kept = dup(1);
    dup2(fileno(file), 1);
    body();
    std::fflush(stdout);
    dup2(kept, 1);
    close(kept);
    std::rewind(file);
    std::string text;
    char part[512];
    while (std::fgets(part, sizeof part, file)) text += part;
    std::fclose(file);
    return text;
}

} // namespace

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 200;
        std::vector<float> a = numbers(m * m, 1), b = numbers(m * m, 2), c(m * m);
        const memory::desc md({m, m}, dt::f32, tag::ab);
        const dnnl::matmul product(dnnl::matmul::primitive_desc(cpu, md, md, md));
        const dnnl::softmax_forward softmax(dnnl::softmax_forward::primitive_desc(
            cpu, prop_kind::forward_inference, algorithm::softmax_accurate, md, md, 1));
        const memory c_m(md, cpu, c.data());

        const std::string text = printed([&] {
            dnnl_set_verbose(1);
            for (int round = 0; round < 3; ++round) {
                execute(product, cpu,
                    {{DNNL_ARG_SRC, memory(md, cpu, a.data())},
                        {DNNL_ARG_WEIGHTS, memory(md, cpu, b.data())}, {DNNL_ARG_DST, c_m}});
                execute(softmax, cpu, {{DNNL_ARG_SRC, c_m}, {DNNL_ARG_DST, c_m}});
            }
            dnnl_set_verbose(0);
        });

        // onednn_verbose,v1,primitive,exec,cpu,<primitive>,<implementation>,...,<milliseconds>
        std::map<std::string, double> milliseconds;
        std::map<std::string, int> calls;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            if (line.find(",primitive,exec,") == std::string::npos) continue;
            std::vector<std::string> fields;
            std::istringstream cells(line);
            for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
            const std::string name = fields.at(5) + " by " + fields.at(6);
            milliseconds[name] += std::atof(fields.back().c_str());
            ++calls[name];
        }
        for (const auto &entry : milliseconds)
            std::printf(
                "%-40s %d calls %9.3f ms\n", entry.first.c_str(), calls[entry.first], entry.second);
        expect(calls.size() == 2, "two primitives ran");
        for (const auto &entry : calls) expect(entry.second == 3, "each three times");
    });
}
