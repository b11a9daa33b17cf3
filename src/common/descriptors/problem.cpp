// SPDX-License-Identifier: Apache-2.0
// What holds for all operations, by the facts of their primitives (primitive_facts.hpp): their kind
// and tensors, default layouts, the checks of modes, masks, groups and post-ops it may offer.

#include <string>

#include "common/descriptors/primitive_facts.hpp"
#include "common/descriptors/products.hpp"

namespace dnnl::impl {

// ---- Kind and tensors ----

dnnl_primitive_kind_t kind_of(const op_desc &op) {
    return std::visit([](const auto &desc) { return desc.facts.kind; }, op);
}

dnnl_prop_kind_t prop_of(const op_desc &op) {
    return std::visit([](const auto &desc) { return prop_of(desc); }, op);
}

std::vector<tensor_argument> arguments_of(op_desc &op) {
    argument_list arguments;
    arguments.entries.reserve(4);
    std::visit([&](auto &desc) { desc.facts.arguments(desc, arguments); }, op);
    return std::move(arguments.entries);
}

bool may_run_in_place(const op_desc &op, int output, int input) {
    const in_place_pairs &pairs = std::visit(
        [](const auto &desc) -> const in_place_pairs & { return desc.facts.in_place; }, op);
    return std::any_of(pairs.begin(), pairs.end(),
        [&](const in_place_pair &p) { return p.output == output && p.input == input; });
}

// ---- Default layouts ----

void make_plain(memory_desc &md) {
    if (!md.is_any()) return;
    md.layout = layout_kind::blocked;
    set_dense_strides(md);
}

void follow(memory_desc &md, std::initializer_list<const memory_desc *> models) {
    if (!md.is_any()) return;
    for (const memory_desc *model : models)
        if (model->is_blocked() && model->ndims == md.ndims && !model->has_runtime())
            return set_layout_like(md, *model);
    make_plain(md);
}

namespace {

/// True when the model has blocks along a dimension that has extent 1 here, so that a block would
/// consist of padding alone.
bool blocks_a_broadcast(const memory_desc &md, const memory_desc &model) {
    for (int b = 0; b < model.inner_nblks; ++b) {
        const auto d = std::size_t(model.inner_idxs[b]);
        if (md.dims[d] == 1 && model.dims[d] != 1) return true;
    }
    return false;
}

/// The tensor that the attributes of the destination describe: dst of forward operations, diff_src
/// of the convolution that computes a deconvolution.
const memory_desc &destination_of(const op_desc &op) {
    return std::visit(
        [](const auto &desc) -> const memory_desc & { return desc.facts.destination(desc); }, op);
}

// ---- Checks of attributes ----

/// What the text of a refusal is about: an attribute and, where it belongs to one, an argument.
struct subject {
    const char *attribute;
    int arg = DNNL_ARG_UNDEF;

