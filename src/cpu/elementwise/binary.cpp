// SPDX-License-Identifier: Apache-2.0
// Binary: every broadcast and type combination as rows of all tensors walked together.
#include "common/descriptors/elementwise.hpp"

#include "cpu/cpu.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/binary.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/relaid_plan.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Places in the walk.
enum : std::size_t { dst_place, src0_place, src1_place, src2_place };

bool is_exact_on_integers(dnnl_alg_kind_t alg) {
    return alg == dnnl_binary_max || alg == dnnl_binary_min ||
           (alg >= dnnl_binary_ge && alg <= dnnl_binary_select);
}

const char *refusal(const problem &p) {
    const auto &op = std::get<binary_desc>(p.op);
    int f64_tensors = 0;
    for (const memory_desc *md : {&op.src0, &op.src1, &op.dst}) {
        f64_tensors += md->dtype == data_type::f64;
        if (!is_common_or_f8(md->dtype) && md->dtype != data_type::f64)
            return "a tensor is not f32, bf16, f16, s32, s8, u8, f8 or f64";
        if (md->has_runtime()) return "run-time dimensions";
    }
    if (f64_tensors != 0 && f64_tensors != 3) return "f64 together with another type";
    if (f64_tensors && !p.attr.post_ops.entries.empty()) return "post-ops on f64 tensors";
    return row_epilogue::refusal(p);
}

class vector_binary : public row_wise_plan {
  public:
    explicit vector_binary(problem &p) {
        const auto &op = std::get<binary_desc>(p.op);
        const auto &scales = p.attr.scales;
        has_scale_[0] = scales.find(DNNL_ARG_SRC_0) != nullptr;
        has_scale_[1] = scales.find(DNNL_ARG_SRC_1) != nullptr;
        call_.alg = static_cast<algorithm>(op.alg);
        call_.integer = is_exact_on_integers(op.alg) && is_integer(op.src0.dtype) &&
                        is_integer(op.src1.dtype) && !has_scale_[0] && !has_scale_[1];
        call_.dst_type = op.dst.dtype;
        epilogue_ = row_epilogue(p, op.dst, false);
        cut({{DNNL_ARG_DST, &op.dst}, {DNNL_ARG_SRC_0, &op.src0}, {DNNL_ARG_SRC_1, &op.src1},
                {DNNL_ARG_SRC_2, &op.src2}},
            {longest_row, true}, "no dimension of dst is contiguous");
        if (why_not_) return;
        call_.src0.type = op.src0.dtype;
        call_.src1.type = op.src1.dtype;
        call_.chooser.type = data_type::s8;
        has_chooser_ = !op.src2.is_zero();
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return binary_rows<Isa>; });
    }

    void execute(const exec_context &ctx) const override {
        const float scale0 = scale_of(ctx, 0, DNNL_ARG_SRC_0);
        const float scale1 = scale_of(ctx, 1, DNNL_ARG_SRC_1);
        for_each_tile(ctx, 0.3, [&](const bound_tile &t) {
            const row_epilogue::at_piece finish = finish_at(t);
            binary_args call = call_;
            const auto source = [&](std::size_t place, data_type type, float scale) {
                return binary_source {
                    t.data(place), type, t.row_stride(place), t.column_stride(place), scale};
            };
            call.src0 = source(src0_place, call.src0.type, scale0);
            call.src1 = source(src1_place, call.src1.type, scale1);
            if (has_chooser_) call.chooser = source(src2_place, call.chooser.type, 1);
            call.dst = t.data(dst_place);
            call.dst_row_stride = t.row_stride(dst_place);
            call.rows = t.part.rows;
            call.columns = t.part.columns;
            call.finish = finish.get();
            run_(call);
        });
    }

  private:
    float scale_of(const exec_context &ctx, int source, int arg) const {
        if (!has_scale_[source]) return 1;
        const memory_desc &md = ctx.desc(DNNL_ARG_ATTR_SCALES | arg);
        return load_f32(md.dtype, ctx.in<void>(DNNL_ARG_ATTR_SCALES | arg), md.offset0);
    }
    bool has_scale_[2] {};
    bool has_chooser_ = false; ///< src2 of select
    binary_args call_ {};
    binary_function run_ = nullptr;
};

} // namespace

planned make_binary(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_binary>, plain_layout);
}

} // namespace dnnl::impl::cpu
