// SPDX-License-Identifier: Apache-2.0
// Reduces tensors of any layout. One walk goes over the elements of the result, another one over
// the dimensions that are reduced, and the offsets of both add up. The elements of a row of the
// result share a kernel call. Where the result has few rows, the reduced elements are cut into
// segments, by the shape alone.
#pragma once

#include "cpu/epilogue/epilogue.hpp"
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/walk/ordered_sums.hpp"

namespace dnnl::impl::cpu {

class reduction_walk {
  public:
    using tensors = std::span<const memory_desc *const>;
    reduction_walk() = default; ///< of a result without elements
    /// `finish` says what becomes of totals. The walk and the epilogue fill in the rest of it.
    reduction_walk(
        isa target, reduced_by kind, const reduce_finish_args &finish, row_epilogue epilogue);
    /// `result` has the dims of the sources, or 1 along reduced dimensions. It is walked in its own
    /// layout (keeps_layout), or in the order of the first source and then copied. Returns null, or
    /// the reason when no layout can be walked, `not_adjacent` among them.
    const char *plan(problem &p, const memory_desc &result, bool keeps_layout, tensors sources,
        adapted_tensor::use how, const char *not_adjacent);

    /// The number of elements that are reduced to one.
    dim_t count() const { return count_; }

    /// The places of tensors among the offsets of results: the result, the sources, the operands of
    /// the epilogue. Among the offsets of reduced elements the first source is at place 0.
    static constexpr std::size_t result_place = 0, source_place = 1;

    /// What one kernel call adds to the totals of neighbouring elements of the result: some
    /// neighbouring reduced elements of each.
    struct part {
        const tile &results, &reduced;

        /// True where reduced elements are adjacent in the first source and enough to fill vectors.
        /// Then they are rows of a kernel call; else elements of the result are its columns.
        bool by_runs() const {
            const nest_level &level = reduced.box.columns;
            return level.strides[0] == 1 && level.extent >= shortest_run;
        }
        dim_t rows() const { return by_runs() ? results.columns : reduced.columns; }
        dim_t columns() const { return by_runs() ? reduced.columns : results.columns; }
        /// The part of a source that the call reads; the source begins at `data`.
        row_tensor source(std::size_t s, void *data, data_type type) const {
            const std::size_t place = source_place + s;
            const dim_t along_results = results.box.columns.strides[place];
            const dim_t along_reduced = reduced.box.columns.strides[s];
            char *first = element_at(data, type, results.at[place] + reduced.at[s]);
            if (by_runs()) return {first, type, along_results, along_reduced};
            return {first, type, along_reduced, results.columns == 1 ? 1 : along_results};
        }
    };
    static constexpr dim_t shortest_run = 16;

    /// Calls add(part, totals) for every part, then makes the results of them in argument `result`.
    template <class Add> void run(const exec_context &ctx, int result, const Add &add) const;

  private:
    const char *cut(const memory_desc &result, tensors sources, tensors operands);
    void cut_into_tiles(problem &p);
    /// What totals begin with.
    double start() const;
    /// Adds the totals of the next segment.
    void join(double *totals, const double *next, dim_t n) const;
    /// Makes the results at `to` from their totals.
    void finish(
        const bound_epilogue &epilogue, void *to, const tile &results, const double *totals) const;
    template <class AddUp, class Store>
    void run_segments(double *all, const AddUp &add_up, const Store &store) const;

    reduced_by kind_ = reduced_by::sum;
    reduce_finish_args finish_ {};
    reduce_finish_function run_finish_ = nullptr; ///< null: the result has no elements
    row_epilogue epilogue_;
    memory_desc result_;
    adapted_tensor to_;
    std::vector<tiled_box> result_boxes_, reduced_boxes_;
    bool is_adjacent_ = true;    ///< the elements of a row of the result are adjacent
    bool reads_adjacent_ = true; ///< a kernel call reads adjacent elements of the first source
    dim_t count_ = 1, pieces_ = 0, segments_ = 1;
    double piece_ns_ = 0;
    scratch_slot<double> totals_; ///< [piece][segment][row_piece]
};

template <class Add>
void reduction_walk::run(const exec_context &ctx, int result, const Add &add) const {
    if (!run_finish_) return;
    bound_epilogue epilogue;
    epilogue_.bind(ctx, epilogue);
    char *to = to_.begin(ctx, result);
    const dim_t parts = tile_count(reduced_boxes_);
    const double first = start();
    const auto add_up = [&](const tile &results, dim_t segment, double *totals) {
        std::fill_n(totals, results.columns, first);
        walk_tiles(reduced_boxes_, segment * parts / segments_, (segment + 1) * parts / segments_,
            [&](const tile &reduced) {
                add(part {results, reduced}, totals);
            });
    };
    const auto store = [&](const tile &results, const double *totals) {
        finish(epilogue, element_at(to, result_.dtype, results.at[result_place]), results, totals);
    };
    if (segments_ == 1)
        parallel_for(pieces_, piece_ns_, [&](int, dim_t begin, dim_t end) {
            walk_tiles(result_boxes_, begin, end, [&](const tile &results) {
                double totals[row_piece];
                add_up(results, 0, totals);
                store(results, totals);
            });
        });
    else
        run_segments(ctx.scratch(totals_), add_up, store);
    to_.end(ctx, result);
    clear_padding(result_, ctx.data(result));
}

template <class AddUp, class Store>
void reduction_walk::run_segments(double *all, const AddUp &add_up, const Store &store) const {
    parallel_for(
        pieces_ * segments_, piece_ns_ / double(segments_), [&](int, dim_t begin, dim_t end) {
            for (dim_t task = begin; task < end; ++task)
                walk_tiles(result_boxes_, task / segments_, task / segments_ + 1,
                    [&](const tile &results) {
                        add_up(results, task % segments_, all + task * row_piece);
                    });
        });
    walk_tiles(result_boxes_, 0, pieces_, [&](const tile &results) {
        ordered_sums<double> {all, all + row_piece, segments_, row_piece}.join<row_piece, double>(
            results.columns,
            [&](double *totals, const double *next, dim_t n) { join(totals, next, n); },
            [&](dim_t, dim_t, const double *totals) { store(results, totals); });
        all += segments_ * row_piece;
    });
}

} // namespace dnnl::impl::cpu
