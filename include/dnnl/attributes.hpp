// SPDX-License-Identifier: Apache-2.0
// post_ops and primitive_attr: what is applied to results and how a primitive computes.
// Specification: Primitive Attributes.

#ifndef ONEAPI_DNNL_ATTRIBUTES_HPP
#define ONEAPI_DNNL_ATTRIBUTES_HPP

#include "dnnl/dnnl.h"
#include "dnnl/enumerations.hpp"
#include "dnnl/memory.hpp"
#include "dnnl/primitive.hpp"

namespace dnnl {

/// @cond
template <> struct handle_traits<dnnl_post_ops_t> {
    static dnnl_status_t destructor(dnnl_post_ops_t p) { return dnnl_post_ops_destroy(p); }
};

template <> struct handle_traits<dnnl_primitive_attr_t> {
    static dnnl_status_t destructor(dnnl_primitive_attr_t p) {
        return dnnl_primitive_attr_destroy(p);
    }
};
/// @endcond

/// Operations applied in f32 to each result v before it is stored, in the order of the append
/// calls; at most 32. Copies refer to the same list. Unless said otherwise, append_*() throws
/// invalid_arguments for a wrong algorithm and out_of_memory for the 33rd entry; get_params_*()
/// throws invalid_arguments for a wrong index or kind. Specification: Primitive Attributes,
/// Post-ops.
struct post_ops : public handle<dnnl_post_ops_t> {
    using handle<dnnl_post_ops_t>::handle;

    /// An empty list.
    post_ops() {
        dnnl_post_ops_t created = nullptr;
        error::wrap_c_api(dnnl_post_ops_create(&created), "cannot create post-ops");
        reset(created);
    }

    /// Takes ownership of a C list.
    post_ops(dnnl_post_ops_t apost_ops) : handle<dnnl_post_ops_t>(apost_ops) {}

    /// Number of entries.
    int len() const { return dnnl_post_ops_len(get()); }

    /// Kind of entry `index`: sum, eltwise, binary, prelu, or convolution (depthwise).
    /// Throws invalid_arguments if there is no such entry.
    primitive::kind kind(int index) const {
        if (index < 0 || index >= len()) {
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the post-op index is out of range");
        }
        return static_cast<primitive::kind>(dnnl_post_ops_get_kind(get(), index));
    }

    /// v += scale * (dst - zero_point), with the value that dst holds before execution, read as
    /// `data_type` (undef: the type of dst; otherwise a type of the same size).
    void append_sum(float scale = 1.f, int32_t zero_point = 0,
        memory::data_type data_type = memory::data_type::undef) {
        error::wrap_c_api(
            dnnl_post_ops_append_sum(get(), scale, zero_point, memory::convert_to_c(data_type)),
            "cannot append a sum post-op");
    }

    /// v += dst, read as `data_type`.
    void append_sum(memory::data_type data_type) { append_sum(1.f, 0, data_type); }

