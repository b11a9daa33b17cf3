// SPDX-License-Identifier: Apache-2.0
// Sum: tiles of all sources at once, in the order of dst's elements.
#include "common/descriptors/movement.hpp"

#include <algorithm>

#include "common/descriptors/problem.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t tile_elements = 2048;

class vector_sum : public plan {
  public:
    explicit vector_sum(problem &p)
        : sum_(kernel_for<vector_levels>(p.target, []<class Isa> { return sum_tile<Isa>; })) {
        default_layouts(p);
        const auto &op = std::get<sum_desc>(p.op);
        dst_ = op.dst;
        args_.count = static_cast<int>(op.srcs.size());
        std::copy(op.scales.begin(), op.scales.end(), args_.scales);
        for (std::size_t s = 0; s < op.srcs.size(); ++s) args_.srcs[s].type = op.srcs[s].dtype;
        args_.dst.type = dst_.dtype;
        std::vector<walked_tensor> tensors {{&dst_}};
        for (const memory_desc &src : op.srcs) tensors.push_back({&src});
        why_not_ = cut_into_tiled_boxes(dst_.ndims, dst_.dims, tensors, -1, tile_elements, boxes_);
        for (tiled_box &box : boxes_)
            if (box.rows.extent * box.columns.extent <= tile_elements)
                box.tile_rows = box.rows.extent;
    }

    void execute(const exec_context &ctx) const override {
        const auto count = static_cast<std::size_t>(args_.count);
        sum_args bound = args_;
        bound.dst.data = ctx.data(DNNL_ARG_DST);
        for (int s = 0; s < args_.count; ++s)
            bound.srcs[s].data = ctx.data(DNNL_ARG_MULTIPLE_SRC + s);
        for (const tiled_box &box : boxes_) {
            const dim_t summands = box.tile_columns * box.tile_rows * args_.count;
            box.for_each_tile(
                20 + 0.4 * static_cast<double>(summands), max_threads(), [&](int, const tile &t) {
                    sum_args call = bound;
                    call.dst = part_of(bound.dst.data, bound.dst.type, 0, t);
                    for (std::size_t s = 0; s < count; ++s)
                        call.srcs[s] = part_of(bound.srcs[s].data, bound.srcs[s].type, s + 1, t);
                    call.rows = t.rows;
                    call.columns = t.columns;
                    sum_(call);
                });
        }
        clear_padding(dst_, ctx.data(DNNL_ARG_DST));
    }

  private:
    memory_desc dst_;
    std::vector<tiled_box> boxes_;
    sum_args args_ {};
    void (*sum_)(const sum_args &);
};

const char *refusal(const problem &p, const sum_desc &op) {
    if (op.srcs.size() > static_cast<std::size_t>(max_summands)) return "too many sources";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    if (!is_common_or_f8(op.dst.dtype)) return "dst is not f32, bf16, f16, s32, s8, u8 or f8";
    for (const memory_desc &src : op.srcs)
        if (!is_common_or_f8(src.dtype)) return "a source is not f32, bf16, f16, s32, s8, u8 or f8";
    return nullptr;
}

} // namespace

planned make_sum(problem &p) {
    if (const char *why = refusal(p, std::get<sum_desc>(p.op))) return why;
    return try_plan<vector_sum>(p);
}

} // namespace dnnl::impl::cpu
