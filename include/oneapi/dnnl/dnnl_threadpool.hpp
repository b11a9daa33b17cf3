// SPDX-License-Identifier: Apache-2.0
// Forwards to dnnl/dnnl_threadpool.hpp.
#include "dnnl/dnnl_threadpool.hpp" // IWYU pragma: export
