// SPDX-License-Identifier: Apache-2.0
// Forwards to dnnl/dnnl.hpp.
#include "dnnl/dnnl.hpp" // IWYU pragma: export
