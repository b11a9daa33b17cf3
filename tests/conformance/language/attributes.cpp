// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of the attribute knobs.
#include "language/attributes.hpp"

#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <cmath>

namespace conformance {
namespace {

using dnnl::algorithm;

struct eltwise_name {
    const char *name;
    algorithm alg;
    int parameters; // 0: none, 1: alpha, 2: alpha and beta
};
const eltwise_name eltwise_names[] = {{"abs", algorithm::eltwise_abs, 0},
    {"exp", algorithm::eltwise_exp, 0}, {"exp_dst", algorithm::eltwise_exp_use_dst_for_bwd, 0},
    {"gelu_erf", algorithm::eltwise_gelu_erf, 0}, {"gelu_tanh", algorithm::eltwise_gelu_tanh, 0},
    {"log", algorithm::eltwise_log, 0}, {"logistic", algorithm::eltwise_logistic, 0},
    {"logistic_dst", algorithm::eltwise_logistic_use_dst_for_bwd, 0},
    {"mish", algorithm::eltwise_mish, 0}, {"round", algorithm::eltwise_round, 0},
    {"sqrt", algorithm::eltwise_sqrt, 0}, {"sqrt_dst", algorithm::eltwise_sqrt_use_dst_for_bwd, 0},
    {"square", algorithm::eltwise_square, 0}, {"tanh", algorithm::eltwise_tanh, 0},
    {"tanh_dst", algorithm::eltwise_tanh_use_dst_for_bwd, 0}, {"elu", algorithm::eltwise_elu, 1},
    {"elu_dst", algorithm::eltwise_elu_use_dst_for_bwd, 1}, {"relu", algorithm::eltwise_relu, 1},
    {"relu_dst", algorithm::eltwise_relu_use_dst_for_bwd, 1},
    {"soft_relu", algorithm::eltwise_soft_relu, 1}, {"srelu", algorithm::eltwise_soft_relu, 1},
    {"swish", algorithm::eltwise_swish, 1}, {"clip", algorithm::eltwise_clip, 2},
    {"clip_v2", algorithm::eltwise_clip_v2, 2},
    {"clip_v2_dst", algorithm::eltwise_clip_v2_use_dst_for_bwd, 2},
    {"hardsigmoid", algorithm::eltwise_hardsigmoid, 2},
    {"hardswish", algorithm::eltwise_hardswish, 2}, {"linear", algorithm::eltwise_linear, 2},
    {"pow", algorithm::eltwise_pow, 2}};

struct binary_name {
    const char *name;
    algorithm alg;
};
const binary_name binary_names[] = {{"add", algorithm::binary_add}, {"div", algorithm::binary_div},
    {"eq", algorithm::binary_eq}, {"ge", algorithm::binary_ge}, {"gt", algorithm::binary_gt},
    {"le", algorithm::binary_le}, {"lt", algorithm::binary_lt}, {"max", algorithm::binary_max},
    {"min", algorithm::binary_min}, {"mul", algorithm::binary_mul}, {"ne", algorithm::binary_ne},
    {"select", algorithm::binary_select}, {"sub", algorithm::binary_sub}};

// Short lower-case form: the prefix and "_use_dst_for_bwd" of the long names are accepted.
std::string short_name(const std::string &text, const std::string &prefix) {
    std::string name = lower_case(text);
    if (name.rfind(prefix, 0) == 0) name = name.substr(prefix.size());
    const std::size_t suffix = name.find("_use_dst_for_bwd");
    if (suffix != std::string::npos) name = name.substr(0, suffix) + "_dst";
    return name == "srelu" ? "soft_relu" : name;
}

bool is_policy(const std::string &name) {
    for (const char *policy : {"common", "per_dim_0", "per_dim_1", "per_dim_01", "per_oc",
             "per_ocic", "per_dim_2", "per_dim_3", "per_tensor"})
        if (name == policy) return true;
    return false;
}

bool is_mask(const std::string &policy) {
    return policy.find_first_not_of("0123456789") == std::string::npos;
}

// A policy in lower case, or a mask.
std::string policy_or_mask(const std::string &word, const std::string &text) {
    const std::string name = lower_case(word);
    if (is_policy(name)) return name;
    const auto mask = integer_of(name, text);
    if (mask < 0) throw usage_error("the mask in '" + text + "' is negative");
    return std::to_string(mask);
}

void check_argument(const std::string &name) {
    if (argument_of(name) == 0) throw usage_error("unknown argument '" + name + "'");
}

// A policy of an entry, or a mask; the mask 0 is the policy common.
std::string entry_policy(
    const std::string &word, const std::string &argument, quantization_kind kind) {
    const std::string name = lower_case(word);
    if (name == "host_scalar" && kind != quantization_kind::reductions) return name;
    const bool may_be_dynamic = kind == quantization_kind::scales && argument == "dst";
    if ((name == "mx" || name == "dynamic_fp") && may_be_dynamic) return name;
    if (name.empty() || (!is_policy(name) && !is_mask(name)))
        throw usage_error("unknown policy '" + word + "' of " + argument);
    const std::string policy = policy_or_mask(name, name);
    return policy == "0" ? "common" : policy;
}

// What an entry has where its text says nothing: type and groups.
quantization_entry entry_defaults(const std::string &policy, quantization_kind kind) {
    quantization_entry entry;
    entry.type = kind == quantization_kind::scales ? data_type::f32 : data_type::s32;
    if (policy == "mx") {
        entry.type = data_type::e8m0;
        entry.groups = {1, 32};
    } else if (policy == "dynamic_fp") {
        entry.type = data_type::f8_e4m3;
        entry.groups = {1, 16};
    }
    return entry;
}

quantization_entry quantization_entry_of(const std::string &text, quantization_kind kind) {
    const bool scales = kind == quantization_kind::scales;
    const auto fields = split(text, ':');
    const std::string argument = lower_case(fields[0]) == "src0" ? "src" : lower_case(fields[0]);
    check_argument(argument);
    const std::string policy = entry_policy(fields.size() > 1 ? fields[1] : "", argument, kind);
    quantization_entry entry = entry_defaults(policy, kind);
    entry.argument = argument;
    entry.policy = policy;
    entry.value = scales ? 1 : 0;
    if (kind == quantization_kind::reductions && fields.size() != 4)
        throw usage_error("'" + text + "': ARG:POLICY:DT:GROUPS is needed");
    std::size_t next = 2;
    if (entry.is_common() && kind != quantization_kind::reductions && next < fields.size()) {
        entry.value = float_of(fields[next++], text);
        if (scales ? !(entry.value >= 0) : entry.value != std::nearbyint(entry.value))
            throw usage_error("the value in '" + text + "' is not allowed");
    }
    if (next < fields.size()) entry.type = type_named(fields[next++]);
    if (next < fields.size()) entry.groups = dims_of(fields[next++], text);
    const bool may_group = entry.policy == "per_tensor" || entry.policy == "per_oc" ||
                           entry.policy == "per_ocic" || entry.is_dynamic() ||
                           is_mask(entry.policy);
    if (!entry.groups.empty() && (entry.groups.size() != 2 || !may_group))
        throw usage_error("groups in '" + text + "' are not allowed");
    if (next < fields.size()) throw usage_error("too many fields in '" + text + "'");
    return entry;
}

post_op sum_of(const std::vector<std::string> &fields, const std::string &text) {
    post_op op;
    op.kind = post_op::sum;
    op.name = "sum";
    if (fields.size() > 1) op.scale = float_of(fields[1], text);
    if (fields.size() > 2) op.zero_point = int(integer_of(fields[2], text));
    if (fields.size() > 3) op.type = type_named(fields[3]);
    if (fields.size() > 4 || (fields.size() > 3 && op.type == data_type::undef))
        throw usage_error("wrong post-op '" + text + "'");
    return op;
}

post_op prelu_of(const std::vector<std::string> &fields, const std::string &text) {
    post_op op;
    op.kind = post_op::prelu;
    op.name = "prelu";
    if (fields.size() > 1) op.mask = policy_or_mask(fields[1], text);
    if (fields.size() > 2) throw usage_error("wrong post-op '" + text + "'");
    return op;
}

// "select:DT[.MASK[.TAG]][:MASK[.TAG]]": source 1, then the condition.
post_op select_of(const std::vector<std::string> &fields, const std::string &text) {
    const auto wrong = [&] { return usage_error("wrong post-op '" + text + "'"); };
    if (fields.size() < 2 || fields.size() > 3) throw wrong();
    post_op op;
    op.kind = post_op::binary;
    op.name = "select";
    const auto source = split(fields[1], '.');
    if (source.size() > 3) throw wrong();
    op.type = type_named(source[0]);
    if (source.size() > 1) op.mask = policy_or_mask(source[1], text);
    if (source.size() > 2) check_tag(op.tag = source[2]);
    if (fields.size() < 3) return op;
    const auto condition = split(fields[2], '.');
    if (condition.size() > 2) throw wrong();
    op.condition_mask = policy_or_mask(condition[0], text);
    if (condition.size() > 1) check_tag(op.condition_tag = condition[1]);
    return op;
}

// "k3s1p1": letters in this order, each with a number.
post_op depthwise_of(const std::vector<std::string> &fields, const std::string &text) {
    post_op op;
    op.kind = post_op::depthwise;
    op.name = "dw";
    op.type = fields.size() > 2 ? type_named(fields[2]) : data_type::f32;
    const std::string shape = fields.size() > 1 ? lower_case(fields[1]) : "";
    const std::size_t s = shape.find('s'), p = shape.find('p');
    if (fields.size() > 3 || shape.empty() || shape[0] != 'k' || s == shape.npos ||
        p == shape.npos || p < s)
        throw usage_error("wrong post-op '" + text + "'");
    op.kernel = integer_of(shape.substr(1, s - 1), text);
    op.stride = integer_of(shape.substr(s + 1, p - s - 1), text);
    op.padding = integer_of(shape.substr(p + 1), text);
    if (op.kernel < 1 || op.stride < 1) throw usage_error("wrong post-op '" + text + "'");
    return op;
}

post_op post_op_of(const std::string &text) {
    const auto fields = split(text, ':');
    if (text.empty() || fields.back().empty())
        throw usage_error("dangling symbol in '" + text + "'");
    post_op op;
    dnnl::algorithm alg;
    const std::string name = lower_case(fields[0]);
    if (name == "sum") return sum_of(fields, text);
    if (name == "prelu") return prelu_of(fields, text);
    if (name == "dw") return depthwise_of(fields, text);
    op.name = short_name(name, "eltwise_");
    if (eltwise_named(op.name, alg)) {
        op.kind = post_op::eltwise;
        if (fields.size() > 1) op.alpha = float_of(fields[1], text);
        if (fields.size() > 2) op.beta = float_of(fields[2], text);
        return op;
    }
    op.kind = post_op::binary;
    op.name = short_name(name, "binary_");
    if (op.name == "select") return select_of(fields, text);
    if (!binary_named(op.name, alg)) throw usage_error("unknown post-op '" + text + "'");
    if (fields.size() < 2 || fields.size() > 5) throw usage_error("wrong post-op '" + text + "'");
    op.type = type_named(fields[1]);
    if (fields.size() > 2) op.mask = policy_or_mask(fields[2], text);
    if (fields.size() > 3) check_tag(op.tag = fields[3]);
    if (fields.size() > 4) dims_of(op.strides = fields[4], text);
    return op;
}

// Drops trailing fields that hold their default.
std::string without_defaults(std::vector<std::string> fields, std::vector<std::string> defaults) {
    while (!defaults.empty() && fields.size() > 1 && fields.back() == defaults.back()) {
        fields.pop_back();
        defaults.pop_back();
    }
    return joined(fields, ":");
}

std::string select_text(const post_op &op) {
    std::string text = "select:" + name_of(op.type), condition = op.condition_mask;
    if (op.mask != "common" || op.tag != "any") text += '.' + op.mask;
    if (op.tag != "any") text += '.' + op.tag;
    if (op.condition_tag != "any") condition += '.' + op.condition_tag;
    return condition == "common" ? text : text + ':' + condition;
}

} // namespace

int eltwise_parameters(const std::string &name) {
    for (const eltwise_name &entry : eltwise_names)
        if (name == entry.name) return entry.parameters;
    return 0;
}

std::string differentiable_eltwise() {
    std::string names;
    for (const eltwise_name &entry : eltwise_names) {
        const std::string name = entry.name;
        const bool of_dst = name.find("_dst") != std::string::npos;
        if (!of_dst && name != "round" && name != "srelu")
            names += (names.empty() ? "" : " ") + name;
    }
    return names;
}

bool eltwise_named(const std::string &name, dnnl::algorithm &alg) {
    for (const auto &entry : eltwise_names)
        if (name == entry.name) return alg = entry.alg, true;
    return false;
}

bool binary_named(const std::string &name, dnnl::algorithm &alg) {
    for (const auto &entry : binary_names)
        if (name == entry.name) return alg = entry.alg, true;
    return false;
}

std::vector<quantization_entry> quantization_of(const std::string &text, quantization_kind kind) {
    std::vector<quantization_entry> entries;
    if (text.empty()) return entries;
    for (const std::string &part : split_entries(text))
        entries.push_back(quantization_entry_of(part, kind));
    return entries;
}

std::string text_of(const std::vector<quantization_entry> &entries, quantization_kind kind) {
    const bool scales = kind == quantization_kind::scales;
    std::vector<std::string> parts;
    for (const auto &entry : entries) {
        std::vector<std::string> fields = {entry.argument + ":" + entry.policy}, defaults;
        if (entry.is_common() && kind != quantization_kind::reductions) {
            fields.push_back(text_of(entry.value));
            defaults.push_back(scales ? "1" : "0");
        }
        const quantization_entry usual = entry_defaults(entry.policy, kind);
        const auto groups_text = [](const dims &groups) {
            return groups.empty() ? std::string() : dims_text(groups);
        };
        fields.push_back(name_of(entry.type));
        defaults.push_back(name_of(usual.type));
        fields.push_back(groups_text(entry.groups));
        defaults.push_back(groups_text(usual.groups));
        if (kind == quantization_kind::reductions) defaults.clear(); // all fields are needed
        parts.push_back(without_defaults(fields, defaults));
    }
    return joined(parts, "+");
}

std::vector<post_op> post_ops_of(const std::string &text) {
    std::vector<post_op> chain;
    if (text.empty()) return chain;
    for (const std::string &part : split_entries(text)) chain.push_back(post_op_of(part));
    return chain;
}

std::string text_of(const std::vector<post_op> &chain) {
    std::vector<std::string> parts;
    for (const auto &op : chain) {
        if (op.kind == post_op::sum)
            parts.push_back(
                without_defaults({"sum", text_of(op.scale), std::to_string(op.zero_point),
                                     op.type == data_type::undef ? "" : name_of(op.type)},
                    {"1", "0", ""}));
        else if (op.kind == post_op::prelu)
            parts.push_back(without_defaults({"prelu", op.mask}, {"common"}));
        else if (op.kind == post_op::depthwise)
            parts.push_back(without_defaults(
                {"dw:k" + std::to_string(op.kernel) + "s" + std::to_string(op.stride) + "p" +
                        std::to_string(op.padding),
                    name_of(op.type)},
                {"f32"}));
        else if (op.kind == post_op::eltwise)
            parts.push_back(
                without_defaults({op.name, text_of(op.alpha), text_of(op.beta)}, {"0", "0"}));
        else if (op.name == "select")
            parts.push_back(select_text(op));
        else
            parts.push_back(
                without_defaults({op.name + ":" + name_of(op.type), op.mask, op.tag, op.strides},
                    {"common", "any", ""}));
    }
    return joined(parts, "+");
}

std::size_t depthwise_index(const std::vector<post_op> &chain) {
    std::size_t index = 0;
    while (index < chain.size() && chain[index].kind != post_op::depthwise) ++index;
    return index;
}

int mask_of(const std::string &policy, const std::string &driver, const std::string &argument,
    int ndims, bool groups) {
    const bool weighted = driver == "conv" || driver == "deconv" || driver == "ip";
    const auto refuse = [&]() -> int {
        throw usage_error("policy " + policy + " is not defined for " + argument + " of " + driver);
    };
    if (policy == "common" || policy == "host_scalar") return 0;
    if (is_mask(policy)) return int(integer_of(policy, "mask"));
    if (policy == "mx" || policy == "dynamic_fp") return (1 << ndims) - 1;
    if (argument == "attr_post_op_dw_wei") return policy == "per_oc" ? 3 : refuse();
    if (weighted && argument == "wei") {
        if (policy == "per_oc") return groups ? 3 : 1;
        return refuse();
    }
    if (driver == "matmul" && (argument == "src" || argument == "wei" || argument == "dst")) {
        if (policy == "per_oc" || policy == "per_dim_1") return 1 << (ndims - 1);
        if (policy == "per_ocic") return (1 << (ndims - 1)) + (1 << (ndims - 2));
        if (policy == "per_tensor") return (1 << ndims) - 1;
        return refuse();
    }
    if (policy == "per_dim_0") return 1;
    if (policy == "per_dim_01" || policy == "per_ocic") return 3;
    if (policy == "per_dim_2") return 4;
    if (policy == "per_dim_3") return 8;
    if (policy == "per_tensor") return (1 << ndims) - 1;
    return driver == "reorder" && policy == "per_oc" ? refuse() : 2;
}

int argument_of(const std::string &name) {
    if (name == "src" || name == "src0") return DNNL_ARG_SRC;
    if (name == "src1") return DNNL_ARG_SRC_1;
    if (name == "wei") return DNNL_ARG_WEIGHTS;
    if (name == "dst") return DNNL_ARG_DST;
    if (name.rfind("attr_post_op_dw_", 0) == 0) {
        const int owner = argument_of(name.substr(16));
        const bool known = owner == DNNL_ARG_WEIGHTS || owner == DNNL_ARG_DST;
        return known ? DNNL_ARG_ATTR_POST_OP_DW | owner : 0;
    }
    if (name.rfind("msrc", 0) == 0)
        return DNNL_ARG_MULTIPLE_SRC + int(integer_of(name.substr(4), name));
    return 0;
}

} // namespace conformance
