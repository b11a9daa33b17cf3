// SPDX-License-Identifier: Apache-2.0
// Convolution forward and backward data on the blocked GEMM. Rows of A are windows of the image
// (gathered, or the image itself), B is the weights as panels [g][n panel][kd][kh][kw][k][n], rows
// of C are pixels of the result with dense channels. Backward data is the same product of diff_dst
// with the channels of the weights exchanged and the window tables inverted.
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
#include "cpu/epilogue.hpp"
#include "cpu/gemm.hpp"
#include "cpu/gemm_types.hpp"
#include "cpu/spatial_gather.hpp"

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
    const bool forward = is_forward(op.prop);
    return {&dst, channels_last_coordinates(dst.ndims, flat), dst.dims[1], 1, has_groups ? 3 : 1,
        is_int8(op.weights.dtype), forward ? &op.bias : nullptr, -1, 2};
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
        const epilogue *finish;
        const char *padding; ///< a tap of zero points per group, or null
        char *rows;
        s32 *accumulators;
        pending_block *pending;
    };
    bool fill_padding(const exec_context &ctx) const;
    const s32 *compensation(const exec_context &ctx, const char *weights, s32 zero_point) const;
    const s32 *compensation(const exec_context &ctx, const execution &e) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;
    void multiply_rows(gemm_task t, dim_t begin, dim_t end, dim_t column) const;

    convolution_shape shape_;
    bool forward_, flat_;
    isa target_;
    int src_arg_, dst_arg_;
    dim_t K_, N_; ///< channels per group of source and result
    spatial_gather gather_;
    gemm_driver driver_;
    epilogue_plan epilogue_;
    adapted_tensor src_, weights_, dst_;
    /// For a zero point outside the range of the type of src: gathered padding cannot hold it.
    nested_plan reference_;
    dim_t MC_ = 0, column_share_ = 0, line_ = 0, dst_row_stride_ = 0, group_stride_ = 0,
          panel_stride_ = 0;
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
    const packing how {gemm_operand_type(p.target, op.weights.dtype), shape_.has_groups, !forward_,
        zero_points && zero_points->mask == 0};
    if (op.weights.is_any() && how.type == op.weights.dtype)
        op.weights = packed_weights(op.weights, how);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    const memory_desc &from = forward_ ? op.src : op.dst, &to = forward_ ? op.dst : op.src;

    const memory_desc wanted_to = with_flat_channels_last(to);
    flat_ = uniform(p, to, channels_last_coordinates(to.ndims, true));
    const epilogue_request request = request_of(op, to, flat_);
    why_not_ = epilogue_plan::refusal(p, request);
    if (why_not_) return;
    epilogue_ = epilogue_plan(p, request);

    const auto update =
        has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
    const data_type a = gemm_operand_type(p.target, from.dtype), b = how.type;
    src_ = adapted_tensor(p, from, source_of_type(from, a), adapted_tensor::use::read);
    weights_ =
        adapted_tensor(p, op.weights, packed_weights(op.weights, how), adapted_tensor::use::read);
    dst_ = adapted_tensor(p, to, wanted_to, update);
    for (const adapted_tensor *t : {&src_, &weights_, &dst_})
        if (t->why_not()) why_not_ = t->why_not();

    gather_ = spatial_gather(src_.wanted(), shape_, K_, panel_k_group(b), !forward_);
    const dim_t M = gather_.rows(), K = gather_.k();
    driver_ = gemm_driver(p.target, a, b, M, N_, K, threads_);
    if (!driver_) why_not_ = "no GEMM kernel for these types";
    if (why_not_) return;

    const memory_desc &w = weights_.wanted();
    const int first = shape_.has_groups ? 1 : 0;
    group_stride_ = shape_.has_groups ? w.strides[0] : 0;
    panel_stride_ = w.strides[forward_ ? first : first + 1];
    dst_row_stride_ = flat_row_stride(wanted_to);
    line_ = forward_ ? shape_.OW : shape_.IW;

    // Gathered rows should share L2 with the panels; the rest of the blocking is the driver's.
    const dim_t mr = driver_.kernel().mr;
    const dim_t row_bytes = K * static_cast<dim_t>(size_of(a));
    const dim_t fitting = static_cast<dim_t>(caches().l2_bytes) / 2 / std::max<dim_t>(row_bytes, 1);
    MC_ = std::min(driver_.blocking().MC, std::max(fitting / mr * mr, 2 * mr));
    const dim_t blocks = shape_.G * div_up(std::max<dim_t>(M, 1), MC_);
    const dim_t columns = driver_.kernel().panel_columns;
    const dim_t splits = std::clamp<dim_t>(div_up(threads_, blocks), 1, div_up(N_, columns));
    column_share_ = round_up(div_up(N_, splits), columns);

    if (!gather_.is_direct())
        rows_ = p.scratchpad.reserve<char>(threads_ * round_up(MC_ * row_bytes, 64));
    accumulators_ = p.scratchpad.reserve<s32>(threads_ * driver_.accumulator_count());
    if (driver_.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads_);
    if (!zero_points) return;
    // A tap per group; with a zero point per channel also a row of taps.
    padding_ = p.scratchpad.reserve<char>(shape_.G * gather_.tap_size() + gather_.row_size());
    compensation_ = p.scratchpad.reserve<s32>(shape_.G * N_);
    reference_ = nested_plan(p, op, p.attr, isa::none);
    if (!reference_) why_not_ = reference_.why_not();
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

