// SPDX-License-Identifier: Apache-2.0
// The folder elementwise/ holds eltwise, binary, prelu, softmax and reduction: primitives without
// products of matrices, whose kernels take rows of any types and layouts.
//
// Plans whose result is made row by row of other tensors with the same dims, or 1, and finished by
// the epilogue.
#pragma once

#include <initializer_list>
#include <limits>

#include "common/layout/data_type.hpp"
#include "common/plan/implementation.hpp"
#include "cpu/epilogue/row_epilogue.hpp"

namespace dnnl::impl::cpu {

class row_wise_plan : public plan {
  protected:
    /// A tensor of the walk; its place is its index in the list, that of the result is 0.
    struct argument {
        int arg;
        const memory_desc *md;
    };
    static constexpr std::size_t most_arguments = 4;
    using pointers = std::array<char *, most_arguments>;
    static constexpr dim_t longest_row = 8192; ///< columns of a tile

    /// A tile of the tensors of one execution.
    struct bound_tile {
        const row_wise_plan &plan;
        const bound_epilogue &epilogue;
        const pointers &tensors;
        const tile &part;
        int thread;

        char *data(std::size_t place) const {
            return tensors[place] + part.at[place] * plan.bytes_[place];
        }
        dim_t row_stride(std::size_t place) const { return part.box.rows.strides[place]; }
        dim_t column_stride(std::size_t place) const { return part.box.columns.strides[place]; }
    };

    /// Cuts the tensors and the epilogue's operands into boxes, or says why they cannot be walked
    /// together: no_columns (if not null) where no elements of the result are adjacent.
    void cut(std::initializer_list<argument> arguments, const row_options &options,
        const char *no_columns);

    /// Calls body(bound tile) for all tiles, in parallel, then clears the padding of the result.
    template <class Body>
    void for_each_tile(const exec_context &ctx, double column_ns, const Body &body) const {
        if (result_.has_zero_dim()) return;
        bound_epilogue epilogue;
        epilogue_.bind(ctx, epilogue);
        pointers tensors {};
        for (std::size_t t = 0; t < count_; ++t) tensors[t] = ctx.out<char>(args_[t]);
        for (const tiled_box &box : boxes_) {
            const double tile_ns = 20 + column_ns * static_cast<double>(box.tile_columns);
            box.for_each_tile(tile_ns, threads_, [&](int thread, const tile &part) {
                body(bound_tile {*this, epilogue, tensors, part, thread});
            });
        }
        clear_padding(result_, tensors[0]);
    }
    /// The epilogue at a tile; its lifetime is that of the kernel call.
    row_epilogue::at_piece finish_at(const bound_tile &t) const {
        return {epilogue_, t.epilogue, t.part.box.rows, t.part.box.columns, t.part.at};
    }

    row_epilogue epilogue_;
    std::vector<tiled_box> boxes_;
    int threads_ = std::numeric_limits<int>::max(); ///< at most

  private:
    memory_desc result_;
    std::size_t count_ = 0; ///< of arguments
    std::array<int, most_arguments> args_ {};
    std::array<dim_t, most_arguments> bytes_ {}; ///< of an element
};

} // namespace dnnl::impl::cpu
