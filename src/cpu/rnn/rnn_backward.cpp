// SPDX-License-Identifier: Apache-2.0
// A recurrent network's backward pass on the GEMM kernels, in f32 but for products of bf16. For
// each layer and direction, from the last: step by step the arithmetic of the cell and the product
// of its gates' gradients with the transposed weights of the state; then for all steps at once the
// gradients with respect to the layer's input and, by rnn_weights_gradient, to the weights.
#include "cpu/rnn/rnn.hpp"

namespace dnnl::impl::cpu {

using enum rnn_tensor;

namespace {

class gemm_rnn_backward : public gemm_rnn {
  public:
    explicit gemm_rnn_backward(problem &p)
        : gemm_rnn(p, {rnn_states::keep_all, rnn_backward_operand(p), true, false}) {
        format_ = {states_.state_type(), 1, 0};
        operand_type_ = rnn_backward_operand(p);
        adapt_tensors(p);
        reserve(p.scratchpad);
        gradients_ = rnn_weights_gradient(p, operand_type_, s_, threads_);
        if (!why_not_) why_not_ = gradients_.why_not();
    }

    void execute(const exec_context &ctx) const override {
        rnn_buffers e = bound(ctx, const_cast<std::byte *>(ctx.in<std::byte>(DNNL_ARG_WORKSPACE)));
        e.diffs = begin(ctx, diffs_, &rnn_tensor_info::diff_arg);
        std::fill_n(e[zeros_], s_.MB * std::max(s_.SIC, s_.DHC), 0.0f);
        for (dim_t d = 0; d < s_.D; ++d) load_diff_dst_layer(e, d);
        for (dim_t l = s_.L - 1; l >= 0; --l)
            for (dim_t d = 0; d < s_.D; ++d) {
                load_diff_dst_iter(e, l, d);
                for (dim_t step = s_.T - 1; step >= 0; --step) run_cell(e, cell_of(e, l, d, step));
                store_diff_src_iter(e, l, d);
                multiply_layer(e, l, d);
                store_gradients(e, l, d);
            }
        store_diff_src_layer(e);
        end(ctx, diffs_, &rnn_tensor_info::diff_arg);
    }

  private:
    struct cell {
        dim_t l, d, t;
        const char *previous_h; ///< [MB][SIC]
        const f32 *previous_c;  ///< [MB][DHC]
    };

    /// A matrix [T][MB][columns] that weights are multiplied with, of f32; products that take bf16
    /// find its rounded elements.
    struct product_factor {
        scratch_slot<f32> values;
        scratch_slot<bf16> rounded;
        dim_t columns;
    };
    /// Rounds rows from `row` on where products take bf16.
    void round_rows(const rnn_buffers &e, const product_factor &f, dim_t row, dim_t rows) const {
        if (operand_type_ == data_type::f32) return;
        rnn_rows_args args =
            rows_of(rnn_rows_operation::quantize, data_type::bf16, rows, f.columns);
        args.a = e[f.values] + row * f.columns;
        args.out = e[f.rounded] + row * f.columns;
        run(args);
    }
    /// Returns where products find the matrix from `row` on.
    const void *rounded(const rnn_buffers &e, const product_factor &f, dim_t row = 0) const {
        if (operand_type_ == data_type::f32) return e[f.values] + row * f.columns;
        return e[f.rounded] + row * f.columns;
    }

    dim_t widest_h() const { return std::max(s_.SIC, s_.DIC); }
    dim_t layer_row() const { return std::max(s_.SLC, s_.DIC); }
    bool overwrites() const { return desc_.flags & dnnl_rnn_flags_diff_weights_overwrite; }
    /// The gradient with respect to the output of layer l, [T][MB][layer_row()].
    f32 *diff_layer(const rnn_buffers &e, dim_t l, dim_t d) const {
        return e[diff_layer_] + ((l + 1) % 2 * s_.D + d) * s_.T * s_.MB * layer_row();
    }

    void adapt_tensors(problem &p) {
        using use = adapted_tensor::use;
        for (const rnn_tensor_info &info : rnn_tensors) {
            const auto i = +info.tensor;
            const bool packed = is_packed(info.tensor);
            const bool state = info.tensor == src_layer || info.tensor == src_iter;
            const bool added = packed || info.tensor == weights_peephole || info.tensor == bias;
            // The outputs of the forward pass are in the workspace, too.
            if (!packed && !info.is_output)
                tensors_[i] = adapt(p, desc_.md(info.tensor),
                    state ? states_.state_type() : data_type::f32, use::read);
            diffs_[i] = adapt(p, desc_.diff(info.tensor), data_type::f32,
                info.is_output           ? use::read
                : added && !overwrites() ? use::update
                                         : use::write);
        }
    }

