// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on the blocked GEMM: dst[b][m][n] = sum over k of src[b][m][k] *
// weights[b][k][n]. Weights that are not packed are packed by a reorder before the products.
#include "common/matmul.hpp"

#include <algorithm>

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/parallel.hpp"
#include "cpu/adapted_tensor.hpp"
#include "cpu/channels_last.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue.hpp"
#include "cpu/gemm.hpp"
#include "cpu/gemm_types.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Panels over the last two dimensions, batch outside; with column sums where `sums`.
memory_desc packed_weights(memory_desc md, bool sums) {
    std::array<int, max_ndims> batch {};
    for (int d = 0; d < md.ndims - 2; ++d) batch[d] = d;
    const std::span<const int> outer(batch.data(), static_cast<std::size_t>(md.ndims - 2));
    md.offset0 = 0;
    set_panel_layout(md, {md.ndims - 2, md.ndims - 1, outer, {}, true});
    const int all = (1 << md.ndims) - 1;
    md.column_sums_mask = sums ? all & ~(1 << (md.ndims - 2)) : 0;
    return md;
}

/// md itself when its last dimension is dense, else dense row-major.
memory_desc with_dense_rows(const memory_desc &md) {
    const int last = md.ndims - 1;
    if (md.is_plain() && (md.strides[last] == 1 || md.dims[last] == 1)) return md;
    memory_desc dense = md;
    dense.offset0 = 0;
    set_dense_strides(dense);
    return dense;
}

coordinate_map coordinates(int ndims) {
    coordinate_map map;
    for (int d = 0; d < ndims - 2; ++d)
        map.of[d] = static_cast<signed char>(ndims - 2 <= row_dim ? d : 0);
    map.of[ndims - 2] = row_dim;
    map.of[ndims - 1] = column_dim;
    return map;
}

const char *shape_refusal(const matmul_desc &op) {
    for (const memory_desc *md : {&op.src, &op.weights, &op.bias, &op.dst})
        if (md->has_runtime()) return "run-time dimensions";
    for (int d = 0; d + 1 < op.bias.ndims; ++d)
        if (op.bias.dims[d] != 1) return "bias varies along M or the batch";
    return nullptr;
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
        epilogue_ = epilogue_plan(p, request(op));
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
    }

    static epilogue_request request(const matmul_desc &op) {
        const int ndims = op.dst.ndims;
        return {&op.dst, coordinates(ndims), op.dst.dims[ndims - 1], ndims - 1, 1 << (ndims - 1),
            is_int8(op.src.dtype), &op.bias};
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
        s32 *accumulators;
        pending_block *pending;
    };
    void compensate(s32 *compensation, const char *weights, s32 zero_point) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;

    matmul_shape shape_;
    isa target_;
    gemm_driver driver_;
    epilogue_plan epilogue_;
    adapted_tensor src_, weights_, dst_;
    int threads_ = 1;
    scratch_slot<s32> accumulators_, compensation_;
    scratch_slot<pending_block> pending_;
};

/// compensation[i] = zero_point * column sum[i], over all batches of weights.
void gemm_matmul::compensate(s32 *compensation, const char *weights, s32 zero_point) const {
    const memory_desc &md = weights_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(weights + md.elements_bytes());
    const dim_t count = md.column_sums_count();
    for (dim_t i = 0; i < count; ++i) compensation[i] = zero_point * sums[i];
}

void gemm_matmul::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const memory_desc &src = src_.wanted(), &weights = weights_.wanted(), &dst = dst_.wanted();
    const auto bytes = [](const memory_desc &md) { return static_cast<dim_t>(size_of(md.dtype)); };
    const int ndims = shape_.ndims, m_dim = ndims - 2, n_dim = ndims - 1;
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
        dim_t batch = item / column_blocks / row_blocks, weights_batch = 0, weights_batches = 1;
        dim_t src_offset = m0 * src.strides[m_dim], dst_offset = m0 * dst.strides[m_dim] + n0;
        dim_t weights_offset = n0 / columns * weights.strides[n_dim];
        t.position[0] = ndims - 2 <= row_dim ? 0 : batch;
        for (int d = ndims - 3; d >= 0; --d) {
            const dim_t index = batch % shape_.batch[d];
            batch /= shape_.batch[d];
            if (ndims - 2 <= row_dim) t.position[d] = index;
            dst_offset += index * dst.strides[d];
            if (src.dims[d] > 1) src_offset += index * src.strides[d];
            if (weights.dims[d] == 1) continue;
            weights_offset += index * weights.strides[d];
            weights_batch += index * weights_batches;
            weights_batches *= weights.dims[d];
        }
        if (e.compensation) {
            const s32 *mine = e.compensation + weights_batch * weights.padded_dims[n_dim];
            if (t.pending &&
                mine != finish.compensation) { // a pending block still needs the old one
                driver_.end(t.pending);
                driver_.begin();
            }
            finish.compensation = mine;
        }
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
        compensate(compensation, e.weights, finish.src_zero_point);
        e.compensation = compensation;
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
    if (const char *reason = gemm_types_refusal(p.target, op.src.dtype, op.weights.dtype))
        return reason;
    if (!is_common(op.dst.dtype)) return "the type of dst is not supported";
    if (const char *reason = shape_refusal(op)) return reason;
    if (const char *reason = epilogue_plan::refusal(p, gemm_matmul::request(op))) return reason;
    problem attempt(p);
    auto made = std::make_unique<gemm_matmul>(attempt);
    if (const char *reason = made->why_not()) return reason;
    p = std::move(attempt);
    return planned(std::move(made));
}

} // namespace dnnl::impl::cpu
