// SPDX-License-Identifier: Apache-2.0
#include "cpu/movement/nibble_codes.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Elements from the start of the buffer to the last one of the tensor.
dim_t extent_in_elements(const memory_desc &md) {
    memory_desc bytes = md;
    bytes.dtype = data_type::u8;
    bytes.offset0 = 0;
    return md.has_zero_dim() ? 0 : md.offset0 + static_cast<dim_t>(bytes.size_bytes());
}

/// Calls part(first, count) for even shares of `elements`.
template <class Part> void for_parts(dim_t elements, const Part &part) {
    constexpr dim_t granule = 4096;
    parallel_for(div_up(elements, granule), 0.1 * granule, [&](int, dim_t begin, dim_t end) {
        const dim_t first = begin * granule;
        part(first, std::min(end * granule, elements) - first);
    });
}

} // namespace

nibble_codes::nibble_codes(problem &p, const memory_desc &md, bool keep) : target_(p.target) {
    if (!is_4bit(md.dtype)) return;
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
        kernel_for<vector_levels>(target_, []<class Isa> { return unpack_nibbles<Isa>; });
    for_parts(count_, [&](dim_t first, dim_t count) {
        unpack(static_cast<const char *>(pairs) + first / 2, count, codes + first);
    });
    return codes;
}

void nibble_codes::end(const exec_context &ctx, void *pairs) const {
    if (count_ == 0) return;
    const std::uint8_t *codes = ctx.scratch(codes_);
    const auto pack =
        kernel_for<vector_levels>(target_, []<class Isa> { return pack_nibbles<Isa>; });
    for_parts(count_, [&](dim_t first, dim_t count) {
        pack(codes + first, count, static_cast<char *>(pairs) + first / 2);
    });
}

} // namespace dnnl::impl::cpu
