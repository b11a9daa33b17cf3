// SPDX-License-Identifier: Apache-2.0
// Creation of recurrent primitive descriptors through the C functions, one per cell.
#include "oracle/rnn.hpp"

namespace conformance {
namespace {

dnnl_rnn_direction_t direction_named(const std::string &name) {
    if (name == "right2left") return dnnl_unidirectional_right2left;
    if (name == "concat") return dnnl_bidirectional_concat;
    return name == "sum" ? dnnl_bidirectional_sum : dnnl_unidirectional_left2right;
}

dnnl_alg_kind_t activation_named(const std::string &name) {
    if (name == "TANH") return dnnl_eltwise_tanh;
    return name == "LOGISTIC" ? dnnl_eltwise_logistic : dnnl_eltwise_relu;
}

struct argument_name {
    int argument;
    const char *name;
};
const argument_name argument_names[] = {{DNNL_ARG_SRC_LAYER, "src_layer"},
    {DNNL_ARG_SRC_ITER, "src_iter"}, {DNNL_ARG_SRC_ITER_C, "src_iter_c"},
    {DNNL_ARG_AUGRU_ATTENTION, "attention"}, {DNNL_ARG_WEIGHTS_LAYER, "weights_layer"},
    {DNNL_ARG_WEIGHTS_ITER, "weights_iter"}, {DNNL_ARG_WEIGHTS_PEEPHOLE, "weights_peephole"},
    {DNNL_ARG_WEIGHTS_PROJECTION, "weights_projection"}, {DNNL_ARG_BIAS, "bias"},
    {DNNL_ARG_DST_LAYER, "dst_layer"}, {DNNL_ARG_DST_ITER, "dst_iter"},
    {DNNL_ARG_DST_ITER_C, "dst_iter_c"}, {DNNL_ARG_DIFF_SRC_LAYER, "diff_src_layer"},
    {DNNL_ARG_DIFF_SRC_ITER, "diff_src_iter"}, {DNNL_ARG_DIFF_SRC_ITER_C, "diff_src_iter_c"},
    {DNNL_ARG_DIFF_AUGRU_ATTENTION, "diff_attention"},
    {DNNL_ARG_DIFF_WEIGHTS_LAYER, "diff_weights_layer"},
    {DNNL_ARG_DIFF_WEIGHTS_ITER, "diff_weights_iter"},
    {DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, "diff_weights_peephole"},
    {DNNL_ARG_DIFF_WEIGHTS_PROJECTION, "diff_weights_projection"},
    {DNNL_ARG_DIFF_BIAS, "diff_bias"}, {DNNL_ARG_DIFF_DST_LAYER, "diff_dst_layer"},
    {DNNL_ARG_DIFF_DST_ITER, "diff_dst_iter"}, {DNNL_ARG_DIFF_DST_ITER_C, "diff_dst_iter_c"}};

} // namespace

std::string rnn_problem::name_of_argument(int argument) {
    for (const argument_name &entry : argument_names)
        if (entry.argument == argument) return entry.name;
    return "argument " + std::to_string(argument);
}

const_dnnl_memory_desc_t rnn_problem::md(int argument) const {
    const auto found = described_.find(argument);
    return found == described_.end() ? nullptr : found->second.get();
}

dnnl::primitive_desc_base rnn_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    if (!shape_.forward) return create_backward(engine, attr);
    return create_forward(engine, shape_.training ? dnnl_forward_training : dnnl_forward_inference,
        with_quantization(attr));
}

dnnl::primitive_desc_base rnn_problem::create_forward(
    const dnnl::engine &engine, dnnl_prop_kind_t prop, const dnnl::primitive_attr &attr) const {
    const auto direction = direction_named(line["direction"]);
    const const_dnnl_memory_desc_t src = md(DNNL_ARG_SRC_LAYER), h = md(DNNL_ARG_SRC_ITER),
                                   w = md(DNNL_ARG_WEIGHTS_LAYER), u = md(DNNL_ARG_WEIGHTS_ITER),
                                   b = md(DNNL_ARG_BIAS), dst = md(DNNL_ARG_DST_LAYER),
                                   last_h = md(DNNL_ARG_DST_ITER),
                                   attention = md(DNNL_ARG_AUGRU_ATTENTION);
    dnnl_primitive_desc_t made = nullptr;
    dnnl_status_t status = dnnl_success;
    switch (shape_.cell) {
    case cell_kind::vanilla:
        status = dnnl_vanilla_rnn_forward_primitive_desc_create(&made, engine.get(), prop,
            activation_named(line["activation"]), direction, src, h, w, u, b, dst, last_h, 0,
            float(activation_slope()), 0, attr.get());
        break;
    case cell_kind::lstm:
        status = dnnl_lstm_forward_primitive_desc_create(&made, engine.get(), prop, direction, src,
            h, md(DNNL_ARG_SRC_ITER_C), w, u, md(DNNL_ARG_WEIGHTS_PEEPHOLE),
            md(DNNL_ARG_WEIGHTS_PROJECTION), b, dst, last_h, md(DNNL_ARG_DST_ITER_C), 0,
            attr.get());
        break;
    case cell_kind::gru:
    case cell_kind::lbr_gru: {
        const auto create = shape_.is_lbr() ? dnnl_lbr_gru_forward_primitive_desc_create
                                            : dnnl_gru_forward_primitive_desc_create;
        status = create(
            &made, engine.get(), prop, direction, src, h, w, u, b, dst, last_h, 0, attr.get());
        break;
    }
    case cell_kind::augru:
    case cell_kind::lbr_augru: {
        const auto create = shape_.is_lbr() ? dnnl_lbr_augru_forward_primitive_desc_create
                                            : dnnl_augru_forward_primitive_desc_create;
        status = create(&made, engine.get(), prop, direction, src, h, attention, w, u, b, dst,
            last_h, 0, attr.get());
        break;
    }
    }
    dnnl::error::wrap_c_api(status, "recurrent forward");
    return dnnl::primitive_desc_base(made);
}

