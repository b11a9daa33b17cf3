// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, backward, cell by cell from the last to the first. The gradients of the
// weights of a layer and direction are computed once all its cells are done: sums over time steps,
// in the order of the forward pass, and over the batch. All gradients are f32.
#include <cmath>

#include "ref/rnn.hpp"

namespace dnnl::impl::ref {

namespace {

struct backward_plan : plan {
    explicit backward_plan(problem &p);
    void execute(const exec_context &ctx) const override;

    rnn_desc desc;
    rnn_states states;
    // What an execution keeps in the scratchpad: gradients with respect to what is named.
    scratch_slot<float> diff_h;      ///< [MB][max(SIC, DIC)]: h, from the following step
    scratch_slot<float> diff_c;      ///< [MB][DHC]
    scratch_slot<float> diff_gates;  ///< [T][MB][G][DHC]: the arguments of the gates' functions
    scratch_slot<float> diff_linear; ///< [T][MB][DHC]: U_o h + B_u'
    scratch_slot<float> diff_output; ///< [T][MB][DIC]: h', for the projection
    scratch_slot<float> diff_layer;  ///< [2][D][T][MB][max(SLC, DIC)]: between layers, in turn
    scratch_slot<float> rows;        ///< of each thread: [2][DHC]
    int threads;                     ///< that rows has room for
};

class backward_run : rnn_run {
  public:
    backward_run(const backward_plan &p, const exec_context &ctx)
        : rnn_run(p.desc, {}, p.states, ctx,
              const_cast<std::byte *>(ctx.in<std::byte>(DNNL_ARG_WORKSPACE))),
          plan_(p), diff_attention_(diff_view(rnn_tensor::attention)) {}

    void run() {
        for (dim_t d = 0; d < s_.D; ++d) load_diff_dst_layer(d);
        for (dim_t l = s_.L - 1; l >= 0; --l)
            for (dim_t d = 0; d < s_.D; ++d) {
                load_diff_dst_iter(l, d);
                for (dim_t step = s_.T - 1; step >= 0; --step) {
                    const cell at = cell_of(l, d, step);
                    parallel_for(
                        s_.MB, 1e4, plan_.threads, [&](int thread, dim_t begin, dim_t end) {
                            for (dim_t n = begin; n < end; ++n)
                                run_row(at, n, scratch(plan_.rows) + dim_t {2} * thread * s_.DHC);
                        });
                }
                store_diff_src_iter(l, d);
                store_weights_gradients(l, d);
            }
        store_diff_src_layer();
    }

  private:
    /// One time step of a layer and direction, for all rows of the batch.
    struct cell {
        dim_t l, d, step, t;
        const float *gates, *linear, *c;
        float *diff_gates, *diff_linear, *diff_output;
    };

    float *scratch(scratch_slot<float> slot) const { return ctx_.scratch(slot); }
    tensor diff_view(rnn_tensor t) const { return {ctx_, rnn_tensors[+t].diff_arg}; }
    dim_t widest_h() const { return std::max(s_.SIC, s_.DIC); }
    bool is_linear() const { return is_linear_before_reset(desc_.cell_kind); }

    cell cell_of(dim_t l, dim_t d, dim_t step) const {
        const dim_t t = time(d, step), row = t * s_.MB;
        return {l, d, step, t, states_.gates(base_, l, d, t), states_.linear(base_, l, d, t),
            states_.c(base_, l, d, t), scratch(plan_.diff_gates) + row * s_.G * s_.DHC,
            scratch(plan_.diff_linear) + row * s_.DHC, scratch(plan_.diff_output) + row * s_.DIC};
    }

    /// The gradient with respect to the output of layer l, row n of time step t; the input of a
    /// layer is the output of layer l - 1.
    float *diff_layer(dim_t l, dim_t d, dim_t t, dim_t n) const {
        const dim_t slot = (l + 1) % 2 * s_.D + d;
        return scratch(plan_.diff_layer) +
               ((slot * s_.T + t) * s_.MB + n) * std::max(s_.SLC, s_.DIC);
    }

    // ---- What the forward pass computed ----

    float input(const cell &at, dim_t n, dim_t i) const {
        if (at.l == 0) return src_layer_.get<float>({at.t, n, i});
        return load_state(states_.h(base_, at.l - 1, at.d, at.t), n * s_.DIC + i);
    }
    float gate(const cell &at, dim_t n, dim_t g, dim_t o) const {
        return at.gates[(n * s_.G + g) * s_.DHC + o];
    }

    // ---- One row of one cell ----

