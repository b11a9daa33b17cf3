// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, forward, on the GEMM kernels. For each layer and direction one product of all
// time steps with the layer's weights, then step by step a product of the state with its weights
// and the arithmetic of the cell, block by block of channels, so that sums stay in the cache.
#include <cstring>

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/rnn_states.hpp"
#include "cpu/kernels/rnn_cell.hpp"
#include "cpu/kernels/select_rows.hpp"
#include "cpu/rnn.hpp"

namespace dnnl::impl::cpu {

namespace {
using enum rnn_tensor;

class gemm_rnn_forward : public plan {
  public:
    explicit gemm_rnn_forward(problem &p);
    const char *why_not() const {
        for (const rnn_weights *w : {&layer_, &iter_})
            if (w->why_not()) return w->why_not();
        if (s_.projection && projection_.why_not()) return projection_.why_not();
        for (const adapted_tensor *t : {&src_layer_, &src_iter_, &src_iter_c_, &attention_, &bias_,
                 &peephole_, &dst_layer_, &dst_iter_, &dst_iter_c_})
            if (t->why_not()) return t->why_not();
        return nullptr;
    }
    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        std::byte *states; ///< laid out by rnn_states
        const char *weights_layer, *weights_iter, *projection;
        const char *src_layer;
        const f32 *attention, *bias, *peephole;
        const char *src_iter; ///< f32 or of the state's type
        const f32 *src_iter_c;
        char *dst_iter;
        f32 *dst_iter_c;
        s32 *compensation; ///< [G][DHC], then [DIC] of the projection
    };
    /// One time step of a layer and direction: what it reads and what it leaves.
    struct cell {
        dim_t l, d, t;
        const char *previous_h; ///< [MB][SIC]
        const f32 *previous_c;  ///< [MB][DHC]
        f32 *gates, *linear, *c;
        char *h, *operand;
    };

    bool is_training() const { return desc_.prop == dnnl_forward_training; }
    bool is_quantized() const { return is_int8(states_.state_type()); }
    dim_t state_bytes() const { return static_cast<dim_t>(size_of(states_.state_type())); }
    dim_t time(dim_t d, dim_t step) const { return is_reversed(desc_, d) ? s_.T - 1 - step : step; }
    dim_t slot(dim_t l, dim_t d) const { return (l * s_.D + d) * s_.MB; }

