// SPDX-License-Identifier: Apache-2.0
// Batch, layer and group normalization, forward and backward.
#include "cpu/normalization/normalization.hpp"

#include <cmath>

#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Estimates the mean (unless it is 0 by definition), adds up the deviations from the estimate and
/// their squares, then computes the results. Where a statistic belongs to neighbouring elements,
/// all three passes go over one unit of them after the other, and the estimate is the mean. Else
/// each pass goes over everything, but for the estimate, which is that of a sample.
class normalization_forward : public normalization_plan {
  public:
    normalization_forward(problem &p, const normalization_desc &op, const normalization_view &view)
        : normalization_plan(p, op, view) {
        if (why_not_ || written_.has_zero_dim()) return;
        sum_ = kernel_for<vector_levels>(p.target, []<class Isa> { return normalize_sums<Isa>; });
        deviate_ = kernel_for<vector_levels>(
            p.target, []<class Isa> { return normalize_deviations<Isa>; });
        run_ = kernel_for<bf16_levels>(p.target, []<class Isa> { return normalize_forward<Isa>; });
        unit_by_unit_ = !given_ && has_simple_units();
        if (unit_by_unit_) run_rows_ = kernel_of_rows(p.target);
        if (given_ || run_rows_) return;
        totals_ = p.scratchpad.reserve<f32>(unit_by_unit_ ? view_.slots : 2 * view_.slots);
        if (unit_by_unit_) return;
        sums_.prepare(p, boxes_, statistics_place, view_.slots, 2);
        if (zero_mean_) return;
        sample_boxes_ = boxes_;
        sample_part_ = take_sample(sample_boxes_);
        sample_.prepare(p, sample_boxes_, statistics_place, view_.slots, 2);
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
            args.tile.finish = finish.get();
            run_(args);
        };
        if (run_rows_)
            run_whole_rows(b);
        else if (unit_by_unit_)
            run_all_units(b, ctx.scratch(totals_), store);
        else {
            given_ ? spread_means(b) : compute_statistics(ctx, b);
            spread_inverses(b);
            for_each_tile(store);
        }
        mean_.end(ctx, DNNL_ARG_MEAN);
        variance_.end(ctx, DNNL_ARG_VARIANCE);
        clear_padding(written_, ctx.data(DNNL_ARG_DST));
        clear_padding(workspace_, ctx.data(DNNL_ARG_WORKSPACE));
    }

  private:
    void compute_statistics(const exec_context &ctx, const binding &b) const;
    normalize_rows_function kernel_of_rows(isa target) const;
    void run_whole_rows(const binding &b) const;
    template <class Store>
    void run_units(const binding &b, f32 *totals, const tiled_box &box, const slot_units &u,
        dim_t begin, dim_t end, const Store &store) const;
    template <class Store>
    void run_all_units(const binding &b, f32 *totals, const Store &store) const;
    double take_sample(std::vector<tiled_box> &boxes) const;
    f32 estimate_of(const f32 *totals, double n) const;
    void join(const binding &b, const f32 *totals, dim_t i) const;

    slot_sums sums_, sample_;
    std::vector<tiled_box> sample_boxes_; ///< what the mean is estimated from
    double sample_part_ = 1;              ///< of each slot's elements that are in them
    scratch_slot<f32> totals_;            ///< of deviations, then of their squares
    normalize_function sum_ = nullptr, deviate_ = nullptr, run_ = nullptr;
    normalize_rows_function run_rows_ = nullptr; ///< all steps at once
    bool unit_by_unit_ = false;
};

/// The kernel of whole rows; null where units are no whole rows.
normalize_rows_function normalization_forward::kernel_of_rows(isa target) const {
    if (!whole_rows_) return nullptr;
    if (types_[dst_place] == data_type::f32)
        return kernel_for<vector_levels>(
            target, []<class Isa> { return normalize_rows<Isa, f32>; });
    return kernel_for<bf16_levels>(target, []<class Isa> { return normalize_rows<Isa, bf16>; });
}

