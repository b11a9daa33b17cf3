// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication of integers with scales or zero points of any mask and group. K is cut at
// the groups of scales; each sum of a group is exact, takes its zero points off, is scaled and
// added up in f32:
//   x[m][n] = sum over groups of f32(acc) * (src scale[m] * weights scale[n])
//   acc = sum over k of src * weights - zero points of the weights[n] * row sum of src[m]
//         - zero points of src[m] * (column sum of the weights - length * their zero points)[n]
// with both sums over the segments of K in which zero points are constant. Scales that do not vary
// along K multiply the sum in the epilogue.
#include <numeric>

#include "cpu/kernels/select.hpp"
#include "cpu/matmul/matmul_quantization.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t most_rows = 96; // of a block: its sums in s32 and f32 stay in L2

/// The lengths that K is cut into.
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

class grouped_matmul : public matmul_plan {
  public:
    grouped_matmul(problem &p, const operand_types &types, operand_values values, k_cut cut)
        : matmul_plan(p, types, std::move(values),
              {.type = types.b,
                  .group = cut.group,
                  .stream = !values.src_zero_point || cut.segment == cut.group}),
          cut_(cut), epilogue_rows_(kernel_for<every_level>(
                         p.target, []<class Isa> { return epilogue_rows<Isa>; })) {
        if (why_not_) return;
        matmul_operands &o = operands_;
        if (o.MC > most_rows) // blocks of equal height, of whole register tiles
            o.MC = round_up(div_up(o.shape.M, div_up(o.shape.M, most_rows)), o.driver.kernel().mr);
        if (o.weights.is_streamed()) {
            slice_panel_bytes_ = panel_columns(types.b) *
                                 round_up(std::min(o.driver.blocking().KC, cut.group), dim_t {4});
            slice_bytes_ = slice_panel_bytes_ * div_up(o.NC, panel_columns(types.b));
        }
        epilogue_request request = request_of(std::get<matmul_desc>(p.op));
        request.integer = !has_groups();
        prepare(p, request, o.shape.K + 16 * groups());
        scratchpad_layout &scratch = p.scratchpad;
        const table_extents rows {batches_of(o.a), groups(), cut_.group, o.shape.M};
        const table_extents columns {
            batches_of(o.weights.wanted()), groups(), cut_.group, o.shape.N};
        const auto by_segment = [&](const table_extents &e) {
            return table_extents {e.batches, segments(), cut_.segment, e.n};
        };
        src_scales_ = value_table<f32>(scratch, values_.src_scale, rows);
        weights_scales_ = value_table<f32>(scratch, values_.weights_scale, columns);
        src_zero_points_ = value_table<s32>(scratch, values_.src_zero_point, by_segment(rows));
        weights_zero_points_ =
            value_table<s32>(scratch, values_.weights_zero_point, by_segment(columns));
        if (weights_zero_points_)
            row_sums_ = scratch.reserve<s32>(rows.batches * segments() * rows.n);
        if (src_zero_points_)
            column_sums_ = scratch.reserve<s32>(columns.batches * segments() * columns.n);
        const dim_t sums = o.threads * o.MC * o.NC;
        sums_ = scratch.reserve<s32>(sums);
        scaled_sums_ = scratch.reserve<f32>(has_groups() ? sums : 0);
        slices_ = scratch.reserve<char>(o.threads * slice_bytes_);
        slice_sums_ = scratch.reserve<s32>(slice_bytes_ && src_zero_points_ ? o.threads * o.NC : 0);
        guard(p, cut_.group);
    }

  private:
    /// The sums of a block of dst; of streamed panels, those of one group and their column sums.
    struct block_sums {
        s32 *sums;
        f32 *scaled;
        char *panels;
        s32 *of_columns;
    };
    class group_maker;

    void begin(matmul_execution &e) const override {
        src_scales_.load(e.ctx);
        weights_scales_.load(e.ctx);
        weights_zero_points_.load(e.ctx);
        src_zero_points_.load(e.ctx);
        if (weights_zero_points_)
            sum_rows_of_a(operands_, e.src, cut_.segment, e.ctx.scratch(row_sums_));
    }

