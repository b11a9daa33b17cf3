// SPDX-License-Identifier: Apache-2.0
// The reference implementations: readable, for any CPU, any element type, layout and attribute.
// Plans are functions of an operation, its attributes and arguments, with refusals of their own.
#pragma once

#include <initializer_list>
#include <memory>

#include "ref/epilogue.hpp"

namespace dnnl::impl::ref {

/// The rows of the table, one for each primitive.
using row_maker = planned(problem &);
row_maker make_attention, make_convolution, make_deconvolution, make_inner_product, make_matmul,
    make_pooling, make_eltwise, make_binary, make_softmax, make_batch_normalization,
    make_layer_normalization, make_group_normalization, make_prelu, make_reduction, make_reorder,
    make_rnn, make_resampling, make_sum, make_concat, make_shuffle, make_lrn;
/// A matmul with a sparse operand; make_matmul() hands it on.
planned make_sparse_matmul(problem &);

template <class Desc>
using reference_function = void (*)(const Desc &, const primitive_attr &, const exec_context &);

template <class Desc> class function_plan : public plan {
  public:
    function_plan(const problem &p, reference_function<Desc> run)
        : desc_(std::get<Desc>(p.op)), attr_(p.attr), run_(run) {}
    void execute(const exec_context &ctx) const override { run_(desc_, attr_, ctx); }

  private:
    Desc desc_;
    primitive_attr attr_;
    reference_function<Desc> run_;
};

/// Replaces the layouts `any` of the problem and wraps the function.
template <class Desc> planned make_function_plan(problem &p, reference_function<Desc> run) {
    default_layouts(p);
    return std::unique_ptr<plan>(std::make_unique<function_plan<Desc>>(p, run));
}

/// Types that the tensors of a primitive may have, and the reason that refuses any other type.
struct type_set {
    bool (*has)(data_type);
    const char *otherwise;
};
inline constexpr type_set float_types {is_float, "a tensor is not f32, bf16 or f16"};
inline constexpr type_set common_types {is_common, "a tensor is not f32, bf16, f16, s32, s8 or u8"};
inline constexpr type_set common_types_and_f8 {
    is_common_or_f8, "a tensor is not f32, bf16, f16, f8, s32, s8 or u8"};
inline constexpr type_set common_types_f8_and_f64 {
    [](data_type t) { return is_common_or_f8(t) || t == data_type::f64; },
    "a tensor is not f32, bf16, f16, f8, f64, s32, s8 or u8"};
inline constexpr type_set every_type {[](data_type) { return true; }, nullptr};

/// Null, or why a reference implementation that takes these types does not take these tensors or
/// attributes. Tensors that an operation lacks are passed as zero descriptors.
inline const char *common_refusal(const primitive_attr &attr,
    std::initializer_list<const memory_desc *> tensors,
    const type_set &types = common_types_and_f8) {
    for (const memory_desc *md : tensors) {
        if (md->is_zero()) continue;
        if (!types.has(md->dtype)) return types.otherwise;
        if (!md->is_any() && !md->is_blocked()) return "a tensor has an opaque layout";
    }
    return epilogue_refusal(attr);
}

} // namespace dnnl::impl::ref
