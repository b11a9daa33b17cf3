// SPDX-License-Identifier: Apache-2.0
// Checks of modes, masks, groups and post-ops against what a primitive offers
// (primitive_facts.hpp).
#include <string>

#include "common/attributes/random.hpp"
#include "common/descriptors/convolution.hpp"
#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/data_type.hpp"
#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

namespace {
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
        : op_(op), attr_(attr), offer_(offered_by(op)), dst_(destination_of(op)),
          depthwise_index_(depthwise_index(attr.post_ops)),
          has_depthwise_(depthwise_index_ < attr.post_ops.entries.size()) {}

    void run() {
        if (attr_.has_default_values() && attr_.accumulation == dnnl_accumulation_mode_strict)
            return check_rnn_parameters();
        arguments_ = arguments_of(const_cast<op_desc &>(op_));
        check_modes();
        const bool any_quantization = !attr_.scales.empty() || !attr_.zero_points.empty();
        if (attr_.post_ops.entries.empty() && !any_quantization) return;
        const dnnl_prop_kind_t prop = prop_of(op_);
        implemented(prop == dnnl_prop_kind_undef || is_forward(prop), "attributes",
            "backward propagation takes no scales, zero points or post-ops");
        for (const quantization &q : attr_.scales.entries()) check_scales(q);
        for (const quantization &q : attr_.zero_points.entries()) check_zero_points(q);
        for (std::size_t i = 0; i < attr_.post_ops.entries.size(); ++i) {
            check_post_op(i);
            if (has_depthwise_ && i == depthwise_index_)
                fused_dst_ = depthwise_convolution(std::get<convolution_desc>(op_),
                    std::get<depthwise_post_op>(attr_.post_ops.entries[i]))
                                 .dst;
        }
    }

