// SPDX-License-Identifier: Apache-2.0
// From attributes to the epilogue of the kernels lives in this folder (doc/epilogue.md): what a
// plan keeps of bias and post-ops and what each execution binds (epilogue.cpp), the same of scales,
// zero points and random numbers (epilogue_quantization.cpp), what a plan takes and how operands
// lie (epilogue_operands.cpp); as tensors of a walk, whose blocks nest with dst's: row_epilogue.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

/// Which coordinate of an epilogue position (epilogue_rows.hpp) each logical dimension of dst
/// belongs to. Dimensions that share one are flattened in logical order, the last one fastest.
struct coordinate_map {
    std::array<signed char, max_ndims> of {};
};

/// A list of different coordinates, in the order of the dimensions that they stand for.
struct coordinate_list {
    std::array<signed char, position_rank> of {};
    int count = 0;
};

/// What an operation hands to its epilogue.
struct epilogue_request {
    const memory_desc *dst;
    coordinate_map map;
    dim_t columns;                     ///< extent of the column coordinate of dst
    int column_dim;                    ///< the logical dimension of dst that is the column
    int weights_mask;                  ///< mask of weights scales that means "per column"
    bool integer;                      ///< s32 accumulators
    const memory_desc *bias = nullptr; ///< null or zero: none; one value per column, or as dst
    int row_dim = -1; ///< the logical dimension that is the row: src scales may vary along it
    int src_zero_point_mask = 0; ///< a mask of src zero points that the driver handles, or 0
    bool walks_blocks = false;   ///< the driver walks operands with blocks by itself
    bool row_sums = false; ///< the driver provides row sums of src where weights have zero points
    bool random = false;   ///< dst is the user's: dropout and rounding go by offsets in it
    /// Without post-ops' operands varying along the flattened coordinates: see uniform().
};

/// The most steps of a chain: a select post-op is two.
inline constexpr int most_steps = 2 * post_ops::max_count;

/// The epilogue of one execution. What `data` points at lives in the scratchpad and here.
struct bound_epilogue {
    epilogue data;
    std::array<epilogue_step, most_steps + 1> steps; ///< the last: scales of dst
    epilogue_step bias_operand;
    random_steps random;
    s32 src_zero_point; ///< the first one; 0 without
};

/// Makes the epilogue of the rows first, first + step, ... of dst, which count as 0, 1, ... from
/// then on. `all` stays in use; operands of post-ops are its only values of rows.
void take_rows(const bound_epilogue &all, dim_t first, dim_t step, bound_epilogue &out);

class epilogue_plan {
  public:
    /// Null when the attributes can be applied; else the reason.
    static const char *refusal(const primitive_attr &attr, const epilogue_request &request);

    epilogue_plan() = default;
    /// Once post-op sources have their layouts. target: the features that a copy of one may use.
    epilogue_plan(isa target, const primitive_attr &attr, scratchpad_layout &scratchpad,
        const epilogue_request &request);

    /// True when sums of the accumulator type are the destination: nothing is to be applied.
    bool is_identity() const { return identity_; }

    /// Fills `out` from the arguments but for what the driver points at: `compensation`, where src
    /// has a zero point, at src_zero_point * (column sum - K * weights zero point) of each column;
    /// `row_compensation`, where the weights have zero points, at the row sums of src.
    void bind(const exec_context &ctx, bound_epilogue &out) const;

    /// True when a post-op's operand has values of its own for each row.
    bool varies_along_rows() const {
        return std::any_of(steps_.begin(), steps_.begin() + step_count_,
            [](const epilogue_step &step) { return step.strides[row_dim] != 0; });
    }
    bool has_src_zero_point() const { return zero_points_.find(DNNL_ARG_SRC) != nullptr; }
    bool has_weights_zero_point() const { return zero_points_.find(DNNL_ARG_WEIGHTS) != nullptr; }

  private:
    void take_quantization(scratchpad_layout &scratchpad, const epilogue_request &r);
    void take_bias(
        const primitive_attr &attr, scratchpad_layout &scratchpad, const epilogue_request &r);
    void take_random(const primitive_attr &attr, const epilogue_request &r);
    void take_steps(isa target, const primitive_attr &attr, scratchpad_layout &scratchpad,
        const epilogue_request &r);
    /// Adds a step whose operand is the source `arg` of a binary post-op.
    epilogue_step &take_source(isa target, const memory_desc &source, int arg,
        scratchpad_layout &scratchpad, const epilogue_request &r);
    void bind_scales(const exec_context &ctx, bound_epilogue &out) const;
    void bind_bias(const exec_context &ctx, bound_epilogue &out) const;
    void bind_zero_points(const exec_context &ctx, bound_epilogue &out) const;
    void bind_random(const exec_context &ctx, bound_epilogue &out) const;
    void bind_steps(const exec_context &ctx, bound_epilogue &out) const;

