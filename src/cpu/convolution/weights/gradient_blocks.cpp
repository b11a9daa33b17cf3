// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/weights/gradient_blocks.hpp"

#include <algorithm>

namespace dnnl::impl::cpu {

gradient_blocks::cut::cut(dim_t all, dim_t most) : extent(all) {
    const dim_t pieces = std::max<dim_t>(div_up(all, std::max<dim_t>(most, 1)), 1);
    share = std::max<dim_t>(div_up(all, pieces), 1);
    count = div_up(all, share);
}

gradient_blocks::gradient_blocks(dim_t planes, dim_t OH, dim_t OW, dim_t most) {
    // One dimension is cut, those inside it are taken whole, those outside one by one.
    const dim_t line = std::max<dim_t>(OW, 1), plane = line * std::max<dim_t>(OH, 1);
    planes_ = cut(planes, most / plane);
    lines_ = cut(OH, plane <= most ? OH : most / line);
    pixels_ = cut(OW, line <= most ? OW : most);
}

gradient_block gradient_blocks::of(dim_t index) const {
    const dim_t w = index % pixels_.count, h = index / pixels_.count % lines_.count,
                p = index / pixels_.count / lines_.count;
    return {planes_.begin(p), planes_.size(p), lines_.begin(h), lines_.size(h), pixels_.begin(w),
        pixels_.size(w)};
}

dim_t gradient_share::items(const gradient_sums &all) const {
    return all.parts * div_up(all.taps, taps) * div_up(all.rows, rows) *
           div_up(all.columns, columns);
}

gradient_share share_gradient(
    const gradient_sums &all, dim_t tile_rows, dim_t panel_columns, dim_t threads) {
    // An element of an operand takes as long to transpose or pack as this many products. (Measured
    // on a Zen 5 core with f32.)
    constexpr dim_t products_of_element = 10;
    const dim_t taps = std::max<dim_t>(all.taps, 1), rows = std::max<dim_t>(all.rows, 1),
                columns = std::max<dim_t>(all.columns, 1);
    const dim_t row_tiles = div_up(rows, tile_rows), panels = div_up(columns, panel_columns);
    gradient_share best {taps, rows, columns};
    if (threads <= 1) return best;
    double least = -1;
    const auto weigh = [&](dim_t t, dim_t r, dim_t c) {
        const gradient_share share {div_up(taps, t),
            std::min(rows, div_up(row_tiles, r) * tile_rows),
            std::min(columns, div_up(panels, c) * panel_columns)};
        const double item =
            static_cast<double>(share.taps) * static_cast<double>(share.rows * share.columns) +
            static_cast<double>(products_of_element * (share.rows + share.columns));
        const double time = item * static_cast<double>(div_up(share.items(all), threads));
        if (least >= 0 && time >= least) return;
        least = time;
        best = share;
    };
    const dim_t parts = std::max<dim_t>(all.parts, 1);
    for (dim_t t = 1; t <= std::min({taps, threads, dim_t {32}}); ++t)
        for (dim_t c = 1; c <= std::min({panels, threads, dim_t {32}}); ++c)
            for (dim_t rounds = 1; rounds <= 3; ++rounds) {
                const dim_t r = rounds * threads / (parts * t * c);
                weigh(t, std::clamp<dim_t>(r, 1, row_tiles), c);
            }
    return best;
}

} // namespace dnnl::impl::cpu
