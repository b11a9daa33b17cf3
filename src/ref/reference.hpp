// SPDX-License-Identifier: Apache-2.0
// The reference implementations: readable, for any CPU, any element type, layout and attribute.
#pragma once

#include "common/plan/implementation.hpp"

namespace dnnl::impl::ref {

planned make_convolution(problem &);
planned make_deconvolution(problem &);
planned make_inner_product(problem &);
planned make_matmul(problem &);
/// A matmul with a sparse operand; make_matmul() hands it on.
planned make_sparse_matmul(problem &);
planned make_pooling(problem &);
planned make_eltwise(problem &);
planned make_binary(problem &);
planned make_softmax(problem &);
planned make_batch_normalization(problem &);
planned make_layer_normalization(problem &);
planned make_group_normalization(problem &);
planned make_prelu(problem &);
planned make_reduction(problem &);
planned make_reorder(problem &);
planned make_rnn(problem &);
planned make_resampling(problem &);
planned make_sum(problem &);
planned make_concat(problem &);
planned make_shuffle(problem &);
planned make_lrn(problem &);

} // namespace dnnl::impl::ref
