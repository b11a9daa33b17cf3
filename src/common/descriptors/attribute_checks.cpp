// SPDX-License-Identifier: Apache-2.0
// The table of attributes per primitive, and the checks of masks, groups and post-ops against it.
#include "common/descriptors/attribute_checks.hpp"

#include <string>

#include "common/attributes/random.hpp"
#include "common/descriptors/default_layouts.hpp"
#include "common/descriptors/depthwise_post_op.hpp"
#include "common/descriptors/describe.hpp"
#include "common/descriptors/reorder_quantization.hpp"
#include "common/descriptors/rnn.hpp"
#include "common/layout/data_type.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

namespace {
/// Kinds of post-ops, bits.
enum post_op_kinds : unsigned {
    no_post_ops = 0,
    sums = 1,
    eltwises = 2,
    binaries = 4,
    prelus = 8,
    depthwises = 16
};

/// What a primitive kind takes in forward propagation.
struct offered {
    unsigned post_ops = no_post_ops;
    bool scales = false, zero_points = false;
    bool integer_only = false; ///< scales and zero points: with an 8-bit tensor only
    bool groups = false;
};
offered offered_by(dnnl_primitive_kind_t kind) {
    switch (kind) {
    case dnnl_convolution:
        return {sums | eltwises | binaries | prelus | depthwises, true, true, true, false};
    case dnnl_deconvolution: return {sums | eltwises | binaries | prelus, true, true, true, false};
    case dnnl_inner_product: return {sums | eltwises | binaries | prelus, true, false, true, false};
    case dnnl_matmul: return {sums | eltwises | binaries | prelus, true, true, false, true};
    case dnnl_eltwise: return {binaries, false, false, false, false};
    case dnnl_binary: return {sums | eltwises | binaries, true, false, false, false};
    case dnnl_pooling: return {eltwises | binaries, false, false, false, false};
    case dnnl_reduction:
    case dnnl_resampling: return {sums | eltwises | binaries, false, false, false, false};
    case dnnl_softmax: return {eltwises | binaries, true, false, true, false};
    case dnnl_batch_normalization: return {eltwises, false, false, false, false};
    case dnnl_layer_normalization:
    case dnnl_group_normalization: return {eltwises | binaries, true, false, true, false};
    case dnnl_reorder: return {sums, true, true, false, false};
    case dnnl_concat: return {no_post_ops, true, false, false, false};
    default: return {};
    }
}

/// What a reason is about: an attribute, of one argument where it has one.
struct subject {
    const char *attribute;
    int arg = DNNL_ARG_UNDEF;

    subject(const char *name) : attribute(name) {}
    subject(const char *name, const quantization &q) : attribute(name), arg(q.arg) {}
    std::string text() const {
        return arg == DNNL_ARG_UNDEF ? std::string(attribute) : attribute + (" of " + text_of(arg));
    }
};

/// A dimension of an operand of matmul, which alone takes groups, by its letter.
std::string letter_of(const quantization &q, const memory_desc &md, int d) {
    if (d < md.ndims - 2) return "dimension " + std::to_string(d);
    const bool row = d == md.ndims - 2;
    const char *letter = q.arg == DNNL_ARG_SRC       ? (row ? "M" : "K")
                         : q.arg == DNNL_ARG_WEIGHTS ? (row ? "K" : "N")
                                                     : (row ? "M" : "N");
    return letter;
}

class checker {
  public:
    checker(const op_desc &op, const primitive_attr &attr)
        : op_(op), attr_(attr), kind_(kind_of(op)), dst_(destination_of(op)),
          arguments_(arguments_of(const_cast<op_desc &>(op))),
          depthwise_index_(depthwise_index(attr.post_ops)),
          has_depthwise_(depthwise_index_ < attr.post_ops.entries.size()) {}

    void run() {
        check_modes();
        const bool any_quantization = !attr_.scales.empty() || !attr_.zero_points.empty();
        if (attr_.post_ops.entries.empty() && !any_quantization) return;
        const dnnl_prop_kind_t prop = prop_of(op_);
        implemented(prop == dnnl_prop_kind_undef || is_forward(prop), "attributes",
            "backward propagation takes no scales, zero points or post-ops");
        const offered offer = offered_by(kind_);
        for (const quantization &q : attr_.scales.entries()) check_scales(q, offer);
        for (const quantization &q : attr_.zero_points.entries()) check_zero_points(q, offer);
        for (std::size_t i = 0; i < attr_.post_ops.entries.size(); ++i) {
            check_post_op(i, offer);
            if (has_depthwise_ && i == depthwise_index_)
                fused_dst_ = depthwise_convolution(std::get<convolution_desc>(op_),
                    std::get<depthwise_post_op>(attr_.post_ops.entries[i]))
                                 .dst;
        }
    }

