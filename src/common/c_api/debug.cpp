// SPDX-License-Identifier: Apache-2.0
// Enumerators as text (dnnl_debug.h). Tables only: depends on nothing but the public headers and
// the list of algorithms.

#include "dnnl/dnnl_debug.h"
#include "dnnl/dnnl_ext.h"

#include "common/plain_types.hpp"

#include <cstddef>

namespace {

// Names of enumerators whose values follow each other, one row of a table for enumerations with
// gaps. After the last name stand null pointers.
struct named_run {
    unsigned first;
    const char *names[11];
};

// Enumerations without gaps: the value is the index.
template <std::size_t Count>
constexpr const char *name_at(
    const char *const (&names)[Count], unsigned value, const char *unknown) {
    return value < Count ? names[value] : unknown;
}

template <std::size_t Count>
constexpr const char *name_of(const named_run (&table)[Count], unsigned value, const char *other) {
    for (const named_run &row : table) {
        const char *name = name_at(row.names, value - row.first, nullptr);
        if (name) return name;
    }
    return other;
}

constexpr named_run prop_kind_names[] = {{dnnl_prop_kind_undef, {"undef"}},
    {dnnl_forward_training, {"forward_training"}}, {dnnl_forward_inference, {"forward_inference"}},
    {dnnl_backward, {"backward"}}, {dnnl_backward_data, {"backward_data"}},
    {dnnl_backward_weights, {"backward_weights", "backward_bias"}}};

// An enumerator without neighbours.
constexpr named_run alone(unsigned value, const char *name) { return {value, {name}}; }
#define DNNL_NAMED(name) alone(dnnl_##name, #name)

constexpr named_run algorithm_names[] = {
    {dnnl_alg_kind_undef,
        {"undef", "convolution_direct", "convolution_winograd", "convolution_auto"}},
    {dnnl_deconvolution_direct, {"deconvolution_direct", "deconvolution_winograd"}},
    DNNL_NAMED(pooling_max), DNNL_NAMED(pooling_avg_include_padding),
    DNNL_NAMED(pooling_avg_exclude_padding), DNNL_NAMED(lrn_across_channels),
    DNNL_NAMED(lrn_within_channel), DNNL_NAMED(vanilla_rnn), DNNL_NAMED(vanilla_lstm),
    DNNL_NAMED(vanilla_gru), DNNL_NAMED(lbr_gru), DNNL_NAMED(vanilla_augru), DNNL_NAMED(lbr_augru),
    {dnnl_resampling_nearest,
        {"resampling_nearest", "resampling_linear", "reduction_max", "reduction_min",
            "reduction_sum", "reduction_mul", "reduction_mean", "reduction_norm_lp_max",
            "reduction_norm_lp_sum", "reduction_norm_lp_power_p_max",
            "reduction_norm_lp_power_p_sum"}},
    {dnnl_softmax_accurate, {"softmax_accurate", "softmax_log"}}};

constexpr named_run cpu_isa_names[] = {DNNL_NAMED(cpu_isa_default), DNNL_NAMED(cpu_isa_sse41),
    DNNL_NAMED(cpu_isa_avx), DNNL_NAMED(cpu_isa_avx2), DNNL_NAMED(cpu_isa_avx2_vnni),
    DNNL_NAMED(cpu_isa_avx2_vnni_2), DNNL_NAMED(cpu_isa_avx512_core),
    DNNL_NAMED(cpu_isa_avx512_core_vnni), DNNL_NAMED(cpu_isa_avx512_core_bf16),
    DNNL_NAMED(cpu_isa_avx10_1_512), DNNL_NAMED(cpu_isa_avx10_1_512_amx),
    DNNL_NAMED(cpu_isa_avx10_1_512_amx_fp16), DNNL_NAMED(cpu_isa_avx10_2),
    DNNL_NAMED(cpu_isa_avx10_2_amx_2)};
#undef DNNL_NAMED

constexpr named_run runtime_names[] = {{DNNL_RUNTIME_NONE, {"none"}},
    {DNNL_RUNTIME_SEQ, {"sequential"}}, {DNNL_RUNTIME_OMP, {"OpenMP"}}, {DNNL_RUNTIME_TBB, {"TBB"}},
    {DNNL_RUNTIME_THREADPOOL, {"threadpool"}}, {DNNL_RUNTIME_OCL, {"OpenCL"}}};

// Canonical tags only: an alias has the value, and so the name, of its canonical tag. The included
// lines are made by cmake from the enumeration in dnnl_types.h.
constexpr const char *const format_tag_names[] = {
#include "format_tag_names.inc"
    "format_tag_last"};
static_assert(sizeof format_tag_names / sizeof *format_tag_names == dnnl_format_tag_last + 1);

} // namespace