    /// column_sums[batch][segment][n] = sum over the segment of the weights - their zero points,
    /// for the columns and batches of a part.
    void begin_part(const matmul_execution &e, const part &p) const override {
        if (!src_zero_points_ || operands_.weights.is_streamed()) return;
        const dim_t panels = div_up(p.columns, panel_columns(operands_.weights.wanted().dtype));
        // Measured on a Zen 5 core, for a k of a panel: in whole k groups, and one after another.
        const double k_ns = cut_.segment % 4 == 0 ? 1.6 : 28;
        const double panel_ns = k_ns * double(operands_.shape.K);
        parallel_for_each(operands_.matrix_count(p) * panels, panel_ns,
            [&](dim_t i) { sum_panel_columns(e, p, i / panels, i % panels); });
    }

    void multiply(const matmul_execution &e, const part &p, int thread, dim_t begin,
        dim_t end) const override {
        const dim_t first = thread * operands_.MC * operands_.NC;
        const block_sums to {e.ctx.scratch(sums_) + first, e.ctx.scratch(scaled_sums_) + first,
            e.ctx.scratch(slices_) + thread * slice_bytes_,
            e.ctx.scratch(slice_sums_) + thread * operands_.NC};
        operands_.driver.begin();
        for (dim_t item = begin; item < end; ++item) {
            const block b = operands_.block_at(p, item);
            const gemm_task t = operands_.task_of(e, b);
            if (has_groups()) std::fill_n(to.scaled, b.rows * operands_.NC, 0.0f);
            for (dim_t group = 0; group < groups(); ++group) multiply_group(e, b, t, to, group);
            finish(e, b, t, to);
        }
        operands_.driver.end(nullptr);
    }

    void sum_panel_columns(
        const matmul_execution &e, const part &p, dim_t matrix, dim_t panel) const {
        const memory_desc &md = operands_.weights.wanted();
        const auto add = kernel_for<every_level>(
            operands_.target, []<class Isa> { return add_column_sums<Isa>; });
        const dim_t all_columns = panel_columns(md.dtype), first = panel * all_columns;
        const dim_t N = operands_.shape.N, columns = std::min(all_columns, p.columns - first);
        const dim_t k_group = panel_k_group(md.dtype);
        const dim_t offset = operands_.matrix_offset(p, matrix) + panel * md.strides[md.ndims - 1];
        const dim_t row = operands_.matrix_of(p, matrix) * segments(), column = p.n0 + first;
        const auto at = [&](dim_t segment) { return (row + segment) * N + column; };
        s32 *column_sums = e.ctx.scratch(column_sums_);
        for (dim_t segment = 0; segment < segments(); ++segment)
            std::fill_n(column_sums + at(segment), columns, 0);
        const bool whole_groups = cut_.segment % k_group == 0;
        const dim_t step = whole_groups ? k_group : 1;
        for (dim_t k = 0; k < operands_.shape.K; k += step) {
            const dim_t in_group = k % cut_.group % k_group;
            const char *from =
                e.weights + offset + operands_.weights.offset_of(k - in_group) + in_group;
            s32 *sums = column_sums + at(k / cut_.segment);
            add({from, md.dtype, sums, columns, step, k_group, 1, 1, 0});
        }
        for (dim_t segment = 0; weights_zero_points_ && segment < segments(); ++segment)
            shift_column_sums(e, operands_.matrix_of(p, matrix), segment, column, columns,
                column_sums + at(segment));
    }

    /// Subtracts the length of a segment times the zero point of column + i from sums[i].
    void shift_column_sums(const matmul_execution &e, dim_t matrix, dim_t segment, dim_t column,
        dim_t columns, s32 *sums) const {
        const s32 *zero_points = weights_zero_points_.at(e.ctx, matrix, segment) + column;
        const auto length = static_cast<std::uint32_t>(cut_.segment);
        for (dim_t i = 0; i < columns; ++i)
            sums[i] = static_cast<s32>(static_cast<std::uint32_t>(sums[i]) -
                                       length * static_cast<std::uint32_t>(zero_points[i]));
    }

