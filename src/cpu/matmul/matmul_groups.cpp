// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication of integers with scales or zero points of any mask and group. K is cut at
// the groups of scales; each sum of a group is exact, takes its zero points off, is scaled and
// added up in f32:
//   x[m][n] = sum over groups of f32(acc) * (src scale[m] * weights scale[n])
//   acc = sum over k of src * weights - zero points of the weights[n] * row sum of src[m]
//         - zero points of src[m] * (column sum of the weights - length * their zero points)[n]
// with both sums over the segments of K in which zero points are constant. Scales that do not vary
// along K multiply the sum in the epilogue.
#include <algorithm>
#include <numeric>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm_types.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/kernels/select/select.hpp"
#include "cpu/kernels/select/select_movement.hpp"
#include "cpu/matmul/matmul.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t most_rows = 64; // of a block: its sums in s32 and f32 stay in L2

/// Lengths that K is cut into.
struct k_cut {
    dim_t group;   ///< with common scales
    dim_t segment; ///< with common zero points, divides group
};

k_cut cut_of(const operand_values &values, dim_t K) {
    k_cut cut {K, K};
    for (const quantization_values *v : {&values.src_scale, &values.weights_scale})
        if (*v) cut.group = std::gcd(cut.group, v->k_group());
    cut.segment = cut.group;
    for (const quantization_values *v : {&values.src_zero_point, &values.weights_zero_point})
        if (*v) cut.segment = std::gcd(cut.segment, v->k_group());
    return cut;
}

class grouped_matmul : public plan {
  public:
    grouped_matmul(problem &p, const operand_types &types, operand_values values, k_cut cut);

    const char *why_not() const { return operands_.why_not(); }
    void execute(const exec_context &ctx) const override;

  private:
    using block = matmul_operands::block;
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
    /// Sums of one block of dst.
    struct block_sums {
        s32 *sums;
        f32 *scaled;
    };
    void reserve(problem &p);
    using part = matmul_operands::part;
    void load(const exec_context &ctx, execution &e) const;
    void sum_columns(const execution &e, const part &p) const;
    void sum_panel_columns(const execution &e, const part &p, dim_t matrix, dim_t panel) const;
    void multiply(const execution &e, const part &p, int thread, dim_t begin, dim_t end) const;
    void multiply_group(
        const execution &e, const block &b, const block_sums &to, dim_t group) const;
    void add_scaled(const execution &e, const block &b, const block_sums &to, dim_t group) const;
    void take_zero_points(
        const execution &e, const block &b, const block_sums &to, dim_t segment) const;
    void finish(const execution &e, const block &b, const block_sums &from) const;

    bool has_groups() const { return cut_.group < operands_.shape.K; }
    dim_t segments() const { return operands_.shape.K / cut_.segment; }
    dim_t groups() const { return operands_.shape.K / cut_.group; }
    epilogue_rows_args rows_of(const block &b, s32 *sums) const;
    /// First value of the rows or columns of a block, in vectors by batch and group.
    const f32 *src_scales(const execution &e, const block &b, dim_t group) const {
        return e.src_scales + (b.at.src_index * groups() + group) * operands_.shape.M;
    }
    const f32 *weights_scales(const execution &e, const block &b, dim_t group) const {
        return e.weights_scales + (b.at.weights_index * groups() + group) * operands_.shape.N;
    }

    operand_values values_;
    k_cut cut_;
    matmul_operands operands_;
    epilogue_plan epilogue_;
    epilogue_rows_function epilogue_rows_;
    dim_t MC_ = 0, NC_ = 0;
    scratch_slot<s32> row_sums_, src_zero_points_, column_sums_, weights_zero_points_, sums_;
    scratch_slot<f32> src_scales_, weights_scales_, scaled_sums_;
};

panel_request panels_of(const operand_types &types, const k_cut &cut) {
    panel_request r;
    r.type = types.b;
    r.group = cut.group;
    return r;
}

