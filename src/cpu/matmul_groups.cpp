// SPDX-License-Identifier: Apache-2.0
// int8 matrix multiplication with scales or zero points that vary along K. K is cut at the groups
// of scales; each sum of a group is exact, takes its zero points off, is scaled and added up in
// f32:
//   x[m][n] = sum over groups of f32(acc) * (src scale[m] * weights scale[n])
//   acc = sum over k of src * weights - zero points of the weights[n] * row sum of src[m]
//         - zero points of src[m] * (column sum of the weights - length * their zero points)[n]
// with both sums over the segments of K in which zero points are constant.
#include <algorithm>
#include <numeric>

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/parallel.hpp"
#include "cpu/adapted_tensor.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm.hpp"
#include "cpu/gemm_types.hpp"
#include "cpu/kernels/copy_tile.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/kernels/select_movement.hpp"
#include "cpu/matmul.hpp"
#include "cpu/matmul_values.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t k_group = 4;    // of int8 panels
constexpr dim_t most_rows = 64; // of a block: its sums in s32 and f32 stay in L2

/// What the attributes say about K, and the attributes that are left to the epilogue.
struct k_cut {
    quantization_values src_scales, weights_scales, src_zero_points, weights_zero_points;
    dim_t group = 0;   ///< of K with common scales
    dim_t segment = 0; ///< of K with common zero points, divides group
    primitive_attr rest;
};

/// The entry without groups where each is all of K.
quantization simplified(quantization q, const quantization_values &values, int k_dim) {
    if (values.varies_along_k()) return q;
    q.mask &= ~(1 << k_dim);
    q.group_ndims = 0;
    q.group_dims = {1, 1};
    return q;
}

k_cut cut_of(const problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    const int ndims = op.src.ndims;
    k_cut cut;
    cut.group = op.src.dims[ndims - 1];
    cut.rest = p.attr;
    cut.rest.scales = {};
    cut.rest.zero_points = {};
    const auto values_of = [&](int kind, const quantization &q) {
        const bool src = q.arg == DNNL_ARG_SRC;
        const memory_desc &md = src ? op.src : q.arg == DNNL_ARG_WEIGHTS ? op.weights : op.dst;
        return quantization_values(kind, q, md, src ? ndims - 1 : ndims - 2);
    };
    for (const quantization &q : p.attr.scales.entries()) {
        const auto values = values_of(DNNL_ARG_ATTR_SCALES, q);
        const bool operand = q.arg == DNNL_ARG_SRC || q.arg == DNNL_ARG_WEIGHTS;
        if (operand && values.varies_along_k()) {
            (q.arg == DNNL_ARG_SRC ? cut.src_scales : cut.weights_scales) = values;
            cut.group = std::gcd(cut.group, values.k_group());
        } else {
            const int k_dim = q.arg == DNNL_ARG_SRC ? ndims - 1 : ndims - 2;
            cut.rest.scales.set(operand ? simplified(q, values, k_dim) : q);
        }
    }
    cut.segment = cut.group;
    for (const quantization &q : p.attr.zero_points.entries()) {
        if (q.arg != DNNL_ARG_SRC && q.arg != DNNL_ARG_WEIGHTS) {
            cut.rest.zero_points.set(q);
            continue;
        }
        const auto values = values_of(DNNL_ARG_ATTR_ZERO_POINTS, q);
        (q.arg == DNNL_ARG_SRC ? cut.src_zero_points : cut.weights_zero_points) = values;
        cut.segment = std::gcd(cut.segment, values.k_group());
    }
    return cut;
}

class grouped_matmul : public plan {
  public:
    grouped_matmul(problem &p, k_cut cut);

    const char *why_not() const {
        for (const adapted_tensor *t : {&src_, &weights_, &dst_})
            if (t->why_not()) return t->why_not();
        return driver_ ? nullptr : "no GEMM kernel for these types";
    }
    void execute(const exec_context &ctx) const override;

  private:
    /// Vectors of one execution: by batch, then group or segment of K, then row or column.
    struct execution {
        const char *src, *weights;
        char *dst;
        const bound_epilogue *finish;
        s32 *row_sums, *src_zero_points;        ///< rows of src
        s32 *column_sums, *weights_zero_points; ///< columns of the weights
        f32 *src_scales, *weights_scales;
        s32 *sums;
        f32 *scaled_sums;
    };
    /// One block of dst.
    struct block {
        matmul_batch at;
        dim_t m0, n0, rows, columns;
        s32 *sums;
        f32 *scaled_sums;
    };
    void reserve(problem &p);
    void load(const exec_context &ctx, execution &e) const;
    void sum_rows(const execution &e) const;
    void sum_columns(const execution &e) const;
    void sum_panel_columns(const execution &e, dim_t batch, dim_t panel) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;
    void multiply_group(const execution &e, const block &b, dim_t group) const;
    void take_zero_points(const execution &e, const block &b, dim_t segment) const;
    void finish(const execution &e, const block &b) const;

