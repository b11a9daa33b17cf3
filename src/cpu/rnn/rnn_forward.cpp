// SPDX-License-Identifier: Apache-2.0
// A recurrent network's forward pass on the GEMM kernels. For each layer and direction one product
// of all time steps with the layer's weights, then step by step a product of the state with its
// weights and the arithmetic of the cell, block by block of channels, so that sums stay in the
// cache. Where the sums of all steps leave the cache and cost more than reading the weights in each
// step, a step begins with its own part of the first product.
#include <cstring>
#include <vector>

#include "cpu/rnn/rnn.hpp"

namespace dnnl::impl::cpu {

using enum rnn_tensor;

namespace {

/// So many rows multiply longer than their weights take to come from L3.
constexpr dim_t fewest_rows_by_step = 24;
constexpr double cell_ns = 2.5; ///< of an element of an LSTM, measured on a Zen 5 core

/// How the forward pass multiplies. With 8-bit states, sums of the weights times the shift are
/// subtracted from the products.
rnn_pass forward_pass(const rnn_desc &desc) {
    const bool training = desc.prop == dnnl_forward_training;
    const auto kept = training ? rnn_states::keep_all : rnn_states::keep_last;
    const data_type state = rnn_states(desc, kept).state_type();
    return {kept, state, false, is_int8(state)};
}

class gemm_rnn_forward : public gemm_rnn {
  public:
    explicit gemm_rnn_forward(problem &p) : gemm_rnn(p, forward_pass(std::get<rnn_desc>(p.op))) {
        format_ = {state_type_of(desc_), p.attr.rnn.data_scale, p.attr.rnn.data_shift};
        auto &pad = p.scratchpad;
        adapt_tensors(p);
        if (is_quantized()) prepare_quantization(p.attr.rnn);
        if (!is_training()) kept_ = pad.reserve<std::byte>(states_.bytes());
        if (!desc_.has(src_iter) || adapted_type(src_iter) != states_.state_type())
            first_h_ = pad.reserve<std::byte>(s_.MB * s_.SIC * state_bytes());
        if (is_lstm(desc_.cell_kind) && !desc_.has(src_iter_c))
            first_c_ = pad.reserve<f32>(s_.MB * s_.DHC);
        if (s_.projection || resets_state(desc_.cell_kind))
            operand_ = pad.reserve<std::byte>(s_.MB * s_.DHC * state_bytes());
        if (s_.projection) projected_ = pad.reserve<f32>(s_.MB * s_.DIC);
        if (is_quantized()) compensation_ = pad.reserve<s32>(s_.G * s_.DHC + s_.DIC);
        plan_steps(pad);
    }

    void execute(const exec_context &ctx) const override {
        const rnn_buffers e =
            bound(ctx, is_training() ? ctx.out<std::byte>(DNNL_ARG_WORKSPACE) : ctx.scratch(kept_));
        for (dim_t l = 0; l < s_.L; ++l)
            for (dim_t d = 0; d < s_.D; ++d) {
                if (is_quantized()) compensate(e, l, d);
                if (!by_step_) multiply_layer(e, l, d);
                run_steps(e, l, d);
            }
        store_layer(e);
        end(ctx, tensors_, &rnn_tensor_info::arg);
    }

  private:
    /// One time step of a layer and direction: what it reads and what it writes.
    struct cell {
        dim_t l, d, t;
        const char *previous_h; ///< [MB][SIC]
        const f32 *previous_c;  ///< [MB][DHC]
        f32 *gates, *linear, *c;
        char *h, *operand;
    };

    bool is_training() const { return desc_.prop == dnnl_forward_training; }
    bool is_quantized() const { return is_int8(states_.state_type()); }
    data_type adapted_type(rnn_tensor t) const { return tensors_[+t].wanted().dtype; }
    char *h(const rnn_buffers &e, dim_t l, dim_t d, dim_t t) const {
        return reinterpret_cast<char *>(states_.h(e.states, l, d, t));
    }

    /// Describes the tensors as the pass works on them: states keep their type, everything else
    /// becomes f32. The cells convert between 8-bit states and f32 tensors, reorders all others.
    void adapt_tensors(problem &p) {
        for (const rnn_tensor_info &info : rnn_tensors) {
            const rnn_tensor t = info.tensor;
            if (is_packed(t)) continue;
            const memory_desc &md = desc_.md(t);
            const bool state = t == src_iter || t == dst_layer || t == dst_iter ||
                               (t == src_layer && !has_gate_sums(desc_));
            const bool real = is_quantized() && t != src_layer && md.dtype == data_type::f32;
            tensors_[+t] = adapt(p, md, state && !real ? states_.state_type() : data_type::f32,
                info.is_output ? adapted_tensor::use::write : adapted_tensor::use::read);
        }
    }

