// SPDX-License-Identifier: Apache-2.0
// Local response normalization, forward and backward. A slab has everything that its windows may
// reach, whatever the layout; each slab is one item of work.
#include "common/descriptors/mappings/mappings.hpp"

#include "cpu/cpu.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t across_elements = 1 << 13; ///< elements of a slab, where its size is free
constexpr dim_t within_lanes = 16;         ///< channels of a slab that lie side by side

/// Slabs are counted along images, channels (the first one of the slab), and three spatial loops.
struct slab_loops {
    dim_t channel_step, channels; ///< channels per slab, slabs
    dim_t depth, height;          ///< slabs
    dim_t pixel_step, pixels;     ///< pixels of a row in a slab, and slabs of a row
};

class vector_lrn : public plan {
  public:
    explicit vector_lrn(problem &p) {
        const auto &op = std::get<lrn_desc>(p.op);
        forward_ = is_forward(op.prop);
        out_md_ = forward_ ? op.dst : op.src;
        const memory_desc &src = forward_ ? op.src : op.data;
        const auto order = common_order({&src, &op.dst, &op.src});
        if (!order) why_not_ = "neither channels nor pixels of a row are adjacent in all tensors";
        if (why_not_) return;
        order_ = *order;
        shape_ = shape_of(op);
        src_ = view_of(src);
        diff_ = view_of(op.dst);
        out_ = view_of(out_md_);
        call_.type = src.dtype;
        call_.factor = static_cast<f32>(shape_.factor);
        call_.k = op.k;
        call_.beta = op.beta;
        shape_.across ? plan_across() : plan_within();
        run_ = kernel_for<vector_levels>(
            p.target, [&]<class Isa> { return forward_ ? lrn_forward<Isa> : lrn_backward<Isa>; });
        threads_ = threads_for(shape_.MB * slabs_of_image());
        buffer_size_ = lrn_buffer_size(call_);
        buffer_ = p.scratchpad.reserve<f32>(threads_ * buffer_size_);
    }

    void execute(const exec_context &ctx) const override {
        if (out_md_.has_zero_dim()) return;
        const double elements = double(call_.planes * call_.rows * call_.row_length);
        // Measured on a Zen 5 core with AVX-512: 1.9 to 2.6 ns for an element.
        parallel_for(shape_.MB * slabs_of_image(), 50 + 2 * elements, threads_,
            [&](int thread, dim_t begin, dim_t end) {
                for (dim_t item = begin; item < end; ++item)
                    run_slab(ctx, item, ctx.scratch(buffer_) + thread * buffer_size_);
            });
        clear_padding(out_md_, ctx.out<void>(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC));
    }

  private:
    dim_t slabs_of_image() const {
        return loops_.channels * loops_.depth * loops_.height * loops_.pixels;
    }

    /// Plans windows along channels: along the row where these are adjacent, else across rows.
    void plan_across() {
        const dim_t half = std::min(shape_.half, std::max<dim_t>(shape_.C - 1, 0));
        // Where the first pixel of a row follows the last one of the row before like any other.
        if (src_.rows_follow(src_.w_bytes) && diff_.rows_follow(diff_.w_bytes) &&
            out_.rows_follow(out_.w_bytes)) {
            shape_.W *= shape_.D * shape_.H;
            shape_.D = shape_.H = 1;
        }
        call_.planes = 1;
        call_.row_step = 1;
        const dim_t pixels =
            std::clamp<dim_t>(across_elements / std::max<dim_t>(shape_.C, 1), 16, 256);
        loops_ = {shape_.C, 1, shape_.D, shape_.H, std::min(pixels, shape_.W), 1};
        loops_.pixels = div_up(shape_.W, std::max<dim_t>(loops_.pixel_step, 1));
        if (order_.by_channels) {
            call_.rows = loops_.pixel_step;
            call_.row_length = shape_.C;
            call_.run_length = order_.block;
            call_.half_row = half;
        } else {
            call_.rows = shape_.C;
            call_.row_length = call_.run_length = loops_.pixel_step;
            call_.half_rows = half;
        }
    }

    /// Plans windows over the image, of several channels at once where these are adjacent.
    void plan_within() {
        const auto reach = [&](dim_t extent) {
            return std::min(shape_.half, std::max<dim_t>(extent - 1, 0));
        };
        const dim_t lanes = order_.by_channels ? std::min(order_.block, within_lanes) : 1;
        loops_ = {lanes, div_up(shape_.C, lanes), 1, 1, shape_.W, 1};
        call_.planes = shape_.D;
        call_.rows = shape_.H;
        call_.row_step = lanes;
        call_.row_length = shape_.W * lanes;
        call_.run_length = order_.by_channels ? lanes : shape_.W;
        call_.half_planes = reach(shape_.D);
        call_.half_rows = reach(shape_.H);
        call_.half_row = reach(shape_.W);
    }

    void run_slab(const exec_context &ctx, dim_t item, f32 *buffer) const {
        const dim_t pixel = item % loops_.pixels * loops_.pixel_step;
        item /= loops_.pixels;
        const dim_t h = item % loops_.height, d = item / loops_.height % loops_.depth;
        item /= loops_.height * loops_.depth;
        const dim_t c = item % loops_.channels * loops_.channel_step, mb = item / loops_.channels;
        lrn_args call = call_;
        call.buffer = buffer;
        const dim_t pixels = std::min(loops_.pixel_step, shape_.W - pixel);
        const dim_t channels = std::min(loops_.channel_step, shape_.C - c);
        if (shape_.across) {
            (order_.by_channels ? call.rows : call.row_length) = pixels;
        } else if (order_.by_channels) {
            call.row_step = call.run_length = channels;
            call.row_length = shape_.W * channels;
        }
        const auto part = [&](int arg, const image_view &t) {
            const dim_t offset_bytes = t.offset0_bytes +
                                       t.bytes_at(mb, c / order_.block, d, h, pixel) +
                                       c % order_.block * t.element_bytes;
            lrn_tensor result {ctx.out<char>(arg) + offset_bytes, t.d_bytes / t.element_bytes,
                t.h_bytes / t.element_bytes, 0};
            if (shape_.across)
                result.row_stride = (order_.by_channels ? t.w_bytes : t.c_bytes) / t.element_bytes;
            if (order_.by_channels)
                result.run_stride = (shape_.across ? t.c_bytes : t.w_bytes) / t.element_bytes;
            return result;
        };
        call.src = part(DNNL_ARG_SRC, src_);
        if (!forward_) call.diff = part(DNNL_ARG_DIFF_DST, diff_);
        call.dst = part(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, out_);
        run_(call);
    }

    bool forward_ = true;
    memory_desc out_md_;
    image_order order_ {};
    lrn_shape shape_ {};
    image_view src_ {}, diff_ {}, out_ {};
    slab_loops loops_ {};
    lrn_args call_ {};
    lrn_function run_ = nullptr;
    int threads_ = 1;
    dim_t buffer_size_ = 0;
    scratch_slot<f32> buffer_;
};

} // namespace

planned make_lrn(problem &p) {
    const auto &op = std::get<lrn_desc>(p.op);
    if (!is_float(op.src.dtype)) return "a tensor is not f32, bf16 or f16";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    return make_walked_or_relaid(p, try_plan<vector_lrn>, plain_layout);
}

} // namespace dnnl::impl::cpu