void normalization_forward::run_whole_rows(const binding &b) const {
    const auto at = [&](std::size_t place, const tile &t) {
        return element_at(b.tensors[place], types_[place], t.at[place]);
    };
    for (const tiled_box &box : boxes_)
        box.for_each_tile(3 * tile_ns(box), max_threads(), [&](int, const tile &t) {
            const auto &across = box.rows.strides;
            run_rows_({at(src_place, t), at(dst_place, t), across[src_place], across[dst_place],
                t.rows, t.columns, zero_mean_ ? nullptr : b.mean + t.at[statistics_place],
                b.variance + t.at[statistics_place],
                (flags_ & dnnl_use_scale) ? b.scale + t.at[vectors_place] : nullptr,
                (flags_ & dnnl_use_shift) ? b.shift + t.at[vectors_place] : nullptr, epsilon_});
        });
}

/// Shortens the outermost loop whose iterations share slots, where a pass over everything takes
/// long, to a 64th or 16 elements of each slot. Returns the part of them that is left.
double normalization_forward::take_sample(std::vector<tiled_box> &boxes) const {
    constexpr double few = 512; // an estimate takes as long as some hundred elements
    if (boxes.size() != 1 || slot_size() < few) return 1;
    tiled_box &box = boxes.front();
    const auto shorten = [this](nest_level &level) {
        const auto all = double(level.extent);
        level.extent = dim_t(std::ceil(all * std::clamp(16 / slot_size(), 1.0 / 64, 1.0)));
        return double(level.extent) / all;
    };
    for (nest_level &level : box.outer)
        if (level.extent > 1 && level.strides[statistics_place] == 0) return shorten(level);
    return box.rows.strides[statistics_place] == 0 ? shorten(box.rows) : 1;
}

/// Estimates the mean of n elements by their sums. The estimate is a multiple of a power of two
/// that their deviation has (or a 4096th of their root mean square), so that small integers have
/// exact deviations from it.
f32 normalization_forward::estimate_of(const f32 *totals, double n) const {
    const double mean = *totals / n, square = totals[view_.slots] / n;
    int exponent = 0;
    std::frexp(std::sqrt(std::max(square - mean * mean, square * 0x1p-24)), &exponent);
    const double e = std::ldexp(std::nearbyint(std::ldexp(mean, 1 - exponent)), exponent - 1);
    return std::isfinite(e) ? static_cast<f32>(e) : 0; // inf - inf would be no number
}

/// Makes statistic i of the sums of deviations from the estimates e, which are slot_mean, and of
/// their squares: sum of (x - m)^2 = sum of (x - e)^2 - n (m_slot - e)^2 + n (m_slot - m)^2.
void normalization_forward::join(const binding &b, const f32 *totals, dim_t i) const {
    const dim_t first = i * view_.merged, end = first + view_.merged;
    const double n = slot_size(), of_slot = 1 / n, of_all = 1 / statistic_size();
    const auto sum_of = [&](dim_t slot) {
        return zero_mean_ ? 0 : n * b.slot_mean[slot] + totals[slot];
    };
    double sum = 0, squares = 0;
    for (dim_t slot = first; slot < end; ++slot) sum += sum_of(slot);
    const double mean = sum * of_all;
    for (dim_t slot = first; slot < end; ++slot) {
        const double off = sum_of(slot) * of_slot - mean,
                     error = zero_mean_ ? 0 : totals[slot] * of_slot;
        squares += totals[view_.slots + slot] + n * (off * off - error * error);
    }
    b.mean[i] = static_cast<f32>(mean);
    b.variance[i] = static_cast<f32>(squares < 0 ? 0 : squares * of_all);
}

