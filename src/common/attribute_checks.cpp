// SPDX-License-Identifier: Apache-2.0
// The table of attributes per primitive, and the checks of masks, groups and post-ops against it.
#include "common/attribute_checks.hpp"

#include <string>

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/error.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

namespace {
/// Kinds of post-ops, bits.
enum post_op_kinds : unsigned { no_post_ops = 0, sums = 1, eltwises = 2, binaries = 4, prelus = 8 };

/// What a primitive kind takes in forward propagation.
struct offered {
    unsigned post_ops = no_post_ops;
    bool scales = false, zero_points = false;
    bool integer_only = false; ///< scales and zero points: with an 8-bit tensor only
    bool groups = false;
};
offered offered_by(dnnl_primitive_kind_t kind) {
    switch (kind) {
    case dnnl_convolution: return {sums | eltwises | binaries | prelus, true, true, true, false};
    case dnnl_inner_product: return {sums | eltwises | binaries | prelus, true, false, true, false};
    case dnnl_matmul: return {sums | eltwises | binaries | prelus, true, true, false, true};
    case dnnl_eltwise: return {binaries, false, false, false, false};
    case dnnl_binary: return {sums | eltwises | binaries, true, false, false, false};
    case dnnl_pooling: return {eltwises | binaries, false, false, false, false};
    case dnnl_softmax: return {eltwises | binaries, true, false, true, false};
    case dnnl_reorder: return {sums, true, true, false, false};
    case dnnl_concat: return {no_post_ops, true, false, false, false};
    default: return {};
    }
}

class checker {
  public:
    checker(const op_desc &op, const primitive_attr &attr)
        : op_(op), attr_(attr), kind_(kind_of(op)), dst_(destination_of(op)),
          arguments_(arguments_of(const_cast<op_desc &>(op))) {}

    void run() const {
        check_modes();
        const bool any_quantization = !attr_.scales.empty() || !attr_.zero_points.empty();
        if (attr_.post_ops.entries.empty() && !any_quantization) return;
        const dnnl_prop_kind_t prop = prop_of(op_);
        implemented(prop == dnnl_prop_kind_undef || is_forward(prop), "attributes",
            "backward propagation takes no scales, zero points or post-ops");
        const offered offer = offered_by(kind_);
        for (const quantization &q : attr_.scales.entries()) check_scales(q, offer);
        for (const quantization &q : attr_.zero_points.entries()) check_zero_points(q, offer);
        for (std::size_t i = 0; i < attr_.post_ops.entries.size(); ++i) check_post_op(i, offer);
    }

  private:
    [[noreturn]] void refuse(dnnl_status_t status, const char *attribute, const char *what) const {
        throw error(
            status, std::string(dnnl_prim_kind2str(kind_)) + ": " + attribute + ": " + what);
    }
    void implemented(bool condition, const char *attribute, const char *what) const {
        if (!condition) refuse(dnnl_unimplemented, attribute, what);
    }
    void valid(bool condition, const char *attribute, const char *what) const {
        if (!condition) refuse(dnnl_invalid_arguments, attribute, what);
    }
    const memory_desc *tensor(int arg) const {
        for (const tensor_argument &a : arguments_)
            if (a.arg == arg) return a.md;
        return nullptr;
    }
    bool has_8_bit_source() const {
        for (const tensor_argument &a : arguments_)
            if (!a.is_output && is_int8(a.md->dtype)) return true;
        return false;
    }

    void check_modes() const;
    void check_mask(const quantization &q, const char *attribute, const offered &offer) const;
    void check_scales(const quantization &q, const offered &offer) const;
    void check_zero_points(const quantization &q, const offered &offer) const;
    bool takes_scale_mask(const quantization &q) const;
    bool takes_zero_point_mask(const quantization &q) const;
    int output_channel_mask() const;

    void check_post_op(std::size_t index, const offered &offer) const;
    void check(const sum_post_op &op, std::size_t index) const;
    void check(const binary_post_op &op, std::size_t index) const;
    void check(const prelu_post_op &op, std::size_t index) const;
    void check(const eltwise_post_op &, std::size_t) const {}
    void check(const depthwise_post_op &, std::size_t) const {
        implemented(false, "post_ops", "a fused depthwise convolution has no implementation");
    }

