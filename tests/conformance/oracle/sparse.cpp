// SPDX-License-Identifier: Apache-2.0
#include "oracle/sparse.hpp"

#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/fill.hpp"

#include <algorithm>
#include <cstring>

namespace conformance {
namespace {

using encoding = memory::sparse_encoding;

// The most rows of a pattern some of whose rows are empty or full.
constexpr dim few_rows = 256;

std::vector<std::uint8_t> bytes_of_list(const std::vector<std::int32_t> &list) {
    std::vector<std::uint8_t> bytes(list.size() * sizeof(std::int32_t));
    if (!list.empty()) std::memcpy(bytes.data(), list.data(), bytes.size());
    return bytes;
}

} // namespace

encoding_knob encoding_of(const std::string &text) {
    encoding_knob knob;
    if (text.empty()) return knob;
    const std::size_t plus = text.find('+');
    const std::string name = text.substr(0, plus);
    knob.encoding = name == "csr"   ? encoding::csr
                    : name == "coo" ? encoding::coo
                                    : encoding::packed;
    if (plus != std::string::npos) knob.sparsity = float_of(text.substr(plus + 1), "sparsity");
    if (!(knob.sparsity >= 0 && knob.sparsity <= 1))
        throw skipped_case("Invalid case: the sparsity lies outside 0...1");
    return knob;
}

void make_sparse(tensor_spec &spec, const encoding_knob &knob, std::uint64_t seed) {
    if (spec.shape.size() != 2)
        throw skipped_case("Invalid case: a sparse tensor has two dimensions");
    const dim rows = spec.shape[0], columns = spec.shape[1];
    spec.is_sparse = true;
    std::uint64_t draw = hash_of(spec.name, seed);
    spec.stored.resize(std::size_t(rows * columns));
    dim count = 0;
    for (dim r = 0; r < rows; ++r) {
        const std::uint64_t kind = mixed(draw += 0x9e3779b97f4a7c15u) % 16;
        const bool plain = rows > few_rows || knob.sparsity == 0 || knob.sparsity == 1;
        const double absent = plain || kind > 2 ? knob.sparsity : kind < 2 ? 1 : 0;
        for (dim c = 0; c < columns; ++c) {
            const double unit =
                double(mixed(draw += 0x9e3779b97f4a7c15u) >> 11) / 9007199254740992.0;
            count += spec.stored[std::size_t(r * columns + c)] = unit >= absent;
        }
    }
    const auto s32 = data_type::s32;
    spec.bytes = 0;
    if (knob.encoding == encoding::csr)
        spec.requested = memory::desc::csr(spec.shape, spec.type, count, s32, s32);
    else if (knob.encoding == encoding::coo)
        spec.requested = memory::desc::coo(spec.shape, spec.type, count, s32);
    else
        spec.requested = memory::desc::packed(spec.shape, spec.type, count);
}

std::vector<std::vector<std::uint8_t>> sparse_buffers(
    const tensor_spec &spec, const memory::desc &md, const tensor &values) {
    const dim rows = spec.shape[0], columns = spec.shape[1];
    std::vector<std::uint8_t> bytes(md.get_size(0));
    std::vector<std::int32_t> row_of, column_of, pointers {0};
    for (dim r = 0; r < rows; ++r) {
        for (dim c = 0; c < columns; ++c) {
            const auto i = std::size_t(r * columns + c);
            if (!spec.stored[i]) continue;
            store_at(spec.type, values.values[i], bytes.data(), row_of.size());
            row_of.push_back(std::int32_t(r));
            column_of.push_back(std::int32_t(c));
        }
        pointers.push_back(std::int32_t(row_of.size()));
    }
    if (md.get_sparse_encoding() == encoding::coo)
        return {bytes, bytes_of_list(row_of), bytes_of_list(column_of)};
    return {bytes, bytes_of_list(column_of), bytes_of_list(pointers)};
}

std::size_t bytes_of_buffers(const memory::desc &md) {
    std::size_t bytes = 0;
    for (int i = 0; i < md.get_num_handles(); ++i) bytes += md.get_size(i);
    return bytes;
}

} // namespace conformance
