// SPDX-License-Identifier: Apache-2.0
// Forwards to dnnl/dnnl_threadpool_iface.hpp.
#include "dnnl/dnnl_threadpool_iface.hpp" // IWYU pragma: export
