// SPDX-License-Identifier: Apache-2.0
// Binary (specification: "Binary"): dst = alg(scale0 * src0, scale1 * src1), and select.
#include "common/descriptors/elementwise.hpp"

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// Neither rounds nor leaves the range of its operands.
bool keeps_integers(dnnl_alg_kind_t alg) {
    return alg != dnnl_binary_add && alg != dnnl_binary_sub && alg != dnnl_binary_mul &&
           alg != dnnl_binary_div;
}

/// Value is float, or std::int32_t where integers pass unchanged, or double for f64 tensors.
template <class Value>
void binary(const binary_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const memory_desc &md = ctx.desc(DNNL_ARG_DST);
    const int dim = row_dimension(md);
    const tensor src0(ctx, DNNL_ARG_SRC_0), src1(ctx, DNNL_ARG_SRC_1), src2(ctx, DNNL_ARG_SRC_2);
    const auto scale_of = [&](int arg) {
        const tensor scale = tensor::quantization_values(
            ctx, DNNL_ARG_ATTR_SCALES, attr.scales.find(arg), ctx.desc(arg));
        return scale ? scale.get<float>({}) : 1.0f;
    };
    const float scale0 = scale_of(DNNL_ARG_SRC_0), scale1 = scale_of(DNNL_ARG_SRC_1);
    const tensor dst(ctx, DNNL_ARG_DST);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, dim);
    for_each_row(md, dim, 4.0, [&](const dims_t &position, dim_t count) {
        Value a[row_length], b[row_length];
        std::int32_t condition[row_length];
        src0.read(a, position, dim, count);
        src1.read(b, position, dim, count);
        if constexpr (!std::is_same_v<Value, std::int32_t>)
            for (dim_t i = 0; i < count; ++i) {
                a[i] *= scale0;
                b[i] *= scale1;
            }
        if (desc.alg == dnnl_binary_select) {
            src2.read(condition, position, dim, count);
            for (dim_t i = 0; i < count; ++i) a[i] = condition[i] != 0 ? a[i] : b[i];
        } else {
            for (dim_t i = 0; i < count; ++i) a[i] = binary_value(desc.alg, a[i], b[i]);
        }
        if constexpr (std::is_same_v<Value, double>)
            dst.write(a, position, dim, count);
        else
            finish.store(a, position, count);
    });
    finish.zero_dst_padding();
}

} // namespace

planned make_binary(problem &p) {
    const auto &desc = std::get<binary_desc>(p.op);
    if (const char *why = common_refusal(
            p.attr, {&desc.src0, &desc.src1, &desc.src2, &desc.dst}, common_types_f8_and_f64))
        return why;
    const auto is_f64 = [](const memory_desc &md) { return md.dtype == data_type::f64; };
    if (is_f64(desc.src0) || is_f64(desc.src1) || is_f64(desc.dst)) {
        if (!is_f64(desc.src0) || !is_f64(desc.src1) || !is_f64(desc.dst))
            return "f64 together with another type";
        if (!p.attr.post_ops.entries.empty()) return "post-ops on f64 tensors";
        return make_function_plan<binary_desc>(p, binary<double>);
    }
    const bool integer = is_integer(desc.src0.dtype) && is_integer(desc.src1.dtype) &&
                         keeps_integers(desc.alg) && p.attr.scales.empty();
    return make_function_plan<binary_desc>(p, integer ? binary<std::int32_t> : binary<float>);
}

} // namespace dnnl::impl::ref
