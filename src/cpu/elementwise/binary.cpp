// SPDX-License-Identifier: Apache-2.0
// Binary: every broadcast and type combination as rows of all tensors walked together.
#include "common/descriptors/elementwise.hpp"

#include "cpu/cpu.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"

namespace dnnl::impl::cpu {

namespace {

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
        for (const int source : {0, 1})
            has_scale_[source] = p.attr.scales.find(scaled_args[source]) != nullptr;
        alg_ = static_cast<algorithm>(op.alg);
        integer_ = is_exact_on_integers(op.alg) && is_integer(op.src0.dtype) &&
                   is_integer(op.src1.dtype) && !has_scale_[0] && !has_scale_[1];
        epilogue_ = row_epilogue(p, op.dst, false);
        cut({{DNNL_ARG_DST, &op.dst}, {DNNL_ARG_SRC_0, &op.src0}, {DNNL_ARG_SRC_1, &op.src1},
                {DNNL_ARG_SRC_2, &op.src2}},
            {longest_row, true}, "no dimension of dst is contiguous");
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return binary_rows<Isa>; });
    }

    void execute(const exec_context &ctx) const override {
        const binary_args args {alg_, integer_, {scale_of(ctx, 0), scale_of(ctx, 1)}};
        for_each_tile(ctx, 0.3, [&](const row_tile &t, int) { run_(t, args); });
    }

  private:
    static constexpr int scaled_args[] {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1};

    float scale_of(const exec_context &ctx, int source) const {
        if (!has_scale_[source]) return 1;
        const int arg = DNNL_ARG_ATTR_SCALES | scaled_args[source];
        const memory_desc &md = ctx.desc(arg);
        return load_f32(md.dtype, ctx.data(arg), md.offset0);
    }

    algorithm alg_ = algorithm::undef;
    bool integer_ = false, has_scale_[2] {};
    void (*run_)(const row_tile &, const binary_args &) = nullptr;
};

} // namespace

planned make_binary(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_binary>, plain_layout);
}

} // namespace dnnl::impl::cpu
