// SPDX-License-Identifier: Apache-2.0
// What the convolutions that go line by line share; see line_convolution.hpp.
#include "cpu/convolution/lines/line_convolution.hpp"

#include "cpu/cpu.hpp"

namespace dnnl::impl::cpu {

const char *line_refusal(const problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (!is_forward(op.prop) || op.of_deconvolution) return another_direction;
    if (op.weights.has_zero_dim()) return "made for weights with elements";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    if (const char *reason = product_refusal(op)) return reason;
    if (const char *reason = gemm_types_refusal(p.target, op.src.dtype, op.weights.dtype))
        return reason;
    const data_type weights = is_int8(op.src.dtype) ? data_type::s8 : op.src.dtype;
    return op.weights.dtype == weights ? nullptr : "the types of the operands are not supported";
}

data_type line_word_type(isa target, data_type source) {
    if (is_int8(source)) return source;
    return source == data_type::bf16 && target == isa::avx512_bf16 ? source : data_type::f32;
}

line_convolution::line_convolution(const problem &p)
    : convolution_plan(p), window_(axes_of(shape_, true)),
      common_(kernel_for<vector_levels>(p.target, []<class Isa> { return common_rows<Isa>; })),
      finish_(kernel_for<every_level>(p.target, []<class Isa> { return epilogue_rows<Isa>; })) {}

void line_convolution::plan_tensors(problem &p, const memory_desc &wanted) {
    auto &op = std::get<convolution_desc>(p.op);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    flat_ = uniform(p, op.dst, flat_coordinates(op.dst.ndims));
    epilogue_request request {&op.dst,
        flat_ ? flat_coordinates(op.dst.ndims) : image_coordinates(op.dst.ndims, true),
        op.dst.dims[1], 1, shape_.has_groups ? 3 : 1, is_int8(wanted.dtype), &op.bias};
    request.random = true;
    why_not_ = epilogue_plan::refusal(p.attr, request);
    if (why_not_) return;
    epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
    adapt(p, with_dense_channels(op.src), wanted, with_dense_channels(op.dst));
}

line_convolution::lines_of_plane line_convolution::cut_lines(dim_t item, dim_t block_lines) const {
    const dim_t blocks = div_up(to_.H, block_lines), plane = item / blocks;
    const dim_t line = item % blocks * block_lines;
    return {plane / to_.D, plane % to_.D, line, std::min(block_lines, to_.H - line)};
}

line_convolution::finisher::finisher(const line_convolution &plan, const epilogue &finish,
    char *dst, const s32 *acc, dim_t acc_step, data_type acc_type, dim_t channel, dim_t channels)
    : plan_(plan), dst_(dst + channel * plan.to_.element_bytes) {
    rows_.finish = &finish;
    rows_.acc = acc;
    rows_.acc_stride_bytes = acc_step * dim_t {sizeof(s32)};
    rows_.acc_type = acc_type;
    rows_.dst_stride_bytes = plan.to_.w_bytes;
    rows_.columns = channels;
    rows_.position[column_dim] = channel;
}

void line_convolution::finisher::begin_line(dim_t mb, dim_t d, dim_t line) {
    const image_view &to = plan_.to_;
    line_ = dst_ + to.bytes_at(mb, 0, d, line, 0);
    if (plan_.flat_) {
        row_ = ((mb * to.D + d) * to.H + line) * to.W;
        if (is_ready_) return;
    } else {
        rows_.position[0] = mb;
        rows_.position[1] = d;
        rows_.position[2] = line;
    }
    common_ =
        plan_.common_(*rows_.finish, rows_.acc_type, rows_.position, 0, rows_.columns, columns_);
    is_ready_ = true;
}

void line_convolution::finisher::finish(dim_t pixel, dim_t pixels) {
    rows_.rows = pixels;
    rows_.position[row_dim] = row_ + pixel;
    rows_.dst = line_ + pixel * plan_.to_.w_bytes;
    if (common_)
        common_(columns_, rows_);
    else
        plan_.finish_(rows_);
}

} // namespace dnnl::impl::cpu
