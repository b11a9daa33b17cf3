// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on the blocked GEMM: dst[b][m][n] = sum over k of src[b][m][k] *
// weights[b][k][n], one sum per element that the epilogue finishes. Operands that the kernels
// cannot multiply as they are become floats or bytes first.
#include "cpu/matmul/matmul.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm/gemm_types.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t slice_columns = 64; // of panels that are made while the product runs

/// a - b * c modulo 2^32, as the kernels compute.
s32 multiply_subtract(s32 a, s32 b, s32 c) {
    return static_cast<s32>(static_cast<std::uint32_t>(a) -
                            static_cast<std::uint32_t>(b) * static_cast<std::uint32_t>(c));
}

class plain_matmul : public plan {
  public:
    plain_matmul(problem &p, const operand_types &types, operand_values values);

    const char *why_not() const { return operands_.why_not(); }
    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        const exec_context *ctx;
        const char *src, *weights;
        char *dst;
        const bound_epilogue *finish;
        const s32 *compensation;         ///< as the column sums of the weights lie, or null
        const double *wide_compensation; ///< instead, of a wide driver
        const s32 *row_sums;             ///< [src batch][m], or null
        s32 *accumulators;
        pending_block *pending;
        char *slices;
        s32 *slice_sums;
    };
    class slice_maker;
    const char *scale_src(const exec_context &ctx, const char *src) const;
    s32 compensation_of(s32 column_sum, const bound_epilogue &finish, dim_t n) const;
    double wide_compensation_of(s32 column_sum, const bound_epilogue &finish, dim_t n) const;
    void compensate(execution &e, const matmul_operands::part &part) const;
    void use_sums(const execution &e, const gemm_task &t, epilogue &finish, dim_t first_column,
        dim_t first_row) const;
    void multiply(const execution &e, const matmul_operands::part &part, int thread, dim_t begin,
        dim_t end) const;
    /// Waits for the epilogue of the pending block, whose data are about to change.
    void finish_pending(pending_block *pending) const {
        if (!pending) return;
        operands_.driver.end(pending);
        operands_.driver.begin();
    }
    dim_t slice_bytes() const;

    operand_values values_;
    matmul_operands operands_;
    epilogue_plan epilogue_;
    scratch_slot<s32> accumulators_, compensation_, row_sums_, slice_sums_;
    scratch_slot<double> wide_compensation_;
    scratch_slot<char> slices_;
    scratch_slot<f32> src_scales_, scaled_src_;
    scratch_slot<pending_block> pending_;
};

/// True for sums of bytes that s32 need not hold.
bool needs_wide_sums(const matmul_desc &op, const operand_types &types, const operand_values &v) {
    const auto has_zero_point = [&](int arg) { return v.rest.zero_points.find(arg) != nullptr; };
    return is_int8(types.a) && op.src.dims[op.src.ndims - 1] >
                                   exact_sum_length(types.a, types.b, has_zero_point(DNNL_ARG_SRC),
                                       has_zero_point(DNNL_ARG_WEIGHTS));
}

panel_request panels_of(const problem &p, const operand_types &types, const operand_values &v) {
    const auto &op = std::get<matmul_desc>(p.op);
    panel_request r;
    r.type = types.b;
    r.group = op.src.dims[op.src.ndims - 1];
    r.sums = v.rest.zero_points.find(DNNL_ARG_SRC) != nullptr;
    r.stream = !needs_wide_sums(op, types, v);
    r.scale = v.weights_scale;
    r.zero_point = v.weights_zero_point;
    return r;
}

