// SPDX-License-Identifier: Apache-2.0
// One tensor copied into another, or into a part of it, with other layout, type and quantisation:
// the work of reorder and concat as tiles of copy_tile. Tensors of 4-bit elements pass as codes.
#pragma once

#include <array>

#include "common/descriptors/problem.hpp"
#include "common/plan/implementation.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

/// Values that combine with the elements, in this order of application.
enum value_kind { src_zero_points, src_scales, dst_scales, dst_zero_points, value_kinds };

struct tensor_copy_request {
    const memory_desc *src, *dst;
    int axis = -1;            ///< src index x along it becomes
    dim_t shift = 0;          ///< dst index x + shift
    bool through_f32 = false; ///< values below or a sum are used
    /// f32 tensors with src's dims, stride 0 where a value is shared; null: absent
    std::array<const memory_desc *, value_kinds> values {};
    bool has_sum = false;
    f32 sum_scale = 0;
};

/// The tensor with elements of the same size that every copy takes, for moves without conversion.
/// f64 becomes a last dimension of two words.
memory_desc as_moved(memory_desc md);

/// The tensor with its axis, which is not blocked, as `first` x `second`; `second` runs fastest.
memory_desc with_split_axis(const memory_desc &md, int axis, dim_t first, dim_t second);

/// One value for each index of the dims of the mask under the elements of a tensor: row-major over
/// the extents, stride 0 along the other dims.
memory_desc values_under(memory_desc tensor, data_type type, int mask, const dims_t &extents);

class tensor_copy {
  public:
    /// Returns the reason when the copy is not possible, else null. The target has at least AVX2.
    const char *plan(isa target, const tensor_copy_request &request);
    /// Buffers without offset0; values as in the request.
    void run(const void *src, void *dst, const std::array<const f32 *, value_kinds> &values) const;

    /// True when the pieces that one call can take are so small that their overhead dominates.
    bool has_small_tiles() const;

  private:
    /// Moves two or four short elements that stay together as one of 2 or 4 bytes.
    void move_runs_as_elements();
    void cut_into_tiles(tiled_box &box) const;
    /// Removes the innermost of the outer loops where the tiles inside it are small, so that one
    /// call copies many; else one iteration.
    nest_level take_pieces(tiled_box &box) const;

    std::vector<tiled_box> boxes_;
    std::vector<nest_level> pieces_; ///< of each box: the loop that calls of the kernel contain
    copy_tile_args args_ {};
    std::array<std::size_t, value_kinds> places_ {}; ///< of the values in the walk, 0: absent
    dim_t src_bytes_ = 0, dst_bytes_ = 0;            ///< per element
    void (*copy_)(const copy_tile_args &) = nullptr;
};

/// A tensor of 4-bit elements as codes, one per byte at the same offsets, which is what kernels
/// work on. For every other type it is the tensor itself.
class nibble_codes {
  public:
    nibble_codes() = default;
    /// keep: elements that no one writes must survive, or the tensor is read.
    nibble_codes(problem &p, const memory_desc &md, bool keep);

    /// The codes of the elements at `pairs`; for types of other sizes `pairs`.
    void *begin(const exec_context &ctx, void *pairs) const;
    /// Clears the padding and writes the codes back.
    void end(const exec_context &ctx, void *pairs) const;

  private:
    memory_desc padded_; ///< with bytes for elements of 4 bits
    dim_t count_ = 0;    ///< elements, from the start of the buffer; even
    bool keep_ = false;
    isa target_ = isa::none;
    scratch_slot<std::uint8_t> codes_;
};

} // namespace dnnl::impl::cpu
