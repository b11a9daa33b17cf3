// SPDX-License-Identifier: Apache-2.0
#include "lowering.hpp"

#include <algorithm>
#include <limits>

namespace dnnl_onnx {

using dnnl::memory;

lowering::lowering(program &from, constants &shared, steps &to, const number_types &types)
    : program_(from), constants_(shared), steps_(to), places_(from.values.size()), types_(types) {}

void lowering::run() {
    count_uses();
    take_inputs();
    for (now_ = 0; now_ < int(program_.operations.size()); ++now_)
        if (!program_.operations[now_].dead) lower(program_.operations[now_]);
    give_outputs();
}

void lowering::count_uses() {
    uses_.assign(program_.values.size(), 0);
    last_use_.assign(program_.values.size(), -1);
    const auto use = [&](int id, int at) {
        if (id < 0) return;
        ++uses_[id];
        last_use_[id] = std::max(last_use_[id], at);
    };
    for (int at = 0; at < int(program_.operations.size()); ++at) {
        const operation &op = program_.operations[at];
        if (op.dead) continue;
        for (int id : op.in) use(id, at);
        for (const post_op &post : op.post) use(post.operand, at);
    }
    for (int id : program_.outputs) use(id, std::numeric_limits<int>::max());
}

void lowering::take_inputs() {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
        const int id = program_.inputs[i];
        const tensor_type &type = type_of(id);
        places_[id] = {steps_.add_input(i, type.bytes()), 0, plain_desc(type)};
    }
}

operand lowering::where(int id) {
    operand &place = places_[id];
    if (place.buffer < 0) {
        const value &v = of(id);
        if (!v.constant) throw error("value '" + v.name + "' is not there");
        place = {steps_.add_constant(v.constant), 0, plain_desc(v.type)};
    }
    const auto stored = stored_by_.find(id);
    if (stored != stored_by_.end()) { // a product that was to take integers works in floats
        const calibration::quantizer by = stored->second;
        stored_by_.erase(stored);
        place = rescaled(place, DNNL_ARG_FROM, by,
            memory::desc(place.desc.get_dims(), memory::data_type::f32, place.desc.get_strides()));
    }
    return place;
}

operand lowering::scratch(const memory::desc &desc) {
    return {steps_.add_buffer(steps::kind::shared, desc.get_size()), 0, desc};
}

operand lowering::constant(
    const tensor &elements, const memory::desc &from, const memory::desc &wanted) {
    return {steps_.add_constant(constants_.reordered(elements, from, wanted)), 0, wanted};
}

operand lowering::rescaled(const operand &from, int argument, const calibration::quantizer &by,
    const memory::desc &wanted) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attr.set_scales_mask(argument, 0);
    const memory::desc one = plain_desc({1}, memory::data_type::f32);
    const operand to = scratch(wanted);
    arguments args {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to},
        {DNNL_ARG_ATTR_SCALES | argument, constant(floats_tensor({by.scale}), one, one)}};
    if (by.zero_point != 0) {
        const memory::desc integer = plain_desc({1}, memory::data_type::s32);
        tensor zero(element_type::s32, {1});
        *zero.data<std::int32_t>() = by.zero_point;
        attr.set_zero_points_mask(argument, 0);
        args.push_back({DNNL_ARG_ATTR_ZERO_POINTS | argument, constant(zero, integer, integer)});
    }
    const dnnl::reorder::primitive_desc desc(engine(), from.desc, engine(), wanted, attr);
    operation op;
    op.fused = nodes_now();
    add<dnnl::reorder>(op, "reorder", desc, std::move(args), attr);
    return to;
}

operand lowering::quantized(int id, const calibration::quantizer &by, const memory::desc &wanted) {
    const auto same = [&](const calibration::quantizer &other) {
        return other.scale == by.scale && other.zero_point == by.zero_point &&
               other.type == by.type;
    };
    const auto stored = stored_by_.find(id);
    if (stored != stored_by_.end() && same(stored->second)) return converted(places_[id], wanted);
    auto &[made_by, copy] = as_integers_[id];
    if (copy.buffer < 0 || !same(made_by)) {
        copy = rescaled(where(id), DNNL_ARG_TO, by, wanted);
        made_by = by;
    }
    return converted(copy, wanted);
}

