// SPDX-License-Identifier: Apache-2.0
// dnnl-explain: what the library does with a problem, and why: the row, the rows before it with
// their reasons, layouts, blocks, memory, and what limits the speed.
#include "dispatch.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "../program/peaks.hpp"
#include "../program/prepared_case.hpp"
#include "execution/execution.hpp"
#include "execution/interpreter.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

namespace {

using conformance::tensor_spec;
using conformance::test_case;
using conformance::test_problem;

struct options {
    bool without_times = false;
    double ms = 50;
    std::vector<std::string> words; ///< of the case language
};

void heading(const char *what) { std::printf("%-12s", what); }
void further() { heading(""); }

std::string bytes_text(double bytes) {
    char text[32];
    if (bytes < 10240)
        std::snprintf(text, sizeof text, "%.0f bytes", bytes);
    else if (bytes < (10 << 20))
        std::snprintf(text, sizeof text, "%.1f KiB", bytes / 1024);
    else
        std::snprintf(text, sizeof text, "%.1f MiB", bytes / 1024 / 1024);
    return text;
}

/// The instruction sets of these rows, each once: "amx, avx512".
std::string levels_of(const std::vector<std::string> &rows) {
    std::string text;
    for (const std::string &row : rows) {
        const std::string level = row.substr(row.find(':') + 1);
        const bool listed = (", " + text + ",").find(", " + level + ",") != std::string::npos;
        if (!listed) text += (text.empty() ? "" : ", ") + level;
    }
    return text;
}

void print_rows(const explain::dispatch &told, const std::string &row, bool taken) {
    heading("row");
    std::printf("%s\n", row.c_str());
    const explain::explained e = explain::grouped(told.refusals);
    if (!e.without_instructions.empty()) {
        heading("not here");
        std::printf("rows of %s: the processor, or ONEDNN_MAX_CPU_ISA, does not allow them\n",
            levels_of(e.without_instructions).c_str());
    }
    const char *title = "refused by";
    for (const explain::refusal &r : e.refused) {
        heading(title);
        std::printf("%s: %s\n", r.row.c_str(), r.reason.c_str());
        title = "";
    }
    if (taken && !e.refused.empty()) {
        further();
        std::printf("(these rows are faster: they take the problem without this)\n");
    }
    title = "for others";
    for (const explain::refusal &r : e.made_for_others) {
        heading(title);
        std::printf("%s: %s\n", r.row.c_str(), r.reason.c_str());
        title = "";
    }
}

/// The layout, as the library describes it: that of a verbose line without type and extents.
std::string layout_text(const dnnl::memory::desc &md) {
    if (md.get_format_kind() != dnnl::memory::format_kind::blocked) return "its own";
    std::string tag;
    const int ndims = md.get_ndims();
    std::vector<int> order(std::size_t(ndims), 0);
    for (int d = 0; d < ndims; ++d) order[std::size_t(d)] = d;
    const dnnl::memory::dims strides = md.get_strides(), blocks = md.get_inner_blks();
    const dnnl::memory::dims inner = md.get_inner_idxs();
    std::stable_sort(order.begin(), order.end(),
        [&](int a, int b) { return strides[std::size_t(a)] > strides[std::size_t(b)]; });
    const auto is_blocked = [&](int d) {
        return std::find(inner.begin(), inner.end(), d) != inner.end();
    };
    for (const int d : order) tag += char((is_blocked(d) ? 'A' : 'a') + d);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        tag += std::to_string(blocks[i]) + char('a' + inner[i]);
    return tag;
}

void print_tensors(const test_problem &problem, const dnnl::primitive_desc_base &pd) {
    const char *title = "tensors";
    for (const tensor_spec &spec : problem.tensors) {
        if (!spec.passed) continue;
        const dnnl::memory::desc md = concrete_desc(spec, pd);
        heading(title);
        title = "";
        const bool open = spec.requested.get_format_kind() == dnnl::memory::format_kind::any;
        std::printf("%-14s %-8s %-20s %-14s %s%s\n", spec.name.c_str(),
            conformance::name_of(spec.type).c_str(), conformance::dims_text(spec.shape).c_str(),
            layout_text(md).c_str(), bytes_text(double(md.get_size())).c_str(),
            !open                                         ? ""
            : spec.holds == conformance::meaning::weights ? ", chosen: reorder once, keep it"
                                                          : ", chosen");
    }
    heading("scratchpad");
    std::printf(
        "%s\n", bytes_text(double(pd.query_s64(dnnl::query::memory_consumption_s64))).c_str());
}

void print_times(
    const test_case &c, const options &o, const std::vector<bench::measured_peak> &peaks) {
    dnnl_set_verbose(0); // what follows creates more
    bench::prepared_case prepared(c);
    const double us = bench::median(prepared.run(o.ms, false));
    const int threads = bench::threads_in_use();
    heading("work");
    const double products = prepared.operations / 2;
    if (products > 0)
        std::printf("%.3g million products, %s: %.2g products for each byte\n", products / 1e6,
            bytes_text(prepared.bytes).c_str(), products / prepared.bytes);
    else
        std::printf("%s read and written\n", bytes_text(prepared.bytes).c_str());
    heading("time");
    std::printf("%.3g microseconds on %d thread%s; creation %.3g, the first %.3g\n", us, threads,
        threads == 1 ? "" : "s", prepared.creation_us, prepared.first_creation_us);
    heading("limit");
    const double multiplying =
        products > 0 ? bench::share_of_peak(peaks, c.types(), products / (us * 1e3), threads) : 0;
    const double copies = bench::copy_gigabytes_per_second(prepared.bytes) * threads;
    const double moving = copies > 0 ? prepared.bytes / (us * 1e3) / copies : 0;
    std::printf("%s: %.0f %% of the peak of the multipliers, %.0f %% of the speed of copying\n",
        multiplying >= moving ? "the multipliers" : "memory and caches", multiplying * 100,
        moving * 100);
    if (std::max(multiplying, moving) < 0.5) {
        further();
        std::printf("(below half of both: short executions and awkward shapes pay for their "
                    "overheads; slow rows, too)\n");
    }
}

void print_case(
    const test_case &c, const options &o, const std::vector<bench::measured_peak> &peaks) {
    std::printf("%s\n", c.line().c_str());
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const std::unique_ptr<test_problem> problem = conformance::make_problem(c);
    dnnl::primitive_desc_base pd;
    std::string fault;
    const explain::dispatch told = explain::observed([&] {
        try {
            pd = problem->create(cpu, problem->attributes());
        } catch (const dnnl::error &e) {
            fault = e.what();
        }
    });
    print_rows(told, fault.empty() ? pd.impl_info_str() : "none: " + fault, fault.empty());
    if (fault.empty()) {
        print_tensors(*problem, pd);
        const char *title = "products";
        for (const std::string &cut : told.cuts) {
            heading(title);
            std::printf("%s\n", cut.c_str());
            title = "";
        }
        if (!o.without_times) print_times(c, o, peaks);
    }
    std::printf("\n");
}

int run(const options &o) {
    std::vector<test_case> cases;
    conformance::interpreter language(
        [&](const test_case &c, const conformance::run_options &) { cases.push_back(c); }, {});
    language.run(o.words);
    if (cases.empty()) throw conformance::usage_error("no case: name a driver and a problem");
    if (cases.size() > 1 && !o.without_times)
        throw conformance::usage_error("one case at a time, or --no-times for several");
    const std::vector<bench::measured_peak> peaks =
        o.without_times ? std::vector<bench::measured_peak>() : bench::measure_peaks();
    for (const test_case &c : cases) print_case(c, o, peaks);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    setenv("ONEDNN_VERBOSE", "dispatch", 1); // before the library reads it
    options o;
    CLI::App app {
        "Explains a problem in the language of dnnl-conformance: which implementation takes it, "
        "why those before it do not, layouts, blocks, memory and what limits its speed.\n"
        "Example: dnnl-explain --conv --dt=f32 mb1ic64ih56oc64oh56kh3ph1"};
    app.allow_extras();
    app.add_flag("--no-times", o.without_times, "measure nothing; several cases are possible then");
    app.add_option("--ms", o.ms, "milliseconds of measuring")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    // One argument may hold the whole line.
    for (const std::string &word : app.remaining())
        for (const std::string &token : conformance::batch_tokens(word)) o.words.push_back(token);
    try {
        return run(o);
    } catch (const std::exception &fault) {
        std::cerr << "dnnl-explain: " << fault.what() << '\n';
        return 2;
    }
}