    /// Parameters of a sum.
    void get_params_sum(int index, float &scale) const {
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, &scale, nullptr, nullptr),
            "cannot get the parameters of a sum post-op");
    }
    void get_params_sum(int index, float &scale, memory::data_type &data_type) const {
        dnnl_data_type_t type = dnnl_data_type_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, &scale, nullptr, &type),
            "cannot get the parameters of a sum post-op");
        data_type = static_cast<memory::data_type>(type);
    }
    void get_params_sum(
        int index, float &scale, int32_t &zero_point, memory::data_type &data_type) const {
        dnnl_data_type_t type = dnnl_data_type_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_sum(get(), index, &scale, &zero_point, &type),
            "cannot get the parameters of a sum post-op");
        data_type = static_cast<memory::data_type>(type);
    }

    /// v = f(v) with an eltwise algorithm and its parameters.
    void append_eltwise(algorithm aalgorithm, float alpha, float beta) {
        const detail::c_eltwise f(aalgorithm, alpha, beta);
        error::wrap_c_api(dnnl_post_ops_append_eltwise(get(), f.alg_kind, f.alpha, f.beta),
            "cannot append an eltwise post-op");
    }

    /// Parameters of an eltwise post-op.
    void get_params_eltwise(int index, algorithm &aalgorithm, float &alpha, float &beta) const {
        dnnl_alg_kind_t alg_kind = dnnl_alg_kind_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_eltwise(get(), index, &alg_kind, &alpha, &beta),
            "cannot get the parameters of an eltwise post-op");
        aalgorithm = static_cast<algorithm>(alg_kind);
    }

    /// A depthwise convolution of the result of a 1x1 convolution: square kernel, stride and left
    /// padding in elements; the destination descriptor then has the extents of this convolution.
    /// bias_data_type undef means no bias.
    void append_dw(memory::data_type weights_data_type, memory::data_type bias_data_type,
        memory::data_type dst_data_type, memory::dim kernel_size, memory::dim stride_size,
        memory::dim padding_l_size) {
        error::wrap_c_api(
            dnnl_post_ops_append_dw(get(), memory::convert_to_c(weights_data_type),
                memory::convert_to_c(bias_data_type), memory::convert_to_c(dst_data_type),
                kernel_size, stride_size, padding_l_size),
            "cannot append a depthwise convolution post-op");
    }

    /// Parameters of a depthwise convolution.
    void get_params_dw(int index, memory::data_type &weights_data_type,
        memory::data_type &bias_data_type, memory::data_type &dst_data_type,
        memory::dim &kernel_size, memory::dim &stride_size, memory::dim &padding_l_size) const {
        dnnl_data_type_t weights = dnnl_data_type_undef;
        dnnl_data_type_t bias = dnnl_data_type_undef;
        dnnl_data_type_t dst = dnnl_data_type_undef;
        error::wrap_c_api(dnnl_post_ops_get_params_dw(get(), index, &weights, &bias, &dst,
                              &kernel_size, &stride_size, &padding_l_size),
            "cannot get the parameters of a depthwise convolution post-op");
        weights_data_type = static_cast<memory::data_type>(weights);
        bias_data_type = static_cast<memory::data_type>(bias);
        dst_data_type = static_cast<memory::data_type>(dst);
    }

    /// v = op(v, src1). src1 has the dimensions of dst or 1 in each place and is passed to
    /// execute() as DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_SRC_1. Its layout may be
    /// `any`.
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc) {
        error::wrap_c_api(
            dnnl_post_ops_append_binary(get(), convert_to_c(aalgorithm), src1_desc.get()),
            "cannot append a binary post-op");
    }

    /// The same, or v = src2 != 0 ? v : src1 (binary_select). The condition src2, of s8, has the
    /// dimensions of dst or 1 in each place and is passed to execute() as
    /// DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_SRC_2. Other algorithms ignore it.
    void append_binary(
        algorithm aalgorithm, const memory::desc &src1_desc, const memory::desc &src2_desc) {
        error::wrap_c_api(dnnl_post_ops_append_binary_v2(
                              get(), convert_to_c(aalgorithm), src1_desc.get(), src2_desc.get()),
            "cannot append a binary post-op");
    }

    /// Parameters of a binary post-op; the descriptor is a copy.
    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc) const {
        dnnl_alg_kind_t alg_kind = dnnl_alg_kind_undef;
        const_dnnl_memory_desc_t borrowed = nullptr;
        error::wrap_c_api(dnnl_post_ops_get_params_binary(get(), index, &alg_kind, &borrowed),
            "cannot get the parameters of a binary post-op");
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(
            dnnl_memory_desc_clone(&copy, borrowed), "cannot copy a memory descriptor");
        aalgorithm = static_cast<algorithm>(alg_kind);
        src1_desc = memory::desc(copy);
    }

    /// The same with the condition of binary_select, an empty descriptor for other algorithms.
    void get_params_binary(
        int index, algorithm &aalgorithm, memory::desc &src1_desc, memory::desc &src2_desc) const {
        dnnl_alg_kind_t alg_kind = dnnl_alg_kind_undef;
        const_dnnl_memory_desc_t borrowed[2] = {nullptr, nullptr};
        error::wrap_c_api(
            dnnl_post_ops_get_params_binary_v2(get(), index, &alg_kind, &borrowed[0], &borrowed[1]),
            "cannot get the parameters of a binary post-op");
        memory::desc copies[2];
        for (int i = 0; i < 2; ++i) {
            dnnl_memory_desc_t copy = nullptr;
            error::wrap_c_api(
                dnnl_memory_desc_clone(&copy, borrowed[i]), "cannot copy a memory descriptor");
            copies[i] = memory::desc(copy);
        }
        aalgorithm = static_cast<algorithm>(alg_kind);
        src1_desc = copies[0];
        src2_desc = copies[1];
    }

    /// v = v > 0 ? v : v * weights. Bit d of `mask`: the f32 weights differ along dimension d. They
    /// are passed as DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_WEIGHTS and read by the
    /// descriptor of that memory: the dims of dst, 1 where the mask has no bit (such dimensions may
    /// be left out), in any plain layout; oneDNN reads channels last (a, ab, acb, acdb, acdeb).
    void append_prelu(int mask) {
        error::wrap_c_api(dnnl_post_ops_append_prelu(get(), mask), "cannot append a prelu post-op");
    }

    /// Mask of a prelu post-op.
    void get_params_prelu(int index, int &mask) const {
        error::wrap_c_api(dnnl_post_ops_get_params_prelu(get(), index, &mask),
            "cannot get the parameters of a prelu post-op");
    }
};

