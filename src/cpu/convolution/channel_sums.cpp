// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/channel_sums.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/window/image_view.hpp"

namespace dnnl::impl::cpu {

void store_channel_sums(const memory_desc &md, void *to, const ordered_sums<f32> &sums) {
    sums.add_up(md.dims[0],
        [&](dim_t c, f32 sum) { store_f32(md.dtype, to, md.offset0 + c * md.strides[0], sum); });
}

channel_sums::channel_sums(problem &p, const memory_desc &tensor, const memory_desc &sums)
    : run_(kernel_for<vector_levels>(p.target, []<class Isa> { return depthwise_weights<Isa>; })),
      sums_(sums) {
    if (!is_float(tensor.dtype) || !is_float(sums.dtype))
        why_not_ = "the type of diff_bias is not supported";
    if (!sums.is_plain()) why_not_ = "diff_bias has a blocked layout";
    if (why_not_) return;
    tensor_ = adapted_tensor(p, tensor, with_flat_channels_last(tensor), adapted_tensor::use::read);
    why_not_ = tensor_.why_not();
    constexpr dim_t vector_channels = 16;  // a whole vector at every level
    constexpr dim_t pixels_of_chunk = 512; // so that one chunk is worth a thread
    pixels_ = tensor.nelems() / std::max<dim_t>(tensor.dims[1], 1);
    chunks_ = std::clamp<dim_t>(pixels_ / pixels_of_chunk, 1, 64);
    padded_channels_ = round_up(tensor.dims[1], vector_channels);
    partial_ = p.scratchpad.reserve<f32>(chunks_ * padded_channels_);
}

void channel_sums::execute(const exec_context &ctx, void *tensor, void *sums) const {
    const memory_desc &md = tensor_.wanted();
    const auto bytes = static_cast<dim_t>(size_of(md.dtype));
    const dim_t step = flat_row_stride(md) * bytes, channels = md.dims[1];
    f32 *partial = ctx.scratch(partial_);
    const char *from = static_cast<const char *>(tensor_.begin(ctx, tensor));
    const dim_t chunk_size = div_up(pixels_, chunks_);
    parallel_for(
        chunks_, static_cast<double>(chunk_size * channels) / 20, [&](int, dim_t begin, dim_t end) {
            for (dim_t chunk = begin; chunk < end; ++chunk) {
                depthwise_weights_args call {}; // no taps: bias sums alone
                call.type = md.dtype;
                call.diff_dst = from + chunk * chunk_size * step;
                call.diff_dst_step = step;
                call.pixels = std::min(chunk_size, pixels_ - chunk * chunk_size);
                call.channels = channels;
                call.bias_sums = partial + chunk * padded_channels_;
                std::fill_n(call.bias_sums, padded_channels_, 0.0f);
                if (call.pixels > 0) run_(call);
            }
        });
    store_channel_sums(
        sums_, sums, {partial, partial + padded_channels_, chunks_, padded_channels_});
}

} // namespace dnnl::impl::cpu
