// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of matmul operands that vary along K: values of an execution, addressed by
// batch, group of K, and row or column.
#pragma once

#include "common/exec_context.hpp"
#include "common/problem.hpp"

namespace dnnl::impl::cpu {

/// The values of one entry for a tensor; dimension k_dim of it is K.
class quantization_values {
  public:
    quantization_values() = default; ///< absent
    /// kind: DNNL_ARG_ATTR_SCALES or DNNL_ARG_ATTR_ZERO_POINTS.
    quantization_values(int kind, const quantization &q, const memory_desc &md, int k_dim);

    explicit operator bool() const { return count_ > 0; }
    dim_t count() const { return count_; }
    /// Elements along K that share a value: all of K where the values do not vary along it.
    dim_t k_group() const { return k_group_; }
    bool varies_along_k() const { return stride(k_dim_) != 0; }
    /// Values from index to index of a dimension, from group to group along K.
    dim_t stride(int d) const { return strides_[d]; }
    /// Index of the first value of a batch, a row-major number over the batch dimensions of the
    /// tensor.
    dim_t batch_offset(dim_t batch) const;

    /// All values, as they are in memory.
    void load(const exec_context &ctx, f32 *to) const;
    /// to[i] = the value at group `group` of K and index i of dimension d, other than K.
    void load(const exec_context &ctx, dim_t batch, dim_t group, int d, dim_t n, f32 *to) const;
    void load(const exec_context &ctx, dim_t batch, dim_t group, int d, dim_t n, s32 *to) const;

  private:
    const void *at(const exec_context &ctx, dim_t &offset) const;

    int arg_ = 0, k_dim_ = 0, batch_dims_ = 0;
    data_type type_ = data_type::undef;
    dim_t count_ = 0, k_group_ = 1;
    dims_t strides_ {}, extents_ {};
};

} // namespace dnnl::impl::cpu
