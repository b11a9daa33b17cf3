// SPDX-License-Identifier: Apache-2.0
// Reorder, concat, shuffle and sum live in this folder. Here: the sums that packed int8 weights
// carry after their elements (memory_desc::column_sums_mask).
#pragma once

#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

class column_sums {
  public:
    /// Returns the reason when the sums of md cannot be computed, else null.
    const char *plan(isa target, const memory_desc &md);
    /// Sums the elements at `data` and writes the sums after them. Nothing when md has none.
    void run(void *data) const;

  private:
    /// Tiles are whole rows and columns; the outer loops that sums differ in come first.
    std::vector<tiled_box> boxes_;
    std::size_t elements_bytes_ = 0;
    dim_t count_ = 0;
    data_type type_ = data_type::undef;
    void (*add_)(const column_sums_args &) = nullptr;
};

} // namespace dnnl::impl::cpu