  private:
    [[noreturn]] void refuse(
        dnnl_status_t status, const subject &about, const std::string &what) const {
        throw error(
            status, std::string(dnnl_prim_kind2str(kind_)) + ": " + about.text() + ": " + what);
    }
    void implemented(bool condition, const subject &about, const char *what) const {
        if (!condition) refuse(dnnl_unimplemented, about, what);
    }
    const memory_desc *tensor(int arg) const {
        for (const tensor_argument &a : arguments_)
            if (a.arg == arg) return a.md;
        return nullptr;
    }
    bool has_8_bit_source() const {
        for (const tensor_argument &a : arguments_)
            if (!a.is_output && a.arg != DNNL_ARG_WORKSPACE && is_int8(a.md->dtype)) return true;
        return false;
    }

    void check_modes() const;
    void check_rnn_parameters() const;
    void check_accumulation() const;
    void check_stochastic_rounding() const;
    void check_dropout() const;
    void check_depthwise_scales(const quantization &q) const;
    void check_mask(const quantization &q, const subject &about, const offered &offer) const;
    void check_group(const quantization &q, const subject &about, int g) const;
    void require_offered(bool condition, const subject &about, const quantization &q,
        bool (checker::*takes)(const quantization &) const) const;
    void check_scales(const quantization &q, const offered &offer) const;
    void check_zero_points(const quantization &q, const offered &offer) const;
    bool takes_scale_mask(const quantization &q) const;
    bool takes_zero_point_mask(const quantization &q) const;
    int output_channel_mask() const;

    void check_post_op(std::size_t index, const offered &offer) const;
    void check(const sum_post_op &op, std::size_t index) const;
    void check(const binary_post_op &op, std::size_t index) const;
    void check(const prelu_post_op &op, std::size_t index) const;
    void check(const eltwise_post_op &op, std::size_t) const;
    void check(const depthwise_post_op &op, std::size_t index) const;

