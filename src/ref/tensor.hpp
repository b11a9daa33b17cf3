// SPDX-License-Identifier: Apache-2.0
// The element types as C++ types, with their conversions to and from the types of computation:
// float, double and std::int32_t; and a tensor of any element type and layout, read and written in
// rows along one dimension.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/layout/data_type.hpp"
#include "common/layout/memory.hpp"
#include "common/plan/implementation.hpp"
#include "common/runtime/parallel.hpp"

namespace dnnl::impl::ref {

// ---- Elements ----

template <class Number> float to_f32(Number value) { return static_cast<float>(value); }
inline float to_f32(bf16 value) { return std::bit_cast<float>(std::uint32_t {value.bits} << 16); }
inline float to_f32(f16 value) { return f16_to_f32(value.bits); }

inline void assign(float &element, float value) { element = value; }
inline void assign(double &element, float value) { element = value; }
inline void assign(bf16 &element, float value) { element.bits = f32_to_bf16(value); }
inline void assign(f16 &element, float value) { element.bits = f32_to_f16(value); }
inline void assign(std::int32_t &element, float value) { element = f32_to_s32(value); }
inline void assign(std::int8_t &element, float value) { element = f32_to_s8(value); }
inline void assign(std::uint8_t &element, float value) { element = f32_to_u8(value); }

/// Integers keep all their bits when they become s32, and saturate when they are stored.
template <class Value, class Element> Value load_as(const Element &element) {
    constexpr bool integer = std::is_integral_v<Element> && !std::is_same_v<Value, float>;
    if constexpr (integer || std::is_same_v<Value, Element>)
        return element;
    else if constexpr (std::is_same_v<Value, std::int32_t>)
        return f32_to_s32(to_f32(element));
    else
        return to_f32(element);
}

template <class Value, class Element> void store_as(Element &element, Value value) {
    constexpr bool from_f64 = std::is_same_v<Value, double>;
    using limits = std::numeric_limits<Element>;
    if constexpr (std::is_same_v<Element, double>)
        element = value;
    else if constexpr (from_f64 && std::is_same_v<Element, float>)
        element = static_cast<float>(value);
    else if constexpr (from_f64 && std::is_same_v<Element, std::int32_t>)
        element = f64_to_s32(value);
    else if constexpr (from_f64)
        assign(element, f64_to_f32_odd(value));
    else if constexpr (std::is_same_v<Value, std::int32_t> && std::is_integral_v<Element>)
        element =
            static_cast<Element>(std::clamp<std::int32_t>(value, limits::min(), limits::max()));
    else
        assign(element, to_f32(value));
}

/// A position in a buffer of f8, e8m0, f4, s4 or u4, used like a pointer.
struct coded_elements {
    data_type dtype;
    void *data;
    dim_t first = 0;
    coded_elements &operator+=(dim_t elements) {
        first += elements;
        return *this;
    }
    coded_elements operator+(dim_t elements) const { return coded_elements(*this) += elements; }
};

/// Reads and writes element i of an array, or of coded elements, whose values f32 holds exactly.
template <class Value, class Element> Value load_element(const Element *elements, dim_t i) {
    return load_as<Value>(elements[i]);
}
template <class Value> Value load_element(const coded_elements &e, dim_t i) {
    return load_as<Value>(load_f32(e.dtype, e.data, e.first + i));
}
template <class Value, class Element> void store_element(Element *elements, dim_t i, Value value) {
    store_as(elements[i], value);
}
template <class Value> void store_element(const coded_elements &e, dim_t i, Value value) {
    if constexpr (std::is_same_v<Value, double>)
        store_f32(e.dtype, e.data, e.first + i, f64_to_f32_odd(value));
    else
        store_f32(e.dtype, e.data, e.first + i, to_f32(value));
}

/// Calls body(pointer to elements of the C++ type of `dtype`), or body(coded_elements).
template <class Body> decltype(auto) with_elements(data_type dtype, void *data, const Body &body) {
    switch (dtype) {
    case data_type::bf16: return body(static_cast<bf16 *>(data));
    case data_type::f16: return body(static_cast<f16 *>(data));
    case data_type::s32: return body(static_cast<std::int32_t *>(data));
    case data_type::s8: return body(static_cast<std::int8_t *>(data));
    case data_type::u8: return body(static_cast<std::uint8_t *>(data));
    case data_type::f64: return body(static_cast<double *>(data));
    case data_type::f32: return body(static_cast<float *>(data));
    default: return body(coded_elements {dtype, data});
    }
}

// ---- Tensors ----

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

