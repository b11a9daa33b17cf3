// SPDX-License-Identifier: Apache-2.0
// What the parameters of 8-bit networks mean, for networks and for reorders of their tensors.
#include "common/descriptors/rnn.hpp"

#include <bit>

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

namespace {
[[noreturn]] void refuse_parameters(dnnl_status_t status, const std::string &what) {
    throw error(status, "rnn_qparams: " + what);
}

/// True for a value that would arrive with the execution, which no network offers.
bool is_runtime(float value) {
    return std::bit_cast<std::uint32_t>(value) == DNNL_RUNTIME_F32_VAL_REP.u;
}

/// per_channel says that the mask asks for one scale per channel and may do so.
void check_scales(const rnn_scales &scales, bool per_channel, dim_t channels, const char *of) {
    const auto given = dim_t(scales.values.size());
    if (scales.mask != 0 && !per_channel)
        refuse_parameters(dnnl_unimplemented,
            fmt::format("mask {} of the scales of {} is not offered", scales.mask, of));
    if (given > 0 && is_runtime(scales.values.front()))
        refuse_parameters(
            dnnl_unimplemented, fmt::format("scales of {} known at execution only", of));
    if (scales.mask != 0 && given < channels)
        refuse_parameters(dnnl_invalid_arguments,
            fmt::format(
                "the mask of the scales of {} asks for {}, given are {}", of, channels, given));
}
void check_data_parameters(const rnn_quantization &q) {
    if (is_runtime(q.data_scale) || is_runtime(q.data_shift))
        refuse_parameters(dnnl_unimplemented, "scale or shift of data known at execution only");
}

void check_weights_scales(const rnn_quantization &q, dim_t channels) {
    check_scales(q.weights, q.weights.mask == 24, channels, "weights");
}

void check_projection_scales(const rnn_quantization &q, dim_t channels) {
    const bool per_channel = q.projection.mask == 8 || q.projection.mask == 16;
    check_scales(q.projection, per_channel, channels, "weights_projection");
}

enum class tensor_kind { unchanged, data, weights, projection };

const memory_desc &coded_side(const reorder_desc &op) {
    return is_int8(op.dst.dtype) ? op.dst : op.src;
}

tensor_kind kind_of_tensor(const reorder_desc &op, const rnn_quantization &q) {
    if (op.src.dtype == op.dst.dtype) return tensor_kind::unchanged;
    const memory_desc &md = coded_side(op);
    if (md.ndims == 5) return tensor_kind::weights;
    if (md.ndims != 4 || md.dtype != data_type::s8) return tensor_kind::data;
    const bool packed = md.column_sums_mask || (md.inner_nblks > 0 && !q.projection.values.empty());
    return packed || !q.has_data() ? tensor_kind::projection : tensor_kind::data;
}
} // namespace

void check_quantization(const rnn_desc &desc, const rnn_quantization &q) {
    if (q.is_default())
        refuse_parameters(dnnl_unimplemented, "a network with 8-bit tensors needs them");
    const rnn_shape s = shape_of(desc);
    check_data_parameters(q);
    check_weights_scales(q, s.G * s.DHC);
    check_projection_scales(q, s.DIC);
}

// ---- Reorders ----

rnn_quantization parameters_of(const reorder_desc &op, const rnn_quantization &q) {
    switch (kind_of_tensor(op, q)) {
    case tensor_kind::data: return {q.data_scale, q.data_shift};
    case tensor_kind::weights: return {.weights = q.weights};
    case tensor_kind::projection: return {.projection = q.projection};
    default: return {};
    }
}

reorder_values values_of(const reorder_desc &op, const rnn_quantization &q) {
    const rnn_quantization kept = parameters_of(op, q);
    reorder_values values;
    if (kept.is_default()) return values;
    const bool quantizes = is_int8(op.dst.dtype);
    std::vector<float> &scale = quantizes ? values.src_scale : values.dst_scale;
    const int last = coded_side(op).ndims - 1;
    if (!kept.weights.values.empty()) {
        scale = kept.weights.values;
        values.mask = kept.weights.mask ? 1 << last | 1 << (last - 1) : 0;
    } else if (!kept.projection.values.empty()) {
        scale = kept.projection.values;
        values.mask = kept.projection.mask ? 1 << last : 0;
    } else {
        scale = {kept.data_scale};
        (quantizes ? values.dst_zero_point : values.src_zero_point) = {kept.data_shift};
    }
    return values;
}

void check_reorder_quantization(const reorder_desc &op, const rnn_quantization &q) {
    const auto implemented = [](bool condition, const char *what) {
        if (!condition)
            throw error(dnnl_unimplemented, std::string("reorder: rnn_qparams: ") + what);
    };
    const data_type from = op.src.dtype, to = op.dst.dtype;
    implemented((from == to && is_int8(to)) || (from == data_type::f32 && is_int8(to)) ||
                    (is_int8(from) && to == data_type::f32),
        "they are for reorders between f32 and s8 or u8");
    implemented(!op.src.has_runtime() && !op.dst.has_runtime(), "run-time dimensions");
    const memory_desc &coded = coded_side(op);
    implemented(coded.ndims >= 3 && coded.ndims <= 5,
        "data has three or four dimensions, weights have four or five");
    implemented(coded.ndims < 5 || coded.dtype == data_type::s8, "8-bit weights are s8");
    switch (kind_of_tensor(op, q)) {
    case tensor_kind::unchanged: break;
    case tensor_kind::data: check_data_parameters(q); break;
    case tensor_kind::weights: check_weights_scales(q, coded.dims[3] * coded.dims[4]); break;
    case tensor_kind::projection: check_projection_scales(q, coded.dims[3]); break;
    }
}

} // namespace dnnl::impl
