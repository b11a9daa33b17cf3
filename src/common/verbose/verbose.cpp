// SPDX-License-Identifier: Apache-2.0
#include "common/verbose/verbose.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <set>
#include <string_view>

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/settings.hpp"

namespace dnnl::impl::verbose {

namespace {
/// Calls write() the first time that a process comes here with this key.
template <class Write> void write_once(const std::string &key, const Write &write) {
    static std::mutex mutex;
    static auto &mentioned = *new std::set<std::string>; // outlives whoever executes at exit
    const std::lock_guard lock(mutex);
    if (mentioned.insert(key).second) write();
}

/// Multiplications and additions of an execution, about: sqrt of src x weights x dst elements is M
/// N K of a matmul, and within a factor of the window's side for convolutions; rows of the input
/// times weights of a recurrent network; the elements of the largest tensor elsewhere.
double operations_of(const op_desc &op, std::span<const tensor_argument> arguments) {
    double largest = 0, all = 1, weights = 0, rows = 0;
    for (const tensor_argument &a : arguments) {
        if (a.md->has_runtime()) return 0;
        const double count = double(a.md->nelems());
        const bool is_weights = a.arg == DNNL_ARG_WEIGHTS || a.arg == DNNL_ARG_DIFF_WEIGHTS;
        const bool is_image = a.arg == DNNL_ARG_SRC || a.arg == DNNL_ARG_DST ||
                              a.arg == DNNL_ARG_DIFF_SRC || a.arg == DNNL_ARG_DIFF_DST;
        if (is_weights || is_image) all *= count;
        if (is_weights || a.arg == DNNL_ARG_WEIGHTS_ITER) weights += count;
        if (a.arg == DNNL_ARG_SRC_LAYER) rows = double(a.md->dims[0] * a.md->dims[1]);
        largest = std::max(largest, count);
    }
    if (kind_of(op) == dnnl_rnn) return 2 * rows * weights;
    return weights > 0 && kind_of(op) != dnnl_prelu ? 2 * std::sqrt(all) : largest;
}

std::string argument_name(int arg) {
    if (arg & DNNL_ARG_ATTR_POST_OP_DW)
        return "attr_post_op_dw_" + argument_name(arg & ~DNNL_ARG_ATTR_POST_OP_DW);
    if (arg >= DNNL_ARG_MULTIPLE_SRC && arg < DNNL_ARG_MULTIPLE_DST)
        return fmt::format("msrc{}", arg - DNNL_ARG_MULTIPLE_SRC);
    switch (arg) {
    case DNNL_ARG_SRC_0: return "src0";
    case DNNL_ARG_SRC_1: return "src1";
    case DNNL_ARG_SRC_2: return "src2";
    case DNNL_ARG_WEIGHTS_0:
    case DNNL_ARG_WEIGHTS_1:
    case DNNL_ARG_WEIGHTS_2: return "wei";
    case DNNL_ARG_DST: return "dst";
    case DNNL_ARG_DIFF_SRC: return "diff_src";
    case DNNL_ARG_DIFF_WEIGHTS: return "diff_wei";
    default: return fmt::format("arg{}", arg);
    }
}

/// Joins with '+'.
template <class Range, class Text> std::string joined(const Range &range, const Text &text_of) {
    std::string text;
    for (const auto &entry : range) text += (text.empty() ? "" : "+") + text_of(entry);
    return text;
}

std::string entry_text(const quantization &q) {
    std::string text = fmt::format("{}:{}:{}", argument_name(q.arg), q.mask, name_of(q.dtype));
    if (q.has_groups()) text += fmt::format(":{}x{}", q.group_dims[0], q.group_dims[1]);
    if (q.on_host) text += ":host_scalar";
    if (q.is_dynamic()) text.append(":").append(dnnl_quantization_mode2str(q.mode));
    return text;
}

// Trailing parameters that have their default values are left out.
std::string post_op_text(const eltwise_post_op &p) {
    std::string text = dnnl_alg_kind2str(p.alg);
    if (p.alpha != 0 || p.beta != 0) text += fmt::format(":{:g}", p.alpha);
    if (p.beta != 0) text += fmt::format(":{:g}", p.beta);
    return text;
}
std::string post_op_text(const sum_post_op &p) {
    const bool typed = p.dtype != data_type::undef;
    std::string text = "sum";
    if (p.scale != 1 || p.zero_point != 0 || typed) text += fmt::format(":{:g}", p.scale);
    if (p.zero_point != 0 || typed) text += fmt::format(":{}", p.zero_point);
    if (typed) text += fmt::format(":{}", name_of(p.dtype));
    return text;
}
std::string post_op_text(const binary_post_op &p) {
    unsigned mask = 0;
    for (int d = 0; d < p.src1.ndims; ++d) mask |= unsigned {p.src1.dims[d] != 1} << d;
    auto text = fmt::format("{}:{}:{}", dnnl_alg_kind2str(p.alg), name_of(p.src1.dtype), mask);
    if (p.src1.is_any()) return text + ":any";
    if (std::popcount(mask) <= 1) return text;
    const std::string strides = strides_text(p.src1);
    return text + ':' + layout_name(p.src1) + (strides.empty() ? "" : ':' + strides);
}
std::string post_op_text(const prelu_post_op &p) { return fmt::format("prelu:{}", p.mask); }
std::string post_op_text(const depthwise_post_op &p) {
    const bool typed = p.weights_type == data_type::s8 || p.dst_type != data_type::f32;
    return fmt::format("dw:k{}s{}p{}{}{}", p.kernel, p.stride, p.padding_l, typed ? ":" : "",
        typed ? name_of(p.dst_type) : "");
}
} // namespace

void profiled(const char *operation, const chosen &c, double milliseconds) {
    const char *name = dnnl_prim_kind2str(kind_of(c.resolved.op));
    if (!shows(name)) return;
    write_event(
        fmt::format("primitive,{},{},{},{},{},{:g}", operation, dnnl_engine_kind2str(c.engine.kind),
            name, c.info, fields_of(c.resolved, c.request), milliseconds));
}

void refused(const problem &p, const std::string &row, const char *reason) {
    const char *name = dnnl_prim_kind2str(kind_of(p.op));
    if (!wants(dispatch) || !shows(name)) return;
    write_event(fmt::format("primitive,create:dispatch,{0},cpu,{0},{1},{2},{3},implementations.cpp",
        name, row, fields_of(p, p), reason));
}

void check_failed(const char *operation, const char *primitive, error &refusal) {
    refusal.told = wants(check) || !shows(primitive);
    if (!wants(check) || !shows(primitive)) return;
    const bool creating = std::string_view(operation) == "create";
    std::string_view text = refusal.what(); // the primitive is a field of its own
    const std::string prefix = std::string(primitive) + ": ";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    write_event(fmt::format("primitive,{}:check,{},{},{}", operation, primitive, text,
        creating ? "primitive_desc_create" : "primitive_execute"));
}

void blocked(const std::array<dim_t, 3> &extents, const std::array<dim_t, 3> &block) {
    write_event(fmt::format("common,info,blocking,{}x{}x{} in blocks of {}x{}x{}", extents[0],
        extents[1], extents[2], block[0], block[1], block[2]));
}

void reference_taken(const op_desc &op, std::span<const tensor_argument> arguments) noexcept {
    static const bool wanted = [] {
        const char *value = environment("WARN");
        return wants(errors) && !(value && same_word(value, "0"));
    }();
    try {
        const double operations = wanted ? operations_of(op, arguments) : 0;
        if (operations < 1e7) return;
        write_once("reference", [&] {
            write_warning(
                fmt::format("{},reference,{:.0f} million operations for the readable, slow "
                            "implementation: ONEDNN_VERBOSE=dispatch says why; "
                            "DNNL_WARN=0 silences this",
                    dnnl_prim_kind2str(kind_of(op)), operations / 1e6));
        });
    } catch (...) { // the creation goes on without the line
    }
}

void argument_ignored(const char *primitive, const std::string &argument) noexcept {
    try {
        if (!shows(primitive)) return;
        const std::string key = fmt::format("{},{}", primitive, argument);
        write_once(
            key, [&] { write_warning(key + " is not an argument of this primitive: ignored"); });
    } catch (...) { // the execution goes on without the line
    }
}

void argument_reread(
    const char *primitive, const std::string &argument, const std::string &how) noexcept {
    try {
        if (how.empty() || !shows(primitive)) return;
        const std::string line = fmt::format(
            "primitive,exec:check,{},{}: {},primitive_execute", primitive, argument, how);
        write_once(line, [&] { write_event(line); });
    } catch (...) { // as above
    }
}

void leased(std::size_t bytes) {
    write_event(fmt::format("common,info,scratchpad,{} bytes leased beside the user's", bytes));
}

void gemm_executed(const gemm_line &line, double milliseconds) {
    if (!wants(profile_exec) || !shows("gemm_api")) return;
    write_event(fmt::format("primitive,exec,cpu,gemm_api,,undef,src_{}::blocked:{}:f0 "
                            "wei_{}::blocked:{}:f0 dst_{}::blocked:ab:f0,,,{}x{}:{}x{},{:g}",
        name_of(line.types[0]), line.a_transposed ? "ba" : "ab", name_of(line.types[1]),
        line.b_transposed ? "ba" : "ab", name_of(line.types[2]), line.M, line.K, line.K, line.N,
        milliseconds));
}

// ---- Fields ----

std::string attribute_items(const primitive_attr &attr) {
    std::string text;
    const auto add = [&](const std::string &item) { text += (text.empty() ? "" : " ") + item; };
    if (attr.scratchpad == dnnl_scratchpad_mode_user) add("attr-scratchpad:user");
    if (attr.fpmath != dnnl_fpmath_mode_strict || attr.fpmath_apply_to_int)
        add(fmt::format("attr-fpmath:{}{}", dnnl_fpmath_mode2str(attr.fpmath),
            attr.fpmath_apply_to_int ? ":true" : ""));
    if (attr.accumulation != dnnl_accumulation_mode_strict)
        add(fmt::format("attr-acc-mode:{}", dnnl_accumulation_mode2str(attr.accumulation)));
    if (!attr.stochastic_rounding.empty())
        add("attr-rounding-mode:" + joined(attr.stochastic_rounding, [](int arg) {
            return argument_name(arg) + ":stochastic";
        }));
    if (attr.deterministic) add("attr-deterministic:1");
    if (!attr.scales.empty()) add("attr-scales:" + joined(attr.scales.entries(), entry_text));
    if (!attr.zero_points.empty())
        add("attr-zero-points:" + joined(attr.zero_points.entries(), entry_text));
    if (!attr.reductions.empty())
        add("attr-precomputed-reductions:" + joined(attr.reductions.entries(), entry_text));
    if (!attr.post_ops.entries.empty())
        add("attr-post-ops:" + joined(attr.post_ops.entries, [](const post_op &entry) {
            return std::visit([](const auto &p) { return post_op_text(p); }, entry);
        }));
    if (attr.rnn.has_data())
        add(fmt::format("rnn_data_qparams:{:g}:{:g};", attr.rnn.data_scale, attr.rnn.data_shift));
    if (const dropout_params &d = attr.dropout; d.enabled)
        add(fmt::format("attr-dropout:{}:{}:{}:{}",
            d.mask.is_zero()      ? "undef"
            : d.mask.is_blocked() ? layout_name(d.mask)
                                  : "any",
            name_of(d.seed_type), int {d.use_offset}, int {d.on_host}));
    return text;
}

std::string fields_of(const problem &resolved, const problem &asked) {
    return std::visit(
        [&]<class Desc>(const Desc &op) {
            const Desc &as_asked = std::get<Desc>(asked.op);
            item_list<Desc> tensors {op, as_asked};
            op.facts.items(tensors);
            return fmt::format("{},{},{},{},{}", dnnl_prop_kind2str(prop_of(resolved.op)),
                tensors.text, attribute_items(resolved.attr), op.facts.parameters(op),
                op.facts.shape(as_asked));
        },
        resolved.op);
}

} // namespace dnnl::impl::verbose
