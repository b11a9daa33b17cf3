// SPDX-License-Identifier: Apache-2.0
// Copies a tensor into another one, or into a part of it, in another layout, type and quantisation.
// Reorder and concat do their work by it, in tiles of copy_tile. Elements of 4 bits pass as codes.
#pragma once

#include "common/plan/implementation.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

/// The values that are applied to the elements, in this order.
enum value_kind { src_zero_points, src_scales, dst_scales, dst_zero_points, value_kinds };

struct tensor_copy_request {
    const memory_desc *src, *dst;
    int axis = -1;            ///< along this axis, src index x becomes
    dim_t shift = 0;          ///< dst index x + shift
    bool through_f32 = false; ///< some of `values`, or a sum, are used
    /// f32 tensors with src's dims; a stride is 0 where a value is shared; null: no such values
    std::array<const memory_desc *, value_kinds> values {};
    bool has_sum = false;
    f32 sum_scale = 0;
};

/// The descriptor for a move without conversion: of a type that every copy takes and that has
/// elements of the same size. f64 becomes a last dimension of two words.
memory_desc as_moved(memory_desc md);

/// The tensor with its axis, which has no blocks, split into `first` x `second`, row-major.
memory_desc with_split_axis(const memory_desc &md, int axis, dim_t first, dim_t second);

/// Describes values that vary along the dims of the mask, as a tensor under the elements: row-major
/// over the extents, with stride 0 along the other dims.
memory_desc values_under(memory_desc tensor, data_type type, int mask, const dims_t &extents);

class tensor_copy {
  public:
    /// Returns the reason when the copy is not possible, else null. The target has at least AVX2.
    const char *plan(isa target, const tensor_copy_request &request);
    /// Copies. Buffers are given without offset0, values as in the request.
    void run(const void *src, void *dst, const std::array<const f32 *, value_kinds> &values) const;

    /// True when a call can only take tiles so small that the overhead of calls dominates.
    bool has_small_tiles() const;

  private:
    /// Lets two or four short elements, adjacent in both tensors, move as one of 2 or 4 bytes.
    void move_runs_as_elements();
    void cut_into_tiles(tiled_box &box) const;
    /// Removes the innermost of the outer loops where the tiles inside it are small, so that one
    /// call copies many; returns that loop, or one iteration.
    nest_level take_pieces(tiled_box &box) const;

    std::vector<tiled_box> boxes_;
    std::vector<nest_level> pieces_; ///< for each box, the loop that a call of the kernel contains
    copy_tile_args args_ {};
    std::array<std::size_t, value_kinds> places_ {}; ///< of values in the walk; 0: there are none
    dim_t src_bytes_ = 0, dst_bytes_ = 0;            ///< per element
    void (*copy_)(const copy_tile_args &) = nullptr;
};

/// A tensor of 4-bit elements as codes, one per byte at the same offsets, which kernels work on.
/// For every other type it is the tensor itself.
class nibble_codes {
  public:
    nibble_codes() = default;
    /// `keep`: the tensor is read, or some of its elements are not written and must survive.
    nibble_codes(problem &p, const memory_desc &md, bool keep);

    /// Returns the codes of the elements at `pairs`; for other types returns `pairs`.
    void *begin(const exec_context &ctx, void *pairs) const;
    /// Clears the padding and writes the codes back.
    void end(const exec_context &ctx, void *pairs) const;

  private:
    memory_desc padded_; ///< the descriptor with bytes for elements of 4 bits
    dim_t count_ = 0;    ///< elements from the start of the buffer, an even number
    bool keep_ = false;
    isa target_ = isa::none;
    scratch_slot<std::uint8_t> codes_;
};

} // namespace dnnl::impl::cpu