void lowering::take_as_integers(int id, const operand &integers, const calibration::quantizer &by) {
    places_[id] = integers;
    stored_by_[id] = by;
    types_.sources[of(id).name] = by;
}

const integer_constant *lowering::integers_of(const tensor &constant) const {
    const auto found = program_.integers.find(constant.bytes());
    return found == program_.integers.end() ? nullptr : &found->second;
}

bool constant_quantizer(
    const program &of, const operation &op, element_type type, calibration::quantizer &found) {
    if (type != element_type::u8 && type != element_type::s8) return false;
    const tensor &scale = of.values[op.in[1]].constant;
    if (!scale || scale.count() != 1) return false;
    found = {float(scale.numbers()[0]), 0, library_type(type)};
    if (op.in.size() < 3 || op.in[2] < 0) return true;
    const tensor &zero = of.values[op.in[2]].constant;
    if (!zero || zero.count() != 1) return false;
    found.zero_point = std::int32_t(zero.integers()[0]);
    return true;
}

const calibration::quantizer *lowering::source_quantizer(const operation &op) const {
    const bool product = op.kind == "Conv" || op.kind == "MatMul" || op.kind == "Gemm";
    if (!product || type_of(op.in[0]).type != element_type::f32 || !is_constant(op.in[1]))
        return nullptr;
    for (const std::string &part : types_.keep)
        for (const std::string &node : op.fused)
            if (node.find(part) != std::string::npos) return nullptr;
    const auto found = types_.sources.find(of(op.in[0]).name);
    return found == types_.sources.end() ? nullptr : &found->second;
}

std::optional<calibration::quantizer> lowering::result_quantizer(const operation &op) const {
    const int id = op.out[0];
    std::optional<calibration::quantizer> found;
    if (last_use_[id] == std::numeric_limits<int>::max()) return {}; // an output
    for (const operation &user : program_.operations) {
        if (user.dead) continue;
        for (const post_op &post : user.post)
            if (post.operand == id) return {};
        for (std::size_t i = 0; i < user.in.size(); ++i) {
            if (user.in[i] != id) continue;
            const auto next = i == 0 ? quantizer_of_user(user) : std::nullopt;
            const bool other =
                found && next &&
                (found->scale != next->scale || found->zero_point != next->zero_point);
            if (!next || other) return {};
            found = next;
        }
    }
    return found;
}

/// How an operation wants its input as integers, if it does.
std::optional<calibration::quantizer> lowering::quantizer_of_user(const operation &user) const {
    calibration::quantizer found;
    if (user.kind == "QuantizeLinear")
        return constant_quantizer(program_, user, type_of(user.out[0]).type, found)
                   ? std::optional(found)
                   : std::nullopt;
    const calibration::quantizer *source = user.kind == "Conv" ? source_quantizer(user) : nullptr;
    return source ? std::optional(*source) : std::nullopt;
}

std::vector<std::string> lowering::nodes_now() const {
    if (now_ < int(program_.operations.size())) return program_.operations[now_].fused;
    return {"results"};
}

operand lowering::converted(const operand &from, const memory::desc &wanted) {
    if (from.desc == wanted) return from;
    const operand to = scratch(wanted);
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc desc(engine(), from.desc, engine(), wanted, attr);
    operation op;
    op.fused = nodes_now();
    add<dnnl::reorder>(op, "reorder", desc, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}, attr);
    return to;
}

operand lowering::in(int id, const memory::desc &wanted) {
    if (is_constant(id) && places_[id].buffer < 0 && !plain_desc(type_of(id)).is_zero())
        return constant(of(id).constant, plain_desc(type_of(id)), wanted);
    return converted(where(id), wanted);
}

operand lowering::dense(int id) {
    const operand there = where(id);
    if (there.desc.is_zero()) return there;
    const memory::desc plain = plain_desc(type_of(id));
    if (there.desc == plain) return there;
    return converted(there, plain);
}

operand lowering::dense_as_stored(int id) {
    const operand there = where(id);
    if (there.desc.is_zero()) return there;
    return converted(there, plain_desc(type_of(id).dims, there.desc.get_data_type()));
}

operand lowering::strided(int id) {
    const operand there = where(id);
    return there.desc.is_zero() || is_strided(there.desc) ? there : dense_as_stored(id);
}

