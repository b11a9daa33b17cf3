// SPDX-License-Identifier: Apache-2.0
// The text of every enumerator is its name without dnnl_; here the compiler spells the names, so
// that a row out of place in the library's tables shows.

#include <cstdio>
#include <cstring>

#include "dnnl/dnnl_debug.h"
#include "eltwise_algorithms.hpp"

namespace {

int failed = 0;

void expect(const char *actual, const char *expected) {
    if (std::strcmp(actual, expected) == 0) return;
    std::printf("\"%s\" instead of \"%s\"\n", actual, expected);
    ++failed;
}

// clang-format off
#define EXPECT_NAME(prefix, name) expect(to_text(prefix##name), #name);
#define TAG(name) expect(dnnl_fmt_tag2str(dnnl_##name), #name);

void status_names() {
    const auto to_text = dnnl_status2str;
    EXPECT_NAME(dnnl_, success) EXPECT_NAME(dnnl_, out_of_memory)
    EXPECT_NAME(dnnl_, invalid_arguments) EXPECT_NAME(dnnl_, unimplemented)
    EXPECT_NAME(dnnl_, last_impl_reached) EXPECT_NAME(dnnl_, runtime_error)
    EXPECT_NAME(dnnl_, not_required) EXPECT_NAME(dnnl_, invalid_graph)
    EXPECT_NAME(dnnl_, invalid_graph_op) EXPECT_NAME(dnnl_, invalid_shape)
    EXPECT_NAME(dnnl_, invalid_data_type)
}

void dt_names() {
    const auto to_text = dnnl_dt2str;
    EXPECT_NAME(dnnl_, f16) EXPECT_NAME(dnnl_, bf16) EXPECT_NAME(dnnl_, f32) EXPECT_NAME(dnnl_, s32)
    EXPECT_NAME(dnnl_, s8) EXPECT_NAME(dnnl_, u8) EXPECT_NAME(dnnl_, f64)
    EXPECT_NAME(dnnl_, boolean) EXPECT_NAME(dnnl_, f8_e5m2) EXPECT_NAME(dnnl_, f8_e4m3)
    EXPECT_NAME(dnnl_, s4) EXPECT_NAME(dnnl_, u4) EXPECT_NAME(dnnl_, e8m0)
    EXPECT_NAME(dnnl_, f4_e2m1) EXPECT_NAME(dnnl_, f4_e3m0) EXPECT_NAME(dnnl_, s64)
}

void fpmath_mode_names() {
    const auto to_text = dnnl_fpmath_mode2str;
    EXPECT_NAME(dnnl_fpmath_mode_, strict) EXPECT_NAME(dnnl_fpmath_mode_, bf16)
    EXPECT_NAME(dnnl_fpmath_mode_, f16) EXPECT_NAME(dnnl_fpmath_mode_, any)
    EXPECT_NAME(dnnl_fpmath_mode_, tf32)
}

void accumulation_mode_names() {
    const auto to_text = dnnl_accumulation_mode2str;
    EXPECT_NAME(dnnl_accumulation_mode_, strict) EXPECT_NAME(dnnl_accumulation_mode_, relaxed)
    EXPECT_NAME(dnnl_accumulation_mode_, any) EXPECT_NAME(dnnl_accumulation_mode_, s32)
    EXPECT_NAME(dnnl_accumulation_mode_, f32) EXPECT_NAME(dnnl_accumulation_mode_, f16)
}

void prop_kind_names() {
    const auto to_text = dnnl_prop_kind2str;
    EXPECT_NAME(dnnl_, forward_training) EXPECT_NAME(dnnl_, forward_inference)
    EXPECT_NAME(dnnl_, backward) EXPECT_NAME(dnnl_, backward_data)
    EXPECT_NAME(dnnl_, backward_weights) EXPECT_NAME(dnnl_, backward_bias)
}

void prim_kind_names() {
    const auto to_text = dnnl_prim_kind2str;
    EXPECT_NAME(dnnl_, reorder) EXPECT_NAME(dnnl_, shuffle) EXPECT_NAME(dnnl_, concat)
    EXPECT_NAME(dnnl_, sum) EXPECT_NAME(dnnl_, convolution) EXPECT_NAME(dnnl_, deconvolution)
    EXPECT_NAME(dnnl_, eltwise) EXPECT_NAME(dnnl_, lrn) EXPECT_NAME(dnnl_, batch_normalization)
    EXPECT_NAME(dnnl_, inner_product) EXPECT_NAME(dnnl_, rnn) EXPECT_NAME(dnnl_, gemm)
    EXPECT_NAME(dnnl_, binary) EXPECT_NAME(dnnl_, matmul) EXPECT_NAME(dnnl_, resampling)
    EXPECT_NAME(dnnl_, pooling) EXPECT_NAME(dnnl_, reduction) EXPECT_NAME(dnnl_, prelu)
    EXPECT_NAME(dnnl_, softmax) EXPECT_NAME(dnnl_, layer_normalization)
    EXPECT_NAME(dnnl_, group_normalization)
}

void alg_kind_names() {
    const auto to_text = dnnl_alg_kind2str;
#define ELTWISE_NAME(name, value) EXPECT_NAME(dnnl_, eltwise_##name)
    ELTWISE_ALGORITHMS(ELTWISE_NAME)
#undef ELTWISE_NAME
#define ELTWISE_NAME(name, value) EXPECT_NAME(dnnl_, eltwise_##name##_use_dst_for_bwd)
    ELTWISE_ALGORITHMS_OF_DST(ELTWISE_NAME)
#undef ELTWISE_NAME
    EXPECT_NAME(dnnl_, convolution_direct) EXPECT_NAME(dnnl_, convolution_winograd)
    EXPECT_NAME(dnnl_, convolution_auto) EXPECT_NAME(dnnl_, deconvolution_direct)
    EXPECT_NAME(dnnl_, deconvolution_winograd)
    EXPECT_NAME(dnnl_, pooling_max)
    EXPECT_NAME(dnnl_, pooling_avg_include_padding) EXPECT_NAME(dnnl_, pooling_avg_exclude_padding)
    EXPECT_NAME(dnnl_, lrn_across_channels) EXPECT_NAME(dnnl_, lrn_within_channel)
    EXPECT_NAME(dnnl_, vanilla_rnn) EXPECT_NAME(dnnl_, vanilla_lstm) EXPECT_NAME(dnnl_, vanilla_gru)
    EXPECT_NAME(dnnl_, lbr_gru) EXPECT_NAME(dnnl_, vanilla_augru) EXPECT_NAME(dnnl_, lbr_augru)
    EXPECT_NAME(dnnl_, binary_add) EXPECT_NAME(dnnl_, binary_mul) EXPECT_NAME(dnnl_, binary_max)
    EXPECT_NAME(dnnl_, binary_min) EXPECT_NAME(dnnl_, binary_div) EXPECT_NAME(dnnl_, binary_sub)
    EXPECT_NAME(dnnl_, binary_ge) EXPECT_NAME(dnnl_, binary_gt) EXPECT_NAME(dnnl_, binary_le)
    EXPECT_NAME(dnnl_, binary_lt) EXPECT_NAME(dnnl_, binary_eq) EXPECT_NAME(dnnl_, binary_ne)
    EXPECT_NAME(dnnl_, binary_select) EXPECT_NAME(dnnl_, resampling_nearest)
    EXPECT_NAME(dnnl_, resampling_linear) EXPECT_NAME(dnnl_, reduction_max)
    EXPECT_NAME(dnnl_, reduction_min) EXPECT_NAME(dnnl_, reduction_sum)
    EXPECT_NAME(dnnl_, reduction_mul) EXPECT_NAME(dnnl_, reduction_mean)
    EXPECT_NAME(dnnl_, reduction_norm_lp_max) EXPECT_NAME(dnnl_, reduction_norm_lp_sum)
    EXPECT_NAME(dnnl_, reduction_norm_lp_power_p_max)
    EXPECT_NAME(dnnl_, reduction_norm_lp_power_p_sum) EXPECT_NAME(dnnl_, softmax_accurate)
    EXPECT_NAME(dnnl_, softmax_log)
}

void rnn_direction_names() {
    const auto to_text = dnnl_rnn_direction2str;
    EXPECT_NAME(dnnl_, unidirectional_left2right) EXPECT_NAME(dnnl_, unidirectional_right2left)
    EXPECT_NAME(dnnl_, bidirectional_concat) EXPECT_NAME(dnnl_, bidirectional_sum)
}

void rnn_flags_names() {
    const auto to_text = dnnl_rnn_flags2str;
    EXPECT_NAME(dnnl_, rnn_flags_diff_weights_overwrite)
}

void scratchpad_mode_names() {
    const auto to_text = dnnl_scratchpad_mode2str;
    EXPECT_NAME(dnnl_scratchpad_mode_, library) EXPECT_NAME(dnnl_scratchpad_mode_, user)
}

void quantization_mode_names() {
    const auto to_text = dnnl_quantization_mode2str;
    EXPECT_NAME(dnnl_quantization_mode_, undef) EXPECT_NAME(dnnl_quantization_mode_, static_sazp)
    EXPECT_NAME(dnnl_quantization_mode_, dynamic_mx)
    EXPECT_NAME(dnnl_quantization_mode_, dynamic_fp)
}

void sparse_encoding_names() {
    const auto to_text = dnnl_sparse_encoding2str;
    EXPECT_NAME(dnnl_sparse_encoding_, undef) EXPECT_NAME(dnnl_, csr) EXPECT_NAME(dnnl_, packed)
    EXPECT_NAME(dnnl_, coo)
}

void rounding_mode_names() {
    const auto to_text = dnnl_rounding_mode2str;
    EXPECT_NAME(dnnl_rounding_mode_, environment) EXPECT_NAME(dnnl_rounding_mode_, stochastic)
}

void cpu_isa_names() {
    const auto to_text = dnnl_cpu_isa2str;
    EXPECT_NAME(dnnl_, cpu_isa_default) EXPECT_NAME(dnnl_, cpu_isa_sse41)
    EXPECT_NAME(dnnl_, cpu_isa_avx) EXPECT_NAME(dnnl_, cpu_isa_avx2)
    EXPECT_NAME(dnnl_, cpu_isa_avx2_vnni) EXPECT_NAME(dnnl_, cpu_isa_avx2_vnni_2)
    EXPECT_NAME(dnnl_, cpu_isa_avx512_core) EXPECT_NAME(dnnl_, cpu_isa_avx512_core_vnni)
    EXPECT_NAME(dnnl_, cpu_isa_avx512_core_bf16) EXPECT_NAME(dnnl_, cpu_isa_avx10_1_512)
    EXPECT_NAME(dnnl_, cpu_isa_avx10_1_512_amx) EXPECT_NAME(dnnl_, cpu_isa_avx10_1_512_amx_fp16)
    EXPECT_NAME(dnnl_, cpu_isa_avx10_2) EXPECT_NAME(dnnl_, cpu_isa_avx10_2_amx_2)
}

void cpu_isa_hints_names() {
    const auto to_text = dnnl_cpu_isa_hints2str;
    EXPECT_NAME(dnnl_, cpu_isa_no_hints) EXPECT_NAME(dnnl_, cpu_isa_prefer_ymm)
}

void tag_names_1() {
    TAG(a) TAG(ab) TAG(abc) TAG(abcd) TAG(abcde) TAG(abcdef) TAG(abcdefg) TAG(abcdefgh)
    TAG(abcdefghi) TAG(abcdefghij) TAG(abcdefghijk) TAG(abcdefghijkl) TAG(ba) TAG(acb) TAG(bac)
    TAG(bca) TAG(cab) TAG(cba) TAG(abdc) TAG(acbd) TAG(acdb) TAG(adbc) TAG(adcb) TAG(bacd) TAG(bcda)
    TAG(cdab) TAG(cdba) TAG(dcab) TAG(abced) TAG(abdec) TAG(acbde) TAG(acdeb) TAG(adecb) TAG(bacde)
    TAG(bcdea) TAG(cdeab) TAG(cdeba) TAG(decab) TAG(abcdfe) TAG(abdefc) TAG(abdfce) TAG(acbdef)
    TAG(adefcb) TAG(defcab) TAG(abcdegf) TAG(abcdefhg) TAG(abcdefgih) TAG(abcdefghji)
    TAG(abcdefghikj) TAG(abcdefghijlk) TAG(Abc16a) TAG(ABc16a16b) TAG(ABc32a32b) TAG(ABc4a4b)
    TAG(aBc16b) TAG(ABc16b16a) TAG(Abc4a) TAG(aBc32b) TAG(aBc4b) TAG(ABc4b16a4b) TAG(ABc2b8a4b)
    TAG(ABc16b16a4b) TAG(ABc16b16a2b) TAG(ABc4b4a) TAG(ABc8a16b2a) TAG(ABc8a8b) TAG(ABc8a4b)
    TAG(aBc8b) TAG(ABc8b16a2b) TAG(BAc8a16b2a) TAG(ABc8b8a) TAG(Abcd16a) TAG(Abcd8a) TAG(ABcd16a16b)
    TAG(Abcd32a) TAG(ABcd32a32b) TAG(aBcd16b) TAG(ABcd16b16a) TAG(aBCd16b16c) TAG(aBCd16c16b)
    TAG(Abcd4a) TAG(aBcd32b) TAG(aBcd4b) TAG(ABcd4b16a4b) TAG(ABcd16b16a4b) TAG(ABcd16b16a2b)
    TAG(ABcd4b4a) TAG(ABcd4a4b) TAG(aBCd2c4b2c) TAG(aBCd4b8c2b) TAG(aBCd4c16b4c) TAG(aBCd2c8b4c)
    TAG(aBCd16c16b4c) TAG(aBCd16c16b2c) TAG(aBCd4c4b) TAG(aBCd4b4c) TAG(ABcd8a16b2a) TAG(ABcd2b8a4b)
    TAG(ABcd8a8b) TAG(ABcd8a4b) TAG(aBcd8b) TAG(aBCd4c8b2c) TAG(ABcd8b16a2b) TAG(aBCd8b16c2b)
    TAG(BAcd8a16b2a) TAG(ABcd8b8a) TAG(aBCd8b8c) TAG(aBCd8b4c) TAG(aBCd8c16b2c) TAG(ABcde8a16b2a)
    TAG(aCBd8b16c2b) TAG(aBCd8c8b) TAG(Abcde16a) TAG(Abcde32a) TAG(ABcde16a16b) TAG(BAcde8a16b2a)
    TAG(aBCd2b4c2b) TAG(ABcde4b16a4b) TAG(ABcde2b8a4b) TAG(aBcde16b) TAG(ABcde16b16a)
    TAG(aBCde16b16c) TAG(aBCde16c16b) TAG(aBCde2c8b4c) TAG(Abcde4a) TAG(aBcde32b) TAG(aBcde4b)
    TAG(ABcde4b4a) TAG(ABcde4a4b) TAG(aBCde4b4c) TAG(aBCde2c4b2c) TAG(aBCde4b8c2b) TAG(aBCde4c16b4c)
    TAG(aBCde16c16b4c) TAG(aBCde16c16b2c) TAG(aBCde4c4b) TAG(Abcde8a) TAG(ABcde8a8b) TAG(ABcde8a4b)
    TAG(BAcde16b16a) TAG(aBcde8b) TAG(ABcde8b16a2b) TAG(aBCde8b16c2b) TAG(aBCde4c8b2c)
    TAG(aCBde8b16c2b) TAG(ABcde8b8a) TAG(ABcde32a32b) TAG(aBCde8b8c) TAG(aBCde8b4c) TAG(ABc4a8b8a4b)
    TAG(ABcd4a8b8a4b) TAG(ABcde4a8b8a4b) TAG(BAc4b8a8b4a) TAG(BAcd4b8a8b4a) TAG(BAcde4b8a8b4a)
    TAG(ABcd2a8b8a2b) TAG(aBCd4b8c8b4c) TAG(aBCde4b8c8b4c) TAG(aBCde2b8c8b2c) TAG(aBCde8c16b2c)
    TAG(aBCde8c8b) TAG(aBCde2b4c2b) TAG(aBcdef16b) TAG(aBCdef16b16c) TAG(aBCdef16c16b)
    TAG(aBCdef4c16b4c) TAG(aBCdef2c8b4c) TAG(aBCdef4c8b2c) TAG(aBCdef2b4c2b) TAG(aBcdef4b)
    TAG(aBCdef4c4b) TAG(aBCdef4b4c) TAG(aBCdef2c4b2c) TAG(aBCdef4b8c2b) TAG(aBCdef8b8c)
    TAG(aBCdef8b4c) TAG(aBCdef8c16b2c) TAG(aBCdef4b8c8b4c) TAG(aBCdef8b16c2b) TAG(aCBdef8b16c2b)
    TAG(aBCdef8c8b) TAG(aBdc16b) TAG(aBdC16b2c) TAG(aBdC16b4c) TAG(aBdc4b) TAG(aBdc8b) TAG(aBdec16b)
    TAG(aBdeC16b2c) TAG(aBdeC16b4c) TAG(aBdec32b) TAG(aBdec4b) TAG(aBdec8b) TAG(aBdefc16b)
    TAG(aBdefC16b2c) TAG(aCBdef16c16b) TAG(aBdefc4b) TAG(aBdefc8b) TAG(Abcdef16a) TAG(Abcdef32a)
    TAG(aBedc16b) TAG(Acb16a) TAG(AcB16a2b) TAG(AcB16a4b) TAG(Acb4a) TAG(Acb8a) TAG(aCBd16b16c)
    TAG(aCBd16c16b) TAG(aCBde16b16c) TAG(aCBde16c16b) TAG(Acdb16a) TAG(AcdB16a2b) TAG(AcdB16a4b)
    TAG(Acdb32a) TAG(Acdb4a) TAG(Acdb8a) TAG(Acdeb16a) TAG(AcdeB16a2b) TAG(Acdeb4a) TAG(Acdeb8a)
    TAG(Adcb16a) TAG(BAc16a16b) TAG(BAc16b16a) TAG(BAcd16a16b) TAG(BAcd16b16a) TAG(aCBd4c8b8c4b)
    TAG(aCBde4c8b8c4b) TAG(aCBdef4c8b8c4b) TAG(BAcde16a16b) TAG(aCBdef16b16c) TAG(ABc16b32a)
    TAG(ABc16b64a) TAG(ABc4b32a4b) TAG(ABc4b64a4b) TAG(ABc8b32a2b) TAG(ABc8b64a2b) TAG(AB16b16a)
    TAG(AB16b32a) TAG(AB16b64a) TAG(AB8b16a2b) TAG(AB8b32a2b) TAG(AB8b64a2b) TAG(AB4b16a4b)
    TAG(AB4b32a4b) TAG(AB4b64a4b) TAG(AB16b16a4b) TAG(ABcd16b32a) TAG(ABcd16b64a) TAG(ABcd4b32a4b)
    TAG(ABcd4b64a4b) TAG(ABcd8b32a2b) TAG(ABcd8b64a2b) TAG(ABcde4b32a4b) TAG(ABcde4b64a4b)
    TAG(ABcde16b16a4b) TAG(ABcde16b16a2b) TAG(ABcde16b32a) TAG(ABcde16b64a) TAG(ABcde8b32a2b)
    TAG(ABcde8b64a2b) TAG(aBCdef16c16b4c) TAG(aBCdef16c16b2c) TAG(AB32a32b8a4b) TAG(AB8a4b)
    TAG(AB32a32b8a2b) TAG(AB8a2b) TAG(abDc32d) TAG(abDC32d4c) TAG(abdEc32e) TAG(abdEC32e2c)
    TAG(abdEC32e4c) TAG(aBdefC16b4c) TAG(AcdeB16a4b) TAG(ABcd16a16b2a) TAG(ABc16a16b2a)
    TAG(aBCd16b16c2b) TAG(aBCde16b16c2b) TAG(Acb32a) TAG(AcB32a2b) TAG(AcB32a4b) TAG(Acb48a)
    TAG(AcB48a2b) TAG(AcB48a4b) TAG(Acb64a) TAG(AcB64a2b) TAG(AcB64a4b) TAG(cBa2b) TAG(cBa4b)
    TAG(aBdc32b) TAG(aBdC32b2c) TAG(aBdC32b4c) TAG(aBdc48b) TAG(aBdC48b2c) TAG(aBdC48b4c)
    TAG(aBdc64b) TAG(aBdC64b2c) TAG(aBdC64b4c) TAG(adCb2c) TAG(adCb4c) TAG(AcdB32a2b) TAG(AcdB32a4b)
}

void tag_names_2() {
    TAG(Acdb48a) TAG(AcdB48a2b) TAG(AcdB48a4b) TAG(Acdb64a) TAG(AcdB64a2b) TAG(AcdB64a4b)
    TAG(cdBa2b) TAG(cdBa4b) TAG(aBdeC32b2c) TAG(aBdeC32b4c) TAG(aBdec48b) TAG(aBdeC48b2c)
    TAG(aBdeC48b4c) TAG(aBdec64b) TAG(aBdeC64b2c) TAG(aBdeC64b4c) TAG(adeCb2c) TAG(adeCb4c)
    TAG(Acdeb32a) TAG(AcdeB32a2b) TAG(AcdeB32a4b) TAG(Acdeb48a) TAG(AcdeB48a2b) TAG(AcdeB48a4b)
    TAG(Acdeb64a) TAG(AcdeB64a2b) TAG(AcdeB64a4b) TAG(cdeBa2b) TAG(cdeBa4b) TAG(aBdefc32b)
    TAG(aBdefC32b2c) TAG(aBdefC32b4c) TAG(aBdefc48b) TAG(aBdefC48b2c) TAG(aBdefC48b4c)
    TAG(aBdefc64b) TAG(aBdefC64b2c) TAG(aBdefC64b4c) TAG(adefCb2c) TAG(adefCb4c) TAG(AB16b32a4b)
    TAG(AB16b48a4b) TAG(AB16b64a4b) TAG(AB16b16a2b) TAG(AB16b32a2b) TAG(AB16b48a2b) TAG(AB16b64a2b)
    TAG(ABc16b32a4b) TAG(ABc16b48a4b) TAG(ABc16b64a4b) TAG(ABc16b32a2b) TAG(ABc16b48a2b)
    TAG(ABc16b64a2b) TAG(ABcd16b32a4b) TAG(ABcd16b48a4b) TAG(ABcd16b64a4b) TAG(ABcd16b32a2b)
    TAG(ABcd16b48a2b) TAG(ABcd16b64a2b) TAG(ABcde16b32a4b) TAG(ABcde16b48a4b) TAG(ABcde16b64a4b)
    TAG(ABcde16b32a2b) TAG(ABcde16b48a2b) TAG(ABcde16b64a2b) TAG(ABc32a16b) TAG(ABcd32a16b)
    TAG(ABcde32a16b) TAG(AB48a16b) TAG(AB48a32b) TAG(ABc40a16b) TAG(ABc40a32b) TAG(aBC48b16c)
    TAG(aBC48b32c) TAG(ABcd40a16b) TAG(ABcd40a32b) TAG(abCd32c) TAG(abdCe32c) TAG(abdCE32c2e)
    TAG(BA16a16b2a) TAG(BA16a32b2a) TAG(BA16a48b2a) TAG(BA16a64b2a) TAG(BA16a16b4a) TAG(BA16a32b4a)
    TAG(BA16a48b4a) TAG(BA16a64b4a) TAG(ABcd8a2b) TAG(aBdeC16c16b2c) TAG(aBdeC16c16b4c)
    TAG(aBdefC16c16b2c) TAG(AcB16b16a2b) TAG(AcB16b16a4b) TAG(AcdB16b16a2b) TAG(AcdB16b16a4b)
    TAG(AcdeB16b16a2b) TAG(aBdefC16c16b4c) TAG(AcdeB16b16a4b) TAG(AcB16b32a2b) TAG(AcB16b32a4b)
    TAG(AcB16b48a2b) TAG(AcB16b48a4b) TAG(AcB16b64a2b) TAG(AcB16b64a4b) TAG(aBdC16c16b2c)
    TAG(aBdC16c16b4c) TAG(aBdC16c32b2c) TAG(aBdC16c32b4c) TAG(aBdC16c48b2c) TAG(aBdC16c48b4c)
    TAG(aBdC16c64b2c) TAG(aBdC16c64b4c) TAG(AcdB16b32a2b) TAG(AcdB16b32a4b) TAG(AcdB16b48a2b)
    TAG(AcdB16b48a4b) TAG(AcdB16b64a2b) TAG(AcdB16b64a4b) TAG(aBdeC16c32b2c) TAG(aBdeC16c32b4c)
    TAG(aBdeC16c48b2c) TAG(aBdeC16c48b4c) TAG(aBdeC16c64b2c) TAG(aBdeC16c64b4c) TAG(AcdeB16b32a2b)
    TAG(AcdeB16b32a4b) TAG(AcdeB16b48a2b) TAG(AcdeB16b48a4b) TAG(AcdeB16b64a2b) TAG(AcdeB16b64a4b)
    TAG(aBdefC16c32b2c) TAG(aBdefC16c32b4c) TAG(aBdefC16c48b2c) TAG(aBdefC16c48b4c)
    TAG(aBdefC16c64b2c) TAG(aBdefC16c64b4c) TAG(decbA16a) TAG(ABc4a2b) TAG(ABc8a2b) TAG(aBCd8b2c)
    TAG(ABcde4a2b) TAG(ABcde8a2b) TAG(ABcde40a16b) TAG(ABcde40a32b) TAG(aBCde8b2c)
    TAG(ABcde4a8b8a2b) TAG(ABcd4a8b8a2b) TAG(ABc4a8b8a2b) TAG(aBCdef4b8c8b2c) TAG(aBCde4b8c8b2c)
    TAG(aBCd4b8c8b2c) TAG(BAcde4b8a8b2a) TAG(BAcd4b8a8b2a) TAG(BAc4b8a8b2a) TAG(aCBdef4c8b8c2b)
    TAG(aCBde4c8b8c2b) TAG(aCBd4c8b8c2b) TAG(aBCdef8b2c) TAG(AB32a16b) TAG(AB32a32b) TAG(BA4b8a8b2a)
    TAG(BA4b8a8b4a) TAG(aBC32b16c) TAG(aBC32b32c) TAG(aCB4c8b8c2b) TAG(aCB4c8b8c4b) TAG(ABcd4a2b)
    TAG(ABc2b8a16b4a) TAG(ABcd2b8a16b4a) TAG(ABcde2b8a16b4a) TAG(ABc2a8b16a4b) TAG(ABc2a8b16a2b)
    TAG(ABc2b32a8b) TAG(ABcd2a8b16a4b) TAG(ABcd2a8b16a2b) TAG(aCBd2c8b16c2b) TAG(ABcd2b32a8b)
    TAG(aBCd2c8b16c2b) TAG(ABcde2a8b16a4b) TAG(ABcde2a8b16a2b) TAG(aCBde2c8b16c2b) TAG(ABcde2b32a8b)
    TAG(aBC2b8c16b2c) TAG(aBCd2b8c16b2c) TAG(aBCde2b8c16b2c) TAG(aBCdef2b8c16b2c)
    TAG(BAcde2b8a16b4a) TAG(BAcd2b8a16b4a) TAG(BAc2b8a16b4a) TAG(BAcde2b8a16b2a) TAG(BAcd2b8a16b2a)
    TAG(BAc2b8a16b2a) TAG(aBCde2c8b16c2b) TAG(aBCdef2c8b16c2b) TAG(aCBdef2c8b16c2b)
    TAG(aBCd2b8c16b4c) TAG(aBCde2b8c16b4c) TAG(BA4b8a16b2a) TAG(BA4b8a16b4a) TAG(aCB4c8b16c2b)
    TAG(aCB4c8b16c4b) TAG(BA16a16b) TAG(BA16a32b) TAG(BA16a48b) TAG(BA16a64b) TAG(aCB16c2b)
    TAG(aCB16c4b) TAG(BA16b2a) TAG(BA16b4a) TAG(aBC16b16c) TAG(aBC16b32c) TAG(AB16a16b)
    TAG(AB16a32b) TAG(ABcde16a16b2a) TAG(aBCdef16b16c2b) TAG(Acedb16a) TAG(aBdfec16b)
    TAG(abdEC64e2c) TAG(abdEC64e4c) TAG(aCB16b16c) TAG(aCB16b32c) TAG(aCB16b48c) TAG(aCB16b64c)
    TAG(aCB16b16c2b) TAG(aCB16b32c2b) TAG(aCB16b48c2b) TAG(aCB16b64c2b) TAG(aCB16b16c4b)
    TAG(aCB16b32c4b) TAG(aCB16b48c4b) TAG(aCB16b64c4b) TAG(abCd4c) TAG(abCde4c) TAG(abCdef4c)
    TAG(abCde32c) TAG(abCdef32c) TAG(ABcd16a32b) TAG(decbA8a) TAG(aCdefB16b32c2b)
    TAG(aCdefB16b32c4b) TAG(aCdefB16b48c2b) TAG(aCdefB16b48c4b) TAG(aCdefB16b64c2b)
    TAG(aCdefB16b64c4b) TAG(BcdeA16a32b2a) TAG(BcdeA16a32b4a) TAG(BcdeA16a48b2a) TAG(BcdeA16a48b4a)
    TAG(BcdeA16a64b2a) TAG(BcdeA16a64b4a) TAG(aCdefb32c) TAG(aCdefB32c2b) TAG(aCdefB32c4b)
    TAG(aCdefb48c) TAG(aCdefB48c2b) TAG(aCdefB48c4b) TAG(aCdefb64c) TAG(aCdefB64c2b)
    TAG(aCdefB64c4b) TAG(Bcdea32b) TAG(BcdeA32b2a) TAG(BcdeA32b4a) TAG(Bcdea48b) TAG(BcdeA48b2a)
    TAG(BcdeA48b4a) TAG(Bcdea64b) TAG(BcdeA64b2a) TAG(BcdeA64b4a) TAG(Bca32b) TAG(BcA32b2a)
    TAG(BcA32b4a) TAG(Bca48b) TAG(BcA48b2a) TAG(BcA48b4a) TAG(Bca64b) TAG(BcA64b2a) TAG(BcA64b4a)
    TAG(aCdb32c) TAG(aCdB32c2b) TAG(aCdB32c4b) TAG(aCdb48c) TAG(aCdB48c2b) TAG(aCdB48c4b)
    TAG(aCdb64c) TAG(aCdB64c2b) TAG(aCdB64c4b) TAG(BcA16a16b2a) TAG(BcA16a16b4a) TAG(BcdA16a16b2a)
    TAG(BcdA16a16b4a) TAG(BcdeA16a16b2a) TAG(BcdeA16a16b4a) TAG(aCdB16b16c2b) TAG(aCdB16b16c4b)
    TAG(aCdeB16b16c2b) TAG(aCdeB16b16c4b) TAG(aCdefB16b16c2b) TAG(aCdefB16b16c4b) TAG(BcA16a32b2a)
    TAG(BcA16a32b4a)
}

void tag_names_3() {
    TAG(BcA16a48b2a) TAG(BcA16a48b4a) TAG(BcA16a64b2a) TAG(BcA16a64b4a) TAG(aCdB16b32c2b)
    TAG(aCdB16b32c4b) TAG(aCdB16b48c2b) TAG(aCdB16b48c4b) TAG(aCdB16b64c2b) TAG(aCdB16b64c4b)
    TAG(BcdA16a32b2a) TAG(BcdA16a32b4a) TAG(BcdA16a48b2a) TAG(BcdA16a48b4a) TAG(BcdA16a64b2a)
    TAG(BcdA16a64b4a) TAG(aCdeB16b32c2b) TAG(aCdeB16b32c4b) TAG(aCdeB16b48c2b) TAG(aCdeB16b48c4b)
    TAG(aCdeB16b64c2b) TAG(aCdeB16b64c4b) TAG(Bca16b) TAG(BcA16b2a) TAG(BcA16b4a) TAG(Bcda16b)
    TAG(BcdA16b2a) TAG(BcdA16b4a) TAG(Bcdea16b) TAG(BcdeA16b2a) TAG(BcdeA16b4a) TAG(aCdb16c)
    TAG(aCdB16c2b) TAG(aCdB16c4b) TAG(aCdeb16c) TAG(aCdeB16c2b) TAG(aCdeB16c4b) TAG(aCdefb16c)
    TAG(aCdefB16c2b) TAG(aCdefB16c4b) TAG(Bcda32b) TAG(BcdA32b2a) TAG(BcdA32b4a) TAG(Bcda48b)
    TAG(BcdA48b2a) TAG(BcdA48b4a) TAG(Bcda64b) TAG(BcdA64b2a) TAG(BcdA64b4a) TAG(aCdeb32c)
    TAG(aCdeB32c2b) TAG(aCdeB32c4b) TAG(aCdeb48c) TAG(aCdeB48c2b) TAG(aCdeB48c4b) TAG(aCdeb64c)
    TAG(aCdeB64c2b) TAG(aCdeB64c4b) TAG(Acb24a) TAG(Acdb24a) TAG(Acdeb24a) TAG(aBdc24b)
    TAG(aBdec24b) TAG(aBdefc24b) TAG(abDc16d) TAG(abdEc16e) TAG(abdCe16c) TAG(AcB24a2b)
    TAG(AcdB24a2b) TAG(AcdeB24a2b) TAG(aBdC24b2c) TAG(aBdeC24b2c) TAG(aBdefC24b2c) TAG(AcB8a2b)
    TAG(AcdB8a2b) TAG(AcdeB8a2b) TAG(aBdC8b2c) TAG(aBdeC8b2c) TAG(aBdefC8b2c) TAG(AB8b32a)
    TAG(ABc8b32a) TAG(ABcd8b32a) TAG(ABcde8b32a) TAG(AB8b24a) TAG(ABc8b24a) TAG(ABcd8b24a)
    TAG(ABcde8b24a) TAG(AB8b16a) TAG(ABc8b16a) TAG(ABcd8b16a) TAG(ABcde8b16a) TAG(AB8b8a)
    TAG(AB4b8a4b) TAG(AB4b24a4b) TAG(ABc4b8a4b) TAG(ABc4b24a4b) TAG(ABcd4b8a4b) TAG(ABcd4b24a4b)
    TAG(ABcde4b8a4b) TAG(ABcde4b24a4b) TAG(AB8b24a2b) TAG(ABc8b24a2b) TAG(ABcd8b24a2b)
    TAG(ABcde8b24a2b) TAG(AB8b8a2b) TAG(ABc8b8a2b) TAG(ABcd8b8a2b) TAG(ABcde8b8a2b) TAG(AcB24a4b)
    TAG(AcdB24a4b) TAG(AcdeB24a4b) TAG(aBdC24b4c) TAG(aBdeC24b4c) TAG(aBdefC24b4c) TAG(AcB8a4b)
    TAG(AcdB8a4b) TAG(AcdeB8a4b) TAG(aBdC8b4c) TAG(aBdeC8b4c) TAG(aBdefC8b4c) TAG(Bca8b)
    TAG(BcA8b2a) TAG(Bcda8b) TAG(BcdA8b2a) TAG(Bcdea8b) TAG(BcdeA8b2a) TAG(aCdb8c) TAG(aCdB8c2b)
    TAG(aCdeb8c) TAG(aCdeB8c2b) TAG(aCdefb8c) TAG(aCdefB8c2b) TAG(Bca24b) TAG(BcA24b2a) TAG(Bcda24b)
    TAG(BcdA24b2a) TAG(Bcdea24b) TAG(BcdeA24b2a) TAG(aCdb24c) TAG(aCdB24c2b) TAG(aCdeb24c)
    TAG(aCdeB24c2b) TAG(aCdefb24c) TAG(aCdefB24c2b) TAG(BcA8b4a) TAG(BcdA8b4a) TAG(BcdeA8b4a)
    TAG(aCdB8c4b) TAG(aCdeB8c4b) TAG(aCdefB8c4b) TAG(BcA24b4a) TAG(BcdA24b4a) TAG(BcdeA24b4a)
    TAG(aCdB24c4b) TAG(aCdeB24c4b) TAG(aCdefB24c4b) TAG(AB16b48a) TAG(ABc16b48a) TAG(ABcd16b48a)
    TAG(ABcde16b48a) TAG(ABc16a4b) TAG(ABcd16a4b) TAG(ABcde16a4b) TAG(defcbA16a) TAG(defcbA8a)
    TAG(AcB16b64a) TAG(AcdB16b64a) TAG(AcdeB16b64a) TAG(AcB16b48a) TAG(AcdB16b48a) TAG(AcdeB16b48a)
    TAG(AcB16b32a) TAG(AcdB16b32a) TAG(AcdeB16b32a) TAG(AcB16b16a) TAG(AcdB16b16a) TAG(AcdeB16b16a)
    TAG(AcB8b32a) TAG(AcdB8b32a) TAG(AcdeB8b32a) TAG(AcB8b24a) TAG(AcdB8b24a) TAG(AcdeB8b24a)
    TAG(AcB8b16a) TAG(AcdB8b16a) TAG(AcdeB8b16a) TAG(AcB8b8a) TAG(AcdB8b8a) TAG(AcdeB8b8a)
    TAG(AcB8b64a2b) TAG(AcdB8b64a2b) TAG(AcdeB8b64a2b) TAG(AcB8b32a2b) TAG(AcdB8b32a2b)
    TAG(AcdeB8b32a2b) TAG(AcB8b24a2b) TAG(AcdB8b24a2b) TAG(AcdeB8b24a2b) TAG(AcB8b16a2b)
    TAG(AcdB8b16a2b) TAG(AcdeB8b16a2b) TAG(AcB8b8a2b) TAG(AcdB8b8a2b) TAG(AcdeB8b8a2b)
    TAG(AcB4b64a4b) TAG(AcdB4b64a4b) TAG(AcdeB4b64a4b) TAG(AcB4b32a4b) TAG(AcdB4b32a4b)
    TAG(AcdeB4b32a4b) TAG(AcB4b24a4b) TAG(AcdB4b24a4b) TAG(AcdeB4b24a4b) TAG(AcB4b16a4b)
    TAG(AcdB4b16a4b) TAG(AcdeB4b16a4b) TAG(AcB4b8a4b) TAG(AcdB4b8a4b) TAG(AcdeB4b8a4b) TAG(Ab4a)
    TAG(Ab8a) TAG(BA4b4a) TAG(BA8b4a) TAG(BA2a24b) TAG(aCB2b24c) TAG(BA2a8b) TAG(aCB2b8c)
    TAG(BA8a24b) TAG(aCB8b24c) TAG(BA8a16b) TAG(aCB8b16c) TAG(BA8a8b) TAG(aCB8b8c) TAG(bcad)
    TAG(cabd) TAG(dabc) TAG(Ab32a) TAG(aCBd8b8c) TAG(aCBde8b8c) TAG(BAc8a8b) TAG(BAcd8a8b)
    TAG(BAcde8a8b) TAG(aCBdef8b8c) TAG(abdEC16e4c) TAG(abDC16d4c)
    TAG(BA24b8a) TAG(aCB24c8b) TAG(abDC24d8c) TAG(decbA4a) TAG(defcbA4a) TAG(abDC8d8c)
    TAG(abDC16d8c) TAG(aCB8c8b) TAG(aCB16c8b) TAG(BA8b8a) TAG(BA16b8a) TAG(AB2a4b) TAG(aCBd4b4c)
    TAG(aCBde4b4c) TAG(aCBdef4b4c) TAG(BAc4a4b) TAG(BAcd4a4b) TAG(BAcde4a4b) TAG(BA12b8a)
    TAG(aCB12c8b) TAG(abDC12d8c) TAG(BA4b8a) TAG(aCB4c8b) TAG(abDC4d8c) TAG(Abc8a) TAG(Abc32a)
    TAG(aBcdef8b) TAG(aBcdef32b)
}

// clang-format on

// Names that do not follow the rule.
void irregular_names() {
    expect(dnnl_dt2str(dnnl_data_type_undef), "undef");
    expect(dnnl_prop_kind2str(dnnl_prop_kind_undef), "undef");
    expect(dnnl_prim_kind2str(dnnl_undefined_primitive), "undef");
    expect(dnnl_alg_kind2str(dnnl_alg_kind_undef), "undef");
    expect(dnnl_rnn_flags2str(dnnl_rnn_flags_undef), "undef");
    expect(dnnl_rnn_direction2str(dnnl_rnn_direction_undef), "undef");
    expect(dnnl_engine_kind2str(dnnl_any_engine), "any");
    expect(dnnl_engine_kind2str(dnnl_cpu), "cpu");
    expect(dnnl_engine_kind2str(dnnl_gpu), "gpu");
    expect(dnnl_fmt_kind2str(dnnl_format_kind_undef), "undef");
    expect(dnnl_fmt_kind2str(dnnl_format_kind_any), "any");
    expect(dnnl_fmt_kind2str(dnnl_blocked), "blocked");
    expect(dnnl_fmt_kind2str(dnnl_format_kind_opaque), "opaque");
    expect(dnnl_fmt_kind2str(dnnl_format_kind_sparse), "sparse");
    expect(dnnl_fmt_kind2str(dnnl_format_kind_host_scalar), "host_scalar");
    expect(dnnl_fmt_tag2str(dnnl_format_tag_undef), "undef");
    expect(dnnl_fmt_tag2str(dnnl_format_tag_any), "any");
    expect(dnnl_fmt_tag2str(dnnl_nChw16c), "aBcd16b");
    expect(dnnl_fmt_tag2str(dnnl_hwigo), "decab");
    expect(dnnl_fmt_tag2str(dnnl_format_tag_last), "format_tag_last");
    expect(dnnl_prop_kind2str(dnnl_forward), "forward_training");
    expect(dnnl_cpu_isa2str(dnnl_cpu_isa_avx512_core_amx), "cpu_isa_avx10_1_512_amx");
    expect(dnnl_runtime2str(DNNL_RUNTIME_NONE), "none");
    expect(dnnl_runtime2str(DNNL_RUNTIME_SEQ), "sequential");
    expect(dnnl_runtime2str(DNNL_RUNTIME_OMP), "OpenMP");
    expect(dnnl_runtime2str(DNNL_RUNTIME_TBB), "TBB");
    expect(dnnl_runtime2str(DNNL_RUNTIME_THREADPOOL), "threadpool");
    expect(dnnl_runtime2str(DNNL_RUNTIME_OCL), "OpenCL");
}

void unknown_values() {
    const int none = 0x7ffe; // no enumerator has it
    expect(dnnl_status2str(dnnl_status_t(none)), "unknown status");
    expect(dnnl_dt2str(dnnl_data_type_t(none)), "unknown dt");
    expect(dnnl_fpmath_mode2str(dnnl_fpmath_mode_t(none)), "unknown fpmath_mode");
    expect(dnnl_accumulation_mode2str(dnnl_accumulation_mode_t(none)), "unknown accumulation_mode");
    expect(dnnl_engine_kind2str(dnnl_engine_kind_t(none)), "unknown engine_kind");
    expect(dnnl_fmt_kind2str(dnnl_format_kind_t(none)), "unknown fmt_kind");
    expect(dnnl_fmt_tag2str(dnnl_format_tag_t(none)), "unknown fmt_tag");
    expect(dnnl_prop_kind2str(dnnl_prop_kind_t(none)), "unknown prop_kind");
    expect(dnnl_prim_kind2str(dnnl_primitive_kind_t(none)), "unknown prim_kind");
    expect(dnnl_alg_kind2str(dnnl_alg_kind_t(none)), "unknown alg_kind");
    expect(dnnl_rnn_flags2str(dnnl_rnn_flags_t(none)), "unknown rnn_flags");
    expect(dnnl_rnn_direction2str(dnnl_rnn_direction_t(none)), "unknown rnn_direction");
    expect(dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t(none)), "unknown scratchpad_mode");
    expect(dnnl_rounding_mode2str(dnnl_rounding_mode_t(none)), "unknown rounding_mode");
    expect(dnnl_quantization_mode2str(dnnl_quantization_mode_t(none)), "unknown quantization_mode");
    expect(dnnl_sparse_encoding2str(dnnl_sparse_encoding_t(none)), "unknown sparse_encoding");
    expect(dnnl_cpu_isa2str(dnnl_cpu_isa_t(none)), "unknown cpu_isa");
    expect(dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t(none)), "unknown cpu_isa_hints");
    expect(dnnl_runtime2str(DNNL_RUNTIME_SYCL), "unknown");
}

} // namespace

int main() {
    status_names();
    dt_names();
    fpmath_mode_names();
    accumulation_mode_names();
    prop_kind_names();
    prim_kind_names();
    alg_kind_names();
    rnn_direction_names();
    rnn_flags_names();
    scratchpad_mode_names();
    rounding_mode_names();
    quantization_mode_names();
    sparse_encoding_names();
    cpu_isa_names();
    cpu_isa_hints_names();
    tag_names_1();
    tag_names_2();
    tag_names_3();
    irregular_names();
    unknown_values();
    return failed == 0 ? 0 : 1;
}
