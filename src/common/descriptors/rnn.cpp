// SPDX-License-Identifier: Apache-2.0
// Checks and facts of recurrent networks, and the places where cells keep what they compute.
#include "common/descriptors/rnn.hpp"

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

namespace {
constexpr dnnl_primitive_kind_t kind = dnnl_rnn;
using enum rnn_tensor;

/// True for a tensor that cells of this kind do not have.
bool is_foreign(const rnn_request &r, rnn_tensor t) {
    const dnnl_alg_kind_t cell = r.cell_kind;
    switch (t) {
    case weights_layer: return r.flags & dnnl_ext_rnn_flags_gate_sums;
    case src_iter_c:
    case weights_peephole:
    case weights_projection:
    case dst_iter_c: return !is_lstm(cell);
    case attention: return !has_attention(cell);
    default: return false;
    }
}
bool is_mandatory(const rnn_request &r, rnn_tensor t) {
    return t == src_layer || t == weights_iter || t == dst_layer ||
           (t == weights_layer && !is_foreign(r, t)) ||
           (t == attention && has_attention(r.cell_kind));
}

dim_t gates_of(dnnl_alg_kind_t cell) {
    if (cell == dnnl_vanilla_rnn) return 1;
    return is_lstm(cell) ? 4 : 3;
}

/// The dims that a tensor of a network must have.
dims_t dims_of(const rnn_shape &s, rnn_tensor t) {
    switch (t) {
    case src_layer: return {s.T, s.MB, s.SLC};
    case src_iter: return {s.L, s.D, s.MB, s.SIC};
    case attention: return {s.T, s.MB, 1};
    case weights_layer: return {s.L, s.D, s.SLC, s.G, s.DHC};
    case weights_iter: return {s.L, s.D, s.SIC, s.G, s.DHC};
    case weights_peephole: return {s.L, s.D, 3, s.DHC};
    case weights_projection: return {s.L, s.D, s.DHC, s.DIC};
    case bias: return {s.L, s.D, s.B, s.DHC};
    case dst_layer: return {s.T, s.MB, s.DLC};
    case dst_iter: return {s.L, s.D, s.MB, s.DIC};
    default: return {s.L, s.D, s.MB, s.DHC}; // the cell states
    }
}

void check_kinds(const rnn_request &r) {
    if (r.cell_kind == dnnl_vanilla_rnn)
        require(r.activation == dnnl_eltwise_relu || r.activation == dnnl_eltwise_tanh ||
                    r.activation == dnnl_eltwise_logistic,
            "rnn: activation is neither relu nor tanh nor logistic");
    require(r.direction >= dnnl_unidirectional_left2right && r.direction <= dnnl_bidirectional_sum,
        "rnn: direction is none of the four");
    constexpr unsigned gate_sums = dnnl_ext_rnn_flags_gate_sums;
    require((r.flags & ~(gate_sums | dnnl_rnn_flags_diff_weights_overwrite)) == 0,
        "rnn: flags has bits that mean nothing");
    require_implemented(!(r.flags & gate_sums) || r.prop == dnnl_forward_inference,
        "rnn: flags: sums of gates are for inference");
    require(!has_attention(r.cell_kind) || r.direction == dnnl_unidirectional_left2right,
        "rnn: direction of a cell with attention must be unidirectional_left2right");
}

/// The name in reasons of a tensor, or of the gradient with respect to it.
std::string name_of(const rnn_tensor_info &info, bool diff) {
    return (diff ? "diff_" : "") + std::string(info.name);
}

[[noreturn]] void refuse(const std::string &tensor, const std::string &what) {
    throw error(dnnl_invalid_arguments, fmt::format("rnn: {}: {}", tensor, what));
}

/// Takes the given tensors, each checked alone; absent ones become zero descriptors.
std::vector<memory_desc> take_tensors(const rnn_request &r, bool diffs) {
    std::vector<memory_desc> taken(rnn_tensor_count);
    for (std::size_t i = 0; i < rnn_tensor_count; ++i) {
        const rnn_tensor_info &info = rnn_tensors[i];
        const memory_desc *md = diffs ? r.diffs[i] : r.tensors[i];
        if (is_absent(md) && !is_mandatory(r, info.tensor)) continue;
        const std::string name = name_of(info, diffs);
        const bool written = diffs ? !info.is_output : info.is_output && is_forward(r.prop);
        taken[i] = checked_tensor(
            dnnl_rnn, name.c_str(), md, written ? may_be_any | is_written : +may_be_any);
        if (is_foreign(r, info.tensor)) refuse(name, "this cell has no such tensor");
        if (taken[i].ndims != info.ndims)
            refuse(
                name, fmt::format("it has {} dimensions, expected {}", taken[i].ndims, info.ndims));
    }
    return taken;
}

/// Refuses unless two numbers are equal, and names both; `rule` says where they come from.
void require_equal(dim_t given, dim_t wanted, rnn_tensor tensor, const char *rule) {
    if (given != wanted)
        refuse(rnn_tensors[+tensor].name, fmt::format("{} is not {}: {}", given, wanted, rule));
}

void check_extents(const rnn_desc &desc, const rnn_shape &s) {
    const rnn_tensor w = has_gate_sums(desc) ? weights_iter : weights_layer;
    require_tensor(s.L >= 1, kind, rnn_tensors[+w].name, "it has no layers");
    const bool both = s.concat || s.sum;
    require_equal(s.D, both ? 2 : 1, w, "its directions must be those of `direction`");
    require_equal(desc.md(w).dims[3], s.G, w, "its gates must be those of this cell");
    if (has_gate_sums(desc)) {
        require_equal(s.L * s.D, 1, w, "sums of gates are for one layer of one direction");
        require_equal(s.SLC, s.G * s.DHC, src_layer, "its channels must be those of all gates");
    }
    require_tensor(s.SLC > 0, kind, "src_layer", "it has no channels");
    require_tensor(s.SIC > 0, kind, "weights_iter", "it has no channels");
    require_tensor(s.DHC > 0, kind, "weights_layer", "it has no output channels");
    require_tensor(s.DIC > 0, kind, "weights_projection", "it has no output channels");
    require_equal(s.DLC, (s.concat ? 2 : 1) * s.DIC, dst_layer,
        "its channels must be those of the state, twice for bidirectional_concat");
    if (s.L > 1)
        require_equal(s.SLC, s.DIC, weights_layer,
            "with several layers the channels of a layer's input must be those of the state, "
            "which the next layer takes in the same direction");
    // A GRU adds its old state to the new one, and with several steps the state that a step makes
    // takes the place of src_iter: each pair must have as many channels.
    if (is_gru(desc.cell_kind))
        require_equal(s.SIC, s.DHC, weights_iter,
            "the channels of a GRU's state must be the output channels of its gates");
    if (s.T > 1)
        require_equal(s.SIC, s.DIC, weights_iter,
            "with several steps the channels of src_iter must be those of the state");
    require_tensor(!has_attention(desc.cell_kind) || s.L == 1, kind, "weights_layer",
        "a cell with attention has one layer");
}

void check_dims(const std::vector<memory_desc> &tensors, const rnn_shape &s, bool diffs) {
    for (const rnn_tensor_info &info : rnn_tensors) {
        const memory_desc &md = tensors[+info.tensor];
        const dims_t expected = dims_of(s, info.tensor);
        if (md.is_zero() || md.dims == expected) continue;
        refuse(name_of(info, diffs),
            "it is " + extents(md) + ", the other tensors ask for " + extents(md, expected));
    }
}

void check_presence(const rnn_desc &desc) {
    if (is_lstm(desc.cell_kind)) {
        require_tensor(desc.has(src_iter) == desc.has(src_iter_c), kind, "src_iter_c",
            "src_iter and src_iter_c come together");
        require_tensor(desc.has(dst_iter) == desc.has(dst_iter_c), kind, "dst_iter_c",
            "dst_iter and dst_iter_c come together");
    }
    if (desc.diffs.empty()) return;
    for (const rnn_tensor_info &info : rnn_tensors)
        if (desc.diff(info.tensor).is_zero() == desc.has(info.tensor))
            refuse(name_of(info, true), "it must be given exactly where the forward tensor is");
}

/// Takes the workspace from the training pass.
void follow_hint(rnn_desc &desc, const rnn_desc *hint) {
    require(hint, "rnn: hint_fwd_pd is null; the backward pass needs its workspace");
    bool same = hint->cell_kind == desc.cell_kind && hint->activation == desc.activation &&
                hint->direction == desc.direction && hint->alpha == desc.alpha;
    for (std::size_t i = 0; i < rnn_tensor_count; ++i)
        same = same && same_dims(hint->tensors[i], desc.tensors[i]) &&
               hint->tensors[i].dtype == desc.tensors[i].dtype;
    require(same, "rnn: hint_fwd_pd is not the forward pass of this problem");
    require(!hint->workspace.is_zero(),
        "rnn: hint_fwd_pd has no workspace; create it with forward_training");
    desc.workspace = hint->workspace;
}
} // namespace

