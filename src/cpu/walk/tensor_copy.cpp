// SPDX-License-Identifier: Apache-2.0
#include "cpu/walk/tensor_copy.hpp"

#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

enum : std::size_t { dst_place, src_place, first_value_place };

// A destination of this size has left the caches before it is read.
constexpr dim_t streamed_bytes = dim_t {32} << 20;

tile_values copy_tile_args::*const value_members[value_kinds] = {&copy_tile_args::src_zero_point,
    &copy_tile_args::src_scale, &copy_tile_args::dst_scale, &copy_tile_args::dst_zero_point};

/// Elements from the start of the buffer to the last one of the tensor.
dim_t extent_in_elements(const memory_desc &md) {
    memory_desc bytes = md;
    bytes.dtype = data_type::u8;
    bytes.offset0 = 0;
    return md.has_zero_dim() ? 0 : md.offset0 + dim_t(bytes.size_bytes());
}

/// Calls part(first, count) for equal shares of `elements`.
template <class Part> void for_parts(dim_t elements, const Part &part) {
    constexpr dim_t granule = 4096; // elements; 0.1 ns is a byte at 10 GB/s
    parallel_for(div_up(elements, granule), 0.1 * granule, [&](int, dim_t begin, dim_t end) {
        const dim_t first = begin * granule;
        part(first, std::min(end * granule, elements) - first);
    });
}

/// True for a stride between words whose multiples fall into few sets of L1, where a line is
/// evicted before its next word is read or written.
bool share_sets(dim_t stride) { return stride % 256 == 0; }

/// True where every run of `run` elements is adjacent in both tensors and moves as one element.
bool has_runs_of(dim_t run, const tiled_box &box) {
    const auto divides = [&](std::size_t place, const nest_level &l) {
        return l.extent == 1 || l.strides[place] % run == 0;
    };
    for (const std::size_t place : {dst_place, src_place}) {
        if (box.columns.strides[place] != 1 || box.columns.extent != run) return false;
        if (box.first[place] % run != 0 || !divides(place, box.rows)) return false;
        for (const nest_level &l : box.outer)
            if (!divides(place, l)) return false;
    }
    return true;
}

/// Lets an element of the box be a run of `run` elements, so that the innermost loop disappears.
void unite_runs(dim_t run, tiled_box &box) {
    box.columns = box.rows;
    box.rows = {};
    if (!box.outer.empty()) {
        box.rows = box.outer.back();
        box.outer.pop_back();
    }
    for (const std::size_t place : {dst_place, src_place}) {
        box.first[place] /= run;
        box.columns.strides[place] /= run;
        box.rows.strides[place] /= run;
        for (nest_level &l : box.outer) l.strides[place] /= run;
    }
    box.tile_columns = box.columns.extent;
}

/// The index of the loop along which runs of `run` elements follow each other; -1: there is none.
std::ptrdiff_t loop_along(const std::vector<nest_level> &loops, std::size_t place, dim_t run) {
    const auto follows = [&](const nest_level &l) { return l.strides[place] == run; };
    const auto found = std::find_if(loops.begin(), loops.end(), follows);
    return found == loops.end() ? -1 : found - loops.begin();
}