    void reserve(scratchpad_layout &pad) {
        const dim_t rows = s_.T * s_.MB;
        const auto factor = [&](dim_t columns, bool multiplied) {
            product_factor f {pad.reserve<f32>(rows * columns), {}, columns};
            if (multiplied && operand_type_ == data_type::bf16)
                f.rounded = pad.reserve<bf16>(rows * columns);
            return f;
        };
        zeros_ = pad.reserve<f32>(s_.MB * std::max(s_.SIC, s_.DHC));
        diff_gates_ = factor(s_.G * s_.DHC, true);
        if (is_linear_before_reset(desc_.cell_kind)) diff_linear_ = factor(s_.DHC, true);
        diff_output_ = factor(s_.DIC, s_.projection);
        if (resets_state(desc_.cell_kind)) operand_ = pad.reserve<f32>(rows * s_.DHC);
        if (s_.projection || resets_state(desc_.cell_kind))
            diff_operand_ = pad.reserve<f32>(s_.MB * s_.DHC);
        diff_h_ = pad.reserve<f32>(s_.MB * widest_h());
        if (is_lstm(desc_.cell_kind)) diff_c_ = pad.reserve<f32>(s_.MB * s_.DHC);
        sums_ = pad.reserve<f32>(std::max<dim_t>(s_.B, 3) * s_.DHC);
        diff_layer_ = pad.reserve<f32>(2 * s_.D * rows * layer_row());
    }

    cell cell_of(const rnn_buffers &e, dim_t l, dim_t d, dim_t step) const {
        if (step > 0) {
            const dim_t before = time(d, step - 1);
            return {l, d, time(d, step),
                reinterpret_cast<const char *>(states_.h(e.states, l, d, before)),
                states_.c(e.states, l, d, before)};
        }
        cell at {l, d, time(d, 0), reinterpret_cast<const char *>(e[zeros_]), e[zeros_]};
        if (const char *h = e.tensor<char>(src_iter))
            at.previous_h = h + slot(l, d) * s_.SIC * state_bytes();
        if (const f32 *c = e.tensor<f32>(src_iter_c)) at.previous_c = c + slot(l, d) * s_.DHC;
        return at;
    }

    // ---- Gradients of the outputs, and between layers ----

    void load_diff_dst_layer(const rnn_buffers &e, dim_t d) const {
        const dim_t first = s_.concat ? d * s_.DIC : 0;
        copy_rows(e.diff(dst_layer) + first, s_.DLC, diff_layer(e, s_.L - 1, d), layer_row(),
            s_.T * s_.MB, s_.DIC);
    }

    void load_diff_dst_iter(const rnn_buffers &e, dim_t l, dim_t d) const {
        const dim_t first = slot(l, d);
        std::fill_n(e[diff_h_], s_.MB * widest_h(), 0.0f);
        if (const f32 *given = e.diff(dst_iter))
            copy_rows(given + first * s_.DIC, s_.DIC, e[diff_h_], widest_h(), s_.MB, s_.DIC);
        if (is_lstm(desc_.cell_kind)) std::fill_n(e[diff_c_], s_.MB * s_.DHC, 0.0f);
        if (const f32 *given = e.diff(dst_iter_c))
            std::copy_n(given + first * s_.DHC, s_.MB * s_.DHC, e[diff_c_]);
    }

    void store_diff_src_iter(const rnn_buffers &e, dim_t l, dim_t d) const {
        const dim_t first = slot(l, d);
        if (f32 *out = e.diff(src_iter))
            copy_rows(e[diff_h_], widest_h(), out + first * s_.SIC, s_.SIC, s_.MB, s_.SIC);
        if (f32 *out = e.diff(src_iter_c))
            std::copy_n(e[diff_c_], s_.MB * s_.DHC, out + first * s_.DHC);
    }

    /// Computes out = a + b. Rows of out are dense, those of a and b begin every a_row and b_row.
    void add(const f32 *a, dim_t a_row, const f32 *b, dim_t b_row, f32 *out, dim_t rows,
        dim_t columns) const {
        parallel_for(rows, 0.2 * double(columns), [&](int, dim_t begin, dim_t end) {
            rnn_rows_args args =
                rows_of(rnn_rows_operation::add, data_type::f32, end - begin, columns);
            args.state.type = data_type::f32;
            args.a = a + begin * a_row;
            args.a_row = a_row;
            args.b = b + begin * b_row;
            args.b_row = b_row;
            args.out = out + begin * columns;
            run(args);
        });
    }