    struct operand {
        int arg = 0; ///< 0: the step has no operand
        dim_t offset0 = 0;
        coordinate_list slopes {}; ///< of a prelu: strides and offset come with the execution
    };
    /// The source of a binary step in a layout without blocks.
    struct copied_operand {
        int step;
        adapted_tensor tensor;
    };
    bool identity_ = true;
    dim_t columns_ = 0, rows_ = 0; ///< rows_: where src scales vary along them
    data_type dst_type_ = data_type::undef, bias_type_ = data_type::undef;
    quantization_params scales_of_, zero_points_;
    dim_t bias_stride_ = 0, bias_offset_ = 0;
    bool bias_per_column_ = true; ///< a vector of f32; else bias_operand_
    epilogue_step bias_operand_ {};
    epilogue_step dst_scale_ {}; ///< strides of the scales of dst, where they vary
    dim_t dst_scale_count_ = 0;
    dropout_params dropout_;
    bool rounds_stochastically_ = false;
    random_steps random_ {};
    scratch_slot<f32> scales_, row_scales_, dst_scales_, bias_;
    scratch_slot<s32> dst_zero_points_, row_factors_;
    int step_count_ = 0;
    std::array<epilogue_step, most_steps> steps_ {};
    std::array<operand, most_steps> operands_ {};
    std::vector<copied_operand> copies_;
};

// ---- The tensors that an epilogue reads in addition to the sums ----

/// Null when the operand of a post-op, if it has one, is of a type that the kernels read.
const char *operand_refusal(const post_op &op);

/// Finds the strides of a tensor that broadcasts to dst, by coordinate of the epilogue's position.
/// Returns false when dims that share a coordinate cannot be flattened into one stride.
bool coordinate_strides(const memory_desc &operand, const memory_desc &dst,
    const coordinate_map &map, dim_t (&strides)[position_rank]);

/// Describes the values of an entry as a tensor, dense and row-major, that broadcasts to md.
memory_desc dense_values(const quantization &q, const memory_desc &md);

/// The coordinates along which the weights of a prelu post-op vary, one for each dimension of dst
/// that the mask names, those of size 1 left out. Their layout is known at execution only, so none
/// of these dimensions may share its coordinate: false where one does.
bool prelu_coordinates(const prelu_post_op &op, const memory_desc &dst, const coordinate_map &map,
    coordinate_list &coordinates);

/// Returns src1 where it is plain; else the layout of a copy, dense in coordinate order.
memory_desc plain_operand(const memory_desc &src1, const coordinate_map &map);

/// True where all dimensions but the last are 1, and that is dst's columns.
bool is_per_column(const memory_desc &bias, dim_t columns);

/// Stores value(i) for i < n in the scratchpad and returns where they are.
template <class Value, class Function>
const Value *filled(
    const exec_context &ctx, const scratch_slot<Value> &place, dim_t n, const Function &value) {
    Value *to = ctx.scratch(place);
    // Measured on a Zen 5 core: a conversion takes 1.3 to 1.9 ns.
    parallel_for_each(n, 2.0, [&](dim_t i) { to[i] = value(i); });
    return to;
}

/// True when neither a post-op operand nor, for random numbers by the offset in dst, dst itself
/// keeps the dims of a shared coordinate from being flattened.
bool uniform(const problem &p, const memory_desc &dst, const coordinate_map &map);

class row_epilogue {
  public:
    /// Null when the attributes can be applied; else the reason. Layouts may still be `any`.
    static const char *refusal(const problem &p);

    row_epilogue() = default;
    /// Layouts are resolved already. with_scales: the attributes' scales belong to the epilogue.
    row_epilogue(problem &p, const memory_desc &dst, bool with_scales);

    /// False when results are stored as they are.
    bool is_needed() const { return plan_.has_value(); }
    /// Appends the operands to the tensors that are walked together.
    void append_operands(std::vector<const memory_desc *> &tensors) {
        first_operand_ = tensors.size();
        for (const memory_desc &operand : operands_) tensors.push_back(&operand);
    }

    /// Called once per execution.
    void bind(const exec_context &ctx, bound_epilogue &out) const {
        if (plan_) plan_->bind(ctx, out);
    }

    /// A bound epilogue at one tile; the steps live in this object.
    class at_piece {
      public:
        at_piece(const row_epilogue &owner, const bound_epilogue &bound, const nest_level &rows,
            const nest_level &columns, const nest_offsets &offsets);
        at_piece(const at_piece &) = delete;
        at_piece &operator=(const at_piece &) = delete;
        /// Null when nothing is to be applied.
        const epilogue *get() const { return needed_ ? &epilogue_ : nullptr; }

      private:
        bool needed_;
        epilogue epilogue_;
        std::array<epilogue_step, most_steps> steps_;
    };

  private:
    std::optional<epilogue_plan> plan_; ///< nothing where results are stored as they are
    std::vector<memory_desc> operands_;
    std::vector<int> operand_of_step_; ///< index into operands_, -1: none
    std::size_t first_operand_ = 0;    ///< index of operands_[0] in the walk
    friend class at_piece;
};

} // namespace dnnl::impl::cpu
