// SPDX-License-Identifier: Apache-2.0
// The part of the C++ interface that needs no tensors: errors, handles, engine, stream.

#ifndef ONEAPI_DNNL_DNNL_COMMON_HPP
#define ONEAPI_DNNL_DNNL_COMMON_HPP

#include "dnnl/common.hpp"

#endif