void normalization_forward::compute_statistics(const exec_context &ctx, const binding &b) const {
    f32 *totals = ctx.scratch(totals_);
    const auto add_up = [&](const slot_sums &sums, const std::vector<tiled_box> &boxes) {
        sums.run(ctx, boxes, totals, [&](const tile &t, f32 *to) {
            add(deviate_, at(b, t), to, to + view_.slots, statistics_place, t);
        });
    };
    std::fill_n(b.slot_mean, view_.slots, 0.0f);
    if (!zero_mean_) {
        add_up(sample_, sample_boxes_);
        const double n = slot_size() * sample_part_;
        parallel_for_each(view_.slots, 20,
            [&](dim_t slot) { b.slot_mean[slot] = estimate_of(totals + slot, n); });
    }
    add_up(sums_, boxes_);
    for_each_statistic(10, [&](dim_t i) { join(b, totals, i); });
    spread_means(b);
}

/// Runs the three passes over the units [begin, end) of a box. Their statistics are slots of their
/// own and are added up in place.
template <class Store>
void normalization_forward::run_units(const binding &b, f32 *totals, const tiled_box &box,
    const slot_units &u, dim_t begin, dim_t end, const Store &store) const {
    const auto size = static_cast<f32>(statistic_size());
    // for_tiles visits all tiles of the units, for_slots those with a row that has its own slots.
    const auto run = [&](const auto &for_tiles, const auto &for_slots) {
        const dim_t columns = box.columns.strides[statistics_place] ? box.columns.extent : 1;
        const auto for_each_slot = [&](const auto &body) {
            for_slots([&](const tile &t) {
                const dim_t row_stride = box.rows.strides[statistics_place];
                for (dim_t r = 0; t.column == 0 && r < t.rows; ++r)
                    for (dim_t j = 0; j < columns; ++j)
                        body(t.at[statistics_place] + r * row_stride + j);
            });
        };
        for_each_slot([&](dim_t slot) { b.mean[slot] = b.variance[slot] = totals[slot] = 0; });
        if (!zero_mean_) {
            for_tiles(
                [&](const tile &t) { add(sum_, at(b, t), b.mean, b.mean, statistics_place, t); });
            for_each_slot([&](dim_t slot) { b.mean[slot] /= size; });
        }
        for_tiles([&](const tile &t) {
            add(deviate_, at(b, t), totals, b.variance, statistics_place, t);
        });
        for_each_slot([&](dim_t slot) {
            b.variance[slot] /= size;
            b.slot_inverse[slot] = inverse_of(b.variance[slot]);
        });
        for_tiles(store);
    };
    const auto walk = [&](dim_t last) {
        return [&, last](const auto &body) { box.walk(begin * u.tiles, last, body); };
    };
    if (u.tiles == 1)
        box.walk(begin, end, [&](const tile &t) {
            const auto for_this = [&](const auto &body) { body(t); };
            run(for_this, for_this);
        });
    else // the first row of a unit has all its slots; units that are rows may share a tile
        run(walk(end * u.tiles), walk(u.is_row ? end * u.tiles : begin * u.tiles + 1));
}

/// Goes unit by unit, so that a unit is read from the caches from the second pass on.
template <class Store>
void normalization_forward::run_all_units(const binding &b, f32 *totals, const Store &store) const {
    constexpr dim_t rows_at_once = 16; // kernels take several rows in one call
    for (const tiled_box &box : boxes_) {
        const slot_units u(box, statistics_place);
        const dim_t step = u.is_row ? rows_at_once : 1;
        const double unit_ns = tile_ns(box) * double(u.tiles) * 3;
        parallel_for(u.count, unit_ns, [&](int, dim_t begin, dim_t end) {
            for (dim_t unit = begin; unit < end; unit += step)
                run_units(b, totals, box, u, unit, std::min(unit + step, end), store);
        });
    }
}

