// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, backward, on the GEMM kernels, in f32. For each layer and direction, from the
// last: step by step the arithmetic of the cell and the product of its gates' gradients with the
// transposed weights of the state; then for all steps at once the gradient with respect to the
// layer's input and, by rnn_weights_gradient, those with respect to the weights.
#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/rnn_states.hpp"
#include "cpu/kernels/rnn_cell.hpp"
#include "cpu/kernels/select_rows.hpp"
#include "cpu/rnn_gradients.hpp"

namespace dnnl::impl::cpu {

namespace {
using enum rnn_tensor;

class gemm_rnn_backward : public plan {
  public:
    explicit gemm_rnn_backward(problem &p);
    const char *why_not() const {
        for (const rnn_weights *w : {&layer_, &iter_})
            if (w->why_not()) return w->why_not();
        if (s_.projection && projection_.why_not()) return projection_.why_not();
        for (const adapted_tensor &t : tensors_)
            if (t.why_not()) return t.why_not();
        for (const adapted_tensor &t : diffs_)
            if (t.why_not()) return t.why_not();
        return gradients_.why_not();
    }
    void execute(const exec_context &ctx) const override;

  private:
    using list = std::array<adapted_tensor, rnn_tensor_count>;
    /// Buffers of an execution; tensors that the network lacks are null.
    struct execution {
        std::byte *states;
        std::array<char *, rnn_tensor_count> tensors, diffs; ///< as adapted
        const char *weights_layer, *weights_iter, *projection;
        char *zeros;        ///< [MB][max(SIC, DHC)] of 4 bytes: states before the first step
        f32 *diff_gates;    ///< [T][MB][G][DHC]
        f32 *diff_linear;   ///< [T][MB][DHC] linear before reset
        f32 *diff_output;   ///< [T][MB][DIC] with respect to h'
        f32 *operand;       ///< [T][MB][DHC] r h of a GRU
        f32 *diff_operand;  ///< [MB][DHC] with respect to it, or to h before the projection
        f32 *diff_h;        ///< [MB][max(SIC, DIC)]
        f32 *diff_c;        ///< [MB][DHC]
        f32 *peephole_sums; ///< [3][DHC]
        f32 *diff_layer;    ///< [2][D][T][MB][max(SLC, DIC)]: between layers, in turn

        template <class T> T *tensor(rnn_tensor t) const {
            return reinterpret_cast<T *>(tensors[static_cast<std::size_t>(t)]);
        }
        f32 *diff(rnn_tensor t) const {
            return reinterpret_cast<f32 *>(diffs[static_cast<std::size_t>(t)]);
        }
    };
    struct cell {
        dim_t l, d, t;
        const char *previous_h; ///< [MB][SIC]
        const f32 *previous_c;  ///< [MB][DHC]
    };

    bool is_gru() const { return desc_.cell_kind != dnnl_vanilla_rnn && !is_lstm(desc_.cell_kind); }
    dim_t state_bytes() const { return static_cast<dim_t>(size_of(states_.state_type())); }
    dim_t time(dim_t d, dim_t step) const { return is_reversed(desc_, d) ? s_.T - 1 - step : step; }
    dim_t slot(dim_t l, dim_t d) const { return (l * s_.D + d) * s_.MB; }
    dim_t widest_h() const { return std::max(s_.SIC, s_.DIC); }
    dim_t layer_row() const { return std::max(s_.SLC, s_.DIC); }
    /// With respect to the output of layer l, [T][MB][layer_row()].
    f32 *diff_layer(const execution &e, dim_t l, dim_t d) const {
        return e.diff_layer + ((l + 1) % 2 * s_.D + d) * s_.T * s_.MB * layer_row();
    }

