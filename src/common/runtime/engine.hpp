// SPDX-License-Identifier: Apache-2.0
// The one CPU device and execution queues on it; execution is synchronous.
#pragma once

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
using engine = ::dnnl_engine;
using stream = ::dnnl_stream;
} // namespace dnnl::impl
