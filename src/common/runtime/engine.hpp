// SPDX-License-Identifier: Apache-2.0
// The one CPU device, and the streams on it. In a build with the THREADPOOL runtime a stream has
// the thread pool that its executions run on.
#pragma once

#include <functional>
#include <memory>

#include "dnnl/dnnl_config.h"
#include "dnnl/dnnl_types.h"

namespace dnnl::impl {
class stream_queue;
}

struct dnnl_engine {
    dnnl_engine_kind_t kind = dnnl_cpu;
};

struct dnnl_stream {
    dnnl_engine_t engine = nullptr;
    unsigned flags = 0;
    void *threadpool = nullptr; ///< of a THREADPOOL build; not owned
    int threads = 0;            ///< the most of an execution; 0: those of the runtime
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL
    /// The executions that were handed to an asynchronous pool and have not ended.
    std::shared_ptr<dnnl::impl::stream_queue> queue {};
#endif
};

namespace dnnl::impl {

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL

/// True where the stream hands executions to an asynchronous pool, so that a call returns before
/// its execution ends.
bool submits(const dnnl_stream &stream);
/// Hands an execution to the pool of the stream.
void submit(dnnl_stream &stream, std::function<void()> execution);
/// Returns when all submitted executions have ended; throws what an execution threw.
void wait_for(dnnl_stream &stream);

/// While it exists, parallel regions that the calling thread starts run on `pool`, a
/// threadpool_interop::threadpool_iface *; without one (null) the calling thread does all the work.
class threadpool_scope {
  public:
    explicit threadpool_scope(void *pool);
    ~threadpool_scope();
    threadpool_scope(const threadpool_scope &) = delete;
    threadpool_scope &operator=(const threadpool_scope &) = delete;

  private:
    void *outer_pool_;
    bool outer_;
};

/// Threads that primitives created by the calling thread are prepared for; an execution uses no
/// more of them than this. At first the number of cores that the process may use.
int max_concurrency();
void set_max_concurrency(int threads);

#else

/// Other runtimes have threads of their own, so that there is nothing to choose.
struct threadpool_scope {
    explicit threadpool_scope(void *) {}
};
inline bool submits(const dnnl_stream &) { return false; }
inline void submit(dnnl_stream &, std::function<void()>) {}
inline void wait_for(dnnl_stream &) {}

#endif

} // namespace dnnl::impl
