// SPDX-License-Identifier: Apache-2.0
// Binary: every broadcast and type combination as rows of one loop nest over all tensors.
#include "common/descriptors/binary.hpp"

#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue/row_epilogue.hpp"
#include "cpu/kernels/elementwise/binary.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/relaid_plan.hpp"

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

class vector_binary : public plan {
  public:
    explicit vector_binary(problem &p) {
        const auto &op = std::get<binary_desc>(p.op);
        const auto &scales = p.attr.scales;
        dst_ = op.dst;
        has_scale_[0] = scales.find(DNNL_ARG_SRC_0) != nullptr;
        has_scale_[1] = scales.find(DNNL_ARG_SRC_1) != nullptr;
        call_.alg = static_cast<algorithm>(op.alg);
        call_.integer = is_exact_on_integers(op.alg) && is_integer(op.src0.dtype) &&
                        is_integer(op.src1.dtype) && !has_scale_[0] && !has_scale_[1];
        call_.dst_type = op.dst.dtype;
        dst_bytes_ = static_cast<dim_t>(size_of(op.dst.dtype));
        epilogue_ = row_epilogue(p, op.dst, false);
        std::vector<const memory_desc *> tensors {&op.dst, &op.src0, &op.src1};
        // Only select has a third source; the place is kept so that operands follow.
        tensors.push_back(op.src2.is_zero() ? &op.src0 : &op.src2);
        epilogue_.append_operands(tensors);
        why_not_ = nest_.build(tensors);
        if (!why_not_ && !nest_.has_columns()) why_not_ = "no dimension of dst is contiguous";
        if (why_not_) return;
        call_.src0.type = op.src0.dtype;
        call_.src1.type = op.src1.dtype;
        call_.chooser.type = data_type::s8;
        run_ = select_binary(p.target);
    }

    void execute(const exec_context &ctx) const override {
        if (dst_.has_zero_dim()) return;
        binary_args call = call_;
        call.src0.scale = scale_of(ctx, 0, DNNL_ARG_SRC_0);
        call.src1.scale = scale_of(ctx, 1, DNNL_ARG_SRC_1);
        bound_epilogue bound;
        epilogue_.bind(ctx, bound);
        nest_.for_each_piece(0.3, 8192, [&](const nest_piece &part) {
            const row_epilogue::at_piece finish(
                epilogue_, bound, *part.row_level, *part.column_level, part.at);
            binary_args piece = call;
            point(piece.src0, ctx.in<char>(DNNL_ARG_SRC_0), part, src0_place);
            point(piece.src1, ctx.in<char>(DNNL_ARG_SRC_1), part, src1_place);
            // Null: only select has a third source.
            if (const char *chooser = ctx.in<char>(DNNL_ARG_SRC_2))
                point(piece.chooser, chooser, part, src2_place);
            piece.dst = ctx.out<char>(DNNL_ARG_DST) + part.at[dst_place] * dst_bytes_;
            piece.dst_row_stride = part.row_level->strides[dst_place];
            piece.rows = part.rows;
            piece.columns = part.columns;
            piece.finish = finish.get();
            run_(piece);
        });
        clear_padding(dst_, ctx.out<void>(DNNL_ARG_DST));
    }

  private:
    static void point(
        binary_source &source, const char *first, const nest_piece &part, std::size_t place) {
        source.data = first + part.at[place] * static_cast<dim_t>(size_of(source.type));
        source.row_stride = part.row_level->strides[place];
        source.column_stride = part.column_level->strides[place];
    }
    float scale_of(const exec_context &ctx, int source, int arg) const {
        if (!has_scale_[source]) return 1;
        const memory_desc &md = ctx.desc(DNNL_ARG_ATTR_SCALES | arg);
        return load_f32(md.dtype, ctx.in<void>(DNNL_ARG_ATTR_SCALES | arg), md.offset0);
    }
    memory_desc dst_;
    dim_t dst_bytes_ = 0;
    bool has_scale_[2] {};
    row_epilogue epilogue_;
    loop_nest nest_;
    binary_args call_ {};
    binary_function run_ = nullptr;
};

} // namespace

planned make_binary(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return make_walked_or_relaid(p, try_plan<vector_binary>, plain_layout);
}

} // namespace dnnl::impl::cpu
