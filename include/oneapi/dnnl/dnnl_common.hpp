// SPDX-License-Identifier: Apache-2.0
// Forwards to dnnl/dnnl_common.hpp.
#include "dnnl/dnnl_common.hpp" // IWYU pragma: export
