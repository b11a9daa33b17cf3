// SPDX-License-Identifier: Apache-2.0
// Table of drivers and knobs (case-language.md 6).
#include "language/knobs.hpp"

#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <cctype>

namespace conformance {
namespace {

using form::tag;
using form::types;
using form::word;

// Attributes in nesting order; print_order below has the order of printing.
std::vector<knob> attribute_knobs() {
    return {{"attr-scales", "", form::scales}, {"attr-zero-points", "", form::zero_points},
        {"attr-precomputed-reductions", "", form::reductions},
        {"attr-post-ops", "", form::post_op_chain},
        {"attr-scratchpad", "library", word({"library", "user"})},
        {"attr-fpmath", "strict", form::fpmath},
        {"attr-acc-mode", "strict", word({"strict", "relaxed", "any", "f32", "s32", "f16"})},
        {"attr-deterministic", "false", form::boolean}, {"attr-dropout", "", form::dropout},
        {"attr-rounding-mode", "", form::rounding}, {"ctx-init", "auto", form::threading_context},
        {"ctx-exe", "auto", form::threading_context}};
}

const char *const printed_attributes[] = {"attr-scales", "attr-zero-points",
    "attr-precomputed-reductions", "attr-post-ops", "attr-scratchpad", "attr-fpmath",
    "attr-acc-mode", "attr-rounding-mode", "attr-deterministic", "attr-dropout", "ctx-init",
    "ctx-exe"};

// `own`: the driver's knobs as they are printed; those marked as innermost vary fastest.
driver made(std::string name, problem_form form, std::string keys, std::string csv,
    const std::vector<knob> &own, bool attributes = true) {
    driver d {std::move(name), form, std::move(keys), {}, {}, std::move(csv)};
    for (const knob &k : own)
        if (!k.innermost) d.knobs.push_back(k);
    if (attributes)
        for (knob &k : attribute_knobs()) d.knobs.push_back(std::move(k));
    for (const knob &k : own)
        if (k.innermost) d.knobs.push_back(k);
    d.knobs.push_back({"views", "0", form::count});
    const auto print = [&](const std::string &knob_name) {
        for (std::size_t i = 0; i < d.knobs.size(); ++i)
            if (d.knobs[i].name == knob_name) d.print_order.push_back(i);
    };
    for (const knob &k : own) print(k.name);
    for (const char *attribute : printed_attributes) print(attribute);
    print("views");
    return d;
}

knob minibatch(bool innermost = false) { return {"mb", "0", form::count, false, innermost}; }
knob in_place(bool innermost = false) {
    return {"inplace", "false", form::boolean, false, innermost};
}
knob bias_type() { return {"bia-dt", "undef", types(1)}; }
knob direction(const char *initial) {
    return {
        "dir", initial, word({"FWD_B", "FWD_D", "FWD_I", "BWD_D", "BWD_W", "BWD_WB", "BWD_DW"})};
}

// "SRC:DST"; dst is `any` where it is not given.
std::string source_and_destination_tag(const std::string &text) {
    const std::string both = form::tags(1, 2)(text);
    return both.find(':') == std::string::npos ? both + ":any" : both;
}

void add_windowed(std::vector<driver> &all) {
    const std::string keys = "g mb ic id ih iw oc od oh ow kd kh kw sd sh sw pd ph pw dd dh dw";
    const std::string csv = "%dir%,%sdt%,%stag%,%wtag%,%dtag%,%alg%";
    all.push_back(made("conv", problem_form::descriptor, keys, csv,
        {direction("FWD_B"), {"dt", "f32", types(3)}, bias_type(), {"stag", "any", tag},
            {"wtag", "any", tag}, {"dtag", "any", tag}, {"strides", "::", form::strides(3)},
            {"alg", "DIRECT", word({"DIRECT", "WINO", "AUTO"}, "convolution_")}, minibatch(true)}));
    all.push_back(made("deconv", problem_form::descriptor, keys, csv,
        {direction("FWD_B"), {"dt", "f32", types(3)}, bias_type(), {"stag", "any", tag},
            {"wtag", "any", tag}, {"dtag", "any", tag},
            {"alg", "DIRECT", word({"DIRECT", "WINO"}, "deconvolution_")}, minibatch(true)}));
    all.push_back(made("pool", problem_form::descriptor,
        "mb ic id ih iw od oh ow kd kh kw sd sh sw pd ph pw dd dh dw",
        "%dir%,%sdt%,%ddt%,%tag%,%alg%",
        {direction("FWD_D"), {"dt", "f32", types(2)}, {"tag", "abx", tag},
            {"alg", "max",
                form::word_or(word({"max", "avg_np", "avg_p"}, "pooling_"),
                    {{"pooling_avg_include_padding", "avg_p"},
                        {"pooling_avg_exclude_padding", "avg_np"}})},
            minibatch()}));
    all.push_back(made("resampling", problem_form::descriptor, "mb ic id ih iw od oh ow",
        "%dir%,%sdt%,%ddt%,%tag%,%alg%",
        {direction("FWD_D"), {"sdt", "f32", types(1)}, {"ddt", "f32", types(1)},
            {"tag", "abx", tag}, {"alg", "nearest", word({"nearest", "linear"}, "resampling_")},
            minibatch()}));
}

void add_products(std::vector<driver> &all) {
    all.push_back(made("ip", problem_form::descriptor, "mb ic id ih iw oc",
        "%dir%,%sdt%,%stag%,%wtag%,%dtag%",
        {direction("FWD_B"), {"dt", "f32", types(3)}, bias_type(), {"stag", "any", tag},
            {"wtag", "any", tag}, {"dtag", "any", tag}, minibatch()}));
    all.push_back(made("matmul", problem_form::multi_dims, "", "%sdt%,%stag%,%wtag%,%dtag%",
        {{"dt", "f32", types(3)}, {"stag", "any", tag}, {"wtag", "any", tag}, {"dtag", "any", tag},
            {"encoding", "::", form::encodings}, {"strides", "::", form::strides(3)},
            {"bia-dt", "undef", types(1), false, true}, {"bia_mask", "2", form::count, false, true},
            {"runtime_dims_masks", "0", form::masks(2)}}));
    const std::vector<std::string> cells = {
        "VANILLA_RNN", "VANILLA_LSTM", "VANILLA_GRU", "LBR_GRU", "VANILLA_AUGRU", "LBR_AUGRU"};
    const std::vector<std::string> configurations = {"f32", "bf16", "bf16f32", "f16", "f16f32",
        "u8u8u8u8", "u8u8u8f32", "f32u8f32u8", "f32u8f32f32", "s8s8s8s8", "s8s8s8f32", "f32s8f32s8",
        "f32s8f32f32"};
    all.push_back(made("rnn", problem_form::descriptor, "l t mb sic slc dhc dic",
        "%prop%,%cfg%,%stag%,%alg%,%activation%,%direction%",
        {{"prop", "FWD_I", word({"FWD_I", "FWD_D", "BWD_DW"})},
            {"cfg", "f32", word(configurations)}, {"tag", "any", form::tags(1, 3)},
            {"alg", "VANILLA_RNN", word(cells)}, {"with-peephole", "false", form::boolean},
            {"with-projection", "false", form::boolean},
            {"scaling", "common", word({"common", "per_oc"})},
            {"scaling-proj", "common", word({"common", "per_oc"})},
            {"direction", "left2right", word({"left2right", "right2left", "concat", "sum"})},
            {"activation", "RELU", word({"RELU", "LOGISTIC", "TANH", "UNDEF"})},
            {"skip-nonlinear", "false", form::boolean}, {"trivial-strides", "true", form::boolean},
            {"flags", "", form::flag_letters("O")}, {"l", "0", form::count},
            {"t", "0", form::count}, minibatch()}));
}

void add_normalizations(std::vector<driver> &all) {
    all.push_back(
        made("bnorm", problem_form::descriptor, "mb ic id ih iw ~eps", "%dir%,%dt%,%tag%,%flags%",
            {direction("FWD_D"), {"dt", "f32", types(1)}, {"tag", "abx", tag},
                {"strides", ":", form::strides(2)}, {"flags", "", form::flag_letters("GCHRA")},
                {"debug-check-ws", "false", form::boolean},
                {"check-alg", "", word({"alg_0", "alg_1"})}, minibatch(), in_place(true)}));
    all.push_back(made("lnorm", problem_form::dims, "", "%dir%,%dt%,%tag%,%stat_tag%,%flags%,%eps%",
        {direction("FWD_D"), {"dt", "f32", types(2)},
            {"tag", "abx:any", source_and_destination_tag}, {"stat_tag", "any", tag},
            {"ss_dt", "f32", types(1)}, {"flags", "", form::flag_letters("GCHM")}, in_place()}));
    all.push_back(
        made("gnorm", problem_form::descriptor, "g mb ic id ih iw ~eps", "%dir%,%dt%,%tag%,%flags%",
            {direction("FWD_D"), {"dt", "f32", types(2)},
                {"tag", "abx:any", source_and_destination_tag},
                {"flags", "", form::flag_letters("GCH")}, in_place(), minibatch()}));
    all.push_back(made("lrn", problem_form::descriptor, "mb ic id ih iw ls ~alpha ~beta ~k",
        "%dir%,%dt%,%tag%,%alg%",
        {direction("FWD_D"), {"dt", "f32", types(1)}, {"tag", "abx", tag},
            {"alg", "ACROSS",
                form::word_or(word({"ACROSS", "WITHIN"}),
                    {{"lrn_across_channels", "ACROSS"}, {"lrn_within_channel", "WITHIN"}})},
            minibatch()}));
    all.push_back(
        made("softmax", problem_form::dims, "", "%dir%,%sdt%,%ddt%,%stag%,%dtag%,%alg%,%axis%",
            {direction("FWD_D"), {"sdt", "f32", types(1)}, {"ddt", "f32", types(1)},
                {"stag", "abx", tag}, {"dtag", "any", tag},
                {"alg", "SOFTMAX",
                    form::word_or(word({"SOFTMAX", "LOGSOFTMAX"}),
                        {{"softmax_accurate", "SOFTMAX"}, {"softmax_log", "LOGSOFTMAX"}})},
                {"axis", "1", form::count}, in_place(), minibatch()}));
}

void add_elementwise(std::vector<driver> &all) {
    all.push_back(made("eltwise", problem_form::dims, "", "%dir%,%dt%,%tag%,%alg%",
        {direction("FWD_D"), {"dt", "f32", types(1)}, {"tag", "abx", tag},
            {"alg", "RELU", form::eltwise_algorithm, true}, {"alpha", "0", form::real, true},
            {"beta", "0", form::real, true}, minibatch(), in_place(true)}));
    const std::vector<std::string> algorithms = {
        "ADD", "DIV", "EQ", "GE", "GT", "LE", "LT", "MAX", "MIN", "MUL", "NE", "SELECT", "SUB"};
    all.push_back(made("binary", problem_form::multi_dims, "", "%sdt%,%ddt%,%stag%,%dtag%,%alg%",
        {{"sdt", "f32:f32", form::two_types(false)}, {"ddt", "f32", types(1)},
            {"stag", "abx:any", form::tags(2, 2)}, {"dtag", "any", tag},
            {"strides", "::", form::strides(3)}, {"alg", "ADD", word(algorithms, "binary_")},
            in_place(true)}));
    all.push_back(made("prelu", problem_form::multi_dims, "", "%dir%,%sdt%,%stag%",
        {direction("FWD_D"), {"sdt", "f32:f32", form::two_types(true)},
            {"stag", "abx:any", form::tags(2, 2)}}));
    const std::vector<std::string> reductions = {"sum", "min", "max", "mul", "mean", "norm_lp_max",
        "norm_lp_sum", "norm_lp_power_p_max", "norm_lp_power_p_sum"};
    all.push_back(made("reduction", problem_form::multi_dims, "", "%sdt%,%ddt%,%stag%,%dtag%,%alg%",
        {{"sdt", "f32", types(1)}, {"ddt", "f32", types(1)}, {"stag", "abx", tag},
            {"dtag", "any", tag}, {"alg", "sum", word(reductions, "reduction_")},
            {"p", "1", form::real}, {"eps", "0", form::real}}));
}

// The drivers that move and add tensors.
void add_movements(std::vector<driver> &all) {
    all.push_back(made("reorder", problem_form::dims, "", "%sdt%,%ddt%,%stag%,%dtag%,%flags%",
        {{"sdt", "f32", types(1), true}, {"ddt", "f32", types(1), true}, {"stag", "abx", tag, true},
            {"dtag", "abx", tag, true}, {"strides", ":", form::strides(2)},
            {"oflag", "", form::compensation_flags}, {"runtime-dim-mask", "0", form::count},
            {"cross-engine", "none", word({"none"})}, {"rnn-qparams", "", form::rnn_parameters}}));
    all.push_back(made("shuffle", problem_form::dims, "", "%dir%,%dt%,%tag%,%group%,%axis%",
        {direction("FWD_D"), {"dt", "f32", types(1)}, {"tag", "abx", tag},
            {"group", "1", form::count}, {"axis", "1", form::count}}));
    all.push_back(made("sum", problem_form::dims, "", "%sdt%,%ddt%,%stag%,%dtag%",
        {{"sdt", "f32:f32", types(0)}, {"ddt", "f32", types(1)}, {"stag", "abx", form::tag_list},
            {"dtag", "undef", tag}, {"scales", "1", form::reals, true}, in_place()}));
    all.push_back(made("concat", problem_form::multi_dims, "", "%sdt%,%ddt%,%stag%,%dtag%,%axis%",
        {{"sdt", "f32", types(1)}, {"ddt", "f32", types(1)}, {"stag", "abx", form::tag_list},
            {"dtag", "undef", tag}, {"axis", "1", form::count}}));
    all.push_back(made("zeropad", problem_form::dims, "", "%dt%,%tag%",
        {{"dt", "f32", types(1)}, {"tag", "abx", tag}}, false));
}

const std::vector<driver> &drivers() {
    static const auto table = [] {
        std::vector<driver> all;
        add_windowed(all);
        add_products(all);
        add_normalizations(all);
        add_elementwise(all);
        add_movements(all);
        return all;
    }();
    return table;
}

// Shapes joined by ':', at least `fewest` and at most `most`, with the name behind them.
std::string dims_with_name(const std::string &text, std::size_t fewest, std::size_t most) {
    const std::size_t name = text.find('n');
    std::string shapes = text.substr(0, name);
    if (shapes.empty() || !std::isdigit(static_cast<unsigned char>(shapes[0])))
        throw usage_error("'" + text + "' is not a problem");
    if (name != std::string::npos && shapes.back() == '_') shapes.pop_back();
    std::vector<std::string> parts;
    for (const std::string &part : split(shapes, ':'))
        parts.push_back(dims_text(dims_of(part, text)));
    if (parts.size() < fewest || parts.size() > most)
        throw usage_error("'" + text + "': wrong number of shapes");
    return joined(parts, ":") + (name == std::string::npos ? "" : text.substr(name));
}

// "mb6_sic32" with every quantity written out: l t mb sic slc dhc dic.
std::string normal_recurrent_problem(descriptor_entries entries, const std::string &keys) {
    if (!entries.has("sic")) throw usage_error("'sic' is mandatory");
    auto &values = entries.values;
    values.insert({{"l", 1}, {"t", 1}, {"mb", 2}});
    for (const char *size : {"slc", "dhc"}) values.insert({size, values["sic"]});
    values.insert({"dic", values["dhc"]});
    return text_of(entries, keys);
}

} // namespace

void driver::set_initial(const std::string &knob_name, const std::string &value) {
    for (knob &k : knobs)
        if (k.name == knob_name) k.initial = value;
}

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
    if (d.form == problem_form::dims) return dims_with_name(text, 1, 1);
    if (d.form == problem_form::multi_dims && d.name == "concat")
        return dims_with_name(text, 1, 64);
    if (d.form == problem_form::multi_dims) // the third shape is the condition of a select
        return dims_with_name(text, 2, d.name == "binary" ? 3 : 2);
    const auto entries = descriptor_of(text, d.keys);
    if (d.name == "rnn") return normal_recurrent_problem(entries, d.keys);
    if (d.name == "conv") window_problem_of(entries, window_kind::convolution);
    if (d.name == "deconv") window_problem_of(entries, window_kind::deconvolution);
    if (d.name == "pool") window_problem_of(entries, window_kind::pooling);
    return text_of(entries, d.keys);
}

} // namespace conformance
