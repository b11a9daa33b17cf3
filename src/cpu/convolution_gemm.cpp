// SPDX-License-Identifier: Apache-2.0
// Convolution forward and backward data on the blocked GEMM. Rows of A are windows of the image
// (gathered, or the image itself), B is the weights as panels [g][n panel][kd][kh][kw][k][n], rows
// of C are pixels of the result with dense channels. Backward data is the same product of diff_dst
// with the channels of the weights exchanged and the window tables inverted, one product per phase
// of the strides. Inside a deconvolution it has bias and attributes.
#include "common/convolution.hpp"

#include <algorithm>

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/isa.hpp"
#include "common/parallel.hpp"
#include "common/product_types.hpp"
#include "cpu/adapted_tensor.hpp"
#include "cpu/channels_last.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm.hpp"
#include "cpu/gemm_types.hpp"
#include "cpu/phase_store.hpp"

namespace dnnl::impl::cpu {

namespace {

struct packing {
    data_type type;
    bool has_groups, backward, sums;
};

/// Weights as panels of elements of `type`: n is the output channel forward, the input channel
/// backward.
memory_desc packed_weights(memory_desc md, const packing &how) {
    const auto [type, has_groups, backward, sums] = how;
    md.dtype = type;
    const int first = has_groups ? 1 : 0;
    const int out = first, in = first + 1;
    const std::array<int, 1> group {0};
    std::array<int, 3> spatial {};
    const int spatial_count = md.ndims - first - 2;
    for (int i = 0; i < spatial_count; ++i) spatial[static_cast<std::size_t>(i)] = first + 2 + i;
    md.offset0 = 0;
    set_panel_layout(md,
        {backward ? out : in, backward ? in : out,
            std::span<const int>(group.data(), static_cast<std::size_t>(first)),
            std::span<const int>(spatial.data(), static_cast<std::size_t>(spatial_count)), false});
    md.column_sums_mask = sums ? (has_groups ? 3 : 1) : 0;
    return md;
}

epilogue_request request_of(const convolution_desc &op, const memory_desc &dst, bool flat) {
    const bool has_groups = shape_of(op).has_groups;
    epilogue_request r {&dst, channels_last_coordinates(dst.ndims, flat), dst.dims[1], 1,
        has_groups ? 3 : 1, is_int8(op.weights.dtype), &op.bias};
    r.src_zero_point_mask = 2;
    r.random = true;
    return r;
}

/// md itself where its elements are of this type and its channels adjacent, else a copy that is.
memory_desc source_of_type(const memory_desc &md, data_type type) {
    if (md.dtype == type) return with_dense_channels(md);
    memory_desc copy = channels_last(md);
    copy.dtype = type;
    return copy;
}

class gemm_convolution : public plan {
  public:
    explicit gemm_convolution(problem &p);
    const char *why_not() const { return why_not_; }
    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        const char *src, *weights;
        char *dst;
        const bound_epilogue *finish; ///< one; by lines those of store_
        const s32 *compensation;      ///< [phase][g * N + n], or null without zero points
        const char *padding;          ///< a tap of zero points per group, or null
        char *rows;
        s32 *accumulators;
        pending_block *pending;
    };
    /// Rows [m0, m1) of a phase and columns [n0, n0 + n) of a group.
    struct block {
        std::size_t phase;
        dim_t g, m0, m1, n0, n;
    };
    void set_phases(const memory_desc &from, data_type weights, bool split);
    void set_blocking(problem &p);
    bool fill_padding(const exec_context &ctx) const;
    const s32 *compensation(const exec_context &ctx, const char *weights, s32 zero_point) const;
    const s32 *compensation(const exec_context &ctx, const execution &e) const;
    block block_of(dim_t item) const;
    gemm_task task_of(const execution &e, const block &b) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;
    void multiply_rows(gemm_task t, dim_t begin, dim_t end, dim_t column) const;
    void multiply_lines(const execution &e, gemm_task t, const block &b) const;
    dim_t row_blocks(const window_phase &phase) const { return div_up(phase.gather.rows(), MC_); }
    dim_t shares() const { return div_up(N_, column_share_); }

