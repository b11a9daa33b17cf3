// SPDX-License-Identifier: Apache-2.0
// The plan of backward weights on the GEMM block kernels: layouts, blocks and products. What other
// drivers share with it: types, and chunks of pixels whose sums are added in order.
#include "cpu/convolution/weights/convolution_weights.hpp"

#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

// ---- What all drivers of backward weights share ----

const char *weights_gradient_refusal(const problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (is_int8(op.src.dtype)) return "integer sources have no backward weights";
    if (const char *why = gemm_types_refusal(p.target, op.src.dtype, op.dst.dtype)) return why;
    if (!is_float(op.weights.dtype)) return "the type of diff_weights is not supported";
    if (!op.bias.is_zero() && !is_float(op.bias.dtype))
        return "the type of diff_bias is not supported";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    return nullptr;
}

void weights_gradient_plan::choose_chunks(dim_t sums, dim_t parts, dim_t most) {
    // More sums have rows and columns enough for many threads.
    constexpr dim_t few_sums = dim_t {256} << 10, most_sums = 8 * few_sums;
    sums_ = sums;
    if (sums > few_sums || parts == 0) return;
    most = std::min({most, most_sums / std::max<dim_t>(sums, 1), dim_t {32}});
    chunks_ = div_up(parts, div_up(parts, std::max<dim_t>(most, 1)));
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

// ---- The driver on the GEMM ----

gemm_convolution_weights::gemm_convolution_weights(problem &p)
    : weights_gradient_plan(p), target_(p.target),
      type_(std::get<convolution_desc>(p.op).src.dtype), bytes_(size_in_bytes(type_)) {
    kernel_ = select_gemm(target_, type_, type_);
    if (type_ == data_type::f32) strided_ = select_strided_gemm(target_, type_);
    pack_b_ = select_pack_b(target_, type_);
    dots_ = select_dots();
    if (kernel_.run && pack_b_ && dots_)
        choose_layouts(p);
    else
        why_not_ = "no GEMM kernel for these types";
    if (why_not_) return;
    choose_blocks();
    choose_products();
    adapt_weights(p);
    if (why_not_) return;

    const gradient_sums all {shape_.G * chunks_, taps_, rows_, columns_};
    share_ = share_gradient(all, joins_taps_ ? rows_ : kernel_.mr, kernel_.panel_columns, threads_);
    items_ = share_.items(all);
    threads_ = threads_for(items_);
    if (!direct_) {
        const dim_t channels = expands_ ? channels_ : share_.rows;
        line_bytes_ = round_up(channels * lines_.row_stride() * bytes_, 64);
        window_bytes_ = expands_ ? round_up(share_.rows * window_stride_ * bytes_, 64) : 0;
        panel_bytes_ = block_rows_ * kernel_.panel_columns * bytes_;
        panels_bytes_ = div_up(share_.columns, kernel_.panel_columns) * panel_bytes_;
    }
    line_slot_ = p.scratchpad.reserve<char>(threads_ * line_bytes_);
    window_slot_ = p.scratchpad.reserve<char>(threads_ * window_bytes_);
    panel_slot_ = p.scratchpad.reserve<char>(threads_ * panels_bytes_);
    rows_slot_ = p.scratchpad.reserve<const void *>(threads_ * most_products());
    offset_slot_ = p.scratchpad.reserve<dim_t>(threads_ * most_products());
    reserve_sums(p, shape_.G * shape_.OC);
    if (!bias_.is_zero()) {
        ones_slot_ = p.scratchpad.reserve<char>(block_rows_ * bytes_);
        if (swapped_ && !direct_) dots_slot_ = p.scratchpad.reserve<f32>(threads_ * share_.rows);
    }
}

dot_rows_function gemm_convolution_weights::select_dots() const {
    const auto of = [&]<class T>(T) -> dot_rows_function {
        return kernel_for<vector_levels>(target_, []<class Isa> { return dot_rows<Isa, T, T>; });
    };
    if (type_ == data_type::f32) return of(f32 {});
    if (type_ == data_type::bf16) return of(bf16 {});
    return type_ == data_type::f16 ? of(f16 {}) : nullptr;
}

namespace {

dim_t lanes(isa target) { return has(target, isa::avx512) ? 16 : 8; }

/// True where pixels that are so many bytes from each other fall into few sets of a cache.
/// (Measured on a Zen 5 core: then copies are 2 to 15 % faster.)
bool crowds_caches(dim_t left_step, dim_t right_step) {
    return left_step % 4096 == 0 || right_step % 4096 == 0 ||
           (left_step % 2048 == 0 && right_step % 2048 == 0);
}

/// Estimates the cycles that a pixel takes: products of whole vectors, transposition and packing.
/// (Measured on a Zen 5 core.)
double pixel_cycles(isa target, dim_t rows, dim_t columns) {
    return double(rows * div_up(columns, lanes(target))) / 2 + double(rows) * 0.25 +
           double(columns) * 0.1;
}

/// Returns `wanted`, or `user` where only the strides of dimensions of one element differ.
memory_desc with_equal_places(const memory_desc &user, const memory_desc &wanted) {
    if (!user.is_plain() || user.dtype != wanted.dtype) return wanted;
    for (int d = 0; d < user.ndims; ++d)
        if (user.dims[d] != 1 && user.strides[d] != wanted.strides[d]) return wanted;
    return user;
}

} // namespace

void gemm_convolution_weights::choose_layouts(problem &p) {
    auto &op = std::get<convolution_desc>(p.op);
    const bool any = op.weights.is_any();
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    const memory_desc src = with_dense_channels(op.src), dst = with_flat_channels_last(op.dst);
    const convolution_shape &s = shape_;
    const spatial_gather windows(src, s.IC, 1, axes_of(s, true));
    flat_ = windows.is_direct();
    const bool one_tap = s.KD * s.KH * s.KW == 1;
    swapped_ =
        flat_ && one_tap && pixel_cycles(target_, s.OC, s.IC) < pixel_cycles(target_, s.IC, s.OC);
    const int out = s.has_groups ? 1 : 0;
    memory_desc sums = weights_in_order(op.weights, s.has_groups, out + !swapped_, out + swapped_);
    if (any) op.weights = sums;
    sums_layout_ = sums;
    adapt(p, src, op.weights, dst); // the weights once chunks are known: adapt_weights()
    const dim_t dst_stride = flat_row_stride(dst);
    left_group_ = swapped_ ? s.OC : s.IC;
    left_stride_ = swapped_ ? dst_stride : windows.row_stride();
    right_stride_ = swapped_ ? windows.row_stride() : dst_stride;
    const dim_t taps = s.KD * s.KH * s.KW, few_channels = kernel_.begin ? 32 : 16;
    columns_ = swapped_ ? s.IC : s.OC;
    const bool few = !flat_ && !one_tap && s.IC < few_channels;
    const tap_axis w = axes_of(s, true).w;
    joins_taps_ = few && w.tap_step * from_.w_bytes == s.IC * bytes_;
    const dim_t left_step = flat_ ? left_stride_ * bytes_ : w.position_distance() * from_.w_bytes;
    direct_ = strided_.run && (!few || joins_taps_) && columns_ % lanes(target_) == 0 &&
              (op.bias.is_zero() || s.OC % lanes(target_) == 0) &&
              !crowds_caches(left_step, right_stride_ * bytes_);
    joins_taps_ = joins_taps_ && direct_;
    expands_ = few && !direct_;
    taps_ = flat_ || expands_ ? 1 : joins_taps_ ? s.KD * s.KH : taps;
    rows_ = swapped_ ? s.OC : flat_ || expands_ ? taps * s.IC : joins_taps_ ? s.KW * s.IC : s.IC;
    channels_ = flat_ ? rows_ : s.IC;
}

/// Sums that are complete are rounded at once; others wait for those of other chunks.
void gemm_convolution_weights::adapt_weights(problem &p) {
    const memory_desc &user = std::get<convolution_desc>(p.op).weights;
    rounds_ = chunks_ == 1 && !direct_ && user.dtype == data_type::bf16;
    if (rounds_) {
        finish_.dst_type = user.dtype;
        const bool waits = blocks_.count() > 1;
        sums_slot_ = p.scratchpad.reserve<f32>(waits ? shape_.G * taps_ * rows_ * columns_ : 0);
    } else {
        sums_layout_.dtype = data_type::f32;
    }
    weights_ =
        adapted_tensor(p, user, with_equal_places(user, sums_layout_), adapted_tensor::use::write);
    why_not_ = weights_.why_not();
}

void gemm_convolution_weights::choose_blocks() {
    // The size of both operands of a block. The left one may come from L3 and the panels from L2,
    // because long blocks load and store their sums more rarely.
    constexpr dim_t block_bytes = dim_t {512} << 10, fewest = 512, most = 1024;
    const convolution_shape &s = shape_;
    const window_axes axes = axes_of(s, true);
    const dim_t planes = s.MB * s.OD;
    pixels_ = planes * s.OH * s.OW;
    const dim_t elements = rows_ + columns_ + (expands_ ? channels_ : 0);
    const dim_t size =
        std::clamp(block_bytes / std::max<dim_t>(elements * bytes_, 1) / 32 * 32, fewest, most);
    if (flat_) {
        constexpr tap_axis one {1, 1, 1, 0, 1, 1, 1};
        const image_view view {1, 1, pixels_, bytes_, 0, 0, 0, 0, left_stride_ * bytes_, 0};
        blocks_ = gradient_blocks(std::min<dim_t>(pixels_, 1), 1, pixels_, size);
        left_axes_ = {one, one, {pixels_, 1, pixels_, 0, 1, 1, 1}};
        left_view_ = view;
    } else {
        blocks_ = gradient_blocks(planes, s.OH, s.OW, size);
        left_axes_ = axes;
        left_view_ = from_;
    }
    choose_chunks(s.G * taps_ * rows_ * columns_, blocks_.count(), blocks_.count());
}

void gemm_convolution_weights::choose_products() {
    const auto copy = kernel_for<every_level>(target_, []<class Isa> { return copy_tile<Isa>; });
    const auto lines_of = [&](dim_t group) {
        return transposed_lines(left_axes_, left_view_, type_, copy, blocks_, group);
    };
    lines_ = lines_of(1);
    const gradient_block b = blocks_.largest();
    packs_dense_ = expands_ || lines_.is_dense();
    if (!packs_dense_) {
        // AMX tiles multiply whole steps, and to begin a product takes as long as some steps; so
        // they take the gaps between lines, where zeros meet pixels. Vectors lose by that: lines on
        // their own are up to 12 % faster (measured on a Zen 5 core, bf16, lines of 7 pixels).
        const dim_t step = kernel_.k_panel, line = round_up(b.pixels, step) + 3 * step / 2;
        merges_lines_ = kernel_.begin && lines_.line_stride() < line;
        if (merges_lines_) lines_ = lines_of(kernel_.k_group);
        panel_line_ =
            merges_lines_ ? lines_.line_stride() : round_up(b.pixels, dim_t {kernel_.k_group});
    }
    block_rows_ = round_up(panel_rows(b), dim_t {kernel_.k_group});
    window_stride_ = round_up(b.size(), 32) + 16; // not a multiple of a page
}

planned make_gemm_convolution_weights(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop != dnnl_backward_weights) return another_direction;
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    if (const char *reason = weights_gradient_refusal(p)) return reason;
    return try_plan<gemm_convolution_weights>(p);
}

} // namespace dnnl::impl::cpu
