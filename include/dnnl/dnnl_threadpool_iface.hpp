// SPDX-License-Identifier: Apache-2.0
// The interface of a thread pool that the user provides, for builds with the THREADPOOL runtime.

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP
#define ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP

#include <cstdint>
#include <functional>

namespace dnnl {
namespace threadpool_interop {

/// A thread pool. It must outlive the streams that use it.
/// Specification: Threadpool interoperability.
struct threadpool_iface {
    /// Number of threads.
    virtual int get_num_threads() const = 0;

    /// Whether the calling thread is inside a parallel_for() of this pool.
    virtual bool get_in_parallel() const = 0;

    /// Calls fn(i, n) once for each i in [0, n), on any threads.
    virtual void parallel_for(int n, const std::function<void(int, int)> &fn) = 0;

    /// Flag: parallel_for() may return before the calls are done.
    static constexpr uint64_t ASYNCHRONOUS = 1;

    /// 0 or ASYNCHRONOUS.
    virtual uint64_t get_flags() const = 0;

    /// Returns when the calls of every parallel_for() are done. Only asynchronous pools are asked.
    virtual void wait() = 0;

    virtual ~threadpool_iface() = default;
};

} // namespace threadpool_interop
} // namespace dnnl

#endif
