// SPDX-License-Identifier: Apache-2.0
// N-44 on the threads of the runtime: while a primitive is executed every allocation fails on all
// threads but the caller's. No implementation of any primitive asks for one.
#include <boost/test/unit_test.hpp>

#include "heap.hpp"
#include "scaled_primitives.hpp"

using namespace api_tests;

namespace {

/// Executes the implementation that the descriptor stands at: once to start threads, once failing.
long failures_in_execution(const engine &e, const primitive_desc_base &pd) {
    dnnl::stream s(e);
    const auto args = arguments_of(pd, e);
    const dnnl::primitive p(pd);
    p.execute(s, args);
    heap::fail_elsewhere_after(0, 1000);
    p.execute(s, args);
    return heap::stop_failing_elsewhere();
}
} // namespace

BOOST_AUTO_TEST_CASE(regions_allocate_nothing, *boost::unit_test::precondition(heap::watched)) {
    const engine e(engine::kind::cpu, 0);
    constexpr memory::dim size = 5;
    int executions = 0;
    for (const auto &[name, make] : scaled_primitives()) {
        const primitive_desc_base pd = make(e, size);
        do {
            BOOST_TEST(failures_in_execution(e, pd) == 0, name << ", " << pd.impl_info_str());
            ++executions;
        } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    }
    BOOST_TEST_MESSAGE(executions << " implementations");
}