rnn_desc make_rnn_desc(const rnn_request &r) {
    check_kinds(r);
    rnn_desc desc {.prop = r.prop,
        .cell_kind = r.cell_kind,
        .activation = r.cell_kind == dnnl_vanilla_rnn ? r.activation : dnnl_alg_kind_undef,
        .direction = r.direction,
        .flags = r.flags,
        .alpha = r.alpha,
        .beta = r.beta,
        .tensors = take_tensors(r, false)};
    if (!is_forward(r.prop)) desc.diffs = take_tensors(r, true);
    check_presence(desc);
    const rnn_shape s = shape_of(desc);
    check_extents(desc, s);
    check_dims(desc.tensors, s, false);
    if (!desc.diffs.empty()) {
        check_dims(desc.diffs, s, true);
        follow_hint(desc, r.hint);
    }
    if (r.prop == dnnl_forward_training) {
        const dim_t bytes = rnn_states(desc, rnn_states::keep_all).bytes();
        desc.workspace = make_with_strides(1, &bytes, data_type::u8, nullptr);
    }
    return desc;
}

rnn_shape shape_of(const rnn_desc &desc) {
    const dims_t &x = desc.md(src_layer).dims;
    const dims_t &w = desc.md(has_gate_sums(desc) ? weights_iter : weights_layer).dims;
    rnn_shape s {};
    s.L = w[0];
    s.D = w[1];
    s.T = x[0];
    s.MB = x[1];
    s.SLC = x[2];
    s.SIC = desc.md(weights_iter).dims[2];
    s.DHC = w[4];
    s.projection = desc.has(weights_projection);
    s.DIC = s.projection ? desc.md(weights_projection).dims[3] : s.DHC;
    s.DLC = desc.md(dst_layer).dims[2];
    s.G = gates_of(desc.cell_kind);
    s.B = is_linear_before_reset(desc.cell_kind) ? 4 : s.G;
    s.concat = desc.direction == dnnl_bidirectional_concat;
    s.sum = desc.direction == dnnl_bidirectional_sum;
    return s;
}