/// The same for zero points per channel of src: the product of a row of them with the weights.
const s32 *gemm_convolution::compensation(const exec_context &ctx, const execution &e) const {
    s32 *out = ctx.scratch(compensation_);
    const dim_t tap = gather_.tap_size();
    char *row = ctx.scratch(padding_) + shape_.G * tap;
    gemm_task t {};
    t.a = row;
    t.lda = gather_.row_size();
    t.b_panel = panel_stride_;
    t.k = gather_.k();
    t.m = 1;
    t.n = N_;
    t.ldd = N_ * dim_t {sizeof(s32)};
    driver_.begin();
    for (dim_t g = 0; g < shape_.G; ++g) {
        for (dim_t first = 0; first < gather_.row_size(); first += tap)
            std::copy_n(e.padding + g * tap, tap, row + first);
        t.b = e.weights + g * group_stride_;
        t.dst = out + g * N_;
        driver_.run(t);
    }
    driver_.end(nullptr);
    return out;
}

/// Taps of zero points. False when one lies outside the range of src's type.
bool gemm_convolution::fill_padding(const exec_context &ctx) const {
    const int arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC;
    const void *values = ctx.in<void>(arg);
    const dim_t offset0 = ctx.desc(arg).offset0, tap = gather_.tap_size();
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

void gemm_convolution::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const auto a_bytes = static_cast<dim_t>(size_of(src_.wanted().dtype));
    const auto b_bytes = static_cast<dim_t>(size_of(weights_.wanted().dtype));
    const auto dst_bytes = static_cast<dim_t>(size_of(dst_.wanted().dtype));
    const dim_t M = gather_.rows(), columns = driver_.kernel().panel_columns;
    const dim_t row_blocks = div_up(M, MC_), shares = div_up(N_, column_share_);
    const dim_t row_bytes = gather_.row_size() * a_bytes;
    char *rows = e.rows + thread * round_up(MC_ * row_bytes, 64);

    gemm_task t {};
    t.lda = gather_.is_direct() ? gather_.row_stride() * a_bytes : row_bytes;
    t.b_panel = panel_stride_ * b_bytes;
    t.ldd = dst_row_stride_ * dst_bytes;
    t.k = gather_.k();
    t.finish = epilogue_.is_identity() ? nullptr : e.finish;
    t.accumulators = e.accumulators + thread * driver_.accumulator_count();
    t.pending = e.pending ? e.pending + thread : nullptr;
    if (t.pending) t.pending->rest.rows = t.pending->current = 0;
    driver_.begin();
    dim_t gathered = -1;
    for (dim_t item = begin; item < end; ++item) {
        const dim_t share = item % shares, block = item / shares;
        const dim_t m0 = block % row_blocks * MC_, g = block / row_blocks;
        const dim_t m1 = std::min(M, m0 + MC_), n0 = share * column_share_;
        const char *src = e.src + g * K_ * a_bytes;
        t.a = gather_.is_direct() ? src + m0 * t.lda : rows;
        if (!gather_.is_direct() && gathered != block) {
            const char *padding = e.padding ? e.padding + g * gather_.tap_size() : nullptr;
            gather_.run(src, m0, m1, rows, padding);
            gathered = block;
        }
        t.b = e.weights + (g * group_stride_ + n0 / columns * panel_stride_) * b_bytes;
        t.n = std::min(column_share_, N_ - n0);
        t.dst = e.dst + (g * N_ + n0) * dst_bytes;
        multiply_rows(t, m0, m1, g * N_ + n0);
    }
    driver_.end(t.pending);
}