    subject(const char *name) : attribute(name) {}
    subject(const char *name, const quantization &q) : attribute(name), arg(q.arg) {}
    std::string text() const {
        return arg == DNNL_ARG_UNDEF ? std::string(attribute) : attribute + (" of " + text_of(arg));
    }
};

/// The letter (M, N or K) of a dimension of an operand of matmul, which alone takes groups.
std::string letter_of(const quantization &q, const memory_desc &md, int d) {
    if (d < md.ndims - 2) return fmt::format("dimension {}", d);
    const bool row = d == md.ndims - 2;
    if (q.arg == DNNL_ARG_WEIGHTS) return row ? "K" : "N";
    return row ? "M" : q.arg == DNNL_ARG_SRC ? "K" : "N";
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
        check_accumulation();
        check_stochastic_rounding();
        check_dropout();
        check_rnn_parameters();
        const auto &post_ops = attr_.post_ops.entries;
        for (const quantization &q : attr_.reductions.entries()) check_reductions(q);
        if (post_ops.empty() && attr_.scales.empty() && attr_.zero_points.empty()) return;
        implemented(runs_forward(op_), "attributes",
            "backward propagation takes no scales, zero points or post-ops");
        for (const quantization &q : attr_.scales.entries()) check_scales(q);
        for (const quantization &q : attr_.zero_points.entries()) check_zero_points(q);
        for (std::size_t i = 0; i < post_ops.size(); ++i) {
            check_post_op(i);
            if (has_depthwise_ && i == depthwise_index_)
                fused_dst_ = depthwise_convolution(
                    std::get<convolution_desc>(op_), std::get<depthwise_post_op>(post_ops[i]))
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
            fmt::format("{}: {}: {}", dnnl_prim_kind2str(kind_of(op_)), about.text(), what));
    }
    void implemented(bool condition, const subject &about, const char *what) const {
        if (!condition) refuse(dnnl_unimplemented, about, what);
    }
    const memory_desc *tensor(int arg) const {
        for (const tensor_argument &a : arguments_)
            if (a.arg == arg) return a.md;
        return nullptr;
    }
    bool has_source_of(bool (*fits)(data_type)) const {
        for (const tensor_argument &a : arguments_)
            if (!a.is_output && a.arg != DNNL_ARG_WORKSPACE && fits(a.md->dtype)) return true;
        return false;
    }
    bool has_8_bit_source() const { return has_source_of(is_int8); }
    static bool is_byte(data_type t) { return is_int8(t) || is_f8(t); }

    // ---- Modes ----

    void check_rnn_parameters() const {
        const auto fits = [this](const auto &desc) {
            if (const auto check = desc.facts.check_rnn_parameters) return check(desc, attr_);
            return attr_.rnn == rnn_quantization {};
        };
        implemented(std::visit(fits, op_), "rnn_qparams",
            "they belong to recurrent networks with 8-bit tensors and to reorders of these");
    }

    void check_accumulation() const {
        const subject about {"accumulation_mode"};
        const auto mode = attr_.accumulation;
        implemented(mode != dnnl_accumulation_mode_f16, about, "sums are not kept in f16");
        implemented(mode != dnnl_accumulation_mode_f32 || !has_8_bit_source(), about,
            "sums of integers are kept in s32, not in f32");
        implemented(mode != dnnl_accumulation_mode_s32 || has_8_bit_source(), about,
            "sums of floats are kept in f32, not in s32");
    }

    void check_stochastic_rounding() const {
        if (attr_.stochastic_rounding.empty()) return;
        const subject about {"rounding_mode"};
        const bool offered =
            offer_.stochastic_rounding != offered_attributes::never && runs_forward(op_);
        for (const int arg : attr_.stochastic_rounding)
            implemented(offered && arg == DNNL_ARG_DST, about,
                "stochastic rounding is offered for dst of matmul and of a forward convolution");
        implemented(can_round_stochastically(dst_.dtype), about,
            "stochastic rounding needs a floating-point dst");
        implemented(offer_.stochastic_rounding == offered_attributes::always || !has_8_bit_source(),
            about, "stochastic rounding needs a convolution of floats");
        implemented(
            !has_depthwise_, about, "stochastic rounding is not offered with a depthwise post-op");
    }

    /// The mask has the dims and the layout of dst; `any` takes them.
    void check_dropout() const {
        if (!attr_.dropout.enabled) return;
        implemented(offer_.dropout && runs_forward(op_), "dropout", "this primitive has none");
        const memory_desc &mask = attr_.dropout.mask;
        if (mask.is_zero()) return;
        memory_desc expected = dst_;
        make_plain(expected);
        expected.dtype = data_type::u8;
        implemented(same_dims(mask, dst_), "dropout", "the dims of the mask differ from dst's");
        implemented(mask.is_any() || mask == expected, "dropout",
            "the layout of the mask differs from dst's");
    }

    // ---- Scales and zero points ----

