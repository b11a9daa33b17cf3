// SPDX-License-Identifier: Apache-2.0
// Owners of C handles for the tests of the C interface, and a matrix multiplication that must work
// whatever went wrong before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "dnnl/dnnl.h"
#include "heap.hpp"

namespace api_tests {

using dims = std::vector<dnnl_dim_t>;

/// Owns a C handle; empty after a failed creation.
template <class Handle, dnnl_status_t (*Destroy)(Handle)> class owner {
  public:
    owner() = default;
    explicit owner(Handle handle) : handle_(handle) {}
    owner(owner &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    owner &operator=(owner &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~owner() { Destroy(handle_); }
    operator Handle() const { return handle_; }
    Handle *out() { return &handle_; }

  private:
    Handle handle_ = nullptr;
};
using engine_owner = owner<dnnl_engine_t, dnnl_engine_destroy>;
using stream_owner = owner<dnnl_stream_t, dnnl_stream_destroy>;
using desc_owner = owner<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
using memory_owner = owner<dnnl_memory_t, dnnl_memory_destroy>;
using attr_owner = owner<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using post_ops_owner = owner<dnnl_post_ops_t, dnnl_post_ops_destroy>;
using primitive_desc_owner = owner<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using primitive_owner = owner<dnnl_primitive_t, dnnl_primitive_destroy>;

inline void ok(dnnl_status_t status) {
    BOOST_REQUIRE_MESSAGE(status == dnnl_success, dnnl_ext_last_error());
}

/// The engine and stream of all tests of a program.
inline dnnl_engine_t engine() {
    static const engine_owner the_engine = [] {
        engine_owner made;
        ok(dnnl_engine_create(made.out(), dnnl_cpu, 0));
        return made;
    }();
    return the_engine;
}
inline dnnl_stream_t stream() {
    static const stream_owner the_stream = [] {
        stream_owner made;
        ok(dnnl_stream_create(made.out(), engine(), dnnl_stream_default_flags));
        return made;
    }();
    return the_stream;
}

/// Dense row-major.
inline desc_owner plain(const dims &extents, dnnl_data_type_t type = dnnl_f32) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_strides(
        made.out(), static_cast<int>(extents.size()), extents.data(), type, nullptr));
    return made;
}
inline desc_owner strided(const dims &extents, const dims &strides) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_strides(
        made.out(), static_cast<int>(extents.size()), extents.data(), dnnl_f32, strides.data()));
    return made;
}
inline desc_owner tagged(
    const dims &extents, dnnl_format_tag_t tag, dnnl_data_type_t type = dnnl_f32) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_tag(
        made.out(), static_cast<int>(extents.size()), extents.data(), type, tag));
    return made;
}

/// A memory whose buffer the library allocates, or the caller's.
inline memory_owner memory_of(const_dnnl_memory_desc_t md, void *buffer = DNNL_MEMORY_ALLOCATE) {
    memory_owner made;
    ok(dnnl_memory_create(made.out(), md, engine(), buffer));
    return made;
}
inline memory_owner memory_of(const_dnnl_memory_desc_t md, const std::vector<float> &values) {
    return memory_of(md, const_cast<float *>(values.data()));
}
/// The memory would outlive them.
memory_owner memory_of(const_dnnl_memory_desc_t md, std::vector<float> &&values) = delete;

inline dnnl_status_t execute(
    const_dnnl_primitive_t primitive, const std::vector<dnnl_exec_arg_t> &args) {
    return dnnl_primitive_execute(primitive, stream(), static_cast<int>(args.size()), args.data());
}

/// A matmul primitive over the given shapes.
inline primitive_desc_owner matmul_desc(
    dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_owner pd;
    ok(dnnl_matmul_primitive_desc_create(
        pd.out(), engine(), plain({M, K}), plain({K, N}), nullptr, plain({M, N}), attr));
    return pd;
}
inline primitive_owner primitive_of(const_dnnl_primitive_desc_t pd) {
    primitive_owner made;
    ok(dnnl_primitive_create(made.out(), pd));
    return made;
}

/// Small integers, so that products and sums are exact.
inline std::vector<float> integers(dnnl_dim_t count, int seed) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(seed)) % 11) - 5;
    return values;
}
inline std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b,
    dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K) {
    std::vector<float> c(static_cast<std::size_t>(M * N));
    for (dnnl_dim_t m = 0; m < M; ++m)
        for (dnnl_dim_t n = 0; n < N; ++n)
            for (dnnl_dim_t k = 0; k < K; ++k) c[m * N + n] += a[m * K + k] * b[k * N + n];
    return c;
}

/// Creates and runs a matmul and compares all its values.
inline void check_matmul(dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K) {
    const auto a = integers(M * K, 1), b = integers(K * N, 2);
    std::vector<float> c(static_cast<std::size_t>(M * N), -1.0f);
    const auto primitive = primitive_of(matmul_desc(M, N, K));
    const auto src = memory_of(plain({M, K}), a), weights = memory_of(plain({K, N}), b);
    const auto dst = memory_of(plain({M, N}), c);
    ok(execute(primitive, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    BOOST_TEST(c == product(a, b, M, N, K), boost::test_tools::per_element());
}
/// A small one, which must work whatever went wrong before.
inline void check_canary() { check_matmul(5, 7, 3); }

/// The call failed with this status, the reason contains the text.
inline void check_refused(const std::string &row, dnnl_status_t status, dnnl_status_t expected,
    const std::string &named) {
    BOOST_CHECK_MESSAGE(status == expected, row << ": status " << status << " instead of "
                                                << expected << ": " << dnnl_ext_last_error());
    const std::string reason = dnnl_ext_last_error();
    if (status == expected && status != dnnl_success)
        BOOST_CHECK_MESSAGE(reason.find(named) != std::string::npos,
            row << ": the reason `" << reason << "` does not name `" << named << "`");
}

/// What no call may change lastingly: the blocks on the heap and the settings of the process.
struct traces {
    long blocks = heap::live_blocks();
    int cache_capacity = [] {
        int capacity = -1;
        dnnl_get_primitive_cache_capacity(&capacity);
        return capacity;
    }();

    void check(const std::string &row) const {
        const traces now;
        BOOST_CHECK_MESSAGE(
            now.blocks == blocks, row << ": " << now.blocks - blocks << " blocks were left behind");
        BOOST_CHECK_MESSAGE(
            now.cache_capacity == cache_capacity, row << ": the cache's capacity changed");
    }
};

/// Calls create(out) and checks what every row of a misuse table must hold: the status, a reason
/// that names the argument, an untouched output after a failure, no memory left behind, a library
/// that goes on working.
inline void check_row(const std::string &id, dnnl_status_t expected, const std::string &named,
    const std::function<dnnl_status_t(dnnl_primitive_desc_t *)> &create) {
    const auto marker = reinterpret_cast<dnnl_primitive_desc_t>(std::uintptr_t {64});
    for (const bool first : {true, false}) { // the first call may fill what the process keeps
        const traces before;
        dnnl_primitive_desc_t out = marker;
        const dnnl_status_t status = create(&out);
        if (status == dnnl_success) dnnl_primitive_desc_destroy(out);
        if (!first) {
            before.check(id);
            continue;
        }
        check_refused(id, status, expected, named);
        if (status != dnnl_success)
            BOOST_CHECK_MESSAGE(out == marker, id << ": the output was touched");
    }
    check_canary();
}

} // namespace api_tests