namespace {
const char *int8_refusal(const rnn_desc &desc) {
    const data_type type = desc.md(src_layer).dtype;
    const auto is_state = [&](rnn_tensor t) {
        const data_type given = desc.md(t).dtype;
        return !desc.has(t) || given == type || given == data_type::f32;
    };
    const auto is = [&](rnn_tensor t, data_type wanted) {
        return !desc.has(t) || desc.md(t).dtype == wanted;
    };
    if (!is_lstm(desc.cell_kind) && desc.cell_kind != dnnl_vanilla_gru)
        return "8-bit tensors are for LSTM and GRU";
    if (desc.prop != dnnl_forward_inference) return "8-bit tensors are for inference";
    if (desc.has(weights_peephole)) return "8-bit tensors with peephole weights";
    if (!is_state(src_iter) || !is_state(dst_iter) || !is_state(dst_layer))
        return "a state is neither f32 nor of the type of an 8-bit src_layer";
    if (desc.has(src_iter) && !is(dst_iter, desc.md(src_iter).dtype))
        return "src_iter and dst_iter differ in type";
    if (!is(weights_layer, data_type::s8) || !is(weights_iter, data_type::s8) ||
        !is(weights_projection, data_type::s8))
        return "8-bit tensors need s8 weights";
    if (!is(bias, data_type::f32) || !is(src_iter_c, data_type::f32) ||
        !is(dst_iter_c, data_type::f32))
        return "8-bit tensors need f32 bias and cell states";
    return nullptr;
}

const char *types_refusal(const rnn_desc &desc) {
    const data_type type = state_type_of(desc);
    if (has_gate_sums(desc) && (is_int8(type) || desc.md(src_layer).dtype != data_type::f32))
        return "sums of gates are f32, beside states of f32, bf16 and f16";
    if (is_int8(type)) return int8_refusal(desc);
    if (!is_float(type)) return "src_layer is none of f32, bf16, f16, s8, u8";
    if (type == data_type::f16 && desc.prop != dnnl_forward_inference)
        return "f16 is for inference";
    for (const rnn_tensor_info &info : rnn_tensors) {
        if (!desc.has(info.tensor) || (has_gate_sums(desc) && info.tensor == src_layer)) continue;
        const data_type given = desc.md(info.tensor).dtype;
        const bool may_be_f32 = info.tensor == bias || info.tensor == src_iter_c ||
                                info.tensor == dst_iter_c || info.tensor == weights_peephole ||
                                info.tensor == attention;
        if (given != type && !(may_be_f32 && given == data_type::f32))
            return "a tensor is not of the type of src_layer";
    }
    for (const memory_desc &diff : desc.diffs)
        if (!diff.is_zero() && diff.dtype != data_type::f32) return "a gradient is not f32";
    return nullptr;
}

void list_arguments(rnn_desc &d, argument_list &list) {
    const bool forward = is_forward(d.prop);
    for (const rnn_tensor_info &t : rnn_tensors)
        list.add(t.arg, d.md(t.tensor), t.is_output && forward);
    list.add(DNNL_ARG_WORKSPACE, d.workspace, forward);
    for (const rnn_tensor_info &t : rnn_tensors)
        if (!forward) list.add(t.diff_arg, d.diff(t.tensor), !t.is_output);
}

/// Activations, states and gradients of weights become row-major (tnc, ldnc, ldigo), weights of the
/// backward pass transposed (ldgoi). Gradients of activations take the layouts of their tensors.
void set_default_layouts(rnn_desc &d) {
    const int transposed[] = {0, 1, 3, 4, 2};
    for (const rnn_tensor t : {weights_layer, weights_iter})
        if (!is_forward(d.prop) && d.md(t).is_any()) set_blocked_layout(d.md(t), transposed, {});
    for (memory_desc &md : d.tensors) make_plain(md);
    for (const rnn_tensor t : {src_layer, dst_layer})
        if (!d.diffs.empty()) follow(d.diff(t), {&d.md(t)});
    for (memory_desc &md : d.diffs) make_plain(md);
}

void add_items(item_list<rnn_desc> &list) {
    const rnn_desc &op = list.op, &asked = list.asked;
    for (const rnn_tensor_info &t : rnn_tensors)
        if (op.has(t.tensor) || t.tensor == src_iter || t.tensor == bias || t.tensor == dst_iter)
            list.add(t.short_name, op.md(t.tensor), asked.md(t.tensor));
    if (!op.diffs.empty())
        for (const rnn_tensor_info &t : rnn_tensors)
            if (!op.diff(t.tensor).is_zero())
                list.add(fmt::format("diff_{}", t.short_name).c_str(), op.diff(t.tensor),
                    asked.diff(t.tensor));
    if (!op.workspace.is_zero()) list.add("ws", &rnn_desc::workspace);
}

std::string tensor_name(int arg) {
    for (const rnn_tensor_info &t : rnn_tensors)
        if (t.arg == arg || t.diff_arg == arg) return name_of(t, t.diff_arg == arg);
    return {};
}

/// True exactly where a tensor has 8 bits: then the parameters must be there, else they must not.
bool check_rnn_parameters(const rnn_desc &d, const primitive_attr &attr) {
    bool has_8_bits = false;
    for (const rnn_tensor_info &t : rnn_tensors)
        if (!t.is_output || !is_forward(d.prop))
            has_8_bits = has_8_bits || is_int8(d.md(t.tensor).dtype) ||
                         (t.is_output && is_int8(d.diff(t.tensor).dtype));
    if (has_8_bits) check_quantization(d, attr.rnn);
    return has_8_bits || attr.rnn == rnn_quantization {};
}

dim_t product(std::initializer_list<dim_t> factors) {
    std::optional<dim_t> result = 1;
    for (const dim_t factor : factors) result = checked_mul(result, factor);
    constexpr dim_t limit = dim_t {1} << 58;
    if (!result || *result > limit)
        throw error(dnnl_invalid_arguments, "rnn: src_layer: the network is too large");
    return *result;
}
} // namespace

