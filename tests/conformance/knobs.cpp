// SPDX-License-Identifier: Apache-2.0
// Table of drivers and knobs.
#include "knobs.hpp"

#include "attributes.hpp"
#include "random_numbers.hpp"
#include "spatial.hpp"
#include "tags.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace conformance {
namespace {

using form = std::function<std::string(const std::string &)>;

// One of several words, upper case; `long_prefix` may precede it in lower case.
form word(std::vector<std::string> words, std::string long_prefix = "") {
    return [=](const std::string &text) {
        std::string bare = lower_case(text);
        if (!long_prefix.empty() && bare.rfind(long_prefix, 0) == 0)
            bare = bare.substr(long_prefix.size());
        for (const std::string &candidate : words)
            if (bare == lower_case(candidate)) return candidate;
        throw usage_error("unknown value '" + text + "'");
    };
}

// One type for all of `count` tensors, or `count` types joined by ':'.
form types(std::size_t count) {
    return [=](const std::string &text) {
        std::vector<std::string> names;
        for (const std::string &part : split(text, ':')) names.push_back(name_of(type_named(part)));
        if (names.size() != 1 && count != 0 && names.size() != count)
            throw usage_error("'" + text + "': wrong number of types");
        bool equal = names.size() == count;
        for (const auto &name : names) equal &= name == names[0];
        return equal && count != 0 ? names[0] : joined(names, ":");
    };
}

// `count` types written out ("f32:f32").
form exactly_two_types() {
    return [](const std::string &text) {
        const auto parts = split(text, ':');
        if (parts.size() != 2) throw usage_error("'" + text + "': two types are needed");
        return name_of(type_named(parts[0])) + ":" + name_of(type_named(parts[1]));
    };
}

std::string tag(const std::string &text) {
    check_tag(text);
    return text;
}

std::string tag_list(const std::string &text) {
    for (const std::string &part : split(text, ':')) check_tag(part);
    return text;
}

std::string two_tags(const std::string &text) {
    if (split(text, ':').size() != 2) throw usage_error("'" + text + "': two tags are needed");
    return tag_list(text);
}

form strides(std::size_t count) {
    return [=](const std::string &text) {
        const auto parts = split(text, ':');
        if (parts.size() != count) throw usage_error("'" + text + "': wrong number of colons");
        for (const std::string &part : parts)
            if (!part.empty()) dims_of(part, "strides");
        return text;
    };
}

std::string boolean(const std::string &text) {
    return lower_case(text) == "true" || text == "1" ? "true" : "false";
}

std::string integer(const std::string &text) { return std::to_string(integer_of(text, "option")); }
std::string real(const std::string &text) { return text_of(float_of(text, "option")); }

std::string reals(const std::string &text) {
    std::vector<std::string> parts;
    for (const std::string &part : split(text, ':')) parts.push_back(real(part));
    return joined(parts, ":");
}

std::string masks(const std::string &text) {
    for (const std::string &part : split(text, ':')) integer_of(part, "mask");
    return text;
}

std::string eltwise_algorithm(const std::string &text) {
    auto chain = post_ops_of(split(text, ':')[0]);
    if (chain.size() != 1 || chain[0].kind != post_op::eltwise || text.find('+') != text.npos)
        throw usage_error("unknown eltwise algorithm '" + text + "'");
    return upper_case(chain[0].name);
}

std::string scales(const std::string &text) {
    return text_of(quantization_of(text, quantization_kind::scales), quantization_kind::scales);
}
std::string zero_points(const std::string &text) {
    return text_of(
        quantization_of(text, quantization_kind::zero_points), quantization_kind::zero_points);
}
std::string post_op_chain(const std::string &text) { return text_of(post_ops_of(text)); }
std::string rounding(const std::string &text) { return text_of(rounding_of(text)); }
std::string dropout(const std::string &text) { return text_of(dropout_of(text)); }

std::string fpmath(const std::string &text) {
    const auto parts = split(lower_case(text), ':');
    word({"strict", "bf16", "f16", "tf32", "any"})(parts[0]);
    if (parts.size() > 2) throw usage_error("wrong fpmath mode '" + text + "'");
    return parts.size() == 2 && boolean(parts[1]) == "true" ? parts[0] + ":true" : parts[0];
}

std::string flags(const std::string &text) { return text; }

std::vector<knob> with_attributes(
    std::vector<knob> own, bool mb, bool inplace, bool mb_first = false) {
    const knob minibatch {"mb", "0", integer};
    if (mb && mb_first) own.push_back(minibatch);
    const std::vector<knob> shared = {{"attr-scales", "", scales},
        {"attr-zero-points", "", zero_points}, {"attr-post-ops", "", post_op_chain},
        {"attr-scratchpad", "library", word({"library", "user"})},
        {"attr-fpmath", "strict", fpmath},
        {"attr-acc-mode", "strict", word({"strict", "relaxed", "any", "f32", "s32", "f16"})},
        {"attr-rounding-mode", "", rounding}, {"attr-deterministic", "false", boolean},
        {"attr-dropout", "", dropout}, {"ctx-init", "auto", flags}, {"ctx-exe", "auto", flags}};
    own.insert(own.end(), shared.begin(), shared.end());
    if (mb && !mb_first) own.push_back(minibatch);
    if (inplace) own.push_back({"inplace", "false", boolean});
    return own;
}

const form all_directions = word({"FWD_B", "FWD_D", "FWD_I", "BWD_D", "BWD_W", "BWD_WB", "BWD_DW"});

// The drivers that multiply by weights.
void add_weighted(std::vector<driver> &all) {
    const std::string window_keys =
        "g mb ic id ih iw oc od oh ow kd kh kw sd sh sw pd ph pw dd dh dw";
    all.push_back({"conv", problem_form::descriptor, window_keys,
        with_attributes(
            {{"dir", "FWD_B", all_directions}, {"dt", "f32", types(3)}, {"stag", "any", tag},
                {"wtag", "any", tag}, {"dtag", "any", tag}, {"strides", "::", strides(3)},
                {"alg", "DIRECT", word({"DIRECT", "WINO", "AUTO"}, "convolution_")}},
            true, false)});
    all.push_back({"ip", problem_form::descriptor, "mb ic id ih iw oc",
        with_attributes({{"dir", "FWD_B", all_directions}, {"dt", "f32", types(3)},
                            {"stag", "any", tag}, {"wtag", "any", tag}, {"dtag", "any", tag}},
            true, false)});
    all.push_back({"matmul", problem_form::multi_dims, "",
        with_attributes({{"dt", "f32", types(3)}, {"stag", "any", tag}, {"wtag", "any", tag},
                            {"dtag", "any", tag}, {"strides", "::", strides(3)},
                            {"runtime_dims_masks", "0", masks}, {"bia_dt", "undef", types(1)},
                            {"bia_mask", "2", integer}},
            false, false)});
}

// Pooling and the elementwise drivers.
void add_activations(std::vector<driver> &all) {
    all.push_back({"pool", problem_form::descriptor,
        "mb ic id ih iw od oh ow kd kh kw sd sh sw pd ph pw dd dh dw",
        with_attributes(
            {{"dir", "FWD_D", all_directions}, {"dt", "f32", types(2)}, {"tag", "abx", tag},
                {"alg", "max",
                    [](const std::string &text) {
                        if (text == "pooling_avg_include_padding") return std::string("avg_p");
                        if (text == "pooling_avg_exclude_padding") return std::string("avg_np");
                        return word({"max", "avg_np", "avg_p"}, "pooling_")(text);
                    }}},
            true, false)});
    all.push_back({"eltwise", problem_form::dims, "",
        with_attributes({{"dir", "FWD_D", all_directions}, {"dt", "f32", types(1)},
                            {"tag", "abx", tag}, {"alg", "RELU", eltwise_algorithm, true},
                            {"alpha", "0", real, true}, {"beta", "0", real, true}},
            true, true, true)});
    all.push_back({"binary", problem_form::multi_dims, "",
        with_attributes({{"sdt", "f32:f32", exactly_two_types()}, {"ddt", "f32", types(1)},
                            {"stag", "abx:any", two_tags}, {"dtag", "any", tag},
                            {"alg", "ADD",
                                word({"ADD", "DIV", "EQ", "GE", "GT", "LE", "LT", "MAX", "MIN",
                                         "MUL", "NE", "SELECT", "SUB"},
                                    "binary_")}},
            false, true)});
    all.push_back({"softmax", problem_form::dims, "",
        with_attributes({{"dir", "FWD_D", all_directions}, {"sdt", "f32", types(1)},
                            {"ddt", "f32", types(1)}, {"stag", "abx", tag}, {"dtag", "any", tag},
                            {"alg", "SOFTMAX",
                                [](const std::string &text) {
                                    if (lower_case(text) == "softmax_accurate")
                                        return std::string("SOFTMAX");
                                    if (lower_case(text) == "softmax_log")
                                        return std::string("LOGSOFTMAX");
                                    return word({"SOFTMAX", "LOGSOFTMAX"})(text);
                                }},
                            {"axis", "1", integer}},
            true, true)});
}

// The drivers that move and add tensors.
void add_movements(std::vector<driver> &all) {
    all.push_back({"reorder", problem_form::dims, "",
        with_attributes(
            {{"sdt", "f32", types(1), true}, {"ddt", "f32", types(1), true},
                {"stag", "abx", tag, true}, {"dtag", "abx", tag, true},
                {"strides", ":", strides(2)}, {"oflag", "", flags},
                {"runtime-dim-mask", "0", integer}, {"cross-engine", "none", word({"none"})}},
            false, false)});
    all.push_back({"sum", problem_form::dims, "",
        with_attributes(
            {{"sdt", "f32:f32", types(0)}, {"ddt", "f32", types(1)}, {"stag", "abx", tag_list},
                {"dtag", "undef", tag}, {"scales", "1", reals, true}},
            false, true)});
    all.push_back({"concat", problem_form::multi_dims, "",
        with_attributes(
            {{"sdt", "f32", types(1)}, {"ddt", "f32", types(1)}, {"stag", "abx", tag_list},
                {"dtag", "undef", tag}, {"axis", "1", integer}},
            false, false)});
}

const std::vector<driver> &drivers() {
    static const auto table = [] {
        std::vector<driver> all;
        add_weighted(all);
        add_activations(all);
        add_movements(all);
        return all;
    }();
    return table;
}

std::string dims_with_name(const std::string &text, bool several) {
    const std::size_t name = text.find('n');
    std::string shapes = text.substr(0, name);
    if (!shapes.empty() && shapes.back() == '_') shapes.pop_back();
    std::vector<std::string> parts;
    for (const std::string &part : split(shapes, ':'))
        parts.push_back(dims_text(dims_of(part, text)));
    if (!several && parts.size() != 1) throw usage_error("'" + text + "': one shape is expected");
    return joined(parts, ":") + (name == std::string::npos ? "" : text.substr(name));
}

} // namespace

const driver *find_driver(const std::string &name) {
    for (const driver &d : drivers())
        if (d.name == name) return &d;
    return nullptr;
}

std::vector<std::string> driver_names() {
    std::vector<std::string> names;
    for (const driver &d : drivers()) names.push_back(d.name);
    return names;
}

std::string normal_problem(const driver &d, const std::string &text) {
    if (d.form != problem_form::descriptor)
        return dims_with_name(text, d.form == problem_form::multi_dims);
    const auto entries = descriptor_of(text, d.keys);
    if (d.name == "conv" || d.name == "pool") window_problem_of(entries, d.name == "pool");
    return text_of(entries, d.keys);
}

} // namespace conformance