plain_matmul::plain_matmul(problem &p, const operand_types &types, operand_values values)
    : values_(std::move(values)), operands_(p, types, panels_of(p, types, values_)) {
    if (operands_.why_not()) return;
    const auto &op = std::get<matmul_desc>(p.op);
    gemm_driver &driver = operands_.driver;
    if (needs_wide_sums(op, types, values_)) driver.widen(p.target);
    values_.rest.post_ops = p.attr.post_ops; // with their layouts
    values_.rest.dropout = p.attr.dropout;
    std::swap(values_.rest, p.attr);
    epilogue_ = epilogue_plan(p, request_of(op));
    std::swap(values_.rest, p.attr);
    scratchpad_layout &scratch = p.scratchpad;
    const matmul_shape &shape = operands_.shape;
    const auto [MC, NC, KC] = driver.blocking();
    const int threads = operands_.threads =
        threads_for(operands_.block_count(MC, NC, operands_.part_at(0)));
    accumulators_ = scratch.reserve<s32>(threads * driver.accumulator_count());
    if (driver.kernel().end) pending_ = scratch.reserve<pending_block>(threads);
    if (epilogue_.has_weights_zero_point())
        row_sums_ = scratch.reserve<s32>(batches_of(op.src) * shape.M);
    if (operands_.weights.is_streamed()) {
        slices_ = scratch.reserve<char>(threads * slice_bytes());
        slice_sums_ = scratch.reserve<s32>(threads * slice_columns);
    } else if (epilogue_.has_src_zero_point()) {
        const dim_t count = operands_.weights.column_sums_count();
        if (driver.is_wide())
            wide_compensation_ = scratch.reserve<double>(count);
        else
            compensation_ = scratch.reserve<s32>(count);
    }
    if (values_.src_scale) {
        operands_.copy_a();
        const dim_t groups = div_up(shape.K, values_.src_scale.k_group());
        src_scales_ = scratch.reserve<f32>(batches_of(op.src) * groups * shape.M);
        scaled_src_ = scratch.reserve<f32>(op.src.nelems());
    }
}

dim_t plain_matmul::slice_bytes() const {
    return operands_.driver.blocking().KC * slice_columns *
           static_cast<dim_t>(size_of(operands_.weights.wanted().dtype));
}

/// A copy of src, which is f32 here, times its scales.
const char *plain_matmul::scale_src(const exec_context &ctx, const char *src) const {
    const memory_desc &from = operands_.src.wanted();
    const quantization_values &values = values_.src_scale;
    const dim_t M = operands_.shape.M, K = operands_.shape.K, group = values.k_group();
    const dim_t groups = div_up(K, group), batches = batches_of(from);
    f32 *scales = ctx.scratch(src_scales_), *scaled = ctx.scratch(scaled_src_);
    parallel_for(
        batches * groups, 10 + 2 * static_cast<double>(M), [&](int, dim_t begin, dim_t end) {
            for (dim_t i = begin; i < end; ++i)
                values.load(ctx, i / groups, i % groups * group, M, scales + i * M);
        });
    const auto scale_row = [&](dim_t row) {
        const dim_t batch = row / M, m = row % M;
        dim_t first = m * from.strides[from.ndims - 2], rest = batch;
        for (int d = from.ndims - 3; d >= 0; rest /= from.dims[d--])
            first += rest % from.dims[d] * from.strides[d];
        const f32 *x = reinterpret_cast<const f32 *>(src) + first;
        f32 *to = scaled + row * K;
        for (dim_t k = 0; k < K; k += group) {
            const f32 scale = scales[(batch * groups + k / group) * M + m];
            for (dim_t i = k; i < std::min(k + group, K); ++i) to[i] = x[i] * scale;
        }
    };
    parallel_for(batches * M, 10 + 0.3 * static_cast<double>(K), [&](int, dim_t begin, dim_t end) {
        for (dim_t row = begin; row < end; ++row) scale_row(row);
    });
    return reinterpret_cast<const char *>(scaled);
}

/// src zero point * (column sum - K * weights zero point).
s32 plain_matmul::compensation_of(s32 column_sum, const bound_epilogue &finish, dim_t n) const {
    const s32 *factors = finish.data.row_factors;
    const s32 zero_point = factors && n < operands_.shape.N ? factors[n] : 0;
    const s32 sum = multiply_subtract(column_sum, static_cast<s32>(operands_.shape.K), zero_point);
    return multiply_subtract(0, multiply_subtract(0, 1, finish.src_zero_point), sum);
}

/// The same, exact as long as column sums are: up to 2^31 / 255 products.
double plain_matmul::wide_compensation_of(
    s32 column_sum, const bound_epilogue &finish, dim_t n) const {
    const s32 *factors = finish.data.row_factors;
    const double zero_point = factors && n < operands_.shape.N ? factors[n] : 0;
    return finish.src_zero_point *
           (column_sum - static_cast<double>(operands_.shape.K) * zero_point);
}