/// The sums for diff_scale and diff_shift come first, because diff_src may overwrite diff_dst.
class normalization_backward : public normalization_plan {
  public:
    normalization_backward(problem &p, const normalization_desc &op, const normalization_view &view)
        : normalization_plan(p, op, view) {
        if (why_not_ || written_.has_zero_dim()) return;
        wants_vectors_ =
            op.prop == dnnl_backward && (op.has(dnnl_use_scale) || op.has(dnnl_use_shift));
        run_rows_ = kernel_of_rows(p.target);
        if (wants_vectors_) vector_totals_ = p.scratchpad.reserve<f32>(2 * view_.channels);
        if (wants_vectors_ && (run_rows_ || !view_.slots_have_channels))
            vector_sums_.prepare(p, boxes_, vectors_place, view_.channels, 2, run_rows_ ? 8 : 32);
        if (run_rows_) return;
        sum_ = kernel_for<vector_levels>(
            p.target, []<class Isa> { return normalize_gradient_sums<Isa>; });
        run_ = kernel_for<bf16_levels>(p.target, []<class Isa> { return normalize_backward<Isa>; });
        if (!needs_slots()) return;
        totals_ = p.scratchpad.reserve<f32>(2 * view_.slots);
        slot_sums_.prepare(p, boxes_, statistics_place, view_.slots, 2);
    }

