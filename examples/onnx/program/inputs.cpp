// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

#include "../model/error.hpp"
#include "npy.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace dnnl_onnx {

namespace {

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

template <class T> bool whole_number(const std::string &text, T &value) {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc() && end == text.data() + text.size();
}

const value_info &info_of(const network &of, const std::string &name) {
    for (const value_info &input : of.inputs())
        if (input.name == name) return input;
    std::string names;
    for (const value_info &input : of.inputs()) names += (names.empty() ? "" : ", ") + input.name;
    throw error("the model has no input '" + name + "'; it has " + names);
}

bool has_all_extents(const value_info &info) {
    return info.has_dims && std::none_of(info.type.dims.begin(), info.type.dims.end(),
                                [](std::int64_t extent) { return extent < 0; });
}

tensor random_input(const value_info &info, const std::string &text) {
    tensor_type type = info.type;
    std::uint64_t seed = 1;
    const std::vector<std::string> parts = split(text, ':'); // random, extents, seed
    std::size_t next = 1;
    if (next < parts.size() &&
        (parts[next].find('x') != std::string::npos || !has_all_extents(info))) {
        type.dims.clear();
        for (const std::string &part : split(parts[next++], 'x')) {
            type.dims.push_back(-1);
            if (!whole_number(part, type.dims.back()) || type.dims.back() < 0)
                throw error("'" + text + "': '" + part + "' is no extent");
        }
    }
    if (next < parts.size() && !whole_number(parts[next++], seed))
        throw error("'" + text + "': '" + parts[next - 1] + "' is no seed");
    for (std::int64_t extent : type.dims)
        if (extent < 0 || !info.has_dims)
            throw error("the extents of the input '" + info.name + "' are " +
                        text_of(info.type.dims) + ": tell them by --input " + info.name +
                        "=random:2x3x...");
    return random_tensor(type, seed);
}

tensor input_of(const value_info &info, const std::string &text, const pixel_scaling &scaling) {
    if (text == "random" || text.rfind("random:", 0) == 0) return random_input(info, text);
    double number;
    if (whole_number(text, number)) {
        tensor scalar = scalar_tensor(info.type.type, number);
        return info.type.dims.size() == 1 ? scalar.reshaped({1}) : scalar;
    }
    return std::filesystem::path(text).extension() == ".png" ? read_png(text, info, scaling)
                                                             : read_npy(text);
}

} // namespace

tensor random_tensor(const tensor_type &type, std::uint64_t seed) {
    tensor to(type);
    with_number(type.type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::uint64_t state = seed;
        for (std::int64_t i = 0; i < to.count(); ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const float value = float(state >> 40) / 8388608 - 1;
            to.template data<T>()[i] = T(arithmetic_type<T>(value));
        }
    });
    return to;
}

named_tensors inputs_of(
    const network &of, const std::vector<std::string> &texts, const pixel_scaling &scaling) {
    named_tensors given;
    for (const std::string &text : texts) {
        const std::size_t at = text.find('=');
        if (at == std::string::npos && of.inputs().empty()) throw error("the model has no inputs");
        const std::string name = at == std::string::npos ? of.inputs()[0].name : text.substr(0, at);
        const value_info &info = info_of(of, name);
        given[name] = input_of(info, at == std::string::npos ? text : text.substr(at + 1), scaling);
    }
    for (const value_info &info : of.inputs())
        if (!given.count(info.name)) given[info.name] = random_input(info, "random");
    return given;
}

} // namespace dnnl_onnx
