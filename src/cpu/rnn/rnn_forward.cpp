// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, forward, on the GEMM kernels: tensors, initial states, the steps, and the
// states that are given back at the end.
#include "cpu/rnn/rnn_forward.hpp"

#include <cstring>

namespace dnnl::impl::cpu {

using enum rnn_tensor;

namespace {
/// The shift of 8-bit states is taken off by sums of the weights.
rnn_pass forward_pass(const rnn_desc &desc) {
    const bool training = desc.prop == dnnl_forward_training;
    const auto kept = training ? rnn_states::keep_all : rnn_states::keep_last;
    const data_type state = rnn_states(desc, kept).state_type();
    return {kept, state, false, is_int8(state)};
}
} // namespace

gemm_rnn_forward::gemm_rnn_forward(problem &p)
    : gemm_rnn(p, forward_pass(std::get<rnn_desc>(p.op))) {
    format_ = {desc_.md(src_layer).dtype, p.attr.rnn.data_scale, p.attr.rnn.data_shift};
    adapt_tensors(p);
    if (is_quantized()) prepare_quantization(p.attr.rnn);
    if (!is_training()) kept_ = p.scratchpad.reserve<std::byte>(states_.bytes());
    if (!desc_.has(src_iter) || adapted_type(src_iter) != states_.state_type())
        first_h_ = p.scratchpad.reserve<std::byte>(s_.MB * s_.SIC * state_bytes());
    if (is_lstm(desc_.cell_kind) && !desc_.has(src_iter_c))
        first_c_ = p.scratchpad.reserve<f32>(s_.MB * s_.DHC);
    if (s_.projection || resets_state(desc_.cell_kind))
        operand_ = p.scratchpad.reserve<std::byte>(s_.MB * s_.DHC * state_bytes());
    if (s_.projection) projected_ = p.scratchpad.reserve<f32>(s_.MB * s_.DIC);
    if (is_quantized()) compensation_ = p.scratchpad.reserve<s32>(s_.G * s_.DHC + s_.DIC);
    why_not_ = common_refusal();
}

/// States keep their type, everything else becomes f32. The cells convert between 8-bit states and
/// f32 tensors, reorders all other types.
void gemm_rnn_forward::adapt_tensors(problem &p) {
    for (const rnn_tensor_info &info : rnn_tensors) {
        const rnn_tensor t = info.tensor;
        if (t == weights_layer || t == weights_iter || t == weights_projection) continue;
        const memory_desc &md = desc_.md(t);
        const bool state = t == src_layer || t == src_iter || t == dst_layer || t == dst_iter;
        const bool real = is_quantized() && t != src_layer && md.dtype == data_type::f32;
        tensors_[static_cast<std::size_t>(t)] =
            adapt(p, md, state && !real ? states_.state_type() : data_type::f32,
                info.is_output ? adapted_tensor::use::write : adapted_tensor::use::read);
    }
}

void gemm_rnn_forward::prepare_quantization(const rnn_quantization &q) {
    const auto append = [&](const std::vector<f32> &scales, int mask, dim_t count) {
        for (dim_t i = 0; i < count; ++i) {
            const f32 scale = scales.empty() ? 1 : scales[static_cast<std::size_t>(mask ? i : 0)];
            column_scales_.push_back(1 / (q.data_scale * scale));
        }
    };
    append(q.weights_scales, q.weights_mask, s_.G * s_.DHC);
    append(q.projection_scales, q.projection_mask, s_.DIC);
}

// ---- Initial states ----

/// [MB][SIC] of the state's type: the tensor itself, or a buffer.
const char *gemm_rnn_forward::first_h(
    const exec_context &ctx, const execution &e, dim_t l, dim_t d) const {
    const dim_t elements = s_.MB * s_.SIC;
    const char *given = e.tensor<char>(src_iter);
    if (given && adapted_type(src_iter) == states_.state_type())
        return given + slot(l, d) * s_.SIC * state_bytes();
    char *h = reinterpret_cast<char *>(ctx.scratch(first_h_));
    if (!is_quantized()) {
        std::memset(h, 0, static_cast<std::size_t>(elements * state_bytes()));
        return h;
    }
    const f32 zero = 0;
    const f32 *real = given ? reinterpret_cast<const f32 *>(given) + slot(l, d) * s_.SIC : &zero;
    rnn_rows_args args {};
    args.what = rnn_rows_operation::quantize;
    args.state = format_;
    args.out_type = format_.type;
    args.a = real;
    args.out = h;
    args.rows = given ? s_.MB : elements;
    args.columns = given ? s_.SIC : 1;
    args.a_row = given ? s_.SIC : 0;
    args.out_row = args.columns;
    run(args);
    return h;
}

const f32 *gemm_rnn_forward::first_c(
    const exec_context &ctx, const execution &e, dim_t l, dim_t d) const {
    if (const f32 *given = e.tensor<f32>(src_iter_c)) return given + slot(l, d) * s_.DHC;
    f32 *c = ctx.scratch(first_c_);
    std::fill_n(c, s_.MB * s_.DHC, 0.0f);
    return c;
}

// ---- Steps and final states ----

void gemm_rnn_forward::run_steps(
    const exec_context &ctx, const execution &e, dim_t l, dim_t d) const {
    cell at {};
    at.l = l;
    at.d = d;
    at.operand = reinterpret_cast<char *>(ctx.scratch(operand_));
    at.h = const_cast<char *>(first_h(ctx, e, l, d));
    at.c = is_lstm(desc_.cell_kind) ? const_cast<f32 *>(first_c(ctx, e, l, d)) : nullptr;
    for (dim_t step = 0; step < s_.T; ++step) {
        at.t = time(d, step);
        at.previous_h = at.h;
        at.previous_c = at.c;
        at.gates = states_.gates(e.states, l, d, at.t);
        at.linear = states_.linear(e.states, l, d, at.t);
        at.c = states_.c(e.states, l, d, at.t);
        at.h = reinterpret_cast<char *>(states_.h(e.states, l, d, at.t));
        run_cell(e, at);
        if (resets_state(desc_.cell_kind)) run_gru_output(e, at);
        if (s_.projection) project(e, at, ctx.scratch(projected_));
    }
    store_states(e, at);
}

/// The state of the last step, or the initial one.
void gemm_rnn_forward::store_states(const execution &e, const cell &last) const {
    const dim_t first = slot(last.l, last.d);
    if (f32 *c = e.tensor<f32>(dst_iter_c)) std::copy_n(last.c, s_.MB * s_.DHC, c + first * s_.DHC);
    if (!e.tensor<char>(dst_iter)) return;
    const data_type stored = adapted_type(dst_iter);
    char *out = e.tensor<char>(dst_iter) + first * s_.DIC * static_cast<dim_t>(size_of(stored));
    if (stored == states_.state_type()) {
        std::memcpy(out, last.h, static_cast<std::size_t>(s_.MB * s_.DIC * state_bytes()));
        return;
    }
    rnn_rows_args args {};
    args.what = rnn_rows_operation::dequantize;
    args.state = format_;
    args.out_type = stored;
    args.rows = s_.MB;
    args.columns = args.a_row = args.out_row = s_.DIC;
    args.a = last.h;
    args.out = out;
    run(args);
}

void gemm_rnn_forward::store_layer(const execution &e) const {
    char *out = e.tensor<char>(dst_layer);
    const data_type stored = adapted_type(dst_layer);
    const auto bytes = static_cast<dim_t>(size_of(stored));
    const auto *first = reinterpret_cast<const char *>(states_.h(e.states, s_.L - 1, 0, 0));
    const char *second = first;
    if (s_.D == 2) second = reinterpret_cast<const char *>(states_.h(e.states, s_.L - 1, 1, 0));
    const double row_ns = 20 + 0.2 * static_cast<double>(s_.DLC);
    parallel_for(s_.T * s_.MB, row_ns, threads_, [&](int, dim_t begin, dim_t end) {
        rnn_rows_args args {};
        args.what = s_.sum ? rnn_rows_operation::add : rnn_rows_operation::dequantize;
        args.state = format_;
        args.out_type = stored;
        args.rows = end - begin;
        args.columns = args.a_row = args.b_row = s_.DIC;
        args.out_row = s_.DLC;
        args.a = first + begin * s_.DIC * state_bytes();
        args.b = second + begin * s_.DIC * state_bytes();
        args.out = out + begin * s_.DLC * bytes;
        // Nothing is converted where the types agree.
        if (!s_.sum && stored == format_.type) args.state.scale = 1, args.state.shift = 0;
        run(args);
        if (!s_.concat) return;
        args.a = args.b;
        args.out = out + (begin * s_.DLC + s_.DIC) * bytes;
        run(args);
    });
}

void gemm_rnn_forward::execute(const exec_context &ctx) const {
    execution e {};
    bind(ctx, e);
    e.states = is_training() ? ctx.out<std::byte>(DNNL_ARG_WORKSPACE) : ctx.scratch(kept_);
    e.compensation = ctx.scratch(compensation_);
    for (dim_t l = 0; l < s_.L; ++l)
        for (dim_t d = 0; d < s_.D; ++d) {
            if (is_quantized()) compensate(e, l, d);
            multiply_layer(e, l, d);
            run_steps(ctx, e, l, d);
        }
    store_layer(e);
    for (const rnn_tensor_info &info : rnn_tensors)
        if (info.is_output && desc_.has(info.tensor))
            tensors_[static_cast<std::size_t>(info.tensor)].end(ctx, ctx.data(info.arg));
}

planned make_rnn_forward(problem &p) { return try_plan<gemm_rnn_forward>(p); }

} // namespace dnnl::impl::cpu