/// For all matrices of weights of a part.
void plain_matmul::compensate(execution &e, const matmul_operands::part &part) const {
    const weights_panels &weights = operands_.weights;
    const s32 *sums = weights.column_sums(e.weights);
    const dim_t columns = weights.column_sums_stride();
    const bool wide = operands_.driver.is_wide();
    s32 *to = wide ? nullptr : e.ctx->scratch(compensation_);
    double *wide_to = wide ? e.ctx->scratch(wide_compensation_) : nullptr;
    constexpr dim_t at_once = 16; // divides the columns of a panel
    const dim_t pieces = operands_.matrix_count(part) * columns / at_once;
    parallel_for(pieces, 16.0, [&](int, dim_t begin, dim_t end) {
        for (dim_t piece = begin; piece < end; ++piece) {
            const dim_t first = piece * at_once, n = part.n0 + first % columns;
            for (dim_t i = 0; i < at_once; ++i)
                if (wide)
                    wide_to[first + i] = wide_compensation_of(sums[first + i], *e.finish, n + i);
                else
                    to[first + i] = compensation_of(sums[first + i], *e.finish, n + i);
        }
    });
    e.compensation = to;
    e.wide_compensation = wide_to;
}

/// Points the epilogue at the sums of one batch.
void plain_matmul::use_sums(const execution &e, const gemm_task &t, epilogue &finish,
    dim_t first_column, dim_t first_row) const {
    const s32 *columns = e.compensation ? e.compensation + first_column : finish.compensation;
    const s32 *rows = moved(e.row_sums, first_row);
    if (columns == finish.compensation && rows == finish.row_compensation) return;
    finish_pending(t.pending);
    finish.compensation = columns;
    finish.row_compensation = rows;
}

/// Makes the panels of one block; with its last slice the compensation for a zero point of src.
class plain_matmul::slice_maker final : public panel_maker {
  public:
    slice_maker(const plain_matmul &owner, const execution &e, int thread, epilogue &finish)
        : owner_(owner), e_(e), finish_(finish),
          buffer_(moved(e.slices, thread * owner.slice_bytes())),
          sums_(moved(e.slice_sums, thread * slice_columns)), pending_(moved(e.pending, thread)) {}

    void start(const matmul_operands::block &b) { block_ = &b; }
    dim_t panel_bytes(dim_t k) const {
        const data_type type = owner_.operands_.weights.wanted().dtype;
        return round_up(k, panel_k_group(type)) * panel_columns(type) *
               static_cast<dim_t>(size_of(type));
    }

    const void *make(dim_t n0, dim_t n, dim_t k0, dim_t k) override {
        const bool has_zero_point = owner_.epilogue_.has_src_zero_point();
        if (has_zero_point && k0 == 0) {
            finish_pending();
            std::fill_n(sums_, slice_columns, 0);
        }
        weights_panels::slice s {};
        s.batch = block_->at.weights_index;
        s.n0 = block_->n0 + n0;
        s.n = n;
        s.k0 = k0;
        s.k = k;
        s.to = buffer_;
        s.panel_bytes = panel_bytes(owner_.operands_.driver.blocking().KC);
        if (has_zero_point) s.column_sums = sums_;
        owner_.operands_.weights.fill(*e_.ctx, s);
        if (has_zero_point && k0 + k >= owner_.operands_.shape.K) {
            for (dim_t i = 0; i < n; ++i)
                sums_[i] = owner_.compensation_of(sums_[i], *e_.finish, s.n0 + i);
            finish_.compensation = sums_ - s.n0;
        }
        return buffer_;
    }

  private:
    void finish_pending() const { owner_.finish_pending(pending_); }

    const plain_matmul &owner_;
    const execution &e_;
    epilogue &finish_;
    char *buffer_;
    s32 *sums_;
    pending_block *pending_;
    const matmul_operands::block *block_ = nullptr;
};

