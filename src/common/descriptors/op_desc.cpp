// SPDX-License-Identifier: Apache-2.0
// What each operation is called and which tensors its execution takes.
#include "common/descriptors/op_desc.hpp"

#include <utility>

#include "common/descriptors/rnn.hpp"

namespace dnnl::impl {

namespace {
dnnl_primitive_kind_t kind(const convolution_desc &) { return dnnl_convolution; }
dnnl_primitive_kind_t kind(const deconvolution_desc &) { return dnnl_deconvolution; }
dnnl_primitive_kind_t kind(const inner_product_desc &) { return dnnl_inner_product; }
dnnl_primitive_kind_t kind(const matmul_desc &) { return dnnl_matmul; }
dnnl_primitive_kind_t kind(const pooling_desc &) { return dnnl_pooling; }
dnnl_primitive_kind_t kind(const eltwise_desc &) { return dnnl_eltwise; }
dnnl_primitive_kind_t kind(const binary_desc &) { return dnnl_binary; }
dnnl_primitive_kind_t kind(const softmax_desc &) { return dnnl_softmax; }
dnnl_primitive_kind_t kind(const batch_normalization_desc &) { return dnnl_batch_normalization; }
dnnl_primitive_kind_t kind(const layer_normalization_desc &) { return dnnl_layer_normalization; }
dnnl_primitive_kind_t kind(const group_normalization_desc &) { return dnnl_group_normalization; }
dnnl_primitive_kind_t kind(const prelu_desc &) { return dnnl_prelu; }
dnnl_primitive_kind_t kind(const resampling_desc &) { return dnnl_resampling; }
dnnl_primitive_kind_t kind(const reduction_desc &) { return dnnl_reduction; }
dnnl_primitive_kind_t kind(const reorder_desc &) { return dnnl_reorder; }
dnnl_primitive_kind_t kind(const sum_desc &) { return dnnl_sum; }
dnnl_primitive_kind_t kind(const concat_desc &) { return dnnl_concat; }
dnnl_primitive_kind_t kind(const rnn_desc &) { return dnnl_rnn; }
dnnl_primitive_kind_t kind(const shuffle_desc &) { return dnnl_shuffle; }
dnnl_primitive_kind_t kind(const lrn_desc &) { return dnnl_lrn; }

/// Collects arguments; tensors that the operation lacks are left out.
struct argument_list {
    std::vector<tensor_argument> entries;
    void input(int arg, memory_desc &md) { add(arg, md, false); }
    void output(int arg, memory_desc &md) { add(arg, md, true); }