    /// True for a mask that the primitive takes.
    using mask_check = bool (checker::*)(const quantization &) const;
    bool takes_scale_mask(const quantization &q) const {
        return std::visit([&](const auto &d) { return d.facts.takes_scale_mask(d, q); }, op_);
    }
    bool takes_zero_point_mask(const quantization &q) const {
        return std::visit([&](const auto &d) { return d.facts.takes_zero_point_mask(d, q); }, op_);
    }

    void check_scales(const quantization &q) const {
        const subject about {"scales", q};
        if (q.is_dynamic()) return check_computed_scales(q, about);
        implemented(offer_.scales, about, "this primitive takes none");
        implemented(!offer_.integer_only || has_source_of(is_byte) ||
                        (offer_.or_dst && is_byte(dst_.dtype)),
            about, "they need a tensor of 8 bits here");
        if (q.arg & DNNL_ARG_ATTR_POST_OP_DW) return check_depthwise_scales(q, about);
        check_mask(q, about);
        require_offered(q, about, &checker::takes_scale_mask);
    }

    /// Checks scales of a dynamic mode, which the library finds and stores.
    void check_computed_scales(const quantization &q, const subject &about) const {
        implemented(
            kind_of(op_) == dnnl_matmul, about, "the library computes those of matmul alone");
        implemented(q.arg == DNNL_ARG_DST, about, "the library computes those of DST alone");
        implemented(!is_int8(tensor(DNNL_ARG_SRC)->dtype), about,
            "those that the library computes need a float src");
        implemented(is_f8(dst_.dtype) || dst_.dtype == data_type::f4_e2m1, about,
            "those that the library computes need a dst of f8_e4m3, f8_e5m2 or f4_e2m1");
        const bool powers = q.mode == dnnl_quantization_mode_dynamic_mx;
        implemented(q.dtype == (powers ? data_type::e8m0 : data_type::f8_e4m3), about,
            powers ? "the mode dynamic_mx needs scales of e8m0"
                   : "the mode dynamic_fp needs scales of f8_e4m3");
        implemented(q.has_groups() && q.group_dims[0] == 1 && q.group_dims[1] == (powers ? 32 : 16),
            about,
            powers ? "the mode dynamic_mx needs groups of 1x32"
                   : "the mode dynamic_fp needs groups of 1x16");
        if (const int all = (1 << dst_.ndims) - 1; q.mask != all)
            refuse(dnnl_unimplemented, about,
                fmt::format("the mode {} needs the mask {}, a scale for each group along all {} "
                            "dimensions, not {}",
                    powers ? "dynamic_mx" : "dynamic_fp", all, dst_.ndims, q.mask));
        implemented(!attr_.zero_points.find(DNNL_ARG_DST), about,
            "those that the library computes go without zero points of DST");
        implemented(attr_.stochastic_rounding.empty(), about,
            "those that the library computes go without stochastic rounding");
        check_mask(q, about);
    }

    /// Checks the scales of a fused depthwise convolution; its source has those of the first dst.
    void check_depthwise_scales(const quantization &q, const subject &about) const {
        const bool weights = q.arg == (DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS);
        implemented(
            has_depthwise_, about, "they are set for a depthwise post-op that is not there");
        implemented(is_int8(dst_.dtype), about, "those of a depthwise post-op need an 8-bit dst");
        implemented(!q.has_groups(), about, "a depthwise post-op takes no groups");
        implemented(q.mask == 0 || (weights && (q.mask == 1 || q.mask == 3)), about,
            "this mask is not offered for a depthwise post-op");
    }

    void check_zero_points(const quantization &q) const {
        const subject about {"zero_points", q};
        implemented(offer_.zero_points, about, "this primitive takes none");
        implemented(
            !offer_.integer_only || has_8_bit_source(), about, "they need an 8-bit integer source");
        check_mask(q, about);
        const bool any_type = q.arg == DNNL_ARG_DST && offer_.dst_of_integers && has_8_bit_source();
        implemented(
            any_type || is_integer(tensor(q.arg)->dtype), about, "they need an integer tensor");
        require_offered(q, about, &checker::takes_zero_point_mask);
    }