    bool has_groups() const { return cut_.group < shape_.K; }
    dim_t segments() const { return shape_.K / cut_.segment; }
    dim_t groups() const { return shape_.K / cut_.group; }
    epilogue_rows_args rows_of(const block &b) const;

    matmul_shape shape_;
    isa target_;
    k_cut cut_;
    gemm_driver driver_;
    epilogue_plan epilogue_;
    epilogue_rows_function epilogue_rows_;
    adapted_tensor src_, weights_, dst_;
    int threads_;
    dim_t MC_ = 0, NC_ = 0;
    scratch_slot<s32> row_sums_, src_zero_points_, column_sums_, weights_zero_points_, sums_;
    scratch_slot<f32> src_scales_, weights_scales_, scaled_sums_;
};

epilogue_request grouped_request(const matmul_desc &op, bool has_groups) {
    epilogue_request request = request_of(op);
    request.integer = !has_groups;
    return request;
}

grouped_matmul::grouped_matmul(problem &p, k_cut cut)
    : shape_(shape_of(std::get<matmul_desc>(p.op))), target_(p.target), cut_(std::move(cut)),
      epilogue_rows_(select_epilogue_rows(p.target)), threads_(max_threads()) {
    auto &op = std::get<matmul_desc>(p.op);
    if (op.weights.is_any()) op.weights = packed_weights(op.weights, false);
    default_layouts(p);
    driver_ = gemm_driver(
        p.target, op.src.dtype, op.weights.dtype, shape_.M, shape_.N, cut_.group, threads_);
    MC_ = std::min(driver_.blocking().MC, most_rows);
    NC_ = driver_.blocking().NC;
    cut_.rest.post_ops = p.attr.post_ops; // with their layouts
    std::swap(cut_.rest, p.attr);
    epilogue_ = epilogue_plan(p, grouped_request(op, has_groups()));
    std::swap(cut_.rest, p.attr);
    const auto update =
        has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
    src_ = adapted_tensor(p, op.src, with_dense_rows(op.src), adapted_tensor::use::read);
    weights_ =
        adapted_tensor(p, op.weights, packed_weights(op.weights, false), adapted_tensor::use::read);
    dst_ = adapted_tensor(p, op.dst, with_dense_rows(op.dst), update);
    reserve(p);
}

void grouped_matmul::reserve(problem &p) {
    scratchpad_layout &scratch = p.scratchpad;
    const dim_t rows = batches_of(src_.wanted()) * shape_.M;
    const dim_t columns = batches_of(weights_.wanted()) * shape_.N;
    if (cut_.weights_zero_points) {
        row_sums_ = scratch.reserve<s32>(rows * segments());
        weights_zero_points_ = scratch.reserve<s32>(columns * segments());
    }
    if (cut_.src_zero_points) {
        column_sums_ = scratch.reserve<s32>(columns * segments());
        src_zero_points_ = scratch.reserve<s32>(rows * segments());
    }
    if (cut_.src_scales) src_scales_ = scratch.reserve<f32>(rows * groups());
    if (cut_.weights_scales) weights_scales_ = scratch.reserve<f32>(columns * groups());
    sums_ = scratch.reserve<s32>(threads_ * MC_ * NC_);
    scaled_sums_ = scratch.reserve<f32>(has_groups() ? threads_ * MC_ * NC_ : 0);
}

/// to[batch][piece of K][row or column], n rows or columns along dimension d of md.
template <class Value>
void load_values(const exec_context &ctx, const quantization_values &values, const memory_desc &md,
    int d, dim_t pieces, dim_t piece, Value *to) {
    const dim_t n = md.dims[d];
    for (dim_t i = 0; i < batches_of(md) * pieces; ++i)
        values.load(ctx, i / pieces, i % pieces * piece / values.k_group(), d, n, to + i * n);
}