void gemm_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    execution e {};
    e.finish = &finish.data;
    e.src = static_cast<const char *>(src_.begin(ctx, ctx.data(src_arg_)));
    e.weights = static_cast<const char *>(weights_.begin(ctx, ctx.data(DNNL_ARG_WEIGHTS)));
    e.dst = static_cast<char *>(dst_.begin(ctx, ctx.data(dst_arg_)));
    e.rows = ctx.scratch(rows_);
    e.accumulators = ctx.scratch(accumulators_);
    if (driver_.kernel().end) e.pending = ctx.scratch(pending_);
    if (epilogue_.has_src_zero_point()) {
        if (!fill_padding(ctx)) return reference_.execute(ctx, ctx.arguments());
        e.padding = ctx.scratch(padding_);
        finish.data.compensation = zero_points_.mask
                                       ? compensation(ctx, e)
                                       : compensation(ctx, e.weights, finish.src_zero_point);
    }
    const dim_t items = shape_.G * div_up(gather_.rows(), MC_) * div_up(N_, column_share_);
    const double products = static_cast<double>(std::min(MC_, gather_.rows())) *
                            static_cast<double>(std::min(column_share_, N_)) *
                            static_cast<double>(gather_.k() + 32);
    parallel_for(items, gemm_cost_ns(target_, src_.wanted().dtype, products), threads_,
        [&](int thread, dim_t begin, dim_t end) { multiply(e, thread, begin, end); });
    dst_.end(ctx, ctx.data(dst_arg_));
}

/// Spatial indices are kept in 32 bits.
bool exceeds_tap_tables(const convolution_desc &op) {
    for (const memory_desc *md : {&op.src, &op.dst})
        for (int d = 2; d < md->ndims; ++d)
            if (md->dims[d] > INT32_MAX) return true;
    return false;
}

} // namespace

planned make_gemm_convolution(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop == dnnl_backward_weights) return "backward weights is another row";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    const memory_desc &from = is_forward(op.prop) ? op.src : op.dst;
    const memory_desc &to = is_forward(op.prop) ? op.dst : op.src;
    if (const char *reason = product_refusal(from, op.weights, op.bias, to, op.prop)) return reason;
    const data_type a = gemm_operand_type(p.target, from.dtype);
    if (const char *reason =
            gemm_types_refusal(p.target, a, gemm_operand_type(p.target, op.weights.dtype)))
        return reason;
    if (exceeds_tap_tables(op)) return "an extent beyond 2^31";
    problem attempt(p);
    auto made = std::make_unique<gemm_convolution>(attempt);
    if (const char *reason = made->why_not()) return reason;
    p = std::move(attempt);
    return planned(std::move(made));
}

} // namespace dnnl::impl::cpu
