// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, backward, on the GEMM kernels: tensors, and gradients of states and of what
// lies between layers.
#include "cpu/rnn/rnn_backward.hpp"

namespace dnnl::impl::cpu {

using enum rnn_tensor;

gemm_rnn_backward::gemm_rnn_backward(problem &p)
    : gemm_rnn(p, {rnn_states::keep_all, data_type::f32, true, false}) {
    format_ = {states_.state_type(), 1, 0};
    adapt_tensors(p);
    reserve(p);
    gradients_ = rnn_weights_gradient(p, s_, threads_);
    why_not_ = common_refusal();
    if (!why_not_) why_not_ = refusal_of(diffs_);
    if (!why_not_) why_not_ = gradients_.why_not();
}

void gemm_rnn_backward::adapt_tensors(problem &p) {
    using use = adapted_tensor::use;
    const bool overwrite = desc_.flags & dnnl_rnn_flags_diff_weights_overwrite;
    for (const rnn_tensor_info &info : rnn_tensors) {
        const auto i = static_cast<std::size_t>(info.tensor);
        const bool weights = info.tensor == weights_layer || info.tensor == weights_iter ||
                             info.tensor == weights_projection;
        const bool state = info.tensor == src_layer || info.tensor == src_iter;
        const bool accumulated = weights || info.tensor == weights_peephole || info.tensor == bias;
        // The outputs of the forward pass are in the workspace as well.
        if (!weights && !info.is_output)
            tensors_[i] = adapt(
                p, desc_.md(info.tensor), state ? states_.state_type() : data_type::f32, use::read);
        diffs_[i] = adapt(p, desc_.diff(info.tensor), data_type::f32,
            info.is_output              ? use::read
            : accumulated && !overwrite ? use::update
                                        : use::write);
    }
}

void gemm_rnn_backward::reserve(problem &p) {
    const dim_t rows = s_.T * s_.MB;
    auto &pad = p.scratchpad;
    zeros_ = pad.reserve<f32>(s_.MB * std::max(s_.SIC, s_.DHC));
    diff_gates_ = pad.reserve<f32>(rows * s_.G * s_.DHC);
    if (is_linear_before_reset(desc_.cell_kind)) diff_linear_ = pad.reserve<f32>(rows * s_.DHC);
    diff_output_ = pad.reserve<f32>(rows * s_.DIC);
    if (resets_state(desc_.cell_kind)) operand_ = pad.reserve<f32>(rows * s_.DHC);
    if (s_.projection || resets_state(desc_.cell_kind))
        diff_operand_ = pad.reserve<f32>(s_.MB * s_.DHC);
    diff_h_ = pad.reserve<f32>(s_.MB * widest_h());
    if (is_lstm(desc_.cell_kind)) diff_c_ = pad.reserve<f32>(s_.MB * s_.DHC);
    if (desc_.has(weights_peephole)) peephole_sums_ = pad.reserve<f32>(3 * s_.DHC);
    diff_layer_ = pad.reserve<f32>(2 * s_.D * rows * layer_row());
}

gemm_rnn_backward::execution gemm_rnn_backward::bound(const exec_context &ctx) const {
    execution e {};
    bind(ctx, e);
    e.states = const_cast<std::byte *>(ctx.in<std::byte>(DNNL_ARG_WORKSPACE));
    for (const rnn_tensor_info &info : rnn_tensors) {
        const auto i = static_cast<std::size_t>(info.tensor);
        if (desc_.has(info.tensor))
            e.diffs[i] = static_cast<char *>(diffs_[i].begin(ctx, ctx.data(info.diff_arg)));
    }
    std::fill_n(ctx.scratch(zeros_), s_.MB * std::max(s_.SIC, s_.DHC), 0.0f);
    e.zeros = reinterpret_cast<char *>(ctx.scratch(zeros_));
    e.diff_gates = ctx.scratch(diff_gates_);
    e.diff_linear = ctx.scratch(diff_linear_);
    e.diff_output = ctx.scratch(diff_output_);
    e.operand = ctx.scratch(operand_);
    e.diff_operand = ctx.scratch(diff_operand_);
    e.diff_h = ctx.scratch(diff_h_);
    e.diff_c = ctx.scratch(diff_c_);
    e.peephole_sums = ctx.scratch(peephole_sums_);
    e.diff_layer = ctx.scratch(diff_layer_);
    return e;
}

gemm_rnn_backward::cell gemm_rnn_backward::cell_of(
    const execution &e, dim_t l, dim_t d, dim_t step) const {
    if (step > 0) {
        const dim_t before = time(d, step - 1);
        return {l, d, time(d, step),
            reinterpret_cast<const char *>(states_.h(e.states, l, d, before)),
            states_.c(e.states, l, d, before)};
    }
    cell at {l, d, time(d, 0), e.zeros, reinterpret_cast<const f32 *>(e.zeros)};
    if (const char *h = e.tensor<char>(src_iter))
        at.previous_h = h + slot(l, d) * s_.SIC * state_bytes();
    if (const f32 *c = e.tensor<f32>(src_iter_c)) at.previous_c = c + slot(l, d) * s_.DHC;
    return at;
}

// ---- Gradients of the outputs, and between layers ----

namespace {
/// Copies rows of `count` f32, `from_row` and `to_row` apart.
void copy_rows(const f32 *from, dim_t from_row, f32 *to, dim_t to_row, dim_t rows, dim_t count) {
    for (dim_t row = 0; row < rows; ++row)
        std::copy_n(from + row * from_row, count, to + row * to_row);
}
} // namespace

void gemm_rnn_backward::load_diff_dst_layer(const execution &e, dim_t d) const {
    const dim_t first = s_.concat ? d * s_.DIC : 0;
    copy_rows(e.diff(dst_layer) + first, s_.DLC, diff_layer(e, s_.L - 1, d), layer_row(),
        s_.T * s_.MB, s_.DIC);
}

void gemm_rnn_backward::load_diff_dst_iter(const execution &e, dim_t l, dim_t d) const {
    const dim_t first = slot(l, d);
    std::fill_n(e.diff_h, s_.MB * widest_h(), 0.0f);
    if (const f32 *given = e.diff(dst_iter))
        copy_rows(given + first * s_.DIC, s_.DIC, e.diff_h, widest_h(), s_.MB, s_.DIC);
    if (is_lstm(desc_.cell_kind)) std::fill_n(e.diff_c, s_.MB * s_.DHC, 0.0f);
    if (const f32 *given = e.diff(dst_iter_c))
        std::copy_n(given + first * s_.DHC, s_.MB * s_.DHC, e.diff_c);
}

void gemm_rnn_backward::store_diff_src_iter(const execution &e, dim_t l, dim_t d) const {
    const dim_t first = slot(l, d);
    if (f32 *out = e.diff(src_iter))
        copy_rows(e.diff_h, widest_h(), out + first * s_.SIC, s_.SIC, s_.MB, s_.SIC);
    if (f32 *out = e.diff(src_iter_c)) std::copy_n(e.diff_c, s_.MB * s_.DHC, out + first * s_.DHC);
}

void gemm_rnn_backward::store_diff_src_layer(const execution &e) const {
    const dim_t rows = s_.T * s_.MB;
    if (s_.D == 1)
        return copy_rows(
            diff_layer(e, -1, 0), layer_row(), e.diff(src_layer), s_.SLC, rows, s_.SLC);
    rnn_rows_args args {};
    args.what = rnn_rows_operation::add;
    args.state.type = args.out_type = data_type::f32;
    args.rows = rows;
    args.columns = args.out_row = s_.SLC;
    args.a_row = args.b_row = layer_row();
    args.a = diff_layer(e, -1, 0);
    args.b = diff_layer(e, -1, 1);
    args.out = e.diff(src_layer);
    run(args);
}

void gemm_rnn_backward::execute(const exec_context &ctx) const {
    const execution e = bound(ctx);
    for (dim_t d = 0; d < s_.D; ++d) load_diff_dst_layer(e, d);
    for (dim_t l = s_.L - 1; l >= 0; --l)
        for (dim_t d = 0; d < s_.D; ++d) {
            load_diff_dst_iter(e, l, d);
            for (dim_t step = s_.T - 1; step >= 0; --step) run_cell(e, cell_of(e, l, d, step));
            store_diff_src_iter(e, l, d);
            multiply_layer(e, l, d);
            store_gradients(ctx, e, l, d);
        }
    store_diff_src_layer(e);
    for (const rnn_tensor_info &info : rnn_tensors)
        if (!info.is_output && desc_.has(info.tensor))
            diffs_[static_cast<std::size_t>(info.tensor)].end(ctx, ctx.data(info.diff_arg));
}

planned make_rnn_backward(problem &p) { return try_plan<gemm_rnn_backward>(p); }

} // namespace dnnl::impl::cpu