operand lowering::make(int id, const memory::desc &desc) {
    const std::size_t bytes = desc.is_zero() ? type_of(id).bytes() : desc.get_size();
    return places_[id] = {steps_.add_buffer(steps::kind::shared, bytes), 0, desc};
}

bool lowering::dies(int id) {
    const operand there = where(id);
    if (steps_.kind_of(there.buffer) != steps::kind::shared) return false;
    for (std::size_t other = 0; other < places_.size(); ++other)
        if (places_[other].buffer == there.buffer && last_use_[other] > now_) return false;
    return true;
}

operand lowering::make_over(int id, const memory::desc &desc, int source) {
    const operand there = where(source);
    const bool whole =
        there.offset == 0 && there.desc == desc && steps_.bytes_of(there.buffer) == desc.get_size();
    // No other operand may lie in memory that is written.
    int readers = 0;
    const operation &op = program_.operations[now_];
    for (int other : op.in) readers += other >= 0 && places_[other].buffer == there.buffer;
    for (const post_op &post : op.post)
        readers += post.operand >= 0 && places_[post.operand].buffer == there.buffer;
    if (!whole || readers != 1 || !dies(source)) return make(id, desc);
    return places_[id] = there;
}

dnnl::primitive_attr lowering::attributes(const operation &op, int rank, arguments &args) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::post_ops posts;
    for (const post_op &post : op.post) {
        if (post.what == post_op::kind::eltwise) {
            posts.append_eltwise(post.algorithm, post.alpha, post.beta);
            continue;
        }
        operand with = strided(post.operand);
        with.desc = with_rank(with.desc, rank);
        args.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(posts.len()) | DNNL_ARG_SRC_1, with});
        posts.append_binary(post.algorithm, with.desc);
    }
    attr.set_post_ops(posts);
    return attr;
}

namespace {

std::string joined(const std::vector<std::string> &parts) {
    std::string text;
    for (const std::string &part : parts) text += (text.empty() ? "" : " + ") + part;
    return text;
}

const char *short_name(dnnl::algorithm algorithm) {
    using a = dnnl::algorithm;
    switch (algorithm) {
    case a::eltwise_relu: return "relu";
    case a::eltwise_tanh: return "tanh";
    case a::eltwise_elu: return "elu";
    case a::eltwise_square: return "square";
    case a::eltwise_abs: return "abs";
    case a::eltwise_sqrt: return "sqrt";
    case a::eltwise_swish: return "swish";
    case a::eltwise_linear: return "linear";
    case a::eltwise_soft_relu: return "soft_relu";
    case a::eltwise_mish: return "mish";
    case a::eltwise_logistic: return "sigmoid";
    case a::eltwise_exp: return "exp";
    case a::eltwise_gelu_tanh: return "gelu_tanh";
    case a::eltwise_gelu_erf: return "gelu_erf";
    case a::eltwise_log: return "log";
    case a::eltwise_clip: return "clip";
    case a::eltwise_pow: return "pow";
    case a::eltwise_round: return "round";
    case a::eltwise_hardswish: return "hardswish";
    case a::eltwise_hardsigmoid: return "hardsigmoid";
    case a::binary_add: return "add";
    case a::binary_sub: return "sub";
    case a::binary_mul: return "mul";
    case a::binary_div: return "div";
    case a::binary_max: return "max";
    case a::binary_min: return "min";
    default: return "other";
    }
}

// Arguments that a primitive writes.
bool is_written(int key) {
    switch (key) {
    case DNNL_ARG_DST:
    case DNNL_ARG_DST_1:
    case DNNL_ARG_DST_2:
    case DNNL_ARG_MEAN:
    case DNNL_ARG_VARIANCE: return true;
    default: return false;
    }
}

} // namespace

void lowering::add(const operation &op, const char *kind, const dnnl::primitive &primitive,
    const char *implementation, const memory::desc &scratchpad, arguments args,
    const dnnl::primitive_attr &) {
    step next;
    next.text = joined(op.fused);
    next.kind = kind;
    next.implementation = implementation;
    next.primitive = primitive;
    for (const post_op &post : op.post)
        next.post_ops +=
            (next.post_ops.empty() ? "" : ", ") + std::string(short_name(post.algorithm));
    if (!scratchpad.is_zero() && scratchpad.get_size() > 0)
        args.push_back({DNNL_ARG_SCRATCHPAD, scratch(scratchpad)});
    const bool product = op.kind == "Conv" || op.kind == "MatMul" || op.kind == "Gemm";
    if (product && is_constant(op.in[1])) next.source = of(op.in[0]).name;
    if (!op.out.empty() && stored_by_.count(op.out[0])) next.result_by = stored_by_[op.out[0]];
    next.arguments = std::move(args);
    for (std::size_t i = 0; i < next.arguments.size(); ++i)
        if (is_written(next.arguments[i].first)) next.written.push_back(int(i));
    steps_.add(std::move(next));
}

