// SPDX-License-Identifier: Apache-2.0
// The one CPU device, execution queues on it, which are synchronous, and the thread pool that the
// executions of a queue run on in a build with the THREADPOOL runtime.
#pragma once

#include "dnnl/dnnl_config.h"
#include "dnnl/dnnl_types.h"

struct dnnl_engine {
    dnnl_engine_kind_t kind = dnnl_cpu;
};

struct dnnl_stream {
    dnnl_engine_t engine = nullptr;
    unsigned flags = 0;
    void *threadpool = nullptr; ///< of a THREADPOOL build; not owned
};

namespace dnnl::impl {

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL

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

/// Other runtimes have threads of their own.
struct threadpool_scope {
    explicit threadpool_scope(void *) {}
};

#endif

} // namespace dnnl::impl
