// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of matmul operands: which of them the epilogue applies, and the values of
// the others at an execution, addressed by batch, element of K, and row or column. Which types a
// product computes in follows from them.
#pragma once

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

/// The values of one entry for a tensor, whose last two dimensions are k_dim, K, and M or N.
class quantization_values {
  public:
    quantization_values() = default; ///< absent
    /// kind: DNNL_ARG_ATTR_SCALES or DNNL_ARG_ATTR_ZERO_POINTS.
    quantization_values(int kind, const quantization &q, const memory_desc &md, int k_dim);

    explicit operator bool() const { return arg_ != 0; }
    /// Elements along K that share a value: all of K where the values do not vary along it.
    dim_t k_group() const { return k_group_; }
    bool varies_along_k() const { return strides_[k_dim_] != 0; }
    bool varies_along_rows_or_columns() const { return strides_[other_dim_] != 0; }
    bool varies_along_batch() const;

    /// to[i] = the value at element k of K and element i < n of M or N. The batch is a row-major
    /// number over the batch dimensions of the tensor.
    template <class Value>
    void load(const exec_context &ctx, dim_t batch, dim_t k, dim_t n, Value *to) const;

  private:
    int arg_ = 0, k_dim_ = 0, other_dim_ = 0, batch_dims_ = 0;
    data_type type_ = data_type::undef;
    dim_t k_group_ = 1, other_group_ = 1;
    dims_t strides_ {}; ///< values from group to group of a dimension; 0: one for all
    dims_t extents_ {};
};

/// How many values of an entry an execution loads.
struct table_extents {
    dim_t batches;
    dim_t pieces, piece; ///< of K: their count, and the elements of one
    dim_t n;             ///< rows or columns
};

/// The values of one entry as f32 or s32, [batch][piece of K][row or column], in the scratchpad.
template <class Value> class value_table {
  public:
    value_table() = default; ///< absent
    /// Nothing is reserved for an entry that is absent. One batch stands for all.
    value_table(scratchpad_layout &scratch, const quantization_values &of, const table_extents &e)
        : of_(of), extents_(e) {
        if (of_) values_ = scratch.reserve<Value>(e.batches * e.pieces * e.n);
    }

    explicit operator bool() const { return !!of_; }
    const table_extents &extents() const { return extents_; }
    /// Reads all values, where there are any.
    void load(const exec_context &ctx) const;
    /// The values of all rows or columns; once they are loaded.
    const Value *at(const exec_context &ctx, dim_t batch, dim_t piece) const {
        const dim_t b = extents_.batches > 1 ? batch : 0;
        return ctx.scratch(values_) + (b * extents_.pieces + piece) * extents_.n;
    }

  private:
    quantization_values of_;
    table_extents extents_ {};
    scratch_slot<Value> values_;
};

/// The scales and zero points of src and weights that the epilogue does not apply, and those that
/// it does; without the scales of dst that follow from the results.
struct operand_values {
    quantization_values src_scale, weights_scale, src_zero_point, weights_zero_point;
    quantization_params epilogue_scales, epilogue_zero_points;

    bool empty() const {
        return !src_scale && !weights_scale && !src_zero_point && !weights_zero_point;
    }
    /// The attributes that are left to the epilogue.
    primitive_attr rest_of(const primitive_attr &all) const;
};
operand_values split_attributes(const problem &p);

/// What the kernels multiply in the place of the elements of src and weights.
struct operand_types {
    data_type a = data_type::undef, b = data_type::undef;
};
/// Null, or why the level of p has no kernel for its types.
const char *choose_types(const problem &p, const operand_values &values, operand_types &types);

} // namespace dnnl::impl::cpu
