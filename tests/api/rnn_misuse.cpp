// SPDX-License-Identifier: Apache-2.0
// One thing wrong per row in the creation of recurrent networks, forward and backward.
#include "objects.hpp"

using namespace api_tests;

namespace {

/// An LSTM with everything, 3 steps of 2 rows, 16 channels, projected to 8; other cells take what
/// they have. A descriptor with empty dims is passed as NULL.
struct rnn_call {
    dnnl_alg_kind_t cell = dnnl_vanilla_lstm;
    dnnl_prop_kind_t prop = dnnl_forward_training;
    dnnl_alg_kind_t activation = dnnl_eltwise_tanh;
    dnnl_rnn_direction_t direction = dnnl_unidirectional_left2right;
    unsigned flags = 0;
    bool no_out = false, no_engine = false, with_qparams = false;
    int weights_mask = 0;
    dnnl_data_type_t type = dnnl_f32, weights_type = dnnl_f32, diff_type = dnnl_f32;
    dims src_layer {3, 2, 8}, src_iter {1, 1, 2, 8}, src_iter_c {1, 1, 2, 16};
    dims attention;
    dims weights_layer {1, 1, 8, 4, 16}, weights_iter {1, 1, 8, 4, 16};
    dims weights_peephole {1, 1, 3, 16}, weights_projection {1, 1, 16, 8};
    dims bias {1, 1, 4, 16}, dst_layer {3, 2, 8}, dst_iter {1, 1, 2, 8}, dst_iter_c {1, 1, 2, 16};
    bool no_hint = false, no_diff_bias = false;
    dnnl_prop_kind_t hint_prop = dnnl_forward_training;
    dims diff_weights_layer {1, 1, 8, 4, 16};

    void to_gru(dnnl_alg_kind_t kind) {
        cell = kind;
        const dnnl_dim_t gates = kind == dnnl_vanilla_rnn ? 1 : 3;
        const bool linear = kind == dnnl_lbr_gru || kind == dnnl_lbr_augru;
        src_iter_c = dst_iter_c = weights_peephole = weights_projection = {};
        weights_layer = weights_iter = diff_weights_layer = {1, 1, 8, gates, 8};
        bias = {1, 1, linear ? 4 : gates, 8};
        if (kind == dnnl_vanilla_augru || kind == dnnl_lbr_augru) attention = {3, 2, 1};
    }
    void to_int8() {
        type = dnnl_u8;
        weights_type = dnnl_s8;
        prop = dnnl_forward_inference;
        weights_peephole = {};
        with_qparams = true;
    }