    void adapt_tensors(problem &p);
    void reserve(problem &p);
    execution bind(const exec_context &ctx) const;
    cell cell_of(const execution &e, dim_t l, dim_t d, dim_t step) const;
    void load_diff_dst_layer(const execution &e, dim_t d) const;
    void load_diff_dst_iter(const execution &e, dim_t l, dim_t d) const;
    void run_cell(const execution &e, const cell &at) const;
    void add_outputs(const execution &e, const cell &at) const;
    template <class Body>
    void for_each_block(const rnn_weights &w, dim_t rows, dim_t gates, const Body &body) const;
    rnn_backward_args arguments(
        const execution &e, const cell &at, const rnn_block &b, rnn_backward_stage stage) const;
    void run_stage(const execution &e, const cell &at, rnn_backward_stage stage) const;
    void multiply_state(
        const execution &e, const cell &at, dim_t first, dim_t gates, const f32 *a) const;
    void multiply_layer(const execution &e, dim_t l, dim_t d) const;
    void store_diff_src_iter(const execution &e, dim_t l, dim_t d) const;
    void store_diff_src_layer(const execution &e) const;
    rnn_operand previous_states(const execution &e, dim_t l, dim_t d) const;
    void store_gradients(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    void store_peephole_gradient(const execution &e, dim_t l, dim_t d) const;

    rnn_desc desc_;
    rnn_shape s_;
    rnn_states states_;
    isa target_;
    int threads_;
    rnn_state_format format_ {};
    rnn_weights layer_, iter_, projection_;
    list tensors_, diffs_;
    rnn_weights_gradient gradients_;
    scratch_slot<f32> zeros_, diff_gates_, diff_linear_, diff_output_, operand_, diff_operand_;
    scratch_slot<f32> diff_h_, diff_c_, diff_layer_, peephole_sums_;
};

gemm_rnn_backward::gemm_rnn_backward(problem &p)
    : s_(shape_of(std::get<rnn_desc>(p.op))),
      states_(std::get<rnn_desc>(p.op), rnn_states::keep_all), target_(p.target),
      threads_(max_threads()) {
    const dim_t rows = s_.T * s_.MB;
    layer_ = rnn_weights(p, {weights_layer, data_type::f32, true, false, rows, threads_});
    iter_ = rnn_weights(p, {weights_iter, data_type::f32, true, false, s_.MB, threads_});
    if (s_.projection)
        projection_ =
            rnn_weights(p, {weights_projection, data_type::f32, true, false, s_.MB, threads_});
    default_layouts(p);
    desc_ = std::get<rnn_desc>(p.op);
    format_ = {states_.state_type(), 1, 0};
    adapt_tensors(p);
    reserve(p);
    gradients_ = rnn_weights_gradient(p, s_, threads_);
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
            tensors_[i] = adapt_rnn_tensor(
                p, desc_.md(info.tensor), state ? states_.state_type() : data_type::f32, use::read);
        diffs_[i] = adapt_rnn_tensor(p, desc_.diff(info.tensor), data_type::f32,
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
    diff_operand_ = pad.reserve<f32>(s_.MB * s_.DHC);
    diff_h_ = pad.reserve<f32>(s_.MB * widest_h());
    diff_c_ = pad.reserve<f32>(s_.MB * s_.DHC);
    peephole_sums_ = pad.reserve<f32>(3 * s_.DHC);
    diff_layer_ = pad.reserve<f32>(2 * s_.D * rows * layer_row());
}

gemm_rnn_backward::execution gemm_rnn_backward::bind(const exec_context &ctx) const {
    execution e {};
    e.states = const_cast<std::byte *>(ctx.in<std::byte>(DNNL_ARG_WORKSPACE));
    for (const rnn_tensor_info &info : rnn_tensors) {
        const auto i = static_cast<std::size_t>(info.tensor);
        if (!desc_.has(info.tensor)) continue;
        if (tensors_[i].wanted().ndims > 0)
            e.tensors[i] = static_cast<char *>(tensors_[i].begin(ctx, ctx.data(info.arg)));
        e.diffs[i] = static_cast<char *>(diffs_[i].begin(ctx, ctx.data(info.diff_arg)));
    }
    e.weights_layer = layer_.begin(ctx);
    e.weights_iter = iter_.begin(ctx);
    if (s_.projection) e.projection = projection_.begin(ctx);
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

/// Copies rows of `count` f32, `from_row` and `to_row` apart.
void copy_rows(const f32 *from, dim_t from_row, f32 *to, dim_t to_row, dim_t rows, dim_t count) {
    for (dim_t row = 0; row < rows; ++row)
        std::copy_n(from + row * from_row, count, to + row * to_row);
}

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
    std::fill_n(e.diff_c, s_.MB * s_.DHC, 0.0f);
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
    select_rnn_rows(target_)(args);
}

/// diff_output = the gradient from the layer above plus that from the step behind.
void gemm_rnn_backward::add_outputs(const execution &e, const cell &at) const {
    rnn_rows_args args {};
    args.what = rnn_rows_operation::add;
    args.state.type = args.out_type = data_type::f32;
    args.rows = s_.MB;
    args.columns = args.out_row = s_.DIC;
    args.a = diff_layer(e, at.l, at.d) + at.t * s_.MB * layer_row();
    args.a_row = layer_row();
    args.b = e.diff_h;
    args.b_row = widest_h();
    args.out = e.diff_output + at.t * s_.MB * s_.DIC;
    select_rnn_rows(target_)(args);
}

// ---- One step ----

/// body(block) over `rows` and the columns of a product, between begin() and end().
template <class Body>
void gemm_rnn_backward::for_each_block(
    const rnn_weights &w, dim_t rows, dim_t gates, const Body &body) const {
    const rnn_grid grid(rows, w.N(), w.driver(), threads_);
    parallel_for(grid.count(), w.cost_ns(grid, gates), threads_, [&](int, dim_t begin, dim_t end) {
        w.driver().begin();
        for (dim_t item = begin; item < end; ++item) body(rnn_block(grid, item));
        w.driver().end(nullptr);
    });
}

rnn_backward_args gemm_rnn_backward::arguments(
    const execution &e, const cell &at, const rnn_block &b, rnn_backward_stage stage) const {
    const auto moved = [](auto *p, dim_t elements) { return p ? p + elements : p; };
    const dim_t channels = b.row * s_.DHC + b.column, row = at.t * s_.MB + b.row;
    rnn_backward_args a {};
    a.stage = stage;
    a.activation = static_cast<algorithm>(desc_.activation);
    a.alpha = desc_.alpha;
    a.state = format_;
    a.rows = b.rows;
    a.channels = b.columns;
    a.gate_step = s_.DHC;
    a.gates_row = s_.G * s_.DHC;
    a.gates = states_.gates(e.states, at.l, at.d, at.t) + b.row * a.gates_row + b.column;
    a.diff_gates = e.diff_gates + row * a.gates_row + b.column;
    a.diff_cell =
        s_.projection ? e.diff_operand + channels : e.diff_output + row * s_.DHC + b.column;
    a.diff_cell_row = a.c_row = a.linear_row = s_.DHC;
    const dim_t first = at.l * s_.D + at.d;
    a.peephole = moved(e.tensor<f32>(weights_peephole), first * 3 * s_.DHC + b.column);
    a.previous_c = moved(at.previous_c, channels);
    a.c = states_.c(e.states, at.l, at.d, at.t) + channels;
    a.diff_c = e.diff_c + channels;
    if (states_.has_linear()) a.linear = states_.linear(e.states, at.l, at.d, at.t) + channels;
    a.diff_operand = e.diff_operand + channels;
    a.diff_linear = e.diff_linear + row * s_.DHC + b.column;
    a.operand = e.operand + row * s_.DHC + b.column;
    a.previous_h = at.previous_h + (b.row * s_.SIC + b.column) * state_bytes();
    a.previous_h_row = s_.SIC;
    a.diff_h = e.diff_h + b.row * widest_h() + b.column;
    a.diff_h_row = widest_h();
    a.attention = moved(e.tensor<f32>(attention), row);
    a.diff_attention = moved(e.diff(attention), row);
    return a;
}

/// The arithmetic of a stage on whole rows, cut among the threads by rows.
void gemm_rnn_backward::run_stage(
    const execution &e, const cell &at, rnn_backward_stage stage) const {
    const double row_ns = 4.0 * static_cast<double>(s_.DHC);
    parallel_for(s_.MB, row_ns, threads_, [&](int, dim_t begin, dim_t end) {
        rnn_grid rows(s_.MB, s_.DHC, iter_.driver(), 1);
        rows.column_block = s_.DHC;
        rnn_block b(rows, 0);
        b.row = begin;
        b.rows = end - begin;
        select_rnn_cell_backward(target_)(arguments(e, at, b, stage));
    });
}

/// diff_h (+)= a[gate] x the transposed weights of gates [first, first + gates): only a vanilla
/// cell and an LSTM have nothing in diff_h to add to.
void gemm_rnn_backward::multiply_state(
    const execution &e, const cell &at, dim_t first, dim_t gates, const f32 *a) const {
    const bool one = gates == 1 && is_linear_before_reset(desc_.cell_kind);
    const dim_t a_row = one ? s_.DHC : s_.G * s_.DHC;
    for_each_block(iter_, s_.MB, gates, [&](const rnn_block &b) {
        rnn_product product = rnn_product::of(b, at.l, at.d);
        product.a = a + b.row * a_row;
        product.lda = a_row;
        product.first_gate = first;
        product.gates = gates;
        product.a_gate_step = s_.DHC;
        product.sums = e.diff_h + b.row * widest_h() + b.column;
        product.sums_row = widest_h();
        product.accumulate = is_gru();
        iter_.multiply(e.weights_iter, product);
    });
}

void gemm_rnn_backward::run_cell(const execution &e, const cell &at) const {
    using stage = rnn_backward_stage;
    const dim_t row = at.t * s_.MB;
    const f32 *diff_gates = e.diff_gates + row * s_.G * s_.DHC;
    add_outputs(e, at);
    if (s_.projection)
        for_each_block(projection_, s_.MB, 1, [&](const rnn_block &b) {
            rnn_product product = rnn_product::of(b, at.l, at.d);
            product.a = e.diff_output + (row + b.row) * s_.DIC;
            product.lda = s_.DIC;
            product.sums = e.diff_operand + b.row * s_.DHC + b.column;
            product.sums_row = s_.DHC;
            projection_.multiply(e.projection, product);
        });
    if (!is_gru()) {
        run_stage(e, at, is_lstm(desc_.cell_kind) ? stage::lstm : stage::vanilla);
        return multiply_state(e, at, 0, s_.G, diff_gates);
    }
    if (is_linear_before_reset(desc_.cell_kind)) {
        run_stage(e, at, stage::lbr_gru);
        multiply_state(e, at, 0, 2, diff_gates);
        return multiply_state(e, at, 2, 1, e.diff_linear + row * s_.DHC);
    }
    run_stage(e, at, stage::gru_output);
    for_each_block(iter_, s_.MB, 1, [&](const rnn_block &b) {
        rnn_product product = rnn_product::of(b, at.l, at.d);
        product.a = diff_gates + b.row * 3 * s_.DHC + 2 * s_.DHC;
        product.lda = 3 * s_.DHC;
        product.first_gate = 2;
        product.sums = e.diff_operand + b.row * s_.DHC + b.column;
        product.sums_row = s_.DHC;
        iter_.multiply(e.weights_iter, product);
    });
    run_stage(e, at, stage::gru_reset);
    multiply_state(e, at, 0, 2, diff_gates);
}

/// With respect to the layer's input, for all time steps.
void gemm_rnn_backward::multiply_layer(const execution &e, dim_t l, dim_t d) const {
    f32 *below = diff_layer(e, l - 1, d);
    for_each_block(layer_, s_.T * s_.MB, s_.G, [&](const rnn_block &b) {
        rnn_product product = rnn_product::of(b, l, d);
        product.a = e.diff_gates + b.row * s_.G * s_.DHC;
        product.lda = s_.G * s_.DHC;
        product.gates = s_.G;
        product.a_gate_step = s_.DHC;
        product.sums = below + b.row * layer_row() + b.column;
        product.sums_row = layer_row();
        layer_.multiply(e.weights_layer, product);
    });
}

// ---- Gradients of weights ----

/// What the state's weights multiplied: the state before each step.
rnn_operand gemm_rnn_backward::previous_states(const execution &e, dim_t l, dim_t d) const {
    return {states_.h(e.states, l, d, 0), states_.state_type(), s_.SIC,
        cell_of(e, l, d, 0).previous_h, is_reversed(desc_, d)};
}

void gemm_rnn_backward::store_gradients(
    const exec_context &ctx, const execution &e, dim_t l, dim_t d) const {
    const bool add = !(desc_.flags & dnnl_rnn_flags_diff_weights_overwrite);
    const bool linear = is_linear_before_reset(desc_.cell_kind);
    const dim_t place = l * s_.D + d, gates = s_.G * s_.DHC, two = 2 * s_.DHC;
    f32 *layer = e.diff(weights_layer) + place * s_.SLC * gates;
    f32 *iter = e.diff(weights_iter) + place * s_.SIC * gates;
    f32 *sums = e.diff(bias) ? e.diff(bias) + place * s_.B * s_.DHC : nullptr;

    gradients_.load_gradient(ctx, e.diff_gates, gates, gates);
    const void *input = l == 0 ? e.tensor<void>(src_layer) : states_.h(e.states, l - 1, d, 0);
    gradients_.load_operand(ctx, {input, states_.state_type(), s_.SLC, nullptr, false});
    gradients_.multiply(ctx, {layer, gates, s_.SLC, gates, add});
    if (sums) gradients_.sum_rows(ctx, {sums, gates, 1, gates, add});
    gradients_.load_operand(ctx, previous_states(e, l, d));
    gradients_.multiply(ctx, {iter, gates, s_.SIC, is_gru() ? two : gates, add});
    if (is_gru()) {
        // Gate o: of r h, or of U_o h + B_u'.
        if (linear)
            gradients_.load_gradient(ctx, e.diff_linear, s_.DHC, s_.DHC);
        else
            gradients_.load_gradient(ctx, e.diff_gates + two, gates, s_.DHC);
        if (!linear)
            gradients_.load_operand(ctx, {e.operand, data_type::f32, s_.DHC, nullptr, false});
        gradients_.multiply(ctx, {iter + two, gates, s_.SIC, s_.DHC, add});
        if (linear && sums) gradients_.sum_rows(ctx, {sums + gates, s_.DHC, 1, s_.DHC, add});
    }
    if (s_.projection) {
        f32 *projected = e.diff(weights_projection) + place * s_.DHC * s_.DIC;
        gradients_.load_gradient(ctx, e.diff_output, s_.DIC, s_.DIC);
        gradients_.load_operand(
            ctx, {states_.linear(e.states, l, d, 0), data_type::f32, s_.DHC, nullptr, false});
        gradients_.multiply(ctx, {projected, s_.DIC, s_.DHC, s_.DIC, add});
    }
    if (desc_.has(weights_peephole)) store_peephole_gradient(e, l, d);
}

/// Gates i and f saw the cell state before each step, gate o the one behind it.
void gemm_rnn_backward::store_peephole_gradient(const execution &e, dim_t l, dim_t d) const {
    f32 *sums = e.peephole_sums;
    std::fill_n(sums, 3 * s_.DHC, 0.0f);
    const dim_t rows = s_.T * s_.MB, first = std::min(s_.MB, rows);
    const bool reversed = is_reversed(desc_, d);
    const f32 *c = states_.c(e.states, l, d, 0);
    const auto add = [&](const f32 *state, dim_t gate, dim_t row, dim_t count, f32 *to) {
        const f32 *diff = e.diff_gates + (row * s_.G + gate) * s_.DHC;
        select_rnn_product_sums(target_)({count, s_.DHC, state, diff, s_.DHC, s_.G * s_.DHC, to});
    };
    for (dim_t gate = 0; gate < 2; ++gate) {
        f32 *to = sums + gate * s_.DHC;
        add(cell_of(e, l, d, 0).previous_c, gate, reversed ? rows - first : 0, first, to);
        add(c + (reversed ? first * s_.DHC : 0), gate, reversed ? 0 : first, rows - first, to);
    }
    add(c, 3, 0, rows, sums + 2 * s_.DHC);
    const bool overwrite = desc_.flags & dnnl_rnn_flags_diff_weights_overwrite;
    f32 *out = e.diff(weights_peephole) + (l * s_.D + d) * 3 * s_.DHC;
    for (dim_t i = 0; i < 3 * s_.DHC; ++i) out[i] = overwrite ? sums[i] : out[i] + sums[i];
}

void gemm_rnn_backward::execute(const exec_context &ctx) const {
    const execution e = bind(ctx);
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

} // namespace

planned make_rnn_backward(problem &p) { return try_plan<gemm_rnn_backward>(p); }

} // namespace dnnl::impl::cpu
