// SPDX-License-Identifier: Apache-2.0
// The folder elementwise/ has eltwise, binary, prelu, sum, softmax and reduction: primitives
// without products of matrices, whose kernels take rows of any types and layouts. A plan of this
// file makes its result row by row from other tensors, whose dims are those of the result or 1, and
// finishes it by the epilogue.
#pragma once

#include <initializer_list>
#include <limits>

#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

class row_wise_plan : public plan {
  protected:
    /// A tensor of the walk, in the order of a row_tile: dst, then the sources; absent ones last.
    struct argument {
        int arg;
        const memory_desc *md;
    };
    static constexpr dim_t longest_row = 8192; ///< columns of a tile

    /// Cuts the tensors and the epilogue's operands into boxes, or says why they cannot be walked
    /// together: no_columns (if not null) where no elements of the result are adjacent.
    void cut(std::initializer_list<argument> arguments, const row_options &options,
        const char *no_columns) {
        result_ = *arguments.begin()->md;
        past_ = result_.elements_bytes() > cached_bytes;
        std::vector<const memory_desc *> tensors;
        for (const argument &a : arguments) {
            if (a.md->is_zero()) continue;
            args_[tensors.size()] = a.arg;
            types_[tensors.size()] = a.md->dtype;
            bytes_[tensors.size()] = dim_t(size_of(a.md->dtype));
            tensors.push_back(a.md);
        }
        count_ = tensors.size();
        epilogue_.append_operands(tensors);
        why_not_ = cut_into_rows(tensors, options, boxes_);
        // The first box is the largest.
        if (!why_not_ && !boxes_.empty() && !boxes_.front().has_columns()) why_not_ = no_columns;
    }

    /// True where each tile has the elements of a source adjacent along its rows or, where that is
    /// allowed, one element for all of a row.
    bool is_adjacent(std::size_t source, bool or_one = false) const {
        return std::all_of(boxes_.begin(), boxes_.end(), [&](const tiled_box &box) {
            return box.columns.is_adjacent(source + 1) ||
                   (or_one && box.columns.strides[source + 1] == 0);
        });
    }

    /// The loops of a box that the rows and the columns of a kernel call run along, and the members
    /// of a tile that count them; null: all iterations.
    struct call_loops {
        const nest_level &rows, &columns;
        dim_t tile::*row_count, tile::*column_count;
    };
    static call_loops loops_of(const tiled_box &box) {
        return {box.rows, box.columns, &tile::rows, &tile::columns};
    }

    /// Calls body(row_tile, thread) for all tiles, in parallel, then clears the padding of the
    /// result. loops(box) returns the call_loops of a box.
    template <class Loops, class Body>
    void for_each_tile(
        const exec_context &ctx, double column_ns, const Loops &loops, const Body &body) const {
        if (result_.has_zero_dim()) return;
        bound_epilogue epilogue;
        epilogue_.bind(ctx, epilogue);
        std::array<char *, most_arguments> tensors {};
        for (std::size_t i = 0; i < count_; ++i) tensors[i] = ctx.out<char>(args_[i]);
        const auto operand = [](row_tile &call, std::size_t i) -> row_tensor & {
            return i == 0 ? call.dst : call.src[i - 1];
        };
        for (const tiled_box &box : boxes_) {
            const double tile_ns = 20 + column_ns * double(box.tile_columns);
            const call_loops l = loops(box);
            row_tile whole {{}, {}, l.rows.extent, l.columns.extent, nullptr, past_};
            for (std::size_t i = 0; i < count_; ++i)
                operand(whole, i) = along(nullptr, types_[i], i, l.rows, l.columns);
            box.for_each_tile(tile_ns, threads_, [&](int thread, const tile &t) {
                const row_epilogue::at_piece finish(epilogue_, epilogue, l.rows, l.columns, t.at);
                row_tile call = whole;
                if (l.row_count) call.rows = t.*l.row_count;
                if (l.column_count) call.columns = t.*l.column_count;
                call.finish = finish.get();
                for (std::size_t i = 0; i < count_; ++i)
                    operand(call, i).data = tensors[i] + t.at[i] * bytes_[i];
                body(static_cast<const row_tile &>(call), thread);
            });
        }
        clear_padding(result_, tensors[0]);
    }
    template <class Body>
    void for_each_tile(const exec_context &ctx, double column_ns, const Body &body) const {
        for_each_tile(ctx, column_ns, loops_of, body);
    }

    row_epilogue epilogue_;
    std::vector<tiled_box> boxes_;
    int threads_ = std::numeric_limits<int>::max(); ///< at most

  private:
    static constexpr std::size_t most_arguments = 5;
    memory_desc result_;
    bool past_ = false;     ///< the result exceeds what caches hold
    std::size_t count_ = 0; ///< of arguments
    std::array<int, most_arguments> args_ {};
    std::array<data_type, most_arguments> types_ {};
    std::array<dim_t, most_arguments> bytes_ {}; ///< of an element
};

} // namespace dnnl::impl::cpu