dnnl::primitive_desc_base rnn_problem::create_backward(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    const dnnl::primitive_desc_base hint = create_forward(engine, dnnl_forward_training, {});
    const auto direction = direction_named(line["direction"]);
    const unsigned flags = line["flags"] == "O" ? dnnl_rnn_flags_diff_weights_overwrite : 0;
    const auto m = [&](int argument) { return md(argument); };
    const const_dnnl_memory_desc_t src = m(DNNL_ARG_SRC_LAYER), h = m(DNNL_ARG_SRC_ITER),
                                   w = m(DNNL_ARG_WEIGHTS_LAYER), u = m(DNNL_ARG_WEIGHTS_ITER),
                                   b = m(DNNL_ARG_BIAS), dst = m(DNNL_ARG_DST_LAYER),
                                   last_h = m(DNNL_ARG_DST_ITER), dx = m(DNNL_ARG_DIFF_SRC_LAYER),
                                   dh = m(DNNL_ARG_DIFF_SRC_ITER),
                                   dw = m(DNNL_ARG_DIFF_WEIGHTS_LAYER),
                                   du = m(DNNL_ARG_DIFF_WEIGHTS_ITER), db = m(DNNL_ARG_DIFF_BIAS),
                                   dy = m(DNNL_ARG_DIFF_DST_LAYER),
                                   dy_h = m(DNNL_ARG_DIFF_DST_ITER);
    dnnl_primitive_desc_t made = nullptr;
    dnnl_status_t status = dnnl_success;
    switch (shape_.cell) {
    case cell_kind::vanilla:
        status = dnnl_vanilla_rnn_backward_primitive_desc_create(&made, engine.get(), dnnl_backward,
            activation_named(line["activation"]), direction, src, h, w, u, b, dst, last_h, dx, dh,
            dw, du, db, dy, dy_h, flags, float(activation_slope()), 0, hint.get(), attr.get());
        break;
    case cell_kind::lstm:
        status = dnnl_lstm_backward_primitive_desc_create(&made, engine.get(), dnnl_backward,
            direction, src, h, m(DNNL_ARG_SRC_ITER_C), w, u, m(DNNL_ARG_WEIGHTS_PEEPHOLE),
            m(DNNL_ARG_WEIGHTS_PROJECTION), b, dst, last_h, m(DNNL_ARG_DST_ITER_C), dx, dh,
            m(DNNL_ARG_DIFF_SRC_ITER_C), dw, du, m(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE),
            m(DNNL_ARG_DIFF_WEIGHTS_PROJECTION), db, dy, dy_h, m(DNNL_ARG_DIFF_DST_ITER_C), flags,
            hint.get(), attr.get());
        break;
    case cell_kind::gru:
    case cell_kind::lbr_gru: {
        const auto create = shape_.is_lbr() ? dnnl_lbr_gru_backward_primitive_desc_create
                                            : dnnl_gru_backward_primitive_desc_create;
        status = create(&made, engine.get(), dnnl_backward, direction, src, h, w, u, b, dst, last_h,
            dx, dh, dw, du, db, dy, dy_h, flags, hint.get(), attr.get());
        break;
    }
    case cell_kind::augru:
    case cell_kind::lbr_augru: {
        const auto create = shape_.is_lbr() ? dnnl_lbr_augru_backward_primitive_desc_create
                                            : dnnl_augru_backward_primitive_desc_create;
        status = create(&made, engine.get(), dnnl_backward, direction, src, h,
            m(DNNL_ARG_AUGRU_ATTENTION), w, u, b, dst, last_h, dx, dh,
            m(DNNL_ARG_DIFF_AUGRU_ATTENTION), dw, du, db, dy, dy_h, flags, hint.get(), attr.get());
        break;
    }
    }
    dnnl::error::wrap_c_api(status, "recurrent backward");
    return dnnl::primitive_desc_base(made);
}

} // namespace conformance