const char *dnnl_status2str(dnnl_status_t v) {
    return name_at({"success", "out_of_memory", "invalid_arguments", "unimplemented",
                       "last_impl_reached", "runtime_error", "not_required", "invalid_graph",
                       "invalid_graph_op", "invalid_shape", "invalid_data_type"},
        v, "unknown status");
}

const char *dnnl_dt2str(dnnl_data_type_t v) {
    return name_at({"undef", "f16", "bf16", "f32", "s32", "s8", "u8", "f64", "boolean", "f8_e5m2",
                       "f8_e4m3", "s4", "u4", "e8m0", "f4_e2m1", "f4_e3m0", "s64"},
        v, "unknown dt");
}

const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v) {
    return name_at({"strict", "bf16", "f16", "any", "tf32"}, v, "unknown fpmath_mode");
}

const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v) {
    return name_at(
        {"strict", "relaxed", "any", "s32", "f32", "f16"}, v, "unknown accumulation_mode");
}

const char *dnnl_engine_kind2str(dnnl_engine_kind_t v) {
    return name_at({"any", "cpu", "gpu"}, v, "unknown engine_kind");
}

const char *dnnl_fmt_kind2str(dnnl_format_kind_t v) {
    return name_at(
        {"undef", "any", "blocked", "opaque", "sparse", "host_scalar"}, v, "unknown fmt_kind");
}

const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v) {
    return name_at({"undef", "csr", "packed", "coo"}, v, "unknown sparse_encoding");
}

const char *dnnl_fmt_tag2str(dnnl_format_tag_t v) {
    return name_at(format_tag_names, v, "unknown fmt_tag");
}

const char *dnnl_prop_kind2str(dnnl_prop_kind_t v) {
    return name_of(prop_kind_names, v, "unknown prop_kind");
}

const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v) {
    if (static_cast<unsigned>(v) == dnnl_ext_attention) return "attention";
    return name_at({"undef", "reorder", "shuffle", "concat", "sum", "convolution", "deconvolution",
                       "eltwise", "lrn", "batch_normalization", "inner_product", "rnn", "gemm",
                       "binary", "matmul", "resampling", "pooling", "reduction", "prelu", "softmax",
                       "layer_normalization", "group_normalization"},
        v, "unknown prim_kind");
}

const char *dnnl_alg_kind2str(dnnl_alg_kind_t v) {
    using dnnl::impl::algorithm;
    switch (static_cast<algorithm>(v)) {
#define DNNL_NAME(name, value, ...)                                                                \
    static_assert(dnnl_eltwise_##name == (value));                                                 \
    case algorithm::name: return "eltwise_" #name;
        DNNL_ELTWISE_ALGORITHMS(DNNL_NAME)
#undef DNNL_NAME
#define DNNL_NAME(name, value)                                                                     \
    static_assert(dnnl_eltwise_##name##_use_dst_for_bwd == (value));                               \
    case algorithm::name##_use_dst_for_bwd: return "eltwise_" #name "_use_dst_for_bwd";
        DNNL_ELTWISE_ALGORITHMS_OF_DST(DNNL_NAME)
#undef DNNL_NAME
#define DNNL_NAME(name, value)                                                                     \
    static_assert(dnnl_binary_##name == (value));                                                  \
    case algorithm::binary_##name: return "binary_" #name;
        DNNL_BINARY_ALGORITHMS(DNNL_NAME)
#undef DNNL_NAME
    case algorithm::undef: break;
    }
    return name_of(algorithm_names, v, "unknown alg_kind");
}

const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v) {
    return name_at({"undef", "rnn_flags_diff_weights_overwrite"}, v, "unknown rnn_flags");
}

const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v) {
    return name_at({"undef", "unidirectional_left2right", "unidirectional_right2left",
                       "bidirectional_concat", "bidirectional_sum"},
        v, "unknown rnn_direction");
}

const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v) {
    return name_at({"library", "user"}, v, "unknown scratchpad_mode");
}

const char *dnnl_quantization_mode2str(dnnl_quantization_mode_t v) {
    return name_at(
        {"undef", "static_sazp", "dynamic_mx", "dynamic_fp"}, v, "unknown quantization_mode");
}

const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v) {
    return name_at({"environment", "stochastic"}, v, "unknown rounding_mode");
}

const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v) {
    return name_of(cpu_isa_names, v, "unknown cpu_isa");
}

const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v) {
    return name_at({"cpu_isa_no_hints", "cpu_isa_prefer_ymm"}, v, "unknown cpu_isa_hints");
}

const char *dnnl_runtime2str(unsigned v) { return name_of(runtime_names, v, "unknown"); }
