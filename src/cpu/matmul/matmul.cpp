// SPDX-License-Identifier: Apache-2.0
// The product whose sums the epilogue finishes, one sum per element of dst. Operands that the
// kernels cannot multiply as they are become floats or bytes first.
#include "cpu/matmul/matmul.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm/gemm_types.hpp"
#include "cpu/matmul/matmul_quantization.hpp"

namespace dnnl::impl::cpu {

void matmul_plan::prepare(problem &p, const epilogue_request &request, dim_t depth) {
    const primitive_attr rest = values_.rest_of(p.attr);
    epilogue_ = epilogue_plan(p.target, rest, p.scratchpad, request);
    operands_.threads = threads_for(operands_.block_count(operands_.part_at(0)));
    block_ns_ = operands_.block_ns(depth);
}

void matmul_plan::execute(const exec_context &ctx) const {
    const matmul_operands &o = operands_;
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    matmul_execution e {ctx, finish, nullptr, nullptr, nullptr};
    e.src = static_cast<const char *>(o.src.begin(ctx, ctx.data(DNNL_ARG_SRC)));
    e.weights = o.weights.begin(ctx);
    e.dst = static_cast<char *>(o.dst.begin(ctx, ctx.data(DNNL_ARG_DST)));
    begin(e);
    for (dim_t i = 0; i < o.part_count(); ++i) {
        const part p = o.part_at(i);
        o.make_panels(ctx, p);
        begin_part(e, p);
        parallel_for(o.block_count(p), block_ns_, o.threads,
            [&](int thread, dim_t first, dim_t last) { multiply(e, p, thread, first, last); });
    }
    o.dst.end(ctx, ctx.data(DNNL_ARG_DST));
}

namespace {

constexpr dim_t slice_columns = 64; // of panels that are made while the product runs

class plain_matmul : public matmul_plan {
  public:
    plain_matmul(problem &p, const operand_types &types, operand_values values);

  private:
    class slice_maker;
    void begin(matmul_execution &e) const override;
    void begin_part(const matmul_execution &e, const part &p) const override {
        zero_points_.sum_columns(e, operands_, p);
    }
    void multiply(const matmul_execution &e, const part &p, int thread, dim_t begin,
        dim_t end) const override;
    dim_t slice_bytes() const;

    matmul_zero_points zero_points_;
    matmul_source_scales source_scales_;
    scratch_slot<s32> accumulators_;
    scratch_slot<char> slices_;
    dim_t slice_panel_bytes_ = 0; ///< from panel to panel of a slice
    scratch_slot<pending_block> pending_;
};

panel_request panels_of(const problem &p, const operand_types &types, const operand_values &v) {
    const auto &op = std::get<matmul_desc>(p.op);
    panel_request r;
    r.type = types.b;
    r.group = op.src.dims[op.src.ndims - 1];
    r.sums = v.epilogue_zero_points.find(DNNL_ARG_SRC) != nullptr;
    r.stream = !needs_wide_sums(op, types, v);
    r.scale = v.weights_scale;
    r.zero_point = v.weights_zero_point;
    return r;
}

plain_matmul::plain_matmul(problem &p, const operand_types &types, operand_values values)
    : matmul_plan(p, types, std::move(values), panels_of(p, types, values)) {
    if (why_not_) return;
    const auto &op = std::get<matmul_desc>(p.op);
    gemm_driver &driver = operands_.driver;
    if (needs_wide_sums(op, types, values_)) driver.widen(p.target);
    prepare(p, request_of(op), operands_.shape.K);
    const dim_t threads = operands_.threads;
    accumulators_ = p.scratchpad.reserve<s32>(threads * driver.accumulator_count());
    if (driver.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads);
    if (operands_.weights.is_streamed()) {
        const data_type type = operands_.weights.wanted().dtype;
        slice_panel_bytes_ = round_up(driver.blocking().KC, panel_k_group(type)) *
                             panel_columns(type) * static_cast<dim_t>(size_of(type));
        slices_ = p.scratchpad.reserve<char>(threads * slice_bytes());
    }
    zero_points_ = matmul_zero_points(p.scratchpad, operands_, epilogue_, slice_columns);
    source_scales_ = matmul_source_scales(p.scratchpad, operands_, values_.src_scale);
}

/// Of all panels of a slice.
dim_t plain_matmul::slice_bytes() const {
    return slice_panel_bytes_ * slice_columns / panel_columns(operands_.weights.wanted().dtype);
}

void plain_matmul::begin(matmul_execution &e) const {
    if (source_scales_) e.src = source_scales_.apply(e, operands_);
    zero_points_.sum_rows(e, operands_);
}

/// Makes the panels of one block slice by slice; with the last slice the compensation for a zero
/// point of src.
class plain_matmul::slice_maker final : public panel_maker {
  public:
    slice_maker(const plain_matmul &owner, const matmul_execution &e, int thread, epilogue &finish)
        : owner_(owner), e_(e), finish_(finish),
          buffer_(e.ctx.scratch(owner.slices_) + thread * owner.slice_bytes()),
          sums_(owner.zero_points_.slice_sums(e, thread)) {}

