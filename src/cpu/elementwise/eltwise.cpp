// SPDX-License-Identifier: Apache-2.0
// Eltwise. One walk goes over the rows of all tensors, whose layouts and types may differ. A tensor
// that is dense in any layout is one row. A function of one byte is a table of its results.
#include <numeric>

#include "common/descriptors/mappings/mappings.hpp"
#include "cpu/cpu.hpp"
#include "cpu/elementwise/row_wise_plan.hpp"
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The algorithms *_use_dst_for_bwd compute the plain function forward.
algorithm forward_algorithm(dnnl_alg_kind_t alg) {
    switch (static_cast<algorithm>(alg)) {
#define DNNL_FORWARD(name, value)                                                                  \
    case algorithm::name##_use_dst_for_bwd: return algorithm::name;
        DNNL_ELTWISE_ALGORITHMS_OF_DST(DNNL_FORWARD)
#undef DNNL_FORWARD
    case algorithm::undef: DNNL_CASES_OF_ELTWISE DNNL_CASES_OF_BINARY break;
    }
    return static_cast<algorithm>(alg);
}

/// Measured on a Zen 5 core with AVX-512, elements in L2: 0.04 ns for relu, 0.4 for tanh, 0.5 for
/// gelu_erf and 0.8 for its gradient. f32 from and to memory takes 0.3 ns at 27 GB/s.
double ns_per_element(dnnl_alg_kind_t alg) {
    switch (forward_algorithm(alg)) {
    case algorithm::relu:
    case algorithm::linear:
    case algorithm::square:
    case algorithm::abs:
    case algorithm::clip:
    case algorithm::clip_v2:
    case algorithm::round: return 0.1;
    case algorithm::pow:
    case algorithm::gelu_tanh:
    case algorithm::gelu_erf: return 0.8;
    default: return 0.4;
    }
}

const char *eltwise_refusal(const problem &p) {
    const auto &op = std::get<eltwise_desc>(p.op);
    const bool forward = is_forward(op.prop);
    for (const memory_desc *md : {&op.src, &op.dst, &op.data}) {
        if (md->is_zero()) continue;
        if (!is_common_or_f8(md->dtype)) return "a tensor is not f32, bf16, f16, s32, s8, u8 or f8";
        if (!forward && is_integer(md->dtype)) return "gradients are not f32, bf16, f16 or f8";
        if (md->has_runtime()) return "run-time dimensions";
    }
    return row_epilogue::refusal(p);
}

class vector_eltwise : public row_wise_plan {
  public:
    explicit vector_eltwise(problem &p) {
        const auto &op = std::get<eltwise_desc>(p.op);
        const bool forward = is_forward(op.prop);
        if (forward) epilogue_ = row_epilogue(p, op.dst, false);
        const memory_desc &src = forward ? op.src : op.dst, &dst = forward ? op.dst : op.src;
        const memory_desc saved = forward ? memory_desc {} : op.data;
        cut({{forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, &dst},
                {forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, &src},
                {op.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC, &saved}},
            {longest_row, true}, "no dimension of the result is contiguous");
        if (why_not_) return;
        const bool in_pairs = has(p.target, isa::avx2) && are_bf16({&src, &dst, &saved}) &&
                              !epilogue_.is_needed() && is_adjacent(0) &&
                              (forward || is_adjacent(1));
        if (p.target == isa::avx512_bf16 && !in_pairs) why_not_ = made_for_pairs_of_bf16;
        if (why_not_) return;
        ns_per_element_ = ns_per_element(op.alg);
        const auto rows = kernel_for<every_level>(p.target, [&]<class Isa> {
            return forward ? eltwise_rows<Isa, true> : eltwise_rows<Isa, false>;
        });
        args_ = {forward ? forward_algorithm(op.alg) : static_cast<algorithm>(op.alg), op.alpha,
            op.beta, rows};
        run_ = !in_pairs ? rows : kernel_for<bf16_levels>(p.target, [&]<class Isa> {
            return forward ? eltwise_bf16_rows<Isa, true> : eltwise_bf16_rows<Isa, false>;
        });
    }

    void execute(const exec_context &ctx) const override {
        for_each_tile(ctx, ns_per_element_, [&](const row_tile &t, int) { run_(t, args_); });
    }

  private:
    double ns_per_element_ = 0;
    eltwise_args args_ {};
    eltwise_function run_ = nullptr;
};

class eltwise_table : public row_wise_plan {
  public:
    explicit eltwise_table(problem &p) {
        const auto &op = std::get<eltwise_desc>(p.op);
        epilogue_ = row_epilogue(p, op.dst, false);
        cut({{DNNL_ARG_DST, &op.dst}, {DNNL_ARG_SRC, &op.src}}, {longest_row, true},
            "no dimension of the result is contiguous");
        if (epilogue_.is_needed()) why_not_ = "made for functions without post-ops";
        if (!why_not_ && !is_adjacent(0)) why_not_ = "made for adjacent bytes";
        if (why_not_) return;
        std::array<std::uint8_t, 256> codes;
        std::iota(codes.begin(), codes.end(), std::uint8_t {0});
        const auto fill =
            kernel_for<every_level>(p.target, []<class Isa> { return eltwise_rows<Isa, true>; });
        fill({{table_.data(), op.dst.dtype, 0, 1}, {{codes.data(), op.src.dtype, 0, 1}}, 1, 256,
                 nullptr, false},
            {forward_algorithm(op.alg), op.alpha, op.beta, nullptr});
        map_ = kernel_for<levels<avx512_vbmi>>(p.target, []<class Isa> { return map_bytes<Isa>; });
    }

    void execute(const exec_context &ctx) const override {
        for_each_tile(ctx, 0.02, [&](const row_tile &t, int) { map_(t, table_.data()); });
    }

  private:
    std::array<std::uint8_t, 256> table_ {};
    map_bytes_function map_ = nullptr;
};

} // namespace

planned make_eltwise(problem &p) {
    const auto &op = std::get<eltwise_desc>(p.op);
    if (const char *reason = level_refusal(p, {&op.src, &op.dst, &op.data})) return reason;
    if (const char *reason = eltwise_refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_eltwise>, plain_layout);
}

planned make_eltwise_table(problem &p) {
    const auto &op = std::get<eltwise_desc>(p.op);
    if (!is_forward(op.prop)) return another_direction;
    if (!is_int8(op.src.dtype) || !is_int8(op.dst.dtype)) return "made for functions of one byte";
    if (const char *reason = eltwise_refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<eltwise_table>, plain_layout);
}

} // namespace dnnl::impl::cpu