    void run_row(const cell &at, dim_t n, float *buffer) const {
        float *diff_h = scratch(plan_.diff_h) + n * widest_h();
        const float *from_above = diff_layer(at.l, at.d, at.t, n);
        float *diff_output = at.diff_output + n * s_.DIC;
        for (dim_t i = 0; i < s_.DIC; ++i) diff_output[i] = from_above[i] + diff_h[i];
        float *diff_cell = buffer; // with respect to h before the projection, [DHC]
        if (s_.projection)
            unproject(at, diff_output, diff_cell);
        else
            std::copy_n(diff_output, s_.DHC, diff_cell);
        if (is_gru(desc_.cell_kind))
            gru_row(at, n, diff_cell, buffer + s_.DHC);
        else if (is_lstm(desc_.cell_kind))
            lstm_row(at, n, diff_cell);
        else
            vanilla_row(at, n, diff_cell);
        const float *diff_gates = at.diff_gates + n * s_.G * s_.DHC;
        float *to_below = diff_layer(at.l - 1, at.d, at.t, n);
        for (dim_t i = 0; i < s_.SLC; ++i)
            to_below[i] = transposed(at, weights_layer_, i, 0, s_.G, diff_gates);
        if (is_gru(desc_.cell_kind)) return; // it has seen to diff_h
        for (dim_t i = 0; i < s_.SIC; ++i)
            diff_h[i] = transposed(at, weights_iter_, i, 0, s_.G, diff_gates);
    }

    /// Sum over g in [first, last) and o of weights[l][d][i][g][o] * diff[g - first][o].
    float transposed(const cell &at, const tensor &weights, dim_t i, dim_t first, dim_t last,
        const float *diff) const {
        float sum = 0;
        for (dim_t g = first; g < last; ++g)
            for (dim_t o = 0; o < s_.DHC; ++o)
                sum += weights.get<float>({at.l, at.d, i, g, o}) * diff[(g - first) * s_.DHC + o];
        return sum;
    }

    void unproject(const cell &at, const float *diff_output, float *diff_cell) const {
        for (dim_t i = 0; i < s_.DHC; ++i) {
            float sum = 0;
            for (dim_t o = 0; o < s_.DIC; ++o)
                sum += projection_.get<float>({at.l, at.d, i, o}) * diff_output[o];
            diff_cell[i] = sum;
        }
    }

    void vanilla_row(const cell &at, dim_t n, const float *diff_cell) const {
        for (dim_t o = 0; o < s_.DHC; ++o) {
            const float kept = gate(at, n, 0, o);
            float slope = kept > 0 ? 1 : desc_.alpha;
            if (desc_.activation == dnnl_eltwise_tanh) slope = (1 - kept) * (1 + kept);
            if (desc_.activation == dnnl_eltwise_logistic) slope = kept * (1 - kept);
            at.diff_gates[n * s_.DHC + o] = diff_cell[o] * slope;
        }
    }

    float peephole(const cell &at, dim_t which, dim_t o) const {
        return peephole_.get_or<float>({at.l, at.d, which, o}, 0);
    }

    void lstm_row(const cell &at, dim_t n, const float *diff_cell) const {
        float *diff = at.diff_gates + n * 4 * s_.DHC, *diff_c = scratch(plan_.diff_c) + n * s_.DHC;
        for (dim_t o = 0; o < s_.DHC; ++o) {
            const float i = gate(at, n, 0, o), f = gate(at, n, 1, o);
            const float candidate = gate(at, n, 2, o), out = gate(at, n, 3, o);
            const float tanh_c = std::tanh(at.c[n * s_.DHC + o]);
            const float dh = diff_cell[o];
            const float d_out = dh * tanh_c * out * (1 - out);
            const float dc =
                diff_c[o] + dh * out * (1 - tanh_c) * (1 + tanh_c) + d_out * peephole(at, 2, o);
            const float d_i = dc * candidate * i * (1 - i);
            const float d_f = dc * c_before(at.l, at.d, at.step, n, o) * f * (1 - f);
            diff[o] = d_i;
            diff[s_.DHC + o] = d_f;
            diff[2 * s_.DHC + o] = dc * i * (1 - candidate) * (1 + candidate);
            diff[3 * s_.DHC + o] = d_out;
            diff_c[o] = dc * f + d_i * peephole(at, 0, o) + d_f * peephole(at, 1, o);
        }
    }

