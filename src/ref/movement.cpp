// SPDX-License-Identifier: Apache-2.0
// Operations that move elements (specification: "Reorder", "Concat", "Shuffle", "Sum").
#include "common/descriptors/mappings/mappings.hpp"
#include "common/descriptors/rnn.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

// ---- Reorder: copies between layouts and types, with scales, zero points and a sum ----

/// Writes the sums of the stored elements, padding included, over the dimensions outside
/// column_sums_mask, behind the elements.
void append_column_sums(const memory_desc &md, void *data) {
    if (md.column_sums_mask == 0 || md.has_zero_dim()) return;
    memory_desc whole = md;
    whole.dims = md.padded_dims;
    box columns {md.ndims, {}, {}}, column {md.ndims, {}, {}};
    for (int d = 0; d < md.ndims; ++d) {
        const bool kept = md.column_sums_mask >> d & 1;
        columns.extents[d] = kept ? md.padded_dims[d] : 1;
        column.extents[d] = kept ? 1 : md.padded_dims[d];
    }
    quantization dense;
    dense.mask = md.column_sums_mask;
    const tensor elements(whole, data);
    const tensor sums = tensor::masked(
        whole, dense, data_type::s32, static_cast<std::byte *>(data) + md.elements_bytes());
    const double column_ns = 10.0 * double(column.size());
    columns.for_each_piece(0, 1, column_ns, [&](const dims_t &position, dim_t) {
        box elements_of_column = column;
        elements_of_column.origin = position;
        std::int32_t row[row_length], sum = 0;
        elements_of_column.for_each_row(0, [&](const dims_t &at, dim_t count) {
            elements.read(row, at, 0, count);
            for (dim_t i = 0; i < count; ++i) sum += row[i];
        });
        sums.set(position, sum);
    });
}

/// The tensors, scales and zero points of one execution.
struct operands {
    tensor src, dst, src_scale, src_zero_point, dst_scale, dst_zero_point;
    const sum_post_op *sum = nullptr;
    reorder_values constants; ///< values of a recurrent network's tensors; then there are no others

