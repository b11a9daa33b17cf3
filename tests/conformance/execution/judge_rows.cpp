// SPDX-License-Identifier: Apache-2.0
// Judgement of every implementation of a case by the oracle, with three fills.
#include "execution/runner.hpp"

#include "language/usage_error.hpp"

#include <algorithm>

namespace conformance {
namespace {

// Elements that share their place (stride 0) share their value.
tensor as_stored(const tensor_spec &spec, tensor values) {
    if (is_value_array(spec.holds) || !spec.concrete.is_zero() ||
        spec.requested.get_format_kind() != memory::format_kind::blocked)
        return values;
    const layout placed(spec.requested, spec.bytes);
    if (!placed.is_known() || placed.bytes() >= values.values.size() * bytes_of(spec.type))
        return values;
    return placed.unpack(placed.pack(values, 0).data());
}

// Where the data of each fill lie: against the page behind, or the one in front.
struct run_kind {
    fill kind;
    placement where;
};
const run_kind run_kinds[] = {{fill::exact, placement::end}, {fill::exact, placement::begin},
    {fill::random, placement::end}, {fill::adversarial, placement::begin}};

// Rows whose kernels are documented to flush subnormal numbers.
bool flushes(const std::string &implementation) {
    return implementation.find("amx") != std::string::npos ||
           implementation.find("avx512_bf16") != std::string::npos;
}

// True if other results conform where products of bf16 are flushed: `flushed` has them.
bool differs_where_flushed(
    const test_problem &problem, const evaluation &plain, evaluation &flushed) {
    if (plain.kind != fill::adversarial || !plain.judged) return false;
    const bool stepwise = problem.states_argument() != 0;
    expectation_map expected =
        stepwise ? expectation_map {} : problem.expected_where_flushed(plain.values);
    if (!stepwise && expected.empty()) return false;
    flushed = {plain.kind, plain.values, std::move(expected), true, true};
    return true;
}

} // namespace

std::vector<evaluation> runner::evaluate(const test_problem &problem) const {
    std::vector<evaluation> result;
    for (fill kind : {fill::exact, fill::random, fill::adversarial}) {
        evaluation data = inputs(problem, kind, false);
        for (const tensor_spec &spec : problem.tensors)
            if (spec.use != role::output)
                data.values[spec.argument] = as_stored(spec, data.values[spec.argument]);
        data.judged = judges_;
        if (judges_ && problem.states_argument() == 0)
            data.expected = problem.expected(data.values);
        result.push_back(std::move(data));
    }
    return result;
}

void runner::judge_all(const test_problem &problem, const implementation_filter &filter,
    dnnl::primitive_desc_base pd, case_result &result) {
    const auto evaluations = evaluate(problem);
    bool trivial = true;
    do {
        const std::string name = pd.impl_info_str();
        if (!filter.accepts(name)) continue;
        const execution_result row = judge_implementation(problem, evaluations, pd, result);
        trivial &= row.trivial;
        if (row.wrong.empty() || !result.reason.empty()) continue;
        result.reason = name + ", " + row.wrong;
        result.errors = row.errors;
        result.total = row.total;
    } while (advance(problem, pd));
    result.walked = filter.names.empty();
    std::size_t judged = 0, open = 0;
    for (const element_count &part : result.elements) {
        judged += part.judged;
        open += part.open;
    }
    const bool all_open = judged > 0 && open == judged;
    const bool has_empty = std::any_of(problem.tensors.begin(), problem.tensors.end(),
        [](const tensor_spec &spec) { return product(spec.shape) == 0; });
    if (result.reason.empty() && all_open && !has_empty && !result.one_element)
        result.reason = "the oracle leaves every element open";
    result.what = !result.reason.empty()  ? status::failed
                  : !judges_              ? status::executed
                  : trivial && judged > 0 ? status::mistrusted
                                          : status::passed;
    if (result.what == status::mistrusted)
        result.reason = all_open ? "mistrusted: every element of an empty or tiny case is open"
                                 : "mistrusted: every result is zero";
}

// All fills of one implementation; `wrong` names the first failure, counts are of that fill.
execution_result runner::judge_implementation(const test_problem &problem,
    const std::vector<evaluation> &evaluations, const dnnl::primitive_desc_base &pd,
    case_result &of_case) {
    execution_result whole;
    row_result row;
    row.implementation = pd.impl_info_str();
    row.hash = hash_of(row.implementation);
    for (const run_kind &kind : run_kinds) {
        if (!judges_ && kind.kind != fill::random) continue;
        const evaluation &plain = evaluations[std::size_t(kind.kind)];
        evaluation flushed;
        const bool differs =
            flushes(row.implementation) && differs_where_flushed(problem, plain, flushed);
        const evaluation &data = differs ? flushed : plain;
        execution_result result;
        try {
            result = place_.execute(problem, data, pd, kind.where);
        } catch (const dnnl::error &error) {
            result.wrong =
                "execution: status " + std::to_string(int(error.status)) + ": " + error.what();
        }
        ++row.executions;
        row.failures += !result.wrong.empty();
        row.hash = hash_of(std::to_string(result.hash), row.hash);
        row.scores.add(result.scores);
        whole.trivial &= result.trivial;
        element_count &elements = of_case.elements[std::size_t(kind.kind)];
        elements.judged += result.total;
        elements.open += result.open;
        if (result.wrong.empty() || !whole.wrong.empty()) {
            whole.total += whole.wrong.empty() ? result.total : 0;
            continue;
        }
        whole.wrong = std::string("fill ") + name_of(data.kind) + ", data at the " +
                      (kind.where == placement::end ? "end" : "begin") + ": " + result.wrong;
        whole.errors = result.errors;
        whole.total = result.total;
    }
    of_case.rows.push_back(std::move(row));
    return whole;
}

void runner::walk(
    const test_problem &problem, dnnl::primitive_desc_base pd, case_result &result) const {
    do {
        row_result row;
        row.implementation = pd.impl_info_str();
        result.rows.push_back(std::move(row));
    } while (advance(problem, pd));
    result.walked = true;
    result.what = status::initialized;
}

} // namespace conformance
