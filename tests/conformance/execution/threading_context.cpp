// SPDX-License-Identifier: Apache-2.0
// The OpenMP runtime of the process, if the library brought one.
#include "execution/threading_context.hpp"

#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <thread>

namespace conformance {
namespace {

using get_threads = int (*)();
using set_threads = void (*)(int);

template <class Function> Function openmp_function(const char *name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

} // namespace

threading_context::threading_context(const test_case &c, const std::string &knob_name) {
    const auto found = c.settings.find(knob_name);
    if (found == c.settings.end() || found->second == "auto") return;
    const auto fields = split(found->second, ':');
    if (fields.size() > 1)
        throw skipped_case("Case not supported: core types belong to another threading runtime");
    const auto get = openmp_function<get_threads>("omp_get_max_threads");
    const auto set = openmp_function<set_threads>("omp_set_num_threads");
    if (!get || !set) throw skipped_case("Case not supported: no OpenMP runtime to set threads of");
    before_ = get();
    set(int(integer_of(fields[0], knob_name)));
}

threading_context::~threading_context() {
    if (before_ > 0) openmp_function<set_threads>("omp_set_num_threads")(before_);
}

std::size_t threads_of_runtime() {
    const auto get = openmp_function<get_threads>("omp_get_max_threads");
    return get ? std::size_t(get()) : std::max(1u, std::thread::hardware_concurrency());
}

} // namespace conformance
