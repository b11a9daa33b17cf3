// SPDX-License-Identifier: Apache-2.0
// Tensors and attribute objects that every driver shares.
#include "oracle/problem.hpp"

#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/fill.hpp"
#include "oracle/views.hpp"

#include <algorithm>

namespace conformance {
namespace {

struct maker {
    const char *name;
    std::unique_ptr<test_problem> (*make)(const test_case &);
};
// clang-format off: a row per driver
const maker makers[] = {
    {"binary", make_binary},
    {"bnorm", make_batch_normalization},
    {"concat", make_concat},
    {"conv", make_convolution},
    {"deconv", make_convolution},
    {"eltwise", make_eltwise},
    {"gnorm", make_group_normalization},
    {"ip", make_inner_product},
    {"lnorm", make_layer_normalization},
    {"lrn", make_lrn},
    {"matmul", make_matmul},
    {"pool", make_pooling},
    {"prelu", make_prelu},
    {"reduction", make_reduction},
    {"reorder", make_reorder},
    {"rnn", make_rnn},
    {"shuffle", make_shuffle},
    {"resampling", make_resampling},
    {"softmax", make_softmax},
    {"sum", make_sum},
    {"zeropad", make_zero_padding},
};
// clang-format on

// dims of the value array: masked dims divided by their groups, others 1.
dims value_shape(const dims &shape, int mask, const dims &groups) {
    dims result(shape.size(), 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!(mask >> d & 1)) continue;
        const std::size_t from_end = shape.size() - d; // groups belong to the last two dims
        const dim group = !groups.empty() && from_end <= 2 ? groups[2 - from_end] : 1;
        if (group < 1 || (group < shape[d] && shape[d] % group != 0))
            throw skipped_case("Invalid case: groups do not divide the dimension");
        result[d] = (shape[d] + group - 1) / group;
    }
    return result;
}

int post_op_mask(const std::string &policy, int ndims) {
    if (policy.find_first_not_of("0123456789") == std::string::npos)
        return int(integer_of(policy, "post-op mask"));
    return mask_of(policy, "", "", ndims, false);
}

// The dims of dst that the mask names, 1 for the others.
dims broadcast_shape(const std::string &policy, const dims &dst_shape) {
    const int mask = post_op_mask(policy, int(dst_shape.size()));
    dims shape = dst_shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (!(mask >> d & 1)) shape[d] = 1;
    return shape;
}

dnnl::fpmath_mode fpmath_of(const std::string &word) {
    using dnnl::fpmath_mode;
    if (word == "bf16") return fpmath_mode::bf16;
    if (word == "f16") return fpmath_mode::f16;
    if (word == "tf32") return fpmath_mode::tf32;
    return word == "any" ? fpmath_mode::any : fpmath_mode::strict;
}

dnnl::accumulation_mode accumulation_of(const std::string &word) {
    using dnnl::accumulation_mode;
    if (word == "relaxed") return accumulation_mode::relaxed;
    if (word == "any") return accumulation_mode::any;
    if (word == "f32") return accumulation_mode::f32;
    if (word == "s32") return accumulation_mode::s32;
    return word == "f16" ? accumulation_mode::f16 : accumulation_mode::strict;
}

} // namespace

bool is_value_array(meaning holds) {
    return holds == meaning::scale || holds == meaning::zero_point || holds == meaning::slope ||
           holds == meaning::number || holds == meaning::reduction;
}

data_type bias_type_of(const test_case &c, data_type weights) {
    const data_type given = type_named(c["bia-dt"]);
    if (given != data_type::undef) return given;
    return is_integer(weights) ? data_type::f32 : weights;
}

bool is_forward(const std::string &direction) { return direction.rfind("FWD", 0) == 0; }

std::unique_ptr<test_problem> make_problem(const test_case &c) {
    for (const maker &entry : makers)
        if (c.what->name == entry.name) return entry.make(c);
    throw skipped_case("Case not supported: no oracle for this driver");
}

tensor_spec &test_problem::add_tensor(int argument, const std::string &name, const dims &shape,
    data_type type, const std::string &tag, role use, meaning holds) {
    tensor_spec spec;
    spec.argument = argument;
    spec.name = name;
    spec.shape = shape;
    spec.type = type;
    spec.requested = desc_with_tag(shape, type, tag);
    spec.use = use;
    spec.holds = holds;
    const auto views = line.settings.find("views");
    if (views != line.settings.end() && views->second != "0" && !is_value_array(holds)) {
        const auto in_place = line.settings.find("inplace");
        const bool alike = in_place != line.settings.end() && in_place->second == "true";
        const view drawn = view_of(
            shape, type, tag, hash_of(views->second + (alike ? "" : name)), !rebuilds_tensors());
        spec.requested = drawn.md;
        spec.bytes = drawn.bytes;
    }
    tensors.push_back(spec);
    return tensors.back();
}