    void store_diff_src_layer(const rnn_buffers &e) const {
        const dim_t rows = s_.T * s_.MB;
        f32 *out = e.diff(src_layer);
        if (s_.D == 1)
            return copy_rows(diff_layer(e, -1, 0), layer_row(), out, s_.SLC, rows, s_.SLC);
        add(diff_layer(e, -1, 0), layer_row(), diff_layer(e, -1, 1), layer_row(), out, rows,
            s_.SLC);
    }

    // ---- One step ----

    /// Adds the gradient from the layer above and that from the following step into diff_output.
    void add_outputs(const rnn_buffers &e, const cell &at) const {
        const dim_t row = at.t * s_.MB;
        add(diff_layer(e, at.l, at.d) + row * layer_row(), layer_row(), e[diff_h_], widest_h(),
            e[diff_output_.values] + row * s_.DIC, s_.MB, s_.DIC);
    }

    /// The arguments of a kernel for whole rows of the batch.
    rnn_backward_args arguments(const rnn_buffers &e, const cell &at, rnn_backward_stage stage,
        dim_t first_row, dim_t rows) const {
        const dim_t channels = first_row * s_.DHC, row = at.t * s_.MB + first_row;
        const dim_t place = at.l * s_.D + at.d;
        rnn_backward_args a {};
        a.stage = stage;
        a.activation = static_cast<algorithm>(desc_.activation);
        a.alpha = desc_.alpha;
        a.state = format_;
        a.rows = rows;
        a.channels = a.gate_step = s_.DHC;
        a.gates_row = s_.G * s_.DHC;
        a.gates = states_.gates(e.states, at.l, at.d, at.t) + first_row * a.gates_row;
        a.diff_gates = e[diff_gates_.values] + row * a.gates_row;
        a.diff_cell =
            s_.projection ? e[diff_operand_] + channels : e[diff_output_.values] + row * s_.DHC;
        a.diff_cell_row = a.c_row = a.linear_row = s_.DHC;
        a.peephole = moved(e.tensor<f32>(weights_peephole), place * 3 * s_.DHC);
        a.previous_c = moved(at.previous_c, channels);
        a.c = states_.c(e.states, at.l, at.d, at.t) + channels;
        a.diff_c = e[diff_c_] + channels;
        if (states_.has_linear()) a.linear = states_.linear(e.states, at.l, at.d, at.t) + channels;
        a.diff_operand = e[diff_operand_] + channels;
        a.diff_linear = e[diff_linear_.values] + row * s_.DHC;
        a.operand = e[operand_] + row * s_.DHC;
        a.previous_h = at.previous_h + first_row * s_.SIC * state_bytes();
        a.previous_h_row = s_.SIC;
        a.diff_h = e[diff_h_] + first_row * widest_h();
        a.diff_h_row = widest_h();
        a.attention = moved(e.tensor<f32>(attention), row);
        a.diff_attention = moved(e.diff(attention), row);
        return a;
    }

    /// Runs a stage of the cell's arithmetic, cut among the threads by rows.
    void run_stage(const rnn_buffers &e, const cell &at, rnn_backward_stage stage) const {
        // Measured on a Zen 5 core with AVX-512: 0.6 ns for an element of an LSTM.
        const double row_ns = 0.6 * double(s_.DHC);
        parallel_for(s_.MB, row_ns, threads_, [&](int, dim_t begin, dim_t end) {
            kernel_for<vector_levels>(target_, []<class Isa> { return rnn_cell_backward<Isa>; })(
                arguments(e, at, stage, begin, end - begin));
            for (const product_factor *f : {&diff_gates_, &diff_linear_})
                round_rows(e, *f, at.t * s_.MB + begin, end - begin);
        });
    }

    /// Computes diff_h (+)= a[gate] x the transposed weights of gates [first, first + gates). It
    /// only overwrites for a vanilla cell and an LSTM; the others have added to diff_h before.
    void multiply_state(
        const rnn_buffers &e, const cell &at, dim_t first, dim_t gates, const void *a) const {
        const bool one = gates == 1 && is_linear_before_reset(desc_.cell_kind);
        const dim_t a_row = one ? s_.DHC : s_.G * s_.DHC;
        rnn_product product {at.l, at.d, a, a_row, e[diff_h_], widest_h()};
        product.first_gate = first;
        product.gates = gates;
        product.a_gate_step = s_.DHC;
        product.accumulate = is_gru(desc_.cell_kind);
        multiply(iter_, e.weights_iter, s_.MB, product);
    }

