// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace dnnl_onnx {

namespace {

// A cache line, which is also the widest vector.
constexpr std::align_val_t alignment {64};

std::size_t most_bytes = ~std::size_t(0);

std::shared_ptr<void> allocated(std::size_t bytes) {
    if (bytes > most_bytes)
        throw error("a tensor of " + std::to_string(bytes) + " bytes is too large");
    const std::size_t rounded = (bytes + 63) / 64 * 64 + 64;
    void *elements = ::operator new(rounded, alignment, std::nothrow);
    if (!elements) throw error("no memory for a tensor of " + std::to_string(bytes) + " bytes");
    std::memset(elements, 0, rounded);
    return {elements, [](void *p) { ::operator delete(p, alignment); }};
}

template <class T> std::vector<T> converted(const tensor &from) {
    std::vector<T> to(std::size_t(from.count()));
    with_number(from.type().type, [&](auto tag) {
        using type = typename decltype(tag)::type;
        const type *elements = from.data<type>();
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = number_as<T>(arithmetic_type<type>(elements[i]));
    });
    return to;
}

} // namespace

void limit_tensors(std::size_t bytes) { most_bytes = bytes; }

std::int64_t count_of(const extents &dims) {
    std::int64_t count = 1;
    for (std::int64_t extent : dims)
        if (__builtin_mul_overflow(count, extent, &count) || count > std::int64_t(1) << 62)
            throw error("a tensor of extents " + text_of(dims) + " is too large");
    return count;
}

std::string text_of(const extents &dims) {
    std::string text = "[";
    for (std::size_t i = 0; i < dims.size(); ++i)
        text += (i ? ", " : "") + (dims[i] < 0 ? std::string("?") : std::to_string(dims[i]));
    return text + "]";
}

std::string text_of(const tensor_type &type) { return name_of(type.type) + text_of(type.dims); }

tensor::tensor(tensor_type type) : type_(std::move(type)) {
    if (size_of(type_.type) == 0)
        throw unsupported(std::string("there are no tensors of the type ") + name_of(type_.type));
    owner_ = allocated(type_.bytes());
    elements_ = static_cast<std::byte *>(owner_.get());
}

tensor::tensor(tensor_type type, std::byte *elements, std::shared_ptr<void> owner)
    : type_(std::move(type)), elements_(elements), owner_(std::move(owner)) {}

std::vector<std::int64_t> tensor::integers() const { return converted<std::int64_t>(*this); }
std::vector<double> tensor::numbers() const { return converted<double>(*this); }

tensor tensor::reshaped(extents dims) const {
    tensor other = *this;
    other.type_.dims = std::move(dims);
    return other;
}

tensor integers_tensor(const std::vector<std::int64_t> &values) {
    tensor to(element_type::s64, {std::int64_t(values.size())});
    std::copy(values.begin(), values.end(), to.data<std::int64_t>());
    return to;
}

tensor floats_tensor(const std::vector<float> &values) {
    tensor to(element_type::f32, {std::int64_t(values.size())});
    std::copy(values.begin(), values.end(), to.data<float>());
    return to;
}

tensor scalar_tensor(element_type type, double value) {
    tensor to(type, {});
    with_number(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        *to.data<T>() = T(number_as<arithmetic_type<T>>(value));
    });
    return to;
}

} // namespace dnnl_onnx
