// SPDX-License-Identifier: Apache-2.0
// From instruction-set masks to the kernels of the row-wise primitives.
#include "cpu/kernels/select/select_rows.hpp"

#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/kernels/elementwise/binary.hpp"
#include "cpu/kernels/elementwise/eltwise.hpp"
#include "cpu/kernels/elementwise/prelu.hpp"
#include "cpu/kernels/elementwise/reduce.hpp"
#include "cpu/kernels/elementwise/softmax.hpp"
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/kernels/pooling/interpolate.hpp"
#include "cpu/kernels/pooling/lrn.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/rnn/rnn_cell.hpp"
#include "cpu/simd/isa_tags.hpp"

namespace dnnl::impl::cpu {

binary_function select_binary(isa target) {
    return has(target, isa::avx512) ? binary_rows<avx512> : binary_rows<avx2>;
}
depthwise_function select_depthwise(isa target) {
    if (has(target, isa::avx512_vnni)) return depthwise<avx512_vnni>;
    if (has(target, isa::avx512)) return depthwise<avx512>;
    return has(target, isa::avx2_vnni) ? depthwise<avx2_vnni> : depthwise<avx2>;
}
depthwise_weights_function select_depthwise_weights(isa target) {
    return has(target, isa::avx512) ? depthwise_weights<avx512> : depthwise_weights<avx2>;
}
eltwise_function select_eltwise_forward(isa target) {
    return has(target, isa::avx512) ? eltwise_forward_rows<avx512> : eltwise_forward_rows<avx2>;
}
eltwise_function select_eltwise_backward(isa target) {
    return has(target, isa::avx512) ? eltwise_backward_rows<avx512> : eltwise_backward_rows<avx2>;
}
lrn_function select_lrn(isa target, bool forward) {
    if (has(target, isa::avx512)) return forward ? lrn_forward<avx512> : lrn_backward<avx512>;
    return forward ? lrn_forward<avx2> : lrn_backward<avx2>;
}
namespace {
template <class Isa> normalize_function normalize_for(normalize_step step) {
    switch (step) {
    case normalize_step::sums: return normalize_sums<Isa>;
    case normalize_step::squares: return normalize_squares<Isa>;
    case normalize_step::gradient_sums: return normalize_gradient_sums<Isa>;
    case normalize_step::forward: return normalize_forward<Isa>;
    default: return normalize_backward<Isa>;
    }
}
} // namespace

normalize_function select_normalize(isa target, normalize_step step) {
    return has(target, isa::avx512) ? normalize_for<avx512>(step) : normalize_for<avx2>(step);
}
pool_forward_function select_pool_forward(isa target) {
    return has(target, isa::avx512) ? pool_forward<avx512> : pool_forward<avx2>;
}
pool_backward_function select_pool_backward(isa target) {
    return has(target, isa::avx512) ? pool_backward<avx512> : pool_backward<avx2>;
}
interpolate_function select_interpolate(isa target, bool channels) {
    if (has(target, isa::avx512))
        return channels ? interpolate_channels<avx512> : interpolate_pixels<avx512>;
    return channels ? interpolate_channels<avx2> : interpolate_pixels<avx2>;
}
void (*select_prelu(isa target))(const prelu_args &) {
    return has(target, isa::avx512) ? prelu_row<avx512> : prelu_row<avx2>;
}
void (*select_prelu_weights(isa target))(const prelu_weights_args &) {
    return has(target, isa::avx512) ? prelu_weights<avx512> : prelu_weights<avx2>;
}
reduce_function select_reduce(isa target, bool columns) {
    if (has(target, isa::avx512)) return columns ? reduce_columns<avx512> : reduce_rows<avx512>;
    return columns ? reduce_columns<avx2> : reduce_rows<avx2>;
}
reduce_finish_function select_reduce_finish(isa target) {
    return has(target, isa::avx512) ? reduce_finish<avx512> : reduce_finish<avx2>;
}
void (*select_rnn_cell_forward(isa target))(const rnn_forward_args &) {
    return has(target, isa::avx512) ? rnn_cell_forward<avx512> : rnn_cell_forward<avx2>;
}
void (*select_rnn_cell_backward(isa target))(const rnn_backward_args &) {
    return has(target, isa::avx512) ? rnn_cell_backward<avx512> : rnn_cell_backward<avx2>;
}
void (*select_rnn_rows(isa target))(const rnn_rows_args &) {
    return has(target, isa::avx512) ? rnn_rows<avx512> : rnn_rows<avx2>;
}
void (*select_rnn_product_sums(isa target))(const rnn_product_sums_args &) {
    return has(target, isa::avx512) ? rnn_product_sums<avx512> : rnn_product_sums<avx2>;
}
namespace {
template <class Isa> softmax_function softmax_for(bool forward, bool by_columns) {
    if (by_columns) return forward ? softmax_columns<Isa> : softmax_columns_backward<Isa>;
    return forward ? softmax_rows<Isa> : softmax_rows_backward<Isa>;
}
} // namespace

softmax_function select_softmax(isa target, bool forward, bool by_columns) {
    return has(target, isa::avx512) ? softmax_for<avx512>(forward, by_columns)
                                    : softmax_for<avx2>(forward, by_columns);
}

} // namespace dnnl::impl::cpu
