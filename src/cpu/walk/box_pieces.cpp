// SPDX-License-Identifier: Apache-2.0
#include "cpu/walk/box_pieces.hpp"

namespace dnnl::impl::cpu {

void box_pieces::cut(std::span<const walked_box> boxes, std::size_t tensor_count, dim_t piece) {
    boxes_.clear();
    tensor_count_ = tensor_count;
    count_ = 0;
    for (const walked_box &box : boxes) {
        cut_box &made = boxes_.emplace_back();
        made.first = box.first;
        made.levels = box.levels;
        if (!made.levels.empty()) {
            made.columns = made.levels.back();
            made.levels.pop_back();
        }
        made.piece = std::max(std::min(made.columns.extent, piece), dim_t {1});
        nest_level pieces = made.columns;
        pieces.extent = div_up(made.columns.extent, made.piece);
        for (dim_t &stride : pieces.strides) stride *= made.piece;
        made.levels.push_back(pieces);
        made.first_index = count_;
        made.count = 1;
        for (const nest_level &level : made.levels) made.count *= level.extent;
        count_ += made.count;
    }
}

} // namespace dnnl::impl::cpu
