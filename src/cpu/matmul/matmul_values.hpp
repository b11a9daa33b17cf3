// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of matmul operands: values of an execution, addressed by batch, element of
// K, and row or column.
#pragma once

#include "common/descriptors/problem.hpp"
#include "common/plan/exec_context.hpp"

namespace dnnl::impl::cpu {

/// The values of one entry for a tensor; dimension k_dim of it is K, the other one of the last two
/// is M or N.
class quantization_values {
  public:
    quantization_values() = default; ///< absent
    /// kind: DNNL_ARG_ATTR_SCALES or DNNL_ARG_ATTR_ZERO_POINTS.
    quantization_values(int kind, const quantization &q, const memory_desc &md, int k_dim);

    explicit operator bool() const { return arg_ != 0; }
    /// Elements along K that share a value: all of K where the values do not vary along it.
    dim_t k_group() const { return k_group_; }
    bool varies_along_k() const { return strides_[k_dim_] != 0; }
    bool varies_along_lines() const { return strides_[line_dim_] != 0; }
    bool varies_along_batch() const;

    /// to[i] = the value at element k of K and element i < n of M or N. The batch is a row-major
    /// number over the batch dimensions of the tensor.
    void load(const exec_context &ctx, dim_t batch, dim_t k, dim_t n, f32 *to) const;
    void load(const exec_context &ctx, dim_t batch, dim_t k, dim_t n, s32 *to) const;

  private:
    template <class Value, class Load>
    void load(const exec_context &ctx, dim_t batch, dim_t k, dim_t n, Value *to, Load one) const;

    int arg_ = 0, k_dim_ = 0, line_dim_ = 0, batch_dims_ = 0;
    data_type type_ = data_type::undef;
    dim_t k_group_ = 1, line_group_ = 1;
    dims_t strides_ {}; ///< values from group to group of a dimension; 0: one for all
    dims_t extents_ {};
};

} // namespace dnnl::impl::cpu