    static desc_owner made(const dims &extents, dnnl_data_type_t type) {
        return extents.empty() ? desc_owner() : plain(extents, type);
    }
    attr_owner attributes() const {
        attr_owner attr;
        ok(dnnl_primitive_attr_create(attr.out()));
        const std::vector<float> scales(64, 50.0f);
        if (with_qparams) {
            ok(dnnl_primitive_attr_set_rnn_data_qparams(attr, 100, 10));
            ok(dnnl_primitive_attr_set_rnn_weights_qparams(
                attr, weights_mask == 24 ? 3 : 64, weights_mask, scales.data()));
        }
        return attr;
    }
    dnnl_status_t create(dnnl_primitive_desc_t *out) const {
        return prop == dnnl_backward ? backward(out) : forward(out, prop);
    }
    dnnl_status_t forward(dnnl_primitive_desc_t *given, dnnl_prop_kind_t forward_prop) const {
        dnnl_primitive_desc_t *out = no_out ? nullptr : given;
        const dnnl_engine_t eng = no_engine ? nullptr : engine();
        const auto x = made(src_layer, type), h = made(src_iter, type);
        const auto c = made(src_iter_c, dnnl_f32), a = made(attention, type);
        const auto w = made(weights_layer, weights_type), u = made(weights_iter, weights_type);
        const auto p = made(weights_peephole, dnnl_f32);
        const auto r = made(weights_projection, weights_type), b = made(bias, dnnl_f32);
        const auto y = made(dst_layer, type), yh = made(dst_iter, type);
        const auto yc = made(dst_iter_c, dnnl_f32);
        const attr_owner attr = attributes();
        switch (cell) {
        case dnnl_vanilla_rnn:
            return dnnl_vanilla_rnn_forward_primitive_desc_create(out, eng, forward_prop,
                activation, direction, x, h, w, u, b, y, yh, flags, 0, 0, attr);
        case dnnl_vanilla_lstm:
            return dnnl_lstm_forward_primitive_desc_create(
                out, eng, forward_prop, direction, x, h, c, w, u, p, r, b, y, yh, yc, flags, attr);
        case dnnl_vanilla_gru:
            return dnnl_gru_forward_primitive_desc_create(
                out, eng, forward_prop, direction, x, h, w, u, b, y, yh, flags, attr);
        case dnnl_lbr_gru:
            return dnnl_lbr_gru_forward_primitive_desc_create(
                out, eng, forward_prop, direction, x, h, w, u, b, y, yh, flags, attr);
        case dnnl_vanilla_augru:
            return dnnl_augru_forward_primitive_desc_create(
                out, eng, forward_prop, direction, x, h, a, w, u, b, y, yh, flags, attr);
        default:
            return dnnl_lbr_augru_forward_primitive_desc_create(
                out, eng, forward_prop, direction, x, h, a, w, u, b, y, yh, flags, attr);
        }
    }
    /// LSTM and GRU.
    dnnl_status_t backward(dnnl_primitive_desc_t *given) const {
        primitive_desc_owner hint;
        if (!no_hint) ok(forward(hint.out(), hint_prop));
        const auto x = made(src_layer, type), h = made(src_iter, type);
        const auto c = made(src_iter_c, dnnl_f32);
        const auto w = made(weights_layer, weights_type), u = made(weights_iter, weights_type);
        const auto p = made(weights_peephole, dnnl_f32);
        const auto r = made(weights_projection, weights_type), b = made(bias, dnnl_f32);
        const auto y = made(dst_layer, type), yh = made(dst_iter, type);
        const auto yc = made(dst_iter_c, dnnl_f32);
        const auto dx = made(src_layer, diff_type), dh = made(src_iter, diff_type);
        const auto dw = made(diff_weights_layer, diff_type), du = made(weights_iter, diff_type);
        const auto dr = made(weights_projection, diff_type);
        const auto db = made(no_diff_bias ? dims() : bias, dnnl_f32);
        const auto dy = made(dst_layer, diff_type), dyh = made(dst_iter, diff_type);
        if (cell == dnnl_vanilla_gru)
            return dnnl_gru_backward_primitive_desc_create(given, engine(), dnnl_backward,
                direction, x, h, w, u, b, y, yh, dx, dh, dw, du, db, dy, dyh, flags, hint, nullptr);
        return dnnl_lstm_backward_primitive_desc_create(given, engine(), dnnl_backward, direction,
            x, h, c, w, u, p, r, b, y, yh, yc, dx, dh, c, dw, du, p, dr, db, dy, dyh, yc, flags,
            hint, nullptr);
    }
};

struct row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    void (*spoil)(rnn_call &);
};
constexpr auto invalid = dnnl_invalid_arguments;
using call = rnn_call;

