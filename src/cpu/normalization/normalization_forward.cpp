// SPDX-License-Identifier: Apache-2.0
// Forward normalization: mean, then variance by a second pass over the deviations, then the
// results; unit by unit where statistics belong to neighbouring elements, else pass by pass.
#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/normalization/normalization.hpp"

namespace dnnl::impl::cpu {

namespace {

class normalization_forward : public normalization_plan {
  public:
    normalization_forward(problem &p, const normalization_desc &op, const normalization_view &view)
        : normalization_plan(p, op, view) {
        if (why_not_ || written_.has_zero_dim()) return;
        sum_ = kernel_for<vector_levels>(p.target, []<class Isa> { return normalize_sums<Isa>; });
        square_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return normalize_squares<Isa>; });
        run_ =
            kernel_for<vector_levels>(p.target, []<class Isa> { return normalize_forward<Isa>; });
        unit_by_unit_ = !given_ && has_simple_units();
        if (given_ || unit_by_unit_) return;
        sums_.prepare(p, boxes_, statistics_place, view_.slots, 1);
        totals_ = p.scratchpad.reserve<f32>(view_.slots);
    }

    void execute(const exec_context &ctx) const override {
        if (written_.has_zero_dim()) return;
        binding b;
        bind(ctx, b);
        bound_epilogue bound;
        epilogue_.bind(ctx, bound);
        const auto store = [&](const tile &t) {
            const row_epilogue::at_piece finish(epilogue_, bound, t.box.rows, t.box.columns, t.at);
            normalize_args args = at(b, t);
            args.finish = finish.get();
            run_(args);
        };
        if (unit_by_unit_)
            run_all_units(b, store);
        else {
            if (!given_) compute_statistics(ctx, b);
            spread_statistics(b);
            for_each_tile(store);
        }
        store_statistics(ctx);
        clear_padding(written_, ctx.data(DNNL_ARG_DST));
        clear_padding(workspace_, ctx.data(DNNL_ARG_WORKSPACE));
    }

  private:
    void compute_statistics(const exec_context &ctx, const binding &b) const;
    template <class Store>
    void run_units(const binding &b, const tiled_box &box, const slot_units &u, dim_t begin,
        dim_t end, const Store &store) const;
    template <class Store> void run_all_units(const binding &b, const Store &store) const;
    /// Adds up a tile, f32 sums per slot.
    void add(normalize_function step, const binding &b, f32 *sums, const tile &t) const {
        normalize_args args = at(b, t);
        set_sums(args, sums, sums, statistics_place, t);
        step(args);
    }

    slot_sums sums_;
    scratch_slot<f32> totals_;
    normalize_function sum_ = nullptr, square_ = nullptr, run_ = nullptr;
    bool unit_by_unit_ = false;
};

void normalization_forward::compute_statistics(const exec_context &ctx, const binding &b) const {
    f32 *totals = ctx.scratch(totals_);
    const auto pass = [&](normalize_function step, f32 *statistics) {
        sums_.run(ctx, boxes_, totals, [&](const tile &t, f32 *sums) { add(step, b, sums, t); });
        const double ns = 2 + static_cast<double>(view_.merged);
        parallel_for(statistics_count(), ns, [&](int, dim_t begin, dim_t end) {
            for (dim_t i = begin; i < end; ++i) {
                double sum = 0;
                for (dim_t slot = i * view_.merged; slot < (i + 1) * view_.merged; ++slot)
                    sum += totals[slot];
                statistics[i] = static_cast<f32>(sum / statistic_size());
            }
        });
    };
    pass(sum_, b.mean);
    if (view_.merged > 1)
        parallel_for(statistics_count(), static_cast<double>(view_.merged) / 4,
            [&](int, dim_t begin, dim_t end) {
                for (dim_t i = begin; i < end; ++i)
                    std::fill_n(b.slot_mean + i * view_.merged, view_.merged, b.mean[i]);
            });
    pass(square_, b.variance);
}

/// The three passes over the units [begin, end) of a box, whose statistics are slots here and added
/// up where they are kept.
template <class Store>
void normalization_forward::run_units(const binding &b, const tiled_box &box, const slot_units &u,
    dim_t begin, dim_t end, const Store &store) const {
    const auto size = static_cast<f32>(statistic_size());
    const auto for_each_slot = [&](const auto &body) {
        const dim_t columns = box.columns.strides[statistics_place] ? box.columns.extent : 1;
        const dim_t row_stride = box.rows.strides[statistics_place];
        // The first row of a unit has all its slots; units that are rows may share a tile.
        box.walk(
            begin * u.tiles, u.is_row ? end * u.tiles : begin * u.tiles + 1, [&](const tile &t) {
                for (dim_t r = 0; t.column == 0 && r < t.rows; ++r)
                    for (dim_t j = 0; j < columns; ++j)
                        body(t.at[statistics_place] + r * row_stride + j);
            });
    };
    const auto pass = [&](normalize_function step, f32 *statistics) {
        for_each_slot([&](dim_t slot) { statistics[slot] = 0; });
        box.walk(
            begin * u.tiles, end * u.tiles, [&](const tile &t) { add(step, b, statistics, t); });
        for_each_slot([&](dim_t slot) { statistics[slot] /= size; });
    };
    pass(sum_, b.mean);
    pass(square_, b.variance);
    for_each_slot([&](dim_t slot) { b.slot_inverse[slot] = inverse_of(b.variance[slot]); });
    box.walk(begin * u.tiles, end * u.tiles, store);
}

/// Unit by unit, while the elements of a unit are cached.
template <class Store>
void normalization_forward::run_all_units(const binding &b, const Store &store) const {
    constexpr dim_t rows_at_once = 16; // kernels take several rows in one call
    for (const tiled_box &box : boxes_) {
        const slot_units u(box, statistics_place);
        const dim_t step = u.is_row ? rows_at_once : 1;
        const double unit_ns = tile_ns(box) * static_cast<double>(u.tiles) * 3;
        parallel_for(u.count, unit_ns, [&](int, dim_t begin, dim_t end) {
            for (dim_t unit = begin; unit < end; unit += step)
                run_units(b, box, u, unit, std::min(unit + step, end), store);
        });
    }
}

} // namespace

planned make_normalization_forward(
    problem &p, const normalization_desc &op, const normalization_view &view) {
    return try_plan<normalization_forward>(p, op, view);
}

} // namespace dnnl::impl::cpu