void grouped_matmul::load(const exec_context &ctx, execution &e) const {
    const memory_desc &src = src_.wanted(), &weights = weights_.wanted();
    const int m_dim = shape_.ndims - 2, n_dim = shape_.ndims - 1;
    if (cut_.weights_zero_points) {
        e.row_sums = ctx.scratch(row_sums_);
        e.weights_zero_points = ctx.scratch(weights_zero_points_);
        load_values(ctx, cut_.weights_zero_points, weights, n_dim, segments(), cut_.segment,
            e.weights_zero_points);
        sum_rows(e);
    }
    if (cut_.src_zero_points) {
        e.column_sums = ctx.scratch(column_sums_);
        e.src_zero_points = ctx.scratch(src_zero_points_);
        load_values(
            ctx, cut_.src_zero_points, src, m_dim, segments(), cut_.segment, e.src_zero_points);
        sum_columns(e);
    }
    if (cut_.src_scales) {
        e.src_scales = ctx.scratch(src_scales_);
        load_values(ctx, cut_.src_scales, src, m_dim, groups(), cut_.group, e.src_scales);
    }
    if (cut_.weights_scales) {
        e.weights_scales = ctx.scratch(weights_scales_);
        load_values(
            ctx, cut_.weights_scales, weights, n_dim, groups(), cut_.group, e.weights_scales);
    }
}

/// row_sums[batch][segment][m] = sum over the segment of src.
void grouped_matmul::sum_rows(const execution &e) const {
    const memory_desc &md = src_.wanted();
    const auto add = select_add_column_sums(target_);
    const int m_dim = md.ndims - 2;
    const dim_t rows = batches_of(md) * shape_.M, M = shape_.M, segment = cut_.segment;
    std::fill_n(e.row_sums, rows * segments(), 0);
    parallel_for(rows, 20 + 0.2 * static_cast<double>(shape_.K), [&](int, dim_t begin, dim_t end) {
        for (dim_t row = begin; row < end; ++row) {
            dim_t offset = row % M * md.strides[m_dim], batch = row / M;
            for (int d = m_dim - 1; d >= 0; --d, batch /= md.dims[d + 1])
                offset += batch % md.dims[d] * md.strides[d];
            s32 *sums = e.row_sums + row / M * segments() * M + row % M;
            add({e.src + offset, md.dtype, sums, segments(), segment, segment, 1, M, 0});
        }
    });
}

/// column_sums[batch][segment][n] = sum over the segment of the weights - their zero points.
void grouped_matmul::sum_columns(const execution &e) const {
    const dim_t columns = batches_of(weights_.wanted()) * shape_.N;
    std::fill_n(e.column_sums, columns * segments(), 0);
    const dim_t panels = div_up(shape_.N, panel_columns(weights_.wanted().dtype));
    const dim_t count = batches_of(weights_.wanted()) * panels;
    parallel_for(count, 10.0 * static_cast<double>(shape_.K), [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) sum_panel_columns(e, i / panels, i % panels);
    });
    if (!e.weights_zero_points) return;
    const auto length = static_cast<std::uint32_t>(cut_.segment);
    for (dim_t i = 0; i < columns * segments(); ++i)
        e.column_sums[i] =
            static_cast<s32>(static_cast<std::uint32_t>(e.column_sums[i]) -
                             length * static_cast<std::uint32_t>(e.weights_zero_points[i]));
}

void grouped_matmul::sum_panel_columns(const execution &e, dim_t batch, dim_t panel) const {
    const memory_desc &md = weights_.wanted();
    const auto add = select_add_column_sums(target_);
    const int n_dim = md.ndims - 1;
    const dim_t all_columns = panel_columns(md.dtype), n0 = panel * all_columns;
    const dim_t columns = std::min(all_columns, shape_.N - n0), N = shape_.N;
    dim_t offset = panel * md.strides[n_dim], rest = batch;
    for (int d = n_dim - 2; d >= 0; --d) {
        offset += rest % md.dims[d] * md.strides[d];
        rest /= md.dims[d];
    }
    const char *elements = e.weights + offset;
    const bool whole_groups = cut_.segment % k_group == 0;
    for (dim_t k = 0; k < shape_.K; k += whole_groups ? k_group : 1) {
        const char *from = elements + k / k_group * k_group * all_columns + k % k_group;
        s32 *sums = e.column_sums + (batch * segments() + k / cut_.segment) * N + n0;
        add({from, md.dtype, sums, columns, whole_groups ? k_group : 1, k_group, 1, 1, 0});
    }
}