grouped_matmul::grouped_matmul(
    problem &p, const operand_types &types, operand_values values, k_cut cut)
    : values_(std::move(values)), cut_(cut), operands_(p, types, panels_of(types, cut)),
      epilogue_rows_(select_epilogue_rows(p.target)) {
    if (operands_.why_not()) return;
    MC_ = std::min(operands_.driver.blocking().MC, most_rows);
    NC_ = operands_.driver.blocking().NC;
    epilogue_request request = request_of(std::get<matmul_desc>(p.op));
    request.integer = !has_groups();
    values_.rest.post_ops = p.attr.post_ops; // with their layouts
    values_.rest.dropout = p.attr.dropout;
    std::swap(values_.rest, p.attr);
    epilogue_ = epilogue_plan(p, request);
    std::swap(values_.rest, p.attr);
    reserve(p);
}

void grouped_matmul::reserve(problem &p) {
    scratchpad_layout &scratch = p.scratchpad;
    const dim_t rows = batches_of(operands_.a) * operands_.shape.M;
    const dim_t columns = batches_of(operands_.weights.wanted()) * operands_.shape.N;
    operands_.threads = threads_for(operands_.block_count(MC_, NC_, operands_.part_at(0)));
    const dim_t sums = operands_.threads * MC_ * NC_;
    if (values_.weights_zero_point) {
        row_sums_ = scratch.reserve<s32>(rows * segments());
        weights_zero_points_ = scratch.reserve<s32>(columns * segments());
    }
    if (values_.src_zero_point) {
        column_sums_ = scratch.reserve<s32>(columns * segments());
        src_zero_points_ = scratch.reserve<s32>(rows * segments());
    }
    if (values_.src_scale) src_scales_ = scratch.reserve<f32>(rows * groups());
    if (values_.weights_scale) weights_scales_ = scratch.reserve<f32>(columns * groups());
    sums_ = scratch.reserve<s32>(sums);
    scaled_sums_ = scratch.reserve<f32>(has_groups() ? sums : 0);
}

/// to[batch][piece of K][row or column], n rows or columns.
template <class Value>
Value *load_values(const exec_context &ctx, const quantization_values &values, dim_t pieces,
    dim_t batches, dim_t piece, dim_t n, scratch_slot<Value> slot) {
    if (!values) return nullptr;
    Value *to = ctx.scratch(slot);
    const double line_ns = 10 + 2 * static_cast<double>(n);
    parallel_for(batches * pieces, line_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i)
            values.load(ctx, i / pieces, i % pieces * piece, n, to + i * n);
    });
    return to;
}

void grouped_matmul::load(const exec_context &ctx, execution &e) const {
    const dim_t src_batches = batches_of(operands_.a), M = operands_.shape.M;
    const dim_t batches = batches_of(operands_.weights.wanted()), N = operands_.shape.N;
    e.src_scales =
        load_values(ctx, values_.src_scale, groups(), src_batches, cut_.group, M, src_scales_);
    e.weights_scales =
        load_values(ctx, values_.weights_scale, groups(), batches, cut_.group, N, weights_scales_);
    e.weights_zero_points = load_values(ctx, values_.weights_zero_point, segments(), batches,
        cut_.segment, N, weights_zero_points_);
    e.src_zero_points = load_values(
        ctx, values_.src_zero_point, segments(), src_batches, cut_.segment, M, src_zero_points_);
    if (e.weights_zero_points) {
        e.row_sums = ctx.scratch(row_sums_);
        operands_.sum_rows(e.src, cut_.segment, e.row_sums);
    }
    if (e.src_zero_points) e.column_sums = ctx.scratch(column_sums_);
}

/// column_sums[batch][segment][n] = sum over the segment of the weights - their zero points, for
/// the columns and batches of a part.
void grouped_matmul::sum_columns(const execution &e, const part &p) const {
    const dim_t panels = div_up(p.columns, panel_columns(operands_.weights.wanted().dtype));
    const double panel_ns = 10.0 * static_cast<double>(operands_.shape.K);
    parallel_for(operands_.matrix_count(p) * panels, panel_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) sum_panel_columns(e, p, i / panels, i % panels);
    });
}