void test_problem::set_strides(tensor_spec &spec, const std::string &strides) {
    if (strides.empty()) return;
    const dims values = dims_of(strides, "strides");
    if (values.size() != spec.shape.size())
        throw skipped_case("Invalid case: strides have another number of dimensions");
    spec.bytes = 0;
    spec.requested =
        whole_bytes(spec.type, [&] { return memory::desc(spec.shape, spec.type, values); });
}

bool test_problem::rebuilds_tensors() const {
    const std::string &driver = line.what->name;
    if (driver == "rnn") return line["prop"] == "BWD_DW";
    return (driver == "pool" || driver == "bnorm") && !is_forward(line["dir"]);
}

const tensor_spec &test_problem::spec(int argument) const {
    for (const tensor_spec &candidate : tensors)
        if (candidate.argument == argument) return candidate;
    throw skipped_case("Invalid case: no argument " + std::to_string(argument));
}

const memory::desc &test_problem::desc(int argument) const { return spec(argument).requested; }

void test_problem::add_quantization(
    const std::vector<quantization_entry> &entries, quantization_kind kind, bool grouped_weights) {
    const bool scale = kind == quantization_kind::scales;
    for (const auto &entry : entries) {
        const int argument = argument_of(entry.argument);
        const bool after = argument == (DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST);
        const tensor_spec owner = spec(after ? DNNL_ARG_DST : argument);
        const int mask = mask_of(entry.policy, line.what->name, entry.argument,
            int(owner.shape.size()), grouped_weights);
        const data_type common_type = scale ? data_type::f32 : data_type::s32;
        using mode = dnnl::quantization_mode;
        auto &list = scale                                   ? scales_
                     : kind == quantization_kind::reductions ? reductions_
                                                             : zero_points_;
        list.push_back({argument, mask, entry.groups, entry.type,
            entry.groups.empty() && entry.type == common_type, entry.is_on_host(),
            entry.policy == "mx"           ? mode::dynamic_mx
            : entry.policy == "dynamic_fp" ? mode::dynamic_fp
                                           : mode::static_sazp});
        const dims shape = value_shape(owner.shape, mask, entry.groups);
        const dims flat = {product(shape)};
        struct attribute {
            int argument;
            const char *name;
            meaning holds;
        };
        const attribute of =
            scale ? attribute {DNNL_ARG_ATTR_SCALES, "scales of ", meaning::scale}
            : kind == quantization_kind::reductions
                ? attribute {DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS, "reductions of ",
                      meaning::reduction}
                : attribute {DNNL_ARG_ATTR_ZERO_POINTS, "zero points of ", meaning::zero_point};
        tensor_spec &values = add_tensor(of.argument | argument, of.name + entry.argument, flat,
            entry.type, "a", entry.is_dynamic() ? role::output : role::input, of.holds);
        values.shape = shape;
        values.offsets = owner.type;
        values.on_host = entry.is_on_host();
        values.has_constant = entry.is_common();
        values.constant = entry.value;
    }
}

// Slopes of prelu, or the sources of a binary; a sum makes dst an update.
void test_problem::add_post_op(
    const post_op &op, int index, const dims &dst_shape, const std::string &axes) {
    if (op.kind != post_op::binary && op.kind != post_op::prelu) return;
    const dims shape = broadcast_shape(op.mask, dst_shape);
    const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(index);
    if (op.kind == post_op::prelu) {
        // No descriptor tells the library how the slopes lie: the memory passed does.
        add_tensor(base | DNNL_ARG_WEIGHTS, "slopes of post-op", shape, data_type::f32, "axb",
            role::input, meaning::slope);
        return;
    }
    add_tensor(base | DNNL_ARG_SRC_1, "source 1 of post-op", shape, op.type, op.tag, role::input,
        meaning::activations);
    tensors.back().accumulates = true;
    tensors.back().axes = axes;
    tensors.back().divides = op.name == "div";
    set_strides(tensors.back(), op.strides);
    binary_descs_.push_back(tensors.back().requested);
    if (op.name != "select") return;
    add_tensor(base | DNNL_ARG_SRC_2, "condition of post-op",
        broadcast_shape(op.condition_mask, dst_shape), data_type::s8, op.condition_tag, role::input,
        meaning::condition);
    binary_descs_.push_back(tensors.back().requested);
}