const row rows[] = {
    {"valid lstm", dnnl_success, "", [](call &) {}},
    {"valid rnn", dnnl_success, "", [](call &c) { c.to_gru(dnnl_vanilla_rnn); }},
    {"valid gru", dnnl_success, "", [](call &c) { c.to_gru(dnnl_vanilla_gru); }},
    {"valid lbr gru", dnnl_success, "", [](call &c) { c.to_gru(dnnl_lbr_gru); }},
    {"valid augru", dnnl_success, "", [](call &c) { c.to_gru(dnnl_vanilla_augru); }},
    {"valid lbr augru", dnnl_success, "", [](call &c) { c.to_gru(dnnl_lbr_augru); }},
    {"valid backward", dnnl_success, "", [](call &c) { c.prop = dnnl_backward; }},
    {"valid int8", dnnl_success, "", [](call &c) { c.to_int8(); }},
    {"without optional tensors", dnnl_success, "",
        [](call &c) {
            c.src_iter = c.src_iter_c = c.bias = c.dst_iter = c.dst_iter_c = {};
            c.weights_peephole = {};
        }},
    {"no steps", dnnl_success, "", [](call &c) { c.src_layer[0] = c.dst_layer[0] = 0; }},
    {"no rows", dnnl_success, "",
        [](call &c) {
            c.src_layer[1] = c.dst_layer[1] = c.src_iter[2] = c.src_iter_c[2] = 0;
            c.dst_iter[2] = c.dst_iter_c[2] = 0;
        }},

    {"primitive_desc", invalid, "primitive_desc", [](call &c) { c.no_out = true; }},
    {"engine", invalid, "engine", [](call &c) { c.no_engine = true; }},
    {"src_layer", invalid, "src_layer", [](call &c) { c.src_layer = {}; }},
    {"weights_layer", invalid, "weights_layer", [](call &c) { c.weights_layer = {}; }},
    {"weights_iter", invalid, "weights_iter", [](call &c) { c.weights_iter = {}; }},
    {"dst_layer", invalid, "dst_layer", [](call &c) { c.dst_layer = {}; }},
    {"forward kind", invalid, "prop_kind", [](call &c) { c.prop = dnnl_backward_data; }},

    {"V01", invalid, "dst_iter", [](call &c) { c.dst_iter[3] = 16; }},
    {"V01 numbers", invalid, "1x1x2x16, the other tensors ask for 1x1x2x8",
        [](call &c) { c.dst_iter[3] = 16; }},
    {"V02", invalid, "weights_layer",
        [](call &c) {
            c.to_gru(dnnl_vanilla_rnn);
            c.weights_layer[3] = c.weights_iter[3] = 3;
        }},
    {"V03", invalid, "activation",
        [](call &c) {
            c.to_gru(dnnl_vanilla_rnn);
            c.activation = dnnl_eltwise_gelu_tanh;
        }},
    {"V04", invalid, "direction",
        [](call &c) { c.direction = static_cast<dnnl_rnn_direction_t>(99); }},
    {"V05", invalid, "flags", [](call &c) { c.flags = 0x80; }},
    {"N-01", dnnl_unimplemented, "src_layer",
        [](call &c) { c.src_layer[0] = DNNL_RUNTIME_DIM_VAL; }},

    {"N-26 layers", invalid, "weights_layer",
        [](call &c) {
            c.to_gru(dnnl_vanilla_gru);
            c.src_layer[2] = c.weights_layer[2] = 6;
            c.weights_layer[0] = c.weights_iter[0] = c.bias[0] = c.src_iter[0] = 2;
            c.dst_iter[0] = 2;
        }},
    {"N-26 iterations", invalid, "weights_iter",
        [](call &c) { c.src_iter[3] = c.weights_iter[2] = 7; }},
    {"one iteration", dnnl_success, "",
        [](call &c) {
            c.src_iter[3] = c.weights_iter[2] = 7;
            c.src_layer[0] = c.dst_layer[0] = 1;
        }},
    {"layers of one iteration", dnnl_success, "",
        [](call &c) {
            c.src_iter[3] = c.weights_iter[2] = 7;
            c.src_layer[0] = c.dst_layer[0] = 1;
            c.weights_layer[0] = c.weights_iter[0] = c.bias[0] = c.weights_peephole[0] = 2;
            c.weights_projection[0] = 2;
            c.src_iter[0] = c.src_iter_c[0] = c.dst_iter[0] = c.dst_iter_c[0] = 2;
        }},
    {"N-26 state of a GRU", invalid, "7 is not 8",
        [](call &c) {
            c.to_gru(dnnl_lbr_gru);
            c.src_iter[3] = c.weights_iter[2] = 7;
            c.src_layer[0] = c.dst_layer[0] = 1;
        }},
    {"N-26 numbers", invalid, "6 is not 8",
        [](call &c) {
            c.src_layer[2] = c.weights_layer[2] = 6;
            c.weights_layer[0] = c.weights_iter[0] = c.bias[0] = c.weights_peephole[0] = 2;
            c.weights_projection[0] = 2;
            c.src_iter[0] = c.src_iter_c[0] = c.dst_iter[0] = c.dst_iter_c[0] = 2;
        }},
    {"N-26 channels of dst", invalid, "dst_layer", [](call &c) { c.dst_layer[2] = 16; }},
    {"N-26 attention", invalid, "attention",
        [](call &c) {
            c.to_gru(dnnl_vanilla_augru);
            c.attention = {};
        }},
    {"attention, channels", invalid, "attention",
        [](call &c) {
            c.to_gru(dnnl_lbr_augru);
            c.attention[2] = 2;
        }},
    {"attention, direction", invalid, "direction",
        [](call &c) {
            c.to_gru(dnnl_lbr_augru);
            c.direction = dnnl_unidirectional_right2left;
        }},
    {"N-26 projection", invalid, "weights_projection",
        [](call &c) { c.weights_projection[2] = 15; }},
    {"peephole", invalid, "weights_peephole", [](call &c) { c.weights_peephole[2] = 4; }},
    {"N-26 int8 without parameters", dnnl_unimplemented, "rnn_qparams",
        [](call &c) {
            c.to_int8();
            c.with_qparams = false;
        }},
    {"parameters without int8", dnnl_unimplemented, "rnn_qparams",
        [](call &c) { c.with_qparams = true; }},
    {"mask of weights", dnnl_unimplemented, "rnn_qparams",
        [](call &c) {
            c.to_int8();
            c.weights_mask = 8;
        }},
    {"few scales", invalid, "rnn_qparams",
        [](call &c) {
            c.to_int8();
            c.weights_mask = 24;
        }},
    {"int8, vanilla", dnnl_unimplemented, "LSTM",
        [](call &c) {
            c.to_gru(dnnl_vanilla_rnn);
            c.to_int8();
        }},
    {"int8, training", dnnl_unimplemented, "inference",
        [](call &c) {
            c.to_int8();
            c.prop = dnnl_forward_training;
        }},
    {"f16, training", dnnl_unimplemented, "inference",
        [](call &c) { c.type = c.weights_type = dnnl_f16; }},
    {"types", dnnl_unimplemented, "type", [](call &c) { c.weights_type = dnnl_bf16; }},
    {"rank", invalid, "src_layer",
        [](call &c) {
            c.src_layer = {3, 2, 8, 1};
        }},
    {"channels", invalid, "src_layer", [](call &c) { c.src_layer[2] = c.weights_layer[2] = 0; }},
    {"directions", invalid, "weights_layer", [](call &c) { c.direction = dnnl_bidirectional_sum; }},
    {"cell state alone", invalid, "src_iter_c", [](call &c) { c.src_iter = {}; }},
    {"cell output alone", invalid, "dst_iter_c", [](call &c) { c.dst_iter = {}; }},
    {"bias", invalid, "bias",
        [](call &c) {
            c.to_gru(dnnl_lbr_gru);
            c.bias[2] = 3;
        }},

    {"backward without hint", invalid, "hint_fwd_pd",
        [](call &c) {
            c.prop = dnnl_backward;
            c.no_hint = true;
        }},
    {"backward of an inference", invalid, "hint_fwd_pd",
        [](call &c) {
            c.prop = dnnl_backward;
            c.hint_prop = dnnl_forward_inference;
        }},
    {"diff_weights_layer", invalid, "diff_weights_layer",
        [](call &c) {
            c.prop = dnnl_backward;
            c.diff_weights_layer[4] = 8;
        }},
    {"diff_bias", invalid, "diff_bias",
        [](call &c) {
            c.prop = dnnl_backward;
            c.no_diff_bias = true;
        }},
    {"gradients in bf16", dnnl_unimplemented, "gradient",
        [](call &c) {
            c.to_gru(dnnl_vanilla_gru);
            c.prop = dnnl_backward;
            c.type = c.weights_type = c.diff_type = dnnl_bf16;
        }},
};
} // namespace

