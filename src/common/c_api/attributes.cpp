// SPDX-License-Identifier: Apache-2.0
// C entry points: primitive attributes, chains of post-ops.

#include <algorithm>

#include "common/c_api/guard.hpp"
#include "common/descriptors/mappings/mappings.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl_ext.h"

namespace {
void require_rounded(int arg) {
    require(arg == DNNL_ARG_DIFF_SRC || arg == DNNL_ARG_DIFF_WEIGHTS || arg == DNNL_ARG_DST,
        "arg: rounding can be chosen for DST, DIFF_SRC and DIFF_WEIGHTS");
}

bool can_have_zero_points(int arg) {
    constexpr int all[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS_0, DNNL_ARG_WEIGHTS_1,
        DNNL_ARG_WEIGHTS_2, DNNL_ARG_DST};
    return std::ranges::find(all, arg) != std::end(all);
}

bool can_have_scales(int arg) {
    if (arg >= DNNL_ARG_MULTIPLE_SRC && arg < DNNL_ARG_MULTIPLE_DST) return true;
    const int fused = arg & ~DNNL_ARG_ATTR_POST_OP_DW; // of a fused depthwise convolution
    if (fused != arg)
        return fused == DNNL_ARG_SRC || fused == DNNL_ARG_WEIGHTS || fused == DNNL_ARG_DST;
    return arg == DNNL_ARG_SRC_1 || can_have_zero_points(arg);
}

/// The parameters of a call that sets scales, zero points or sums.
struct passed_entry {
    int arg, mask, ndims;
    const dnnl_dim_t *group_dims;
    dnnl_data_type_t type;
    int is_on_host = 0;
    dnnl_quantization_mode_t mode = dnnl_quantization_mode_static_sazp;
};

/// Makes an entry of the parameters, whose mask and groups it checks; callers check all the rest.
impl::quantization make_entry(const passed_entry &p) {
    require(p.mask >= 0, "mask: must not be negative");
    require(p.ndims == 0 || p.ndims == 2, "ndims: groups cover the last two dimensions");
    require(p.ndims == 0 || p.group_dims != nullptr, "group_dims: NULL beside groups");
    for (int d = 0; d < p.ndims; ++d) require(p.group_dims[d] > 0, "group_dims: must be positive");
    require(p.ndims == 0 || p.mask > 0, "mask: groups need one that names a dimension");
    require(!p.is_on_host || (p.mask == 0 && p.ndims == 0),
        "is_on_host: a value on the host is one for the whole tensor");
    impl::quantization entry {
        p.arg, p.mask, p.ndims, {1, 1}, static_cast<data_type>(p.type), p.is_on_host != 0, p.mode};
    std::copy_n(p.group_dims, p.ndims, entry.group_dims.begin());
    return entry;
}

impl::rnn_scales scales_of(dnnl_dim_t count, int mask, const float *scales) {
    require(count > 0, "count: must be positive");
    require(mask >= 0, "mask: must not be negative");
    require(scales, "scales: must not be NULL");
    if (count == 1 && mask == 0 && *scales == 1) return {}; // the default
    return {mask, {scales, scales + count}};
}

bool has_entry(const_dnnl_post_ops_t post_ops, int index) {
    return post_ops && index >= 0 && index < static_cast<int>(post_ops->entries.size());
}

void append(dnnl_post_ops_t post_ops, const impl::post_op &entry) {
    if (post_ops->entries.size() >= dnnl_post_ops::max_count)
        throw error(dnnl_out_of_memory, "post_ops: the chain is full (32 entries)");
    post_ops->entries.push_back(entry);
}

/// The entry at `index`, which must be of type T.
template <class T> const T &entry_at(const_dnnl_post_ops_t post_ops, int index) {
    require(post_ops, "post_ops: must not be NULL");
    require(has_entry(post_ops, index), "index: beyond the chain");
    const T *entry = std::get_if<T>(&post_ops->entries[std::size_t(index)]);
    require(entry, "index: the entry is of another kind");
    return *entry;
}

/// Outputs may be NULL where the caller does not ask for them.
template <class T> void give(T *out, T value) {
    if (out) *out = value;
}

void give_scales(const impl::rnn_scales &set, dnnl_dim_t *count, int *mask, const float **scales) {
    static constexpr float one = 1;
    give(count, set.values.empty() ? 1 : static_cast<dnnl_dim_t>(set.values.size()));
    give(mask, set.mask);
    give(scales, set.values.empty() ? &one : set.values.data());
}

dnnl_data_type_t public_type(data_type type) { return static_cast<dnnl_data_type_t>(type); }

/// A source of a binary post-op, which `name` calls.
const impl::memory_desc &checked_source(const_dnnl_memory_desc_t md, const char *name) {
    const std::string prefix = std::string(name) + ": ";
    require(md, prefix + "must not be NULL");
    require(!md->is_zero(), prefix + "must not be the zero descriptor");
    require(!md->has_runtime(),
        prefix + "dimensions and strides of a post-op must be known when it is appended, "
                 "none may be DNNL_RUNTIME_DIM_VAL");
    require(!md->is_sparse() && !md->is_host_scalar(), prefix + "it must be a dense tensor");
    return *md;
}
} // namespace

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr) {
    return guarded({{attr, "attr"}}, [&] {
        auto *made = new dnnl_primitive_attr;
        made->fpmath = impl::default_fpmath_mode();
        *attr = made;
    });
}

