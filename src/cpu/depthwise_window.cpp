// SPDX-License-Identifier: Apache-2.0
#include "cpu/depthwise_window.hpp"

#include "common/data_type.hpp"
#include "cpu/kernels/depthwise.hpp"

namespace dnnl::impl::cpu {

const char *depthwise_refusal(const convolution_desc &op) {
    if (const char *reason = tap_table_refusal(op)) return reason;
    const convolution_shape s = shape_of(op);
    if (!s.has_groups || s.IC != 1 || s.OC != 1)
        return "groups do not have one input and one output channel each";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    return nullptr;
}

memory_desc depthwise_weights_layout(memory_desc md) {
    std::array<int, max_ndims> order {0};
    int count = 1;
    for (int d = 3; d < md.ndims; ++d) order[static_cast<std::size_t>(count++)] = d;
    order[static_cast<std::size_t>(count++)] = 1;
    order[static_cast<std::size_t>(count++)] = 2;
    const bool integer = is_int8(md.dtype);
    const inner_block blocks[] {
        {0, depthwise_block(integer)}, {md.ndims - 1, depthwise_tap_group(integer)}};
    md.offset0 = 0;
    md.column_sums_mask = 0;
    set_blocked_layout(md, std::span(order.data(), static_cast<std::size_t>(count)),
        std::span<const inner_block>(blocks, integer ? 2 : 1));
    return md;
}

image_strides strides_in_bytes(const memory_desc &md) {
    const auto bytes = static_cast<dim_t>(size_of(md.dtype));
    const auto spatial = [&](int from_end) {
        const int d = md.ndims - from_end;
        return d >= 2 ? md.strides[d] * bytes : 0;
    };
    return {md.strides[0] * bytes, spatial(3), spatial(2), spatial(1)};
}

std::vector<tap_hit> hits_of(const tap_table &table, dim_t position) {
    std::vector<tap_hit> hits;
    for (dim_t k = 0; k < table.taps; ++k)
        if (table.at(position, k) >= 0) hits.push_back({k, table.at(position, k)});
    return hits;
}

namespace {
/// True when `hits` belong to the position behind the last one of the run.
bool continues(const position_run &run, const std::vector<tap_hit> &hits) {
    if (run.hits.size() != hits.size()) return false;
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const tap_hit next {run.hits[i].k, run.hits[i].index + run.count * run.source_step};
        if (hits[i] != next) return false;
    }
    return true;
}
} // namespace

std::vector<position_run> runs_of(const tap_table &table, dim_t step, dim_t source_step) {
    std::vector<position_run> runs;
    for (dim_t phase = 0; phase < std::min(step, table.positions); ++phase) {
        bool first = true;
        for (dim_t o = phase; o < table.positions; o += step, first = false) {
            std::vector<tap_hit> hits = hits_of(table, o);
            if (!first && continues(runs.back(), hits))
                ++runs.back().count;
            else
                runs.push_back({o, 1, step, source_step, std::move(hits)});
        }
    }
    return runs;
}

} // namespace dnnl::impl::cpu