const char *rnn_refusal(const rnn_desc &desc) {
    if (const char *why = types_refusal(desc)) return why;
    for (const auto *list : {&desc.tensors, &desc.diffs})
        for (const memory_desc &md : *list)
            if (!md.is_zero() && !md.is_any() && !md.is_blocked())
                return "a tensor has an opaque layout";
    return nullptr;
}

const primitive_facts<rnn_desc> rnn_desc::facts {
    .kind = dnnl_rnn,
    .arguments = list_arguments,
    .in_place = {{{DNNL_ARG_DST_ITER, DNNL_ARG_SRC_ITER},
        {DNNL_ARG_DST_ITER_C, DNNL_ARG_SRC_ITER_C}}},
    .layouts = set_default_layouts,
    .items = add_items,
    .parameters =
        [](const rnn_desc &d) {
            return fmt::format("alg:{} direction:{} activation:{} flags:{}",
                dnnl_alg_kind2str(d.cell_kind), dnnl_rnn_direction2str(d.direction),
                dnnl_alg_kind2str(d.activation),
                d.flags & dnnl_rnn_flags_diff_weights_overwrite ? "O" : "");
        },
    .shape =
        [](const rnn_desc &d) {
            const rnn_shape s = shape_of(d);
            return fmt::format(
                "l{}t{}mb{}sic{}slc{}dhc{}dic{}", s.L, s.T, s.MB, s.SIC, s.SLC, s.DHC, s.DIC);
        },
    .check_rnn_parameters = check_rnn_parameters,
    .tensor_name = tensor_name,
    .destination = [](const rnn_desc &d) -> const memory_desc & { return d.md(dst_layer); },
};

