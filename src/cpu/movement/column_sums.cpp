// SPDX-License-Identifier: Apache-2.0
#include "cpu/movement/column_sums.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

enum : std::size_t { elements_place, sums_place };

/// The sums as a tensor with md's dims: row-major over the padded dims of the mask.
memory_desc sums_of(const memory_desc &md) {
    memory_desc sums = md;
    sums.dtype = data_type::s32;
    sums.inner_nblks = 0;
    sums.offset0 = 0;
    sums.strides = {};
    dim_t stride = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (!(md.column_sums_mask >> d & 1)) continue;
        sums.strides[d] = stride;
        stride *= md.padded_dims[d];
    }
    return sums;
}

bool has_own_sums(const nest_level &level) { return level.strides[sums_place] != 0; }

} // namespace

const char *column_sums::plan(isa target, const memory_desc &md) {
    if (md.column_sums_mask == 0 || md.has_zero_dim()) return nullptr;
    if (!is_int8(md.dtype)) return "sums of elements that are not s8 or u8";
    add_ = kernel_for<vector_levels>(target, []<class Isa> { return add_column_sums<Isa>; });
    elements_bytes_ = md.elements_bytes();
    count_ = md.column_sums_count();
    type_ = md.dtype;
    const memory_desc sums = sums_of(md);
    const walked_tensor tensors[] {{&md}, {&sums}};
    std::vector<walked_box> boxes;
    if (const char *why = cut_into_boxes(md.ndims, md.dims, tensors, -1, boxes)) return why;
    for (walked_box &box : boxes) {
        tiled_box &made = boxes_.emplace_back(std::move(box), 2, false, md.nelems(true));
        made.tile_rows = made.rows.extent;
        std::stable_partition(made.outer.begin(), made.outer.end(), has_own_sums);
    }
    return nullptr;
}

void column_sums::run(void *data) const {
    if (count_ == 0) return;
    const char *elements = static_cast<const char *>(data);
    s32 *sums = reinterpret_cast<s32 *>(static_cast<char *>(data) + elements_bytes_);
    std::fill_n(sums, count_, 0);
    for (const tiled_box &box : boxes_) {
        const nest_level &rows = box.rows, &columns = box.columns;
        const column_sums_args whole {nullptr, type_, nullptr, rows.extent, columns.extent,
            rows.strides[elements_place], columns.strides[elements_place], rows.strides[sums_place],
            columns.strides[sums_place]};
        const double tile_ns = 10 + 0.3 * static_cast<double>(rows.extent * columns.extent);
        // Threads share no sum: each takes whole iterations of the loops that sums differ in.
        dim_t tiles = 1;
        for (const nest_level &level : box.outer)
            if (!has_own_sums(level)) tiles *= level.extent;
        parallel_for(box.count() / tiles, tile_ns * static_cast<double>(tiles),
            [&](int, dim_t begin, dim_t end) {
                box.walk(begin * tiles, end * tiles, [&](const tile &t) {
                    column_sums_args part = whole;
                    part.elements = elements + t.at[elements_place];
                    part.sums = sums + t.at[sums_place];
                    add_(part);
                });
            });
    }
}

} // namespace dnnl::impl::cpu
