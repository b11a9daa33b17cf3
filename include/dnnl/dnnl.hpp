// SPDX-License-Identifier: Apache-2.0
// The whole C++ interface. Header-only over the C functions of dnnl.h; needs C++11.
// An operation is a descriptor (shapes, layouts, attributes), then a primitive, then execute().

#ifndef ONEAPI_DNNL_DNNL_HPP
#define ONEAPI_DNNL_DNNL_HPP

#include "dnnl/dnnl.h"
#include "dnnl/dnnl_common.hpp"
#include "dnnl/dnnl_config.h"

#include "dnnl/attributes.hpp"
#include "dnnl/enumerations.hpp"
#include "dnnl/memory.hpp"
#include "dnnl/primitive.hpp"
#include "dnnl/primitive_desc.hpp"
#include "dnnl/service.hpp"

#include "dnnl/augru.hpp"
#include "dnnl/batch_normalization.hpp"
#include "dnnl/binary.hpp"
#include "dnnl/concat.hpp"
#include "dnnl/convolution.hpp"
#include "dnnl/deconvolution.hpp"
#include "dnnl/eltwise.hpp"
#include "dnnl/group_normalization.hpp"
#include "dnnl/gru.hpp"
#include "dnnl/inner_product.hpp"
#include "dnnl/layer_normalization.hpp"
#include "dnnl/lrn.hpp"
#include "dnnl/lstm.hpp"
#include "dnnl/matmul.hpp"
#include "dnnl/pooling.hpp"
#include "dnnl/prelu.hpp"
#include "dnnl/reduction.hpp"
#include "dnnl/reorder.hpp"
#include "dnnl/resampling.hpp"
#include "dnnl/rnn.hpp"
#include "dnnl/shuffle.hpp"
#include "dnnl/softmax.hpp"
#include "dnnl/sum.hpp"

/// oneAPI's name of the same namespace.
namespace oneapi {
namespace dnnl = ::dnnl;
}

#endif