epilogue_rows_args grouped_matmul::rows_of(const block &b) const {
    epilogue_rows_args rows {};
    rows.acc = rows.dst = b.sums;
    rows.acc_stride = rows.dst_stride = NC_ * dim_t {sizeof(s32)};
    rows.acc_type = data_type::s32;
    rows.rows = b.rows;
    rows.columns = b.columns;
    std::copy_n(b.at.position, position_rank, rows.position);
    rows.position[row_dim] = b.m0;
    rows.position[column_dim] = b.n0;
    return rows;
}

/// Takes the zero points of one segment off the sums.
void grouped_matmul::take_zero_points(const execution &e, const block &b, dim_t segment) const {
    const dim_t row = (b.at.src_index * segments() + segment) * shape_.M;
    const dim_t column = (b.at.weights_index * segments() + segment) * shape_.N;
    epilogue finish {};
    finish.dst_type = data_type::s32;
    finish.inverse_dst_scale = 1;
    epilogue_rows_args rows = rows_of(b);
    rows.finish = &finish;
    if (e.weights_zero_points) {
        finish.row_compensation = e.row_sums + row;
        finish.row_factors = e.weights_zero_points + column;
        epilogue_rows_(rows);
    }
    if (e.src_zero_points) {
        finish.row_compensation = e.src_zero_points + row;
        finish.row_factors = e.column_sums + column;
        epilogue_rows_(rows);
    }
}

/// sums = the products of one group without zero points; added to scaled_sums with their scales.
void grouped_matmul::multiply_group(const execution &e, const block &b, dim_t group) const {
    const memory_desc &src = src_.wanted(), &weights = weights_.wanted();
    const int m_dim = shape_.ndims - 2, n_dim = shape_.ndims - 1;
    const dim_t columns = driver_.kernel().panel_columns, k0 = group * cut_.group;
    gemm_task t {};
    t.a = e.src + b.at.src + b.m0 * src.strides[m_dim] + k0;
    t.lda = src.strides[m_dim];
    t.b = e.weights + b.at.weights + b.n0 / columns * weights.strides[n_dim] + k0 * columns;
    t.b_panel = weights.strides[n_dim];
    t.m = b.rows;
    t.n = b.columns;
    t.k = cut_.group;
    t.dst = b.sums;
    t.ldd = NC_ * dim_t {sizeof(s32)};
    driver_.run(t);
    if (e.weights_zero_points || e.src_zero_points)
        for (dim_t s = k0 / cut_.segment; s < (k0 + cut_.group) / cut_.segment; ++s)
            take_zero_points(e, b, s);
    if (!has_groups()) return;
    epilogue_step add {};
    add.what = epilogue_step::kind::sum;
    add.scale = 1;
    add.operand_type = data_type::f32;
    epilogue finish {};
    finish.dst_type = data_type::f32;
    finish.inverse_dst_scale = 1;
    finish.steps = &add;
    finish.step_count = 1;
    if (e.src_scales)
        finish.row_scales = e.src_scales + (b.at.src_index * groups() + group) * shape_.M;
    if (e.weights_scales)
        finish.scales = e.weights_scales + (b.at.weights_index * groups() + group) * shape_.N;
    finish.scale_stride = 1;
    epilogue_rows_args rows = rows_of(b);
    rows.finish = &finish;
    rows.dst = b.scaled_sums;
    epilogue_rows_(rows);
}

void grouped_matmul::finish(const execution &e, const block &b) const {
    const memory_desc &dst = dst_.wanted();
    const auto bytes = static_cast<dim_t>(size_of(dst.dtype));
    const int m_dim = shape_.ndims - 2;
    epilogue_rows_args rows = rows_of(b);
    rows.finish = &e.finish->data;
    if (has_groups()) {
        rows.acc = b.scaled_sums;
        rows.acc_type = data_type::f32;
    }
    rows.dst = e.dst + (b.at.dst + b.m0 * dst.strides[m_dim] + b.n0) * bytes;
    rows.dst_stride = dst.strides[m_dim] * bytes;
    epilogue_rows_(rows);
}