    void prepare_weights(problem &p);
    void prepare_quantization(const rnn_quantization &q);
    const char *first_h(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    const f32 *first_c(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    void compensate(const execution &e, dim_t l, dim_t d) const;
    void multiply_layer(const execution &e, dim_t l, dim_t d) const;
    void run_steps(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    rnn_forward_args arguments(
        const execution &e, const cell &at, const rnn_block &b, rnn_forward_stage stage) const;
    template <class Body>
    void for_each_block(const rnn_weights &w, dim_t gates, dim_t columns, const Body &body) const;
    void run_cell(const execution &e, const cell &at) const;
    void run_gru_output(const execution &e, const cell &at) const;
    void project(const execution &e, const cell &at, f32 *sums) const;
    void store_states(const execution &e, const cell &last) const;
    void store_layer(const exec_context &ctx, const execution &e) const;

    rnn_desc desc_;
    rnn_shape s_;
    rnn_states states_;
    isa target_;
    int threads_;
    rnn_state_format format_ {};
    rnn_weights layer_, iter_, projection_;
    adapted_tensor src_layer_, src_iter_, src_iter_c_, attention_, bias_, peephole_;
    adapted_tensor dst_layer_, dst_iter_, dst_iter_c_;
    std::vector<f32> column_scales_; ///< [G][DHC], then [DIC] of the projection; 8-bit states
    scratch_slot<std::byte> kept_, first_h_, operand_;
    scratch_slot<f32> first_c_, projected_;
    scratch_slot<s32> compensation_;
};

gemm_rnn_forward::gemm_rnn_forward(problem &p)
    : s_(shape_of(std::get<rnn_desc>(p.op))),
      states_(std::get<rnn_desc>(p.op), std::get<rnn_desc>(p.op).prop == dnnl_forward_training
                                            ? rnn_states::keep_all
                                            : rnn_states::keep_last),
      target_(p.target), threads_(max_threads()) {
    prepare_weights(p);
    default_layouts(p);
    desc_ = std::get<rnn_desc>(p.op);
    const data_type type = desc_.md(src_layer).dtype, state = states_.state_type();
    format_ = {type, p.attr.rnn.data_scale, p.attr.rnn.data_shift};
    const auto adapt = [&](rnn_tensor t, data_type dtype, adapted_tensor::use how) {
        return adapt_rnn_tensor(p, desc_.md(t), dtype, how);
    };
    // 8-bit states are converted to and from f32 tensors here, others by the reorders.
    const auto state_or_f32 = [&](rnn_tensor t) {
        return is_quantized() && desc_.md(t).dtype == data_type::f32 ? data_type::f32 : state;
    };
    using use = adapted_tensor::use;
    src_layer_ = adapt(src_layer, state, use::read);
    src_iter_ = adapt(src_iter, state_or_f32(src_iter), use::read);
    src_iter_c_ = adapt(src_iter_c, data_type::f32, use::read);
    attention_ = adapt(attention, data_type::f32, use::read);
    bias_ = adapt(bias, data_type::f32, use::read);
    peephole_ = adapt(weights_peephole, data_type::f32, use::read);
    dst_layer_ = adapt(dst_layer, state_or_f32(dst_layer), use::write);
    dst_iter_ = adapt(dst_iter, state_or_f32(dst_iter), use::write);
    dst_iter_c_ = adapt(dst_iter_c, data_type::f32, use::write);
    if (is_quantized()) prepare_quantization(p.attr.rnn);
    if (!is_training()) kept_ = p.scratchpad.reserve<std::byte>(states_.bytes());
    first_h_ = p.scratchpad.reserve<std::byte>(s_.MB * s_.SIC * state_bytes());
    first_c_ = p.scratchpad.reserve<f32>(s_.MB * s_.DHC);
    operand_ = p.scratchpad.reserve<std::byte>(s_.MB * s_.DHC * state_bytes());
    if (s_.projection) projected_ = p.scratchpad.reserve<f32>(s_.MB * s_.DIC);
    compensation_ = p.scratchpad.reserve<s32>(s_.G * s_.DHC + s_.DIC);
}

void gemm_rnn_forward::prepare_weights(problem &p) {
    const bool sums = is_quantized();
    const data_type a = states_.state_type();
    layer_ = rnn_weights(p, {weights_layer, a, false, sums, s_.T * s_.MB, threads_});
    iter_ = rnn_weights(p, {weights_iter, a, false, sums, s_.MB, threads_});
    if (s_.projection)
        projection_ = rnn_weights(p, {weights_projection, a, false, sums, s_.MB, threads_});
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
    const char *given = e.src_iter;
    if (given && src_iter_.wanted().dtype == states_.state_type())
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
    select_rnn_rows(target_)(args);
    return h;
}

const f32 *gemm_rnn_forward::first_c(
    const exec_context &ctx, const execution &e, dim_t l, dim_t d) const {
    if (e.src_iter_c) return e.src_iter_c + slot(l, d) * s_.DHC;
    f32 *c = ctx.scratch(first_c_);
    std::fill_n(c, s_.MB * s_.DHC, 0.0f);
    return c;
}

// ---- Products ----

/// shift * (sums of the weights of each gate), over both weights.
void gemm_rnn_forward::compensate(const execution &e, dim_t l, dim_t d) const {
    const auto shift = static_cast<s32>(format_.shift);
    s32 *out = e.compensation;
    for (dim_t g = 0; g < s_.G; ++g) {
        const s32 *layer = layer_.column_sums(e.weights_layer, l, d, g);
        const s32 *iter = iter_.column_sums(e.weights_iter, l, d, g);
        for (dim_t o = 0; o < s_.DHC; ++o) *out++ = shift * (layer[o] + iter[o]);
    }
    if (!s_.projection) return;
    const s32 *sums = projection_.column_sums(e.projection, l, d, 0);
    for (dim_t o = 0; o < s_.DIC; ++o) *out++ = shift * sums[o];
}

/// gates[t][n][g][o] = sum over i of x[t][n][i] * weights[i][g][o], for all time steps.
void gemm_rnn_forward::multiply_layer(const execution &e, dim_t l, dim_t d) const {
    const bool first = l == 0;
    const char *x =
        first ? e.src_layer : reinterpret_cast<const char *>(states_.h(e.states, l - 1, d, 0));
    f32 *gates = states_.gates(e.states, l, d, 0);
    const rnn_grid grid(s_.T * s_.MB, s_.DHC, layer_.driver(), threads_);
    parallel_for(
        grid.count(), layer_.cost_ns(grid, s_.G), threads_, [&](int, dim_t begin, dim_t end) {
            layer_.driver().begin();
            for (dim_t item = begin; item < end; ++item) {
                const rnn_block b(grid, item);
                rnn_product product = rnn_product::of(b, l, d);
                product.a = x + b.row * s_.SLC * state_bytes();
                product.lda = s_.SLC;
                product.gates = s_.G;
                product.sums = gates + b.row * s_.G * s_.DHC + b.column;
                product.sums_row = s_.G * s_.DHC;
                product.gate_step = s_.DHC;
                layer_.multiply(e.weights_layer, product);
            }
            layer_.driver().end(nullptr);
        });
}

/// body(block) over rows of the batch and columns of the product, between begin() and end().
template <class Body>
void gemm_rnn_forward::for_each_block(
    const rnn_weights &w, dim_t gates, dim_t columns, const Body &body) const {
    const rnn_grid grid(s_.MB, columns, w.driver(), threads_);
    const double cell_ns = 4.0 * static_cast<double>(std::min(grid.row_block, grid.rows)) *
                           static_cast<double>(std::min(grid.column_block, grid.columns));
    parallel_for(
        grid.count(), w.cost_ns(grid, gates) + cell_ns, threads_, [&](int, dim_t begin, dim_t end) {
            w.driver().begin();
            for (dim_t item = begin; item < end; ++item) body(rnn_block(grid, item));
            w.driver().end(nullptr);
        });
}

rnn_forward_args gemm_rnn_forward::arguments(
    const execution &e, const cell &at, const rnn_block &b, rnn_forward_stage stage) const {
    const auto moved = [](auto *p, dim_t elements) { return p ? p + elements : p; };
    const dim_t bytes = state_bytes(), channels = b.row * s_.DHC + b.column;
    rnn_forward_args a {};
    a.stage = stage;
    a.activation = static_cast<algorithm>(desc_.activation);
    a.alpha = desc_.alpha;
    a.keep = is_training();
    a.state = format_;
    a.rows = b.rows;
    a.channels = b.columns;
    a.gate_step = s_.DHC;
    a.gates_row = s_.G * s_.DHC;
    a.gates = at.gates + b.row * a.gates_row + b.column;
    const dim_t first = at.l * s_.D + at.d;
    a.bias = moved(e.bias, first * s_.B * s_.DHC + b.column);
    a.peephole = moved(e.peephole, first * 3 * s_.DHC + b.column);
    if (is_quantized()) {
        a.column_scales = column_scales_.data() + b.column;
        a.compensation = e.compensation + b.column;
    }
    a.previous_c = moved(at.previous_c, channels);
    a.c = at.c + channels;
    if (states_.has_linear()) a.linear = at.linear + channels;
    a.c_row = a.linear_row = s_.DHC;
    a.previous_h = at.previous_h + (b.row * s_.SIC + b.column) * bytes;
    a.h = at.h + (b.row * s_.DIC + b.column) * bytes;
    a.previous_h_row = s_.SIC;
    a.h_row = s_.DIC;
    if (s_.projection || resets_state(desc_.cell_kind)) a.operand = at.operand + channels * bytes;
    a.operand_row = s_.DHC;
    a.attention = moved(e.attention, at.t * s_.MB + b.row);
    return a;
}

/// The product of the previous state with the weights of the gates that take it as it is, and what
/// can be computed from them.
void gemm_rnn_forward::run_cell(const execution &e, const cell &at) const {
    const dnnl_alg_kind_t kind = desc_.cell_kind;
    const bool linear = is_linear_before_reset(kind);
    const dim_t gates = linear || resets_state(kind) ? 2 : s_.G;
    const auto stage = linear               ? rnn_forward_stage::lbr_gru
                       : resets_state(kind) ? rnn_forward_stage::gru_reset
                       : is_lstm(kind)      ? rnn_forward_stage::lstm
                                            : rnn_forward_stage::vanilla;
    for_each_block(iter_, gates + linear, s_.DHC, [&](const rnn_block &b) {
        const rnn_forward_args args = arguments(e, at, b, stage);
        rnn_product product = rnn_product::of(b, at.l, at.d);
        product.a = at.previous_h + b.row * s_.SIC * state_bytes();
        product.lda = s_.SIC;
        product.gates = gates;
        product.sums = args.gates;
        product.sums_row = args.gates_row;
        product.gate_step = s_.DHC;
        product.accumulate = true;
        iter_.multiply(e.weights_iter, product);
        if (linear) {
            product.first_gate = 2;
            product.gates = 1;
            product.sums = args.linear;
            product.sums_row = args.linear_row;
            product.accumulate = false;
            iter_.multiply(e.weights_iter, product);
        }
        select_rnn_cell_forward(target_)(args);
    });
}

/// Gate o of a GRU: U_o (r h) joins its sums.
void gemm_rnn_forward::run_gru_output(const execution &e, const cell &at) const {
    for_each_block(iter_, 1, s_.DHC, [&](const rnn_block &b) {
        const rnn_forward_args args = arguments(e, at, b, rnn_forward_stage::gru_output);
        rnn_product product = rnn_product::of(b, at.l, at.d);
        product.a = at.operand + b.row * s_.DHC * state_bytes();
        product.lda = s_.DHC;
        product.first_gate = 2;
        product.sums = static_cast<f32 *>(args.gates) + 2 * s_.DHC;
        product.sums_row = args.gates_row;
        product.accumulate = true;
        iter_.multiply(e.weights_iter, product);
        select_rnn_cell_forward(target_)(args);
    });
}

void gemm_rnn_forward::project(const execution &e, const cell &at, f32 *sums) const {
    for_each_block(projection_, 1, s_.DIC, [&](const rnn_block &b) {
        rnn_product product = rnn_product::of(b, at.l, at.d);
        product.a = at.operand + b.row * s_.DHC * state_bytes();
        product.lda = s_.DHC;
        product.sums = sums + b.row * s_.DIC + b.column;
        product.sums_row = s_.DIC;
        projection_.multiply(e.projection, product);
        rnn_forward_args args {};
        args.stage = rnn_forward_stage::project;
        args.state = format_;
        args.rows = b.rows;
        args.channels = b.columns;
        args.gates = product.sums;
        args.gates_row = args.h_row = s_.DIC;
        if (is_quantized()) {
            args.column_scales = column_scales_.data() + s_.G * s_.DHC + b.column;
            args.compensation = e.compensation + s_.G * s_.DHC + b.column;
        }
        args.h = at.h + (b.row * s_.DIC + b.column) * state_bytes();
        select_rnn_cell_forward(target_)(args);
    });
}

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

// ---- Outputs ----

/// The state of the last step, or the initial one.
void gemm_rnn_forward::store_states(const execution &e, const cell &last) const {
    const dim_t first = slot(last.l, last.d);
    if (e.dst_iter_c) std::copy_n(last.c, s_.MB * s_.DHC, e.dst_iter_c + first * s_.DHC);
    if (!e.dst_iter) return;
    const data_type stored = dst_iter_.wanted().dtype;
    char *out = e.dst_iter + first * s_.DIC * static_cast<dim_t>(size_of(stored));
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
    select_rnn_rows(target_)(args);
}

void gemm_rnn_forward::store_layer(const exec_context &ctx, const execution &e) const {
    char *out = static_cast<char *>(dst_layer_.begin(ctx, ctx.data(DNNL_ARG_DST_LAYER)));
    const data_type stored = dst_layer_.wanted().dtype;
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
        select_rnn_rows(target_)(args);
        if (!s_.concat) return;
        args.a = args.b;
        args.out = out + (begin * s_.DLC + s_.DIC) * bytes;
        select_rnn_rows(target_)(args);
    });
}

void gemm_rnn_forward::execute(const exec_context &ctx) const {
    const auto begin = [&](const adapted_tensor &t, rnn_tensor which) -> void * {
        const int arg = rnn_tensors[static_cast<std::size_t>(which)].arg;
        return desc_.has(which) ? t.begin(ctx, ctx.data(arg)) : nullptr;
    };
    execution e {};
    e.states = is_training() ? ctx.out<std::byte>(DNNL_ARG_WORKSPACE) : ctx.scratch(kept_);
    e.weights_layer = layer_.begin(ctx);
    e.weights_iter = iter_.begin(ctx);
    if (s_.projection) e.projection = projection_.begin(ctx);
    e.src_layer = static_cast<const char *>(begin(src_layer_, src_layer));
    e.attention = static_cast<const f32 *>(begin(attention_, attention));
    e.bias = static_cast<const f32 *>(begin(bias_, bias));
    e.peephole = static_cast<const f32 *>(begin(peephole_, weights_peephole));
    e.src_iter = static_cast<const char *>(begin(src_iter_, src_iter));
    e.src_iter_c = static_cast<const f32 *>(begin(src_iter_c_, src_iter_c));
    e.dst_iter = static_cast<char *>(begin(dst_iter_, dst_iter));
    e.dst_iter_c = static_cast<f32 *>(begin(dst_iter_c_, dst_iter_c));
    e.compensation = ctx.scratch(compensation_);
    for (dim_t l = 0; l < s_.L; ++l)
        for (dim_t d = 0; d < s_.D; ++d) {
            if (is_quantized()) compensate(e, l, d);
            multiply_layer(e, l, d);
            run_steps(ctx, e, l, d);
        }
    store_layer(ctx, e);
    dst_layer_.end(ctx, ctx.data(DNNL_ARG_DST_LAYER));
    if (desc_.has(dst_iter)) dst_iter_.end(ctx, ctx.data(DNNL_ARG_DST_ITER));
    if (desc_.has(dst_iter_c)) dst_iter_c_.end(ctx, ctx.data(DNNL_ARG_DST_ITER_C));
}

} // namespace

planned make_rnn_forward(problem &p) { return try_plan<gemm_rnn_forward>(p); }

} // namespace dnnl::impl::cpu
