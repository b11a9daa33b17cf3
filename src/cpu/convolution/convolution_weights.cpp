// SPDX-License-Identifier: Apache-2.0
// Convolution backward weights on the GEMM block kernels: for each group, C[(kd, kh, kw, ic)][oc] =
// sum over pixels of window[pixel][(kd, kh, kw, ic)] * diff_dst[pixel][oc]. Blocks of pixels are
// gathered, transposed into rows and multiplied with diff_dst packed into panels. The bias gradient
// is one more row, of ones.
#include <algorithm>

#include "common/descriptors/problem.hpp"
#include "cpu/convolution/convolution.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

const char *weights_gradient_refusal(const problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (is_int8(op.src.dtype)) return "integer sources have no backward weights";
    if (const char *reason = gemm_types_refusal(p.target, op.src.dtype, op.dst.dtype))
        return reason;
    if (!is_float(op.weights.dtype)) return "the type of diff_weights is not supported";
    if (!op.bias.is_zero() && !is_float(op.bias.dtype))
        return "the type of diff_bias is not supported";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    return nullptr;
}

void weights_gradient_plan::choose_chunks(dim_t sums, dim_t pixels, dim_t most) {
    constexpr dim_t few_sums = dim_t {256} << 10, pixels_of_chunk = 2048;
    sums_ = sums;
    chunks_ = sums <= few_sums ? std::clamp<dim_t>(pixels / pixels_of_chunk, 1, most) : 1;
}

void weights_gradient_plan::reserve_sums(problem &p, dim_t bias_sums) {
    bias_ = std::get<convolution_desc>(p.op).bias;
    bias_sums_ = bias_sums;
    more_sums_ = p.scratchpad.reserve<f32>((chunks_ - 1) * sums_);
    if (!bias_.is_zero()) all_bias_sums_ = p.scratchpad.reserve<f32>(chunks_ * bias_sums);
}

weights_gradient_plan::all_sums weights_gradient_plan::sums_of(
    const exec_context &ctx, const tensors &first) const {
    f32 *bias = bias_.is_zero() ? nullptr : ctx.scratch(all_bias_sums_);
    return {{reinterpret_cast<f32 *>(first.weights), ctx.scratch(more_sums_), chunks_, sums_},
        {bias, moved(bias, bias_sums_), chunks_, bias_sums_}};
}

void weights_gradient_plan::store(const exec_context &ctx, const all_sums &sums) const {
    sums.weights.add_up_into_first(sums_);
    end(ctx);
    if (sums.bias.first) store_channel_sums(bias_, ctx.data(DNNL_ARG_DIFF_BIAS), sums.bias);
}

void store_channel_sums(const memory_desc &md, void *to, const ordered_sums<f32> &sums) {
    sums.add_up(md.dims[0],
        [&](dim_t c, f32 sum) { store_f32(md.dtype, to, md.offset0 + c * md.strides[0], sum); });
}

namespace {

class gemm_convolution_weights : public weights_gradient_plan {
  public:
    explicit gemm_convolution_weights(problem &p)
        : weights_gradient_plan(p), target_(p.target),
          type_(std::get<convolution_desc>(p.op).src.dtype) {
        auto &op = std::get<convolution_desc>(p.op);
        prefer_channels_last(op.src, op.dst);
        default_layouts(p);
        // f32 sums in the order of C: [g][kd][kh][kw][ic][oc].
        const int out = shape_.has_groups ? 1 : 0;
        memory_desc sums = weights_in_order(op.weights, shape_.has_groups, out + 1, out);
        sums.dtype = data_type::f32;
        adapt(p, with_dense_channels(op.src), sums, with_flat_channels_last(op.dst));
        kernel_ = select_gemm(target_, type_, type_);
        copy_ = kernel_for<vector_levels>(target_, []<class Isa> { return copy_tile<Isa>; });
        pack_b_ = select_pack_b(target_, type_);
        if (!kernel_.run || !pack_b_) why_not_ = "no GEMM kernel for these types";
        if (why_not_) return;

        gather_ = spatial_gather(src_.wanted(), shape_.IC, 1, axes_of(shape_, true));
        dst_row_stride_ = flat_row_stride(dst_.wanted());
        R_ = gather_.row_size();
        const dim_t pixels = std::max<dim_t>(gather_.rows(), 1);
        constexpr dim_t block_elements = dim_t {128} << 10; // of gathered windows: a share of L2
        block_ = std::clamp<dim_t>(block_elements / std::max<dim_t>(R_, 1) / 64 * 64, 64, 512);
        block_ = std::min(block_, round_up(pixels, 64));
        choose_chunks(shape_.G * R_ * shape_.OC, pixels);
        const dim_t columns = std::max<dim_t>(shape_.OC, 1); // OC may be 0
        const dim_t splits = std::clamp<dim_t>(
            div_up(threads_, shape_.G * chunks_), 1, div_up(columns, kernel_.panel_columns));
        share_ = round_up(div_up(columns, splits), kernel_.panel_columns);

        threads_ = threads_for(items());
        const dim_t bytes = size_in_bytes(type_);
        windows_ = p.scratchpad.reserve<char>(
            gather_.is_direct() ? 0 : threads_ * round_up(block_ * R_ * bytes, 64));
        rows_ = p.scratchpad.reserve<char>(threads_ * round_up(block_ * R_ * bytes, 64));
        panels_ = p.scratchpad.reserve<char>(threads_ * round_up(block_ * share_ * bytes, 64));
        reserve_sums(p, shape_.G * shape_.OC);
        if (!bias_.is_zero()) ones_ = p.scratchpad.reserve<char>(block_ * bytes);
    }