void grouped_matmul::sum_panel_columns(
    const execution &e, const part &p, dim_t matrix, dim_t panel) const {
    const memory_desc &md = operands_.weights.wanted();
    const auto add = select_add_column_sums(operands_.target);
    const dim_t all_columns = panel_columns(md.dtype), first = panel * all_columns;
    const dim_t N = operands_.shape.N, columns = std::min(all_columns, p.columns - first);
    const dim_t k_group = panel_k_group(md.dtype);
    const dim_t offset = operands_.matrix_offset(p, matrix) + panel * md.strides[md.ndims - 1];
    const dim_t row = operands_.matrix_of(p, matrix) * segments(), column = p.n0 + first;
    const auto at = [&](dim_t segment) { return (row + segment) * N + column; };
    for (dim_t segment = 0; segment < segments(); ++segment)
        std::fill_n(e.column_sums + at(segment), columns, 0);
    const bool whole_groups = cut_.segment % k_group == 0;
    const dim_t step = whole_groups ? k_group : 1;
    for (dim_t k = 0; k < operands_.shape.K; k += step) {
        const dim_t in_group = k % cut_.group % k_group;
        const char *from =
            e.weights + offset + operands_.weights.offset_of(k - in_group) + in_group;
        s32 *sums = e.column_sums + at(k / cut_.segment);
        add({from, md.dtype, sums, columns, step, k_group, 1, 1, 0});
    }
    if (!e.weights_zero_points) return;
    const auto length = static_cast<std::uint32_t>(cut_.segment);
    for (dim_t segment = 0; segment < segments(); ++segment)
        for (dim_t i = at(segment); i < at(segment) + columns; ++i)
            e.column_sums[i] =
                static_cast<s32>(static_cast<std::uint32_t>(e.column_sums[i]) -
                                 length * static_cast<std::uint32_t>(e.weights_zero_points[i]));
}