  private:
    void add(int arg, memory_desc &md, bool is_output) {
        if (!md.is_zero()) entries.push_back({arg, &md, is_output});
    }
};

/// Convolution, deconvolution and inner product.
template <class Desc> void list_weighted(Desc &d, argument_list &list) {
    if (d.prop == dnnl_backward_data) {
        list.input(DNNL_ARG_DIFF_DST, d.dst);
        list.input(DNNL_ARG_WEIGHTS, d.weights);
        list.output(DNNL_ARG_DIFF_SRC, d.src);
    } else if (d.prop == dnnl_backward_weights) {
        list.input(DNNL_ARG_SRC, d.src);
        list.input(DNNL_ARG_DIFF_DST, d.dst);
        list.output(DNNL_ARG_DIFF_WEIGHTS, d.weights);
        list.output(DNNL_ARG_DIFF_BIAS, d.bias);
    } else {
        list.input(DNNL_ARG_SRC, d.src);
        list.input(DNNL_ARG_WEIGHTS, d.weights);
        list.input(DNNL_ARG_BIAS, d.bias);
        list.output(DNNL_ARG_DST, d.dst);
    }
}

/// One tensor in, one out; backward also reads `data` as argument `data_arg` where there is one.
template <class Desc>
void list_mapping(Desc &d, argument_list &list, memory_desc *data = nullptr, int data_arg = 0) {
    if (is_forward(d.prop)) {
        list.input(DNNL_ARG_SRC, d.src);
        list.output(DNNL_ARG_DST, d.dst);
    } else {
        if (data) list.input(data_arg, *data);
        list.input(DNNL_ARG_DIFF_DST, d.dst);
        list.output(DNNL_ARG_DIFF_SRC, d.src);
    }
}

void list(convolution_desc &d, argument_list &list) { list_weighted(d, list); }
void list(inner_product_desc &d, argument_list &list) { list_weighted(d, list); }
void list(matmul_desc &d, argument_list &list) {
    list.input(DNNL_ARG_SRC, d.src);
    list.input(DNNL_ARG_WEIGHTS, d.weights);
    list.input(DNNL_ARG_BIAS, d.bias);
    list.output(DNNL_ARG_DST, d.dst);
}
void list(pooling_desc &d, argument_list &list) {
    if (is_forward(d.prop)) {
        list.input(DNNL_ARG_SRC, d.src);
        list.output(DNNL_ARG_DST, d.dst);
        list.output(DNNL_ARG_WORKSPACE, d.workspace);
    } else {
        list.input(DNNL_ARG_DIFF_DST, d.dst);
        list.input(DNNL_ARG_WORKSPACE, d.workspace);
        list.output(DNNL_ARG_DIFF_SRC, d.src);
    }
}
void list(eltwise_desc &d, argument_list &list) {
    list_mapping(d, list, &d.data, d.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC);
}
void list(binary_desc &d, argument_list &list) {
    list.input(DNNL_ARG_SRC_0, d.src0);
    list.input(DNNL_ARG_SRC_1, d.src1);
    list.input(DNNL_ARG_SRC_2, d.src2);
    list.output(DNNL_ARG_DST, d.dst);
}
void list(softmax_desc &d, argument_list &list) { list_mapping(d, list, &d.data, DNNL_ARG_DST); }
/// Mean and variance share a descriptor, and so do scale and shift.
void list_statistics(normalization_desc &d, argument_list &list, bool outputs) {
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
        outputs ? list.output(arg, d.statistics) : list.input(arg, d.statistics);
}
void list(normalization_desc &d, argument_list &list) {
    const bool forward = is_forward(d.prop), given = d.has(dnnl_use_global_stats);
    list.input(DNNL_ARG_SRC, forward ? d.src : d.data);
    if (!forward || given) list_statistics(d, list, false);
    if (!forward) list.input(DNNL_ARG_DIFF_DST, d.dst);
    if (d.has(dnnl_use_scale)) list.input(DNNL_ARG_SCALE, d.scale_shift);
    if (d.has(dnnl_use_shift) && forward) list.input(DNNL_ARG_SHIFT, d.scale_shift);
    if (forward) {
        list.output(DNNL_ARG_DST, d.dst);
        if (d.prop == dnnl_forward_training && !given) list_statistics(d, list, true);
        list.output(DNNL_ARG_WORKSPACE, d.workspace);
        return;
    }
    list.input(DNNL_ARG_WORKSPACE, d.workspace);
    list.output(DNNL_ARG_DIFF_SRC, d.src);
    if (d.has(dnnl_use_scale)) list.output(DNNL_ARG_DIFF_SCALE, d.diff_scale_shift);
    if (d.has(dnnl_use_shift)) list.output(DNNL_ARG_DIFF_SHIFT, d.diff_scale_shift);
}
/// Its backward takes the shift, too.
void list(layer_normalization_desc &d, argument_list &arguments) {
    list(static_cast<normalization_desc &>(d), arguments);
    if (d.has(dnnl_use_shift) && !is_forward(d.prop))
        arguments.input(DNNL_ARG_SHIFT, d.scale_shift);
}
void list(prelu_desc &d, argument_list &list) {
    list.input(DNNL_ARG_SRC, d.src);
    list.input(DNNL_ARG_WEIGHTS, d.weights);
    if (is_forward(d.prop)) return list.output(DNNL_ARG_DST, d.dst);
    list.input(DNNL_ARG_DIFF_DST, d.dst);
    list.output(DNNL_ARG_DIFF_SRC, d.diff_src);
    list.output(DNNL_ARG_DIFF_WEIGHTS, d.diff_weights);
}
void list(resampling_desc &d, argument_list &list) { list_mapping(d, list); }
void list(reduction_desc &d, argument_list &list) {
    list.input(DNNL_ARG_SRC, d.src);
    list.output(DNNL_ARG_DST, d.dst);
}
void list(reorder_desc &d, argument_list &list) {
    list.input(DNNL_ARG_FROM, d.src);
    list.output(DNNL_ARG_TO, d.dst);
}
/// Sum and concat.
template <class Desc> void list_sources(Desc &d, argument_list &list) {
    int arg = DNNL_ARG_MULTIPLE_SRC;
    for (memory_desc &src : d.srcs) list.input(arg++, src);
    list.output(DNNL_ARG_DST, d.dst);
}
void list(sum_desc &d, argument_list &list) { list_sources(d, list); }
void list(concat_desc &d, argument_list &list) { list_sources(d, list); }
void list(rnn_desc &d, argument_list &list) {
    const bool forward = is_forward(d.prop);
    for (const rnn_tensor_info &t : rnn_tensors)
        if (t.is_output && forward)
            list.output(t.arg, d.md(t.tensor));
        else
            list.input(t.arg, d.md(t.tensor));
    if (forward) return list.output(DNNL_ARG_WORKSPACE, d.workspace);
    list.input(DNNL_ARG_WORKSPACE, d.workspace);
    for (const rnn_tensor_info &t : rnn_tensors)
        if (t.is_output)
            list.input(t.diff_arg, d.diff(t.tensor));
        else
            list.output(t.diff_arg, d.diff(t.tensor));
}
void list(shuffle_desc &d, argument_list &list) { list_mapping(d, list); }
void list(lrn_desc &d, argument_list &list) { list_mapping(d, list, &d.data, DNNL_ARG_SRC); }
} // namespace

dnnl_primitive_kind_t kind_of(const op_desc &op) {
    return std::visit([](const auto &desc) { return kind(desc); }, op);
}

dnnl_prop_kind_t prop_of(const op_desc &op) {
    return std::visit(
        [](const auto &desc) {
            if constexpr (requires { desc.prop; })
                return desc.prop;
            else
                return dnnl_prop_kind_undef;
        },
        op);
}

std::vector<tensor_argument> arguments_of(op_desc &op) {
    argument_list arguments;
    arguments.entries.reserve(4);
    std::visit([&](auto &desc) { list(desc, arguments); }, op);
    return std::move(arguments.entries);
}

} // namespace dnnl::impl
