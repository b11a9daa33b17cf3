// SPDX-License-Identifier: Apache-2.0
// Reorder: copies between layouts and types, with scales, zero points and a sum (specification:
// "Reorder"). Operations are rounded to f32 one by one; the destination scale truly divides.
#include "common/descriptors/movement.hpp"
#include "common/descriptors/rnn.hpp"
#include "common/runtime/error.hpp"
#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// Sums of the stored elements over the dimensions outside column_sums_mask, padding included,
/// written after the elements.
void append_column_sums(const memory_desc &md, void *data) {
    if (md.column_sums_mask == 0 || md.has_zero_dim()) return;
    memory_desc whole = md, columns = md, column = md;
    whole.dims = md.padded_dims;
    for (int d = 0; d < md.ndims; ++d) {
        const bool kept = md.column_sums_mask >> d & 1;
        columns.dims[d] = kept ? md.padded_dims[d] : 1;
        column.dims[d] = kept ? 1 : md.padded_dims[d];
    }
    quantization dense;
    dense.mask = md.column_sums_mask;
    void *behind = static_cast<std::byte *>(data) + md.elements_bytes();
    const tensor elements(whole, data);
    const tensor sums = tensor::masked(whole, dense, data_type::s32, behind);
    const dim_t count = column.nelems();
    for_each_piece(columns, 0, 1, 10.0 * static_cast<double>(count), [&](dims_t position, dim_t) {
        std::int32_t sum = 0;
        for (dim_t index = 0; index < count; ++index) {
            dims_t at = position_of(column, index);
            for (int d = 0; d < md.ndims; ++d) at[d] += position[d];
            sum += elements.get<std::int32_t>(at);
        }
        sums.set(position, sum);
    });
}

/// The arguments of one execution.
struct operands {
    tensor src, dst, src_scale, src_zero_point, dst_scale, dst_zero_point;
    const sum_post_op *sum = nullptr;
    reorder_values constants; ///< of recurrent networks; then there are no others

    operands(const reorder_desc &op, const primitive_attr &attr, const exec_context &ctx)
        : src(ctx, DNNL_ARG_FROM), dst(ctx, DNNL_ARG_TO),
          src_scale(values(DNNL_ARG_ATTR_SCALES, attr.scales, DNNL_ARG_FROM, ctx)),
          src_zero_point(values(DNNL_ARG_ATTR_ZERO_POINTS, attr.zero_points, DNNL_ARG_FROM, ctx)),
          dst_scale(values(DNNL_ARG_ATTR_SCALES, attr.scales, DNNL_ARG_TO, ctx)),
          dst_zero_point(values(DNNL_ARG_ATTR_ZERO_POINTS, attr.zero_points, DNNL_ARG_TO, ctx)) {
        if (!attr.post_ops.entries.empty())
            sum = std::get_if<sum_post_op>(&attr.post_ops.entries.front());
        if (attr.rnn.is_default()) return;
        constants = values_of(op, attr.rnn);
        const auto take = [&](tensor &to, std::vector<float> &values, int mask) {
            quantization q;
            q.mask = mask;
            if (!values.empty()) to = tensor::masked(op.dst, q, data_type::f32, values.data());
        };
        take(src_zero_point, constants.src_zero_point, 0);
        take(src_scale, constants.src_scale, constants.mask);
        take(dst_scale, constants.dst_scale, constants.mask);
        take(dst_zero_point, constants.dst_zero_point, 0);
    }
    static tensor values(
        int kind, const quantization_params &params, int arg, const exec_context &ctx) {
        return tensor::quantization_values(ctx, kind, params.find(arg), ctx.desc(arg));
    }
    bool is_copy() const {
        return !src_scale && !src_zero_point && !dst_scale && !dst_zero_point && !sum;
    }
};

/// dst = (scale_src * (src - zero_point_src) + beta * dst) / scale_dst + zero_point_dst.
void convert_row(const operands &o, const dims_t &position, int dim, dim_t count) {
    float x[row_length], y[row_length];
    o.src.read(x, position, dim, count);
    const auto with = [&](const tensor &operand, const auto &change) {
        if (!operand) return;
        operand.read(y, position, dim, count);
        for (dim_t i = 0; i < count; ++i) x[i] = change(x[i], y[i]);
    };
    with(o.src_zero_point, [](float a, float b) { return a - b; });
    with(o.src_scale, [](float a, float b) { return a * b; });
    if (o.sum) with(o.dst, [&](float a, float b) { return a + o.sum->scale * b; });
    with(o.dst_scale, [](float a, float b) { return a / b; });
    with(o.dst_zero_point, [](float a, float b) { return a + b; });
    o.dst.write(x, position, dim, count);
}

void reorder(const reorder_desc &op, const primitive_attr &attr, const exec_context &ctx) {
    const memory_desc &from = ctx.desc(DNNL_ARG_FROM), &to = ctx.desc(DNNL_ARG_TO);
    require(from.ndims == to.ndims && from.dims == to.dims, "reorder: src and dst differ in dims");
    const operands o(op, attr, ctx);
    const int dim = row_dimension(to);
    const bool exact = o.is_copy() && is_integer(from.dtype) && is_integer(to.dtype);
    for_each_row(to, dim, 2.0, [&](const dims_t &position, dim_t count) {
        if (!exact) return convert_row(o, position, dim, count);
        std::int32_t x[row_length];
        o.src.read(x, position, dim, count);
        o.dst.write(x, position, dim, count);
    });
    zero_padding(to, ctx.data(DNNL_ARG_TO));
    append_column_sums(to, ctx.data(DNNL_ARG_TO));
}

} // namespace

planned make_reorder(problem &p) {
    const auto &desc = std::get<reorder_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst}, every_type)) return why;
    if (const char *why = reorder_refusal(p)) return why;
    return make_function_plan<reorder_desc>(p, reorder);
}

} // namespace dnnl::impl::ref
