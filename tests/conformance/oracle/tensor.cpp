// SPDX-License-Identifier: Apache-2.0
// Blocked layouts: element places as the specification ("Memory Formats") gives them.
#include "oracle/tensor.hpp"

#include <algorithm>
#include <cstring>

namespace conformance {

dim product(const dims &shape) {
    dim count = 1;
    for (dim extent : shape) count *= extent;
    return count;
}

bool next_position(dims &position, const dims &shape) {
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (++position[d] < shape[d]) return true;
        position[d] = 0;
    }
    return false;
}

std::string text_of(const dims &position) {
    std::string text = "[";
    for (dim index : position) text += (text.size() > 1 ? "," : "") + std::to_string(index);
    return text + "]";
}

std::size_t tensor::index(const dims &position) const {
    dim offset = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        offset = offset * shape[d] + (shape[d] == 1 ? 0 : position[d]);
    return std::size_t(offset);
}

layout::layout(const memory::desc &md, std::size_t bytes)
    : md_(md), type_(md.get_data_type()), shape_(md.get_dims()), padded_(md.get_padded_dims()),
      bytes_(bytes ? bytes : md.get_size()) {
    if (md.get_format_kind() != memory::format_kind::blocked) return;
    const dims strides = md.get_strides(), blocks = md.get_inner_blks();
    const dims blocked_dims = md.get_inner_idxs();
    offset0_ = md.get_submemory_offset();
    dims total_blocks(shape_.size(), 1);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        total_blocks[std::size_t(blocked_dims[i])] *= blocks[i];
    elements_ = product(blocks);
    for (std::size_t d = 0; d < shape_.size(); ++d) {
        elements_ = std::max(elements_, padded_[d] / total_blocks[d] * strides[d]);
        offsets_.emplace_back(std::size_t(padded_[d]));
        for (dim i = 0; i < padded_[d]; ++i)
            offsets_[d][std::size_t(i)] = i / total_blocks[d] * strides[d];
    }
    // From the innermost block outwards: `block_stride` elements apart, `covered` indices wide.
    dim block_stride = 1;
    dims covered(shape_.size(), 1);
    for (std::size_t i = blocks.size(); i-- > 0;) {
        const auto d = std::size_t(blocked_dims[i]);
        for (dim k = 0; k < padded_[d]; ++k)
            offsets_[d][std::size_t(k)] += k / covered[d] % blocks[i] * block_stride;
        covered[d] *= blocks[i];
        block_stride *= blocks[i];
    }
    if (product(shape_) == 0) elements_ = 0;
    if (bytes) elements_ = dim(bytes / bytes_of(type_));
    const bool packed = is_4bit(type_);
    known_ = bytes_ ==
             (packed ? std::size_t(elements_ + 1) / 2 : std::size_t(elements_) * bytes_of(type_));
}

dim layout::offset(const dims &position) const {
    dim result = offset0_;
    for (std::size_t d = 0; d < shape_.size(); ++d) result += offsets_[d][std::size_t(position[d])];
    return result;
}

template <class Visit> void layout::for_each_offset(const dims &extents, const Visit &visit) const {
    if (extents.empty() || product(extents) == 0) return;
    const std::size_t last = extents.size() - 1;
    dims row(extents.size(), 0);
    const dims rows(extents.begin(), extents.end() - 1);
    do {
        const dim start = offset(row);
        for (dim i = 0; i < extents[last]; ++i)
            visit(std::size_t(start + offsets_[last][std::size_t(i)]));
    } while (next_position(row, rows));
}

std::vector<std::uint8_t> layout::roles() const {
    std::vector<std::uint8_t> result(std::size_t(elements_), gap);
    if (elements_ == 0) return result;
    for_each_offset(padded_, [&](std::size_t offset) { result[offset] = padding; });
    for_each_offset(shape_, [&](std::size_t offset) { result[offset] = element; });
    return result;
}

std::vector<std::uint8_t> layout::poisoned(std::uint8_t poison) const {
    return std::vector<std::uint8_t>(bytes_, poison);
}

void layout::clear_element(std::uint8_t *data, std::size_t index) const {
    if (is_4bit(type_))
        data[index / 2] &= index % 2 ? 15 : 240;
    else
        std::memset(data + index * bytes_of(type_), 0, bytes_of(type_));
}

std::vector<std::uint8_t> layout::pack(const tensor &values, std::uint8_t poison) const {
    std::vector<std::uint8_t> data(bytes_, poison);
    if (elements_ == 0) return data;
    if (padded_ != shape_) {
        const auto role = roles();
        for (std::size_t i = 0; i < role.size(); ++i)
            if (role[i] == padding) clear_element(data.data(), i);
    }
    std::size_t next = 0;
    for_each_offset(shape_,
        [&](std::size_t offset) { store_at(type_, values.values[next++], data.data(), offset); });
    return data;
}

tensor layout::unpack(const void *data) const {
    tensor result(shape_, type_);
    if (elements_ == 0) return result;
    std::size_t next = 0;
    for_each_offset(
        shape_, [&](std::size_t offset) { result.values[next++] = load_at(type_, data, offset); });
    return result;
}

std::string layout::damage_outside(const void *data, std::uint8_t poison) const {
    if (elements_ == product(shape_)) return {};
    const std::size_t size = bytes_of(type_);
    const auto *bytes = static_cast<const std::uint8_t *>(data);
    const auto role = roles();
    for (std::size_t i = 0; i < role.size(); ++i) {
        if (role[i] == element) continue;
        const std::uint8_t wanted = role[i] == padding ? 0 : poison;
        const int half = i % 2 ? 240 : 15;
        for (std::size_t b = 0; b < size; ++b)
            if (is_4bit(type_) ? ((bytes[i / 2] ^ wanted) & half) != 0
                               : bytes[i * size + b] != wanted)
                return (role[i] == padding ? "padding is not zero at element "
                                           : "a gap between strides was written at element ") +
                       std::to_string(i);
    }
    return {};
}

} // namespace conformance
