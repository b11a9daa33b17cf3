// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/phase_store.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/select/select.hpp"

namespace dnnl::impl::cpu {

phase_store::phase_store(
    problem &p, const memory_desc &dst, const epilogue_plan &finish, dim_t step_w)
    : store_rows_(select_epilogue_rows(p.target)), to_(strides_in_bytes(dst)) {
    if (!finish.varies_along_rows() || step_w <= 1) return;
    epilogues_ = step_w;
    finish_ = p.scratchpad.reserve<bound_epilogue>(step_w);
}

const bound_epilogue *phase_store::bind(const exec_context &ctx, const bound_epilogue &all) const {
    if (epilogues_ == 1) return &all;
    bound_epilogue *out = ctx.scratch(finish_);
    for (dim_t first = 0; first < epilogues_; ++first)
        take_rows(all, first, epilogues_, out[first]);
    return out;
}

void phase_store::run(
    const bound_epilogue *finish, char *dst, const window_phase &phase, const phase_sums &s) const {
    const auto [D, H, W] = phase.count;
    epilogue e = finish[epilogues_ > 1 ? phase.first[2] : 0].data;
    e.compensation = s.compensation;
    epilogue_rows_args rows {};
    rows.finish = &e;
    rows.acc_stride = s.row_stride * dim_t {sizeof(s32)};
    rows.acc_type = s.acc_type;
    rows.dst_stride = phase.step[2] * to_.w;
    rows.columns = s.n;
    rows.position[column_dim] = s.column;
    for (dim_t row = s.m0; row < s.m1; row += rows.rows) {
        const dim_t w = row % W, line = row / W, mb = line / H / D;
        const dim_t d = phase.first[0] + line / H % D * phase.step[0];
        const dim_t h = phase.first[1] + line % H * phase.step[1];
        rows.rows = std::min(s.m1 - row, W - w);
        rows.acc = s.sums + (row - s.m0) * s.row_stride;
        rows.dst = dst + to_.at(mb, d, h, phase.first[2] + w * phase.step[2]) +
                   s.column * static_cast<dim_t>(size_of(e.dst_type));
        rows.position[0] = mb;
        rows.position[1] = d;
        rows.position[2] = h;
        rows.position[row_dim] = w;
        store_rows_(rows);
    }
}

} // namespace dnnl::impl::cpu
