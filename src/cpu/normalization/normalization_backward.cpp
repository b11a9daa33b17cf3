// SPDX-License-Identifier: Apache-2.0
// Gradients of the normalizations. Sums for diff_scale and diff_shift come first, since diff_src
// may be the memory of diff_dst.
#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/normalization/normalization.hpp"

namespace dnnl::impl::cpu {

namespace {

class normalization_backward : public normalization_plan {
  public:
    normalization_backward(problem &p, const normalization_desc &op, const normalization_view &view)
        : normalization_plan(p, op, view) {
        if (why_not_ || written_.has_zero_dim()) return;
        sum_ = kernel_for<vector_levels>(
            p.target, []<class Isa> { return normalize_gradient_sums<Isa>; });
        run_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return normalize_backward<Isa>; });
        wants_vectors_ =
            op.prop == dnnl_backward && (op.has(dnnl_use_scale) || op.has(dnnl_use_shift));
        const bool needs_slots = !given_ || (wants_vectors_ && view_.slots_have_channels);
        if (wants_vectors_) {
            vector_totals_ = p.scratchpad.reserve<f32>(2 * view_.channels);
            if (!view_.slots_have_channels)
                vector_sums_.prepare(p, boxes_, vectors_place, view_.channels, 2);
        }
        if (!needs_slots) return;
        totals_ = p.scratchpad.reserve<f32>(2 * view_.slots);
        slot_sums_.prepare(p, boxes_, statistics_place, view_.slots, 2);
    }

    void execute(const exec_context &ctx) const override {
        if (written_.has_zero_dim()) return;
        binding b;
        bind(ctx, b);
        spread_statistics(b);
        f32 *totals = ctx.scratch(totals_);
        if (!given_ || (wants_vectors_ && view_.slots_have_channels))
            add_up(ctx, b, slot_sums_, statistics_place, totals);
        if (wants_vectors_) store_vectors(ctx, b, totals);
        if (!given_) take_means(b, totals);
        for_each_tile([&](const tile &t) {
            normalize_args args = at(b, t);
            if (!given_) {
                args.sum_part = under(totals, statistics_place, t);
                args.product_part = under(totals + view_.slots, statistics_place, t);
            }
            run_(args);
        });
        clear_padding(written_, ctx.data(DNNL_ARG_DIFF_SRC));
    }

  private:
    /// Sums of d and of d * z for each slot of `place`, one array after the other. Where slots
    /// belong to channels, and for the vectors, d is diff_dst alone; else scale * diff_dst.
    void add_up(const exec_context &ctx, const binding &b, const slot_sums &sums, std::size_t place,
        f32 *totals) const {
        const bool scaled = place == statistics_place && !view_.slots_have_channels;
        const dim_t count = place == statistics_place ? view_.slots : view_.channels;
        sums.run(ctx, boxes_, totals, [&](const tile &t, f32 *to) {
            normalize_args args = at(b, t);
            if (!scaled) args.scale.data = nullptr;
            set_sums(args, to, to + count, place, t);
            sum_(args);
        });
    }
    void store_vectors(const exec_context &ctx, const binding &b, const f32 *totals) const;
    void take_means(const binding &b, f32 *totals) const;

    slot_sums slot_sums_, vector_sums_;
    scratch_slot<f32> totals_, vector_totals_;
    normalize_function sum_ = nullptr, run_ = nullptr;
    bool wants_vectors_ = false;
};

void normalization_backward::store_vectors(
    const exec_context &ctx, const binding &b, const f32 *totals) const {
    const dim_t C = view_.channels;
    f32 *vectors = ctx.scratch(vector_totals_);
    if (!view_.slots_have_channels) {
        add_up(ctx, b, vector_sums_, vectors_place, vectors);
    } else {
        const double ns = 2 * static_cast<double>(view_.slots) / static_cast<double>(C);
        parallel_for(C, ns, [&](int, dim_t begin, dim_t end) {
            for (dim_t c = begin; c < end; ++c)
                for (const dim_t array : {0, 1}) {
                    double sum = 0;
                    for (dim_t slot = c; slot < view_.slots; slot += C)
                        sum += totals[array * view_.slots + slot];
                    vectors[array * C + c] = static_cast<f32>(sum);
                }
        });
    }
    const auto store = [&](int arg, const f32 *values) {
        const memory_desc &md = ctx.desc(arg);
        for (dim_t c = 0; c < C; ++c) store_f32(md.dtype, ctx.data(arg), md.offset0 + c, values[c]);
    };
    if (flags_ & dnnl_use_shift) store(DNNL_ARG_DIFF_SHIFT, vectors);
    if (flags_ & dnnl_use_scale) store(DNNL_ARG_DIFF_SCALE, vectors + C);
}

/// The sums of all slots of a statistic, over its elements, in place of the sums of each.
void normalization_backward::take_means(const binding &b, f32 *totals) const {
    const dim_t C = view_.channels, merged = view_.merged;
    const auto take_mean = [&](f32 *array, dim_t i) {
        double sum = 0;
        for (dim_t slot = i * merged; slot < (i + 1) * merged; ++slot) {
            const f32 scale = view_.slots_have_channels ? b.scale[slot % C] : 1.0f;
            sum += double {scale} * array[slot];
        }
        std::fill_n(array + i * merged, merged, static_cast<f32>(sum / statistic_size()));
    };
    const double ns = 6 + 4 * static_cast<double>(merged);
    parallel_for(statistics_count(), ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) {
            take_mean(totals, i);
            take_mean(totals + view_.slots, i);
        }
    });
}

} // namespace

planned make_normalization_backward(
    problem &p, const normalization_desc &op, const normalization_view &view) {
    return try_plan<normalization_backward>(p, op, view);
}

} // namespace dnnl::impl::cpu