void plain_matmul::multiply(const execution &e, const matmul_operands::part &part, int thread,
    dim_t begin, dim_t end) const {
    const matmul_operands &o = operands_;
    const gemm_driver &driver = o.driver;
    const memory_desc &weights = o.weights.wanted(), &dst = o.dst.wanted();
    const auto [MC, NC, KC] = driver.blocking();
    epilogue finish = e.finish->data;
    slice_maker maker(*this, e, thread, finish);
    gemm_task t {};
    t.lda = o.a_stride();
    t.b_panel = o.weights.is_streamed() ? maker.panel_bytes(KC) : o.panel_stride();
    t.ldd = o.dst_stride();
    t.k = o.shape.K;
    t.finish = epilogue_.is_identity() && !driver.is_wide() ? nullptr : &finish;
    t.accumulators = e.accumulators + thread * driver.accumulator_count();
    t.pending = moved(e.pending, thread);
    if (o.weights.is_streamed()) t.maker = &maker;
    if (t.pending) reset(*t.pending);
    driver.begin();
    for (dim_t item = begin; item < end; ++item) {
        const matmul_operands::block b = o.block_at(MC, NC, part, item);
        maker.start(b);
        std::copy_n(b.at.position, position_rank, t.position);
        use_sums(e, t, finish, b.column_sums, b.at.src_index * o.shape.M);
        t.wide_compensation = moved(e.wide_compensation, b.column_sums);
        const auto at = [](auto *base, dim_t element, data_type type) {
            return moved(base, element * static_cast<dim_t>(size_of(type)));
        };
        t.a = at(e.src, o.a_offset(b), o.src.wanted().dtype);
        t.b = at(e.weights, b.panels, weights.dtype);
        t.dst = at(e.dst, o.dst_offset(b), dst.dtype);
        t.m = b.rows;
        t.n = b.columns;
        t.position[row_dim] = b.m0;
        t.position[column_dim] = b.n0;
        driver.run(t);
    }
    driver.end(t.pending);
}

void plain_matmul::execute(const exec_context &ctx) const {
    const matmul_operands &o = operands_;
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    execution e {};
    e.ctx = &ctx;
    e.finish = &finish;
    e.src = static_cast<const char *>(o.src.begin(ctx, ctx.data(DNNL_ARG_SRC)));
    if (values_.src_scale) e.src = scale_src(ctx, e.src);
    e.weights = o.weights.begin(ctx);
    e.dst = static_cast<char *>(o.dst.begin(ctx, ctx.data(DNNL_ARG_DST)));
    e.accumulators = ctx.scratch(accumulators_);
    if (o.driver.kernel().end) e.pending = ctx.scratch(pending_);
    if (o.weights.is_streamed()) {
        e.slices = ctx.scratch(slices_);
        e.slice_sums = ctx.scratch(slice_sums_);
    }
    if (epilogue_.has_weights_zero_point()) {
        s32 *row_sums = ctx.scratch(row_sums_);
        o.sum_rows(e.src, o.shape.K, row_sums);
        e.row_sums = row_sums;
    }
    const auto [MC, NC, KC] = o.driver.blocking();
    const double block_ns = o.block_ns(MC, NC, o.shape.K);
    for (dim_t i = 0; i < o.part_count(); ++i) {
        const matmul_operands::part part = o.part_at(i);
        o.make_panels(ctx, part);
        if (epilogue_.has_src_zero_point() && !o.weights.is_streamed()) compensate(e, part);
        parallel_for(o.block_count(MC, NC, part), block_ns, o.threads,
            [&](int thread, dim_t begin, dim_t end) { multiply(e, part, thread, begin, end); });
    }
    o.dst.end(ctx, ctx.data(DNNL_ARG_DST));
}

} // namespace

planned make_plain_matmul(problem &p, const operand_types &types, operand_values values) {
    return try_plan<plain_matmul>(p, types, std::move(values));
}

planned make_gemm_matmul(problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    if (has_runtime(op)) return make_runtime_matmul(p);
    operand_types types;
    if (const char *reason = choose_types(p, types)) return reason;
    operand_values values = split_attributes(p);
    problem attempt(p);
    attempt.attr = values.rest;
    if (const char *reason = epilogue_plan::refusal(attempt, request_of(op))) return reason;
    return is_int8(op.src.dtype) && !values.empty()
               ? make_grouped_matmul(p, types, std::move(values))
               : make_plain_matmul(p, types, std::move(values));
}

} // namespace dnnl::impl::cpu
