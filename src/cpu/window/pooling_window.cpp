// SPDX-License-Identifier: Apache-2.0
// Geometry of pooling; see pooling_window.hpp.
#include "cpu/window/pooling_window.hpp"

namespace dnnl::impl::cpu {

window_hits hits_of(const axis_phase &phase, const tap_range &range) {
    return {phase.first_tap + range.first * phase.tap_step, phase.tap_step, range.index,
        phase.axis.tap_step, range.count()};
}

window_hits windows_over(const tap_axis &axis, dim_t i) {
    const axis_phase only = phase_of(axis, i, axis.positions);
    return hits_of(only, only.axis.inside(0));
}

input_windows::input_windows(const pooled_dim &dim) : axis_(dim.backward()), S_(dim.S) {
    const dim_t kept = std::min({dim.S, dim.I, most_phases});
    for (dim_t first = 0; first < kept; ++first) phases_.push_back(phase_of(axis_, first, dim.S));
}

pooled_dims dims_of(const pooling_shape &s) {
    return {{s.ID, s.OD, s.KD, s.SD, s.DD + 1, s.PD}, {s.IH, s.OH, s.KH, s.SH, s.DH + 1, s.PH},
        {s.IW, s.OW, s.KW, s.SW, s.DW + 1, s.PW}};
}

pooled_tensor strides_of(const memory_desc &md) {
    const auto bytes = static_cast<dim_t>(size_of(md.dtype));
    const auto spatial = [&](int from_end) {
        const int d = md.ndims - from_end;
        return d >= 2 ? md.strides[d] * bytes : 0;
    };
    return {bytes, md.offset0 * bytes, md.strides[0] * bytes, md.strides[1] * bytes, spatial(3),
        spatial(2), spatial(1)};
}

namespace {
/// Adjacent channels of one tensor; 0 when they are not adjacent.
dim_t adjacent_channels(const memory_desc &md) {
    if (md.inner_nblks == 1 && md.inner_idxs[0] == 1) return md.inner_blks[0];
    const bool adjacent = md.strides[1] == 1 || md.dims[1] == 1;
    return md.is_plain() && adjacent ? md.dims[1] : 0;
}
bool has_adjacent_pixels(const memory_desc &md) {
    const int w = md.ndims - 1;
    return md.is_plain() && (md.strides[w] == 1 || md.dims[w] == 1);
}
} // namespace

std::optional<pooled_order> common_order(std::initializer_list<const memory_desc *> tensors) {
    dim_t block = -1;
    bool pixels = true;
    for (const memory_desc *md : tensors) {
        if (!md || md->is_zero()) continue;
        pixels = pixels && has_adjacent_pixels(*md);
        const dim_t adjacent = adjacent_channels(*md);
        block = block < 0 || block == adjacent ? adjacent : 0;
    }
    // A single channel is no vector: rows of pixels come first then.
    if (block > 1 || (block == 1 && !pixels)) return pooled_order {pooled_layout::channels, block};
    if (pixels) return pooled_order {pooled_layout::width, 1};
    return std::nullopt;
}

epilogue_request pooled_request(const memory_desc &dst, const pooled_order &order) {
    epilogue_request r {};
    r.dst = &dst;
    const bool channels = order.layout == pooled_layout::channels;
    r.column_dim = channels ? 1 : dst.ndims - 1;
    r.columns = dst.dims[r.column_dim];
    r.map.of[0] = 0;
    r.map.of[1] = channels ? column_dim : 1;
    for (int d = 2; d < dst.ndims; ++d)
        r.map.of[d] = static_cast<signed char>(d + 5 - dst.ndims - (channels ? 1 : 0));
    return r;
}

} // namespace dnnl::impl::cpu
