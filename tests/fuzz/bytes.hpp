// SPDX-License-Identifier: Apache-2.0
// The fuzzer's bytes as numbers that an API call may take: mostly small, sometimes extreme.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "dnnl/dnnl.h"

namespace fuzz {

/// Ends the program, which the fuzzer reports, unless the condition holds.
inline void expect(
    bool condition, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (condition) return;
    std::fprintf(stderr, "%s:%d: unexpected\n", file, line);
    std::abort();
}

/// Reads an input from its beginning; past its end come zeros.
class bytes {
  public:
    bytes(const std::uint8_t *data, std::size_t size) : next_(data), left_(size) {}

    bool empty() const { return left_ == 0; }
    std::uint8_t byte() {
        if (left_ == 0) return 0;
        --left_;
        return *next_++;
    }
    bool flag() { return byte() & 1; }
    /// A number below `end`.
    int below(int end) { return byte() % end; }

    /// Fifteen of sixteen values are below `end`; the others are chosen to break arithmetic.
    dnnl_dim_t dim(int end = 20) {
        static constexpr dnnl_dim_t extremes[] = {DNNL_RUNTIME_DIM_VAL, -1, INT64_MAX,
            INT64_MAX / 2 + 1, INT64_C(1) << 62, INT64_C(1) << 61, INT64_C(1) << 33, INT64_MAX - 15,
            INT64_C(1) << 32, INT32_MAX, INT64_MIN + 1, 1 << 20, 65537, 4097, 255, 17};
        const int kind = byte();
        return kind < 240 ? kind % end : extremes[kind % 16];
    }
    void dims(dnnl_dims_t &to, int count, int end = 20) {
        for (int i = 0; i < count; ++i) to[i] = dim(end);
    }
    float real() {
        static constexpr float values[] = {0, 1, -1, 0.5f, 2, 1e30f, -1e-30f, 3};
        return values[below(8)];
    }

  private:
    const std::uint8_t *next_;
    std::size_t left_;
};

/// The engine of all calls.
inline dnnl_engine_t engine() {
    static const dnnl_engine_t made = [] {
        dnnl_engine_t out = nullptr;
        expect(dnnl_engine_create(&out, dnnl_cpu, 0) == dnnl_success);
        return out;
    }();
    return made;
}

} // namespace fuzz