dnnl_status_t dnnl_primitive_attr_clone(
    dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr) {
    return guarded({{attr, "attr"}, {existing_attr, "existing_attr"}},
        [&] { *attr = new dnnl_primitive_attr(*existing_attr); });
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr) { return destroyed(attr); }

// ---- Modes ----

dnnl_status_t dnnl_primitive_attr_get_dropout(
    const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc) {
    return dnnl_primitive_attr_get_dropout_v2(attr, mask_desc, nullptr, nullptr, nullptr);
}

dnnl_status_t dnnl_primitive_attr_set_dropout(
    dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc) {
    return dnnl_primitive_attr_set_dropout_v2(attr, mask_desc, dnnl_s32, 0, 0);
}

dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
    const_dnnl_memory_desc_t *mask_desc, dnnl_data_type_t *seed_dt, int *use_offset,
    int *use_host_scalars) {
    return guarded({{attr, "attr"}}, [&] {
        const impl::dropout_params &set = attr->dropout;
        if (mask_desc) *mask_desc = &set.mask;
        if (seed_dt) *seed_dt = static_cast<dnnl_data_type_t>(set.seed_type);
        if (use_offset) *use_offset = set.use_offset;
        if (use_host_scalars) *use_host_scalars = set.on_host;
    });
}

dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
    const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt, int use_offset,
    int use_host_scalars) {
    return guarded({{attr, "attr"}, {mask_desc, "mask_desc"}}, [&] {
        require(mask_desc->is_zero() || mask_desc->dtype == data_type::u8,
            "mask_desc: its data type must be u8");
        require(seed_dt == dnnl_s32 || seed_dt == dnnl_s64, "seed_dt: must be s32 or s64");
        attr->dropout = {true, *mask_desc, static_cast<data_type>(seed_dt), use_offset != 0,
            use_host_scalars != 0};
    });
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode) {
    return guarded({{attr, "attr"}, {mode, "mode"}}, [&] { *mode = attr->fpmath; });
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode) {
    return dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    return guarded({{attr, "attr"}}, [&] {
        if (mode) *mode = attr->fpmath;
        if (apply_to_int) *apply_to_int = attr->fpmath_apply_to_int;
    });
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int) {
    return guarded({{attr, "attr"}}, [&] {
        require(mode >= dnnl_fpmath_mode_strict && mode <= dnnl_fpmath_mode_tf32,
            "mode: not a math mode");
        attr->fpmath = mode;
        attr->fpmath_apply_to_int = apply_to_int != 0;
    });
}

dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int *value) {
    return guarded({{attr, "attr"}, {value, "value"}}, [&] { *value = int {attr->deterministic}; });
}

dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value) {
    return guarded({{attr, "attr"}}, [&] { attr->deterministic = value != 0; });
}

dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
    const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode) {
    return guarded({{attr, "attr"}, {mode, "mode"}}, [&] { *mode = attr->accumulation; });
}

dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
    dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode) {
    return guarded({{attr, "attr"}}, [&] {
        require(mode >= dnnl_accumulation_mode_strict && mode <= dnnl_accumulation_mode_f16,
            "mode: not an accumulation mode");
        attr->accumulation = mode;
    });
}

dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
    const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode) {
    return guarded({{attr, "attr"}, {mode, "mode"}}, [&] { *mode = attr->scratchpad; });
}

dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
    dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode) {
    return guarded({{attr, "attr"}}, [&] {
        require(mode == dnnl_scratchpad_mode_library || mode == dnnl_scratchpad_mode_user,
            "mode: not a scratchpad mode");
        attr->scratchpad = mode;
    });
}

// ---- Rounding ----

dnnl_status_t dnnl_primitive_attr_set_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode) {
    return guarded({{attr, "attr"}}, [&] {
        require_rounded(arg);
        require(mode == dnnl_rounding_mode_environment || mode == dnnl_rounding_mode_stochastic,
            "mode: not a rounding mode");
        auto &stochastic = attr->stochastic_rounding;
        std::erase(stochastic, arg);
        if (mode == dnnl_rounding_mode_stochastic) stochastic.push_back(arg);
        std::ranges::sort(stochastic);
    });
}

dnnl_status_t dnnl_primitive_attr_get_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode) {
    return guarded({{attr, "attr"}, {mode, "mode"}}, [&] {
        require_rounded(arg);
        const bool found = std::ranges::count(attr->stochastic_rounding, arg) > 0;
        *mode = found ? dnnl_rounding_mode_stochastic : dnnl_rounding_mode_environment;
    });
}

// ---- Post-ops ----

dnnl_status_t dnnl_primitive_attr_get_post_ops(
    const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops) {
    return guarded({{attr, "attr"}, {post_ops, "post_ops"}}, [&] { *post_ops = &attr->post_ops; });
}

dnnl_status_t dnnl_primitive_attr_set_post_ops(
    dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops) {
    return guarded({{attr, "attr"}, {post_ops, "post_ops"}}, [&] { attr->post_ops = *post_ops; });
}

// ---- Scales and zero points ----

dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask) {
    return dnnl_primitive_attr_set_scales(attr, arg, mask, 0, nullptr, dnnl_f32);
}

dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
    int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t type) {
    return dnnl_primitive_attr_set_scales_v2(attr, arg, mask, group_ndims, group_dims, type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask,
    int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t type, int is_on_host) {
    return dnnl_primitive_attr_set_scales_v3(
        attr, arg, mask, ndims, group_dims, type, is_on_host, dnnl_quantization_mode_static_sazp);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask,
    int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t type, int is_on_host,
    dnnl_quantization_mode_t qmode) {
    return guarded({{attr, "attr"}}, [&] {
        const auto scale_type = static_cast<data_type>(type);
        require(can_have_scales(arg), "arg: this argument takes no scales");
        require(qmode >= dnnl_quantization_mode_static_sazp &&
                    qmode <= dnnl_quantization_mode_dynamic_fp,
            "qmode: not a quantization mode");
        require(impl::is_scale_type(scale_type), "data_type: not a type of scales");
        const bool is_small = scale_type == data_type::e8m0 || scale_type == data_type::f8_e4m3;
        require(!is_small || mask > 0,
            "mask: scales of e8m0 or f8_e4m3 are those of groups, and 0 means one for the whole "
            "tensor; for all dimensions of a matrix it is 3");
        attr->scales.set(make_entry({arg, mask, ndims, group_dims, type, is_on_host, qmode}));
    });
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(
    dnnl_primitive_attr_t attr, int arg, int mask) {
    return dnnl_primitive_attr_set_zero_points(attr, arg, mask, 0, nullptr, dnnl_s32);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask,
    int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t type) {
    return dnnl_primitive_attr_set_zero_points_v2(attr, arg, mask, ndims, group_dims, type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask,
    int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t type, int is_on_host) {
    return guarded({{attr, "attr"}}, [&] {
        const auto value_type = static_cast<data_type>(type);
        require(impl::is_integer(value_type), "data_type: not a type of zero points");
        require(can_have_zero_points(arg), "arg: this argument takes no zero points");
        const bool of_4_bits = value_type == data_type::s4 || value_type == data_type::u4;
        require(!of_4_bits || mask > 0, "mask: one zero point for a tensor is s32, s8 or u8");
        const bool small_or_grouped = value_type != data_type::s32 || ndims != 0;
        require(!small_or_grouped || (arg != DNNL_ARG_DST && arg != DNNL_ARG_SRC_2),
            "data_type: zero points of this argument are s32, without groups");
        attr->zero_points.set(make_entry({arg, mask, ndims, group_dims, type, is_on_host}));
    });
}

dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg,
    int mask, int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t type) {
    return guarded({{attr, "attr"}}, [&] {
        require(arg == DNNL_ARG_SRC, "arg: sums are taken of SRC alone");
        require(type == dnnl_s32, "data_type: sums are s32");
        attr->reductions.set(make_entry({arg, mask, group_ndims, group_dims, type}));
    });
}

// ---- Quantization of RNN ----

dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(
    dnnl_primitive_attr_t attr, const float scale, const float shift) {
    return guarded({{attr, "attr"}}, [&] {
        attr->rnn.data_scale = scale;
        attr->rnn.data_shift = shift;
    });
}

dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(
    const_dnnl_primitive_attr_t attr, float *scale, float *shift) {
    return guarded({{attr, "attr"}}, [&] {
        if (scale) *scale = attr->rnn.data_scale;
        if (shift) *shift = attr->rnn.data_shift;
    });
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(
    dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales) {
    return guarded({{attr, "attr"}}, [&] { attr->rnn.weights = scales_of(count, mask, scales); });
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(
    const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales) {
    return guarded({{attr, "attr"}}, [&] { give_scales(attr->rnn.weights, count, mask, scales); });
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(
    dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales) {
    return guarded(
        {{attr, "attr"}}, [&] { attr->rnn.projection = scales_of(count, mask, scales); });
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
    const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales) {
    return guarded(
        {{attr, "attr"}}, [&] { give_scales(attr->rnn.projection, count, mask, scales); });
}

dnnl_status_t dnnl_primitive_attr_set_rnn_tparams(
    dnnl_primitive_attr_t attr, bool mode, dnnl_dim_t, const float *, float) {
    return guarded({{attr, "attr"}}, [&] {
        require_implemented(
            !mode, "rnn_tparams: activations are those of the primitive, never products");
    });
}

// ---- Chains of post-ops ----

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops) {
    return guarded({{post_ops, "post_ops"}}, [&] { *post_ops = new dnnl_post_ops; });
}

dnnl_status_t dnnl_post_ops_clone(dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing) {
    return guarded({{post_ops, "post_ops"}, {existing, "existing_post_ops"}},
        [&] { *post_ops = new dnnl_post_ops(*existing); });
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops) { return destroyed(post_ops); }

int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops) {
    return post_ops ? static_cast<int>(post_ops->entries.size()) : 0;
}

dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index) {
    // The kinds stand in the order of the alternatives of impl::post_op.
    constexpr dnnl_primitive_kind_t kinds[] = {
        dnnl_eltwise, dnnl_sum, dnnl_binary, dnnl_prelu, dnnl_convolution};
    static_assert(std::size(kinds) == std::variant_size_v<impl::post_op>);
    if (!has_entry(post_ops, index)) return dnnl_undefined_primitive;
    return kinds[post_ops->entries[std::size_t(index)].index()];
}

dnnl_status_t dnnl_post_ops_append_sum(
    dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t type) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        append(post_ops, impl::sum_post_op {scale, zero_point, static_cast<data_type>(type)});
    });
}

dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float *scale,
    int32_t *zero_point, dnnl_data_type_t *type) {
    return guarded([&] {
        const auto &entry = entry_at<impl::sum_post_op>(post_ops, index);
        give(scale, entry.scale);
        give(zero_point, entry.zero_point);
        give(type, public_type(entry.dtype));
    });
}