    void run_cell(const rnn_buffers &e, const cell &at) const {
        using stage = rnn_backward_stage;
        const dim_t row = at.t * s_.MB;
        const void *gates = rounded(e, diff_gates_, row);
        add_outputs(e, at);
        if (s_.projection) {
            round_rows(e, diff_output_, row, s_.MB);
            multiply(projection_, e.projection, s_.MB,
                {at.l, at.d, rounded(e, diff_output_, row), s_.DIC, e[diff_operand_], s_.DHC});
        }
        if (!is_gru(desc_.cell_kind)) {
            run_stage(e, at, is_lstm(desc_.cell_kind) ? stage::lstm : stage::vanilla);
            return multiply_state(e, at, 0, s_.G, gates);
        }
        if (is_linear_before_reset(desc_.cell_kind)) {
            run_stage(e, at, stage::lbr_gru);
            multiply_state(e, at, 0, 2, gates);
            return multiply_state(e, at, 2, 1, rounded(e, diff_linear_, row));
        }
        run_stage(e, at, stage::gru_output);
        rnn_product product {at.l, at.d, element_at(gates, operand_type_, 2 * s_.DHC), 3 * s_.DHC,
            e[diff_operand_], s_.DHC};
        product.first_gate = 2;
        multiply(iter_, e.weights_iter, s_.MB, product);
        run_stage(e, at, stage::gru_reset);
        multiply_state(e, at, 0, 2, gates);
    }

    // ---- All steps of a layer and direction ----

    /// Computes the gradient with respect to the layer's input.
    void multiply_layer(const rnn_buffers &e, dim_t l, dim_t d) const {
        rnn_product product {
            l, d, rounded(e, diff_gates_), s_.G * s_.DHC, diff_layer(e, l - 1, d), layer_row()};
        product.gates = s_.G;
        product.a_gate_step = s_.DHC;
        multiply(layer_, e.weights_layer, s_.T * s_.MB, product);
    }

    /// Computes the gradients with respect to the weights from those of the gates.
    void store_gradients(const rnn_buffers &e, dim_t l, dim_t d) const {
        const exec_context &ctx = e.ctx;
        const bool accumulate = !overwrites(), linear = is_linear_before_reset(desc_.cell_kind);
        const dim_t place = l * s_.D + d, gates = s_.G * s_.DHC, two = 2 * s_.DHC;
        f32 *layer = e.diff(weights_layer) + place * s_.SLC * gates;
        f32 *iter = e.diff(weights_iter) + place * s_.SIC * gates;

        gradients_.load_gradient(ctx, rounded(e, diff_gates_), gates, gates);
        const void *input = l == 0 ? e.tensor<void>(src_layer) : states_.h(e.states, l - 1, d, 0);
        gradients_.load_operand(ctx, {input, states_.state_type(), s_.SLC, nullptr, false});
        gradients_.multiply(ctx, {layer, gates, s_.SLC, gates, accumulate});
        // The weights of the state multiplied the state as it was before each step.
        gradients_.load_operand(ctx, {states_.h(e.states, l, d, 0), states_.state_type(), s_.SIC,
                                         cell_of(e, l, d, 0).previous_h, is_reversed(desc_, d)});
        gradients_.multiply(
            ctx, {iter, gates, s_.SIC, is_gru(desc_.cell_kind) ? two : gates, accumulate});
        if (is_gru(desc_.cell_kind)) {
            // Gate o multiplied r h, or gave U_o h + B_u'.
            if (linear) {
                gradients_.load_gradient(ctx, rounded(e, diff_linear_), s_.DHC, s_.DHC);
            } else {
                gradients_.load_gradient(
                    ctx, element_at(rounded(e, diff_gates_), operand_type_, two), gates, s_.DHC);
                gradients_.load_operand(ctx, {e[operand_], data_type::f32, s_.DHC, nullptr, false});
            }
            gradients_.multiply(ctx, {iter + two, gates, s_.SIC, s_.DHC, accumulate});
        }
        if (s_.projection) {
            f32 *projected = e.diff(weights_projection) + place * s_.DHC * s_.DIC;
            gradients_.load_gradient(ctx, rounded(e, diff_output_), s_.DIC, s_.DIC);
            gradients_.load_operand(
                ctx, {states_.linear(e.states, l, d, 0), data_type::f32, s_.DHC, nullptr, false});
            gradients_.multiply(ctx, {projected, s_.DIC, s_.DHC, s_.DIC, accumulate});
        }
        if (e.diff(bias)) store_bias_gradient(e, l, d);
        if (desc_.has(weights_peephole)) store_peephole_gradient(e, l, d);
    }

