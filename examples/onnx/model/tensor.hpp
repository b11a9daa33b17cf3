// SPDX-License-Identifier: Apache-2.0
// Tensors as ONNX has them: dense, the last dimension fastest.
#pragma once

#include "element_type.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dnnl_onnx {

using extents = std::vector<std::int64_t>;

/// The product of the extents; 1 for a scalar, whose list is empty. Throws where it passes 2^62.
std::int64_t count_of(const extents &dims);
std::string text_of(const extents &dims); // "[2, 3]"

struct tensor_type {
    element_type type = element_type::undefined;
    extents dims;

    std::int64_t count() const { return count_of(dims); }
    std::size_t bytes() const { return std::size_t(count()) * size_of(type); }
    int rank() const { return int(dims.size()); }
    bool operator==(const tensor_type &) const = default;
};
std::string text_of(const tensor_type &type); // "f32[2, 3]"

/// No tensor may have more bytes; without a call there is no limit but memory.
void limit_tensors(std::size_t bytes);

/// A dense tensor that others may share. Copies share the elements; they are written only by who
/// made the tensor, before anybody else has it.
class tensor {
  public:
    tensor() = default;
    /// Elements are zero.
    explicit tensor(tensor_type type);
    tensor(element_type type, extents dims) : tensor(tensor_type {type, std::move(dims)}) {}
    /// Elements that `owner` keeps alive.
    tensor(tensor_type type, std::byte *elements, std::shared_ptr<void> owner);

    explicit operator bool() const { return type_.type != element_type::undefined; }
    const tensor_type &type() const { return type_; }
    const extents &dims() const { return type_.dims; }
    std::int64_t count() const { return type_.count(); }

    std::byte *bytes() { return elements_; }
    const std::byte *bytes() const { return elements_; }
    template <class T> T *data() { return reinterpret_cast<T *>(elements_); }
    template <class T> const T *data() const { return reinterpret_cast<const T *>(elements_); }

    /// The elements as integers or as floating-point numbers, whatever numbers they are.
    std::vector<std::int64_t> integers() const;
    std::vector<double> numbers() const;
    /// The same elements under other extents.
    tensor reshaped(extents dims) const;

  private:
    tensor_type type_;
    std::byte *elements_ = nullptr;
    std::shared_ptr<void> owner_;
};

/// A tensor of one dimension (or a scalar) of these values.
tensor integers_tensor(const std::vector<std::int64_t> &values);
tensor floats_tensor(const std::vector<float> &values);
tensor scalar_tensor(element_type type, double value);

} // namespace dnnl_onnx