    /// A vector whose index is dimension `dim` of the tensors that it is combined with.
    static tensor along(int dim, const memory_desc &vector, void *data);
    /// A tensor each of whose indices along `dim` stands for `size` neighbours in other tensors.
    static tensor grouped(const memory_desc &md, int dim, dim_t size, void *data);
    /// The scales or zero points of an argument, indexed by positions in md, or in the argument
    /// where md is null. Absent where the attributes have none.
    static tensor scales(const exec_context &ctx, const primitive_attr &attr, int arg,
        const memory_desc *md = nullptr) {
        return values_of(ctx, DNNL_ARG_ATTR_SCALES, attr.scales.find(arg), md);
    }
    static tensor zero_points(const exec_context &ctx, const primitive_attr &attr, int arg,
        const memory_desc *md = nullptr) {
        return values_of(ctx, DNNL_ARG_ATTR_ZERO_POINTS, attr.zero_points.find(arg), md);
    }
    /// The given sums over groups of src.
    static tensor reductions(const exec_context &ctx, const primitive_attr &attr) {
        return values_of(
            ctx, DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS, attr.reductions.find(DNNL_ARG_SRC), nullptr);
    }
    /// The one scale of an argument; 1 where the attributes have none.
    static float common_scale(const exec_context &ctx, const primitive_attr &attr, int arg) {
        return scales(ctx, attr, arg).get_or<float>({}, 1);
    }
    /// Scales with one value (mask 0) or one per channel, indexed by dimension 1 of dst.
    static tensor channel_scales(const exec_context &ctx, const primitive_attr &attr, int arg);
    /// One value for each index of the masked dimensions of md, dense and row-major over these.
    static tensor masked(const memory_desc &md, const quantization &q, data_type dtype, void *data);

    explicit operator bool() const { return data_ != nullptr; }
    data_type dtype() const { return dtype_; }
    /// From now on the index of this dimension changes nothing: it broadcasts.
    void ignore(int dim) { axes_[dim] = {}; }