    /// Checks sums of src over groups of K, which the user has computed: the zero points of the
    /// weights are multiplied by them.
    void check_reductions(const quantization &q) const {
        const subject about {"precomputed_reductions", q};
        implemented(kind_of(op_) == dnnl_matmul, about, "matmul alone takes them");
        const memory_desc &src = *tensor(DNNL_ARG_SRC);
        implemented(is_int8(src.dtype), about, "they need an 8-bit integer src");
        implemented(attr_.zero_points.find(DNNL_ARG_WEIGHTS), about,
            "they belong to zero points of the weights, which are not set");
        implemented(q.mask == (1 << src.ndims) - 1, about, "they need a mask of all dimensions");
        implemented(
            q.has_groups() && q.group_dims[0] == 1, about, "they need groups of K, of one row");
        check_mask(q, about);
        for (const quantization_params *params : {&attr_.scales, &attr_.zero_points})
            for (const quantization &other : params->entries()) {
                const int k = other.arg == DNNL_ARG_WEIGHTS ? src.ndims - 2 : src.ndims - 1;
                if (other.arg == DNNL_ARG_DST || !(other.mask >> k & 1)) continue;
                const dim_t group = other.group(src.ndims, k);
                if (group % q.group_dims[1] != 0)
                    refuse(dnnl_invalid_arguments, about,
                        fmt::format("their groups of {} are not parts of the groups of {} along K "
                                    "of {}",
                            q.group_dims[1], group, text_of(other.arg)));
            }
    }

    void check_mask(const quantization &q, const subject &about) const {
        const memory_desc *md = tensor(q.arg);
        implemented(md, about, "they are set for a tensor that this problem lacks");
        if (q.mask < 0 || q.mask >= 1 << md->ndims)
            refuse(dnnl_invalid_arguments, about,
                fmt::format("the mask {} names a dimension that the tensor lacks, it has {}",
                    q.mask, md->ndims));
        if (!q.has_groups()) return;
        implemented(offer_.groups, about, "this primitive takes no groups");
        for (int g = 0; g < 2; ++g) check_group(q, about, g);
    }

    /// Checks the group along dimension ndims - 2 + g.
    void check_group(const quantization &q, const subject &about, int g) const {
        const memory_desc &md = *tensor(q.arg);
        const int d = md.ndims - 2 + g;
        const dim_t extent = md.dims[d], size = q.group_dims[std::size_t(g)];
        if (size != 1 && !(q.mask >> d & 1))
            refuse(dnnl_unimplemented, about,
                fmt::format("a group of {} lies along {}, which the mask {} does not name (bit {})",
                    size, letter_of(q, md, d), q.mask, d));
        if (size < 1 || (extent != runtime_dim && size < extent && extent % size != 0))
            refuse(dnnl_unimplemented, about,
                fmt::format("the group size {} does not divide {} = {}", size, letter_of(q, md, d),
                    extent));
    }

    /// Refuses a mask that the primitive does not take, and names those that it takes.
    void require_offered(const quantization &q, const subject &about, mask_check takes) const {
        if ((this->*takes)(q)) return;
        std::string masks;
        quantization other = q;
        for (other.mask = 0; other.mask < 1 << tensor(q.arg)->ndims; ++other.mask)
            if ((this->*takes)(other))
                masks += (masks.empty() ? "" : ", ") + std::to_string(other.mask);
        refuse(dnnl_unimplemented, about,
            fmt::format("the mask {} is not offered for this tensor, {}", q.mask,
                masks.empty() ? "nor is any other" : "only " + masks));
    }

    // ---- Post-ops ----

