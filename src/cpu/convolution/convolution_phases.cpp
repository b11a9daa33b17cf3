// SPDX-License-Identifier: Apache-2.0
// Backward data with strides as one product per phase: pixels of the result with equal remainders
// by the strides hit the same taps, so that a product multiplies the taps that exist and no others.
// The sums of a phase go through the epilogue by rows of the image, into pixels a stride apart.
#include "cpu/convolution/convolution.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/window/position_runs.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The phases of depth, height and width; those of an image are their products.
using phases_by_axis = std::array<std::vector<axis_phase>, 3>;

/// Finds the phases. There is a single one of all positions where strides are 1, where phases would
/// be too many to pay, and on AMX where a tap of few bytes costs as much as one of 64.
phases_by_axis phases_of(const problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    const convolution_shape s = shape_of(op);
    const dim_t tap_bytes =
        s.OC * size_in_bytes(gemm_operand_types(p.target, op.dst.dtype, op.weights.dtype).a);
    const window_axes window = axes_of(s, false);
    const std::array<tap_axis, 3> axes {window.d, window.h, window.w};
    const std::array<dim_t, 3> strides {s.SD, s.SH, s.SW};
    std::array<dim_t, 3> steps {1, 1, 1};
    dim_t count = 1;
    for (std::size_t d = 0; d < 3 && (p.target != isa::amx || tap_bytes >= 32); ++d) {
        steps[d] = std::clamp<dim_t>(strides[d], 1, std::max<dim_t>(axes[d].positions, 1));
        count = std::min(count * std::min(steps[d], most_phases + 1), most_phases + 1);
    }
    if (count > most_phases) steps = {1, 1, 1};
    phases_by_axis phases;
    for (std::size_t d = 0; d < 3; ++d) phases[d] = cpu::phases_of(axes[d], steps[d]);
    return phases;
}

/// The taps of a phase. Those that follow each other in the weights make a run. The runs stand in a
/// nest of three loops; by (kd, kh, kw), the first tap of the first run, and from run to run.
struct tap_runs {
    dim_t first_tap = 0;
    std::array<dim_t, 3> counts {}, steps {};
    dim_t length = 1; ///< taps

    /// Returns the number of runs; 0 where the phase has no taps, so that its sums are 0.
    dim_t count() const { return counts[0] * counts[1] * counts[2]; }
    /// Lists the first tap of each run, times `unit`.
    void list(dim_t unit, dim_t *offsets) const {
        for (dim_t d = 0; d < counts[0]; ++d)
            for (dim_t h = 0; h < counts[1]; ++h)
                for (dim_t w = 0; w < counts[2]; ++w)
                    *offsets++ = (first_tap + d * steps[0] + h * steps[1] + w * steps[2]) * unit;
    }
};

/// Cuts the taps of a kernel of these extents into runs: single taps, pieces of rows, rows, planes.
tap_runs runs_of(const std::array<const axis_phase *, 3> &axes, const std::array<dim_t, 3> &sizes) {
    tap_runs runs;
    dim_t unit = 1; // taps from neighbour to neighbour
    bool adjacent = true;
    for (std::size_t d = 3; d-- > 0;) {
        const dim_t taps = axes[d]->axis.taps;
        runs.first_tap += axes[d]->first_tap * unit;
        runs.counts[d] = taps;
        runs.steps[d] = axes[d]->tap_step * unit;
        adjacent = adjacent && (axes[d]->tap_step == 1 || taps == 1);
        if (adjacent) {
            runs.counts[d] = taps > 0 ? 1 : 0;
            runs.length *= taps;
            adjacent = taps == sizes[d];
        }
        unit *= sizes[d];
    }
    return runs;
}

class phased_convolution : public gemm_convolution {
  public:
    explicit phased_convolution(problem &p);

  private:
    struct phase {
        std::array<dim_t, 3> first, step, count; ///< of the positions, by depth, height, width
        tap_runs runs;
        dim_t first_run; ///< of all phases one after the other
    };
    void begin_products(const exec_context &ctx, const bound_epilogue &finish) const override;
    gemm_task task_of(const execution &e, const block &b) const override;
    void run_block(const execution &e, gemm_task t, const block &b, row_lists lists) const override;
    dim_t place_rows(const execution &e, const block &b, gemm_task &t, dim_t row) const override;
    epilogue epilogue_of(const execution &e, const block &b) const;
    char *pixel(const execution &e, const block &b, dim_t row, dim_t *position) const;
    void store(const execution &e, const s32 *sums, const block &b) const;
    const phase &phase_of(const block &b) const { return phases_[b.product]; }

