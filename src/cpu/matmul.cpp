// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on the blocked GEMM: dst[b][m][n] = sum over k of src[b][m][k] *
// weights[b][k][n]. Weights that are not packed are packed by a reorder before the products.
#include "common/matmul.hpp"

#include <algorithm>

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/parallel.hpp"
#include "cpu/adapted_tensor.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue.hpp"
#include "cpu/gemm.hpp"
#include "cpu/gemm_types.hpp"
#include "cpu/kernels/copy_tile.hpp"
#include "cpu/kernels/select_movement.hpp"
#include "cpu/matmul.hpp"

namespace dnnl::impl::cpu {

namespace {

/// a - b * c modulo 2^32, as the kernels compute.
s32 multiply_subtract(s32 a, s32 b, s32 c) {
    return static_cast<s32>(static_cast<std::uint32_t>(a) -
                            static_cast<std::uint32_t>(b) * static_cast<std::uint32_t>(c));
}

class gemm_matmul : public plan {
  public:
    explicit gemm_matmul(problem &p)
        : shape_(shape_of(std::get<matmul_desc>(p.op))), target_(p.target) {
        auto &op = std::get<matmul_desc>(p.op);
        const bool zero_point = p.attr.zero_points.find(DNNL_ARG_SRC) != nullptr;
        if (op.weights.is_any()) op.weights = packed_weights(op.weights, zero_point);
        default_layouts(p);
        const int threads = max_threads();
        driver_ = gemm_driver(
            p.target, op.src.dtype, op.weights.dtype, shape_.M, shape_.N, shape_.K, threads);
        epilogue_ = epilogue_plan(p, request_of(op));
        const auto update =
            has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
        src_ = adapted_tensor(p, op.src, with_dense_rows(op.src), adapted_tensor::use::read);
        weights_ = adapted_tensor(
            p, op.weights, packed_weights(op.weights, zero_point), adapted_tensor::use::read);
        dst_ = adapted_tensor(p, op.dst, with_dense_rows(op.dst), update);
        threads_ = threads;
        accumulators_ = p.scratchpad.reserve<s32>(threads * driver_.accumulator_count());
        if (driver_.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads);
        if (zero_point)
            compensation_ = p.scratchpad.reserve<s32>(weights_.wanted().column_sums_count());
        if (epilogue_.has_weights_zero_point())
            row_sums_ = p.scratchpad.reserve<s32>(batches_of(op.src) * shape_.M);
    }

    const char *why_not() const {
        for (const adapted_tensor *t : {&src_, &weights_, &dst_})
            if (t->why_not()) return t->why_not();
        return driver_ ? nullptr : "no GEMM kernel for these types";
    }

    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        const char *src, *weights;
        char *dst;
        const bound_epilogue *finish;
        const s32 *compensation; ///< [weights batch][padded n], or null
        const s32 *row_sums;     ///< [src batch][m], or null
        s32 *accumulators;
        pending_block *pending;
    };
    void compensate(s32 *compensation, const char *weights, const bound_epilogue &finish) const;
    void sum_rows(s32 *sums, const char *src) const;
    void use_sums(const execution &e, const gemm_task &t, epilogue &finish, dim_t first_column,
        dim_t first_row) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;

    matmul_shape shape_;
    isa target_;
    gemm_driver driver_;
    epilogue_plan epilogue_;
    adapted_tensor src_, weights_, dst_;
    int threads_ = 1;
    scratch_slot<s32> accumulators_, compensation_, row_sums_;
    scratch_slot<pending_block> pending_;
};

/// compensation[n] = src zero point * (column sum[n] - K * weights zero point[n]), over all batches
/// of weights.
void gemm_matmul::compensate(
    s32 *compensation, const char *weights, const bound_epilogue &finish) const {
    const memory_desc &md = weights_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(weights + md.elements_bytes());
    const dim_t count = md.column_sums_count(), columns = md.padded_dims[md.ndims - 1];
    const s32 *factors = finish.data.row_factors, K = static_cast<s32>(shape_.K);
    for (dim_t i = 0; i < count; ++i) {
        const dim_t n = i % columns;
        const s32 weights_zero_point = factors && n < shape_.N ? factors[n] : 0;
        const s32 sum = multiply_subtract(sums[i], K, weights_zero_point);
        compensation[i] = multiply_subtract(0, -finish.src_zero_point, sum);
    }
}

/// sums[batch][m] = sum over k of src.
void gemm_matmul::sum_rows(s32 *sums, const char *src) const {
    const memory_desc &md = src_.wanted();
    const auto add = select_add_column_sums(target_);
    const int m_dim = md.ndims - 2, k_dim = md.ndims - 1;
    const dim_t rows = batches_of(md) * shape_.M;
    parallel_for(rows, 20 + 0.1 * static_cast<double>(shape_.K), [&](int, dim_t begin, dim_t end) {
        std::fill(sums + begin, sums + end, 0);
        for (dim_t row = begin; row < end; ++row) {
            dim_t offset = row % shape_.M * md.strides[m_dim], batch = row / shape_.M;
            for (int d = m_dim - 1; d >= 0; --d, batch /= md.dims[d + 1])
                offset += batch % md.dims[d] * md.strides[d];
            add({src + offset, md.dtype, sums + row, 1, shape_.K, 0, md.strides[k_dim], 0, 0});
        }
    });
}

/// Points the epilogue at the sums of one batch. A pending block still needs the old ones.
void gemm_matmul::use_sums(const execution &e, const gemm_task &t, epilogue &finish,
    dim_t first_column, dim_t first_row) const {
    const s32 *columns = e.compensation ? e.compensation + first_column : nullptr;
    const s32 *rows = e.row_sums ? e.row_sums + first_row : nullptr;
    if (columns == finish.compensation && rows == finish.row_compensation) return;
    if (t.pending) {
        driver_.end(t.pending);
        driver_.begin();
    }
    finish.compensation = columns;
    finish.row_compensation = rows;
}

void gemm_matmul::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const memory_desc &src = src_.wanted(), &weights = weights_.wanted(), &dst = dst_.wanted();
    const auto bytes = [](const memory_desc &md) { return static_cast<dim_t>(size_of(md.dtype)); };
    const int m_dim = shape_.ndims - 2, n_dim = m_dim + 1;
    const auto [MC, NC, KC] = driver_.blocking();
    const dim_t row_blocks = div_up(shape_.M, MC), column_blocks = div_up(shape_.N, NC);
    const dim_t columns = driver_.kernel().panel_columns;

