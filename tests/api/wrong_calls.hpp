// SPDX-License-Identifier: Apache-2.0
// Tables of wrong calls, for misuse tests of functions that make no primitive descriptor.
#pragma once

#include "objects.hpp"
#include "output.hpp"

namespace api_tests {

/// A wrong call: the row, the argument that the reason begins with, the status.
struct wrong {
    const char *row, *argument;
    dnnl_status_t expected;
    std::function<dnnl_status_t(output &)> call;
};

/// Each call is refused, writes nothing, leaves nothing on the heap, and the library goes on.
inline void check_refusals(const std::vector<wrong> &calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const wrong &w = calls[i];
        const std::string name = std::string(w.row) + ", call " + std::to_string(i);
        for (const bool first : {true, false}) { // the first may fill what the process keeps
            const traces before;
            output out;
            const dnnl_status_t status = w.call(out);
            const bool untouched = out.untouched();
            if (!first) before.check(name);
            BOOST_TEST(untouched, name << ": the output was written");
            check_refused(name, status, w.expected, w.argument);
            const std::string reason = dnnl_ext_last_error();
            BOOST_TEST(reason.starts_with(std::string(w.argument) + ":"), name << ": " << reason);
        }
    }
    check_canary();
}

} // namespace api_tests