    /// The block that is multiplied next, and what waits for the epilogue then.
    void start(const block &b, pending_block *pending) {
        block_ = &b;
        pending_ = pending;
    }
    const void *make(dim_t n0, dim_t n, dim_t k0, dim_t k) override {
        if (sums_ && k0 == 0) {
            owner_.operands_.driver.finish(pending_);
            std::fill_n(sums_, slice_columns, 0);
        }
        weights_panels::slice s {block_->at.weights_index, block_->n0 + n0, n, k0, k, buffer_,
            owner_.slice_panel_bytes_, sums_};
        owner_.operands_.weights.fill(e_.ctx, s);
        if (sums_ && k0 + k >= owner_.operands_.shape.K) {
            owner_.zero_points_.compensate_slice(e_, s.n0, n, sums_);
            finish_.compensation = sums_ - s.n0;
        }
        return buffer_;
    }

  private:
    const plain_matmul &owner_;
    const matmul_execution &e_;
    epilogue &finish_;
    char *buffer_;
    s32 *sums_; ///< of the columns of a slice; null without a zero point of src
    pending_block *pending_ = nullptr;
    const block *block_ = nullptr;
};

void plain_matmul::multiply(
    const matmul_execution &e, const part &p, int thread, dim_t begin, dim_t end) const {
    const gemm_driver &driver = operands_.driver;
    const bool streamed = operands_.weights.is_streamed();
    epilogue finish = e.finish.data;
    slice_maker maker(*this, e, thread, finish);
    pending_block *pending = driver.kernel().end ? e.ctx.scratch(pending_) + thread : nullptr;
    if (pending) reset(*pending);
    driver.begin();
    for (dim_t item = begin; item < end; ++item) {
        const block b = operands_.block_at(p, item);
        gemm_task t = operands_.task_of(e, b);
        if (streamed) {
            maker.start(b, pending);
            t.maker = &maker;
            t.b_panel = slice_panel_bytes_;
        }
        t.finish = epilogue_.is_identity() && !driver.is_wide() ? nullptr : &finish;
        t.accumulators = e.ctx.scratch(accumulators_) + thread * driver.accumulator_count();
        t.pending = pending;
        zero_points_.use(e, operands_, b, t, finish);
        driver.run(t);
    }
    driver.end(pending);
}

/// For known dimensions and strides.
planned make_concrete_matmul(problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    operand_values values = split_attributes(p);
    operand_types types;
    if (const char *reason = choose_types(p, values, types)) return reason;
    if (const char *reason = epilogue_plan::refusal(values.rest_of(p.attr), request_of(op)))
        return reason;
    return is_int8(op.src.dtype) && !values.empty()
               ? make_grouped_matmul(p, types, std::move(values))
               : try_plan<plain_matmul>(p, types, std::move(values));
}

} // namespace

planned make_gemm_matmul(problem &p) {
    return has_runtime(std::get<matmul_desc>(p.op)) ? make_runtime_matmul(p, make_concrete_matmul)
                                                    : make_concrete_matmul(p);
}

} // namespace dnnl::impl::cpu