    template <class Value> Value get(const dims_t &position) const {
        Value value;
        read(&value, position, 0, 1);
        return value;
    }
    /// The element at a position; `missing` where the tensor is absent.
    template <class Value> Value get_or(const dims_t &position, Value missing) const {
        return data_ ? get<Value>(position) : missing;
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
    /// row[i] = operation(row[i], element at position + i along dim), unless the tensor is absent.
    template <class Value, class Operation>
    void apply_to(Value *row, const dims_t &position, int dim, dim_t count,
        const Operation &operation) const {
        if (!data_) return;
        Value operand[row_length];
        read(operand, position, dim, count);
        for (dim_t i = 0; i < count; ++i) row[i] = operation(row[i], operand[i]);
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
    /// Fills the table of offsets of a dimension from offset(index).
    template <class Offset> void set_table(int dim, dim_t count, const Offset &offset);
    /// The values of an attribute: `kind` is DNNL_ARG_ATTR_SCALES, _ZERO_POINTS or
    /// _PRECOMPUTED_REDUCTIONS. Absent when q is null.
    static tensor values_of(
        const exec_context &ctx, int kind, const quantization *q, const memory_desc *md);
    template <class Value, class Elements>
    static void load_strided(Value *row, Elements from, dim_t stride, dim_t count) {
        if (stride == 1)
            for (dim_t i = 0; i < count; ++i) row[i] = load_element<Value>(from, i);
        else
            for (dim_t i = 0; i < count; ++i) row[i] = load_element<Value>(from, i * stride);
    }
    /// The offset of the row along `dim` through a position: the terms of all other dimensions.
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
    std::vector<std::vector<dim_t>> tables_; ///< offsets along blocked or grouped dimensions
};

/// The dimension along which rows of md are best handled: the one with the smallest stride when it
/// has at least 16 elements, else the longest.
int row_dimension(const memory_desc &md);

/// A box of positions, whose extents count from `origin` on.
struct box {
    int ndims;
    dims_t origin {}, extents {};

    dim_t size() const {
        dim_t product = 1;
        for (int d = 0; d < ndims; ++d) product *= extents[d];
        return product;
    }
    /// Calls body(position, count) for each row along `dim`, in pieces of at most row_length
    /// elements; the rows follow each other row-major over the other dimensions.
    template <class Body> void for_each_row(int dim, const Body &body) const {
        walk(dim, row_length, 0, pieces(dim, row_length), body);
    }
    /// The same in parallel, in pieces of at most `piece` elements; one takes about item_ns.
    template <class Body>
    void for_each_piece(int dim, dim_t piece, double item_ns, const Body &body) const {
        const double piece_ns = 50 + item_ns * double(std::min(piece, extents[dim]));
        parallel_for(pieces(dim, piece), piece_ns,
            [&](int, dim_t begin, dim_t end) { walk(dim, piece, begin, end, body); });
    }

  private:
    dim_t pieces(int dim, dim_t piece) const {
        const dim_t elements = size();
        return elements == 0 ? 0 : elements / extents[dim] * div_up(extents[dim], piece);
    }
    template <class Body>
    void walk(int dim, dim_t piece, dim_t begin, dim_t end, const Body &body) const {
        for (dim_t index = begin; index < end; ++index) {
            const dim_t per_row = div_up(extents[dim], piece), first = index % per_row * piece;
            dims_t position = origin;
            position[dim] += first;
            dim_t rest = index / per_row;
            for (int d = ndims - 1; d >= 0; --d) {
                if (d == dim) continue;
                position[d] += rest % extents[d];
                rest /= extents[d];
            }
            body(position, std::min(piece, extents[dim] - first));
        }
    }
};

/// The elements of `whole` that are reduced to `count` elements of `kept`, those from `first` on
/// along `dim`; kept has extent 1 in the reduced dimensions.
inline box reduced_box(
    const memory_desc &whole, const memory_desc &kept, const dims_t &first, int dim, dim_t count) {
    box all {whole.ndims, first, {}};
    for (int d = 0; d < whole.ndims; ++d)
        all.extents[d] = whole.dims[d] != kept.dims[d] ? whole.dims[d] : d == dim ? count : 1;
    return all;
}

template <class Body>
void for_each_row(const memory_desc &md, int dim, double item_ns, const Body &body) {
    box {md.ndims, {}, md.dims}.for_each_piece(dim, row_length, item_ns, body);
}
/// Calls a body that writes the rows of an output, and zeroes its padding.
template <class Body>
void for_each_output_row(
    const exec_context &ctx, int arg, int dim, double item_ns, const Body &body) {
    for_each_row(ctx.desc(arg), dim, item_ns, body);
    zero_padding(ctx.desc(arg), ctx.data(arg));
}

/// sum[i * step] += a * b[i]. For floats, product and sum are rounded one by one, so that sums of
/// integers in f64 are exact below 2^53. Integers wrap modulo 2^32, so the result is exact whenever
/// the final sum fits s32.
template <class Value>
void multiply_add(Value *sum, Value a, const Value *b, dim_t count, dim_t step = 1) {
    using computed = std::conditional_t<std::is_same_v<Value, std::int32_t>, std::uint32_t, Value>;
    for (dim_t i = 0; i < count; ++i)
        sum[i * step] = static_cast<Value>(static_cast<computed>(sum[i * step]) +
                                           static_cast<computed>(a) * static_cast<computed>(b[i]));
}
/// row[i] = element of `values` at position + i * step along dim, minus its zero point, if there is
/// one. Where the step is not 1, the elements of a row share a zero point.
template <class Value>
void read_shifted(const tensor &values, const tensor &zero_points, Value *row,
    const dims_t &position, int dim, dim_t count, dim_t step = 1) {
    values.read(row, position, dim, count, step);
    zero_points.apply_to(row, position, dim, count, std::minus<>());
}

} // namespace dnnl::impl::ref
