// SPDX-License-Identifier: Apache-2.0
// A case made ready in this process: its primitive, and arguments filled with random data that
// depend on the case alone, so that two libraries compute the same.
#pragma once

#include "oracle/problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// The middle one in ascending order, of an even number the upper one; there is at least one value.
double median(std::vector<double> values);

/// Memory at the beginning of a page, or of 2 MiB where it is large; not yet touched.
class buffer {
  public:
    explicit buffer(std::size_t bytes);
    void *data() const { return data_.get(); }

  private:
    struct release {
        void operator()(void *data) const;
    };
    std::unique_ptr<void, release> data_;
};

class prepared_case {
  public:
    /// Creates the primitive as the library's first implementation and binds its arguments; weights
    /// that came as `any` are reordered now. Errors: conformance::skipped_case, dnnl::error.
    explicit prepared_case(const conformance::test_case &c);

    std::string implementation;
    double operations = 0;        ///< multiplications and additions; 0 for what has no products
    double bytes = 0;             ///< of all arguments that an execution reads or writes
    double first_creation_us = 0; ///< descriptor and primitive, the first of this case
    double creation_us = 0;       ///< the median of repetitions

    /// Executes for about so long, three samples at least, and returns the microseconds of an
    /// execution, sample by sample. Samples of short executions are means over 20 microseconds.
    /// Cold: every execution is a sample and finds none of its arguments in a cache.
    std::vector<double> run(double budget_ms, bool cold);

  private:
    void create();
    void bind(const conformance::tensor_spec &spec);
    void bind_rest();
    dnnl::memory sparse_memory(const conformance::tensor_spec &spec, const dnnl::memory::desc &md);
    dnnl::memory filled_memory(const conformance::tensor_spec &spec, const dnnl::memory::desc &md);
    dnnl::memory memory_of(const dnnl::memory::desc &md);
    double sample(long executions);
    void evict() const;

    dnnl::engine engine_ {dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_ {engine_};
    std::unique_ptr<conformance::test_problem> problem_;
    dnnl::primitive_desc_base pd_;
    dnnl::primitive primitive_;
    std::vector<buffer> buffers_;
    conformance::argument_map arguments_;
    std::size_t argument_bytes_ = 0;
    long executions_per_sample_ = 0;
};

} // namespace bench