/// Runs that are adjacent in both tensors may be short and follow each other along one loop in src,
/// along another one in dst. Then the longer of these loops becomes the rows, cut so that both
/// loops together stay in L1 and both tensors are moved in whole cache lines. Returns the box of
/// the rest of the cut loop, empty where there is none.
std::vector<tiled_box> join_short_runs(tiled_box &box, dim_t bytes) {
    const dim_t run = box.columns.extent;
    const auto adjoins = [&](std::size_t place) { return box.columns.strides[place] == 1; };
    if (!adjoins(src_place) || !adjoins(dst_place)) return {};
    // Runs of whole cache lines are left as they are, unless many of them follow each other.
    if (run * bytes > 128 || (run * bytes >= 64 && box.rows.extent >= 64)) return {};
    std::vector<nest_level> loops = box.outer;
    loops.push_back(box.rows);
    std::ptrdiff_t cut = loop_along(loops, src_place, run);
    std::ptrdiff_t whole = loop_along(loops, dst_place, run);
    if (cut < 0 || whole < 0 || cut == whole) return {};
    const auto at = [&](std::ptrdiff_t i) -> nest_level & { return loops[std::size_t(i)]; };
    if (at(cut).extent < at(whole).extent) std::swap(cut, whole);
    constexpr dim_t joined_bytes = dim_t {32} << 10;
    const dim_t rows = joined_bytes / (at(whole).extent * run * bytes);
    if (rows < 8) return {};
    const nest_level along = at(cut), inner = at(whole);
    loops.erase(loops.begin() + std::max(cut, whole));
    loops.erase(loops.begin() + std::min(cut, whole));
    loops.push_back(inner);
    tiled_box rest = box;
    box.rows = rest.rows = along;
    box.outer = rest.outer = loops;
    if (along.extent <= rows) return {};
    nest_level pieces = along;
    pieces.extent = along.extent / rows;
    for (std::size_t t = 0; t < box.tensor_count; ++t) {
        pieces.strides[t] = along.strides[t] * rows;
        rest.first[t] += pieces.extent * pieces.strides[t];
    }
    box.outer.insert(box.outer.end() - 1, pieces);
    box.rows.extent = rows;
    rest.rows.extent = along.extent % rows;
    return rest.rows.extent > 0 ? std::vector<tiled_box> {rest} : std::vector<tiled_box> {};
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

memory_desc with_split_axis(const memory_desc &md, int axis, dim_t first, dim_t second) {
    memory_desc split = md;
    for (int d = md.ndims; d > axis; --d) {
        split.dims[d] = md.dims[d - 1];
        split.padded_dims[d] = md.padded_dims[d - 1];
        split.strides[d] = md.strides[d - 1];
    }
    ++split.ndims;
    split.dims[axis] = split.padded_dims[axis] = first;
    split.dims[axis + 1] = split.padded_dims[axis + 1] = second;
    split.strides[axis] = md.strides[axis] * second;
    split.strides[axis + 1] = md.strides[axis];
    for (int b = 0; b < md.inner_nblks; ++b) split.inner_idxs[b] += md.inner_idxs[b] > axis;
    return split;
}

memory_desc values_under(memory_desc tensor, data_type type, int mask, const dims_t &extents) {
    tensor.dtype = type;
    tensor.padded_dims = tensor.dims;
    tensor.inner_nblks = 0;
    tensor.offset0 = 0;
    tensor.strides = {};
    dim_t stride = 1;
    for (int d = tensor.ndims - 1; d >= 0; --d) {
        if (!(mask >> d & 1)) continue;
        tensor.strides[d] = stride;
        stride *= extents[d];
    }
    return tensor;
}

const char *tensor_copy::plan(isa target, const tensor_copy_request &request) {
    copy_ = kernel_for<every_level>(target, []<class Isa> { return copy_tile<Isa>; });
    src_bytes_ = size_in_bytes(request.src->dtype);
    dst_bytes_ = size_in_bytes(request.dst->dtype);
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
    const memory_desc &src = *request.src;
    const char *why = cut_into_tiled_boxes(src.ndims, src.dims, tensors, request.axis, 1, boxes_);
    if (why) return why;
    if (!request.through_f32 && args_.src_type == args_.dst_type) move_runs_as_elements();
    for (std::size_t b = 0, count = boxes_.size(); b < count; ++b)
        for (tiled_box &rest : join_short_runs(boxes_[b], std::max(src_bytes_, dst_bytes_)))
            boxes_.push_back(std::move(rest));
    for (tiled_box &box : boxes_) {
        cut_into_tiles(box);
        pieces_.push_back(take_pieces(box));
    }
    return nullptr;
}

void tensor_copy::move_runs_as_elements() {
    const auto all_have = [&](dim_t run) {
        return std::all_of(boxes_.begin(), boxes_.end(),
            [&](const tiled_box &box) { return has_runs_of(run, box); });
    };
    for (dim_t run = 2; run * src_bytes_ <= 4; run *= 2) {
        if (!all_have(run)) continue;
        for (tiled_box &box : boxes_) unite_runs(run, box);
        src_bytes_ = dst_bytes_ = run * src_bytes_;
        args_.src_type = args_.dst_type = src_bytes_ == 2 ? data_type::f16 : data_type::s32;
        return;
    }
}

/// Cuts a box into tiles. The columns are the innermost loop of dst; the rows are the loop along
/// which src is contiguous, or the next loop of dst.
void tensor_copy::cut_into_tiles(tiled_box &box) const {
    const auto is_adjacent = [](const nest_level &l) { return l.strides[src_place] == 1; };
    for (nest_level *level : {&box.rows, &box.columns})
        if (level->extent == 1) level->strides.fill(1);
    if (!is_adjacent(box.columns) && !is_adjacent(box.rows)) {
        const auto found = std::find_if(box.outer.rbegin(), box.outer.rend(), is_adjacent);
        if (found != box.outer.rend()) {
            std::rotate(found.base() - 1, found.base(), box.outer.end());
            std::swap(box.outer.back(), box.rows);
        }
    }
    const bool converts = args_.through_f32 || args_.src_type != args_.dst_type;
    const dim_t bytes = std::max(src_bytes_, dst_bytes_);
    const dim_t R = box.rows.extent, C = box.columns.extent;
    // A tile stays in L1, source and destination; a transposed one fills whole cache lines of dst.
    const dim_t elements = converts ? convert_tile_elements : 4 * convert_tile_elements / bytes;
    if (is_adjacent(box.columns) && box.columns.strides[dst_place] == 1) {
        if (box.outer.empty() && R == 1) { // one run: each thread moves its share with one call
            box.tile_columns = std::min<dim_t>(C, 1024);
            box.joins = tiled_box::joined::columns;
            return;
        }
        box.tile_columns = std::min(C, 2 * elements);
        box.tile_rows = std::min(R, std::max<dim_t>(2 * elements / box.tile_columns, 1));
        return;
    }
    const dim_t side = bytes > 1 || converts ? 64 : 128, line = 64 / bytes;
    const bool moves_words = !converts && bytes == 4;
    if (moves_words && !args_.streaming && share_sets(box.rows.strides[dst_place])) {
        box.tile_columns = std::min(C, row_piece);
        box.tile_rows = std::min(R, line);
        return;
    }
    // From memory, few long streams are faster than many short ones: one cache line of columns.
    const bool narrow =
        args_.streaming || (moves_words && share_sets(box.columns.strides[src_place]));
    box.tile_columns = std::min(C, narrow && !converts ? line : side);
    box.tile_rows = std::min({R, row_piece, elements / box.tile_columns / side * side});
    box.tile_rows = std::max<dim_t>(box.tile_rows, 1);
    if (box.tile_rows == R) // few rows: more columns, in whole cache lines
        box.tile_columns = std::min({C, row_piece, std::max(elements / R / line * line, line)});
}

nest_level tensor_copy::take_pieces(tiled_box &box) const {
    const bool whole = box.tile_rows == box.rows.extent && box.tile_columns == box.columns.extent;
    const dim_t bytes = box.tile_rows * box.tile_columns * dst_bytes_;
    const bool converts = args_.through_f32 || args_.src_type != args_.dst_type;
    if (converts || !whole || box.outer.empty() || bytes > 2048) return {};
    const nest_level pieces = box.outer.back();
    box.outer.pop_back();
    return pieces;
}

bool tensor_copy::has_small_tiles() const {
    if (boxes_.empty() || boxes_.front().count() * pieces_.front().extent < 16) return false;
    const tiled_box &box = boxes_.front();
    const dim_t elements = box.tile_rows * box.tile_columns;
    if (!args_.through_f32 && args_.src_type == args_.dst_type) return elements * dst_bytes_ < 256;
    const bool by_rows = box.columns.strides[src_place] != 1 && box.rows.strides[src_place] == 1;
    return (by_rows ? box.tile_rows : box.tile_columns) < 16 || elements < 512;
}

void tensor_copy::run(
    const void *src, void *dst, const std::array<const f32 *, value_kinds> &values) const {
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
        const tiled_box &box = boxes_[b];
        const nest_level &pieces = pieces_[b];
        copy_tile_args whole = args_;
        whole.src_row = box.rows.strides[src_place];
        whole.src_column = box.columns.strides[src_place];
        whole.dst_row = box.rows.strides[dst_place];
        whole.dst_column = box.columns.strides[dst_place];
        whole.src_piece = pieces.strides[src_place];
        whole.dst_piece = pieces.strides[dst_place];
        const auto copy = [&](const tile &t, dim_t piece, dim_t count) {
            const auto at = [&](std::size_t place) {
                return t.at[place] + piece * pieces.strides[place];
            };
            copy_tile_args part = whole;
            part.rows = t.rows;
            part.columns = t.columns;
            part.pieces = count;
            part.src = static_cast<const char *>(src) + at(src_place) * src_bytes_;
            part.dst = static_cast<char *>(dst) + at(dst_place) * dst_bytes_;
            for (std::size_t v = 0; v < value_kinds; ++v)
                if (const std::size_t place = places_[v])
                    part.*value_members[v] = {
                        values[v] + at(place), box.rows.strides[place], box.columns.strides[place]};
            copy_(part);
        };
        const auto bytes = double(box.tile_rows * box.tile_columns * (src_bytes_ + dst_bytes_));
        const bool is_one_run = box.joins == tiled_box::joined::columns;
        // Measured on a Zen 5 core, counting the bytes of source and destination: 0.1 ns for a byte
        // of a converted tile of 16 x 16, 0.04 in larger tiles, 0.03 in one run of memory.
        const double tile_ns = is_one_run ? 0.05 * bytes : 20 + 0.1 * bytes;
        if (pieces.extent == 1) {
            box.for_each_tile(tile_ns, max_threads(), [&](int, const tile &t) { copy(t, 0, 1); });
            continue;
        }
        parallel_for(
            box.count() * pieces.extent, tile_ns, max_threads(), [&](int, dim_t begin, dim_t end) {
                for (dim_t count = 0; begin < end; begin += count) {
                    const dim_t index = begin / pieces.extent, piece = begin % pieces.extent;
                    count = std::min(pieces.extent - piece, end - begin);
                    box.walk(index, index + 1, [&](const tile &t) { copy(t, piece, count); });
                }
            });
    }
}