    convolution_shape shape_;
    bool forward_, flat_;
    isa target_;
    int src_arg_, dst_arg_;
    dim_t K_, N_; ///< channels per group of source and result
    std::vector<window_phase> phases_;
    std::vector<std::vector<dim_t>> run_offsets_; ///< of each phase: bytes from the first tap
    std::vector<dim_t> first_items_;              ///< of each phase
    dim_t items_ = 0;
    /// Sums of one phase go through the epilogue line by line into pixels that are apart; else the
    /// block kernel finishes whole rows.
    bool by_lines_ = false;
    bool has_column_sums_ = false; ///< behind the weights
    gemm_driver driver_;
    epilogue_plan epilogue_;
    phase_store store_;
    adapted_tensor src_, weights_, dst_;
    /// For a zero point outside the range of the type of src: gathered padding cannot hold it.
    nested_plan reference_;
    dim_t MC_ = 0, column_share_ = 0, line_ = 0, dst_row_stride_ = 0, group_stride_ = 0,
          panel_stride_ = 0;
    dim_t row_bytes_ = 0, accumulator_count_ = 0; ///< of one gathered row, of one thread
    int threads_ = 1;
    quantization zero_points_; ///< of src
    scratch_slot<char> rows_, padding_;
    scratch_slot<s32> accumulators_, compensation_;
    scratch_slot<pending_block> pending_;
    const char *why_not_ = nullptr;
};

gemm_convolution::gemm_convolution(problem &p)
    : shape_(shape_of(std::get<convolution_desc>(p.op))),
      forward_(is_forward(std::get<convolution_desc>(p.op).prop)), target_(p.target),
      src_arg_(forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST),
      dst_arg_(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC), K_(forward_ ? shape_.IC : shape_.OC),
      N_(forward_ ? shape_.OC : shape_.IC), threads_(max_threads()) {
    auto &op = std::get<convolution_desc>(p.op);
    const quantization *zero_points = p.attr.zero_points.find(DNNL_ARG_SRC);
    if (zero_points) zero_points_ = *zero_points;
    has_column_sums_ = forward_ && zero_points && zero_points->mask == 0;
    const packing how {gemm_operand_type(p.target, op.weights.dtype), shape_.has_groups, !forward_,
        has_column_sums_};
    if (op.weights.is_any() && how.type == op.weights.dtype)
        op.weights = packed_weights(op.weights, how);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    const memory_desc &from = forward_ ? op.src : op.dst, &to = forward_ ? op.dst : op.src;
    const data_type a = gemm_operand_type(p.target, from.dtype), b = how.type;
    const memory_desc wanted_from = source_of_type(from, a);

    // On tiles a tap of few bytes costs as much as one of 64.
    const dim_t tap_bytes = K_ * static_cast<dim_t>(size_of(a));
    set_phases(wanted_from, b, target_ != isa::amx || tap_bytes >= 32);
    const memory_desc wanted_to = by_lines_ ? with_dense_channels(to) : with_flat_channels_last(to);
    flat_ = !by_lines_ && uniform(p, to, channels_last_coordinates(to.ndims, true));
    const epilogue_request request = request_of(op, to, flat_);
    why_not_ = epilogue_plan::refusal(p, request);
    if (why_not_) return;
    epilogue_ = epilogue_plan(p, request);

    const auto update =
        has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
    src_ = adapted_tensor(p, from, wanted_from, adapted_tensor::use::read);
    weights_ =
        adapted_tensor(p, op.weights, packed_weights(op.weights, how), adapted_tensor::use::read);
    dst_ = adapted_tensor(p, to, wanted_to, update);
    for (const adapted_tensor *t : {&src_, &weights_, &dst_})
        if (t->why_not()) why_not_ = t->why_not();
    dim_t M = 0, K = 0;
    for (const window_phase &phase : phases_) {
        M = std::max(M, phase.gather.rows());
        K = std::max(K, phase.gather.row_size());
    }
    driver_ = gemm_driver(p.target, a, b, M, N_, K, threads_);
    if (!driver_) why_not_ = "no GEMM kernel for these types";
    if (why_not_) return;
    row_bytes_ = K * static_cast<dim_t>(size_of(a));
    set_blocking(p);
    if (!zero_points) return;
    padding_ = p.scratchpad.reserve<char>(shape_.G * round_up(K_, panel_k_group(b)));
    compensation_ = p.scratchpad.reserve<s32>(static_cast<dim_t>(phases_.size()) * shape_.G * N_);
    reference_ = nested_plan(p, op, p.attr, isa::none);
    if (!reference_) why_not_ = reference_.why_not();
}

void gemm_convolution::set_phases(const memory_desc &from, data_type weights, bool split) {
    const dim_t k_group = panel_k_group(weights);
    if (forward_)
        phases_.push_back(forward_phase(from, shape_, K_, k_group));
    else
        phases_ = backward_phases(from, shape_, K_, k_group, split);
    by_lines_ = phases_.size() != 1 || phases_[0].runs.empty();
    const dim_t tap_bytes =
        round_up(K_, k_group) * panel_columns(weights) * static_cast<dim_t>(size_of(weights));
    for (const window_phase &phase : phases_) {
        std::vector<dim_t> &offsets = run_offsets_.emplace_back();
        for (const dim_t tap : phase.runs) offsets.push_back(tap * tap_bytes);
    }
}

void gemm_convolution::set_blocking(problem &p) {
    const memory_desc &w = weights_.wanted();
    const int first = shape_.has_groups ? 1 : 0;
    group_stride_ = shape_.has_groups ? w.strides[0] : 0;
    panel_stride_ = w.strides[forward_ ? first : first + 1];
    if (!by_lines_) dst_row_stride_ = flat_row_stride(dst_.wanted());
    line_ = forward_ ? shape_.OW : shape_.IW;

    // Gathered rows should share L2 with the panels, and so should sums that wait for the epilogue;
    // the rest of the blocking is the driver's.
    const dim_t mr = driver_.kernel().mr, NC = driver_.blocking().NC;
    const auto l2_bytes = static_cast<dim_t>(caches().l2_bytes);
    dim_t fitting = l2_bytes / 2 / std::max<dim_t>(row_bytes_, 1);
    if (by_lines_) fitting = std::min(fitting, l2_bytes / 4 / (NC * dim_t {sizeof(s32)}));
    MC_ = std::min(driver_.blocking().MC, std::max(fitting / mr * mr, 2 * mr));
    dim_t blocks = 0;
    for (const window_phase &phase : phases_) blocks += shape_.G * row_blocks(phase);
    const dim_t columns = driver_.kernel().panel_columns;
    const dim_t splits =
        std::clamp<dim_t>(div_up(threads_, std::max<dim_t>(blocks, 1)), 1, div_up(N_, columns));
    column_share_ = round_up(div_up(N_, splits), columns);
    for (const window_phase &phase : phases_) {
        first_items_.push_back(items_);
        items_ += shape_.G * row_blocks(phase) * shares();
    }

    const bool direct = std::all_of(phases_.begin(), phases_.end(),
        [](const window_phase &phase) { return phase.gather.is_direct(); });
    rows_ =
        p.scratchpad.reserve<char>(direct ? row_bytes_ : threads_ * round_up(MC_ * row_bytes_, 64));
    accumulator_count_ = by_lines_ ? MC_ * NC : driver_.accumulator_count();
    accumulators_ = p.scratchpad.reserve<s32>(threads_ * accumulator_count_);
    if (driver_.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads_);
    if (by_lines_)
        store_ = phase_store(p, dst_.wanted(), epilogue_, phases_.empty() ? 1 : phases_[0].step[2]);
}

/// zero_point * column sum for every channel of the result.
const s32 *gemm_convolution::compensation(
    const exec_context &ctx, const char *weights, s32 zero_point) const {
    const memory_desc &w = weights_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(weights + w.elements_bytes());
    const dim_t padded = w.padded_dims[shape_.has_groups ? 1 : 0];
    s32 *out = ctx.scratch(compensation_);
    for (dim_t g = 0; g < shape_.G; ++g)
        for (dim_t n = 0; n < N_; ++n) out[g * N_ + n] = zero_point * sums[g * padded + n];
    return out;
}

/// The same per phase, for zero points per channel of src, too: what a window in the padding alone
/// sums up to, the product of a row of zero points with the weights.
const s32 *gemm_convolution::compensation(const exec_context &ctx, const execution &e) const {
    s32 *out = ctx.scratch(compensation_);
    driver_.begin();
    for (std::size_t p = 0; p < phases_.size(); ++p)
        for (dim_t g = 0; g < shape_.G; ++g) {
            const dim_t tap = phases_[p].gather.tap_size();
            for (dim_t first = 0; first < phases_[p].gather.row_size(); first += tap)
                std::copy_n(e.padding + g * tap, tap, e.rows + first);
            gemm_task t = task_of(e, {p, g, 0, 1, 0, N_});
            t.a = e.rows;
            t.m = 1;
            t.finish = nullptr;
            t.dst = out + (static_cast<dim_t>(p) * shape_.G + g) * N_;
            if (phases_[p].runs.empty())
                std::fill_n(static_cast<s32 *>(t.dst), N_, 0);
            else
                driver_.run(t);
        }
    driver_.end(nullptr);
    return out;
}

/// Taps of zero points. False when one lies outside the range of src's type.
bool gemm_convolution::fill_padding(const exec_context &ctx) const {
    const int arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC;
    const void *values = ctx.in<void>(arg);
    const dim_t offset0 = ctx.desc(arg).offset0, tap = phases_[0].gather.tap_size();
    const s32 low = src_.wanted().dtype == data_type::u8 ? 0 : -128;
    char *padding = ctx.scratch(padding_);
    for (dim_t g = 0; g < shape_.G; ++g)
        for (dim_t c = 0; c < tap; ++c) {
            const dim_t channel = g * K_ + std::min(c, K_ - 1);
            const s32 x =
                load_s32(zero_points_.dtype, values, offset0 + (zero_points_.mask ? channel : 0));
            if (x < low || x > low + 255) return false;
            padding[g * tap + c] = static_cast<char>(x);
        }
    return true;
}

/// Rows [begin, end) of the result: one call, or one per line where a post-op needs positions.
void gemm_convolution::multiply_rows(gemm_task t, dim_t begin, dim_t end, dim_t column) const {
    const dim_t dst_bytes = static_cast<dim_t>(size_of(dst_.wanted().dtype));
    const char *a = static_cast<const char *>(t.a);
    char *dst = static_cast<char *>(t.dst);
    const dim_t lines = forward_ ? shape_.OH : shape_.IH, planes = forward_ ? shape_.OD : shape_.ID;
    for (dim_t row = begin; row < end; row += t.m) {
        t.a = a + (row - begin) * t.lda;
        t.dst = dst + row * dst_row_stride_ * dst_bytes;
        t.position[column_dim] = column;
        if (flat_) {
            t.m = end - row;
            t.position[row_dim] = row;
        } else {
            const dim_t line = row / line_;
            t.m = std::min(end, (line + 1) * line_) - row;
            t.position[row_dim] = row - line * line_;
            t.position[2] = line % lines;
            t.position[1] = line / lines % planes;
            t.position[0] = line / lines / planes;
        }
        driver_.run(t);
    }
}

/// A block of a phase whose pixels are apart, or whose windows hit nothing.
void gemm_convolution::multiply_lines(const execution &e, gemm_task t, const block &b) const {
    const dim_t NC = driver_.blocking().NC, columns = driver_.kernel().panel_columns;
    auto *sums = static_cast<s32 *>(t.accumulators);
    const char *panels = static_cast<const char *>(t.b);
    t.finish = nullptr;
    t.pending = nullptr;
    t.dst = sums;
    t.ldd = NC * dim_t {sizeof(s32)};
    t.m = b.m1 - b.m0;
    for (dim_t n0 = 0; n0 < b.n; n0 += NC) {
        t.n = std::min(NC, b.n - n0);
        t.b = panels + n0 / columns * t.b_panel;
        if (phases_[b.phase].runs.empty())
            std::fill_n(sums, t.m * NC, 0);
        else
            driver_.run(t);
        const s32 *compensation = e.compensation;
        if (compensation) compensation += static_cast<dim_t>(b.phase) * shape_.G * N_;
        store_.run(e.finish, e.dst, phases_[b.phase],
            {sums, driver_.kernel().acc_type, NC, b.m0, b.m1, b.g * N_ + b.n0 + n0, t.n,
                compensation});
    }
}

gemm_convolution::block gemm_convolution::block_of(dim_t item) const {
    const auto behind = std::upper_bound(first_items_.begin(), first_items_.end(), item);
    block b {};
    b.phase = static_cast<std::size_t>(behind - first_items_.begin()) - 1;
    const window_phase &phase = phases_[b.phase];
    const dim_t local = item - first_items_[b.phase], row_block = local / shares();
    b.n0 = local % shares() * column_share_;
    b.n = std::min(column_share_, N_ - b.n0);
    b.m0 = row_block % row_blocks(phase) * MC_;
    b.m1 = std::min(phase.gather.rows(), b.m0 + MC_);
    b.g = row_block / row_blocks(phase);
    return b;
}

/// What the product of a block takes, but for a place of the thread.
gemm_task gemm_convolution::task_of(const execution &e, const block &b) const {
    const window_phase &phase = phases_[b.phase];
    const auto a_bytes = static_cast<dim_t>(size_of(src_.wanted().dtype));
    const auto b_bytes = static_cast<dim_t>(size_of(weights_.wanted().dtype));
    const auto dst_bytes = static_cast<dim_t>(size_of(dst_.wanted().dtype));
    const bool direct = phase.gather.is_direct();
    gemm_task t {};
    t.lda = (direct ? phase.gather.row_stride() : phase.gather.row_size()) * a_bytes;
    t.a = e.src + b.g * K_ * a_bytes + b.m0 * t.lda; // of direct rows
    t.batch = static_cast<int>(phase.runs.size());
    t.k = phase.run_k();
    t.a_step = t.k * a_bytes;
    t.b_offsets = run_offsets_[b.phase].data();
    t.b_panel = panel_stride_ * b_bytes;
    t.b = e.weights +
          (b.g * group_stride_ + b.n0 / driver_.kernel().panel_columns * panel_stride_) * b_bytes;
    t.n = b.n;
    t.dst = e.dst + (b.g * N_ + b.n0) * dst_bytes;
    t.ldd = dst_row_stride_ * dst_bytes;
    t.finish = epilogue_.is_identity() ? nullptr : &e.finish->data;
    return t;
}

void gemm_convolution::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const auto a_bytes = static_cast<dim_t>(size_of(src_.wanted().dtype));
    char *rows = e.rows + thread * round_up(MC_ * row_bytes_, 64);
    pending_block *pending = e.pending ? e.pending + thread : nullptr;
    if (pending) reset(*pending);
    driver_.begin();
    block gathered {phases_.size(), 0, 0, 0, 0, 0};
    for (dim_t item = begin; item < end; ++item) {
        const block b = block_of(item);
        const spatial_gather &gather = phases_[b.phase].gather;
        gemm_task t = task_of(e, b);
        t.accumulators = e.accumulators + thread * accumulator_count_;
        t.pending = pending;
        if (!gather.is_direct()) {
            t.a = rows;
            const bool same = b.phase == gathered.phase && b.g == gathered.g && b.m0 == gathered.m0;
            const char *padding = e.padding ? e.padding + b.g * gather.tap_size() : nullptr;
            if (!same) gather.run(e.src + b.g * K_ * a_bytes, b.m0, b.m1, rows, padding);
            gathered = b;
        }
        if (by_lines_)
            multiply_lines(e, t, b);
        else
            multiply_rows(t, b.m0, b.m1, b.g * N_ + b.n0);
    }
    driver_.end(pending);
}

