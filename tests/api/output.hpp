// SPDX-License-Identifier: Apache-2.0
// Room for the output of a call that is expected to be refused.
#ifndef DNNL_TESTS_API_OUTPUT_HPP
#define DNNL_TESTS_API_OUTPUT_HPP

#include <algorithm>
#include <iterator>

namespace api_tests {

/// Where a call writes its output: any type of at most 32 bytes, filled with 0xa5 beforehand, which
/// a refused call must leave.
class output {
  public:
    output() { std::fill(std::begin(bytes_), std::end(bytes_), 0xa5); }
    template <class T> operator T *() { return reinterpret_cast<T *>(bytes_); }
    bool untouched() const {
        return std::all_of(
            std::begin(bytes_), std::end(bytes_), [](unsigned char b) { return b == 0xa5; });
    }

  private:
    alignas(16) unsigned char bytes_[32];
};

} // namespace api_tests

#endif
