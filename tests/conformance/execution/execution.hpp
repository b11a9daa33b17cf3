// SPDX-License-Identifier: Apache-2.0
// One execution of a primitive on guarded memory, and the judgement of what it wrote.
#pragma once

#include "execution/guarded_buffer.hpp"
#include "oracle/fill.hpp"
#include "report/report.hpp"

#include <list>

namespace conformance {

/// Inputs and results of one fill, shared by all implementations.
struct evaluation {
    fill kind;
    tensor_map values;
    expectation_map expected; // empty if the states of an execution are needed for it
    bool judged = false;
    bool flushed = false; // products of subnormal numbers may be zero
};

/// What an execution did.
struct execution_result {
    std::string wrong; // empty: conforming
    std::size_t errors = 0, total = 0, open = 0;
    bool trivial = true; // no judged element other than 0 and not open
    std::uint64_t hash = 1469598103934665603u;
    score_statistics scores;
};

/// What the memory of an argument has.
memory::desc concrete_desc(const tensor_spec &spec, const dnnl::primitive_desc_base &pd);

/// True if the case asks for its output in the memory of an input.
bool is_in_place(const test_case &c);

/// How executions are timed: `rounds` of them, or with 0 rounds at least 5, until `longest_ms` is
/// over. An execution that is not timed goes before where it warms up.
struct measuring {
    int rounds;
    double longest_ms;
    bool warms_up;
    std::string cold_cache; // none, wei, all: what is evicted from the caches between the runs
    std::size_t cold_tlb;   // bytes whose pages are touched before a run; 0: none
};

/// Engine, stream and buffers for the executions of all cases, one after the other.
class workplace {
  public:
    workplace() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}
    const dnnl::engine &engine() const { return engine_; }

    /// Prints every comparison of the executions to come.
    void tell_elements(bool wanted) { tells_elements_ = wanted; }

    /// Runs once and judges: outputs, padding, gaps, inputs, memory around the buffers. Without
    /// expected values only the memory is looked at.
    execution_result execute(const test_problem &problem, const evaluation &data,
        const dnnl::primitive_desc_base &pd, placement where);

    /// Milliseconds of each timed execution.
    std::vector<double> measure(const test_problem &problem, const evaluation &data,
        const dnnl::primitive_desc_base &pd, const measuring &how);

    /// Bytes of all inputs and outputs, as the descriptors of the implementation say.
    static std::pair<double, double> bytes_of(
        const test_problem &problem, const dnnl::primitive_desc_base &pd);

  private:
    // The buffer of one argument during one execution.
    struct bound_argument {
        const tensor_spec *spec;
        memory::desc md;
        layout placed;
        std::vector<std::uint8_t> contents;
        guarded_buffer *buffer;
        std::uint8_t poison;
    };
    struct binding {
        std::vector<bound_argument> bound;
        argument_map arguments;
        std::unique_ptr<tensor_spec> workspace; // none of the problem lists it
    };
    binding bind_all(const test_problem &problem, const evaluation &data,
        const dnnl::primitive_desc_base &pd, placement where);
    static dnnl::memory host_scalar(const tensor_spec &spec, const void *value);
    dnnl::memory bind_sparse(const tensor_spec &spec, std::size_t index, const evaluation &data,
        const dnnl::primitive_desc_base &pd, placement where, binding &b);
    bound_argument bind(const tensor_spec &spec, std::size_t index, const evaluation &data,
        const dnnl::primitive_desc_base &pd, placement where);
    std::vector<std::uint8_t> library_packed(
        const memory::desc &md, const tensor &values, placement where) const;
    tensor library_unpacked(const memory::desc &md, const void *data) const;
    void judge(const bound_argument &argument, const expectation_map &expected, bool judges,
        execution_result &result) const;
    void judge_values(const tensor_spec &spec, const std::vector<interval> &expected,
        const tensor &got, execution_result &result) const;
    void bind_workspace(const test_problem &problem, const dnnl::primitive_desc_base &pd,
        placement where, binding &b);
    expectation_map expected_of(
        const test_problem &problem, const evaluation &data, const binding &b) const;
    tensor contents_of(const memory::desc &md, const layout &placed, const void *bytes) const;
    void share_buffers(const test_problem &problem, binding &b) const;
    guarded_buffer &buffer(std::size_t index);

    dnnl::engine engine_;
    dnnl::stream stream_;
    std::list<guarded_buffer> buffers_;
    std::vector<char> eviction_; // larger than the caches
    std::vector<char> pages_;    // more than the TLB holds
    bool tells_elements_ = false;
};

/// |got - value| in units of what is allowed; 0 where that has no meaning.
double score_of(data_type type, const interval &expected, double got);

} // namespace conformance