// ---- Codes of 4-bit elements ----

nibble_codes::nibble_codes(problem &p, const memory_desc &md, bool keep)
    : padded_(md), target_(p.target) {
    if (!is_4bit(md.dtype)) return;
    padded_.dtype = data_type::u8;
    count_ = round_up(extent_in_elements(md), 2);
    const bool covers = md.offset0 == 0 && md.nelems(true) == count_;
    keep_ = keep || !covers;
    codes_ = p.scratchpad.reserve<std::uint8_t>(count_);
}

void *nibble_codes::begin(const exec_context &ctx, void *pairs) const {
    if (count_ == 0) return pairs;
    std::uint8_t *codes = ctx.scratch(codes_);
    codes[count_ - 1] = 0; // no element where their number is odd
    if (!keep_) return codes;
    const auto unpack =
        kernel_for<every_level>(target_, []<class Isa> { return unpack_nibbles<Isa>; });
    for_parts(count_, [&](dim_t first, dim_t count) {
        unpack(static_cast<const char *>(pairs) + first / 2, count, codes + first);
    });
    return codes;
}

void nibble_codes::end(const exec_context &ctx, void *pairs) const {
    if (count_ == 0) return clear_padding(padded_, pairs);
    std::uint8_t *codes = ctx.scratch(codes_);
    clear_padding(padded_, codes);
    const auto pack = kernel_for<every_level>(target_, []<class Isa> { return pack_nibbles<Isa>; });
    for_parts(count_, [&](dim_t first, dim_t count) {
        pack(codes + first, count, static_cast<char *>(pairs) + first / 2);
    });
}

} // namespace dnnl::impl::cpu