    /// Computes one row of a GRU cell. diff_reset is a buffer of DHC elements.
    void gru_row(const cell &at, dim_t n, const float *diff_cell, float *diff_reset) const {
        float *diff = at.diff_gates + n * 3 * s_.DHC,
              *diff_h = scratch(plan_.diff_h) + n * widest_h();
        float *d_u = diff, *d_r = diff + s_.DHC, *d_o = diff + 2 * s_.DHC;
        float *d_linear = at.diff_linear + n * s_.DHC;
        const float a = attention_.get_or<float>({at.t, n, 0}, 0);
        float diff_a = 0;
        for (dim_t o = 0; o < s_.DHC; ++o) {
            const float u = gate(at, n, 0, o), r = gate(at, n, 1, o), candidate = gate(at, n, 2, o);
            const float kept = (1 - a) * u, h = h_before(at.l, at.d, at.step, n, o);
            const float d_kept = diff_cell[o] * (h - candidate);
            diff_a -= d_kept * u;
            d_u[o] = d_kept * (1 - a) * u * (1 - u);
            d_o[o] = diff_cell[o] * (1 - kept) * (1 - candidate) * (1 + candidate);
            diff_h[o] = diff_cell[o] * kept;
            if (!is_linear()) continue;
            d_linear[o] = d_o[o] * r;
            d_r[o] = d_o[o] * at.linear[n * s_.DHC + o] * r * (1 - r);
        }
        if (diff_attention_) diff_attention_.set({at.t, n, 0}, diff_a);
        for (dim_t i = 0; i < s_.DHC && !is_linear(); ++i) {
            const float d_product = transposed(at, weights_iter_, i, 2, 3, d_o);
            const float r = gate(at, n, 1, i);
            d_r[i] = d_product * h_before(at.l, at.d, at.step, n, i) * r * (1 - r);
            diff_reset[i] = d_product * r;
        }
        for (dim_t i = 0; i < s_.DHC; ++i) {
            diff_h[i] += transposed(at, weights_iter_, i, 0, 2, diff);
            diff_h[i] +=
                is_linear() ? transposed(at, weights_iter_, i, 2, 3, d_linear) : diff_reset[i];
        }
    }

    // ---- Tensors around the cells ----

    /// Reads the columns of diff_dst_layer that belong to direction d.
    void load_diff_dst_layer(dim_t d) const {
        const tensor diff = diff_view(rnn_tensor::dst_layer);
        const dim_t first = s_.concat ? d * s_.DIC : 0;
        for (dim_t t = 0; t < s_.T; ++t)
            for (dim_t n = 0; n < s_.MB; ++n)
                for (dim_t i = 0; i < s_.DIC; ++i)
                    diff_layer(s_.L - 1, d, t, n)[i] = diff.get<float>({t, n, first + i});
    }

    void load_diff_dst_iter(dim_t l, dim_t d) const {
        const tensor h = diff_view(rnn_tensor::dst_iter), c = diff_view(rnn_tensor::dst_iter_c);
        for (dim_t n = 0; n < s_.MB; ++n) {
            for (dim_t i = 0; i < s_.DIC; ++i)
                scratch(plan_.diff_h)[n * widest_h() + i] = h.get_or<float>({l, d, n, i}, 0);
            for (dim_t o = 0; o < s_.DHC; ++o)
                scratch(plan_.diff_c)[n * s_.DHC + o] = c.get_or<float>({l, d, n, o}, 0);
        }
    }

    void store_diff_src_iter(dim_t l, dim_t d) const {
        const tensor h = diff_view(rnn_tensor::src_iter), c = diff_view(rnn_tensor::src_iter_c);
        for (dim_t n = 0; n < s_.MB; ++n) {
            for (dim_t i = 0; i < s_.SIC && h; ++i)
                h.set({l, d, n, i}, scratch(plan_.diff_h)[n * widest_h() + i]);
            for (dim_t o = 0; o < s_.DHC && c; ++o)
                c.set({l, d, n, o}, scratch(plan_.diff_c)[n * s_.DHC + o]);
        }
    }

    void store_diff_src_layer() const {
        const tensor diff = diff_view(rnn_tensor::src_layer);
        for_each_parallel(s_.T, s_.MB, [&](dim_t t, dim_t n) {
            for (dim_t i = 0; i < s_.SLC; ++i) {
                float sum = diff_layer(-1, 0, t, n)[i];
                if (s_.D == 2) sum += diff_layer(-1, 1, t, n)[i];
                diff.set({t, n, i}, sum);
            }
        });
    }

    // ---- Gradients of weights ----