    void prepare_quantization(const rnn_quantization &q) {
        const auto append = [&](const rnn_scales &scales, dim_t count) {
            for (dim_t i = 0; i < count; ++i)
                column_scales_.push_back(1 / (q.data_scale * scales.at(i)));
        };
        append(q.weights, s_.G * s_.DHC);
        append(q.projection, s_.DIC);
    }

    /// Computes shift * (the sums of the weights of each gate), those of the layer and the state.
    void compensate(const rnn_buffers &e, dim_t l, dim_t d) const {
        const auto shift = static_cast<s32>(format_.shift);
        s32 *out = e[compensation_];
        for (dim_t g = 0; g < s_.G; ++g) {
            const s32 *layer = layer_.column_sums(e.weights_layer, l, d, g);
            const s32 *iter = iter_.column_sums(e.weights_iter, l, d, g);
            for (dim_t o = 0; o < s_.DHC; ++o) *out++ = shift * (layer[o] + iter[o]);
        }
        if (!s_.projection) return;
        const s32 *sums = projection_.column_sums(e.projection, l, d, 0);
        for (dim_t o = 0; o < s_.DIC; ++o) *out++ = shift * sums[o];
    }

    /// Decides whether each step takes its own part of the product with the layer's weights, and
    /// whether sums stay in L1 until the cell has taken them.
    void plan_steps(scratchpad_layout &pad) {
        if (has_gate_sums(desc_)) return;
        const dim_t step_sums = s_.MB * s_.G * s_.DHC * dim_t {sizeof(f32)};
        const dim_t weights = s_.SLC * s_.G * s_.DHC * state_bytes();
        const auto l2_bytes = dim_t(caches().l2_bytes);
        const dim_t width = iter_.driver().kernel().panel_columns;
        const dim_t panels = (s_.SLC + s_.SIC) * s_.G * width * state_bytes();
        const bool strips = s_.MB >= fewest_rows_by_step && 4 * panels <= l2_bytes &&
                            !resets_state(desc_.cell_kind);
        by_step_ = s_.T * step_sums > l2_bytes && (strips || weights <= 2 * step_sums);
        strip_ = by_step_ && strips ? width : 0;
        strip_size_ = rnn_grid(s_.MB, s_.DHC, iter_.driver(), threads_).row_block * s_.G * strip_;
        strips_ = pad.reserve<f32>(threads_ * strip_size_);
    }
    /// gates[t][n][g][o] = sum over i of x[t][n][i] * weights[i][g][o], from time t on.
    rnn_product layer_product(const rnn_buffers &e, dim_t l, dim_t d, dim_t t) const {
        const char *x = l == 0 ? e.tensor<char>(src_layer) : h(e, l - 1, d, 0);
        rnn_product product {l, d, x + t * s_.MB * s_.SLC * state_bytes(), s_.SLC,
            states_.gates(e.states, l, d, t), s_.G * s_.DHC};
        product.gates = s_.G;
        product.gate_step = s_.DHC;
        return product;
    }
    /// Of all time steps. Sums that the caller has are copied: the cells overwrite them.
    void multiply_layer(const rnn_buffers &e, dim_t l, dim_t d) const {
        if (!has_gate_sums(desc_))
            return multiply(layer_, e.weights_layer, s_.T * s_.MB, layer_product(e, l, d, 0));
        copy_rows(e.tensor<f32>(src_layer), s_.SLC, states_.gates(e.states, l, d, 0), s_.SLC,
            s_.T * s_.MB, s_.SLC);
    }

    // ---- Initial states ----

    /// The state before the first step, [MB][SIC] in the type of states: the tensor or a buffer.
    const char *first_h(const rnn_buffers &e, dim_t l, dim_t d) const {
        const dim_t elements = s_.MB * s_.SIC;
        const char *given = e.tensor<char>(src_iter);
        if (given && adapted_type(src_iter) == states_.state_type())
            return given + slot(l, d) * s_.SIC * state_bytes();
        char *h = reinterpret_cast<char *>(e[first_h_]);
        if (!is_quantized()) {
            std::memset(h, 0, std::size_t(elements * state_bytes()));
            return h;
        }
        const f32 zero = 0;
        rnn_rows_args args = rows_of(rnn_rows_operation::quantize, format_.type,
            given ? s_.MB : elements, given ? s_.SIC : 1);
        if (!given) args.a_row = 0;
        args.a = given ? e.tensor<f32>(src_iter) + slot(l, d) * s_.SIC : &zero;
        args.out = h;
        run(args);
        return h;
    }