    operands(const reorder_desc &op, const primitive_attr &attr, const exec_context &ctx)
        : src(ctx, DNNL_ARG_FROM), dst(ctx, DNNL_ARG_TO),
          src_scale(tensor::scales(ctx, attr, DNNL_ARG_FROM)),
          src_zero_point(tensor::zero_points(ctx, attr, DNNL_ARG_FROM)),
          dst_scale(tensor::scales(ctx, attr, DNNL_ARG_TO)),
          dst_zero_point(tensor::zero_points(ctx, attr, DNNL_ARG_TO)) {
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
    bool is_copy() const {
        return !src_scale && !src_zero_point && !dst_scale && !dst_zero_point && !sum;
    }
};

/// dst = (scale_src * (src - zero_point_src) + beta * dst) / scale_dst + zero_point_dst; every
/// operation is rounded to f32 by itself, and the destination scale truly divides.
void convert_row(const operands &o, const dims_t &position, int dim, dim_t count) {
    float x[row_length];
    const auto with = [&](const tensor &operand, const auto &operation) {
        operand.apply_to(x, position, dim, count, operation);
    };
    read_shifted(o.src, o.src_zero_point, x, position, dim, count);
    with(o.src_scale, std::multiplies<>());
    if (o.sum) with(o.dst, [&](float a, float b) { return a + o.sum->scale * b; });
    with(o.dst_scale, std::divides<>());
    with(o.dst_zero_point, std::plus<>());
    o.dst.write(x, position, dim, count);
}

void reorder(const reorder_desc &op, const primitive_attr &attr, const exec_context &ctx) {
    const memory_desc &from = ctx.desc(DNNL_ARG_FROM), &to = ctx.desc(DNNL_ARG_TO);
    require(from.ndims == to.ndims && from.dims == to.dims, "reorder: src and dst differ in dims");
    const operands o(op, attr, ctx);
    const int dim = row_dimension(to);
    const bool exact = o.is_copy() && is_integer(from.dtype) && is_integer(to.dtype);
    for_each_output_row(ctx, DNNL_ARG_TO, dim, 2.0, [&](const dims_t &position, dim_t count) {
        if (!exact) return convert_row(o, position, dim, count);
        std::int32_t x[row_length];
        o.src.read(x, position, dim, count);
        o.dst.write(x, position, dim, count);
    });
    append_column_sums(to, ctx.data(DNNL_ARG_TO));
}

// ---- Concat: the sources one after the other along an axis, each with an optional scale ----

/// dst[..., start + x, ...] = scale * src[..., x, ...].
template <class Value>
void copy(const memory_desc &md, const tensor &src, const tensor &dst, int axis, dim_t start,
    float scale) {
    const int dim = row_dimension(md);
    for_each_row(md, dim, 2.0, [&](dims_t position, dim_t count) {
        Value x[row_length];
        src.read(x, position, dim, count);
        if (scale != 1)
            for (dim_t i = 0; i < count; ++i) x[i] = static_cast<Value>(x[i] * scale);
        position[axis] += start;
        dst.write(x, position, dim, count);
    });
}

/// f64 stays f64, integers stay integers when nothing scales them; all else passes through f32.
void concat(const concat_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const memory_desc &dst_md = ctx.desc(DNNL_ARG_DST);
    const tensor dst(ctx, DNNL_ARG_DST);
    dim_t start = 0;
    for (std::size_t i = 0; i < desc.srcs.size(); ++i) {
        const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
        const memory_desc &md = desc.srcs[i];
        const bool scaled = attr.scales.find(arg) != nullptr;
        const auto copy_values =
            !scaled && is_integer(md.dtype) && is_integer(dst_md.dtype)    ? copy<std::int32_t>
            : md.dtype == data_type::f64 || dst_md.dtype == data_type::f64 ? copy<double>
                                                                           : copy<float>;
        copy_values(
            md, tensor(ctx, arg), dst, desc.axis, start, tensor::common_scale(ctx, attr, arg));
        start += md.dims[desc.axis];
    }
    zero_padding(dst_md, ctx.data(DNNL_ARG_DST));
}

// ---- Shuffle, forward and backward: one permutation of the axis ----

/// Element u + v * rows of the axis of dst is element u * columns + v of src; backward reversed.
void shuffle(const shuffle_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const bool forward = is_forward(desc.prop);
    const int out_arg = forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    const tensor in(ctx, forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST), out(ctx, out_arg);
    const shuffle_matrix matrix = matrix_of(desc);
    const int axis = desc.axis;
    for_each_output_row(ctx, out_arg, axis, 10.0, [&](const dims_t &at, dim_t count) {
        double row[row_length]; // holds every element type exactly
        dims_t from = at;
        for (dim_t i = 0; i < count; ++i) {
            const dim_t x = at[axis] + i;
            from[axis] = x % matrix.rows * matrix.columns + x / matrix.rows;
            row[i] = in.get<double>(from);
        }
        out.write(row, at, axis, count);
    });
}

// ---- Sum ----

/// dst = sum over i of scales[i] * src_i, summed in f64, rounded once to f32.
void sum(const sum_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const int dim = row_dimension(ctx.desc(DNNL_ARG_DST));
    std::vector<tensor> srcs;
    for (std::size_t i = 0; i < desc.srcs.size(); ++i)
        srcs.emplace_back(ctx, DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i));
    const tensor dst(ctx, DNNL_ARG_DST);
    const double item_ns = 2.0 * double(srcs.size());
    for_each_output_row(ctx, DNNL_ARG_DST, dim, item_ns, [&](const dims_t &position, dim_t count) {
        float x[row_length];
        double total[row_length] = {};
        for (std::size_t s = 0; s < srcs.size(); ++s) {
            srcs[s].read(x, position, dim, count);
            for (dim_t i = 0; i < count; ++i) total[i] += double {desc.scales[s]} * x[i];
        }
        for (dim_t i = 0; i < count; ++i) x[i] = static_cast<float>(total[i]);
        dst.write(x, position, dim, count);
    });
}

/// Makes a plan of an operation with a list of sources.
template <class Desc>
planned make_from_sources(problem &p, const type_set &types, reference_function<Desc> run) {
    const auto &desc = std::get<Desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.dst}, types)) return why;
    for (const memory_desc &src : desc.srcs)
        if (const char *why = common_refusal(p.attr, {&src}, types)) return why;
    return make_function_plan(p, run);
}

} // namespace

planned make_reorder(problem &p) {
    const auto &desc = std::get<reorder_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst}, every_type)) return why;
    if (const char *why = reorder_refusal(p)) return why;
    return make_function_plan(p, reorder);
}

planned make_concat(problem &p) { return make_from_sources(p, every_type, concat); }

planned make_shuffle(problem &p) {
    const auto &desc = std::get<shuffle_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst}, common_types_f8_and_f64))
        return why;
    return make_function_plan(p, shuffle);
}

planned make_sum(problem &p) { return make_from_sources(p, common_types_and_f8, sum); }

} // namespace dnnl::impl::ref
