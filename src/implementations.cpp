// SPDX-License-Identifier: Apache-2.0
// THE TABLE: for each primitive its implementations, best first. The first row whose instruction
// set the CPU has and that takes the problem wins; next_impl() walks down. References end lists.

#include <algorithm>
#include <array>

#include "common/runtime/settings.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl {

namespace {

using namespace cpu;

/// A build without kernels has the rows that need none.
template <class Tag> constexpr bool is_built = has_kernels || needs<Tag> == isa::none;

/// The rows of one implementation, one for each of its levels.
template <class... Tags>
consteval auto row(levels<Tags...>, std::string_view name, planned (*make_plan)(problem &)) {
    std::array<implementation, (std::size_t {is_built<Tags>} + ...)> rows {};
    auto next = rows.begin();
    ((is_built<Tags> ? void(*next++ = {name, needs<Tags>, make_plan}) : void()), ...);
    return rows;
}

template <std::size_t... Counts>
consteval auto joined(const std::array<implementation, Counts> &...parts) {
    std::array<implementation, (Counts + ...)> all {};
    auto next = all.begin();
    ((next = std::copy(parts.begin(), parts.end(), next)), ...);
    return all;
}

consteval auto vector_rows(planned (*vector)(problem &), planned (*reference)(problem &)) {
    return joined(
        row(vector_levels {}, "vector", vector), row(any_level {}, "reference", reference));
}

/// As vector_rows, with one more row at the level that rounds pairs of vectors to bf16.
consteval auto bf16_rows(planned (*vector)(problem &), planned (*reference)(problem &)) {
    return joined(row(bf16_levels {}, "vector", vector), row(any_level {}, "reference", reference));
}

template <class Desc> constexpr std::nullptr_t table = nullptr; // each primitive has its own

template <>
constexpr auto table<convolution_desc> = joined(
    row(byte_levels {}, "depthwise", cpu::make_depthwise_convolution),
    row(vector_levels {}, "depthwise_weights", cpu::make_depthwise_convolution_weights),
    row(product_levels {}, "grouped", cpu::make_grouped_convolution),
    row(product_levels {}, "few_outputs", cpu::make_few_outputs_convolution),
    row(matrix_levels {}, "fused_depthwise", cpu::make_fused_depthwise),
    row(any_level {}, "fused_depthwise", cpu::make_fused_depthwise),
    row(every_matrix_level {}, "gemm", cpu::make_gemm_convolution),
    row(float_matrix_levels {}, "gemm_weights", cpu::make_gemm_convolution_weights),
    row(any_level {}, "reference", ref::make_convolution));

template <>
constexpr auto table<deconvolution_desc> = joined(
    row(byte_levels {}, "depthwise", cpu::make_depthwise_deconvolution),
    row(vector_levels {}, "depthwise_weights", cpu::make_depthwise_deconvolution_weights),
    row(matrix_levels {}, "gemm", cpu::make_gemm_deconvolution),
    row(float_matrix_levels {}, "gemm_weights", cpu::make_gemm_deconvolution_weights),
    row(any_level {}, "reference", ref::make_deconvolution));

template <>
constexpr auto table<inner_product_desc> = joined(
    row(every_matrix_level {}, "gemm", cpu::make_gemm_inner_product),
    row(any_level {}, "reference", ref::make_inner_product));

template <>
constexpr auto table<matmul_desc> = joined(row(product_levels {}, "dots", cpu::make_dots_matmul),
    row(every_matrix_level {}, "gemm", cpu::make_gemm_matmul),
    row(vector_levels {}, "sparse", cpu::make_sparse_matmul),
    row(any_level {}, "reference", ref::make_matmul));

template <>
constexpr auto table<attention_desc> = joined(row(matrix_levels {}, "blocks", cpu::make_attention),
    row(any_level {}, "reference", ref::make_attention));

template <> constexpr auto table<pooling_desc> = vector_rows(cpu::make_pooling, ref::make_pooling);

template <>
constexpr auto table<eltwise_desc> = joined(
    row(levels<avx512_vbmi> {}, "table", cpu::make_eltwise_table),
    row(bf16_levels {}, "vector", cpu::make_eltwise),
    row(levels<sse41> {}, "vector", cpu::make_eltwise),
    row(any_level {}, "reference", ref::make_eltwise));

template <> constexpr auto table<binary_desc> = bf16_rows(cpu::make_binary, ref::make_binary);

template <> constexpr auto table<softmax_desc> = vector_rows(cpu::make_softmax, ref::make_softmax);

template <>
constexpr auto table<batch_normalization_desc> = bf16_rows(
    cpu::make_batch_normalization, ref::make_batch_normalization);

template <>
constexpr auto table<layer_normalization_desc> = bf16_rows(
    cpu::make_layer_normalization, ref::make_layer_normalization);

template <>
constexpr auto table<group_normalization_desc> = bf16_rows(
    cpu::make_group_normalization, ref::make_group_normalization);

template <> constexpr auto table<prelu_desc> = vector_rows(cpu::make_prelu, ref::make_prelu);

template <>
constexpr auto table<resampling_desc> = vector_rows(cpu::make_resampling, ref::make_resampling);

template <>
constexpr auto table<reduction_desc> = vector_rows(cpu::make_reduction, ref::make_reduction);

template <>
constexpr auto table<reorder_desc> = joined(row(levels<avx512> {}, "pack", cpu::make_pack_reorder),
    row(levels<avx512> {}, "vector", cpu::make_reorder),
    row(levels<avx2> {}, "pack", cpu::make_pack_reorder),
    row(levels<avx2> {}, "vector", cpu::make_reorder),
    row(levels<sse41> {}, "pack", cpu::make_pack_reorder),
    row(levels<sse41> {}, "vector", cpu::make_reorder),
    row(any_level {}, "reference", ref::make_reorder));

template <> constexpr auto table<sum_desc> = bf16_rows(cpu::make_sum, ref::make_sum);

template <>
constexpr auto table<concat_desc> = joined(row(every_level {}, "vector", cpu::make_concat),
    row(any_level {}, "reference", ref::make_concat));

template <>
constexpr auto table<rnn_desc> = joined(
    row(matrix_levels {}, "gemm", cpu::make_rnn), row(any_level {}, "reference", ref::make_rnn));

template <>
constexpr auto table<shuffle_desc> = joined(row(every_level {}, "vector", cpu::make_shuffle),
    row(any_level {}, "reference", ref::make_shuffle));

template <> constexpr auto table<lrn_desc> = vector_rows(cpu::make_lrn, ref::make_lrn);

} // namespace

std::span<const implementation> rows(const op_desc &op) {
    return std::visit(
        []<class Desc>(const Desc &) {
            static_assert(std::size(table<Desc>) <= most_rows);
            return std::span<const implementation>(table<Desc>);
        },
        op);
}

} // namespace dnnl::impl