    void execute(const exec_context &ctx) const override {
        if (written_.has_zero_dim()) return;
        binding b;
        bind(ctx, b);
        if (run_rows_) return run_whole_rows(ctx, b);
        spread_means(b);
        spread_inverses(b);
        f32 *totals = ctx.scratch(totals_);
        if (needs_slots()) add_up(ctx, b, slot_sums_, statistics_place, totals);
        if (wants_vectors_) {
            add_up_vectors(ctx, b, totals);
            store_vectors(ctx);
        }
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
    /// Adds up d and d * z for each slot of `place`: first all sums of d, then all of d * z. Where
    /// slots belong to channels, and for the vectors, d is diff_dst; else it is scale * diff_dst.
    void add_up(const exec_context &ctx, const binding &b, const slot_sums &sums, std::size_t place,
        f32 *totals) const {
        const bool scaled = place == statistics_place && !view_.slots_have_channels;
        const dim_t count = place == statistics_place ? view_.slots : view_.channels;
        sums.run(ctx, boxes_, totals, [&](const tile &t, f32 *to) {
            normalize_args args = at(b, t);
            if (!scaled) args.scale.data = nullptr;
            add(sum_, args, to, to + count, place, t);
        });
    }
    bool needs_slots() const { return !given_ || (wants_vectors_ && view_.slots_have_channels); }
    void add_up_vectors(const exec_context &ctx, const binding &b, const f32 *totals) const;
    void store_vectors(const exec_context &ctx) const;
    gradient_rows_function kernel_of_rows(isa target) const;
    void run_whole_rows(const exec_context &ctx, const binding &b) const;
    void take_means(const binding &b, f32 *totals) const;

    slot_sums slot_sums_, vector_sums_;
    scratch_slot<f32> totals_, vector_totals_;
    normalize_function sum_ = nullptr, run_ = nullptr;
    gradient_rows_function run_rows_ = nullptr; ///< all steps at once
    bool wants_vectors_ = false;
};

void normalization_backward::add_up_vectors(
    const exec_context &ctx, const binding &b, const f32 *totals) const {
    const dim_t C = view_.channels;
    f32 *vectors = ctx.scratch(vector_totals_);
    if (!view_.slots_have_channels) return add_up(ctx, b, vector_sums_, vectors_place, vectors);
    const double ns = 2 * double(view_.slots) / double(C);
    parallel_for_each(C, ns, [&](dim_t c) {
        for (const dim_t array : {0, 1}) {
            double sum = 0;
            for (dim_t slot = c; slot < view_.slots; slot += C)
                sum += totals[array * view_.slots + slot];
            vectors[array * C + c] = static_cast<f32>(sum);
        }
    });
}

void normalization_backward::store_vectors(const exec_context &ctx) const {
    const dim_t C = view_.channels;
    const f32 *vectors = ctx.scratch(vector_totals_);
    const auto store = [&](int arg, const f32 *values) {
        const memory_desc &md = ctx.desc(arg);
        if (md.dtype == data_type::f32)
            std::copy_n(values, C, ctx.out<f32>(arg) + md.offset0);
        else
            for (dim_t c = 0; c < C; ++c)
                store_f32(md.dtype, ctx.data(arg), md.offset0 + c, values[c]);
    };
    if (flags_ & dnnl_use_shift) store(DNNL_ARG_DIFF_SHIFT, vectors);
    if (flags_ & dnnl_use_scale) store(DNNL_ARG_DIFF_SCALE, vectors + C);
}

/// The kernel of whole rows; null where units are no whole rows.
gradient_rows_function normalization_backward::kernel_of_rows(isa target) const {
    if (!whole_rows_) return nullptr;
    if (types_[dst_place] == data_type::f32)
        return kernel_for<vector_levels>(target, []<class Isa> { return gradient_rows<Isa, f32>; });
    return kernel_for<bf16_levels>(target, []<class Isa> { return gradient_rows<Isa, bf16>; });
}

void normalization_backward::run_whole_rows(const exec_context &ctx, const binding &b) const {
    const auto run = [&](const tile &t, f32 *sums) {
        const auto at = [&](std::size_t place) {
            return element_at(b.tensors[place], types_[place], t.at[place]);
        };
        const auto &across = t.box.rows.strides;
        const dim_t slot = t.at[statistics_place], channel = t.at[vectors_place];
        run_rows_(
            {at(src_place), at(diff_place), at(dst_place), across[src_place], across[diff_place],
                across[dst_place], t.rows, t.columns, zero_mean_ ? nullptr : b.mean + slot,
                b.variance + slot, b.scale + channel, sums ? sums + channel : nullptr,
                sums ? sums + view_.channels + channel : nullptr, epsilon_, given_});
    };
    if (wants_vectors_) {
        vector_sums_.run(ctx, boxes_, ctx.scratch(vector_totals_), run);
        store_vectors(ctx);
    } else
        for_each_tile([&](const tile &t) { run(t, nullptr); });
    clear_padding(written_, ctx.data(DNNL_ARG_DIFF_SRC));
}

/// Replaces each slot's sums by the means over the elements of its statistic.
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
    for_each_statistic(6 + 3 * double(merged), [&](dim_t i) {
        if (zero_mean_) // nothing depends on it
            std::fill_n(totals + i * merged, merged, 0.0f);
        else
            take_mean(totals, i);
        take_mean(totals + view_.slots, i);
    });
}

template <class Desc> planned make(problem &p) {
    const auto &asked = std::get<Desc>(p.op);
    if (const char *why = level_refusal(p, {&asked.src, &asked.dst, &source_of(asked)})) return why;
    if (const char *why = types_refusal(asked)) return why;
    if (const char *why = row_epilogue::refusal(p)) return why;
    problem resolved = p;
    default_layouts(resolved);
    const auto &op = std::get<Desc>(resolved.op);
    for (const memory_desc *md : {&op.src, &op.dst, &source_of(op)})
        if (!md->is_blocked()) return "a layout is not plain or blocked";
    planned made = is_forward(op.prop)
                       ? try_plan<normalization_forward>(resolved, op, view_of(op))
                       : try_plan<normalization_backward>(resolved, op, view_of(op));
    if (made.result) p = std::move(resolved);
    return made;
}

} // namespace

planned make_batch_normalization(problem &p) { return make<batch_normalization_desc>(p); }
planned make_layer_normalization(problem &p) { return make<layer_normalization_desc>(p); }
planned make_group_normalization(problem &p) { return make<group_normalization_desc>(p); }

} // namespace dnnl::impl::cpu