    epilogue finish = e.finish->data;
    gemm_task t {};
    t.lda = src.strides[m_dim] * bytes(src);
    t.b_panel = weights.strides[n_dim] * bytes(weights);
    t.ldd = dst.strides[m_dim] * bytes(dst);
    t.k = shape_.K;
    t.finish = epilogue_.is_identity() ? nullptr : &finish;
    t.accumulators = e.accumulators + thread * driver_.accumulator_count();
    t.pending = e.pending ? e.pending + thread : nullptr;
    if (t.pending) t.pending->rest.rows = t.pending->current = 0;
    driver_.begin();
    for (dim_t item = begin; item < end; ++item) {
        const dim_t n0 = item % column_blocks * NC, m0 = item / column_blocks % row_blocks * MC;
        const matmul_batch at =
            batch_at(shape_, src, weights, dst, item / column_blocks / row_blocks);
        const dim_t src_offset = at.src + m0 * src.strides[m_dim];
        const dim_t weights_offset = at.weights + n0 / columns * weights.strides[n_dim];
        const dim_t dst_offset = at.dst + m0 * dst.strides[m_dim] + n0;
        std::copy_n(at.position, position_rank, t.position);
        use_sums(
            e, t, finish, at.weights_index * weights.padded_dims[n_dim], at.src_index * shape_.M);
        t.a = e.src + src_offset * bytes(src);
        t.b = e.weights + weights_offset * bytes(weights);
        t.dst = e.dst + dst_offset * bytes(dst);
        t.m = std::min(MC, shape_.M - m0);
        t.n = std::min(NC, shape_.N - n0);
        t.position[row_dim] = m0;
        t.position[column_dim] = n0;
        driver_.run(t);
    }
    driver_.end(t.pending);
}

void gemm_matmul::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    execution e {};
    e.finish = &finish;
    e.src = static_cast<const char *>(src_.begin(ctx, ctx.data(DNNL_ARG_SRC)));
    e.weights = static_cast<const char *>(weights_.begin(ctx, ctx.data(DNNL_ARG_WEIGHTS)));
    e.dst = static_cast<char *>(dst_.begin(ctx, ctx.data(DNNL_ARG_DST)));
    e.accumulators = ctx.scratch(accumulators_);
    if (driver_.kernel().end) e.pending = ctx.scratch(pending_);
    if (epilogue_.has_src_zero_point()) {
        s32 *compensation = ctx.scratch(compensation_);
        compensate(compensation, e.weights, finish);
        e.compensation = compensation;
    }
    if (epilogue_.has_weights_zero_point()) {
        s32 *row_sums = ctx.scratch(row_sums_);
        sum_rows(row_sums, e.src);
        e.row_sums = row_sums;
    }
    const auto [MC, NC, KC] = driver_.blocking();
    const dim_t items = shape_.batch_count * div_up(shape_.M, MC) * div_up(shape_.N, NC);
    const double products = static_cast<double>(std::min(MC, shape_.M)) *
                            static_cast<double>(std::min(NC, shape_.N)) *
                            static_cast<double>(shape_.K + 16);
    parallel_for(items, gemm_cost_ns(target_, src_.wanted().dtype, products), threads_,
        [&](int thread, dim_t begin, dim_t end) { multiply(e, thread, begin, end); });
    dst_.end(ctx, ctx.data(DNNL_ARG_DST));
}

} // namespace

planned make_gemm_matmul(problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    if (has_runtime(op)) return make_runtime_matmul(p);
    const quantization *scales = p.attr.scales.find(DNNL_ARG_WEIGHTS);
    const bool uneven = scales && !is_epilogue_scale(*scales, op.weights);
    if (is_float(op.src.dtype) && (is_integer(op.weights.dtype) || uneven))
        return make_dequantising_matmul(p);
    if (const char *reason = gemm_types_refusal(p.target, op.src.dtype, op.weights.dtype))
        return reason;
    if (!is_common(op.dst.dtype)) return "the type of dst is not supported";
    if (is_int8(op.src.dtype) && !is_common_quantization(p.attr, op.src.ndims))
        return make_grouped_matmul(p);
    if (const char *reason = epilogue_plan::refusal(p, request_of(op))) return reason;
    problem attempt(p);
    auto made = std::make_unique<gemm_matmul>(attempt);
    if (const char *reason = made->why_not()) return reason;
    p = std::move(attempt);
    return planned(std::move(made));
}

} // namespace dnnl::impl::cpu
