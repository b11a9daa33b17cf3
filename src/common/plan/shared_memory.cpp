// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/data_type.hpp"
#include "common/plan/primitive.hpp"

namespace dnnl::impl {

namespace {

/// The bytes of a tensor, or of one buffer of a sparse tensor.
struct region {
    const std::byte *begin, *end;    ///< its first element, and the end of its last one
    const memory_desc *md = nullptr; ///< null: its elements have no gaps
};

// ---- Tensors with gaps: slices of one buffer lie between each other's elements ----

/// An index along which the elements of one tensor move against those of the other, by a multiple
/// of the stride in units of 4 bits. It belongs to one tensor, or to both.
struct moving_index {
    dim_t stride, low, high;
};

/// Finds out whether an element of one tensor overlaps an element of another.
class element_search {
  public:
    element_search(const region &a, const region &b)
        : a_width_(take(a, false)), b_width_(take(b, true)), distance_((a.begin - b.begin) * 2) {
        std::sort(indices_.begin(), indices_.begin() + count_,
            [](const auto &x, const auto &y) { return x.stride > y.stride; });
    }
    /// True where an element is found. False, too, where the search ends after most_steps.
    bool finds_one() { return search(0, distance_); }

  private:
    /// Bounds the search. Slices of one tensor take at most 3 steps for each dimension.
    static constexpr int most_steps = 500;

    /// Adds the indices of a tensor; returns the width of the elements at one position of them.
    dim_t take(const region &r, bool is_subtracted) {
        if (!r.md || !r.md->is_blocked() || r.md->column_sums_mask != 0)
            return (r.end - r.begin) * 2;
        const memory_desc &md = *r.md;
        const dim_t element = is_4bit(md.dtype) ? 1 : 2 * dim_t(size_of(md.dtype));
        for (int d = 0; d < md.ndims; ++d) {
            const dim_t last = md.padded_dims[d] / md.block(d) - 1;
            if (last == 0 || md.strides[d] == 0) continue;
            const dim_t stride = element * md.strides[d];
            moving_index *const end = indices_.data() + count_;
            moving_index *index =
                std::ranges::find(indices_.data(), end, stride, &moving_index::stride);
            if (index == end) indices_[count_++] = {stride, 0, 0};
            (is_subtracted ? index->low : index->high) += is_subtracted ? -last : last;
        }
        return element * md.inner_elements();
    }

    bool search(std::size_t i, dim_t distance) {
        if (i == count_) return distance < b_width_ && -distance < a_width_;
        // The largest distances, down and up, that the remaining indices can still bridge.
        dim_t low = 1 - a_width_, high = b_width_ - 1;
        for (std::size_t j = i + 1; j < count_; ++j) {
            low -= indices_[j].high * indices_[j].stride;
            high -= indices_[j].low * indices_[j].stride;
        }
        const auto &[stride, least, most] = indices_[i];
        dim_t k = std::max(least, -floor_div(distance - low, stride));
        for (; k <= most && distance + k * stride <= high && steps_ < most_steps; ++k, ++steps_)
            if (search(i + 1, distance + k * stride)) return true;
        return false;
    }
    static dim_t floor_div(dim_t a, dim_t b) { return a / b - (a % b < 0); }

