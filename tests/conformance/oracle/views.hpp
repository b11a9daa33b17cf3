// SPDX-License-Identifier: Apache-2.0
// Layouts that no tag names: parts of larger tensors, and strides of dimensions of extent 1, which
// may be any number.
#pragma once

#include "language/number.hpp"

#include <cstdint>
#include <string>

namespace conformance {

struct view {
    memory::desc md;
    std::size_t bytes = 0; // of the buffer that the view is part of; 0: those of md
};

/// A tensor of the tag's layout as `seed` draws it: inside a larger one, where `inside` allows
/// that, and with strides that are nobody's for extents of 1. The tag's own layout where it is
/// open, or has elements of 4 bits.
view view_of(
    const dims &shape, data_type type, const std::string &tag, std::uint64_t seed, bool inside);

} // namespace conformance
