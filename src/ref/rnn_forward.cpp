// SPDX-License-Identifier: Apache-2.0
// Recurrent networks, forward, cell by cell. Sums run in index order: first the layer's product,
// then the state's. Acc is float, or std::int32_t for 8-bit states; then a product stands for (acc
// - shift * sum of its weights) / (data scale * weights scale).
#include <cmath>

#include "ref/reference.hpp"
#include "ref/rnn.hpp"

namespace dnnl::impl::ref {

namespace {

struct forward_plan : plan {
    explicit forward_plan(problem &p);
    void execute(const exec_context &ctx) const override;
    bool is_training() const { return desc.prop == dnnl_forward_training; }

    rnn_desc desc;
    rnn_quantization q;
    rnn_states states;
    // Where an execution keeps its numbers, in the scratchpad.
    scratch_slot<std::byte> kept; ///< the arrays of rnn_states; training has a workspace for them
    scratch_slot<float> rows;     ///< of each thread
    /// Sums of the weights of 8-bit networks: [G][DHC], then [DIC] of the projection.
    scratch_slot<float> column_sums;
    int threads; ///< that rows has room for
};

float logistic(float x) { return eltwise_forward(dnnl_eltwise_logistic, x, 0, 0); }
float tanh(float x) { return eltwise_forward(dnnl_eltwise_tanh, x, 0, 0); }

template <class Acc> class forward_run : rnn_run {
  public:
    forward_run(const forward_plan &p, const exec_context &ctx)
        : rnn_run(p.desc, p.q, p.states, ctx,
              p.is_training() ? ctx.out<std::byte>(DNNL_ARG_WORKSPACE) : ctx.scratch(p.kept)),
          plan_(p), bias_(view(rnn_tensor::bias)) {}

    void run() {
        for (dim_t l = 0; l < s_.L; ++l)
            for (dim_t d = 0; d < s_.D; ++d) {
                if (values_.is_quantized()) sum_columns(l, d);
                for (dim_t step = 0; step < s_.T; ++step) {
                    const cell at = cell_of(l, d, step);
                    parallel_for(
                        s_.MB, 1e4, plan_.threads, [&](int thread, dim_t begin, dim_t end) {
                            for (dim_t n = begin; n < end; ++n) run_row(at, n, row_memory(thread));
                        });
                }
                store_last_states(l, d);
            }
        store_layer();
    }

    /// The number of elements that a thread needs.
    static dim_t row_count(const rnn_shape &s) {
        return 2 * std::max({s.SLC, s.SIC, s.DHC}) + (s.G + 1) * s.DHC + s.DIC;
    }

  private:
    /// One time step of a layer and direction, and the states that it writes, for all rows.
    struct cell {
        dim_t l, d, step, t;
        float *gates, *linear, *c;
        std::byte *h;
    };
    /// Buffers of one thread.
    struct row {
        Acc *x, *h;     ///< operands of the products
        Acc *sums;      ///< [G + 1][DHC]: the last one is U_o h of cells linear before reset
        Acc *projected; ///< [DIC]
    };

    cell cell_of(dim_t l, dim_t d, dim_t step) const {
        const dim_t t = time(d, step);
        return {l, d, step, t, states_.gates(base_, l, d, t), states_.linear(base_, l, d, t),
            states_.c(base_, l, d, t), states_.h(base_, l, d, t)};
    }

    row row_memory(int thread) const {
        const dim_t widest = std::max({s_.SLC, s_.SIC, s_.DHC});
        Acc *first = reinterpret_cast<Acc *>(ctx_.scratch(plan_.rows)) + thread * row_count(s_);
        return {
            first, first + widest, first + 2 * widest, first + 2 * widest + (s_.G + 1) * s_.DHC};
    }

    void store_state(std::byte *states, dim_t i, float value) const {
        store_f32(states_.state_type(), states, i, value);
    }

    /// sums[o] += sum over i of x[i] * weights[...][i][o], for o < width along the last dimension.
    /// `at` is the position of the first weight.
    static void multiply(const Acc *x, dim_t count, const tensor &weights, dims_t at, int o_dim,
        dim_t width, Acc *sums) {
        Acc w[row_length];
        for (dim_t i = 0; i < count; ++i)
            for (dim_t o = 0; o < width; o += row_length) {
                const dim_t piece = std::min(row_length, width - o);
                at[2] = i;
                at[o_dim] = o;
                weights.read(w, at, o_dim, piece);
                multiply_add(sums + o, x[i], w, piece);
            }
    }
    /// The same for the gates [first, last), whose sums begin every DHC elements.
    void multiply(const Acc *x, dim_t count, const tensor &weights, const cell &at, dim_t first,
        dim_t last, Acc *sums) const {
        for (dim_t g = first; g < last; ++g)
            multiply(x, count, weights, {at.l, at.d, 0, g}, 4, s_.DHC, sums + (g - first) * s_.DHC);
    }

    /// Adds up the weights of each gate, and those of the projection.
    void sum_columns(dim_t l, dim_t d) const {
        const auto sum_of = [](const tensor &weights, dim_t count, dims_t at) {
            std::int32_t sum = 0;
            for (; at[2] < count; ++at[2]) sum += weights.get<std::int32_t>(at);
            return sum;
        };
        float *sums = ctx_.scratch(plan_.column_sums);
        for (dim_t g = 0; g < s_.G; ++g)
            for (dim_t o = 0; o < s_.DHC; ++o)
                *sums++ = static_cast<float>(sum_of(weights_layer_, s_.SLC, {l, d, 0, g, o}) +
                                             sum_of(weights_iter_, s_.SIC, {l, d, 0, g, o}));
        for (dim_t o = 0; o < s_.DIC && s_.projection; ++o)
            *sums++ = static_cast<float>(sum_of(projection_, s_.DHC, {l, d, 0, o}));
    }

    /// The real number that a sum stands for, plus the bias. `column` is its place in column_sums.
    float real_sum(float acc, dim_t, float, float added) const { return acc + added; }
    float real_sum(std::int32_t acc, dim_t column, float weights_scale, float added) const {
        const double sum = acc - values_.shift() * double {ctx_.scratch(plan_.column_sums)[column]};
        return std::fma(static_cast<float>(sum), 1 / (values_.scale() * weights_scale), added);
    }
    float bias_at(const cell &at, dim_t g, dim_t o) const {
        return bias_.get_or<float>({at.l, at.d, g, o}, 0);
    }
    float pre_activation(const cell &at, const row &r, dim_t g, dim_t o) const {
        const dim_t column = g * s_.DHC + o;
        return real_sum(r.sums[column], column, plan_.q.weights.at(column), bias_at(at, g, o));
    }

    Acc to_operand(float state) const { return static_cast<Acc>(state); }

    void load_input(const cell &at, dim_t n, Acc *x) const {
        if (at.l == 0) return src_layer_.read(x, {at.t, n, 0}, 2, s_.SLC);
        const std::byte *below = states_.h(base_, at.l - 1, at.d, at.t);
        for (dim_t i = 0; i < s_.SLC; ++i) x[i] = to_operand(load_state(below, n * s_.DIC + i));
    }

    void run_row(const cell &at, dim_t n, const row &r) const {
        std::fill_n(r.sums, (s_.G + 1) * s_.DHC, Acc {0});
        if (has_gate_sums(desc_)) {
            src_layer_.read(r.sums, {at.t, n, 0}, 2, s_.SLC);
        } else {
            load_input(at, n, r.x);
            multiply(r.x, s_.SLC, weights_layer_, at, 0, s_.G, r.sums);
        }
        for (dim_t i = 0; i < s_.SIC; ++i) r.h[i] = to_operand(h_before(at.l, at.d, at.step, n, i));
        multiply(r.h, s_.SIC, weights_iter_, at, 0, is_gru(desc_.cell_kind) ? 2 : s_.G, r.sums);
        if (is_gru(desc_.cell_kind))
            finish_gru(at, n, r);
        else if (is_lstm(desc_.cell_kind))
            finish_lstm(at, n, r);
        else
            finish_vanilla(at, n, r);
    }

    void finish_vanilla(const cell &at, dim_t n, const row &r) const {
        for (dim_t o = 0; o < s_.DHC; ++o) {
            const float x = pre_activation(at, r, 0, o);
            const float h = eltwise_forward(desc_.activation, x, desc_.alpha, 0);
            at.gates[n * s_.DHC + o] = desc_.activation == dnnl_eltwise_relu ? x : h;
            store_state(at.h, n * s_.DIC + o, values_.to_state(h));
        }
    }

    float peephole(const cell &at, dim_t which, dim_t o, float c) const {
        return peephole_ ? peephole_.get<float>({at.l, at.d, which, o}) * c : 0.0f;
    }

    void finish_lstm(const cell &at, dim_t n, const row &r) const {
        float *gates = at.gates + n * s_.G * s_.DHC;
        for (dim_t o = 0; o < s_.DHC; ++o) {
            const float previous = c_before(at.l, at.d, at.step, n, o);
            const auto x = [&](dim_t g) { return pre_activation(at, r, g, o); };
            const float i = logistic(x(0) + peephole(at, 0, o, previous));
            const float f = logistic(x(1) + peephole(at, 1, o, previous));
            const float candidate = tanh(x(2));
            const float c = f * previous + i * candidate;
            const float out = logistic(x(3) + peephole(at, 2, o, c));
            const float h = values_.to_state(out * tanh(c));
            const float kept[] = {i, f, candidate, out};
            for (dim_t g = 0; g < 4; ++g) gates[g * s_.DHC + o] = kept[g];
            at.c[n * s_.DHC + o] = c;
            if (s_.projection) {
                at.linear[n * s_.DHC + o] = h;
                r.x[o] = to_operand(h);
            } else {
                store_state(at.h, n * s_.DIC + o, h);
            }
        }
        if (!s_.projection) return;
        std::fill_n(r.projected, s_.DIC, Acc {0});
        multiply(r.x, s_.DHC, projection_, {at.l, at.d}, 3, s_.DIC, r.projected);
        for (dim_t o = 0; o < s_.DIC; ++o) {
            const auto h = real_sum(r.projected[o], s_.G * s_.DHC + o, plan_.q.projection.at(o), 0);
            store_state(at.h, n * s_.DIC + o, values_.to_state(h));
        }
    }

    void finish_gru(const cell &at, dim_t n, const row &r) const {
        const bool linear = is_linear_before_reset(desc_.cell_kind);
        float *gates = at.gates + n * s_.G * s_.DHC;
        float *u = gates, *reset = gates + s_.DHC, *candidate = gates + 2 * s_.DHC;
        const auto previous = [&](dim_t o) {
            return values_.to_real(h_before(at.l, at.d, at.step, n, o));
        };
        for (dim_t o = 0; o < s_.DHC; ++o) {
            u[o] = logistic(pre_activation(at, r, 0, o));
            reset[o] = logistic(pre_activation(at, r, 1, o));
            if (!linear) r.x[o] = to_operand(values_.to_state(reset[o] * previous(o)));
        }
        multiply(linear ? r.h : r.x, s_.SIC, weights_iter_, at, 2, 3,
            r.sums + (linear ? 3 : 2) * s_.DHC);
        const float a = attention_.get_or<float>({at.t, n, 0}, 0);
        for (dim_t o = 0; o < s_.DHC; ++o) {
            float x = pre_activation(at, r, 2, o);
            if (linear) {
                const float sum = static_cast<float>(r.sums[3 * s_.DHC + o]) + bias_at(at, 3, o);
                at.linear[n * s_.DHC + o] = sum;
                x += reset[o] * sum;
            }
            candidate[o] = tanh(x);
            const float kept = (1 - a) * u[o];
            const float h = kept * previous(o) + (1 - kept) * candidate[o];
            store_state(at.h, n * s_.DIC + o, values_.to_state(h));
        }
    }

    void store_last_states(dim_t l, dim_t d) const {
        const tensor dst_iter = view(rnn_tensor::dst_iter);
        const tensor dst_iter_c = view(rnn_tensor::dst_iter_c);
        for (dim_t n = 0; n < s_.MB; ++n) {
            for (dim_t i = 0; i < s_.DIC && dst_iter; ++i)
                dst_iter.set(
                    {l, d, n, i}, values_.stored(h_before(l, d, s_.T, n, i), dst_iter.dtype()));
            for (dim_t o = 0; o < s_.DHC && dst_iter_c; ++o)
                dst_iter_c.set({l, d, n, o}, c_before(l, d, s_.T, n, o));
        }
    }

    void store_layer() const {
        const tensor dst = view(rnn_tensor::dst_layer);
        const auto state = [&](dim_t d, dim_t t, dim_t n, dim_t i) {
            return load_state(states_.h(base_, s_.L - 1, d, t), n * s_.DIC + i);
        };
        for_each_parallel(s_.T, s_.MB, [&](dim_t t, dim_t n) {
            for (dim_t i = 0; i < s_.DIC; ++i) {
                const float first = state(0, t, n, i);
                if (s_.sum) {
                    dst.set({t, n, i}, values_.sum(first, state(1, t, n, i), dst.dtype()));
                    continue;
                }
                dst.set({t, n, i}, values_.stored(first, dst.dtype()));
                if (s_.concat)
                    dst.set({t, n, s_.DIC + i}, values_.stored(state(1, t, n, i), dst.dtype()));
            }
        });
    }

    const forward_plan &plan_;
    tensor bias_;
};

forward_plan::forward_plan(problem &p)
    : desc(std::get<rnn_desc>(p.op)), q(p.attr.rnn),
      states(desc, is_training() ? rnn_states::keep_all : rnn_states::keep_last),
      threads(max_threads()) {
    const rnn_shape s = shape_of(desc);
    auto &pad = p.scratchpad;
    if (!is_training()) kept = pad.reserve<std::byte>(states.bytes());
    rows = pad.reserve<float>(threads * forward_run<float>::row_count(s));
    column_sums = pad.reserve<float>(s.G * s.DHC + s.DIC);
}

void forward_plan::execute(const exec_context &ctx) const {
    if (is_int8(states.state_type()))
        forward_run<std::int32_t>(*this, ctx).run();
    else
        forward_run<float>(*this, ctx).run();
    for (const rnn_tensor_info &info : rnn_tensors)
        if (info.is_output) zero_padding(desc.md(info.tensor), ctx.data(info.arg));
}

/// Gives 8-bit weights of the projection column sums. Nothing here reads them, but by them a
/// reorder tells these weights from states.
void mark_projection(memory_desc &md) {
    if (!md.is_any() || md.dtype != data_type::s8) return;
    md = make_with_strides(md.ndims, md.dims.data(), md.dtype, nullptr);
    md.column_sums_mask = 11; // layers, directions, output channels
}

} // namespace

planned make_rnn(problem &p) {
    auto &desc = std::get<rnn_desc>(p.op);
    if (const char *why = rnn_refusal(desc)) return why;
    if (desc.has(rnn_tensor::weights_projection))
        mark_projection(desc.md(rnn_tensor::weights_projection));
    default_layouts(p);
    return is_forward(desc.prop) ? planned(std::make_unique<forward_plan>(p))
                                 : make_rnn_backward(p);
}

} // namespace dnnl::impl::ref
