// SPDX-License-Identifier: Apache-2.0
// Pooling of planes; see pooling_plan.hpp. A kernel call works on adjacent planes of an image.
#include "cpu/pooling/pooling_plan.hpp"

#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The bytes of a thread's lines that fit the L2 cache together with other data.
constexpr dim_t buffer_limit = dim_t {1} << 20;

class plane_pooling : public plan {
  public:
    explicit plane_pooling(problem &p) {
        const auto &op = std::get<pooling_desc>(p.op);
        forward_ = is_forward(op.prop);
        why_not_ = refusal(op, p.attr);
        if (why_not_) return;
        const pooling_shape s = shape_of(op);
        const bool inside = lies_inside(s.ID, s.OD, s.KD, s.SD, s.PD) &&
                            lies_inside(s.IH, s.OH, s.KH, s.SH, s.PH) &&
                            lies_inside(s.IW, s.OW, s.KW, s.SW, s.PW);
        call_.excludes = op.alg == dnnl_pooling_avg_exclude_padding && !inside;
        result_md_ = forward_ ? op.dst : op.src;
        src_ = view_of(op.src);
        dst_ = view_of(op.dst);
        if (!op.workspace.is_zero()) workspace_ = view_of(op.workspace);
        call_.maximum = op.alg == dnnl_pooling_max;
        call_.type = op.src.dtype;
        call_.workspace_type = op.workspace.dtype;
        call_.shape = {s.ID, s.IH, s.IW, s.OD, s.OH, s.OW, s.KD, s.KH, s.KW, s.SD, s.SH, s.SW, s.PD,
            s.PH, s.PW, inside, is_whole(s, src_)};
        MB_ = s.MB;
        C_ = s.C;
        const double taps = double(s.KD * s.KH * s.KW);
        // Measured on a Zen 5 core with AVX-512: 0.02 ns for a tap of an output.
        plane_ns_ = 20 + 0.02 * taps * double(s.OD * s.OH * s.OW);
        run_ = kernel_for<vector_levels>(p.target, [&]<class Isa> {
            return forward_ ? pool_planes_forward<Isa> : pool_planes_backward<Isa>;
        });
        threads_ = threads_for(MB_ * C_);
        buffer_size_ = pool_planes_buffer(call_.shape, forward_);
        buffer_ = p.scratchpad.reserve<f32>(threads_ * buffer_size_);
    }

    void execute(const exec_context &ctx) const override {
        if (result_md_.has_zero_dim()) return;
        const int src_arg = forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_SRC;
        const int dst_arg = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST;
        const bool indices = !forward_ && call_.maximum;
        parallel_for(MB_ * C_, plane_ns_, threads_, [&](int thread, dim_t begin, dim_t end) {
            pool_planes_args call = call_;
            call.buffer = ctx.scratch(buffer_) + thread * buffer_size_;
            for (dim_t plane = begin; plane < end; plane += call.planes) {
                const dim_t mb = plane / C_, c = plane % C_;
                call.planes = std::min(end - plane, C_ - c);
                const auto image = [&](int arg, const image_view &v) -> pool_plane_image {
                    char *first = ctx.out<char>(arg) + v.offset0_bytes + v.bytes_at(mb, c, 0, 0, 0);
                    return {first, v.c_bytes, v.d_bytes, v.h_bytes};
                };
                call.src = image(src_arg, src_);
                call.dst = image(dst_arg, dst_);
                if (indices) call.workspace = image(DNNL_ARG_WORKSPACE, workspace_);
                run_(call);
            }
        });
        clear_padding(result_md_, ctx.out<void>(forward_ ? dst_arg : src_arg));
    }

  private:
    const char *refusal(const pooling_desc &op, const primitive_attr &attr) const {
        const auto order = common_order({&op.src, &op.dst, &op.workspace});
        if (!order || order->by_channels) return "pixels of a row are not adjacent";
        const data_type type = op.src.dtype;
        if (type != op.dst.dtype || (type != data_type::f32 && type != data_type::bf16))
            return "neither all of f32 nor all of bf16";
        if (forward_ && !op.workspace.is_zero()) return "a workspace is written";
        if (!attr.post_ops.entries.empty()) return "post-ops";
        const pooling_shape s = shape_of(op);
        if (s.SW > 2) return "pixels are further than 2 from each other";
        const auto dilated = [](dim_t K, dim_t D) { return K > 1 && D != 0; };
        if (dilated(s.KD, s.DD) || dilated(s.KH, s.DH) || dilated(s.KW, s.DW)) return "dilation";
        const dim_t most = buffer_limit / dim_t {sizeof(f32)};
        if (s.IW > most || s.OW > most || s.KW > most || s.PW > most) return "the rows are long";
        if (!forward_ && s.OD * s.OH > most) return "the planes are large";
        if (!forward_ &&
            (s.KD > pool_most_taps || s.KH > pool_most_taps || s.KW > pool_most_taps ||
                s.KD * s.KH * s.KW > pool_most_taps) &&
            !is_whole(s, view_of(op.src)))
            return "the windows are large";
        pool_plane_shape lines {};
        lines.OD = s.OD;
        lines.OH = s.OH;
        lines.IW = s.IW;
        lines.OW = s.OW;
        lines.KW = s.KW;
        lines.PW = s.PW;
        return pool_planes_buffer(lines, forward_) > most ? "the planes are large" : nullptr;
    }

    /// True where windows along a dimension never reach into padding.
    static bool lies_inside(dim_t I, dim_t O, dim_t K, dim_t S, dim_t P) {
        return P == 0 && (O - 1) * S + K <= I;
    }

    /// True for one window without padding that covers adjacent elements.
    static bool is_whole(const pooling_shape &s, const image_view &src) {
        const bool covers = s.KD == s.ID && s.KH == s.IH && s.KW == s.IW;
        const bool one = s.OD == 1 && s.OH == 1 && s.OW == 1;
        const bool inside = s.PD == 0 && s.PH == 0 && s.PW == 0;
        return covers && one && inside && src.rows_follow(src.element_bytes);
    }

    bool forward_ = true;
    memory_desc result_md_;
    image_view src_ {}, dst_ {}, workspace_ {};
    pool_planes_args call_ {};
    pool_planes_function run_ = nullptr;
    dim_t MB_ = 0, C_ = 0;
    double plane_ns_ = 0;
    int threads_ = 1;
    dim_t buffer_size_ = 0;
    scratch_slot<f32> buffer_;
};

} // namespace

planned make_plane_pooling(problem &p) { return try_plan<plane_pooling>(p); }

} // namespace dnnl::impl::cpu