    /// Computes the products of one group without zero points. They go to to.sums or, scaled, are
    /// added to to.scaled. What one epilogue can do is done while the sums are in L1.
    void multiply_group(const matmul_execution &e, const block &b, gemm_task t,
        const block_sums &to, dim_t group) const;

    /// The epilogue that adds f32(sums) * the scales of a group to to.scaled.
    epilogue adding_scaled(
        const matmul_execution &e, const block &b, const epilogue_step &add, dim_t group) const {
        epilogue finish {};
        finish.dst_type = data_type::f32;
        finish.steps = &add;
        finish.step_count = 1;
        finish.scale_stride = 1;
        if (src_scales_ && values_.src_scale.varies_along_k())
            finish.row_scales = src_scales_.at(e.ctx, b.at.src_index, group);
        if (weights_scales_ && values_.weights_scale.varies_along_k())
            finish.scales = weights_scales_.at(e.ctx, b.at.weights_index, group);
        return finish;
    }

    /// Makes the compensation of t take off zero points of the weights in one segment, or of src.
    void use_weights_zero_points(
        const matmul_execution &e, const block &b, dim_t segment, epilogue &finish) const {
        const dim_t row = (b.at.src_index * segments() + segment) * operands_.shape.M;
        finish.row_compensation = e.ctx.scratch(row_sums_) + row;
        finish.row_factors = weights_zero_points_.at(e.ctx, b.at.weights_index, segment);
    }
    void use_src_zero_points(const matmul_execution &e, const block &b, const block_sums &to,
        dim_t segment, epilogue &finish) const {
        const dim_t column = (b.at.weights_index * segments() + segment) * operands_.shape.N;
        finish.row_compensation = src_zero_points_.at(e.ctx, b.at.src_index, segment);
        finish.row_factors = operands_.weights.is_streamed() ? to.of_columns - b.n0
                                                             : e.ctx.scratch(column_sums_) + column;
    }

    /// Takes the zero points of one segment off the sums.
    void take_zero_points(
        const matmul_execution &e, const block &b, const block_sums &to, dim_t segment) const {
        epilogue finish {};
        finish.dst_type = data_type::s32;
        const epilogue_rows_args rows = rows_of(b, to.sums, finish);
        if (weights_zero_points_) {
            use_weights_zero_points(e, b, segment, finish);
            epilogue_rows_(rows);
        }
        if (src_zero_points_) {
            use_src_zero_points(e, b, to, segment, finish);
            epilogue_rows_(rows);
        }
    }

    void finish(const matmul_execution &e, const block &b, const gemm_task &t,
        const block_sums &from) const {
        epilogue last = e.finish.data;
        if (src_scales_ && !values_.src_scale.varies_along_k())
            last.row_scales = src_scales_.at(e.ctx, b.at.src_index, 0);
        if (weights_scales_ && !values_.weights_scale.varies_along_k()) {
            last.scales = weights_scales_.at(e.ctx, b.at.weights_index, 0);
            last.scale_stride = 1;
        }
        epilogue_rows_args rows = rows_of(b, from.sums, last);
        if (has_groups()) {
            rows.acc = from.scaled;
            rows.acc_type = data_type::f32;
        }
        rows.dst = t.dst;
        rows.dst_stride_bytes = t.ldd_bytes;
        epilogue_rows_(rows);
    }

    bool has_groups() const { return cut_.group < operands_.shape.K; }
    dim_t segments() const { return operands_.shape.K / cut_.segment; }
    dim_t groups() const { return operands_.shape.K / cut_.group; }