// The arguments of dropout and stochastic rounding.
void test_problem::add_randomness(int dst_argument) {
    const dropout_knob dropout = dropout_of(line["attr-dropout"]);
    const rounding_knob rounding = rounding_of(line["attr-rounding-mode"]);
    const auto number = [&](int argument, const char *name, data_type type, double value) {
        tensor_spec &added =
            add_tensor(argument, name, {1}, type, "a", role::input, meaning::number);
        added.constant = value;
        added.has_constant = true;
        added.on_host = dropout.on_host && argument != DNNL_ARG_ATTR_ROUNDING_SEED;
    };
    if (!dropout.on && rounding.arguments.empty()) return;
    const tensor_spec dst = spec(dst_argument);
    if (dst.requested.get_format_kind() != memory::format_kind::blocked)
        throw skipped_case("Invalid case: random numbers go by the layout of dst, which is open");
    if (dropout.on) {
        if (dropout.has_mask())
            add_tensor(DNNL_ARG_ATTR_DROPOUT_MASK, "mask of dropout", dst.shape, data_type::u8,
                dropout.tag, role::output);
        number(
            DNNL_ARG_ATTR_DROPOUT_PROBABILITY, "probability", data_type::f32, dropout.probability);
        number(DNNL_ARG_ATTR_DROPOUT_SEED, "seed of dropout",
            dropout.has_wide_seed() ? data_type::s64 : data_type::s32, double(dropout.seed));
        if (dropout.offset != 0)
            number(DNNL_ARG_ATTR_DROPOUT_OFFSET, "offset of dropout", data_type::s64,
                double(dropout.offset));
    }
    if (!rounding.arguments.empty())
        number(DNNL_ARG_ATTR_ROUNDING_SEED, "seed of rounding", data_type::s32, rounding.seed);
}

void test_problem::add_attribute_tensors(int dst_argument, bool grouped_weights, const dims &base) {
    const dims dst_shape = spec(dst_argument).shape;
    const std::string axes = spec(dst_argument).axes;
    add_quantization(quantization_of(line["attr-scales"], quantization_kind::scales),
        quantization_kind::scales, grouped_weights);
    add_quantization(quantization_of(line["attr-zero-points"], quantization_kind::zero_points),
        quantization_kind::zero_points, grouped_weights);
    add_quantization(
        quantization_of(line["attr-precomputed-reductions"], quantization_kind::reductions),
        quantization_kind::reductions, grouped_weights);
    const auto chain = post_ops_of(line["attr-post-ops"]);
    const std::size_t depthwise = depthwise_index(chain);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        if (chain[i].kind == post_op::sum)
            for (tensor_spec &candidate : tensors)
                if (candidate.argument == dst_argument) candidate.use = role::update;
        add_post_op(chain[i], int(i), i < depthwise && !base.empty() ? base : dst_shape, axes);
    }
    add_randomness(dst_argument);
}

dnnl::primitive_attr test_problem::attributes() const {
    dnnl::primitive_attr attr;
    if (!line.settings.count("attr-scales")) return attr; // a driver without attributes
    set_quantization(attr);
    dnnl::post_ops chain;
    std::size_t next_binary = 0;
    for (const post_op &op : post_ops_of(line["attr-post-ops"])) add_to(chain, op, next_binary);
    if (chain.len() > 0) attr.set_post_ops(chain);
    set_modes(attr);
    return attr;
}

void test_problem::set_quantization(dnnl::primitive_attr &attr) const {
    for (const auto &q : scales_)
        if (q.plain && !q.on_host)
            attr.set_scales_mask(q.argument, q.mask);
        else
            attr.set_scales(q.argument, q.mask, q.groups, q.type, q.on_host, q.mode);
    for (const auto &q : zero_points_)
        if (q.plain && !q.on_host)
            attr.set_zero_points_mask(q.argument, q.mask);
        else
            attr.set_zero_points(q.argument, q.mask, q.groups, q.type, q.on_host);
    for (const auto &q : reductions_)
        attr.set_precomputed_reductions(q.argument, q.mask, q.groups, q.type);
}