    /// Stores the gradient of a tensor of a layer and direction, or adds it to what is there: at
    /// position x the sum over steps and rows of term(cell, n, x).
    template <class Term> void store_sums(rnn_tensor t, dim_t l, dim_t d, const Term &term) const {
        const bool overwrite = desc_.flags & dnnl_rnn_flags_diff_weights_overwrite;
        const tensor gradient = diff_view(t);
        if (!gradient) return;
        box positions {desc_.md(t).ndims, {l, d}, desc_.md(t).dims};
        positions.extents[0] = positions.extents[1] = 1;
        positions.for_each_piece(2, 1, 1000.0, [&](const dims_t &x, dim_t) {
            float sum = 0;
            for (dim_t step = 0; step < s_.T; ++step) {
                const cell at = cell_of(l, d, step);
                for (dim_t n = 0; n < s_.MB; ++n) sum += term(at, n, x);
            }
            gradient.set(x, overwrite ? sum : gradient.get<float>(x) + sum);
        });
    }

    float diff_gate(const cell &at, dim_t n, dim_t g, dim_t o) const {
        return at.diff_gates[(n * s_.G + g) * s_.DHC + o];
    }
    /// The gradient with respect to U_g h of gate g.
    float diff_iter(const cell &at, dim_t n, dim_t g, dim_t o) const {
        if (is_linear() && g == 2) return at.diff_linear[n * s_.DHC + o];
        return diff_gate(at, n, g, o);
    }
    /// What U_g multiplied.
    float iter_operand(const cell &at, dim_t n, dim_t g, dim_t i) const {
        const float h = h_before(at.l, at.d, at.step, n, i);
        if (g < 2 || !resets_state(desc_.cell_kind)) return h;
        return values_.to_state(gate(at, n, 1, i) * h);
    }

    void store_weights_gradients(dim_t l, dim_t d) const {
        store_sums(rnn_tensor::weights_layer, l, d, [&](const cell &at, dim_t n, const dims_t &x) {
            return input(at, n, x[2]) * diff_gate(at, n, x[3], x[4]);
        });
        store_sums(rnn_tensor::weights_iter, l, d, [&](const cell &at, dim_t n, const dims_t &x) {
            return iter_operand(at, n, x[3], x[2]) * diff_iter(at, n, x[3], x[4]);
        });
        store_sums(rnn_tensor::bias, l, d, [&](const cell &at, dim_t n, const dims_t &x) {
            return x[2] < s_.G ? diff_gate(at, n, x[2], x[3]) : at.diff_linear[n * s_.DHC + x[3]];
        });
        store_sums(
            rnn_tensor::weights_projection, l, d, [&](const cell &at, dim_t n, const dims_t &x) {
                return at.linear[n * s_.DHC + x[2]] * at.diff_output[n * s_.DIC + x[3]];
            });
        store_sums(
            rnn_tensor::weights_peephole, l, d, [&](const cell &at, dim_t n, const dims_t &x) {
                constexpr dim_t gates[] = {0, 1, 3};
                const float c =
                    x[2] == 2 ? at.c[n * s_.DHC + x[3]] : c_before(at.l, at.d, at.step, n, x[3]);
                return c * diff_gate(at, n, gates[x[2]], x[3]);
            });
    }

    const backward_plan &plan_;
    tensor diff_attention_;
};

backward_plan::backward_plan(problem &p)
    : desc(std::get<rnn_desc>(p.op)), states(desc, rnn_states::keep_all), threads(max_threads()) {
    const rnn_shape s = shape_of(desc);
    const dim_t steps = s.T * s.MB;
    auto &pad = p.scratchpad;
    diff_h = pad.reserve<float>(s.MB * std::max(s.SIC, s.DIC));
    diff_c = pad.reserve<float>(s.MB * s.DHC);
    diff_gates = pad.reserve<float>(steps * s.G * s.DHC);
    diff_linear = pad.reserve<float>(steps * s.DHC);
    diff_output = pad.reserve<float>(steps * s.DIC);
    diff_layer = pad.reserve<float>(2 * s.D * steps * std::max(s.SLC, s.DIC));
    rows = pad.reserve<float>(dim_t {2} * threads * s.DHC);
}

void backward_plan::execute(const exec_context &ctx) const {
    backward_run(*this, ctx).run();
    for (const rnn_tensor_info &info : rnn_tensors)
        if (!info.is_output && desc.has(info.tensor))
            zero_padding(desc.diff(info.tensor), ctx.data(info.diff_arg));
}

} // namespace

planned make_rnn_backward(problem &p) { return planned(std::make_unique<backward_plan>(p)); }

} // namespace dnnl::impl::ref
