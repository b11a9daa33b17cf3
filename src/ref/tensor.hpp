// SPDX-License-Identifier: Apache-2.0
// A tensor of any element type and layout, read and written in rows along one dimension.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/layout/memory.hpp"
#include "common/layout/memory_desc.hpp"
#include "common/plan/implementation.hpp"
#include "common/runtime/parallel.hpp"
#include "ref/elements.hpp"

namespace dnnl::impl::ref {

/// Rows are handled in pieces of at most this many elements, which fit buffers on the stack.
inline constexpr dim_t row_length = 256;

/// What an index along one dimension adds to the offset of an element. Every layout, with inner
/// blocks or without, is a sum of such terms; blocked dimensions look theirs up.
struct axis {
    dim_t stride = 0;
    const dim_t *table = nullptr;
    dim_t operator()(dim_t x) const { return table ? table[x] : x * stride; }
};

/// A view; the buffer belongs to the caller. Dimensions of extent 1 broadcast: any index there
/// finds the one element. Value is float, double or std::int32_t.
class tensor {
  public:
    tensor() = default; ///< absent
    tensor(const memory_desc &md, void *data);
    tensor(const exec_context &ctx, int arg) : tensor(ctx.desc(arg), ctx.data(arg)) {}
    tensor(tensor &&) = default;
    tensor &operator=(tensor &&) = default;

    /// A vector whose index is dimension `dim` of the tensors it is combined with.
    static tensor along(int dim, const memory_desc &vector, void *data);
    /// Each index of dimension `dim` of md stands for `size` neighbours in the tensors that this
    /// one is combined with.
    static tensor grouped(const memory_desc &md, int dim, dim_t size, void *data);
    /// Scales or zero points of an argument with descriptor md, indexed by positions in md.
    /// kind is DNNL_ARG_ATTR_SCALES or DNNL_ARG_ATTR_ZERO_POINTS. Absent when q is null.
    static tensor quantization_values(
        const exec_context &ctx, int kind, const quantization *q, const memory_desc &md);
    /// Scales with one value (mask 0) or one per channel, indexed by dimension 1 of dst.
    static tensor channel_scales(const exec_context &ctx, const quantization *q);
    /// One value per index of the masked dimensions, dense row-major over these dimensions of md.
    static tensor masked(const memory_desc &md, const quantization &q, data_type dtype, void *data);

    explicit operator bool() const { return data_ != nullptr; }
    data_type dtype() const { return dtype_; }
    /// Indices of this dimension no longer matter.
    void ignore(int dim) { axes_[dim] = {}; }

    template <class Value> Value get(const dims_t &position) const {
        Value value;
        read(&value, position, 0, 1);
        return value;
    }
    template <class Value> void set(const dims_t &position, Value value) const {
        write(&value, position, 0, 1);
    }

    /// row[i] = element at position + i * step along dim.
    template <class Value>
    void read(Value *row, const dims_t &position, int dim, dim_t count, dim_t step = 1) const {
        const dim_t base = row_offset(position, dim), first = position[dim];
        const axis along = axes_[dim];
        with_elements(dtype_, data_, [&](auto elements) {
            elements += base;
            if (along.table)
                for (dim_t i = 0; i < count; ++i)
                    row[i] = load_element<Value>(elements, along.table[first + i * step]);
            else
                load_strided(row, elements + first * along.stride,
                    count > 1 ? step * along.stride : 1, count);
        });
    }
    template <class Value>
    void write(const Value *row, const dims_t &position, int dim, dim_t count) const {
        const dim_t base = row_offset(position, dim), first = position[dim];
        const axis along = axes_[dim];
        with_elements(dtype_, data_, [&](auto elements) {
            elements += base;
            for (dim_t i = 0; i < count; ++i) store_element(elements, along(first + i), row[i]);
        });
    }

  private:
    template <class Value, class Elements>
    static void load_strided(Value *row, Elements from, dim_t stride, dim_t count) {
        if (stride == 1)
            for (dim_t i = 0; i < count; ++i) row[i] = load_element<Value>(from, i);
        else
            for (dim_t i = 0; i < count; ++i) row[i] = load_element<Value>(from, i * stride);
    }
    /// Offset of the row through `position`: every dimension but `dim`.
    dim_t row_offset(const dims_t &position, int dim) const {
        dim_t offset = offset0_;
        for (int d = 0; d < ndims_; ++d)
            if (d != dim) offset += axes_[d](position[d]);
        return offset;
    }

    void *data_ = nullptr;
    data_type dtype_ = data_type::undef;
    int ndims_ = 0;
    dim_t offset0_ = 0;
    std::array<axis, max_ndims> axes_ {};
    std::vector<std::vector<dim_t>>
        tables_; ///< of blocked or grouped dimensions; axes_ point there
};

/// The dimension along which rows of md are best handled: the one with the smallest stride when it
/// has at least 16 elements, else the longest.
int row_dimension(const memory_desc &md);

/// Calls body(position, count) for every piece of at most `piece` elements along `dim` of a tensor
/// with these dims, in parallel. item_ns estimates the cost of one element.
template <class Body>
void for_each_piece(const memory_desc &md, int dim, dim_t piece, double item_ns, const Body &body) {
    if (md.has_zero_dim()) return;
    const dim_t per_line = div_up(md.dims[dim], piece);
    const dim_t pieces = md.nelems() / md.dims[dim] * per_line;
    const double piece_ns = 50 + item_ns * static_cast<double>(std::min(piece, md.dims[dim]));
    parallel_for(pieces, piece_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t index = begin; index < end; ++index) {
            dims_t position {};
            position[dim] = index % per_line * piece;
            dim_t rest = index / per_line;
            for (int d = md.ndims - 1; d >= 0; --d) {
                if (d == dim) continue;
                position[d] = rest % md.dims[d];
                rest /= md.dims[d];
            }
            body(position, std::min(piece, md.dims[dim] - position[dim]));
        }
    });
}
template <class Body>
void for_each_row(const memory_desc &md, int dim, double item_ns, const Body &body) {
    for_each_piece(md, dim, row_length, item_ns, body);
}

/// sum[i * step] += a * b[i]. Floats: product and sum rounded one by one, so that sums of integers
/// in f64 are exact below 2^53. Integers wrap modulo 2^32, so the result is exact whenever the
/// final sum fits s32, whatever the order.
inline void multiply_add(float *sum, float a, const float *b, dim_t count, dim_t step = 1) {
    for (dim_t i = 0; i < count; ++i) sum[i * step] += a * b[i];
}
inline void multiply_add(double *sum, double a, const double *b, dim_t count, dim_t step = 1) {
    for (dim_t i = 0; i < count; ++i) sum[i * step] += a * b[i];
}
inline void multiply_add(
    std::int32_t *sum, std::int32_t a, const std::int32_t *b, dim_t count, dim_t step = 1) {
    for (dim_t i = 0; i < count; ++i) {
        const auto product = static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b[i]);
        sum[i * step] =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[i * step]) + product);
    }
}
/// a[i] -= b, for zero points.
inline void subtract(float *a, dim_t count, float b) {
    for (dim_t i = 0; i < count; ++i) a[i] -= b;
}
inline void subtract(double *a, dim_t count, double b) {
    for (dim_t i = 0; i < count; ++i) a[i] -= b;
}

} // namespace dnnl::impl::ref