    std::vector<phase> phases_;
    bool by_lines_ = true; ///< sums of a line are finished at once, else those of a block
    dim_t tap_bytes_ = 0;  ///< of one tap in a panel
    epilogue_rows_function store_rows_;
    /// The number of epilogues: one per phase of the width where an operand varies along it.
    dim_t epilogues_ = 1;
    scratch_slot<bound_epilogue> finish_;
    scratch_slot<dim_t> run_offsets_; ///< bytes from the first tap of the weights
};

phased_convolution::phased_convolution(problem &p)
    : gemm_convolution(p, true),
      store_rows_(kernel_for<every_level>(p.target, []<class Isa> { return epilogue_rows<Isa>; })) {
    if (why_not_) return;
    const convolution_shape &s = shape_;
    const dim_t k_group = panel_k_group(packed_type_);
    const auto [depths, heights, widths] = phases_of(p);
    phases_.reserve(depths.size() * heights.size() * widths.size());
    windows_.reserve(phases_.capacity());
    dim_t runs = 0;
    std::vector<tap_order> orders;
    orders.reserve(phases_.capacity());
    for (const axis_phase &d : depths)
        for (const axis_phase &h : heights)
            for (const axis_phase &w : widths) {
                windows_.emplace_back(
                    src_.wanted(), K_, k_group, window_axes {d.axis, h.axis, w.axis});
                phases_.push_back({{d.first, h.first, w.first}, {d.step, h.step, w.step},
                    {d.axis.positions, h.axis.positions, w.axis.positions},
                    runs_of({&d, &h, &w}, {s.KD, s.KH, s.KW}), runs});
                const tap_runs &taps = phases_.back().runs;
                runs += taps.count();
                orders.push_back({taps.first_tap, taps.steps});
            }
    // Measured on a Zen 5 core: lines of 14 and 28 pixels lose by calls of their own, 128 gain.
    constexpr dim_t shortest_line = 48;
    for (const axis_phase &w : widths)
        if (w.axis.positions < shortest_line) by_lines_ = false;
    plan_blocks(p, orders, by_lines_);
    if (why_not_) return;
    tap_bytes_ = round_up(K_, k_group) * panel_columns(packed_type_) * size_in_bytes(packed_type_);
    run_offsets_ = p.scratchpad.reserve<dim_t>(runs);
    if (!epilogue_.varies_along_rows() || widths.size() < 2) return;
    epilogues_ = dim_t(widths.size());
    finish_ = p.scratchpad.reserve<bound_epilogue>(epilogues_);
}

void phased_convolution::begin_products(
    const exec_context &ctx, const bound_epilogue &finish) const {
    for (const phase &phase : phases_)
        phase.runs.list(tap_bytes_, ctx.scratch(run_offsets_) + phase.first_run);
    for (dim_t first = 0; epilogues_ > 1 && first < epilogues_; ++first)
        take_rows(finish, first, epilogues_, ctx.scratch(finish_)[first]);
}

/// The task of a block; the runs of taps are its batch.
gemm_task phased_convolution::task_of(const execution &e, const block &b) const {
    const phase &phase = phase_of(b);
    gemm_task t = gemm_convolution::task_of(e, b);
    t.batch = static_cast<int>(phase.runs.count());
    if (t.batch != 1) t.k = phase.runs.length * window(b.product).tap_size();
    t.a_step_bytes = t.k * size_in_bytes(src_.wanted().dtype);
    t.b_offset_bytes = e.ctx.scratch(run_offsets_) + phase.first_run;
    return t;
}