// ---- What the cells keep ----

rnn_states::rnn_states(const rnn_desc &desc, extent kept) : kept_(kept) {
    const rnn_shape s = shape_of(desc);
    T_ = s.T;
    D_ = s.D;
    const data_type type = state_type_of(desc);
    // f16 states are kept as the f32 values that they stand for: products widen them anyway.
    state_type_ = type == data_type::f16 ? data_type::f32 : type;
    const bool linear = is_linear_before_reset(desc.cell_kind) || s.projection;
    gates_row_ = product({s.MB, s.G, s.DHC});
    linear_row_ = linear ? product({s.MB, s.DHC}) : 0;
    c_row_ = is_lstm(desc.cell_kind) ? product({s.MB, s.DHC}) : 0;
    h_row_bytes_ = product({s.MB, s.DIC, dim_t(size_of(state_type_))});
    const dim_t slots = kept == keep_all ? product({s.L, s.D}) : 1;
    const dim_t h_slots = kept == keep_all ? slots : 2 * s.D;
    constexpr dim_t line = 64, f32_bytes = sizeof(float);
    const auto section = [&](dim_t count, dim_t row, dim_t bytes) {
        return round_up(product({count, s.T, row, bytes}), line);
    };
    linear_begin_ = section(slots, gates_row_, f32_bytes);
    c_begin_ = linear_begin_ + section(slots, linear_row_, f32_bytes);
    h_begin_ = c_begin_ + section(slots, c_row_, f32_bytes);
    bytes_ = h_begin_ + section(h_slots, h_row_bytes_, 1);
}

} // namespace dnnl::impl
