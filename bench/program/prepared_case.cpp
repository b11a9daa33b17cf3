// SPDX-License-Identifier: Apache-2.0
#include "prepared_case.hpp"

#include "execution/execution.hpp"
#include "oracle/fill.hpp"
#include "oracle/sparse.hpp"
#include "random_data.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace bench {
namespace {

using namespace conformance;
using clock = std::chrono::steady_clock;

constexpr std::size_t page = 4096, huge_page = std::size_t {2} << 20;

double us_since(clock::time_point start) {
    return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

/// True for elements that any random value suits; the others come from the fills of the judge.
bool is_plain_data(const tensor_spec &spec) {
    if (spec.has_constant || spec.divides) return false;
    return spec.holds == meaning::activations || spec.holds == meaning::weights ||
           spec.holds == meaning::bias || spec.holds == meaning::slope ||
           spec.holds == meaning::normalized;
}

bool is_backward(const test_case &c) { return c.direction().rfind("BWD", 0) == 0; }

} // namespace

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

buffer::buffer(std::size_t bytes) {
    const std::size_t alignment = bytes >= huge_page ? huge_page : page;
    const std::size_t rounded =
        (std::max<std::size_t>(bytes, 1) + alignment - 1) & ~(alignment - 1);
    data_.reset(std::aligned_alloc(alignment, rounded));
    if (!data_) throw std::bad_alloc();
    if (alignment == huge_page) madvise(data_.get(), rounded, MADV_HUGEPAGE);
}

void buffer::release::operator()(void *data) const { std::free(data); }

prepared_case::prepared_case(const test_case &c) : problem_(make_problem(c)) {
    create();
    for (const tensor_spec &spec : problem_->tensors)
        if (spec.passed) bind(spec);
    bind_rest();
    operations = problem_->operations();
}

void prepared_case::create() {
    constexpr int repetitions = 15;
    std::vector<double> times;
    for (int i = 0; i <= repetitions; ++i) {
        const auto start = clock::now();
        pd_ = problem_->create(engine_, problem_->attributes());
        primitive_ = dnnl::primitive(pd_.get());
        times.push_back(us_since(start));
        if (times.back() > 1e5) break; // an answer that takes 100 ms is not asked for again
    }
    first_creation_us = times.front();
    if (times.size() > 1) times.erase(times.begin());
    creation_us = median(times);
    implementation = pd_.impl_info_str();
}

dnnl::memory prepared_case::memory_of(const dnnl::memory::desc &md) {
    buffers_.emplace_back(md.get_size());
    return dnnl::memory(md, engine_, buffers_.back().data());
}

dnnl::memory prepared_case::sparse_memory(const tensor_spec &spec, const dnnl::memory::desc &md) {
    const std::uint64_t seed = hash_of(spec.name, hash_of(problem_->line.line()));
    std::vector<void *> handles;
    for (const auto &contents : sparse_buffers(spec, md, filled(spec, fill::random, seed))) {
        buffers_.emplace_back(contents.size());
        handles.push_back(buffers_.back().data());
        std::copy(contents.begin(), contents.end(), static_cast<std::uint8_t *>(handles.back()));
    }
    return dnnl::memory(md, engine_, handles);
}

dnnl::memory prepared_case::filled_memory(const tensor_spec &spec, const dnnl::memory::desc &md) {
    if (spec.is_sparse) return sparse_memory(spec, md);
    const dnnl::memory made = memory_of(md);
    const std::uint64_t seed = hash_of(spec.name, hash_of(problem_->line.line()));
    const dnnl::memory::desc plain(spec.shape, spec.type, dims {});
    if (!is_plain_data(spec)) {
        const tensor values = filled(spec, fill::random, seed);
        const bool known = layout(md).is_known();
        const auto contents = layout(known ? md : plain).pack(values, 0);
        if (known) {
            std::copy(contents.begin(), contents.end(),
                static_cast<std::uint8_t *>(made.get_data_handle()));
            return made;
        }
        dnnl::memory from(plain, engine_, const_cast<std::uint8_t *>(contents.data()));
        dnnl::reorder(from, made).execute(stream_, from, const_cast<dnnl::memory &>(made));
        stream_.wait();
        return made;
    }
    if (md == plain) {
        fill_randomly(spec.type, seed, made.get_data_handle(), md.get_size());
        return made;
    }
    const buffer source(plain.get_size());
    fill_randomly(spec.type, seed, source.data(), plain.get_size());
    dnnl::memory from(plain, engine_, source.data());
    dnnl::reorder(from, made).execute(stream_, from, const_cast<dnnl::memory &>(made));
    stream_.wait();
    return made;
}

void prepared_case::bind(const tensor_spec &spec) {
    const dnnl::memory::desc md = concrete_desc(spec, pd_);
    const bool written_only = spec.use == role::output;
    const dnnl::memory made = written_only ? memory_of(md) : filled_memory(spec, md);
    arguments_[spec.argument] = made;
    const std::size_t size = bytes_of_buffers(md);
    bytes += static_cast<double>(size) * (spec.use == role::update ? 2 : 1);
    argument_bytes_ += size;
}

/// What other primitives hand over, workspace and scratchpad.
void prepared_case::bind_rest() {
    if (is_backward(problem_->line)) {
        tensor_map values;
        for (const tensor_spec &spec : problem_->tensors)
            if (spec.use != role::output)
                values[spec.argument] = filled(spec, fill::random, hash_of(spec.name));
        problem_->complete(engine_, stream_, values, pd_, arguments_);
    }
    if (!pd_.workspace_desc().is_zero() && !arguments_.count(DNNL_ARG_WORKSPACE))
        arguments_[DNNL_ARG_WORKSPACE] = memory_of(pd_.workspace_desc());
    if (!pd_.scratchpad_desc().is_zero())
        arguments_[DNNL_ARG_SCRATCHPAD] = memory_of(pd_.scratchpad_desc());
    primitive_.execute(stream_, arguments_); // touches what has never been
    stream_.wait();
}

double prepared_case::sample(long executions) {
    const auto start = clock::now();
    for (long i = 0; i < executions; ++i) primitive_.execute(stream_, arguments_);
    stream_.wait();
    return us_since(start) / static_cast<double>(executions);
}

/// Writes more than any cache holds.
void prepared_case::evict() const {
    static const buffer large(std::size_t {128} << 20);
    auto *bytes_of_large = static_cast<volatile unsigned char *>(large.data());
    for (std::size_t i = 0; i < std::size_t {128} << 20; i += 64)
        bytes_of_large[i] = static_cast<unsigned char>(bytes_of_large[i] + 1);
}

std::vector<double> prepared_case::run(double budget_ms, bool cold) {
    constexpr double least_sample_us = 20;
    if (executions_per_sample_ == 0) {
        double us = sample(1);
        for (long n = 1; us * static_cast<double>(n) < least_sample_us && n < 4096; n *= 4)
            us = sample(n);
        executions_per_sample_ = std::max(1L, static_cast<long>(least_sample_us / us));
    }
    std::vector<double> samples;
    const auto start = clock::now();
    while (samples.size() < 3 || us_since(start) < 1e3 * budget_ms) {
        if (cold) evict();
        samples.push_back(sample(cold ? 1 : executions_per_sample_));
    }
    return samples;
}

} // namespace bench
