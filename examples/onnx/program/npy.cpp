// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include "../model/error.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dnnl_onnx {

namespace {

struct type_name {
    element_type type;
    const char *text;
};
const type_name names[] = {
    {element_type::f32, "<f4"},
    {element_type::f64, "<f8"},
    {element_type::f16, "<f2"},
    {element_type::s64, "<i8"},
    {element_type::s32, "<i4"},
    {element_type::s16, "<i2"},
    {element_type::s8, "|i1"},
    {element_type::u64, "<u8"},
    {element_type::u32, "<u4"},
    {element_type::u16, "<u2"},
    {element_type::u8, "|u1"},
    {element_type::boolean, "|b1"},
};

/// What stands behind a key of the header, which is a Python dictionary.
std::string entry(const std::string &header, const std::string &key) {
    const std::size_t at = header.find("'" + key + "':");
    if (at == std::string::npos) return "";
    std::size_t begin = header.find_first_not_of(' ', at + key.size() + 3);
    if (begin == std::string::npos) return "";
    if (header[begin] == '\'')
        return header.substr(begin + 1, header.find('\'', begin + 1) - begin - 1);
    if (header[begin] == '(') return header.substr(begin + 1, header.find(')', begin) - begin - 1);
    return header.substr(begin, header.find_first_of(",}", begin) - begin);
}

extents extents_of(const std::string &text, const std::string &file) {
    extents dims;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.find_first_not_of(' ') == std::string::npos) continue;
        char *end = nullptr;
        dims.push_back(std::strtoll(part.c_str(), &end, 10));
        if (*end != 0 || dims.back() < 0)
            throw error("'" + file + "': its shape is (" + text + ")");
    }
    return dims;
}

} // namespace

tensor read_npy(const std::filesystem::path &path) {
    const std::string file = path.string();
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw error("'" + file + "' cannot be read");
    std::ostringstream all;
    all << stream.rdbuf();
    const std::string bytes = all.str();
    if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0)
        throw error("'" + file + "' is no .npy file");
    const auto byte = [&](std::size_t i) {
        return std::size_t(static_cast<unsigned char>(bytes[i]));
    };
    const bool wide = bytes[6] > 1;
    const std::size_t length =
        wide ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
    const std::size_t data = (wide ? 12 : 10) + length;
    if (data > bytes.size()) throw error("'" + file + "' is cut off");
    const std::string header = bytes.substr(wide ? 12 : 10, length);
    if (entry(header, "fortran_order") == "True")
        throw error("'" + file + "' has its first dimension fastest (Fortran's order)");
    const std::string descr = entry(header, "descr");
    const auto found = std::find_if(
        std::begin(names), std::end(names), [&](const type_name &n) { return descr == n.text; });
    if (found == std::end(names)) throw error("'" + file + "' has elements of the type " + descr);
    const tensor_type type {found->type, extents_of(entry(header, "shape"), file)};
    if (type.bytes() != bytes.size() - data)
        throw error("'" + file + "' has " + std::to_string(bytes.size() - data) + " bytes for " +
                    text_of(type));
    tensor to(type);
    std::memcpy(to.bytes(), bytes.data() + data, bytes.size() - data);
    return to;
}

void write_npy(const std::filesystem::path &file, const tensor &array) {
    const auto found = std::find_if(std::begin(names), std::end(names),
        [&](const type_name &n) { return n.type == array.type().type; });
    if (found == std::end(names))
        throw error(std::string("numpy has no elements of the type ") + name_of(array.type().type));
    std::string shape;
    for (std::int64_t extent : array.dims()) shape += std::to_string(extent) + ",";
    std::string header = "{'descr': '" + std::string(found->text) +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
    const std::filesystem::path half = file.string() + ".part";
    {
        std::ofstream stream(half, std::ios::binary);
        stream << "\x93NUMPY" << '\x01' << '\0' << char(header.size() & 255)
               << char(header.size() >> 8) << header;
        stream.write(
            reinterpret_cast<const char *>(array.bytes()), std::streamsize(array.type().bytes()));
        stream.flush();
        if (!stream) throw error("'" + file.string() + "' cannot be written");
    }
    std::filesystem::rename(half, file);
}

} // namespace dnnl_onnx