    const f32 *first_c(const rnn_buffers &e, dim_t l, dim_t d) const {
        if (const f32 *given = e.tensor<f32>(src_iter_c)) return given + slot(l, d) * s_.DHC;
        f32 *c = e[first_c_];
        std::fill_n(c, s_.MB * s_.DHC, 0.0f);
        return c;
    }

    // ---- Steps and final states ----

    void run_steps(const rnn_buffers &e, dim_t l, dim_t d) const {
        cell at {};
        at.l = l;
        at.d = d;
        at.operand = reinterpret_cast<char *>(e[operand_]);
        at.h = const_cast<char *>(first_h(e, l, d));
        at.c = is_lstm(desc_.cell_kind) ? const_cast<f32 *>(first_c(e, l, d)) : nullptr;
        for (dim_t step = 0; step < s_.T; ++step) {
            at.t = time(d, step);
            at.previous_h = at.h;
            at.previous_c = at.c;
            at.gates = states_.gates(e.states, l, d, at.t);
            at.linear = states_.linear(e.states, l, d, at.t);
            at.c = states_.c(e.states, l, d, at.t);
            at.h = h(e, l, d, at.t);
            run_cell(e, at);
            if (resets_state(desc_.cell_kind)) run_gru_output(e, at);
            if (s_.projection) project(e, at);
        }
        store_states(e, at);
    }

    /// strip: where the sums of the block are, if not in the gates.
    rnn_forward_args arguments(const rnn_buffers &e, const cell &at, const rnn_block &b,
        rnn_forward_stage stage, f32 *strip = nullptr) const {
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
        a.sums = strip ? strip : a.gates;
        a.sums_row = strip ? s_.G * strip_ : a.gates_row;
        a.sum_step = strip ? strip_ : a.gate_step;
        const dim_t first = at.l * s_.D + at.d;
        a.bias = moved(e.tensor<f32>(bias), first * s_.B * s_.DHC + b.column);
        a.peephole = moved(e.tensor<f32>(weights_peephole), first * 3 * s_.DHC + b.column);
        if (is_quantized()) {
            a.column_scales = column_scales_.data() + b.column;
            a.compensation = e[compensation_] + b.column;
        }
        a.previous_c = moved(at.previous_c, channels);
        a.c = at.c + channels;
        if (states_.has_linear()) a.linear = at.linear + channels;
        a.c_row = a.linear_row = s_.DHC;
        a.previous_h = at.previous_h + (b.row * s_.SIC + b.column) * bytes;
        a.h = at.h + (b.row * s_.DIC + b.column) * bytes;
        a.previous_h_row = s_.SIC;
        a.h_row = s_.DIC;
        if (s_.projection || resets_state(desc_.cell_kind))
            a.operand = at.operand + channels * bytes;
        a.operand_row = s_.DHC;
        a.attention = moved(e.tensor<f32>(attention), at.t * s_.MB + b.row);
        return a;
    }

    /// Multiplies the previous state with the weights of the gates that take it as it is, and
    /// computes what follows from these products.
    void run_cell(const rnn_buffers &e, const cell &at) const {
        const dnnl_alg_kind_t kind = desc_.cell_kind;
        const bool linear = is_linear_before_reset(kind);
        const dim_t gates = is_gru(kind) ? 2 : s_.G;
        const auto stage = linear               ? rnn_forward_stage::lbr_gru
                           : resets_state(kind) ? rnn_forward_stage::gru_reset
                           : is_lstm(kind)      ? rnn_forward_stage::lstm
                                                : rnn_forward_stage::vanilla;
        rnn_product product {at.l, at.d, at.previous_h, s_.SIC, at.gates, s_.G * s_.DHC};
        product.gates = gates;
        product.gate_step = s_.DHC;
        product.accumulate = true;
        rnn_product linear_product {at.l, at.d, at.previous_h, s_.SIC, at.linear, s_.DHC};
        linear_product.first_gate = 2;
        rnn_product of_layer = layer_product(e, at.l, at.d, at.t);
        if (strip_ > 0) {
            product.sums_row = of_layer.sums_row = s_.G * strip_;
            product.gate_step = of_layer.gate_step = strip_;
        }
        const auto run_block = [&](const rnn_block &b, int thread) {
            f32 *strip = strip_ > 0 ? e[strips_] + thread * strip_size_ : nullptr;
            if (by_step_) layer_.multiply(e.weights_layer, b, of_layer, strip);
            iter_.multiply(e.weights_iter, b, product, strip);
            if (linear) iter_.multiply(e.weights_iter, b, linear_product);
            run(arguments(e, at, b, stage, strip));
        };
        for_each_block(iter_, s_.MB, gates + linear, cell_ns, run_block, strip_);
    }