    void check_post_op(std::size_t index) const {
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

    void check(const eltwise_post_op &, std::size_t) const {}

    void check(const sum_post_op &op, std::size_t) const {
        const data_type type = op.dtype == data_type::undef ? dst_.dtype : op.dtype;
        implemented(op.zero_point == 0 || is_integer(type), "post_ops",
            "the zero point of a sum needs an integer destination");
        implemented(op.zero_point == 0 || is_integer(dst_.dtype) || has_8_bit_source(), "post_ops",
            "the zero point of a sum into floats needs an 8-bit integer source");
        implemented(size_of(type) == size_of(dst_.dtype), "post_ops",
            "the type of a sum must have the size of the destination's type");
    }

    void check(const binary_post_op &op, std::size_t index) const {
        check_source(op.src1, index, "src1");
        if (op.selects()) check_source(op.src2, index, "src2");
    }

    /// Checks a source of the binary post-op at `index`.
    void check_source(const memory_desc &source, std::size_t index, const char *name) const {
        const memory_desc &dst = index < depthwise_index_ ? dst_ : fused_dst_;
        const auto mismatch = [&](const std::string &what) {
            refuse(dnnl_invalid_arguments, "post_ops",
                fmt::format(
                    "entry {}: {} of a binary, {}, {}", index, name, describe(source), what));
        };
        if (source.ndims != dst.ndims)
            mismatch(fmt::format("has rank {}, it must have dst's rank {}, with extent 1 where it "
                                 "is broadcast",
                source.ndims, dst.ndims));
        for (int d = 0; d < dst.ndims; ++d)
            if (source.dims[d] != 1 && dst.dims[d] != runtime_dim && source.dims[d] != dst.dims[d])
                mismatch(
                    fmt::format("is neither 1 nor dst's {} along dimension {}", dst.dims[d], d));
        if (source.dtype == data_type::f64) mismatch("is f64");
    }

    void check(const prelu_post_op &op, std::size_t) const {
        if (op.mask < 0 || op.mask >= 1 << dst_.ndims)
            refuse(dnnl_invalid_arguments, "post_ops",
                fmt::format("the mask {} of a prelu names a dimension that dst lacks, it has {}",
                    op.mask, dst_.ndims));
    }

    void check(const depthwise_post_op &op, std::size_t index) const {
        const auto &base = std::get<convolution_desc>(op_);
        implemented(
            index == depthwise_index_, "post_ops", "there is more than one depthwise post-op");
        if (const char *why = depthwise_refusal(base, op)) implemented(false, "post_ops", why);
        const quantization *of_dst = attr_.scales.find(DNNL_ARG_DST);
        implemented(!of_dst || (of_dst->mask == 0 && is_int8(dst_.dtype)), "scales",
            "before a depthwise post-op dst takes one scale, in 8 bits");
        implemented(!attr_.zero_points.find(DNNL_ARG_DST), "zero_points",
            "dst takes none before a depthwise post-op");
    }

    const op_desc &op_;
    const primitive_attr &attr_;
    const offered_attributes &offer_;
    const memory_desc &dst_;
    std::vector<tensor_argument> arguments_;
    std::size_t depthwise_index_;
    bool has_depthwise_;
    memory_desc fused_dst_; ///< dst of the depthwise post-op; zero until that was checked
};

} // namespace

void follow_broadcast(memory_desc &md, const memory_desc &model) {
    if (blocks_a_broadcast(md, model)) make_plain(md);
    follow(md, {&model});
}

void default_layouts(problem &p) {
    std::visit([](auto &desc) { desc.facts.layouts(desc); }, p.op);
    const memory_desc &dst = destination_of(p.op);
    for_each_source(p.attr.post_ops, [&](memory_desc &source, int) {
        if (source.is_any()) follow_broadcast(source, dst);
    });
    if (memory_desc &mask = p.attr.dropout.mask; mask.is_any()) {
        mask = dst;
        mask.dtype = data_type::u8;
    }
}

void check_attributes(const op_desc &op, const primitive_attr &attr) {
    check_tensors_of(op, [&] { checker(op, attr).run(); });
}

} // namespace dnnl::impl