void phased_convolution::run_block(
    const execution &e, gemm_task t, const block &b, row_lists lists) const {
    const epilogue finish = epilogue_of(e, b);
    if (t.finish) t.finish = &finish;
    if (by_lines_ && t.batch > 0) return gemm_convolution::run_block(e, t, b, lists);
    const dim_t NC = driver_.blocking().NC, columns = driver_.kernel().panel_columns;
    auto *sums = static_cast<s32 *>(t.c);
    const char *panels = static_cast<const char *>(t.b);
    t.finish = nullptr;
    t.previous = nullptr;
    t.dst = sums;
    t.ldd_bytes = NC * dim_t {sizeof(s32)};
    t.m = b.m1 - b.m0;
    for (dim_t n0 = 0; n0 < b.n; n0 += NC) {
        t.n = std::min(NC, b.n - n0);
        t.b = panels + n0 / columns * t.b_panel_bytes;
        for (const listed_rows &list : lists) {
            t.dst = sums + (list.first - b.m0) * NC;
            run_list(t, list);
        }
        if (t.batch == 0)
            std::fill_n(sums, t.m * NC, 0);
        else if (lists.empty())
            driver_.run(t);
        store(e, sums, {b.product, b.g, b.m0, b.m1, b.n0 + n0, t.n});
    }
}

epilogue phased_convolution::epilogue_of(const execution &e, const block &b) const {
    const dim_t w = phase_of(b).first[2];
    epilogue finish = epilogues_ > 1 ? e.ctx.scratch(finish_)[w].data : *e.finish;
    finish.compensation = moved(e.compensation, b.product * shape_.G * N_);
    return finish;
}

/// Returns channel 0 of the pixel of a row, and sets its position but for the column.
char *phased_convolution::pixel(
    const execution &e, const block &b, dim_t row, dim_t *position) const {
    const phase &phase = phase_of(b);
    const auto [D, H, W] = phase.count;
    const dim_t w = row % W, line = row / W;
    position[0] = line / H / D;
    position[1] = phase.first[0] + line / H % D * phase.step[0];
    position[2] = phase.first[1] + line % H * phase.step[1];
    position[row_dim] = w;
    return e.dst + to_.bytes_at(position[0], 0, position[1], position[2],
                       phase.first[2] + w * phase.step[2]);
}

dim_t phased_convolution::place_rows(
    const execution &e, const block &b, gemm_task &t, dim_t row) const {
    const dim_t W = phase_of(b).count[2];
    t.ldd_bytes = phase_of(b).step[2] * to_.w_bytes;
    t.dst = pixel(e, b, row, t.position) + t.position[column_dim] * to_.element_bytes;
    return std::min(b.m1, (row / W + 1) * W);
}

/// sums: [row - m0][column - n0] of the block, f32 or s32, NC from row to row.
void phased_convolution::store(const execution &e, const s32 *sums, const block &b) const {
    const dim_t W = phase_of(b).count[2], NC = driver_.blocking().NC;
    const epilogue finish = epilogue_of(e, b);
    epilogue_rows_args rows {};
    rows.finish = &finish;
    rows.acc_stride_bytes = NC * dim_t {sizeof(s32)};
    rows.acc_type = driver_.kernel().acc_type;
    rows.dst_stride_bytes = phase_of(b).step[2] * to_.w_bytes;
    rows.columns = b.n;
    rows.position[column_dim] = b.g * N_ + b.n0;
    for (dim_t row = b.m0; row < b.m1; row += rows.rows) {
        rows.rows = std::min(b.m1 - row, W - row % W);
        rows.acc = sums + (row - b.m0) * NC;
        rows.dst = pixel(e, b, row, rows.position) + rows.position[column_dim] * to_.element_bytes;
        store_rows_(rows);
    }
}

} // namespace

/// A single phase of all taps is an ordinary product, and so are sums that s32 need not hold, which
/// cannot wait for an epilogue.
bool has_phases(const problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (is_forward(op.prop)) return false;
    const convolution_shape s = shape_of(op);
    const auto [d, h, w] = phases_of(p);
    if (d.size() != 1 || h.size() != 1 || w.size() != 1) return true;
    const dim_t taps = d[0].axis.taps * h[0].axis.taps * w[0].axis.taps;
    if (taps == s.KD * s.KH * s.KW) return false;
    const data_type a = op.dst.dtype, b = op.weights.dtype;
    const bool zero_point = p.attr.zero_points.find(DNNL_ARG_SRC) != nullptr;
    return !is_int8(a) ||
           taps * round_up(s.OC, panel_k_group(b)) <= exact_sum_length(a, b, zero_point);
}

planned make_phased_convolution(problem &p) { return try_plan<phased_convolution>(p); }

} // namespace dnnl::impl::cpu
