// SPDX-License-Identifier: Apache-2.0
// THE TABLE: for each primitive its implementations, best first. The first row whose instruction
// set the CPU has and that takes the problem wins; next_impl() walks down. The reference ends each
// list.
#include "common/plan/implementation.hpp"

#include "cpu/cpu.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl {

namespace {

constexpr implementation convolution_rows[] = {
    {"depthwise", isa::avx512_vnni, cpu::make_depthwise_convolution},
    {"depthwise", isa::avx512, cpu::make_depthwise_convolution},
    {"depthwise", isa::avx2_vnni, cpu::make_depthwise_convolution},
    {"depthwise", isa::avx2, cpu::make_depthwise_convolution},
    {"depthwise_weights", isa::avx512, cpu::make_depthwise_convolution_weights},
    {"depthwise_weights", isa::avx2, cpu::make_depthwise_convolution_weights},
    {"fused_depthwise", isa::amx, cpu::make_fused_depthwise},
    {"fused_depthwise", isa::avx512_vnni, cpu::make_fused_depthwise},
    {"fused_depthwise", isa::avx512, cpu::make_fused_depthwise},
    {"fused_depthwise", isa::avx2_vnni, cpu::make_fused_depthwise},
    {"fused_depthwise", isa::avx2, cpu::make_fused_depthwise},
    {"fused_depthwise", isa::none, cpu::make_fused_depthwise},
    {"gemm", isa::amx, cpu::make_gemm_convolution},
    {"gemm", isa::avx512_vnni, cpu::make_gemm_convolution},
    {"gemm", isa::avx512, cpu::make_gemm_convolution},
    {"gemm", isa::avx2_vnni, cpu::make_gemm_convolution},
    {"gemm", isa::avx2, cpu::make_gemm_convolution},
    {"gemm_weights", isa::amx, cpu::make_gemm_convolution_weights},
    {"gemm_weights", isa::avx512, cpu::make_gemm_convolution_weights},
    {"gemm_weights", isa::avx2, cpu::make_gemm_convolution_weights},
    {"reference", isa::none, ref::make_convolution},
};

constexpr implementation deconvolution_rows[] = {
    {"depthwise", isa::avx512_vnni, cpu::make_depthwise_deconvolution},
    {"depthwise", isa::avx512, cpu::make_depthwise_deconvolution},
    {"depthwise", isa::avx2_vnni, cpu::make_depthwise_deconvolution},
    {"depthwise", isa::avx2, cpu::make_depthwise_deconvolution},
    {"depthwise_weights", isa::avx512, cpu::make_depthwise_deconvolution_weights},
    {"depthwise_weights", isa::avx2, cpu::make_depthwise_deconvolution_weights},
    {"gemm", isa::amx, cpu::make_gemm_deconvolution},
    {"gemm", isa::avx512_vnni, cpu::make_gemm_deconvolution},
    {"gemm", isa::avx512, cpu::make_gemm_deconvolution},
    {"gemm", isa::avx2_vnni, cpu::make_gemm_deconvolution},
    {"gemm", isa::avx2, cpu::make_gemm_deconvolution},
    {"gemm_weights", isa::amx, cpu::make_gemm_deconvolution_weights},
    {"gemm_weights", isa::avx512, cpu::make_gemm_deconvolution_weights},
    {"gemm_weights", isa::avx2, cpu::make_gemm_deconvolution_weights},
    {"reference", isa::none, ref::make_deconvolution},
};

constexpr implementation inner_product_rows[] = {
    {"gemm", isa::amx, cpu::make_gemm_inner_product},
    {"gemm", isa::avx512_vnni, cpu::make_gemm_inner_product},
    {"gemm", isa::avx512, cpu::make_gemm_inner_product},
    {"gemm", isa::avx2_vnni, cpu::make_gemm_inner_product},
    {"gemm", isa::avx2, cpu::make_gemm_inner_product},
    {"reference", isa::none, ref::make_inner_product},
};

constexpr implementation matmul_rows[] = {
    {"gemm", isa::amx, cpu::make_gemm_matmul},
    {"gemm", isa::avx512_vnni, cpu::make_gemm_matmul},
    {"gemm", isa::avx512, cpu::make_gemm_matmul},
    {"gemm", isa::avx2_vnni, cpu::make_gemm_matmul},
    {"gemm", isa::avx2, cpu::make_gemm_matmul},
    {"reference", isa::none, ref::make_matmul},
};

constexpr implementation pooling_rows[] = {
    {"vector", isa::avx512, cpu::make_pooling},
    {"vector", isa::avx2, cpu::make_pooling},
    {"reference", isa::none, ref::make_pooling},
};

constexpr implementation eltwise_rows[] = {
    {"vector", isa::avx512, cpu::make_eltwise},
    {"vector", isa::avx2, cpu::make_eltwise},
    {"reference", isa::none, ref::make_eltwise},
};

constexpr implementation binary_rows[] = {
    {"vector", isa::avx512, cpu::make_binary},
    {"vector", isa::avx2, cpu::make_binary},
    {"reference", isa::none, ref::make_binary},
};

constexpr implementation softmax_rows[] = {
    {"vector", isa::avx512, cpu::make_softmax},
    {"vector", isa::avx2, cpu::make_softmax},
    {"reference", isa::none, ref::make_softmax},
};

constexpr implementation batch_normalization_rows[] = {
    {"vector", isa::avx512, cpu::make_batch_normalization},
    {"vector", isa::avx2, cpu::make_batch_normalization},
    {"reference", isa::none, ref::make_batch_normalization},
};

constexpr implementation layer_normalization_rows[] = {
    {"vector", isa::avx512, cpu::make_layer_normalization},
    {"vector", isa::avx2, cpu::make_layer_normalization},
    {"reference", isa::none, ref::make_layer_normalization},
};

constexpr implementation group_normalization_rows[] = {
    {"vector", isa::avx512, cpu::make_group_normalization},
    {"vector", isa::avx2, cpu::make_group_normalization},
    {"reference", isa::none, ref::make_group_normalization},
};

constexpr implementation prelu_rows[] = {
    {"vector", isa::avx512, cpu::make_prelu},
    {"vector", isa::avx2, cpu::make_prelu},
    {"reference", isa::none, ref::make_prelu},
};

constexpr implementation resampling_rows[] = {
    {"vector", isa::avx512, cpu::make_resampling},
    {"vector", isa::avx2, cpu::make_resampling},
    {"reference", isa::none, ref::make_resampling},
};

constexpr implementation reduction_rows[] = {
    {"vector", isa::avx512, cpu::make_reduction},
    {"vector", isa::avx2, cpu::make_reduction},
    {"reference", isa::none, ref::make_reduction},
};

constexpr implementation reorder_rows[] = {
    {"pack", isa::avx512, cpu::make_pack_reorder},
    {"vector", isa::avx512, cpu::make_reorder},
    {"pack", isa::avx2, cpu::make_pack_reorder},
    {"vector", isa::avx2, cpu::make_reorder},
    {"reference", isa::none, ref::make_reorder},
};

constexpr implementation sum_rows[] = {
    {"vector", isa::avx512, cpu::make_sum},
    {"vector", isa::avx2, cpu::make_sum},
    {"reference", isa::none, ref::make_sum},
};

constexpr implementation concat_rows[] = {
    {"vector", isa::avx512, cpu::make_concat},
    {"vector", isa::avx2, cpu::make_concat},
    {"reference", isa::none, ref::make_concat},
};

constexpr implementation rnn_rows[] = {
    {"gemm", isa::amx, cpu::make_rnn},
    {"gemm", isa::avx512_vnni, cpu::make_rnn},
    {"gemm", isa::avx512, cpu::make_rnn},
    {"gemm", isa::avx2_vnni, cpu::make_rnn},
    {"gemm", isa::avx2, cpu::make_rnn},
    {"reference", isa::none, ref::make_rnn},
};

constexpr implementation shuffle_rows[] = {
    {"vector", isa::avx512, cpu::make_shuffle},
    {"vector", isa::avx2, cpu::make_shuffle},
    {"reference", isa::none, ref::make_shuffle},
};

constexpr implementation lrn_rows[] = {
    {"vector", isa::avx512, cpu::make_lrn},
    {"vector", isa::avx2, cpu::make_lrn},
    {"reference", isa::none, ref::make_lrn},
};

std::span<const implementation> rows_of(const convolution_desc &) { return convolution_rows; }
std::span<const implementation> rows_of(const deconvolution_desc &) { return deconvolution_rows; }
std::span<const implementation> rows_of(const inner_product_desc &) { return inner_product_rows; }
std::span<const implementation> rows_of(const matmul_desc &) { return matmul_rows; }
std::span<const implementation> rows_of(const pooling_desc &) { return pooling_rows; }
std::span<const implementation> rows_of(const eltwise_desc &) { return eltwise_rows; }
std::span<const implementation> rows_of(const binary_desc &) { return binary_rows; }
std::span<const implementation> rows_of(const softmax_desc &) { return softmax_rows; }
std::span<const implementation> rows_of(const batch_normalization_desc &) {
    return batch_normalization_rows;
}
std::span<const implementation> rows_of(const layer_normalization_desc &) {
    return layer_normalization_rows;
}
std::span<const implementation> rows_of(const group_normalization_desc &) {
    return group_normalization_rows;
}
std::span<const implementation> rows_of(const prelu_desc &) { return prelu_rows; }
std::span<const implementation> rows_of(const resampling_desc &) { return resampling_rows; }
std::span<const implementation> rows_of(const reduction_desc &) { return reduction_rows; }
std::span<const implementation> rows_of(const reorder_desc &) { return reorder_rows; }
std::span<const implementation> rows_of(const sum_desc &) { return sum_rows; }
std::span<const implementation> rows_of(const concat_desc &) { return concat_rows; }
std::span<const implementation> rows_of(const rnn_desc &) { return rnn_rows; }
std::span<const implementation> rows_of(const shuffle_desc &) { return shuffle_rows; }
std::span<const implementation> rows_of(const lrn_desc &) { return lrn_rows; }

} // namespace

std::span<const implementation> rows(const op_desc &op) {
    return std::visit([](const auto &desc) { return rows_of(desc); }, op);
}

} // namespace dnnl::impl
