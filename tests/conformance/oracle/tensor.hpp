// SPDX-License-Identifier: Apache-2.0
// Logical tensors of the oracle and their physical form, computed here from the queries of a
// memory descriptor alone.
#pragma once

#include "language/number.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

dim product(const dims &shape);

/// Advances `position` through `shape` in row-major order; false after the last one.
bool next_position(dims &position, const dims &shape);

/// "[1,0,2]", for messages.
std::string text_of(const dims &position);

/// Logical values in row-major order.
struct tensor {
    dims shape;
    data_type type = data_type::undef;
    std::vector<double> values;

    tensor() = default;
    tensor(dims s, data_type t)
        : shape(std::move(s)), type(t), values(std::size_t(product(shape))) {}
    /// Row-major index of a position; dims of size 1 are broadcast.
    std::size_t index(const dims &position) const;
    double at(const dims &position) const { return values[index(position)]; }
};

/// The placement of a blocked descriptor's elements.
class layout {
  public:
    /// bytes: of the buffer, where md is a part of it.
    explicit layout(const memory::desc &md, std::size_t bytes = 0);
    /// False for opaque descriptors and those with private data behind the elements.
    bool is_known() const { return known_; }
    std::size_t bytes() const { return bytes_; }
    /// Elements before the element at `position`.
    dim offset(const dims &position) const;

    /// The buffer's bytes: elements, zero padding of blocks, `poison` in the gaps of strides.
    std::vector<std::uint8_t> pack(const tensor &values, std::uint8_t poison) const;
    /// A buffer to be written: everything poisoned.
    std::vector<std::uint8_t> poisoned(std::uint8_t poison) const;
    tensor unpack(const void *data) const;
    /// Empty if all padding is zero and all gaps still hold `poison`, else what is wrong.
    std::string damage_outside(const void *data, std::uint8_t poison) const;

  private:
    enum : std::uint8_t { gap, padding, element };
    std::vector<std::uint8_t> roles() const;
    void clear_element(std::uint8_t *data, std::size_t index) const;
    /// Calls visit(offset) for every position of `extents` in row-major order.
    template <class Visit> void for_each_offset(const dims &extents, const Visit &visit) const;

    memory::desc md_;
    data_type type_;
    dims shape_, padded_;
    // The offset of a position is the sum of what each index adds: offsets_[d][position[d]].
    std::vector<dims> offsets_;
    dim offset0_ = 0, elements_ = 0;
    std::size_t bytes_ = 0;
    bool known_ = false;
};

} // namespace conformance