void test_problem::set_modes(dnnl::primitive_attr &attr) const {
    for (const std::string &argument : rounding_of(line["attr-rounding-mode"]).arguments)
        attr.set_rounding_mode(argument_of(argument), dnnl::rounding_mode::stochastic);
    if (const dropout_knob dropout = dropout_of(line["attr-dropout"]); dropout.on) {
        const memory::desc mask =
            dropout.has_mask() ? desc(DNNL_ARG_ATTR_DROPOUT_MASK) : memory::desc();
        if (dropout.has_wide_seed())
            attr.set_dropout(mask, data_type::s64, dropout.offset != 0, dropout.on_host);
        else
            attr.set_dropout(mask);
    }
    if (line["attr-scratchpad"] == "user") attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto fpmath = split(line["attr-fpmath"], ':');
    if (!line.is_default("attr-fpmath"))
        attr.set_fpmath_mode(fpmath_of(fpmath[0]), fpmath.size() > 1);
    if (!line.is_default("attr-acc-mode"))
        attr.set_accumulation_mode(accumulation_of(line["attr-acc-mode"]));
    if (line["attr-deterministic"] == "true") attr.set_deterministic(true);
}

void test_problem::add_to(
    dnnl::post_ops &chain, const post_op &op, std::size_t &next_binary) const {
    dnnl::algorithm alg = dnnl::algorithm::undef;
    switch (op.kind) {
    case post_op::sum: return chain.append_sum(op.scale, op.zero_point, op.type);
    case post_op::eltwise:
        eltwise_named(op.name, alg);
        return chain.append_eltwise(alg, op.alpha, op.beta);
    case post_op::binary: {
        binary_named(op.name, alg);
        const memory::desc &source = binary_descs_[next_binary++];
        if (op.name != "select") return chain.append_binary(alg, source);
        return chain.append_binary(alg, source, binary_descs_[next_binary++]);
    }
    case post_op::prelu: {
        const int ndims = int(spec(DNNL_ARG_DST).shape.size());
        return chain.append_prelu(post_op_mask(op.mask, ndims));
    }
    case post_op::depthwise: {
        const data_type weights = spec(DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS).type;
        data_type bias = data_type::undef;
        for (const tensor_spec &t : tensors)
            if (t.argument == (DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS)) bias = t.type;
        return chain.append_dw(weights, bias, op.type, op.kernel, op.stride, op.padding);
    }
    }
}

double test_problem::operations() const {
    const std::string &driver_name = line.what->name;
    const tensor_spec *src = nullptr, *weights = nullptr, *dst = nullptr;
    for (const tensor_spec &t : tensors) {
        if (t.argument == DNNL_ARG_SRC || t.argument == DNNL_ARG_DIFF_SRC) src = &t;
        if (t.argument == DNNL_ARG_WEIGHTS || t.argument == DNNL_ARG_DIFF_WEIGHTS) weights = &t;
        if (t.argument == DNNL_ARG_DST || t.argument == DNNL_ARG_DIFF_DST) dst = &t;
    }
    if (!src || !weights || !dst || product(src->shape) == 0 || product(dst->shape) == 0) return 0;
    const double taps = double(product(weights->shape));
    for (const tensor_spec *sparse : {src, weights})
        if (sparse->is_sparse)
            return 2.0 * double(std::count(sparse->stored.begin(), sparse->stored.end(), 1)) *
                   double(sparse == src ? dst->shape.back() : dst->shape.front());
    if (driver_name == "matmul") return 2.0 * double(product(dst->shape) * src->shape.back());
    if (driver_name == "ip") return 2.0 * taps * double(dst->shape[0]);
    if (driver_name == "conv") return 2 * taps * double(product(dst->shape) / dst->shape[1]);
    return driver_name == "deconv" ? 2 * taps * double(product(src->shape) / src->shape[1]) : 0;
}

quantized::quantized(const test_problem &problem, const tensor_map &in, int argument) {
    for (const auto &q : problem.scales_)
        if (q.argument == argument && !q.is_dynamic()) {
            scale_ = &in.at(DNNL_ARG_ATTR_SCALES | argument);
            scale_groups_ = q.groups;
            scale_mask_ = q.mask;
        }
    for (const auto &q : problem.zero_points_)
        if (q.argument == argument) {
            zero_ = &in.at(DNNL_ARG_ATTR_ZERO_POINTS | argument);
            zero_groups_ = q.groups;
        }
    for (const auto &q : problem.reductions_)
        if (q.argument == argument) {
            reduction_ = &in.at(DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | argument);
            reduction_groups_ = q.groups;
        }
}

double quantized::value(
    const tensor *values, const dims &groups, const dims &position, double fallback) {
    if (!values) return fallback;
    if (values->values.size() == 1) return values->values[0];
    if (groups.empty()) return values->at(position);
    dims grouped = position;
    const std::size_t n = position.size();
    grouped[n - 2] /= groups[0];
    grouped[n - 1] /= groups[1];
    return values->at(grouped);
}

} // namespace conformance
