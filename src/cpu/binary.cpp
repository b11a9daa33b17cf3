// SPDX-License-Identifier: Apache-2.0
// Binary: every broadcast and type combination as rows of one loop nest over all tensors.
#include "common/binary.hpp"

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "cpu/box_nest.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/binary.hpp"
#include "cpu/kernels/select_rows.hpp"
#include "cpu/row_epilogue.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Places in the nest.
enum : std::size_t { dst_place, src0_place, src1_place, src2_place };

bool is_exact_on_integers(dnnl_alg_kind_t alg) {
    return alg == dnnl_binary_max || alg == dnnl_binary_min ||
           (alg >= dnnl_binary_ge && alg <= dnnl_binary_select);
}

const char *refusal(const problem &p) {
    const auto &op = std::get<binary_desc>(p.op);
    for (const memory_desc *md : {&op.src0, &op.src1, &op.dst}) {
        if (!is_common(md->dtype)) return "a tensor is not f32, bf16, f16, s32, s8 or u8";
        if (md->has_runtime()) return "run-time dimensions";
    }
    return row_epilogue::refusal(p);
}

class vector_binary : public plan {
  public:
    /// Returns the reason when the layouts do not fit; else the plan is ready.
    const char *prepare(problem &p) {
        const auto &op = std::get<binary_desc>(p.op);
        const auto &scales = p.attr.scales;
        dst_ = op.dst;
        has_scale_[0] = scales.find(DNNL_ARG_SRC_0) != nullptr;
        has_scale_[1] = scales.find(DNNL_ARG_SRC_1) != nullptr;
        call_.alg = static_cast<algorithm>(op.alg);
        call_.integer = is_exact_on_integers(op.alg) && is_integer(op.src0.dtype) &&
                        is_integer(op.src1.dtype) && !has_scale_[0] && !has_scale_[1];
        call_.dst_type = op.dst.dtype;
        epilogue_ = row_epilogue(p, op.dst, false);
        std::vector<const memory_desc *> tensors {&op.dst, &op.src0, &op.src1};
        // Only select has a third source; the place is kept so that operands follow.
        tensors.push_back(op.src2.is_zero() ? &op.src0 : &op.src2);
        epilogue_.append_operands(tensors);
        if (const char *reason = nest_.build(tensors)) return reason;
        if (nest_.columns().extent > 1 && nest_.columns().strides[dst_place] != 1)
            return "no dimension of dst is contiguous";
        describe_source(call_.src0, op.src0, src0_place);
        describe_source(call_.src1, op.src1, src1_place);
        describe_source(call_.chooser, op.src2, src2_place);
        call_.dst_row_stride = nest_.rows().strides[dst_place];
        run_ = select_binary(p.target);
        return nullptr;
    }

    void execute(const exec_context &ctx) const override {
        if (dst_.has_zero_dim()) return;
        binary_args call = call_;
        call.src0.scale = scale_of(ctx, 0, DNNL_ARG_SRC_0);
        call.src1.scale = scale_of(ctx, 1, DNNL_ARG_SRC_1);
        bound_epilogue bound;
        epilogue_.bind(ctx, bound);
        nest_.for_each_piece(
            0.3, 8192, [&](int, const nest_offsets &at, dim_t rows, dim_t columns) {
                const row_epilogue::at_piece finish(
                    epilogue_, bound, nest_.rows(), nest_.columns(), at);
                binary_args piece = call;
                piece.src0.data = element(ctx, DNNL_ARG_SRC_0, call.src0.type, at[src0_place]);
                piece.src1.data = element(ctx, DNNL_ARG_SRC_1, call.src1.type, at[src1_place]);
                piece.chooser.data = element(ctx, DNNL_ARG_SRC_2, data_type::s8, at[src2_place]);
                piece.dst = element(ctx, DNNL_ARG_DST, call.dst_type, at[dst_place]);
                piece.rows = rows;
                piece.columns = columns;
                piece.finish = finish.get();
                run_(piece);
            });
        clear_padding(dst_, ctx.out<void>(DNNL_ARG_DST));
    }

  private:
    void describe_source(binary_source &source, const memory_desc &md, std::size_t place) const {
        source = {
            nullptr, md.dtype, nest_.rows().strides[place], nest_.columns().strides[place], 1};
    }
    float scale_of(const exec_context &ctx, int source, int arg) const {
        if (!has_scale_[source]) return 1;
        const memory_desc &md = ctx.desc(DNNL_ARG_ATTR_SCALES | arg);
        return load_f32(md.dtype, ctx.in<void>(DNNL_ARG_ATTR_SCALES | arg), md.offset0);
    }
    static char *element(const exec_context &ctx, int arg, data_type type, dim_t offset) {
        char *first = ctx.out<char>(arg); // null: only select has a third source
        return first ? first + offset * static_cast<dim_t>(size_of(type)) : nullptr;
    }

    memory_desc dst_;
    bool has_scale_[2] {};
    row_epilogue epilogue_;
    loop_nest nest_;
    binary_args call_ {};
    binary_function run_ = nullptr;
};

} // namespace

planned make_binary(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    problem resolved = p;
    default_layouts(resolved);
    auto made = std::make_unique<vector_binary>();
    if (const char *reason = made->prepare(resolved)) return reason;
    p = std::move(resolved);
    return std::unique_ptr<plan>(std::move(made));
}

} // namespace dnnl::impl::cpu
