// SPDX-License-Identifier: Apache-2.0
// Names every function of the C API: compiles as C99 and links only if each one is declared and
// exported. Succeeds when every address is there and the library reports the version of the
// headers.

#define DNNL_EXPERIMENTAL_PROFILING // declares the two profiling functions

#include <stdio.h>

#include "dnnl/dnnl.h"
#include "dnnl/dnnl_debug.h"
#include "dnnl/dnnl_ext.h"
#include "dnnl/dnnl_threadpool.h"

typedef void (*any_function)(void);

struct named_function {
    const char *name;
    any_function address;
};

#define ENTRY(function)                                                                            \
    { #function, (any_function)function }

// clang-format off
static const struct named_function functions[] = {
    ENTRY(dnnl_engine_get_count),
    ENTRY(dnnl_engine_create),
    ENTRY(dnnl_engine_get_kind),
    ENTRY(dnnl_engine_destroy),
    ENTRY(dnnl_stream_create),
    ENTRY(dnnl_stream_get_engine),
    ENTRY(dnnl_stream_wait),
    ENTRY(dnnl_stream_destroy),
    ENTRY(dnnl_get_default_fpmath_mode),
    ENTRY(dnnl_set_default_fpmath_mode),
    ENTRY(dnnl_set_verbose),
    ENTRY(dnnl_version),
    ENTRY(dnnl_memory_desc_destroy),
    ENTRY(dnnl_memory_desc_clone),
    ENTRY(dnnl_memory_desc_get_blob),
    ENTRY(dnnl_memory_desc_create_with_blob),
    ENTRY(dnnl_memory_desc_create_with_strides),
    ENTRY(dnnl_memory_desc_create_with_tag),
    ENTRY(dnnl_memory_desc_create_submemory),
    ENTRY(dnnl_memory_desc_reshape),
    ENTRY(dnnl_memory_desc_permute_axes),
    ENTRY(dnnl_memory_desc_query),
    ENTRY(dnnl_memory_desc_equal),
    ENTRY(dnnl_memory_desc_get_size),
    ENTRY(dnnl_data_type_size),
    ENTRY(dnnl_memory_create),
    ENTRY(dnnl_memory_get_memory_desc),
    ENTRY(dnnl_memory_get_engine),
    ENTRY(dnnl_memory_map_data),
    ENTRY(dnnl_memory_unmap_data),
    ENTRY(dnnl_memory_get_data_handle),
    ENTRY(dnnl_memory_set_data_handle),
    ENTRY(dnnl_memory_destroy),
    ENTRY(dnnl_primitive_attr_create),
    ENTRY(dnnl_primitive_attr_clone),
    ENTRY(dnnl_primitive_attr_destroy),
    ENTRY(dnnl_primitive_attr_get_dropout),
    ENTRY(dnnl_primitive_attr_set_dropout),
    ENTRY(dnnl_primitive_attr_get_fpmath_mode),
    ENTRY(dnnl_primitive_attr_set_fpmath_mode),
    ENTRY(dnnl_primitive_attr_get_fpmath_mode_v2),
    ENTRY(dnnl_primitive_attr_set_fpmath_mode_v2),
    ENTRY(dnnl_primitive_attr_get_deterministic),
    ENTRY(dnnl_primitive_attr_set_deterministic),
    ENTRY(dnnl_primitive_attr_get_accumulation_mode),
    ENTRY(dnnl_primitive_attr_set_accumulation_mode),
    ENTRY(dnnl_primitive_attr_get_scratchpad_mode),
    ENTRY(dnnl_primitive_attr_set_scratchpad_mode),
    ENTRY(dnnl_primitive_attr_set_scales_mask),
    ENTRY(dnnl_primitive_attr_set_scales),
    ENTRY(dnnl_primitive_attr_set_zero_points_mask),
    ENTRY(dnnl_primitive_attr_set_zero_points),
    ENTRY(dnnl_primitive_attr_set_rounding),
    ENTRY(dnnl_primitive_attr_get_rounding),
    ENTRY(dnnl_primitive_attr_get_post_ops),
    ENTRY(dnnl_primitive_attr_set_post_ops),
    ENTRY(dnnl_primitive_attr_set_rnn_data_qparams),
    ENTRY(dnnl_primitive_attr_get_rnn_data_qparams),
    ENTRY(dnnl_primitive_attr_set_rnn_weights_qparams),
    ENTRY(dnnl_primitive_attr_get_rnn_weights_qparams),
    ENTRY(dnnl_primitive_attr_set_rnn_weights_projection_qparams),
    ENTRY(dnnl_primitive_attr_get_rnn_weights_projection_qparams),
    ENTRY(dnnl_post_ops_create),
    ENTRY(dnnl_post_ops_clone),
    ENTRY(dnnl_post_ops_destroy),
    ENTRY(dnnl_post_ops_len),
    ENTRY(dnnl_post_ops_get_kind),
    ENTRY(dnnl_post_ops_append_sum),
    ENTRY(dnnl_post_ops_get_params_sum),
    ENTRY(dnnl_post_ops_append_eltwise),
    ENTRY(dnnl_post_ops_get_params_eltwise),
    ENTRY(dnnl_post_ops_append_dw),
    ENTRY(dnnl_post_ops_get_params_dw),
    ENTRY(dnnl_post_ops_append_binary),
    ENTRY(dnnl_post_ops_get_params_binary),
    ENTRY(dnnl_post_ops_append_binary_v2),
    ENTRY(dnnl_post_ops_get_params_binary_v2),
    ENTRY(dnnl_post_ops_append_prelu),
    ENTRY(dnnl_post_ops_get_params_prelu),
    ENTRY(dnnl_primitive_desc_next_impl),
    ENTRY(dnnl_primitive_desc_clone),
    ENTRY(dnnl_primitive_desc_get_attr),
    ENTRY(dnnl_primitive_desc_destroy),
    ENTRY(dnnl_primitive_desc_query),
    ENTRY(dnnl_primitive_desc_query_md),
    ENTRY(dnnl_primitive_desc_query_s32),
    ENTRY(dnnl_primitive_create),
    ENTRY(dnnl_primitive_create_from_cache_blob),
    ENTRY(dnnl_primitive_execute),
    ENTRY(dnnl_primitive_get_primitive_desc),
    ENTRY(dnnl_primitive_get_cache_blob),
    ENTRY(dnnl_primitive_destroy),
    ENTRY(dnnl_reorder_primitive_desc_create),
    ENTRY(dnnl_concat_primitive_desc_create),
    ENTRY(dnnl_sum_primitive_desc_create),
    ENTRY(dnnl_binary_primitive_desc_create),
    ENTRY(dnnl_binary_primitive_desc_create_v2),
    ENTRY(dnnl_shuffle_forward_primitive_desc_create),
    ENTRY(dnnl_shuffle_backward_primitive_desc_create),
    ENTRY(dnnl_eltwise_forward_primitive_desc_create),
    ENTRY(dnnl_eltwise_backward_primitive_desc_create),
    ENTRY(dnnl_softmax_forward_primitive_desc_create),
    ENTRY(dnnl_softmax_backward_primitive_desc_create),
    ENTRY(dnnl_prelu_forward_primitive_desc_create),
    ENTRY(dnnl_prelu_backward_primitive_desc_create),
    ENTRY(dnnl_resampling_forward_primitive_desc_create),
    ENTRY(dnnl_resampling_backward_primitive_desc_create),
    ENTRY(dnnl_reduction_primitive_desc_create),
    ENTRY(dnnl_convolution_forward_primitive_desc_create),
    ENTRY(dnnl_convolution_backward_data_primitive_desc_create),
    ENTRY(dnnl_convolution_backward_weights_primitive_desc_create),
    ENTRY(dnnl_deconvolution_forward_primitive_desc_create),
    ENTRY(dnnl_deconvolution_backward_data_primitive_desc_create),
    ENTRY(dnnl_deconvolution_backward_weights_primitive_desc_create),
    ENTRY(dnnl_inner_product_forward_primitive_desc_create),
    ENTRY(dnnl_inner_product_backward_data_primitive_desc_create),
    ENTRY(dnnl_inner_product_backward_weights_primitive_desc_create),
    ENTRY(dnnl_matmul_primitive_desc_create),
    ENTRY(dnnl_pooling_forward_primitive_desc_create),
    ENTRY(dnnl_pooling_backward_primitive_desc_create),
    ENTRY(dnnl_lrn_forward_primitive_desc_create),
    ENTRY(dnnl_lrn_backward_primitive_desc_create),
    ENTRY(dnnl_batch_normalization_forward_primitive_desc_create),
    ENTRY(dnnl_batch_normalization_backward_primitive_desc_create),
    ENTRY(dnnl_group_normalization_forward_primitive_desc_create),
    ENTRY(dnnl_group_normalization_backward_primitive_desc_create),
    ENTRY(dnnl_layer_normalization_forward_primitive_desc_create),
    ENTRY(dnnl_layer_normalization_backward_primitive_desc_create),
    ENTRY(dnnl_layer_normalization_forward_primitive_desc_create_v2),
    ENTRY(dnnl_layer_normalization_backward_primitive_desc_create_v2),
    ENTRY(dnnl_vanilla_rnn_forward_primitive_desc_create),
    ENTRY(dnnl_vanilla_rnn_backward_primitive_desc_create),
    ENTRY(dnnl_lstm_forward_primitive_desc_create),
    ENTRY(dnnl_lstm_backward_primitive_desc_create),
    ENTRY(dnnl_gru_forward_primitive_desc_create),
    ENTRY(dnnl_gru_backward_primitive_desc_create),
    ENTRY(dnnl_lbr_gru_forward_primitive_desc_create),
    ENTRY(dnnl_lbr_gru_backward_primitive_desc_create),
    ENTRY(dnnl_augru_forward_primitive_desc_create),
    ENTRY(dnnl_augru_backward_primitive_desc_create),
    ENTRY(dnnl_lbr_augru_forward_primitive_desc_create),
    ENTRY(dnnl_lbr_augru_backward_primitive_desc_create),
    ENTRY(dnnl_get_primitive_cache_capacity),
    ENTRY(dnnl_set_primitive_cache_capacity),
    ENTRY(dnnl_set_jit_dump),
    ENTRY(dnnl_set_jit_profiling_flags),
    ENTRY(dnnl_set_jit_profiling_jitdumpdir),
    ENTRY(dnnl_set_max_cpu_isa),
    ENTRY(dnnl_get_effective_cpu_isa),
    ENTRY(dnnl_set_cpu_isa_hints),
    ENTRY(dnnl_get_cpu_isa_hints),
    ENTRY(dnnl_reset_profiling),
    ENTRY(dnnl_query_profiling_data),
    ENTRY(dnnl_sgemm),
    ENTRY(dnnl_gemm_u8s8s32),
    ENTRY(dnnl_gemm_s8s8s32),
    ENTRY(dnnl_status2str),
    ENTRY(dnnl_dt2str),
    ENTRY(dnnl_fpmath_mode2str),
    ENTRY(dnnl_accumulation_mode2str),
    ENTRY(dnnl_engine_kind2str),
    ENTRY(dnnl_fmt_tag2str),
    ENTRY(dnnl_prop_kind2str),
    ENTRY(dnnl_prim_kind2str),
    ENTRY(dnnl_alg_kind2str),
    ENTRY(dnnl_rnn_flags2str),
    ENTRY(dnnl_rnn_direction2str),
    ENTRY(dnnl_scratchpad_mode2str),
    ENTRY(dnnl_rounding_mode2str),
    ENTRY(dnnl_cpu_isa2str),
    ENTRY(dnnl_cpu_isa_hints2str),
    ENTRY(dnnl_runtime2str),
    ENTRY(dnnl_fmt_kind2str),
    ENTRY(dnnl_ext_last_error),
    ENTRY(dnnl_memory_desc_create_with_string_tag),
    ENTRY(dnnl_memory_desc_set_data_type),
    ENTRY(dnnl_impl_zero_pad),
    ENTRY(dnnl_gemm_bf16bf16f32),
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL
    ENTRY(dnnl_threadpool_interop_stream_create),
    ENTRY(dnnl_threadpool_interop_stream_get_threadpool),
    ENTRY(dnnl_threadpool_interop_set_max_concurrency),
    ENTRY(dnnl_threadpool_interop_get_max_concurrency),
    ENTRY(dnnl_threadpool_interop_sgemm),
    ENTRY(dnnl_threadpool_interop_gemm_u8s8s32),
    ENTRY(dnnl_threadpool_interop_gemm_s8s8s32),
#endif
};
// clang-format on

int main(void) {
    const size_t count = sizeof functions / sizeof *functions;
    for (size_t i = 0; i < count; ++i)
        if (functions[i].address == NULL) {
            printf("%s has no address\n", functions[i].name);
            return 1;
        }
    const dnnl_version_t *version = dnnl_version();
    if (version->major != DNNL_VERSION_MAJOR || version->minor != DNNL_VERSION_MINOR) {
        printf("library %d.%d, headers %d.%d\n", version->major, version->minor, DNNL_VERSION_MAJOR,
            DNNL_VERSION_MINOR);
        return 1;
    }
    printf("%zu functions\n", count);
    return 0;
}
