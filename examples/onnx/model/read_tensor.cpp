// SPDX-License-Identifier: Apache-2.0
#include "read_tensor.hpp"

#include "error.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

namespace dnnl_onnx {

namespace {

std::string named(const onnx::TensorProto &from) { return "tensor '" + from.name() + "'"; }

std::int64_t entry(const onnx::TensorProto &from, const char *key, std::int64_t otherwise) {
    for (const auto &pair : from.external_data()) {
        if (pair.key() != key) continue;
        std::int64_t number = -1;
        const std::string &text = pair.value();
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (status != std::errc() || end != text.data() + text.size() || number < 0)
            throw error(named(from) + ": the " + key + " of its data is '" + text + "'");
        return number;
    }
    return otherwise;
}

// The file is named relative to the model's folder and has to lie in it.
std::filesystem::path external_file(
    const onnx::TensorProto &from, const std::filesystem::path &folder) {
    for (const auto &pair : from.external_data()) {
        if (pair.key() != "location") continue;
        const std::filesystem::path place = std::filesystem::path(pair.value()).lexically_normal();
        if (place.empty() || place.is_absolute() || *place.begin() == "..")
            throw error(named(from) + ": its data is outside of the model's folder: '" +
                        pair.value() + "'");
        return folder / place;
    }
    throw error(named(from) + ": its data is in a file that is not named");
}

void read_external(tensor &to, const onnx::TensorProto &from, const std::filesystem::path &folder) {
    const auto file = external_file(from, folder);
    const auto offset = entry(from, "offset", 0);
    const auto length = entry(from, "length", std::int64_t(to.type().bytes()));
    if (std::size_t(length) != to.type().bytes())
        throw error(named(from) + " " + text_of(to.type()) + ": its data in '" + file.string() +
                    "' has " + std::to_string(length) + " bytes");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw error(named(from) + ": its data is missing: '" + file.string() + "'");
    stream.seekg(offset);
    stream.read(reinterpret_cast<char *>(to.bytes()), length);
    if (!stream) throw error(named(from) + ": '" + file.string() + "' is too short for its data");
}

// Elements of less than 32 bits are stored as int32.
template <class T, class Field> void take(tensor &to, const Field &field) {
    std::transform(field.begin(), field.end(), to.data<T>(), [](auto v) { return T(v); });
}

void take_field(tensor &to, const onnx::TensorProto &from) {
    switch (to.type().type) {
    case element_type::f32: return take<float>(to, from.float_data());
    case element_type::f64: return take<double>(to, from.double_data());
    case element_type::s64: return take<std::int64_t>(to, from.int64_data());
    case element_type::u64: return take<std::uint64_t>(to, from.uint64_data());
    case element_type::u32: return take<std::uint32_t>(to, from.uint64_data());
    case element_type::s32: return take<std::int32_t>(to, from.int32_data());
    case element_type::boolean:
    case element_type::u8: return take<std::uint8_t>(to, from.int32_data());
    case element_type::s8: return take<std::int8_t>(to, from.int32_data());
    default: return take<std::uint16_t>(to, from.int32_data()); // f16 and bf16 by their bits
    }
}

std::int64_t field_size(element_type type, const onnx::TensorProto &from) {
    switch (type) {
    case element_type::f32: return from.float_data_size();
    case element_type::f64: return from.double_data_size();
    case element_type::s64: return from.int64_data_size();
    case element_type::u64:
    case element_type::u32: return from.uint64_data_size();
    default: return from.int32_data_size();
    }
}

// True bytes are 1, whatever was written: a C++ bool may be nothing else.
void normalize_booleans(tensor &values) {
    auto *bytes = values.data<std::uint8_t>();
    std::transform(
        bytes, bytes + values.count(), bytes, [](std::uint8_t b) { return std::uint8_t(b != 0); });
}

} // namespace

tensor tensor_from(const onnx::TensorProto &from, const std::filesystem::path &folder) {
    tensor_type type {element_type(from.data_type()), {from.dims().begin(), from.dims().end()}};
    if (size_of(type.type) == 0)
        throw unsupported(named(from) + " has elements of the type " + name_of(type.type));
    for (std::int64_t extent : type.dims)
        if (extent < 0) throw error(named(from) + " has the extents " + text_of(type.dims));
    const bool external = from.data_location() == onnx::TensorProto::EXTERNAL;
    const std::int64_t count = type.count(), bytes = std::int64_t(size_of(type.type));
    // Before memory is taken: a few bytes may claim to be a large tensor.
    if (!external) {
        const bool raw = from.has_raw_data();
        const std::int64_t there =
            raw ? std::int64_t(from.raw_data().size()) : field_size(type.type, from);
        if (count > (std::int64_t(1) << 62) / bytes || there != (raw ? count * bytes : count))
            throw error(named(from) + " " + text_of(type) + " has " + std::to_string(there) +
                        (raw ? " bytes of data" : " elements"));
    } else {
        std::error_code status;
        const auto file = external_file(from, folder);
        const auto size = std::filesystem::file_size(file, status);
        if (status) throw error(named(from) + ": its data is missing: '" + file.string() + "'");
        if (count > std::int64_t(size) / bytes)
            throw error(named(from) + ": '" + file.string() + "' is too short for its data");
    }
    tensor to(std::move(type));
    if (external)
        read_external(to, from, folder);
    else if (!from.has_raw_data())
        take_field(to, from);
    else if (!from.raw_data().empty())
        std::memcpy(to.bytes(), from.raw_data().data(), from.raw_data().size());
    if (to.type().type == element_type::boolean) normalize_booleans(to);
    return to;
}

} // namespace dnnl_onnx