/// How a primitive computes, beyond its operation. Copied into a primitive descriptor when that is
/// created; whether it is supported shows there (unimplemented if not). Copies refer to the same
/// object. In a mask, bit d means one value per index of dimension d of that tensor; 0 is one value
/// for all. Specification: Primitive Attributes.
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
    using handle<dnnl_primitive_attr_t>::handle;

    /// Default attributes, with the process-wide fpmath mode.
    primitive_attr() {
        dnnl_primitive_attr_t created = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_create(&created), "cannot create attributes");
        reset(created);
    }

    /// Takes ownership of C attributes.
    primitive_attr(dnnl_primitive_attr_t attr) : handle<dnnl_primitive_attr_t>(attr) {}

    /// Copies the descriptor of the dropout mask into `mask_desc`; zero if dropout is off.
    void get_dropout(memory::desc &mask_desc) const {
        const_dnnl_memory_desc_t borrowed = nullptr;
        error::wrap_c_api(
            dnnl_primitive_attr_get_dropout(get(), &borrowed), "cannot get the dropout attribute");
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(
            dnnl_memory_desc_clone(&copy, borrowed), "cannot copy a memory descriptor");
        mask_desc = memory::desc(copy);
    }

    /// The same, and how the arguments of execute() are given; undef, false and false if dropout is
    /// off.
    void get_dropout(memory::desc &mask_desc, memory::data_type &seed_dt, bool &use_offset,
        bool &use_host_scalars) const {
        const_dnnl_memory_desc_t borrowed = nullptr;
        dnnl_data_type_t c_seed_dt = dnnl_data_type_undef;
        int c_use_offset = 0, c_use_host_scalars = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_dropout_v2(
                              get(), &borrowed, &c_seed_dt, &c_use_offset, &c_use_host_scalars),
            "cannot get the dropout attribute");
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(
            dnnl_memory_desc_clone(&copy, borrowed), "cannot copy a memory descriptor");
        mask_desc = memory::desc(copy);
        seed_dt = static_cast<memory::data_type>(c_seed_dt);
        use_offset = c_use_offset != 0;
        use_host_scalars = c_use_host_scalars != 0;
    }

    /// Switches dropout on, v = v * mask / (1 - p) before the post-ops, with a u8 mask of the shape
    /// and layout of dst; with a zero descriptor the mask is not stored. Mask, probability (f32)
    /// and seed (s32) are arguments DNNL_ARG_ATTR_DROPOUT_MASK, _PROBABILITY and _SEED of
    /// execute().
    void set_dropout(const memory::desc &mask_desc) {
        error::wrap_c_api(dnnl_primitive_attr_set_dropout(get(), mask_desc.get()),
            "cannot set the dropout attribute");
    }
    /// The same with a seed of type s32 or s64 and, if use_offset, an s64 argument
    /// DNNL_ARG_ATTR_DROPOUT_OFFSET that begins another sequence of random numbers. With
    /// use_host_scalars probability, seed and offset are host scalars.
    void set_dropout(const memory::desc &mask_desc, memory::data_type seed_dt, bool use_offset,
        bool use_host_scalars) {
        error::wrap_c_api(dnnl_primitive_attr_set_dropout_v2(get(), mask_desc.get(),
                              memory::convert_to_c(seed_dt), use_offset, use_host_scalars),
            "cannot set the dropout attribute");
    }

    /// Down-conversions that f32 computation may use.
    fpmath_mode get_fpmath_mode() const {
        dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode(get(), &mode),
            "cannot get the fpmath mode attribute");
        return static_cast<fpmath_mode>(mode);
    }
    /// The same, and whether it also holds for integer operands.
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        dnnl_fpmath_mode_t c_mode = dnnl_fpmath_mode_strict;
        int c_apply_to_int = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode_v2(get(), &c_mode, &c_apply_to_int),
            "cannot get the fpmath mode attribute");
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply_to_int != 0;
    }
    /// Allows down-conversions of f32; with apply_to_int, integer weights may be computed as
    /// floating point (weight decompression).
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::wrap_c_api(
            dnnl_primitive_attr_set_fpmath_mode_v2(get(), convert_to_c(mode), apply_to_int),
            "cannot set the fpmath mode attribute");
    }

    /// Type of partial sums.
    accumulation_mode get_accumulation_mode() const {
        dnnl_accumulation_mode_t mode = dnnl_accumulation_mode_strict;
        error::wrap_c_api(dnnl_primitive_attr_get_accumulation_mode(get(), &mode),
            "cannot get the accumulation mode attribute");
        return static_cast<accumulation_mode>(mode);
    }
    /// Sets the type of partial sums.
    void set_accumulation_mode(accumulation_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_accumulation_mode(get(), convert_to_c(mode)),
            "cannot set the accumulation mode attribute");
    }

    /// Whether results must be bitwise reproducible.
    bool get_deterministic() const {
        int value = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_deterministic(get(), &value),
            "cannot get the deterministic attribute");
        return value != 0;
    }
    /// Asks for bitwise reproducible results.
    void set_deterministic(bool value) {
        error::wrap_c_api(dnnl_primitive_attr_set_deterministic(get(), value),
            "cannot set the deterministic attribute");
    }

    /// Rounding of argument `arg`.
    rounding_mode get_rounding_mode(int arg) const {
        dnnl_rounding_mode_t mode = dnnl_rounding_mode_environment;
        error::wrap_c_api(dnnl_primitive_attr_get_rounding(get(), arg, &mode),
            "cannot get the rounding mode attribute");
        return static_cast<rounding_mode>(mode);
    }
    /// Sets the rounding of argument DNNL_ARG_DST, DNNL_ARG_DIFF_SRC or DNNL_ARG_DIFF_WEIGHTS.
    /// Stochastic rounding takes its seed (s32) from argument DNNL_ARG_ATTR_ROUNDING_SEED of
    /// execute().
    void set_rounding_mode(int arg, rounding_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_rounding(get(), arg, convert_to_c(mode)),
            "cannot set the rounding mode attribute");
    }

    /// Who provides the scratchpad.
    scratchpad_mode get_scratchpad_mode() const {
        dnnl_scratchpad_mode_t mode = dnnl_scratchpad_mode_library;
        error::wrap_c_api(dnnl_primitive_attr_get_scratchpad_mode(get(), &mode),
            "cannot get the scratchpad mode attribute");
        return static_cast<scratchpad_mode>(mode);
    }
    /// In user mode, execute() needs a memory of scratchpad_desc() as DNNL_ARG_SCRATCHPAD.
    void set_scratchpad_mode(scratchpad_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_scratchpad_mode(get(), convert_to_c(mode)),
            "cannot set the scratchpad mode attribute");
    }

    /// Scales for argument `arg`: real value = scale * stored value; sources and weights are
    /// multiplied, dst is divided. The f32 values are passed to execute() as DNNL_ARG_ATTR_SCALES |
    /// arg, one for each index of the dimensions whose bits the mask has: weights [K, N] with a
    /// scale per column need mask 2 and a memory of {N}. Throws invalid_arguments for a negative
    /// mask or an argument that takes no scales.
    void set_scales_mask(int arg, int mask) {
        error::wrap_c_api(dnnl_primitive_attr_set_scales_mask(get(), arg, mask),
            "cannot set the scales attribute");
    }

    /// Scales of another type (f32, f16, bf16; e8m0, f8_e4m3 with a mask other than 0) and, unless
    /// empty, with one value per group: groups = {elements along the last but one, along the last
    /// dimension}. The mask must name every dimension along which the values differ. Their memory
    /// has the extents of these dimensions, divided by the groups, dense and row-major: weights
    /// [K, N] with groups {g, 1} need mask 3 and a memory {K / g, N} in the layout ab, or the same
    /// values as one vector. execute() refuses other shapes and layouts. Values on the host are one
    /// for the tensor. In a dynamic mode the scales, of DNNL_ARG_DST, are an output.
    void set_scales(int arg, int mask, const memory::dims &groups,
        memory::data_type data_type = memory::data_type::f32, bool is_on_host = false,
        quantization_mode qmode = quantization_mode::static_sazp) {
        error::wrap_c_api(
            dnnl_primitive_attr_set_scales_v3(get(), arg, mask, static_cast<int>(groups.size()),
                groups.empty() ? nullptr : groups.data(), memory::convert_to_c(data_type),
                is_on_host, convert_to_c(qmode)),
            "cannot set the scales attribute");
    }
    /// One scale for the tensor, given to execute() as a host scalar.
    void set_host_scale(int arg, memory::data_type data_type = memory::data_type::f32) {
        set_scales(arg, 0, {}, data_type, true);
    }

    /// Zero points for argument DNNL_ARG_SRC, _WEIGHTS or _DST: the stored value that means 0. The
    /// s32 values are passed to execute() as DNNL_ARG_ATTR_ZERO_POINTS | arg. Throws
    /// invalid_arguments for a negative mask or another argument.
    void set_zero_points_mask(int arg, int mask) {
        error::wrap_c_api(dnnl_primitive_attr_set_zero_points_mask(get(), arg, mask),
            "cannot set the zero points attribute");
    }

    /// Zero points of another type (s32, s8, u8; s4, u4 with a mask other than 0) and with groups;
    /// mask, groups, shape and order of the values, and those on the host, are as in set_scales().
    void set_zero_points(int arg, int mask, const memory::dims &groups,
        memory::data_type data_type = memory::data_type::s32, bool is_on_host = false) {
        error::wrap_c_api(
            dnnl_primitive_attr_set_zero_points_v2(get(), arg, mask,
                static_cast<int>(groups.size()), groups.empty() ? nullptr : groups.data(),
                memory::convert_to_c(data_type), is_on_host),
            "cannot set the zero points attribute");
    }
    /// One zero point for the tensor, given to execute() as a host scalar.
    void set_host_zero_point(int arg, memory::data_type data_type = memory::data_type::s32) {
        set_zero_points(arg, 0, {}, data_type, true);
    }

    /// Sums of src over groups of K that the user has already: execute() takes them, s32 {M, K /
    /// groups[1]}, as DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC and trusts them.
    void set_precomputed_reductions(int arg, int mask, const memory::dims &groups,
        memory::data_type data_type = memory::data_type::s32) {
        error::wrap_c_api(
            dnnl_primitive_attr_set_precomputed_reductions(get(), arg, mask,
                static_cast<int>(groups.size()), groups.empty() ? nullptr : groups.data(),
                memory::convert_to_c(data_type)),
            "cannot set the precomputed reductions attribute");
    }

    /// A copy of the post-ops.
    post_ops get_post_ops() const {
        const_dnnl_post_ops_t borrowed = nullptr;
        error::wrap_c_api(
            dnnl_primitive_attr_get_post_ops(get(), &borrowed), "cannot get the post-ops");
        dnnl_post_ops_t copy = nullptr;
        error::wrap_c_api(dnnl_post_ops_clone(&copy, borrowed), "cannot copy post-ops");
        return post_ops(copy);
    }

    /// Replaces the post-ops by a copy of `ops`.
    void set_post_ops(const post_ops ops) {
        error::wrap_c_api(
            dnnl_primitive_attr_set_post_ops(get(), ops.get()), "cannot set the post-ops");
    }

    /// Quantization of u8 and s8 RNN data: real value = (stored value - shift) / scale. For an RNN
    /// and for reorders that make its data, of three or four dimensions, from f32, or f32 from
    /// them.
    void set_rnn_data_qparams(float scale, float shift) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_data_qparams(get(), scale, shift),
            "cannot set the quantization parameters of RNN data");
    }
    /// The values that set_rnn_data_qparams() set.
    void get_rnn_data_qparams(float &scale, float &shift) {
        float c_scale = 1.f, c_shift = 0.f;
        error::wrap_c_api(dnnl_primitive_attr_get_rnn_data_qparams(get(), &c_scale, &c_shift),
            "cannot get the quantization parameters of RNN data");
        scale = c_scale;
        shift = c_shift;
    }

    /// Quantization of s8 RNN weights: real value = stored value / scale. Mask 0, or 24 for a scale
    /// per gate and output channel. For an RNN and for reorders of weights, of five dimensions.
    void set_rnn_weights_qparams(int mask, const std::vector<float> &scales) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_weights_qparams(
                              get(), static_cast<memory::dim>(scales.size()), mask, scales.data()),
            "cannot set the quantization parameters of RNN weights");
    }
    /// The values that set_rnn_weights_qparams() set.
    void get_rnn_weights_qparams(int &mask, std::vector<float> &scales) {
        get_scales(dnnl_primitive_attr_get_rnn_weights_qparams, mask, scales,
            "cannot get the quantization parameters of RNN weights");
    }

    /// The same for the projection weights of an LSTM. Mask 0, or 8 for a scale per output channel.
    /// Four dimensions may be states or these weights: a reorder takes s8 for weights where the
    /// layout is one that an RNN chose or is blocked, or where no quantization of data is set.
    void set_rnn_weights_projection_qparams(int mask, const std::vector<float> &scales) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_weights_projection_qparams(
                              get(), static_cast<memory::dim>(scales.size()), mask, scales.data()),
            "cannot set the quantization parameters of RNN projection weights");
    }
    /// The values that set_rnn_weights_projection_qparams() set.
    void get_rnn_weights_projection_qparams(int &mask, std::vector<float> &scales) {
        get_scales(dnnl_primitive_attr_get_rnn_weights_projection_qparams, mask, scales,
            "cannot get the quantization parameters of RNN projection weights");
    }

  private:
    typedef dnnl_status_t scales_getter(
        const_dnnl_primitive_attr_t, dnnl_dim_t *, int *, const float **);

    void get_scales(
        scales_getter *getter, int &mask, std::vector<float> &scales, const char *what) {
        dnnl_dim_t count = 0;
        int c_mask = 0;
        const float *values = nullptr;
        error::wrap_c_api(getter(get(), &count, &c_mask, &values), what);
        scales.assign(values, values + count);
        mask = c_mask;
    }
};

/// What a constructor takes when the user gives no attributes: the defaults at that moment.
inline const primitive_attr &default_attr() {
    static const primitive_attr none(nullptr, true);
    return none;
}

/// @cond
namespace detail {
// Attributes for a C call. default_attr() holds no object and becomes null, so that the defaults,
// the process-wide fpmath mode among them, are those of the call.
inline const_dnnl_primitive_attr_t to_c(const primitive_attr &attr) {
    return attr.get(&attr == &default_attr());
}
} // namespace detail
/// @endcond

} // namespace dnnl

#endif
