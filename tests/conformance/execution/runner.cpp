// SPDX-License-Identifier: Apache-2.0
// Creation of a case's primitive, and what each mode does with it.
#include "execution/runner.hpp"

#include "execution/diagnostics.hpp"
#include "execution/threading_context.hpp"
#include "language/tags.hpp"
#include "language/usage_error.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace conformance {
namespace {

// A failure that is no mismatch.
struct failed_check : std::runtime_error {
    using std::runtime_error::runtime_error;
};

bool has_one_element(const test_problem &problem) {
    return std::all_of(problem.tensors.begin(), problem.tensors.end(),
        [](const tensor_spec &spec) { return product(spec.shape) == 1; });
}

// Inputs, results and the oracle's intervals of one fill must fit beside each other.
void check_memory(const test_problem &problem) {
    double elements = 0;
    for (const tensor_spec &spec : problem.tensors) elements += double(product(spec.shape));
    const double oracle_bytes = 3.0 * (sizeof(double) + sizeof(interval)) * elements;
    const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    if (oracle_bytes > 0.8 * memory) throw skipped_case("Not enough RAM");
}

double elapsed_ms(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    return time.count();
}

} // namespace

case_result runner::run(
    const test_case &c, const run_options &options, std::size_t index, const made_ahead *made) {
    case_result result;
    result.index = index;
    result.driver = c.what->name;
    result.direction = c.direction();
    result.types = c.types();
    result.line = options.line(c);
    const auto end = [&](status what, const std::string &reason) {
        result.what = what;
        result.reason = reason;
        return result;
    };
    if (options.global.mode == run_mode::list) return end(status::listed, "");
    if (index < options.global.start) return end(status::skipped, "Skip-start option hit");
    verbose_ = options.global.verbose;
    buffer_prefix_ = options.global.buffer_prefix;
    place_.tell_elements(verbose_ >= tells_elements);
    if (verbose_ >= tells_problems) std::printf("create: %s\n", result.line.c_str());
    try {
        const threading_context creation(c, "ctx-init");
        const auto problem = make_problem(c);
        if (verbose_ >= tells_problems && !problem->warning.empty())
            std::printf("warning: %s\n", problem->warning.c_str());
        result.one_element = has_one_element(*problem);
        if (options.global.memory_check) check_memory(*problem);
        run_mode_of(*problem, options, made, result);
        return result;
    } catch (const skipped_case &reason) {
        return end(status::skipped, reason.what());
    } catch (const usage_error &) {
        throw;
    } catch (const std::runtime_error &fault) {
        return end(status::failed, fault.what());
    } catch (const dnnl::error &error) {
        if (error.status == dnnl_unimplemented) return end(status::unimplemented, error.what());
        if (error.status == dnnl_invalid_arguments)
            return end(status::invalid_arguments, error.what());
        return end(
            status::failed, "status " + std::to_string(int(error.status)) + ": " + error.what());
    }
}

void runner::run_mode_of(const test_problem &problem, const run_options &options,
    const made_ahead *made, case_result &result) {
    const global_options &global = options.global;
    if (made && made->fault) std::rethrow_exception(made->fault);
    dnnl::primitive_desc_base pd = made ? made->pd : created(problem);
    if (options.walk_only) return walk(problem, pd, result);
    select(problem, options.filter, pd);
    check_implementation(problem, pd, global);
    if (verbose_ >= tells_implementations) std::printf("implementation: %s\n", pd.impl_info_str());
    if (verbose_ >= tells_settings) {
        print_memory(problem, pd);
        print_fills(problem, seed_);
    }
    if (verbose_ >= tells_problems) std::printf("run: %s\n", result.line.c_str());
    if (global.mode == run_mode::create) {
        const dnnl::primitive primitive(pd.get());
        result.what = status::initialized;
        return;
    }
    const threading_context execution(problem.line, "ctx-exe");
    result.what = status::executed;
    if (global.mode == run_mode::execute) execute_once(problem, pd, global);
    if (global.mode == run_mode::repeat) repeat(problem, pd, result);
    if (global.mode == run_mode::compare)
        judge_all(problem, options.filter, created(problem), result);
    if (global.mode == run_mode::measure) measure(problem, pd, options, result);
}

dnnl::primitive_desc_base runner::created(const test_problem &problem) const {
    dnnl::primitive_desc_base pd;
    std::string fault;
    const auto create = [&] { pd = problem.create(place_.engine(), problem.attributes()); };
    if (!runs_inside_memory(create, problem.line.line(), fault))
        throw failed_check("creation " + fault);
    return pd;
}

bool runner::advance(const test_problem &problem, dnnl::primitive_desc_base &pd) const {
    dnnl_status_t status = dnnl_runtime_error;
    std::string fault;
    const std::string name = pd.impl_info_str();
    const auto next = [&] { status = dnnl_primitive_desc_next_impl(pd.get()); };
    if (!runs_inside_memory(next, problem.line.line(), fault))
        throw failed_check("next implementation after " + name + ": " + fault);
    if (status == dnnl_last_impl_reached) return false;
    dnnl::error::wrap_c_api(status, "next implementation");
    return true;
}