    /// Computes gate o of a GRU, to whose sums U_o (r h) is added.
    void run_gru_output(const rnn_buffers &e, const cell &at) const {
        rnn_product product {at.l, at.d, at.operand, s_.DHC, at.gates + 2 * s_.DHC, s_.G * s_.DHC};
        product.first_gate = 2;
        product.accumulate = true;
        for_each_block(iter_, s_.MB, 1, cell_ns, [&](const rnn_block &b, int) {
            iter_.multiply(e.weights_iter, b, product);
            run(arguments(e, at, b, rnn_forward_stage::gru_output));
        });
    }

    void project(const rnn_buffers &e, const cell &at) const {
        f32 *sums = e[projected_];
        const rnn_product product {at.l, at.d, at.operand, s_.DHC, sums, s_.DIC};
        for_each_block(projection_, s_.MB, 1, cell_ns, [&](const rnn_block &b, int) {
            projection_.multiply(e.projection, b, product);
            rnn_forward_args args {};
            args.stage = rnn_forward_stage::project;
            args.state = format_;
            args.rows = b.rows;
            args.channels = b.columns;
            args.sums = sums + b.row * s_.DIC + b.column;
            args.sums_row = args.h_row = s_.DIC;
            if (is_quantized()) {
                args.column_scales = column_scales_.data() + s_.G * s_.DHC + b.column;
                args.compensation = e[compensation_] + s_.G * s_.DHC + b.column;
            }
            args.h = at.h + (b.row * s_.DIC + b.column) * state_bytes();
            run(args);
        });
    }

    /// Stores the state of the last step, or the initial one where there is no step.
    void store_states(const rnn_buffers &e, const cell &last) const {
        const dim_t first = slot(last.l, last.d);
        if (f32 *c = e.tensor<f32>(dst_iter_c))
            std::copy_n(last.c, s_.MB * s_.DHC, c + first * s_.DHC);
        if (!e.tensor<char>(dst_iter)) return;
        const data_type stored = adapted_type(dst_iter);
        char *out = e.tensor<char>(dst_iter) + first * s_.DIC * dim_t(size_of(stored));
        if (stored == states_.state_type()) {
            std::memcpy(out, last.h, std::size_t(s_.MB * s_.DIC * state_bytes()));
            return;
        }
        rnn_rows_args args = rows_of(rnn_rows_operation::dequantize, stored, s_.MB, s_.DIC);
        args.a = last.h;
        args.out = out;
        run(args);
    }

    void store_layer(const rnn_buffers &e) const {
        char *out = e.tensor<char>(dst_layer);
        const data_type stored = adapted_type(dst_layer);
        const auto bytes = dim_t(size_of(stored));
        const char *first = h(e, s_.L - 1, 0, 0), *second = h(e, s_.L - 1, s_.D - 1, 0);
        // Measured on a Zen 5 core: 0.1 ns for an element.
        const double row_ns = 20 + 0.1 * double(s_.DLC);
        parallel_for(s_.T * s_.MB, row_ns, threads_, [&](int, dim_t begin, dim_t end) {
            const auto what = s_.sum ? rnn_rows_operation::add : rnn_rows_operation::dequantize;
            rnn_rows_args args = rows_of(what, stored, end - begin, s_.DIC);
            args.out_row = s_.DLC;
            args.a = first + begin * s_.DIC * state_bytes();
            args.b = second + begin * s_.DIC * state_bytes();
            args.out = out + begin * s_.DLC * bytes;
            // Where the types agree, nothing is converted.
            if (!s_.sum && stored == format_.type) args.state.scale = 1, args.state.shift = 0;
            run(args);
            if (!s_.concat) return;
            args.a = args.b;
            args.out = out + (begin * s_.DLC + s_.DIC) * bytes;
            run(args);
        });
    }

    std::vector<f32> column_scales_; ///< of 8-bit states: [G][DHC], then [DIC] of the projection
    bool by_step_ = false;
    dim_t strip_ = 0, strip_size_ = 0; ///< columns of sums that stay in L1, and sums of a thread
    scratch_slot<std::byte> kept_, first_h_, operand_;
    scratch_slot<f32> first_c_, projected_, strips_; ///< strips_: of each thread [rows][G][strip_]
    scratch_slot<s32> compensation_; ///< [G][DHC] sums, then [DIC] of the projection
};

} // namespace

planned make_rnn_forward(problem &p) { return try_plan<gemm_rnn_forward>(p); }

} // namespace dnnl::impl::cpu