    const op_desc &op_;
    const primitive_attr &attr_;
    dnnl_primitive_kind_t kind_;
    const memory_desc &dst_;
    std::vector<tensor_argument> arguments_;
    std::size_t depthwise_index_;
    bool has_depthwise_;
    memory_desc fused_dst_; ///< of the depthwise post-op; zero before check_post_ops()
};

void checker::check_modes() const {
    check_accumulation();
    check_stochastic_rounding();
    check_dropout();
    check_rnn_parameters();
}

void checker::check_rnn_parameters() const {
    static const rnn_quantization no_parameters;
    const auto *rnn = std::get_if<rnn_desc>(&op_);
    if (rnn && has_8_bit_source()) return check_quantization(*rnn, attr_.rnn);
    if (attr_.rnn == no_parameters) return;
    const auto *reorder = std::get_if<reorder_desc>(&op_);
    implemented(reorder, "rnn_qparams",
        "they belong to recurrent networks with 8-bit tensors and to reorders of these");
    implemented(attr_.scales.empty() && attr_.zero_points.empty() && attr_.post_ops.entries.empty(),
        "rnn_qparams", "scales, zero points and post-ops are not offered beside them");
    check_reorder_quantization(*reorder, attr_.rnn);
}

void checker::check_accumulation() const {
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
}

/// The destination of matmul and of a float convolution.
void checker::check_stochastic_rounding() const {
    if (attr_.stochastic_rounding.empty()) return;
    const bool offered =
        kind_ == dnnl_matmul || (kind_ == dnnl_convolution && is_forward(prop_of(op_)));
    for (const int arg : attr_.stochastic_rounding)
        implemented(offered && arg == DNNL_ARG_DST, "rounding_mode",
            "stochastic rounding is offered for dst of matmul and of a forward convolution");
    implemented(can_round_stochastically(dst_.dtype), "rounding_mode",
        "stochastic rounding needs a floating-point dst");
    implemented(kind_ == dnnl_matmul || !has_8_bit_source(), "rounding_mode",
        "stochastic rounding needs a convolution of floats");
    implemented(!has_depthwise_, "rounding_mode",
        "stochastic rounding is not offered with a depthwise post-op");
}

/// The mask has the dims and the layout of dst; `any` takes them.
void checker::check_dropout() const {
    const memory_desc &mask = attr_.dropout;
    if (mask.is_zero()) return;
    implemented(kind_ == dnnl_matmul, "dropout", "this primitive has none");
    memory_desc expected = dst_;
    if (dst_.is_any())
        expected = make_with_strides(dst_.ndims, dst_.dims.data(), dst_.dtype, nullptr);
    expected.dtype = data_type::u8;
    implemented(mask.dtype == data_type::u8, "dropout", "the mask must be u8");
    implemented(same_dims(mask, dst_), "dropout", "the dims of the mask differ from dst's");
    implemented(
        mask.is_any() || mask == expected, "dropout", "the layout of the mask differs from dst's");
}

void checker::check_mask(const quantization &q, const subject &about, const offered &offer) const {
    const memory_desc *md = tensor(q.arg);
    implemented(md, about, "they are set for a tensor that this problem lacks");
    if (q.mask < 0 || q.mask >= 1 << md->ndims)
        refuse(dnnl_invalid_arguments, about,
            "the mask " + std::to_string(q.mask) +
                " names a dimension that the tensor lacks, it has " + std::to_string(md->ndims));
    if (!q.has_groups()) return;
    implemented(offer.groups, about, "this primitive takes no groups");
    for (int g = 0; g < 2; ++g) check_group(q, about, g);
}

/// The group along dimension ndims - 2 + g.
void checker::check_group(const quantization &q, const subject &about, int g) const {
    const memory_desc &md = *tensor(q.arg);
    const int d = md.ndims - 2 + g;
    const dim_t extent = md.dims[d], size = q.group_dims[static_cast<std::size_t>(g)];
    if (size != 1 && !(q.mask >> d & 1))
        refuse(dnnl_unimplemented, about,
            "a group of " + std::to_string(size) + " lies along " + letter_of(q, md, d) +
                ", which the mask " + std::to_string(q.mask) + " does not name (bit " +
                std::to_string(d) + ")");
    if (size < 1 || (size != 1 && extent != runtime_dim && extent % size != 0))
        refuse(dnnl_unimplemented, about,
            "the group size " + std::to_string(size) + " does not divide " + letter_of(q, md, d) +
                " = " + std::to_string(extent));
}

/// Unless the condition holds, a refusal that names the masks which are taken.
void checker::require_offered(bool condition, const subject &about, const quantization &q,
    bool (checker::*takes)(const quantization &) const) const {
    if (condition) return;
    std::string masks;
    quantization other = q;
    for (other.mask = 0; other.mask < 1 << tensor(q.arg)->ndims; ++other.mask)
        if ((this->*takes)(other))
            masks += (masks.empty() ? "" : ", ") + std::to_string(other.mask);
    refuse(dnnl_unimplemented, about,
        "the mask " + std::to_string(q.mask) + " is not offered for this tensor, " +
            (masks.empty() ? "nor is any other" : "but " + masks));
}

/// Bit of the output channels in the weights of this primitive.
int checker::output_channel_mask() const {
    return tensor(DNNL_ARG_WEIGHTS)->ndims > tensor(DNNL_ARG_SRC)->ndims ? 3 : 1;
}

bool checker::takes_scale_mask(const quantization &q) const {
    const bool weights = q.arg == DNNL_ARG_WEIGHTS, dst = q.arg == DNNL_ARG_DST;
    switch (kind_) {
    case dnnl_reorder: return true;
    case dnnl_matmul: return !dst || q.mask == 0;
    case dnnl_convolution:
        return q.mask == 0 || (weights && q.mask == output_channel_mask()) || (dst && q.mask == 2);
    case dnnl_deconvolution:
    case dnnl_inner_product: return q.mask == 0 || (weights && q.mask == output_channel_mask());
    case dnnl_binary: return !dst && q.mask == 0;
    case dnnl_concat: return !dst && q.mask == 0;
    case dnnl_layer_normalization:
    case dnnl_group_normalization: return (q.arg == DNNL_ARG_SRC || dst) && q.mask == 0;
    default: return q.mask == 0;
    }
}

void checker::check_scales(const quantization &q, const offered &offer) const {
    const subject about {"scales", q};
    implemented(offer.scales, about, "this primitive takes none");
    const bool dst_counts = kind_ == dnnl_softmax || kind_ == dnnl_layer_normalization ||
                            kind_ == dnnl_group_normalization;
    implemented(!offer.integer_only || has_8_bit_source() || (dst_counts && is_int8(dst_.dtype)),
        about, "they need an 8-bit integer tensor here");
    if (q.arg & DNNL_ARG_ATTR_POST_OP_DW) return check_depthwise_scales(q);
    check_mask(q, about, offer);
    require_offered(takes_scale_mask(q), about, q, &checker::takes_scale_mask);
}

/// The scales of a fused depthwise convolution. Its source scale is the scale of the first dst.
void checker::check_depthwise_scales(const quantization &q) const {
    const subject about {"scales", q};
    const bool weights = q.arg == (DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS);
    implemented(has_depthwise_, about, "they are set for a depthwise post-op that is not there");
    implemented(is_int8(dst_.dtype), about, "those of a depthwise post-op need an 8-bit dst");
    implemented(!q.has_groups(), about, "a depthwise post-op takes no groups");
    implemented(q.mask == 0 || (weights && (q.mask == 1 || q.mask == 3)), about,
        "this mask is not offered for a depthwise post-op");
}

bool checker::takes_zero_point_mask(const quantization &q) const {
    const bool dst = q.arg == DNNL_ARG_DST;
    if (kind_ == dnnl_convolution || kind_ == dnnl_deconvolution)
        return q.arg != DNNL_ARG_WEIGHTS && (q.mask == 0 || q.mask == 2);
    if (kind_ == dnnl_matmul && dst) return q.mask == 0 || q.mask == 1 << (dst_.ndims - 1);
    return true;
}

void checker::check_zero_points(const quantization &q, const offered &offer) const {
    const subject about {"zero_points", q};
    implemented(offer.zero_points, about, "this primitive takes none");
    implemented(
        !offer.integer_only || has_8_bit_source(), about, "they need an 8-bit integer source");
    check_mask(q, about, offer);
    const bool result_of_integers =
        q.arg == DNNL_ARG_DST && kind_ == dnnl_matmul && has_8_bit_source();
    const bool conv_dst =
        q.arg == DNNL_ARG_DST && (kind_ == dnnl_convolution || kind_ == dnnl_deconvolution);
    implemented(is_integer(tensor(q.arg)->dtype) || result_of_integers || conv_dst, about,
        "they need an integer tensor");
    require_offered(takes_zero_point_mask(q), about, q, &checker::takes_zero_point_mask);
}

void checker::check_post_op(std::size_t index, const offered &offer) const {
    // In the order of the alternatives of post_op.
    constexpr unsigned kind_bits[] = {eltwises, sums, binaries, prelus, depthwises};
    const post_op &op = attr_.post_ops.entries[index];
    const unsigned bit = kind_bits[op.index()];
    implemented((offer.post_ops & bit) == bit, "post_ops", "this kind is not offered here");
    implemented(!has_depthwise_ || (bit & (sums | prelus)) == 0, "post_ops",
        "this kind is not offered beside a depthwise post-op");
    std::visit([&](const auto &entry) { check(entry, index); }, op);
}

void checker::check(const eltwise_post_op &op, std::size_t) const {
    implemented(kind_ != dnnl_batch_normalization || op.alg == dnnl_eltwise_relu, "post_ops",
        "only a relu is offered here");
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

void checker::check(const binary_post_op &op, std::size_t index) const {
    const memory_desc &src1 = op.src1;
    const memory_desc &dst = index < depthwise_index_ ? dst_ : fused_dst_;
    const auto mismatch = [&](const std::string &what) {
        refuse(dnnl_invalid_arguments, "post_ops",
            "entry " + std::to_string(index) + ": src1 of a binary, " + describe(src1) + ", " +
                what);
    };
    if (src1.ndims != dst.ndims)
        mismatch("has rank " + std::to_string(src1.ndims) + ", it must have dst's rank " +
                 std::to_string(dst.ndims) + ", with extent 1 where it is broadcast");
    for (int d = 0; d < dst.ndims; ++d)
        if (src1.dims[d] != 1 && dst.dims[d] != runtime_dim && src1.dims[d] != dst.dims[d])
            mismatch("is neither 1 nor dst's " + std::to_string(dst.dims[d]) + " along dimension " +
                     std::to_string(d));
}

void checker::check(const prelu_post_op &op, std::size_t) const {
    if (op.mask < 0 || op.mask >= 1 << dst_.ndims)
        refuse(dnnl_invalid_arguments, "post_ops",
            "the mask " + std::to_string(op.mask) +
                " of a prelu names a dimension that dst lacks, it has " +
                std::to_string(dst_.ndims));
}

void checker::check(const depthwise_post_op &op, std::size_t index) const {
    const auto &base = std::get<convolution_desc>(op_);
    implemented(index == depthwise_index_, "post_ops", "there is more than one depthwise post-op");
    if (const char *why = depthwise_refusal(base, op)) implemented(false, "post_ops", why);
    const quantization *of_dst = attr_.scales.find(DNNL_ARG_DST);
    implemented(!of_dst || (of_dst->mask == 0 && is_int8(dst_.dtype)), "scales",
        "before a depthwise post-op dst takes one scale, in 8 bits");
    implemented(!attr_.zero_points.find(DNNL_ARG_DST), "zero_points",
        "dst takes none before a depthwise post-op");
}
} // namespace

void check_attributes(const op_desc &op, const primitive_attr &attr) {
    check_tensors_of(op, [&] { checker(op, attr).run(); });
}

} // namespace dnnl::impl