void runner::select(const test_problem &problem, const implementation_filter &filter,
    dnnl::primitive_desc_base &pd) const {
    const auto accepts = [&] {
        if (verbose_ >= tells_settings) print_filter_step(filter, pd.impl_info_str());
        return filter.accepts(pd.impl_info_str());
    };
    while (!accepts())
        if (!advance(problem, pd)) throw skipped_case("Skip-impl option hit");
}

void runner::check_implementation(const test_problem &problem, const dnnl::primitive_desc_base &pd,
    const global_options &options) const {
    const std::string name = pd.impl_info_str();
    if (options.no_reference_row && name.find("ref") != std::string::npos)
        throw failed_check("the implementation is a reference: " + name);
    if (!options.same_implementation) return;
    const dnnl::primitive_desc_base plain = problem.create(place_.engine(), {});
    if (name != plain.impl_info_str())
        throw failed_check("attributes change the implementation from " +
                           std::string(plain.impl_info_str()) + " to " + name);
}

namespace {
// The values of an argument from the file <prefix>.<number of the argument>.bin, which holds the
// bytes of its memory in the layout of the case, row-major for `any`; as they are where there is no
// file.
void read_values(const tensor_spec &spec, const std::string &prefix, tensor &values) {
    const std::string name = prefix + '.' + std::to_string(spec.argument) + ".bin";
    std::ifstream file(name, std::ios::binary);
    if (!file) return;
    const std::vector<char> bytes {std::istreambuf_iterator<char>(file), {}};
    const memory::desc &md = spec.concrete ? spec.concrete : spec.requested;
    const bool is_open = md.get_format_kind() != memory::format_kind::blocked;
    const layout place(
        is_open ? desc_with_tag(spec.shape, spec.type, "abx") : md, is_open ? 0 : spec.bytes);
    if (!place.is_known() || bytes.size() < place.bytes())
        throw usage_error(name + " has " + std::to_string(bytes.size()) + " bytes of " +
                          std::to_string(place.bytes()));
    values = place.unpack(bytes.data());
}
} // namespace

evaluation runner::inputs(const test_problem &problem, fill kind, bool constant) const {
    evaluation data {kind, {}, {}, false, false};
    const std::uint64_t seed = hash_of(problem.line.line(), seed_);
    for (const tensor_spec &spec : problem.tensors) {
        if (spec.use == role::output) continue;
        tensor &values = data.values[spec.argument] =
            constant ? tensor(spec.shape, spec.type) : filled(spec, kind, seed);
        if (constant) std::fill(values.values.begin(), values.values.end(), 1);
        if (!buffer_prefix_.empty()) read_values(spec, buffer_prefix_, values);
    }
    return data;
}

void runner::execute_once(const test_problem &problem, const dnnl::primitive_desc_base &pd,
    const global_options &options) {
    const auto data = inputs(problem, fill::random, options.without_reference);
    const auto result = place_.execute(problem, data, pd, placement::end);
    if (!result.wrong.empty()) throw failed_check(result.wrong);
}

void runner::repeat(
    const test_problem &problem, const dnnl::primitive_desc_base &pd, case_result &result) {
    const auto data = inputs(problem, fill::random, false);
    const auto first = place_.execute(problem, data, pd, placement::end);
    const auto second = place_.execute(problem, data, pd, placement::end);
    for (const auto *run : {&first, &second})
        if (!run->wrong.empty()) throw failed_check(run->wrong);
    if (first.hash != second.hash) throw failed_check("two runs on the same data differ");
    result.what = status::passed;
}

void runner::measure(const test_problem &problem, const dnnl::primitive_desc_base &pd,
    const run_options &options, case_result &result) {
    const global_options &global = options.global;
    measurement m;
    m.implementation = pd.impl_info_str();
    m.index = result.index;
    for (int i = 0; i < 2; ++i) {
        auto start = std::chrono::steady_clock::now();
        const dnnl::primitive_desc_base again = created(problem);
        m.descriptor_ms[i] = elapsed_ms(start);
        start = std::chrono::steady_clock::now();
        const dnnl::primitive primitive(again.get());
        m.primitive_ms[i] = elapsed_ms(start);
    }
    if (verbose_ >= tells_cold_cache) print_cold_cache(problem, global.cold_cache);
    const auto data = inputs(problem, fill::random, global.without_reference);
    m.run_ms = place_.measure(problem, data, pd,
        {global.simulates ? 1 : global.rounds, global.longest_ms, !global.simulates,
            global.cold_cache, global.cold_tlb});
    m.operations = problem.operations();
    const auto bytes = workplace::bytes_of(problem, pd);
    m.input_bytes = bytes.first;
    m.output_bytes = bytes.second;
    if (!template_printed_) {
        std::string columns = options.performance.text(*problem.line.what);
        std::printf("Template entries: %s\n", columns.c_str());
        columns.erase(std::remove(columns.begin(), columns.end(), '%'), columns.end());
        std::printf("%s\n", columns.c_str());
    }
    template_printed_ = true;
    std::printf("%s\n", options.performance.line(problem.line, m, global.engine).c_str());
    double sum = 0;
    for (double ms : m.run_ms) sum += ms;
    result.measured = true;
    result.least_ms = *std::min_element(m.run_ms.begin(), m.run_ms.end());
    result.mean_ms = sum / double(m.run_ms.size());
    result.silent = global.mode == run_mode::measure;
}

} // namespace conformance