    /// Adds to sums the products of rows of a and b; a is one for all rows where it is null.
    void add_products(
        const f32 *a, const f32 *b, dim_t b_row, dim_t rows, dim_t columns, f32 *sums) const {
        constexpr dim_t share = 64; // columns
        // Measured on a Zen 5 core: 0.1 ns for a product.
        const double share_ns = 0.1 * double(rows * share);
        parallel_for(div_up(columns, share), share_ns, [&](int, dim_t begin, dim_t end) {
            const dim_t c = begin * share, count = std::min(end * share, columns) - c;
            kernel_for<vector_levels>(target_, []<class Isa> { return rnn_product_sums<Isa>; })(
                {rows, count, moved(a, c), b + c, s_.DHC, b_row, sums + c});
        });
    }
    /// Stores sums of products, or adds them to the gradients that are there.
    void store_sums(const f32 *sums, dim_t count, f32 *out) const {
        for (dim_t i = 0; i < count; ++i) out[i] = overwrites() ? sums[i] : out[i] + sums[i];
    }

    void store_bias_gradient(const rnn_buffers &e, dim_t l, dim_t d) const {
        const dim_t rows = s_.T * s_.MB, gates = s_.G * s_.DHC, count = s_.B * s_.DHC;
        f32 *sums = e[sums_];
        std::fill_n(sums, count, 0.0f);
        add_products(nullptr, e[diff_gates_.values], gates, rows, gates, sums);
        if (is_linear_before_reset(desc_.cell_kind))
            add_products(nullptr, e[diff_linear_.values], s_.DHC, rows, s_.DHC, sums + gates);
        store_sums(sums, count, e.diff(bias) + (l * s_.D + d) * count);
    }

    /// Gates i and f read the cell state before each step, gate o the state after it.
    void store_peephole_gradient(const rnn_buffers &e, dim_t l, dim_t d) const {
        f32 *sums = e[sums_];
        std::fill_n(sums, 3 * s_.DHC, 0.0f);
        const dim_t rows = s_.T * s_.MB, first = std::min(s_.MB, rows);
        const bool reversed = is_reversed(desc_, d);
        const f32 *c = states_.c(e.states, l, d, 0);
        const auto add = [&](const f32 *state, dim_t gate, dim_t row, dim_t count, f32 *to) {
            const dim_t gates = s_.G * s_.DHC;
            add_products(state, e[diff_gates_.values] + row * gates + gate * s_.DHC, gates, count,
                s_.DHC, to);
        };
        for (dim_t gate = 0; gate < 2; ++gate) {
            f32 *to = sums + gate * s_.DHC;
            add(cell_of(e, l, d, 0).previous_c, gate, reversed ? rows - first : 0, first, to);
            add(c + (reversed ? first * s_.DHC : 0), gate, reversed ? 0 : first, rows - first, to);
        }
        add(c, 3, 0, rows, sums + 2 * s_.DHC);
        store_sums(sums, 3 * s_.DHC, e.diff(weights_peephole) + (l * s_.D + d) * 3 * s_.DHC);
    }

    rnn_tensor_list diffs_;
    rnn_weights_gradient gradients_;
    scratch_slot<f32> zeros_; ///< [MB][max(SIC, DHC)]: zeros for initial states not given
    data_type operand_type_ = data_type::f32; ///< f32 or bf16: what products take
    product_factor diff_gates_ {};            ///< [T][MB][G][DHC]
    product_factor diff_linear_ {};           ///< [T][MB][DHC] linear before reset
    product_factor diff_output_ {};           ///< [T][MB][DIC] with respect to h'
    scratch_slot<f32> operand_;               ///< [T][MB][DHC] r h of a GRU
    scratch_slot<f32> diff_operand_; ///< [MB][DHC] with respect to r h, or h to be projected
    scratch_slot<f32> diff_h_;       ///< [MB][max(SIC, DIC)]
    scratch_slot<f32> diff_c_;       ///< [MB][DHC]
    scratch_slot<f32> sums_;         ///< [max(B, 3)][DHC] of biases, then of peephole weights
    scratch_slot<f32> diff_layer_;   ///< [2][D][T][MB][max(SLC, DIC)] between layers, in turn
};

} // namespace

planned make_rnn_backward(problem &p) { return try_plan<gemm_rnn_backward>(p); }

} // namespace dnnl::impl::cpu