    void execute(const exec_context &ctx) const override {
        const tensors first = begin(ctx);
        const execution e {first.src, first.dst, sums_of(ctx, first), ctx.scratch(windows_),
            ctx.scratch(rows_), ctx.scratch(panels_), ctx.scratch(ones_)};
        const ordered_sums<f32> &sums = e.sums.weights, &bias = e.sums.bias;
        if (bias.first) {
            for (dim_t k = 0; k < block_; ++k) store_f32(type_, e.ones, k, 1.0f);
            std::fill_n(bias.first, chunks_ * bias.stride, 0.0f);
        }
        if (gather_.rows() == 0) std::fill_n(sums.first, sums.stride, 0.0f);
        const double products = static_cast<double>(gather_.rows()) / static_cast<double>(chunks_) *
                                static_cast<double>(R_ * share_);
        if (gather_.rows() > 0)
            parallel_for(items(), gemm_cost_ns(target_, type_, products), threads_,
                [&](int thread, dim_t begin, dim_t end) { multiply(e, thread, begin, end); });
        store(ctx, e.sums);
    }

  private:
    struct execution {
        const char *src, *diff_dst;
        all_sums sums; ///< of the weights [g][R][oc], of the bias [g][oc]
        char *windows, *rows, *panels, *ones;
    };
    struct item {
        dim_t g, chunk, n0, n;
    };

    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
        const dim_t shares = div_up(shape_.OC, share_), pixels = gather_.rows();
        const dim_t chunk_size = div_up(pixels, chunks_);
        if (kernel_.begin) kernel_.begin();
        for (dim_t index = begin; index < end; ++index) {
            item i {};
            i.n0 = index % shares * share_;
            i.n = std::min(share_, shape_.OC - i.n0);
            i.chunk = index / shares % chunks_;
            i.g = index / shares / chunks_;
            const dim_t last = std::min(pixels, (i.chunk + 1) * chunk_size);
            for (dim_t p0 = i.chunk * chunk_size; p0 < last; p0 += block_)
                multiply_block(e, i, thread, p0, std::min(p0 + block_, last));
        }
        if (kernel_.end) kernel_.end(nullptr);
    }

    /// Adds the pixels [p0, p1) to the sums of one item.
    void multiply_block(const execution &e, const item &i, int thread, dim_t p0, dim_t p1) const {
        const dim_t bytes = size_in_bytes(type_);
        const dim_t pixels = p1 - p0;
        const char *src = e.src + i.g * shape_.IC * bytes;
        const dim_t windows_bytes = round_up(block_ * R_ * bytes, 64);
        char *windows = e.windows + thread * windows_bytes, *rows = e.rows + thread * windows_bytes;
        char *panels = e.panels + thread * round_up(block_ * share_ * bytes, 64);

        copy_tile_args a {};
        a.src_type = a.dst_type = type_;
        a.rows = R_;
        a.columns = pixels;
        a.src_row = a.dst_column = 1;
        a.dst = rows;
        a.dst_row = block_;
        if (gather_.is_direct()) {
            a.src = src + p0 * gather_.row_stride() * bytes;
            a.src_column = gather_.row_stride();
        } else {
            gather_.run(src, p0, p1, windows, nullptr);
            a.src = windows;
            a.src_column = R_;
        }
        copy_(a);

        pack_b_args b {};
        b.src = e.diff_dst + (p0 * dst_row_stride_ + i.g * shape_.OC + i.n0) * bytes;
        b.k_stride = dst_row_stride_;
        b.n_stride = 1;
        b.k = pixels;
        b.k_padded = round_up(pixels, kernel_.k_group);
        b.n = i.n;
        b.dst = panels;
        b.panel_bytes = block_ * kernel_.panel_columns * bytes;
        pack_b_(b);

        gemm_block_args t {};
        const void *rows_pointer = rows;
        t.batch = 1;
        t.a = &rows_pointer;
        t.lda_bytes = block_ * bytes;
        t.b = panels;
        t.b_panel_bytes = b.panel_bytes;
        t.m = R_;
        t.n = i.n;
        t.k = pixels;
        t.c = e.sums.weights.of(i.chunk) + i.g * R_ * shape_.OC + i.n0;
        t.ldc_bytes = shape_.OC * dim_t {sizeof(f32)};
        t.accumulate = p0 > 0 && p0 != i.chunk * div_up(gather_.rows(), chunks_);
        kernel_.run(t);
        if (bias_.is_zero()) return;
        rows_pointer = e.ones;
        t.m = 1;
        t.c = e.sums.bias.of(i.chunk) + i.g * shape_.OC + i.n0;
        kernel_.run(t);
    }

    dim_t items() const { return shape_.G * chunks_ * div_up(shape_.OC, share_); }

    isa target_;
    data_type type_;
    spatial_gather gather_;
    gemm_kernel kernel_ {};
    void (*copy_)(const copy_tile_args &) = nullptr;
    pack_b_function pack_b_ = nullptr;
    dim_t R_ = 0;     ///< rows of C per group: taps * IC
    dim_t block_ = 0; ///< pixels per block
    dim_t share_ = 0, dst_row_stride_ = 0;
    scratch_slot<char> windows_, rows_, panels_, ones_;
};

} // namespace

planned make_gemm_convolution_weights(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop != dnnl_backward_weights) return another_direction;
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    if (const char *reason = weights_gradient_refusal(p)) return reason;
    return try_plan<gemm_convolution_weights>(p);
}

} // namespace dnnl::impl::cpu