BOOST_AUTO_TEST_CASE(creation) {
    for (const row &r : rows) {
        rnn_call c;
        r.spoil(c);
        check_row(std::string("rnn ") + r.id, r.expected, r.named,
            [&](dnnl_primitive_desc_t *out) { return c.create(out); });
    }
}

BOOST_AUTO_TEST_CASE(peephole_of_another_cell) {
    // There is no C function that passes one; the hint of another cell is refused instead.
    rnn_call lstm, gru;
    gru.to_gru(dnnl_vanilla_gru);
    primitive_desc_owner hint;
    ok(lstm.forward(hint.out(), dnnl_forward_training));
    const auto x = plain(gru.src_layer), h = plain(gru.src_iter), w = plain(gru.weights_layer);
    check_row("rnn hint of another cell", invalid, "hint_fwd_pd", [&](dnnl_primitive_desc_t *out) {
        return dnnl_gru_backward_primitive_desc_create(out, engine(), dnnl_backward, gru.direction,
            x, h, w, w, nullptr, x, h, x, h, w, w, nullptr, x, h, 0, hint, nullptr);
    });
}

BOOST_AUTO_TEST_CASE(N_36) {
    rnn_call c;
    c.to_gru(dnnl_vanilla_gru);
    c.prop = dnnl_backward;
    primitive_desc_owner pd;
    ok(c.create(pd.out()));
    const auto backward = primitive_of(pd);
    std::vector<memory_owner> memories;
    std::vector<dnnl_exec_arg_t> args;
    const auto add = [&](int arg, const_dnnl_memory_desc_t md) {
        memories.push_back(memory_of(md));
        args.push_back({arg, memories.back()});
    };
    for (const int arg :
        {DNNL_ARG_SRC_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_WEIGHTS_ITER,
            DNNL_ARG_BIAS, DNNL_ARG_DST_LAYER, DNNL_ARG_DST_ITER, DNNL_ARG_DIFF_SRC_LAYER,
            DNNL_ARG_DIFF_SRC_ITER, DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER,
            DNNL_ARG_DIFF_BIAS, DNNL_ARG_DIFF_DST_LAYER, DNNL_ARG_DIFF_DST_ITER})
        add(arg, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg));
    check_refused("N-36 rnn, missing", execute(backward, args), invalid, "DNNL_ARG_WORKSPACE");
    add(DNNL_ARG_WORKSPACE, plain({64}, dnnl_u8));
    check_refused("N-36 rnn, another size", execute(backward, args), invalid, "DNNL_ARG_WORKSPACE");
}