    std::array<moving_index, std::size_t {2} * max_ndims> indices_;
    std::size_t count_ = 0;
    dim_t a_width_, b_width_, distance_;
    int steps_ = 0;
};

// ---- In place ----

/// True when each element of `written` has the place of the element of `read` with the same
/// position; both have one type. `read` may have further elements: the state of a cell together
/// with its context, where the state alone is written.
bool lies_on(const memory_desc &written, const memory_desc &read) {
    if (written == read) return true;
    if (written.dtype != read.dtype || written.ndims != read.ndims) return false;
    memory_desc part = read;
    for (int d = 0; d < read.ndims; ++d)
        if (written.dims[d] > read.dims[d]) return false;
    if (part.is_plain()) part.dims = part.padded_dims = written.dims;
    return part.dims == written.dims && same_places(written, part);
}

/// True where the output may have the buffer of this input: the primitive may overwrite the input,
/// or another tensor of the operation that is the same memory.
bool runs_in_place(const op_desc &op, std::span<const bound_argument> bound,
    const bound_argument &output, const bound_argument &input) {
    const auto fits = [&](const bound_argument &b) {
        return b.data == output.data && lies_on(*output.md, *b.md);
    };
    return input.arg < DNNL_ARG_ATTR_SCALES && fits(input) &&
           std::any_of(bound.begin(), bound.end(), [&](const bound_argument &b) {
               return may_run_in_place(op, output.arg, b.arg) && fits(b);
           });
}

[[noreturn]] void refuse_shared(const primitive_desc &pd, int written, int other) {
    const std::string name = text_of(other);
    std::string what = "it shares memory with " + name + ": give it memory of its own";
    if (may_run_in_place(pd.resolved().op, written, other))
        what += ", or exactly the buffer, data type and layout of " + name;
    refuse(pd, written, what);
}

// ---- Of an execution ----

byte_range range_of(const memory_desc &md) {
    const dim_t half_bytes = is_4bit(md.dtype) ? 1 : 2 * dim_t(size_of(md.dtype));
    const bool has_offset = md.is_blocked() && md.column_sums_mask == 0;
    return {has_offset ? md.offset0 * half_bytes / 2 : 0, dim_t(md.accessed_bytes())};
}

region region_of(const bound_argument &bound, int buffer = 0) {
    if (buffer > 0) {
        const void *indices = bound.indices[std::size_t(buffer - 1)];
        const auto *begin = static_cast<const std::byte *>(indices);
        return {begin, begin + bound.md->size_bytes(buffer)};
    }
    const byte_range bytes = range_of(*bound.md);
    const auto *data = static_cast<const std::byte *>(bound.data);
    return {data + bytes.first, data + bytes.end, bound.md};
}

bool meet(const region &written, const bound_argument &other) {
    for (int i = 0; i < other.md->buffer_count(); ++i) {
        const region r = region_of(other, i);
        const bool overlap = std::max(written.begin, r.begin) < std::min(written.end, r.end);
        if (overlap && element_search(written, r).finds_one()) return true;
    }
    return false;
}

/// One scale or zero point counts as the first element of its buffer.
byte_range known_range(const required_argument &required) {
    const quantization &q = required.values;
    if (const memory_desc *md = required.md)
        return md->has_runtime() || md->is_sparse() ? byte_range {} : range_of(*md);
    if (q.mask != 0 || q.has_groups() || required.are_slopes) return {};
    return {0, dim_t(size_of(q.dtype))};
}

} // namespace

std::vector<written_pair> written_pairs(
    const op_desc &op, std::span<const required_argument> required) {
    std::vector<written_pair> pairs;
    for (std::size_t i = 0; i < required.size(); ++i)
        for (std::size_t j = 0; j < required.size() && required[i].is_output; ++j) {
            const required_argument &output = required[i], &other = required[j];
            if (j == i || (other.is_output && j > i)) continue;
            const bool in_place = may_run_in_place(op, output.arg, other.arg) &&
                                  !output.md->has_runtime() && !other.md->has_runtime() &&
                                  lies_on(*output.md, *other.md);
            pairs.push_back(
                {i, j, other.is_output, in_place, known_range(output), known_range(other)});
        }
    return pairs;
}

void check_shared_memory(
    const primitive_desc &pd, std::span<const bound_argument> bound, const written_pair &pair) {
    const bound_argument &written = bound[pair.written], &other = bound[pair.other];
    const bool in_place =
        !pair.both_written && runs_in_place(pd.resolved().op, bound, written, other);
    if (!in_place && meet(region_of(written), other)) refuse_shared(pd, written.arg, other.arg);
}

void check_scratchpad(
    const primitive_desc &pd, std::span<const bound_argument> bound, const std::byte *scratchpad) {
    const region scratch {scratchpad, scratchpad + pd.scratchpad_bytes()};
    for (const bound_argument &b : bound)
        if (meet(scratch, b)) refuse_shared(pd, DNNL_ARG_SCRATCHPAD, b.arg);
}

} // namespace dnnl::impl