  private:
    static const offered_attributes &offered_by(const op_desc &op) {
        return std::visit(
            [](const auto &desc) -> const offered_attributes & { return desc.facts.attributes; },
            op);
    }
    [[noreturn]] void refuse(
        dnnl_status_t status, const subject &about, const std::string &what) const {
        throw error(status,
            std::string(dnnl_prim_kind2str(kind_of(op_))) + ": " + about.text() + ": " + what);
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
    void check_mask(const quantization &q, const subject &about) const;
    void check_group(const quantization &q, const subject &about, int g) const;
    void require_offered(const quantization &q, const subject &about,
        bool (checker::*takes)(const quantization &) const) const;
    void check_scales(const quantization &q) const;
    void check_zero_points(const quantization &q) const;
    bool takes_scale_mask(const quantization &q) const;
    bool takes_zero_point_mask(const quantization &q) const;

    void check_post_op(std::size_t index) const;
    void check(const sum_post_op &op, std::size_t index) const;
    void check(const binary_post_op &op, std::size_t index) const;
    void check(const prelu_post_op &op, std::size_t index) const;
    void check(const eltwise_post_op &, std::size_t) const {}
    void check(const depthwise_post_op &op, std::size_t index) const;

    const op_desc &op_;
    const primitive_attr &attr_;
    const offered_attributes &offer_;
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
    const auto fits = [this](const auto &desc) {
        if (const auto check = desc.facts.check_rnn_parameters) return check(desc, attr_);
        return attr_.rnn == rnn_quantization {};
    };
    implemented(std::visit(fits, op_), "rnn_qparams",
        "they belong to recurrent networks with 8-bit tensors and to reorders of these");
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

void checker::check_stochastic_rounding() const {
    if (attr_.stochastic_rounding.empty()) return;
    const dnnl_prop_kind_t prop = prop_of(op_);
    const bool offered = offer_.stochastic_rounding != offered_attributes::never &&
                         (prop == dnnl_prop_kind_undef || is_forward(prop));
    for (const int arg : attr_.stochastic_rounding)
        implemented(offered && arg == DNNL_ARG_DST, "rounding_mode",
            "stochastic rounding is offered for dst of matmul and of a forward convolution");
    implemented(can_round_stochastically(dst_.dtype), "rounding_mode",
        "stochastic rounding needs a floating-point dst");
    implemented(offer_.stochastic_rounding == offered_attributes::always || !has_8_bit_source(),
        "rounding_mode", "stochastic rounding needs a convolution of floats");
    implemented(!has_depthwise_, "rounding_mode",
        "stochastic rounding is not offered with a depthwise post-op");
}

/// The mask has the dims and the layout of dst; `any` takes them.
void checker::check_dropout() const {
    const memory_desc &mask = attr_.dropout;
    if (mask.is_zero()) return;
    implemented(offer_.dropout, "dropout", "this primitive has none");
    memory_desc expected = dst_;
    if (dst_.is_any())
        expected = make_with_strides(dst_.ndims, dst_.dims.data(), dst_.dtype, nullptr);
    expected.dtype = data_type::u8;
    implemented(mask.dtype == data_type::u8, "dropout", "the mask must be u8");
    implemented(same_dims(mask, dst_), "dropout", "the dims of the mask differ from dst's");
    implemented(
        mask.is_any() || mask == expected, "dropout", "the layout of the mask differs from dst's");
}

void checker::check_mask(const quantization &q, const subject &about) const {
    const memory_desc *md = tensor(q.arg);
    implemented(md, about, "they are set for a tensor that this problem lacks");
    if (q.mask < 0 || q.mask >= 1 << md->ndims)
        refuse(dnnl_invalid_arguments, about,
            "the mask " + std::to_string(q.mask) +
                " names a dimension that the tensor lacks, it has " + std::to_string(md->ndims));
    if (!q.has_groups()) return;
    implemented(offer_.groups, about, "this primitive takes no groups");
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

/// Refuses a mask that is not taken, with those that are.
void checker::require_offered(const quantization &q, const subject &about,
    bool (checker::*takes)(const quantization &) const) const {
    if ((this->*takes)(q)) return;
    std::string masks;
    quantization other = q;
    for (other.mask = 0; other.mask < 1 << tensor(q.arg)->ndims; ++other.mask)
        if ((this->*takes)(other))
            masks += (masks.empty() ? "" : ", ") + std::to_string(other.mask);
    refuse(dnnl_unimplemented, about,
        "the mask " + std::to_string(q.mask) + " is not offered for this tensor, " +
            (masks.empty() ? "nor is any other" : "but " + masks));
}

bool checker::takes_scale_mask(const quantization &q) const {
    return std::visit([&](const auto &d) { return d.facts.takes_scale_mask(d, q); }, op_);
}

bool checker::takes_zero_point_mask(const quantization &q) const {
    return std::visit([&](const auto &d) { return d.facts.takes_zero_point_mask(d, q); }, op_);
}

void checker::check_scales(const quantization &q) const {
    const subject about {"scales", q};
    implemented(offer_.scales, about, "this primitive takes none");
    implemented(!offer_.integer_only || has_8_bit_source() ||
                    (offer_.or_integer_dst && is_int8(dst_.dtype)),
        about, "they need an 8-bit integer tensor here");
    if (q.arg & DNNL_ARG_ATTR_POST_OP_DW) return check_depthwise_scales(q);
    check_mask(q, about);
    require_offered(q, about, &checker::takes_scale_mask);
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

void checker::check_zero_points(const quantization &q) const {
    const subject about {"zero_points", q};
    implemented(offer_.zero_points, about, "this primitive takes none");
    implemented(
        !offer_.integer_only || has_8_bit_source(), about, "they need an 8-bit integer source");
    check_mask(q, about);
    const bool of_any_type = q.arg == DNNL_ARG_DST && offer_.dst_of_integers && has_8_bit_source();
    implemented(
        of_any_type || is_integer(tensor(q.arg)->dtype), about, "they need an integer tensor");
    require_offered(q, about, &checker::takes_zero_point_mask);
}

void checker::check_post_op(std::size_t index) const {
    const post_op &op = attr_.post_ops.entries[index];
    const unsigned bit = 1u << op.index();
    implemented((offer_.post_ops & bit) != 0, "post_ops", "this kind is not offered here");
    implemented(!has_depthwise_ || (bit & (sums | prelus)) == 0, "post_ops",
        "this kind is not offered beside a depthwise post-op");
    const auto refusal = [&](const auto &desc) -> const char * {
        const auto refusal_of = desc.facts.post_op_refusal;
        return refusal_of ? refusal_of(attr_.post_ops, index) : nullptr;
    };
    if (const char *why = std::visit(refusal, op_)) implemented(false, "post_ops", why);
    std::visit([&](const auto &entry) { check(entry, index); }, op);
}

void checker::check(const sum_post_op &op, std::size_t) const {
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