dnnl_status_t dnnl_post_ops_append_eltwise(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg, float alpha, float beta) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(impl::is_eltwise_algorithm(alg), "alg_kind: not an eltwise algorithm");
        require(!impl::is_clip(alg) || alpha <= beta, "alpha: clip needs alpha <= beta");
        append(post_ops, impl::eltwise_post_op {alg, alpha, beta});
    });
}

dnnl_status_t dnnl_post_ops_get_params_eltwise(
    const_dnnl_post_ops_t post_ops, int index, dnnl_alg_kind_t *alg, float *alpha, float *beta) {
    return guarded([&] {
        const auto &entry = entry_at<impl::eltwise_post_op>(post_ops, index);
        give(alg, entry.alg);
        give(alpha, entry.alpha);
        give(beta, entry.beta);
    });
}

dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_type,
    dnnl_data_type_t bias_type, dnnl_data_type_t dst_type, dnnl_dim_t kernel, dnnl_dim_t stride,
    dnnl_dim_t padding_l) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(weights_type != dnnl_data_type_undef, "weights_data_type: must not be undef");
        require(dst_type != dnnl_data_type_undef, "dst_data_type: must not be undef");
        require(kernel > 0, "kernel_size: must be positive");
        require(stride > 0, "stride_size: must be positive");
        require(padding_l >= 0, "padding_l_size: must not be negative");
        append(post_ops, impl::depthwise_post_op {static_cast<data_type>(weights_type),
                             static_cast<data_type>(bias_type), static_cast<data_type>(dst_type),
                             kernel, stride, padding_l});
    });
}

dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
    dnnl_data_type_t *weights_type, dnnl_data_type_t *bias_type, dnnl_data_type_t *dst_type,
    dnnl_dim_t *kernel, dnnl_dim_t *stride, dnnl_dim_t *padding_l) {
    return guarded([&] {
        const auto &entry = entry_at<impl::depthwise_post_op>(post_ops, index);
        give(weights_type, public_type(entry.weights_type));
        give(bias_type, public_type(entry.bias_type));
        give(dst_type, public_type(entry.dst_type));
        give(kernel, entry.kernel);
        give(stride, entry.stride);
        give(padding_l, entry.padding_l);
    });
}

dnnl_status_t dnnl_post_ops_append_binary(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src1_desc) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(impl::is_binary_algorithm(alg) && alg != dnnl_binary_select,
            "alg_kind: not a binary algorithm of two sources");
        append(post_ops, impl::binary_post_op {alg, checked_source(src1_desc, "src1_desc")});
    });
}

dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg,
    const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(impl::is_binary_algorithm(alg), "alg_kind: not a binary algorithm");
        impl::binary_post_op entry {alg, checked_source(src1_desc, "src1_desc")};
        if (entry.selects()) {
            entry.src2 = checked_source(src2_desc, "src2_desc");
            require(entry.src2.dtype == data_type::s8, "src2_desc: its type must be s8");
        }
        append(post_ops, entry);
    });
}

dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg, const_dnnl_memory_desc_t *src1_desc) {
    return dnnl_post_ops_get_params_binary_v2(post_ops, index, alg, src1_desc, nullptr);
}

dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg, const_dnnl_memory_desc_t *src1_desc,
    const_dnnl_memory_desc_t *src2_desc) {
    return guarded([&] {
        const auto &entry = entry_at<impl::binary_post_op>(post_ops, index);
        give(alg, entry.alg);
        give(src1_desc, static_cast<const_dnnl_memory_desc_t>(&entry.src1));
        give(src2_desc, static_cast<const_dnnl_memory_desc_t>(&entry.src2));
    });
}

dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask) {
    return guarded({{post_ops, "post_ops"}}, [&] {
        require(mask >= 0, "mask: must not be negative");
        append(post_ops, impl::prelu_post_op {mask});
    });
}

dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int *mask) {
    return guarded([&] { give(mask, entry_at<impl::prelu_post_op>(post_ops, index).mask); });
}
