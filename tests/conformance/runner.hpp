// SPDX-License-Identifier: Apache-2.0
// Runs every implementation that accepts a case and judges it by the oracle.
#pragma once

#include "fill.hpp"
#include "guarded_buffer.hpp"
#include "interpreter.hpp"
#include "report.hpp"

#include <list>

namespace conformance {

class runner {
  public:
    runner(report &out, std::uint64_t seed);
    void run(const test_case &c, const implementation_filter &filter);

  private:
    // Inputs and results of one fill, shared by all implementations.
    struct evaluation {
        fill kind;
        tensor_map values;
        expectation_map expected;
    };
    struct execution_result {
        std::string wrong; // empty: conforming
        std::uint64_t hash = 0;
    };

    dnnl::primitive_desc_base created(const test_problem &problem) const;
    std::string judge_all(const test_problem &problem, const implementation_filter &filter,
        dnnl::primitive_desc_base pd);
    std::vector<evaluation> evaluate(const test_problem &problem) const;
    std::string judge_implementation(const test_problem &problem,
        const std::vector<evaluation> &evaluations, const dnnl::primitive_desc_base &pd);
    execution_result execute(const test_problem &problem, const evaluation &data,
        const dnnl::primitive_desc_base &pd, placement where);

    // The buffer of one argument during one execution.
    struct bound_argument {
        const tensor_spec *spec;
        memory::desc md;
        layout placed;
        std::vector<std::uint8_t> contents;
        guarded_buffer *buffer;
        std::uint8_t poison;
    };
    bound_argument bind(const tensor_spec &spec, const evaluation &data,
        const dnnl::primitive_desc_base &pd, placement where);
    std::vector<std::uint8_t> library_packed(const memory::desc &md, const tensor &values) const;
    tensor library_unpacked(const memory::desc &md, const void *data) const;
    std::string judge_argument(
        const bound_argument &argument, const evaluation &data, std::uint64_t &hash) const;
    void share_buffers(const test_problem &problem, std::vector<bound_argument> &bound,
        argument_map &arguments) const;
    guarded_buffer &buffer(std::size_t index);

    report &report_;
    const std::uint64_t seed_;
    dnnl::engine engine_;
    dnnl::stream stream_;
    std::list<guarded_buffer> buffers_;
    const tensor_spec *data_begin_ = nullptr; // first tensor of the problem being executed
};

} // namespace conformance
