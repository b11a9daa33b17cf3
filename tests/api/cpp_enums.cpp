// SPDX-License-Identifier: Apache-2.0
// Every enumerator of the C++ interface has the value of its C enumerator. Checked while compiling:
// the values of the C enumerators themselves are checked in enum_values.cpp.

#define DNNL_EXPERIMENTAL_PROFILING

#include "dnnl/dnnl.hpp"
#include "eltwise_algorithms.hpp"
#include "enum_pairs.hpp"

namespace {

// clang-format off
#define S(name) SAME(engine::kind, , name)
#define P(name, c_name) PAIR(engine::kind, name, c_name)
constexpr pair engine_kind_pairs[] = {
    P(any, dnnl_any_engine), S(cpu), S(gpu),
};
static_assert(equal(engine_kind_pairs), "engine::kind");
#undef S
#undef P

#define S(name) SAME(stream::flags, stream_, name)
constexpr pair stream_flags_pairs[] = {
    S(in_order), S(out_of_order), S(default_flags), S(profiling),
};
static_assert(equal(stream_flags_pairs), "stream::flags");
#undef S

#define S(name) SAME(status, , name)
constexpr pair status_pairs[] = {
    S(success), S(out_of_memory), S(invalid_arguments), S(unimplemented), S(last_impl_reached),
    S(runtime_error), S(not_required),
};
static_assert(equal(status_pairs), "status");
#undef S

#define S(name) SAME(fpmath_mode, fpmath_mode_, name)
constexpr pair fpmath_mode_pairs[] = {
    S(strict), S(bf16), S(f16), S(tf32), S(any),
};
static_assert(equal(fpmath_mode_pairs), "fpmath_mode");
#undef S

#define S(name) SAME(accumulation_mode, accumulation_mode_, name)
constexpr pair accumulation_mode_pairs[] = {
    S(strict), S(relaxed), S(any), S(s32), S(f32), S(f16),
};
static_assert(equal(accumulation_mode_pairs), "accumulation_mode");
#undef S

#define S(name) SAME(quantization_mode, quantization_mode_, name)
constexpr pair quantization_mode_pairs[] = {
    S(undef), S(static_sazp), S(dynamic_mx), S(dynamic_fp),
};
static_assert(equal(quantization_mode_pairs), "quantization_mode");
#undef S

#define S(name) SAME(rounding_mode, rounding_mode_, name)
constexpr pair rounding_mode_pairs[] = {
    S(environment), S(stochastic),
};
static_assert(equal(rounding_mode_pairs), "rounding_mode");
#undef S

#define S(name) SAME(scratchpad_mode, scratchpad_mode_, name)
constexpr pair scratchpad_mode_pairs[] = {
    S(library), S(user),
};
static_assert(equal(scratchpad_mode_pairs), "scratchpad_mode");
#undef S

#define S(name) SAME(prop_kind, , name)
#define P(name, c_name) PAIR(prop_kind, name, c_name)
constexpr pair prop_kind_pairs[] = {
    P(undef, dnnl_prop_kind_undef), S(forward_training), S(forward_inference), S(forward),
    S(backward), S(backward_data), S(backward_weights), S(backward_bias),
    P(forward_scoring, dnnl_forward_inference),
};
static_assert(equal(prop_kind_pairs), "prop_kind");
#undef S
#undef P

#define S(name) SAME(primitive::kind, , name)
#define P(name, c_name) PAIR(primitive::kind, name, c_name)
constexpr pair primitive_kind_pairs[] = {
    P(undef, dnnl_undefined_primitive), S(reorder), S(shuffle), S(concat), S(sum), S(convolution),
    S(deconvolution), S(eltwise), S(lrn), S(batch_normalization), S(inner_product), S(rnn),
    S(binary), S(matmul), S(resampling), S(pooling), S(reduction), S(prelu), S(softmax),
    S(layer_normalization), S(group_normalization),
};
static_assert(equal(primitive_kind_pairs), "primitive::kind");
#undef S
#undef P

#define S(name) SAME(algorithm, , name)
#define P(name, c_name) PAIR(algorithm, name, c_name)
constexpr pair algorithm_pairs[] = {
    P(undef, dnnl_alg_kind_undef), S(convolution_auto), S(convolution_direct),
    S(convolution_winograd), S(deconvolution_direct), S(deconvolution_winograd),
#define E(name, value) S(eltwise_##name),
    ELTWISE_ALGORITHMS(E)
#undef E
#define E(name, value) S(eltwise_##name##_use_dst_for_bwd),
    ELTWISE_ALGORITHMS_OF_DST(E)
#undef E
    S(lrn_across_channels), S(lrn_within_channel),
    S(pooling_max), S(pooling_avg_include_padding), S(pooling_avg_exclude_padding), S(vanilla_rnn),
    S(vanilla_lstm), S(vanilla_gru), S(lbr_gru), S(vanilla_augru), S(lbr_augru), S(binary_add),
    S(binary_mul), S(binary_max), S(binary_min), S(binary_div), S(binary_sub), S(binary_ge),
    S(binary_gt), S(binary_le), S(binary_lt), S(binary_eq), S(binary_ne), S(binary_select),
    S(resampling_nearest), S(resampling_linear), S(reduction_max), S(reduction_min),
    S(reduction_sum), S(reduction_mul), S(reduction_mean), S(reduction_norm_lp_max),
    S(reduction_norm_lp_sum), S(reduction_norm_lp_power_p_max), S(reduction_norm_lp_power_p_sum),
    S(softmax_accurate), S(softmax_log), P(eltwise_gelu, dnnl_eltwise_gelu_tanh),
    P(eltwise_clip_use_dst_for_bwd, dnnl_eltwise_clip_v2_use_dst_for_bwd),
    P(pooling_avg, dnnl_pooling_avg_exclude_padding),
};
static_assert(equal(algorithm_pairs), "algorithm");
#undef S
#undef P

#define S(name) SAME(normalization_flags, , name)
#define P(name, c_name) PAIR(normalization_flags, name, c_name)
constexpr pair normalization_flags_pairs[] = {
    P(none, dnnl_normalization_flags_none), S(use_global_stats), S(use_scale), S(use_shift),
    S(fuse_norm_relu), S(fuse_norm_add_relu), S(rms_norm),
};
static_assert(equal(normalization_flags_pairs), "normalization_flags");
#undef S
#undef P

#define S(name) SAME(rnn_flags, rnn_flags_, name)
constexpr pair rnn_flags_pairs[] = {
    S(undef), S(diff_weights_overwrite),
};
static_assert(equal(rnn_flags_pairs), "rnn_flags");
#undef S

#define S(name) SAME(rnn_direction, , name)
#define P(name, c_name) PAIR(rnn_direction, name, c_name)
constexpr pair rnn_direction_pairs[] = {
    P(undef, dnnl_rnn_direction_undef), S(unidirectional_left2right), S(unidirectional_right2left),
    S(bidirectional_concat), S(bidirectional_sum),
    P(unidirectional, dnnl_unidirectional_left2right),
};
static_assert(equal(rnn_direction_pairs), "rnn_direction");
#undef S
#undef P

#define S(name) SAME(query, query_, name)
constexpr pair query_pairs[] = {
    S(undef), S(engine), S(primitive_kind), S(num_of_inputs_s32), S(num_of_outputs_s32),
    S(time_estimate_f64), S(memory_consumption_s64), S(scratchpad_engine), S(reorder_src_engine),
    S(reorder_dst_engine), S(impl_info_str), S(prop_kind), S(cache_blob_id_size_s64),
    S(cache_blob_id), S(strides), S(dilations), S(padding_l), S(padding_r), S(epsilon_f32),
    S(flags), S(alg_kind), S(alpha_f32), S(beta_f32), S(axis_s32), S(local_size_s64), S(k_f32),
    S(p_f32), S(factors), S(cell_kind), S(direction), S(activation_kind), S(kernel),
    S(group_size_s64), S(src_md), S(diff_src_md), S(weights_md), S(diff_weights_md), S(dst_md),
    S(diff_dst_md), S(workspace_md), S(scratchpad_md), S(exec_arg_md), S(ndims_s32), S(dims),
    S(data_type), S(submemory_offset_s64), S(padded_dims), S(padded_offsets), S(format_kind),
    S(inner_nblks_s32), S(inner_blks), S(inner_idxs), S(sparse_encoding), S(nnz_s64),
    S(num_handles_s32),
};
static_assert(equal(query_pairs), "query");
#undef S

#define S(name) SAME(memory::data_type, , name)
#define P(name, c_name) PAIR(memory::data_type, name, c_name)
constexpr pair memory_data_type_pairs[] = {
    P(undef, dnnl_data_type_undef), S(f4_e3m0), S(f4_e2m1), S(e8m0), S(f8_e5m2), S(f8_e4m3),
    S(f16), S(bf16), S(f32), S(f64), S(s32), S(s8), S(u8), S(s4), S(u4),
    S(s64),
};
static_assert(equal(memory_data_type_pairs), "memory::data_type");
#undef S
#undef P

#define S(name) SAME(memory::format_kind, , name)
#define P(name, c_name) PAIR(memory::format_kind, name, c_name)
constexpr pair memory_format_kind_pairs[] = {
    P(undef, dnnl_format_kind_undef), P(any, dnnl_format_kind_any), S(blocked),
    P(opaque, dnnl_format_kind_opaque), P(sparse, dnnl_format_kind_sparse),
    P(host_scalar, dnnl_format_kind_host_scalar),
};
static_assert(equal(memory_format_kind_pairs), "memory::format_kind");
#undef S
#undef P

#define S(name) SAME(cpu_isa, cpu_isa_, name)
#define P(name, c_name) PAIR(cpu_isa, name, c_name)
constexpr pair cpu_isa_pairs[] = {
    P(isa_default, dnnl_cpu_isa_default), S(sse41), S(avx), S(avx2), S(avx2_vnni), S(avx2_vnni_2),
    S(avx512_core), S(avx512_core_vnni), S(avx512_core_bf16), S(avx10_1_512), S(avx512_core_fp16),
    S(avx10_1_512_amx), S(avx512_core_amx), S(avx10_1_512_amx_fp16), S(avx512_core_amx_fp16),
    S(avx10_2), S(avx10_2_512), S(avx10_2_amx_2), S(avx10_2_512_amx_2),
};
static_assert(equal(cpu_isa_pairs), "cpu_isa");
#undef S
#undef P

#define S(name) SAME(cpu_isa_hints, cpu_isa_, name)
constexpr pair cpu_isa_hints_pairs[] = {
    S(no_hints), S(prefer_ymm),
};
static_assert(equal(cpu_isa_hints_pairs), "cpu_isa_hints");
#undef S

#define S(name) SAME(memory::sparse_encoding, , name)
#define P(name, c_name) PAIR(memory::sparse_encoding, name, c_name)
constexpr pair memory_sparse_encoding_pairs[] = {
    P(undef, dnnl_sparse_encoding_undef), S(csr), S(packed), S(coo),
};
static_assert(equal(memory_sparse_encoding_pairs), "memory::sparse_encoding");
#undef S
#undef P

#define S(name) SAME(profiling_data_kind, profiling_data_kind_, name)
constexpr pair profiling_data_kind_pairs[] = {
    S(undef), S(time),
};
static_assert(equal(profiling_data_kind_pairs), "profiling_data_kind");
#undef S

// clang-format on

// Underlying types, which programs see in overloads and templates.
static_assert(std::is_same<std::underlying_type<dnnl::stream::flags>::type, unsigned>::value, "");
static_assert(
    std::is_same<std::underlying_type<dnnl::normalization_flags>::type, unsigned>::value, "");
static_assert(std::is_same<std::underlying_type<dnnl::rnn_flags>::type, unsigned>::value, "");
static_assert(std::is_same<std::underlying_type<dnnl::algorithm>::type, int>::value, "");
static_assert(DNNL_ARG_DIFF_SCALE_SHIFT == DNNL_ARG_DIFF_WEIGHTS, "");

} // namespace

int main() { return 0; }
