// SPDX-License-Identifier: Apache-2.0
// The enumerations of the C++ interface that belong to no class. Values are those of C.

#ifndef ONEAPI_DNNL_ENUMERATIONS_HPP
#define ONEAPI_DNNL_ENUMERATIONS_HPP

#include "dnnl/common.hpp"
#include "dnnl/dnnl_types.h"

// The specification's name for the gradient of the former two-row scale and shift tensor.
#ifndef DNNL_ARG_DIFF_SCALE_SHIFT
#define DNNL_ARG_DIFF_SCALE_SHIFT DNNL_ARG_DIFF_WEIGHTS_0
#endif

namespace dnnl {

/// Result of a call that reports instead of throwing.
enum class status {
    success = dnnl_success, ///< Done.
    /// An allocation failed or a fixed capacity is exceeded.
    out_of_memory = dnnl_out_of_memory,
    /// An argument is malformed or contradicts another one.
    invalid_arguments = dnnl_invalid_arguments,
    unimplemented = dnnl_unimplemented,         ///< Well-formed, but no implementation takes it.
    last_impl_reached = dnnl_last_impl_reached, ///< There is no further implementation.
    /// Execution failed, or a one-time setting came too late.
    runtime_error = dnnl_runtime_error,
    not_required = dnnl_not_required, ///< The primitive has no such item.
};

/// The C value of a status.
inline dnnl_status_t convert_to_c(status value) { return static_cast<dnnl_status_t>(value); }

/// Direction of propagation. Specification: Basic Concepts, Propagation Kinds.
enum class prop_kind {
    undef = dnnl_prop_kind_undef,               ///< None.
    forward_training = dnnl_forward_training,   ///< Forward; keeps what backward needs.
    forward_inference = dnnl_forward_inference, ///< Forward only.
    forward_scoring = dnnl_forward_inference,   ///< The specification's name of forward_inference.
    forward = dnnl_forward,                     ///< Same as forward_training.
    backward = dnnl_backward,                   ///< Gradients of data and parameters.
    backward_data = dnnl_backward_data,         ///< Gradient of the source.
    backward_weights = dnnl_backward_weights,   ///< Gradients of weights and bias.
    backward_bias = dnnl_backward_bias,         ///< Gradient of the bias.
};

/// The C value of a prop_kind.
inline dnnl_prop_kind_t convert_to_c(prop_kind value) {
    return static_cast<dnnl_prop_kind_t>(value);
}

/// What a primitive computes; s is the source element.
/// Specification: the section of each primitive.
enum class algorithm {
    undef = dnnl_alg_kind_undef,                          ///< None.
    convolution_auto = dnnl_convolution_auto,             ///< The library chooses.
    convolution_direct = dnnl_convolution_direct,         ///< Direct.
    convolution_winograd = dnnl_convolution_winograd,     ///< Winograd; not in this library.
    deconvolution_direct = dnnl_deconvolution_direct,     ///< Direct.
    deconvolution_winograd = dnnl_deconvolution_winograd, ///< Winograd; not in this library.
    eltwise_relu = dnnl_eltwise_relu,                     ///< s > 0 ? s : alpha s
    eltwise_tanh = dnnl_eltwise_tanh,                     ///< tanh s
    eltwise_elu = dnnl_eltwise_elu,                       ///< s > 0 ? s : alpha (e^s - 1)
    eltwise_square = dnnl_eltwise_square,                 ///< s^2
    eltwise_abs = dnnl_eltwise_abs,                       ///< |s|
    eltwise_sqrt = dnnl_eltwise_sqrt,                     ///< sqrt s
    eltwise_swish = dnnl_eltwise_swish,                   ///< s / (1 + e^(-alpha s))
    eltwise_linear = dnnl_eltwise_linear,                 ///< alpha s + beta
    eltwise_soft_relu = dnnl_eltwise_soft_relu,           ///< ln(1 + e^(alpha s)) / alpha
    eltwise_mish = dnnl_eltwise_mish,                     ///< s tanh(ln(1 + e^s))
    eltwise_logistic = dnnl_eltwise_logistic,             ///< 1 / (1 + e^-s)
    eltwise_exp = dnnl_eltwise_exp,                       ///< e^s
    /// s/2 (1 + tanh(sqrt(2/pi) (s + 0.044715 s^3)))
    eltwise_gelu_tanh = dnnl_eltwise_gelu_tanh,
    eltwise_gelu = dnnl_eltwise_gelu_tanh,    ///< Another name of eltwise_gelu_tanh.
    eltwise_gelu_erf = dnnl_eltwise_gelu_erf, ///< s/2 (1 + erf(s / sqrt 2))
    eltwise_log = dnnl_eltwise_log,           ///< ln s
    /// min(beta, max(alpha, s)); its gradient includes s = beta
    eltwise_clip = dnnl_eltwise_clip,
    /// min(beta, max(alpha, s)); its gradient excludes s = beta
    eltwise_clip_v2 = dnnl_eltwise_clip_v2,
    eltwise_pow = dnnl_eltwise_pow,                 ///< alpha s^beta
    eltwise_round = dnnl_eltwise_round,             ///< nearest integer, ties to even
    eltwise_hardswish = dnnl_eltwise_hardswish,     ///< s max(0, min(1, alpha s + beta))
    eltwise_hardsigmoid = dnnl_eltwise_hardsigmoid, ///< max(0, min(1, alpha s + beta))
    // The same functions; backward propagation reads dst instead of src.
    eltwise_relu_use_dst_for_bwd = dnnl_eltwise_relu_use_dst_for_bwd,
    eltwise_tanh_use_dst_for_bwd = dnnl_eltwise_tanh_use_dst_for_bwd,
    eltwise_elu_use_dst_for_bwd = dnnl_eltwise_elu_use_dst_for_bwd,
    eltwise_sqrt_use_dst_for_bwd = dnnl_eltwise_sqrt_use_dst_for_bwd,
    eltwise_logistic_use_dst_for_bwd = dnnl_eltwise_logistic_use_dst_for_bwd,
    eltwise_exp_use_dst_for_bwd = dnnl_eltwise_exp_use_dst_for_bwd,
    eltwise_clip_v2_use_dst_for_bwd = dnnl_eltwise_clip_v2_use_dst_for_bwd,
    /// Another name of the line above.
    eltwise_clip_use_dst_for_bwd = dnnl_eltwise_clip_v2_use_dst_for_bwd,
    /// min(alpha, max(0, s)): the specification's name of eltwise_clip with (0, alpha), which is
    /// what queries report.
    eltwise_bounded_relu = 0x200,
    lrn_across_channels = dnnl_lrn_across_channels, ///< Window over neighbouring channels.
    lrn_within_channel = dnnl_lrn_within_channel,   ///< Window over neighbouring pixels.
    pooling_max = dnnl_pooling_max,                 ///< Largest value of the window.
    /// Mean; padding counts in the divisor.
    pooling_avg_include_padding = dnnl_pooling_avg_include_padding,
    /// Mean over the elements inside the image.
    pooling_avg_exclude_padding = dnnl_pooling_avg_exclude_padding,
    /// Another name of pooling_avg_exclude_padding.
    pooling_avg = dnnl_pooling_avg_exclude_padding,
    vanilla_rnn = dnnl_vanilla_rnn,     ///< act(W x + U h + b).
    vanilla_lstm = dnnl_vanilla_lstm,   ///< Long short-term memory.
    vanilla_gru = dnnl_vanilla_gru,     ///< Gated recurrent unit.
    lbr_gru = dnnl_lbr_gru,             ///< GRU, linear before reset: the bias has 4 gates.
    vanilla_augru = dnnl_vanilla_augru, ///< GRU with attention.
    lbr_augru = dnnl_lbr_augru,         ///< Linear-before-reset GRU with attention.
    binary_add = dnnl_binary_add,       ///< src0 + src1
    binary_mul = dnnl_binary_mul,       ///< src0 * src1
    binary_max = dnnl_binary_max,       ///< max(src0, src1)
    binary_min = dnnl_binary_min,       ///< min(src0, src1)
    binary_div = dnnl_binary_div,       ///< src0 / src1
    binary_sub = dnnl_binary_sub,       ///< src0 - src1
    binary_ge = dnnl_binary_ge,         ///< src0 >= src1
    binary_gt = dnnl_binary_gt,         ///< src0 > src1
    binary_le = dnnl_binary_le,         ///< src0 <= src1
    binary_lt = dnnl_binary_lt,         ///< src0 < src1
    binary_eq = dnnl_binary_eq,         ///< src0 == src1
    binary_ne = dnnl_binary_ne,         ///< src0 != src1
    binary_select = dnnl_binary_select, ///< src2 != 0 ? src0 : src1
    resampling_nearest = dnnl_resampling_nearest,       ///< Nearest neighbour.
    resampling_linear = dnnl_resampling_linear,         ///< Linear, bilinear, trilinear.
    reduction_max = dnnl_reduction_max,                 ///< Largest.
    reduction_min = dnnl_reduction_min,                 ///< Smallest.
    reduction_sum = dnnl_reduction_sum,                 ///< Sum.
    reduction_mul = dnnl_reduction_mul,                 ///< Product.
    reduction_mean = dnnl_reduction_mean,               ///< Mean.
    reduction_norm_lp_max = dnnl_reduction_norm_lp_max, ///< max(sum |s|^p, eps)^(1/p)
    reduction_norm_lp_sum = dnnl_reduction_norm_lp_sum, ///< (sum |s|^p + eps)^(1/p)
    reduction_norm_lp_power_p_max = dnnl_reduction_norm_lp_power_p_max, ///< max(sum |s|^p, eps)
    reduction_norm_lp_power_p_sum = dnnl_reduction_norm_lp_power_p_sum, ///< sum |s|^p + eps
    softmax_accurate = dnnl_softmax_accurate, ///< e^(s - max) / sum e^(s - max)
    softmax_log = dnnl_softmax_log,           ///< (s - max) - ln sum e^(s - max)
};

/// The C value of a algorithm.
inline dnnl_alg_kind_t convert_to_c(algorithm value) { return static_cast<dnnl_alg_kind_t>(value); }

/// How results are rounded to the destination type.
enum class rounding_mode {
    /// As the floating-point environment says; the default.
    environment = dnnl_rounding_mode_environment,
    stochastic = dnnl_rounding_mode_stochastic, ///< Adds pseudo-random bits before truncating.
};

/// The C value of a rounding_mode.
inline dnnl_rounding_mode_t convert_to_c(rounding_mode value) {
    return static_cast<dnnl_rounding_mode_t>(value);
}

/// Where scales come from.
enum class quantization_mode {
    undef = dnnl_quantization_mode_undef,             ///< None.
    static_sazp = dnnl_quantization_mode_static_sazp, ///< The user gives scales and zero points.
    dynamic_mx = dnnl_quantization_mode_dynamic_mx,   ///< Of dst: the library stores powers of two.
    dynamic_fp = dnnl_quantization_mode_dynamic_fp,   ///< Of dst: the library stores e4m3 scales.
};

/// The C value of a quantization_mode.
inline dnnl_quantization_mode_t convert_to_c(quantization_mode value) {
    return static_cast<dnnl_quantization_mode_t>(value);
}

/// Who provides the scratchpad. Specification: Primitive Attributes, Scratchpad Mode.
enum class scratchpad_mode {
    /// The library provides the scratchpad; the default.
    library = dnnl_scratchpad_mode_library,
    user = dnnl_scratchpad_mode_user, ///< The user passes DNNL_ARG_SCRATCHPAD to execute().
};

/// The C value of a scratchpad_mode.
inline dnnl_scratchpad_mode_t convert_to_c(scratchpad_mode value) {
    return static_cast<dnnl_scratchpad_mode_t>(value);
}

/// Flags of normalization primitives; can be combined with |.
enum class normalization_flags : unsigned {
    none = dnnl_normalization_flags_none,     ///< None.
    use_global_stats = dnnl_use_global_stats, ///< Mean and variance are inputs.
    use_scale = dnnl_use_scale,               ///< Multiplies by a scale (gamma).
    use_shift = dnnl_use_shift,               ///< Adds a shift (beta).
    /// Applies ReLU to the result; training keeps a workspace.
    fuse_norm_relu = dnnl_fuse_norm_relu,
    fuse_norm_add_relu = dnnl_fuse_norm_add_relu, ///< Adds a second source, then applies ReLU.
    rms_norm = dnnl_rms_norm, ///< Layer normalization by the root mean square: the mean is 0.
};

/// The C value of a normalization_flags.
inline dnnl_normalization_flags_t convert_to_c(normalization_flags value) {
    return static_cast<dnnl_normalization_flags_t>(value);
}

/// Flags of RNN primitives; can be combined with |.
enum class rnn_flags : unsigned {
    undef = dnnl_rnn_flags_undef, ///< None: weight gradients are added to what the buffers hold.
    /// Weight gradients replace what the buffers hold.
    diff_weights_overwrite = dnnl_rnn_flags_diff_weights_overwrite,
};

/// The C value of a rnn_flags.
inline dnnl_rnn_flags_t convert_to_c(rnn_flags value) {
    return static_cast<dnnl_rnn_flags_t>(value);
}

/// Direction in which an RNN runs through time. Specification: RNN.
enum class rnn_direction {
    undef = dnnl_rnn_direction_undef,                           ///< None.
    unidirectional_left2right = dnnl_unidirectional_left2right, ///< Time runs forward.
    /// Another name of unidirectional_left2right.
    unidirectional = dnnl_unidirectional_left2right,
    unidirectional_right2left = dnnl_unidirectional_right2left, ///< Time runs backward.
    /// Both; results are concatenated along the channels.
    bidirectional_concat = dnnl_bidirectional_concat,
    bidirectional_sum = dnnl_bidirectional_sum, ///< Both; results are added.
};

/// The C value of a rnn_direction.
inline dnnl_rnn_direction_t convert_to_c(rnn_direction value) {
    return static_cast<dnnl_rnn_direction_t>(value);
}

/// What can be asked of a primitive or memory descriptor; the comment names the type that the
/// C function writes.
enum class query {
    undef = dnnl_query_undef,                           ///< None.
    engine = dnnl_query_engine,                         ///< `dnnl_engine_t *`
    primitive_kind = dnnl_query_primitive_kind,         ///< `dnnl_primitive_kind_t *`
    num_of_inputs_s32 = dnnl_query_num_of_inputs_s32,   ///< `int *`
    num_of_outputs_s32 = dnnl_query_num_of_outputs_s32, ///< `int *`
    time_estimate_f64 = dnnl_query_time_estimate_f64,   ///< `double *`, seconds
    /// `dnnl_dim_t *`, bytes of scratchpad that the library owns
    memory_consumption_s64 = dnnl_query_memory_consumption_s64,
    scratchpad_engine = dnnl_query_scratchpad_engine,           ///< `dnnl_engine_t *`
    reorder_src_engine = dnnl_query_reorder_src_engine,         ///< `dnnl_engine_t *`
    reorder_dst_engine = dnnl_query_reorder_dst_engine,         ///< `dnnl_engine_t *`
    impl_info_str = dnnl_query_impl_info_str,                   ///< `const char **`
    prop_kind = dnnl_query_prop_kind,                           ///< `dnnl_prop_kind_t *`
    cache_blob_id_size_s64 = dnnl_query_cache_blob_id_size_s64, ///< `dnnl_dim_t *`
    cache_blob_id = dnnl_query_cache_blob_id,                   ///< `const uint8_t **`
    /// `const dnnl_dims_t **`: of a window, or of a memory descriptor
    strides = dnnl_query_strides,
    dilations = dnnl_query_dilations,             ///< `const dnnl_dims_t **`
    padding_l = dnnl_query_padding_l,             ///< `const dnnl_dims_t **`
    padding_r = dnnl_query_padding_r,             ///< `const dnnl_dims_t **`
    epsilon_f32 = dnnl_query_epsilon_f32,         ///< `float *`
    flags = dnnl_query_flags,                     ///< `unsigned *`
    alg_kind = dnnl_query_alg_kind,               ///< `dnnl_alg_kind_t *`
    alpha_f32 = dnnl_query_alpha_f32,             ///< `float *`
    beta_f32 = dnnl_query_beta_f32,               ///< `float *`
    axis_s32 = dnnl_query_axis_s32,               ///< `int *`
    local_size_s64 = dnnl_query_local_size_s64,   ///< `dnnl_dim_t *`
    k_f32 = dnnl_query_k_f32,                     ///< `float *`
    p_f32 = dnnl_query_p_f32,                     ///< `float *`
    factors = dnnl_query_factors,                 ///< `const float **`
    cell_kind = dnnl_query_cell_kind,             ///< `dnnl_alg_kind_t *`
    direction = dnnl_query_direction,             ///< `dnnl_rnn_direction_t *`
    activation_kind = dnnl_query_activation_kind, ///< `dnnl_alg_kind_t *`
    kernel = dnnl_query_kernel,                   ///< `const dnnl_dims_t **`
    /// `dnnl_dim_t *`: shuffle group size or number of groups
    group_size_s64 = dnnl_query_group_size_s64,
    src_md = dnnl_query_src_md,           ///< `const_dnnl_memory_desc_t *`
    diff_src_md = dnnl_query_diff_src_md, ///< `const_dnnl_memory_desc_t *`
    weights_md = dnnl_query_weights_md, ///< `const_dnnl_memory_desc_t *` (index 1 = bias or shift)
    /// `const_dnnl_memory_desc_t *` (index 1 = bias or shift)
    diff_weights_md = dnnl_query_diff_weights_md,
    dst_md = dnnl_query_dst_md,               ///< `const_dnnl_memory_desc_t *`
    diff_dst_md = dnnl_query_diff_dst_md,     ///< `const_dnnl_memory_desc_t *`
    workspace_md = dnnl_query_workspace_md,   ///< `const_dnnl_memory_desc_t *`
    scratchpad_md = dnnl_query_scratchpad_md, ///< `const_dnnl_memory_desc_t *`
    /// `const_dnnl_memory_desc_t *`; index is a DNNL_ARG_* value
    exec_arg_md = dnnl_query_exec_arg_md,
    ndims_s32 = dnnl_query_ndims_s32, ///< `int *`; from here on queries of memory descriptors
    dims = dnnl_query_dims,           ///< `const dnnl_dims_t **`
    data_type = dnnl_query_data_type, ///< `dnnl_data_type_t *`
    submemory_offset_s64 = dnnl_query_submemory_offset_s64, ///< `dnnl_dim_t *`, in elements
    padded_dims = dnnl_query_padded_dims,                   ///< `const dnnl_dims_t **`
    padded_offsets = dnnl_query_padded_offsets,             ///< `const dnnl_dims_t **`
    format_kind = dnnl_query_format_kind,                   ///< `dnnl_format_kind_t *`
    inner_nblks_s32 = dnnl_query_inner_nblks_s32,           ///< `int *`
    inner_blks = dnnl_query_inner_blks,                     ///< `const dnnl_dims_t **`
    inner_idxs = dnnl_query_inner_idxs,                     ///< `const dnnl_dims_t **`
    sparse_encoding = dnnl_query_sparse_encoding,           ///< `dnnl_sparse_encoding_t *`
    nnz_s64 = dnnl_query_nnz_s64,                           ///< `dnnl_dim_t *`
    num_handles_s32 = dnnl_query_num_handles_s32,           ///< `int *`
};

/// The C value of a query.
inline dnnl_query_t convert_to_c(query value) { return static_cast<dnnl_query_t>(value); }

/// Levels of CPU instruction sets, for set_max_cpu_isa().
enum class cpu_isa {
    isa_default = dnnl_cpu_isa_default, ///< No limit.
    sse41 = dnnl_cpu_isa_sse41,
    avx = dnnl_cpu_isa_avx,
    avx2 = dnnl_cpu_isa_avx2,
    avx2_vnni = dnnl_cpu_isa_avx2_vnni,
    avx2_vnni_2 = dnnl_cpu_isa_avx2_vnni_2, ///< AVX2 with int8, f16 and bf16 instructions.
    avx512_core = dnnl_cpu_isa_avx512_core,
    avx512_core_vnni = dnnl_cpu_isa_avx512_core_vnni,
    avx512_core_bf16 = dnnl_cpu_isa_avx512_core_bf16,
    avx10_1_512 = dnnl_cpu_isa_avx10_1_512,
    avx512_core_fp16 = dnnl_cpu_isa_avx512_core_fp16, ///< Same as avx10_1_512.
    avx10_1_512_amx = dnnl_cpu_isa_avx10_1_512_amx,
    avx512_core_amx = dnnl_cpu_isa_avx512_core_amx, ///< Same as avx10_1_512_amx.
    avx10_1_512_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16,
    avx512_core_amx_fp16 = dnnl_cpu_isa_avx512_core_amx_fp16, ///< Same as avx10_1_512_amx_fp16.
    avx10_2 = dnnl_cpu_isa_avx10_2,
    avx10_2_512 = dnnl_cpu_isa_avx10_2_512, ///< Same as avx10_2.
    avx10_2_amx_2 = dnnl_cpu_isa_avx10_2_amx_2,
    avx10_2_512_amx_2 = dnnl_cpu_isa_avx10_2_512_amx_2, ///< Same as avx10_2_amx_2.
};

/// The C value of a cpu_isa.
inline dnnl_cpu_isa_t convert_to_c(cpu_isa value) { return static_cast<dnnl_cpu_isa_t>(value); }

/// Preferences within an instruction set, for set_cpu_isa_hints().
enum class cpu_isa_hints {
    no_hints = dnnl_cpu_isa_no_hints,     ///< None.
    prefer_ymm = dnnl_cpu_isa_prefer_ymm, ///< Prefer 256-bit registers.
};

/// The C value of a cpu_isa_hints.
inline dnnl_cpu_isa_hints_t convert_to_c(cpu_isa_hints value) {
    return static_cast<dnnl_cpu_isa_hints_t>(value);
}

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// What get_profiling_data() reports.
enum class profiling_data_kind {
    undef = dnnl_profiling_data_kind_undef, ///< None.
    time = dnnl_profiling_data_kind_time,   ///< Execution times, nanoseconds.
};

/// The C value of a profiling_data_kind.
inline dnnl_profiling_data_kind_t convert_to_c(profiling_data_kind value) {
    return static_cast<dnnl_profiling_data_kind_t>(value);
}
#endif

/// @cond
namespace detail {
template <> struct is_flags<normalization_flags> : std::true_type {};
template <> struct is_flags<rnn_flags> : std::true_type {};

// An eltwise algorithm and its parameters as the C functions take them.
struct c_eltwise {
    dnnl_alg_kind_t alg_kind;
    float alpha, beta;

    c_eltwise(algorithm aalgorithm, float aalpha, float abeta)
        : alg_kind(convert_to_c(aalgorithm)), alpha(aalpha), beta(abeta) {
        if (aalgorithm == algorithm::eltwise_bounded_relu) {
            alg_kind = dnnl_eltwise_clip;
            alpha = 0.f;
            beta = aalpha;
        }
    }
};
} // namespace detail
/// @endcond

} // namespace dnnl

#endif