    epilogue_rows_args rows_of(const block &b, s32 *sums, const epilogue &finish) const {
        epilogue_rows_args rows {};
        rows.finish = &finish;
        rows.acc = rows.dst = sums;
        rows.acc_stride_bytes = rows.dst_stride_bytes = operands_.NC * dim_t {sizeof(s32)};
        rows.acc_type = data_type::s32;
        rows.rows = b.rows;
        rows.columns = b.columns;
        std::copy_n(b.at.position, position_rank, rows.position);
        rows.position[row_dim] = b.m0;
        rows.position[column_dim] = b.n0;
        return rows;
    }

    k_cut cut_;
    epilogue_rows_function epilogue_rows_;
    /// By batch, then group or segment of K, then row of src or column of the weights.
    value_table<f32> src_scales_, weights_scales_;
    value_table<s32> src_zero_points_, weights_zero_points_;
    scratch_slot<s32> row_sums_, column_sums_, sums_;
    scratch_slot<f32> scaled_sums_;
    scratch_slot<char> slices_;
    scratch_slot<s32> slice_sums_;
    dim_t slice_bytes_ = 0, slice_panel_bytes_ = 0; ///< of streamed panels
};

/// Makes the panels of one group of a block, slice by slice of K.
class grouped_matmul::group_maker final : public panel_maker {
  public:
    group_maker(const grouped_matmul &owner, const matmul_execution &e, const block &b,
        const block_sums &to, dim_t group)
        : panel_maker(false), owner_(owner), e_(e), b_(b), to_(to), group_(group) {}
    made_panels make(dim_t n0, dim_t n, dim_t k0, dim_t k) override {
        const bool sums = !!owner_.src_zero_points_;
        if (sums && k0 == 0) std::fill_n(to_.of_columns, n, 0);
        owner_.operands_.weights.fill(
            e_.ctx, {b_.at.weights_index, b_.n0 + n0, n, group_ * owner_.cut_.group + k0, k,
                        to_.panels, owner_.slice_panel_bytes_, sums ? to_.of_columns : nullptr});
        return {to_.panels};
    }

  private:
    const grouped_matmul &owner_;
    const matmul_execution &e_;
    const block &b_;
    const block_sums &to_;
    dim_t group_;
};

void grouped_matmul::multiply_group(const matmul_execution &e, const block &b, gemm_task t,
    const block_sums &to, dim_t group) const {
    const dim_t k0 = group * cut_.group;
    const bool streamed = operands_.weights.is_streamed(), weights = !!weights_zero_points_;
    const bool shifted = weights || src_zero_points_;
    epilogue_step add {};
    add.what = epilogue_step::kind::sum;
    add.scale = 1;
    add.operand_type = data_type::f32;
    epilogue finish = adding_scaled(e, b, add, group);
    const bool at_once =
        has_groups() &&
        (!shifted || (cut_.segment == cut_.group && !(weights && src_zero_points_)));
    t.rows = static_cast<const char *>(t.rows) + k0; // bytes, as the panels
    t.b = moved(static_cast<const char *>(t.b), operands_.weights.offset_of(k0));
    t.k = cut_.group;
    t.c = t.dst = to.sums;
    t.ldd_bytes = operands_.NC * dim_t {sizeof(s32)};
    group_maker maker(*this, e, b, to, group);
    if (streamed) {
        t.maker = &maker;
        t.b_panel_bytes = slice_panel_bytes_;
    }
    if (at_once) {
        if (weights) use_weights_zero_points(e, b, group, finish);
        if (src_zero_points_) use_src_zero_points(e, b, to, group, finish);
        t.dst = to.scaled;
        t.finish = &finish;
    }
    operands_.driver.run(t);
    if (streamed && src_zero_points_ && weights)
        shift_column_sums(e, b.at.weights_index, group, b.n0, b.columns, to.of_columns);
    if (at_once) return;
    for (dim_t s = k0 / cut_.segment; shifted && s < (k0 + cut_.group) / cut_.segment; ++s)
        take_zero_points(e, b, to, s);
    if (!has_groups()) return;
    epilogue_rows_args rows = rows_of(b, to.sums, finish);
    rows.dst = to.scaled;
    epilogue_rows_(rows);
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