void lowering::add_host(const operation &op, host_step host, const typed_operands &reads,
    const typed_operands &writes) {
    step next;
    next.text = joined(op.fused);
    next.kind = "host";
    next.host = std::move(host);
    for (const auto &[what, type] : reads) next.reads.push_back({what, steps_.keep(type)});
    for (const auto &[what, type] : writes) next.writes.push_back({what, steps_.keep(type)});
    steps_.add(std::move(next));
}

void lowering::add_host(const operation &op) {
    step next;
    next.text = joined(op.fused);
    next.kind = "host";
    next.host = op.host;
    for (int id : op.in) {
        if (id < 0)
            next.reads.push_back({operand {}, nullptr});
        else
            next.reads.push_back({dense(id), steps_.keep(type_of(id))});
    }
    for (int id : op.out) {
        const tensor_type &type = type_of(id);
        if (type.type == element_type::undefined)
            next.writes.push_back({operand {}, nullptr});
        else
            next.writes.push_back({make(id, plain_desc(type)), steps_.keep(type)});
    }
    steps_.add(std::move(next));
}

void lowering::lower(const operation &op) {
    const bool empty = std::all_of(op.out.begin(), op.out.end(), [&](int id) {
        return type_of(id).type == element_type::undefined || !type_of(id).count();
    });
    std::string why;
    if (!empty) {
        for (const lower_function function : lower_functions(op.kind)) {
            try {
                if (function(*this, op)) return;
            } catch (const dnnl::error &e) {
                why += std::string(why.empty() ? "" : "; ") + e.what();
            }
        }
    }
    if (op.host && op.post.empty()) return add_host(op);
    if (empty) { // nothing to compute: a buffer of no bytes
        for (int id : op.out) make(id, memory::desc());
        return;
    }
    throw unsupported(
        joined(op.fused) + ": no primitive takes it" + (why.empty() ? std::string() : ": " + why));
}

// A dense tensor in memory that a caller gets.
int lowering::output_buffer(int id) {
    const tensor_type &type = type_of(id);
    if (is_constant(id)) return steps_.add_constant(of(id).constant);
    operand there = dense(id);
    const bool own = steps_.kind_of(there.buffer) == steps::kind::shared && there.offset == 0 &&
                     steps_.bytes_of(there.buffer) == type.bytes();
    if (!own) { // an input, a part of a larger buffer, or an output already
        const operand to {steps_.add_buffer(steps::kind::shared, type.bytes()), 0, there.desc};
        operation copy;
        copy.fused = {"results"};
        const auto bytes = [](views in, views out) {
            std::copy_n(in[0].elements, in[0].type->bytes(), out[0].elements);
        };
        add_host(copy, bytes, {{there, type}}, {{to, type}});
        there = to;
    }
    steps_.make_output(there.buffer);
    return there.buffer;
}

void lowering::give_outputs() {
    std::map<int, int> done;
    std::vector<std::pair<int, tensor_type>> outputs;
    for (int id : program_.outputs) {
        if (!done.count(id)) done[id] = output_buffer(id);
        outputs.push_back({done[id], type_of(id)});
    }
    steps_.finish(engine(), std::move(outputs));
}

std::vector<lower_function> lower_functions(const std::string &kind) {
    static const auto all = [] {
        std::multimap<std::string, lower_function> table;
        for (std::span<const lower_entry> part : {lower_views(), lower_int8(), lower_products(),
                 lower_windows(), lower_elements(), lower_recurrent(), lower_quantized()})
            for (const lower_entry &entry : part) table.emplace(entry.kind, entry.lower);
        return table;
    }();
    std::vector<lower_function> found;
    const auto [first, last] = all.equal_range(kind);
    for (auto at = first; at != last; ++at) found.push_back(at->second);
    return found;
}

} // namespace dnnl_onnx
