// SPDX-License-Identifier: Apache-2.0
#include "cpu/walk/tensor_copy.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/kernels/select/select_movement.hpp"

namespace dnnl::impl::cpu {

namespace {

enum : std::size_t { dst_place, src_place, first_value_place };

// Beyond what caches keep of it until it is read.
constexpr dim_t streamed_bytes = dim_t {32} << 20;

constexpr nest_level single {1, [] {
                                 nest_offsets ones {};
                                 ones.fill(1);
                                 return ones;
                             }()};

tile_values copy_tile_args::*const value_members[value_kinds] = {&copy_tile_args::src_zero_point,
    &copy_tile_args::src_scale, &copy_tile_args::dst_scale, &copy_tile_args::dst_zero_point};

nest_level tiles_of(const nest_level &level, dim_t tile) {
    nest_level tiles = level;
    tiles.extent = div_up(level.extent, tile);
    for (dim_t &stride : tiles.strides) stride *= tile;
    return tiles;
}

bool is_contiguous(const nest_level &level) {
    return level.strides[src_place] == 1 && level.strides[dst_place] == 1;
}

} // namespace

memory_desc as_moved(memory_desc md) {
    const std::size_t bytes = size_of(md.dtype);
    md.dtype = bytes == 1 ? data_type::u8 : bytes == 2 ? data_type::f16 : data_type::s32;
    if (bytes != 8) return md;
    for (int d = 0; d < md.ndims; ++d) md.strides[d] *= 2;
    md.offset0 *= 2;
    md.inner_blks[md.inner_nblks] = 2;
    md.inner_idxs[md.inner_nblks++] = md.ndims;
    md.dims[md.ndims] = md.padded_dims[md.ndims] = 2;
    md.strides[md.ndims++] = 2;
    return md;
}

const char *tensor_copy::plan(isa target, const tensor_copy_request &request) {
    copy_ = select_copy_tile(target);
    src_bytes_ = static_cast<dim_t>(size_of(request.src->dtype));
    dst_bytes_ = static_cast<dim_t>(size_of(request.dst->dtype));
    args_.src_type = request.src->dtype;
    args_.dst_type = request.dst->dtype;
    args_.through_f32 = request.through_f32;
    args_.has_sum = request.has_sum;
    args_.sum_scale = request.sum_scale;
    args_.streaming = request.dst->nelems(true) * dst_bytes_ > streamed_bytes;
    std::vector<walked_tensor> tensors {{request.dst, request.shift}, {request.src, 0}};
    for (std::size_t v = 0; v < value_kinds; ++v) {
        if (!request.values[v]) continue;
        places_[v] = tensors.size();
        tensors.push_back({request.values[v], 0});
    }
    tensor_count_ = tensors.size();
    std::vector<walked_box> boxes;
    const memory_desc &src = *request.src;
    if (const char *why = cut_into_boxes(src.ndims, src.dims, tensors, request.axis, boxes))
        return why;
    for (const walked_box &box : boxes) boxes_.push_back(cut_into_tiles(box));
    return nullptr;
}

/// Columns are the innermost loop of dst; rows the loop along which src is contiguous, or the next
/// one of dst.
tensor_copy::tiled_box tensor_copy::cut_into_tiles(const walked_box &box) const {
    tiled_box tiled {box.first, box.levels, single, single, 1, 1, 1};
    std::vector<nest_level> &levels = tiled.levels;
    if (!levels.empty()) {
        tiled.columns = levels.back();
        levels.pop_back();
    }
    if (!levels.empty()) {
        auto rows = std::prev(levels.end());
        if (tiled.columns.strides[src_place] != 1)
            for (auto level = levels.begin(); level != levels.end(); ++level)
                if (level->strides[src_place] == 1) rows = level;
        tiled.rows = *rows;
        levels.erase(rows);
    }
    set_tile_size(tiled);
    levels.push_back(tiles_of(tiled.rows, tiled.tile_rows));
    levels.push_back(tiles_of(tiled.columns, tiled.tile_columns));
    for (const nest_level &level : levels) tiled.tile_count *= level.extent;
    return tiled;
}

void tensor_copy::set_tile_size(tiled_box &box) const {
    const bool converts = args_.through_f32 || args_.src_type != args_.dst_type;
    const dim_t bytes = std::max(src_bytes_, dst_bytes_);
    const dim_t R = box.rows.extent, C = box.columns.extent;
    // Both sides of a tile stay in L1; a transposed one fills whole cache lines of dst.
    const dim_t elements = converts ? convert_tile_elements : 4 * convert_tile_elements / bytes;
    if (is_contiguous(box.columns)) {
        box.tile_columns = std::min(C, 2 * elements);
        box.tile_rows = std::min(R, std::max<dim_t>(2 * elements / box.tile_columns, 1));
        return;
    }
    const dim_t side = bytes == 4 || converts ? 64 : 128;
    // From memory, few long streams are faster than many short ones: a cache line of columns.
    box.tile_columns = std::min(C, args_.streaming && !converts ? 64 / bytes : side);
    box.tile_rows = std::min({R, row_piece, elements / box.tile_columns / side * side});
    box.tile_rows = std::max<dim_t>(box.tile_rows, 1);
    if (box.tile_rows == R) // few rows: more columns
        box.tile_columns = std::min({C, row_piece, std::max<dim_t>(elements / R, 1)});
}

bool tensor_copy::has_small_tiles() const {
    if (boxes_.empty() || boxes_.front().tile_count < 16) return false;
    const tiled_box &box = boxes_.front();
    const dim_t elements = box.tile_rows * box.tile_columns;
    if (!args_.through_f32 && args_.src_type == args_.dst_type) return elements * dst_bytes_ < 256;
    const bool by_rows = box.columns.strides[src_place] != 1 && box.rows.strides[src_place] == 1;
    return (by_rows ? box.tile_rows : box.tile_columns) < 16 || elements < 512;
}

void tensor_copy::run(
    const void *src, void *dst, const std::array<const f32 *, value_kinds> &values) const {
    for (const tiled_box &box : boxes_) {
        copy_tile_args whole = args_;
        whole.src = static_cast<const char *>(src) + box.first[src_place] * src_bytes_;
        whole.dst = static_cast<char *>(dst) + box.first[dst_place] * dst_bytes_;
        whole.src_row = box.rows.strides[src_place];
        whole.src_column = box.columns.strides[src_place];
        whole.dst_row = box.rows.strides[dst_place];
        whole.dst_column = box.columns.strides[dst_place];
        for (std::size_t v = 0; v < value_kinds; ++v)
            if (const std::size_t place = places_[v])
                whole.*value_members[v] = {values[v] + box.first[place], box.rows.strides[place],
                    box.columns.strides[place]};
        const bool one_line = box.levels.size() == 2 && box.rows.extent == 1;
        if (one_line && is_contiguous(box.columns))
            run_line(box, whole);
        else
            run_box(box, whole);
    }
}

/// One contiguous run: each thread moves its share with one call.
void tensor_copy::run_line(const tiled_box &box, const copy_tile_args &whole) const {
    constexpr dim_t granule = 1024;
    const dim_t C = box.columns.extent;
    const double granule_ns = 0.05 * static_cast<double>(granule * (src_bytes_ + dst_bytes_));
    parallel_for(div_up(C, granule), granule_ns, [&](int, dim_t begin, dim_t end) {
        copy_tile_args part = whole;
        const dim_t c = begin * granule;
        part.rows = 1;
        part.columns = std::min(end * granule, C) - c;
        part.src = static_cast<const char *>(whole.src) + c * src_bytes_;
        part.dst = static_cast<char *>(whole.dst) + c * dst_bytes_;
        for (tile_values copy_tile_args::*member : value_members)
            if ((part.*member).data) (part.*member).data += c * (part.*member).column;
        copy_(part);
    });
}

void tensor_copy::run_box(const tiled_box &box, const copy_tile_args &whole) const {
    const dim_t tile = box.tile_rows * box.tile_columns;
    const double tile_ns = 20 + 0.1 * static_cast<double>(tile * (src_bytes_ + dst_bytes_));
    const std::size_t row_level = box.levels.size() - 2;
    parallel_for(box.tile_count, tile_ns, [&](int, dim_t begin, dim_t end) {
        nest_cursor cursor(box.levels, {}, begin, tensor_count_);
        copy_tile_args part = whole;
        for (dim_t i = begin; i < end; ++i, cursor.next()) {
            const nest_offsets &offsets = cursor.offsets();
            const dim_t row = cursor.position(row_level) * box.tile_rows;
            const dim_t column = cursor.position(row_level + 1) * box.tile_columns;
            part.rows = std::min(box.tile_rows, box.rows.extent - row);
            part.columns = std::min(box.tile_columns, box.columns.extent - column);
            part.src = static_cast<const char *>(whole.src) + offsets[src_place] * src_bytes_;
            part.dst = static_cast<char *>(whole.dst) + offsets[dst_place] * dst_bytes_;
            for (std::size_t v = 0; v < value_kinds; ++v)
                if (const std::size_t place = places_[v])
                    (part.*value_members[v]).data = (whole.*value_members[v]).data + offsets[place];
            copy_(part);
        }
    });
}

} // namespace dnnl::impl::cpu