void grouped_matmul::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const dim_t MC = MC_, NC = NC_;
    const dim_t row_blocks = div_up(shape_.M, MC), column_blocks = div_up(shape_.N, NC);
    driver_.begin();
    for (dim_t item = begin; item < end; ++item) {
        const dim_t batch = item / column_blocks / row_blocks;
        block b {};
        b.at = batch_at(shape_, src_.wanted(), weights_.wanted(), dst_.wanted(), batch);
        b.n0 = item % column_blocks * NC;
        b.m0 = item / column_blocks % row_blocks * MC;
        b.rows = std::min(MC, shape_.M - b.m0);
        b.columns = std::min(NC, shape_.N - b.n0);
        b.sums = e.sums + thread * MC * NC;
        if (has_groups()) {
            b.scaled_sums = e.scaled_sums + thread * MC * NC;
            std::fill_n(b.scaled_sums, b.rows * NC, 0.0f);
        }
        for (dim_t group = 0; group < groups(); ++group) multiply_group(e, b, group);
        finish(e, b);
    }
    driver_.end(nullptr);
}

void grouped_matmul::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    execution e {};
    e.finish = &finish;
    e.src = static_cast<const char *>(src_.begin(ctx, ctx.data(DNNL_ARG_SRC)));
    e.weights = static_cast<const char *>(weights_.begin(ctx, ctx.data(DNNL_ARG_WEIGHTS)));
    e.dst = static_cast<char *>(dst_.begin(ctx, ctx.data(DNNL_ARG_DST)));
    e.sums = ctx.scratch(sums_);
    e.scaled_sums = ctx.scratch(scaled_sums_);
    load(ctx, e);
    const dim_t MC = MC_, NC = NC_;
    const dim_t items = shape_.batch_count * div_up(shape_.M, MC) * div_up(shape_.N, NC);
    const double products = static_cast<double>(std::min(MC, shape_.M)) *
                            static_cast<double>(std::min(NC, shape_.N)) *
                            static_cast<double>(shape_.K + 16 * groups());
    parallel_for(items, gemm_cost_ns(target_, src_.wanted().dtype, products), threads_,
        [&](int thread, dim_t begin, dim_t end) { multiply(e, thread, begin, end); });
    dst_.end(ctx, ctx.data(DNNL_ARG_DST));
}

const char *operand_refusal(const quantization &q, bool scales) {
    if (q.arg != DNNL_ARG_SRC && q.arg != DNNL_ARG_WEIGHTS) return nullptr;
    const std::size_t other = q.arg == DNNL_ARG_SRC ? 0 : 1;
    if (q.has_groups() && q.group_dims[other] != 1) return "groups along M or N";
    if (scales && !is_float(q.dtype)) return "the type of the scales is not supported";
    if (!scales && q.dtype != data_type::s32 && !is_int8(q.dtype))
        return "the type of the zero points is not supported";
    return nullptr;
}

} // namespace

bool is_common_quantization(const primitive_attr &attr, int ndims) {
    const int row = 1 << (ndims - 2), column = 1 << (ndims - 1);
    for (const quantization &q : attr.scales.entries()) {
        if (q.arg != DNNL_ARG_SRC && q.arg != DNNL_ARG_WEIGHTS) continue;
        const int vector = q.arg == DNNL_ARG_SRC ? row : column;
        if (q.has_groups() || (q.mask != 0 && q.mask != vector)) return false;
    }
    for (const quantization &q : attr.zero_points.entries()) {
        if (q.arg != DNNL_ARG_SRC && q.arg != DNNL_ARG_WEIGHTS) continue;
        const int vector = q.arg == DNNL_ARG_SRC ? 0 : column;
        if (q.has_groups() || (q.mask != 0 && q.mask != vector)) return false;
    }
    return true;
}

planned make_grouped_matmul(problem &p) {
    problem attempt(p);
    const auto &op = std::get<matmul_desc>(attempt.op);
    for (const quantization &q : p.attr.scales.entries())
        if (const char *reason = operand_refusal(q, true)) return reason;
    for (const quantization &q : p.attr.zero_points.entries())
        if (const char *reason = operand_refusal(q, false)) return reason;
    k_cut cut = cut_of(p);
    if (cut.group < 1) return "K is 0";
    if (cut.group % k_group != 0 && cut.group != op.src.dims[op.src.ndims - 1])
        return "groups of scales along K that are no multiple of 4";
    std::swap(cut.rest, attempt.attr);
    const char *reason = epilogue_plan::refusal(
        attempt, grouped_request(op, cut.group < op.src.dims[op.src.ndims - 1]));
    std::swap(cut.rest, attempt.attr);
    if (reason) return reason;
    auto made = std::make_unique<grouped_matmul>(attempt, std::move(cut));
    if (made->why_not()) return made->why_not();
    p = std::move(attempt);
    return planned(std::move(made));
}

} // namespace dnnl::impl::cpu