void gemm_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    execution e {};
    e.finish = by_lines_ ? store_.bind(ctx, finish) : &finish;
    e.src = static_cast<const char *>(src_.begin(ctx, ctx.data(src_arg_)));
    e.weights = static_cast<const char *>(weights_.begin(ctx, ctx.data(DNNL_ARG_WEIGHTS)));
    e.dst = static_cast<char *>(dst_.begin(ctx, ctx.data(dst_arg_)));
    e.rows = ctx.scratch(rows_);
    e.accumulators = ctx.scratch(accumulators_);
    if (driver_.kernel().end) e.pending = ctx.scratch(pending_);
    if (epilogue_.has_src_zero_point()) {
        if (!fill_padding(ctx)) return reference_.execute(ctx, ctx.arguments());
        e.padding = ctx.scratch(padding_);
        e.compensation = has_column_sums_ ? compensation(ctx, e.weights, finish.src_zero_point)
                                          : compensation(ctx, e);
        finish.data.compensation = e.compensation;
    }
    dim_t rows = 1, k = 0;
    for (const window_phase &phase : phases_) {
        rows = std::max(rows, std::min(MC_, phase.gather.rows()));
        k = std::max(k, phase.gather.row_size());
    }
    const double products = static_cast<double>(rows) * static_cast<double>(k + 32) *
                            static_cast<double>(std::min(column_share_, N_));
    parallel_for(items_, gemm_cost_ns(target_, src_.wanted().dtype, products), threads_,
        [&](int thread, dim_t begin, dim_t end) { multiply(e, thread, begin, end); });
    dst_.end(ctx, ctx.data(dst_arg_));
}

} // namespace

planned make_gemm_convolution(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop == dnnl_backward_weights) return "backward weights is another row";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    const memory_desc &from = is_forward(op.prop) ? op.src : op.dst;
    const memory_desc &to = is_forward(op.prop) ? op.dst : op.src;
    const dnnl_prop_kind_t prop = op.of_deconvolution ? dnnl_forward_inference : op.prop;
    if (const char *reason = product_refusal(from, op.weights, op.bias, to, prop)) return reason;
    const data_type a = gemm_operand_type(p.target, from.dtype);
    if (const char *reason =
            gemm_types_refusal(p.target, a, gemm_operand_type(p.target, op.weights.dtype)))
        return reason;
    if (const char *reason = tap_table_refusal(op)) return reason;
    problem attempt(p);
    auto made = std::make_unique<gemm_convolution>(attempt);
    if (const char *reason = made->why_not()) return reason;
    p = std::move(attempt);
    return planned(std::move(made));
}

} // namespace dnnl::impl::cpu