    const op_desc &op_;
    const primitive_attr &attr_;
    dnnl_primitive_kind_t kind_;
    const memory_desc &dst_;
    std::vector<tensor_argument> arguments_;
};

void checker::check_modes() const {
    const bool integer = has_8_bit_source();
    switch (attr_.accumulation) {
    case dnnl_accumulation_mode_f16:
        implemented(false, "accumulation_mode", "sums are not kept in f16");
        break;
    case dnnl_accumulation_mode_f32:
        implemented(!integer, "accumulation_mode", "sums of integers are kept in s32, not in f32");
        break;
    case dnnl_accumulation_mode_s32:
        implemented(integer, "accumulation_mode", "sums of floats are kept in f32, not in s32");
        break;
    default: break;
    }
    implemented(attr_.stochastic_rounding.empty(), "rounding_mode",
        "stochastic rounding has no implementation");
    implemented(attr_.dropout.is_zero(), "dropout", "dropout has no implementation");
    static const rnn_quantization no_rnn_parameters;
    implemented(attr_.rnn == no_rnn_parameters, "rnn_qparams", "they belong to recurrent networks");
}

void checker::check_mask(const quantization &q, const char *attribute, const offered &offer) const {
    const memory_desc *md = tensor(q.arg);
    implemented(md, attribute, "they are set for a tensor that this problem lacks");
    valid(q.mask >= 0 && q.mask < 1 << md->ndims, attribute,
        "the mask names a dimension that the tensor lacks");
    if (!q.has_groups()) return;
    implemented(offer.groups, attribute, "this primitive takes no groups");
    for (int g = 0; g < 2; ++g) {
        const int d = md->ndims - 2 + g;
        const dim_t extent = md->dims[d], size = q.group_dims[static_cast<std::size_t>(g)];
        implemented(size == 1 || q.mask >> d & 1, attribute,
            "a group lies along a dimension outside the mask");
        implemented(size >= 1 && (size == 1 || extent == runtime_dim || extent % size == 0),
            attribute, "the group size does not divide the tensor's dimension");
    }
}

/// Bit of the output channels in the weights of this primitive.
int checker::output_channel_mask() const {
    if (const auto *conv = std::get_if<convolution_desc>(&op_))
        return conv->weights.ndims > conv->src.ndims ? 3 : 1;
    return 1;
}

bool checker::takes_scale_mask(const quantization &q) const {
    const bool weights = q.arg == DNNL_ARG_WEIGHTS, dst = q.arg == DNNL_ARG_DST;
    switch (kind_) {
    case dnnl_reorder: return true;
    case dnnl_matmul: return !dst || q.mask == 0;
    case dnnl_convolution:
        return q.mask == 0 || (weights && q.mask == output_channel_mask()) || (dst && q.mask == 2);
    case dnnl_inner_product: return q.mask == 0 || (weights && q.mask == output_channel_mask());
    case dnnl_binary: return !dst && q.mask == 0;
    case dnnl_concat: return !dst && q.mask == 0;
    default: return q.mask == 0;
    }
}

void checker::check_scales(const quantization &q, const offered &offer) const {
    implemented(offer.scales, "scales", "this primitive takes none");
    implemented(
        !offer.integer_only || has_8_bit_source() || (kind_ == dnnl_softmax && is_int8(dst_.dtype)),
        "scales", "they need an 8-bit integer tensor here");
    check_mask(q, "scales", offer);
    implemented(takes_scale_mask(q), "scales", "this mask is not offered for this tensor");
}

bool checker::takes_zero_point_mask(const quantization &q) const {
    const bool dst = q.arg == DNNL_ARG_DST;
    if (kind_ == dnnl_convolution) return q.arg != DNNL_ARG_WEIGHTS && (q.mask == 0 || q.mask == 2);
    if (kind_ == dnnl_matmul && dst) return q.mask == 0 || q.mask == 1 << (dst_.ndims - 1);
    return true;
}

void checker::check_zero_points(const quantization &q, const offered &offer) const {
    implemented(offer.zero_points, "zero_points", "this primitive takes none");
    implemented(!offer.integer_only || has_8_bit_source(), "zero_points",
        "they need an 8-bit integer source");
    check_mask(q, "zero_points", offer);
    const bool result_of_integers =
        q.arg == DNNL_ARG_DST && kind_ == dnnl_matmul && has_8_bit_source();
    const bool conv_dst = q.arg == DNNL_ARG_DST && kind_ == dnnl_convolution;
    implemented(is_integer(tensor(q.arg)->dtype) || result_of_integers || conv_dst, "zero_points",
        "they need an integer tensor");
    implemented(
        takes_zero_point_mask(q), "zero_points", "this mask is not offered for this tensor");
}

void checker::check_post_op(std::size_t index, const offered &offer) const {
    // In the order of the alternatives of post_op; depthwise is judged by its own check.
    constexpr unsigned kind_bits[] = {eltwises, sums, binaries, prelus, 0};
    const post_op &op = attr_.post_ops.entries[index];
    const unsigned bit = kind_bits[op.index()];
    implemented((offer.post_ops & bit) == bit, "post_ops", "this kind is not offered here");
    std::visit([&](const auto &entry) { check(entry, index); }, op);
}

void checker::check(const sum_post_op &op, std::size_t index) const {
    implemented(kind_ != dnnl_reorder || (index == 0 && attr_.post_ops.entries.size() == 1),
        "post_ops", "one sum alone is offered here");
    implemented(kind_ != dnnl_reorder || op.zero_point == 0, "post_ops",
        "a sum with a zero point is not offered here");
    implemented(
        op.zero_point == 0 || is_integer(op.dtype == data_type::undef ? dst_.dtype : op.dtype),
        "post_ops", "the zero point of a sum needs an integer destination");
    implemented(op.dtype == data_type::undef || size_of(op.dtype) == size_of(dst_.dtype),
        "post_ops", "the type of a sum must have the size of the destination's type");
}

void checker::check(const binary_post_op &op, std::size_t) const {
    const memory_desc &src1 = op.src1;
    valid(src1.ndims == dst_.ndims, "post_ops", "the rank of a binary's src1 differs from dst's");
    for (int d = 0; d < dst_.ndims; ++d)
        valid(src1.dims[d] == 1 || dst_.dims[d] == runtime_dim || src1.dims[d] == dst_.dims[d],
            "post_ops", "a dimension of a binary's src1 is neither 1 nor dst's");
}

void checker::check(const prelu_post_op &op, std::size_t) const {
    valid(op.mask >= 0 && op.mask < 1 << dst_.ndims, "post_ops",
        "the mask of a prelu names a dimension that dst lacks");
}
} // namespace

void check_attributes(const op_desc &op, const primitive_attr &attr) { checker(op, attr).run(); }

} // namespace dnnl::impl