epilogue_rows_args grouped_matmul::rows_of(const block &b, s32 *sums) const {
    epilogue_rows_args rows {};
    rows.acc = rows.dst = sums;
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
void grouped_matmul::take_zero_points(
    const execution &e, const block &b, const block_sums &to, dim_t segment) const {
    const dim_t row = (b.at.src_index * segments() + segment) * operands_.shape.M;
    const dim_t column = (b.at.weights_index * segments() + segment) * operands_.shape.N;
    epilogue finish {};
    finish.dst_type = data_type::s32;
    finish.inverse_dst_scale = 1;
    epilogue_rows_args rows = rows_of(b, to.sums);
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

/// to.sums = the products of one group without zero points; added to to.scaled with their scales.
void grouped_matmul::multiply_group(
    const execution &e, const block &b, const block_sums &to, dim_t group) const {
    const dim_t k0 = group * cut_.group;
    gemm_task t {};
    t.a = e.src + operands_.a_offset(b) + k0;
    t.lda = operands_.a_stride();
    t.b = e.weights + b.panels + operands_.weights.offset_of(k0);
    t.b_panel = operands_.panel_stride();
    t.m = b.rows;
    t.n = b.columns;
    t.k = cut_.group;
    t.dst = to.sums;
    t.ldd = NC_ * dim_t {sizeof(s32)};
    operands_.driver.run(t);
    if (e.weights_zero_points || e.src_zero_points)
        for (dim_t s = k0 / cut_.segment; s < (k0 + cut_.group) / cut_.segment; ++s)
            take_zero_points(e, b, to, s);
    if (has_groups()) add_scaled(e, b, to, group);
}

/// to.scaled += f32(to.sums) * the scales of a group that vary along K.
void grouped_matmul::add_scaled(
    const execution &e, const block &b, const block_sums &to, dim_t group) const {
    epilogue_step add {};
    add.what = epilogue_step::kind::sum;
    add.scale = 1;
    add.operand_type = data_type::f32;
    epilogue finish {};
    finish.dst_type = data_type::f32;
    finish.inverse_dst_scale = 1;
    finish.steps = &add;
    finish.step_count = 1;
    finish.scale_stride = 1;
    if (e.src_scales && values_.src_scale.varies_along_k())
        finish.row_scales = src_scales(e, b, group);
    if (e.weights_scales && values_.weights_scale.varies_along_k())
        finish.scales = weights_scales(e, b, group);
    epilogue_rows_args rows = rows_of(b, to.sums);
    rows.finish = &finish;
    rows.dst = to.scaled;
    epilogue_rows_(rows);
}

void grouped_matmul::finish(const execution &e, const block &b, const block_sums &from) const {
    epilogue last = e.finish->data;
    if (e.src_scales && !values_.src_scale.varies_along_k()) last.row_scales = src_scales(e, b, 0);
    if (e.weights_scales && !values_.weights_scale.varies_along_k()) {
        last.scales = weights_scales(e, b, 0);
        last.scale_stride = 1;
    }
    epilogue_rows_args rows = rows_of(b, from.sums);
    rows.finish = &last;
    if (has_groups()) {
        rows.acc = from.scaled;
        rows.acc_type = data_type::f32;
    }
    rows.dst = e.dst + operands_.dst_offset(b) * static_cast<dim_t>(size_of(last.dst_type));
    rows.dst_stride = operands_.dst_stride();
    epilogue_rows_(rows);
}

void grouped_matmul::multiply(
    const execution &e, const part &p, int thread, dim_t begin, dim_t end) const {
    block_sums to {e.sums + thread * MC_ * NC_, nullptr};
    if (has_groups()) to.scaled = e.scaled_sums + thread * MC_ * NC_;
    operands_.driver.begin();
    for (dim_t item = begin; item < end; ++item) {
        const block b = operands_.block_at(MC_, NC_, p, item);
        if (has_groups()) std::fill_n(to.scaled, b.rows * NC_, 0.0f);
        for (dim_t group = 0; group < groups(); ++group) multiply_group(e, b, to, group);
        finish(e, b, to);
    }
    operands_.driver.end(nullptr);
}

void grouped_matmul::execute(const exec_context &ctx) const {
    const matmul_operands &o = operands_;
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    execution e {};
    e.finish = &finish;
    e.src = static_cast<const char *>(o.src.begin(ctx, ctx.data(DNNL_ARG_SRC)));
    e.weights = o.weights.begin(ctx);
    e.dst = static_cast<char *>(o.dst.begin(ctx, ctx.data(DNNL_ARG_DST)));
    e.sums = ctx.scratch(sums_);
    e.scaled_sums = ctx.scratch(scaled_sums_);
    load(ctx, e);
    const double block_ns = o.block_ns(MC_, NC_, o.shape.K + 16 * groups());
    for (dim_t i = 0; i < o.part_count(); ++i) {
        const part p = o.part_at(i);
        o.make_panels(ctx, p);
        if (e.column_sums) sum_columns(e, p);
        parallel_for(o.block_count(MC_, NC_, p), block_ns, o.threads,
            [&](int thread, dim_t begin, dim_t end) { multiply(e, p, thread, begin, end); });
    }
    o.dst.end(ctx, ctx.data(DNNL_ARG_DST));
}

} // namespace

planned make_grouped_matmul(problem &p, const operand_types &types, operand_values values) {
    const auto &op = std::get<matmul_desc>(p.op);
    const k_cut cut = cut_of(values, op.src.dims[op.src.ndims - 1]);
    const bool a_shifted = !!values.src_zero_point, b_shifted = !!values.weights_zero_point;
    if (cut.group > exact_sum_length(types.a, types.b, a_shifted, b_shifted))
        return "a group of K is longer than the sums that s32 surely holds";
    return try_plan<grouped_matmul>(p, types, std::move(values), cut);
}

} // namespace dnnl::impl::cpu
