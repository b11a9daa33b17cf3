// SPDX-License-Identifier: Apache-2.0
// How tensors are reduced in any layout: two walks, one over the elements of the result and one
// over the dimensions that are reduced, whose offsets add up. Elements of a row of the result share
// a kernel call; few rows with much behind them are cut into segments, by the shape alone.
#pragma once

#include "common/descriptors/problem.hpp"
#include "common/plan/exec_context.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/walk/box_pieces.hpp"

namespace dnnl::impl::cpu {

class reduction_walk {
  public:
    /// result: its dims are those of the sources, or 1 where they are reduced. operands: further
    /// tensors that broadcast to the result. Offsets of descriptors count for operands only.
    /// Returns the reason when the layouts cannot be walked together.
    const char *build(const memory_desc &result, std::span<const memory_desc *const> sources,
        std::span<const memory_desc *const> operands);
    /// The elements of a row of the result are adjacent.
    bool is_adjacent() const { return adjacent_; }
    /// And those of the first source under them, or the runs behind them.
    bool is_smooth() const { return smooth_; }
    /// Once, when the layouts are decided on.
    void reserve(problem &p);

    /// Elements behind one element of the result.
    dim_t count() const { return count_; }

    /// Places of tensors in the offsets of results: the result, the sources, the operands. Those of
    /// `behind` begin with the first source.
    static constexpr std::size_t result_place = 0, source_place = 1;

    /// n elements of the result side by side, and what one call adds to their totals: `length`
    /// elements along `run` behind each.
    struct part {
        const nest_offsets &at;
        const nest_level &columns;
        dim_t n;
        const nest_offsets &behind;
        const nest_level &run;
        dim_t length;
        /// Runs are adjacent in the first source and long enough to be vectors.
        bool by_runs() const { return run.strides[0] == 1 && run.extent >= shortest_run; }
    };
    static constexpr dim_t shortest_run = 16;

    /// For all elements: totals = start; add(part, totals) for every part; join(totals, next, n)
    /// with the next segment; finish(at, columns, n, totals).
    template <class Add, class Join, class Finish>
    void run(const exec_context &ctx, double start, const Add &add, const Join &join,
        const Finish &finish) const;

  private:
    double piece_ns() const;

    std::vector<walked_box> result_boxes_, reduced_boxes_;
    std::size_t source_count_ = 0, tensor_count_ = 0;
    bool adjacent_ = true, smooth_ = true;
    dim_t count_ = 1;
    box_pieces results_, reduced_;
    dim_t segments_ = 1;
    scratch_slot<double> totals_;
};

template <class Add, class Join, class Finish>
void reduction_walk::run(const exec_context &ctx, double start, const Add &add, const Join &join,
    const Finish &finish) const {
    const dim_t parts = reduced_.count(), pieces = results_.count();
    double *all = ctx.scratch(totals_);
    const auto totals_of = [&](dim_t piece, dim_t segment) {
        return all + (piece * segments_ + segment) * row_piece;
    };
    const auto add_up = [&](dim_t segment, const nest_offsets &at, const nest_level &columns,
                            dim_t n, double *totals) {
        std::fill_n(totals, n, start);
        reduced_.for_each(segment * parts / segments_, (segment + 1) * parts / segments_,
            [&](dim_t, const nest_offsets &behind, const nest_level &run, dim_t length) {
                add(part {at, columns, n, behind, run, length}, totals);
            });
    };
    if (segments_ == 1)
        return parallel_for(pieces, piece_ns(), [&](int, dim_t begin, dim_t end) {
            double totals[row_piece];
            results_.for_each(
                begin, end, [&](dim_t, const nest_offsets &at, const nest_level &columns, dim_t n) {
                    add_up(0, at, columns, n, totals);
                    finish(at, columns, n, totals);
                });
        });
    const double segment_ns = piece_ns() / static_cast<double>(segments_);
    parallel_for(pieces * segments_, segment_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t task = begin; task < end; ++task)
            results_.for_each(task / segments_, task / segments_ + 1,
                [&](dim_t piece, const nest_offsets &at, const nest_level &columns, dim_t n) {
                    const dim_t segment = task % segments_;
                    add_up(segment, at, columns, n, totals_of(piece, segment));
                });
    });
    results_.for_each(
        0, pieces, [&](dim_t piece, const nest_offsets &at, const nest_level &columns, dim_t n) {
            double *totals = totals_of(piece, 0);
            for (dim_t s = 1; s < segments_; ++s) join(totals, totals_of(piece, s), n);
            finish(at, columns, n, totals);
        });
}

} // namespace dnnl::impl::cpu
