// SPDX-License-Identifier: Apache-2.0
// Rows of the misuse table about batch, layer and group normalization, missing arguments of their
// executions, and results in the memory of their sources.
#include <algorithm>
#include <cmath>

#include "objects.hpp"

using namespace api_tests;

namespace {

using md_t = const_dnnl_memory_desc_t;
using pd_t = dnnl_primitive_desc_t;
constexpr dnnl_dim_t R = DNNL_RUNTIME_DIM_VAL;
constexpr dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;
constexpr auto train = dnnl_forward_training;

/// What a creation takes; a row changes it.
struct call {
    dnnl_prop_kind_t prop = train;
    desc_owner src = plain({2, 16, 4, 4}), dst = plain({2, 16, 4, 4}), data;
    desc_owner statistics;
    dnnl_data_type_t vectors = dnnl_f32;
    dnnl_dim_t groups = 4;
    unsigned flags = 0;
    float epsilon = 1e-5f;
    md_t hint_src = nullptr; ///< backward of batch normalization: a hint over this tensor
};

dnnl_status_t batch(const call &c, pd_t *out) {
    if (!c.data)
        return dnnl_batch_normalization_forward_primitive_desc_create(
            out, engine(), c.prop, c.src, c.dst, c.epsilon, c.flags, nullptr);
    primitive_desc_owner hint;
    if (c.hint_src)
        ok(dnnl_batch_normalization_forward_primitive_desc_create(
            hint.out(), engine(), train, c.hint_src, c.hint_src, c.epsilon, c.flags, nullptr));
    return dnnl_batch_normalization_backward_primitive_desc_create(
        out, engine(), c.prop, c.src, c.dst, c.data, c.epsilon, c.flags, hint, nullptr);
}
dnnl_status_t layer(const call &c, pd_t *out) {
    if (!c.data)
        return dnnl_layer_normalization_forward_primitive_desc_create_v2(out, engine(), c.prop,
            c.src, c.dst, c.statistics, c.vectors, c.epsilon, c.flags, nullptr);
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(out, engine(), c.prop, c.src,
        c.dst, c.data, c.statistics, c.vectors, c.vectors, c.epsilon, c.flags, nullptr, nullptr);
}
dnnl_status_t group(const call &c, pd_t *out) {
    if (!c.data)
        return dnnl_group_normalization_forward_primitive_desc_create(
            out, engine(), c.prop, c.src, c.dst, c.groups, c.epsilon, c.flags, nullptr);
    return dnnl_group_normalization_backward_primitive_desc_create(out, engine(), c.prop, c.src,
        c.dst, c.data, c.groups, c.epsilon, c.flags, nullptr, nullptr);
}
using creation = dnnl_status_t (*)(const call &, pd_t *);

void backward(call &c) {
    c.prop = dnnl_backward;
    c.data = plain({2, 16, 4, 4});
}

struct row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    void (*change)(call &);
};

/// Wrong for all three alike.
const row common_rows[] = {
    {"valid", dnnl_success, "", [](call &) {}},
    {"valid, all flags", dnnl_success, "", [](call &c) { c.flags = 7; }},
    {"valid, backward", dnnl_success, "", backward},
    {"valid, any", dnnl_success, "",
        [](call &c) {
            c.dst = tagged({2, 16, 4, 4}, dnnl_format_tag_any);
        }},
    {"flag 0x8000", invalid, "flags", [](call &c) { c.flags = 0x8000; }},
    {"dst dims", invalid, "dst",
        [](call &c) {
            c.dst = plain({2, 16, 4, 5});
        }},
    {"epsilon NaN", dnnl_success, "", [](call &c) { c.epsilon = NAN; }},
    {"prop", invalid, "prop_kind", [](call &c) { c.prop = dnnl_backward; }},
    {"prop of backward", invalid, "prop_kind",
        [](call &c) {
            backward(c);
            c.prop = dnnl_backward_weights;
        }},
    {"forward as backward", invalid, "prop_kind",
        [](call &c) {
            backward(c);
            c.prop = train;
        }},
    {"1-d src", invalid, "src",
        [](call &c) {
            c.src = plain({16});
            c.dst = plain({16});
        }},
    {"diff_src dims", invalid, "diff_src",
        [](call &c) {
            backward(c);
            c.src = plain({2, 16, 5, 4});
        }},
    {"diff_dst dims", invalid, "diff_dst",
        [](call &c) {
            backward(c);
            c.dst = plain({2, 16, 5, 4});
        }},
    {"src null", invalid, "src", [](call &c) { c.src = {}; }},
    {"dst null", invalid, "dst", [](call &c) { c.dst = {}; }},
    {"N-01", missing, "src",
        [](call &c) {
            c.src = plain({R, 16, 4, 4});
        }},
    {"N-01 backward", missing, "diff_src",
        [](call &c) {
            backward(c);
            c.src = plain({R, 16, 4, 4});
        }},
    {"N-24", invalid, "src",
        [](call &c) {
            c.src = tagged({2, 16, 4, 4}, dnnl_format_tag_any);
        }},
    {"N-24 backward", invalid, "src",
        [](call &c) {
            backward(c);
            c.data = tagged({2, 16, 4, 4}, dnnl_format_tag_any);
        }},
    {"s32", missing, "src",
        [](call &c) {
            c.src = plain({2, 16, 4, 4}, dnnl_s32);
            c.dst = plain({2, 16, 4, 4}, dnnl_s32);
        }},
    {"integer gradients", missing, "src",
        [](call &c) {
            backward(c);
            c.src = plain({2, 16, 4, 4}, dnnl_s8);
        }},
};

const row batch_rows[] = {
    {"B01", invalid, "flags", [](call &c) { c.flags = 0x8000; }},
    {"B02", invalid, "dst",
        [](call &c) {
            c.dst = plain({2, 16, 4, 5});
        }},
    {"B03", dnnl_success, "", [](call &c) { c.epsilon = NAN; }},
    {"B04", invalid, "prop_kind", [](call &c) { c.prop = dnnl_backward; }},
    {"rms_norm", invalid, "flags", [](call &c) { c.flags = dnnl_rms_norm | dnnl_use_scale; }},
    {"rms_norm backward", invalid, "flags",
        [](call &c) {
            backward(c);
            c.flags = dnnl_rms_norm;
        }},
    {"fuse_norm_add_relu", missing, "fuse_norm_add_relu",
        [](call &c) { c.flags = dnnl_fuse_norm_add_relu; }},
    {"relu without a hint", missing, "hint_fwd_pd",
        [](call &c) {
            backward(c);
            c.flags = dnnl_fuse_norm_relu;
        }},
    {"another problem's hint", invalid, "hint_fwd_pd",
        [](call &c) {
            static const desc_owner other = plain({3, 16, 4, 4});
            backward(c);
            c.hint_src = other;
        }},
    {"s8 in training", missing, "s8",
        [](call &c) {
            c.src = plain({2, 16, 4, 4}, dnnl_s8);
            c.dst = plain({2, 16, 4, 4}, dnnl_s8);
        }},
    {"N-25 type", missing, "type",
        [](call &c) {
            backward(c);
            c.dst = plain({2, 16, 4, 4}, dnnl_bf16);
        }},
    {"N-25 layout", missing, "layout",
        [](call &c) {
            backward(c);
            c.dst = tagged({2, 16, 4, 4}, dnnl_nhwc);
        }},
};

const row layer_rows[] = {
    {"L01", invalid, "stat", [](call &c) { c.statistics = plain({16}); }},
    {"L02", invalid, "src",
        [](call &c) {
            c.src = plain({16});
            c.dst = plain({16});
        }},
    {"statistics in any order", dnnl_success, "",
        [](call &c) {
            c.statistics = tagged({2, 16, 4}, dnnl_cba);
        }},
    {"bf16 vectors", dnnl_success, "",
        [](call &c) {
            c.vectors = dnnl_bf16;
            c.flags = dnnl_use_scale;
        }},
    {"integer vectors", missing, "scale",
        [](call &c) {
            c.vectors = dnnl_s8;
            c.flags = dnnl_use_scale;
        }},
    {"no type of vectors", invalid, "scale_shift_data_type",
        [](call &c) { c.vectors = static_cast<dnnl_data_type_t>(99); }},
    {"rms_norm", dnnl_success, "", [](call &c) { c.flags = dnnl_rms_norm | 7; }},
    {"rms_norm backward", dnnl_success, "",
        [](call &c) {
            backward(c);
            c.flags = dnnl_rms_norm | dnnl_use_shift;
        }},
    {"rms_norm and a fused relu", invalid, "flags",
        [](call &c) { c.flags = dnnl_rms_norm | dnnl_fuse_norm_relu; }},
    {"bf16 statistics", missing, "mean",
        [](call &c) {
            c.statistics = plain({2, 16, 4}, dnnl_bf16);
        }},
    {"a fused relu", invalid, "flags", [](call &c) { c.flags = dnnl_fuse_norm_relu; }},
};

const row group_rows[] = {
    {"G01", invalid, "groups", [](call &c) { c.groups = 0; }},
    {"G02", invalid, "groups", [](call &c) { c.groups = 3; }},
    {"rms_norm", invalid, "flags", [](call &c) { c.flags = dnnl_rms_norm | dnnl_use_scale; }},
    {"rms_norm backward", invalid, "flags",
        [](call &c) {
            backward(c);
            c.flags = dnnl_rms_norm;
        }},
    {"negative groups", invalid, "groups", [](call &c) { c.groups = -4; }},
    {"a fused relu", invalid, "flags", [](call &c) { c.flags = dnnl_fuse_norm_relu; }},
};

template <std::size_t count>
void check(const char *primitive, const row (&rows)[count], creation create) {
    for (const row &r : rows)
        check_row(std::string(primitive) + " " + r.id, r.expected, r.named, [&](pd_t *out) {
            call c;
            r.change(c);
            return create(c, out);
        });
}

struct kind {
    const char *name;
    creation create;
};
const kind kinds[] = {{"batch", batch}, {"layer", layer}, {"group", group}};

/// Memories for all arguments that the descriptor lists, filled with small integers.
struct arguments {
    std::vector<int> names;
    std::vector<std::vector<float>> values;
    std::vector<memory_owner> memories;
    std::vector<dnnl_exec_arg_t> list;

    explicit arguments(pd_t pd) {
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
                 DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_WORKSPACE, DNNL_ARG_DIFF_SRC,
                 DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT}) {
            const md_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
            if (dnnl_memory_desc_get_size(md) == 0) continue;
            names.push_back(arg);
            values.push_back(integers(512, arg));
            if (arg == DNNL_ARG_VARIANCE) values.back().assign(512, 2.0f);
            memories.push_back(memory_of(md, values.back()));
            list.push_back({arg, memories.back()});
        }
    }
    std::size_t index_of(int arg) const {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), arg) - names.begin());
    }
};
} // namespace

BOOST_AUTO_TEST_CASE(common) {
    for (const kind &k : kinds) check(k.name, common_rows, k.create);
}
BOOST_AUTO_TEST_CASE(batch_normalization) { check("batch", batch_rows, batch); }
BOOST_AUTO_TEST_CASE(layer_normalization) { check("layer", layer_rows, layer); }
BOOST_AUTO_TEST_CASE(group_normalization) { check("group", group_rows, group); }

BOOST_AUTO_TEST_CASE(null_arguments) {
    for (const kind &k : kinds) {
        call c;
        check_refused(k.name, k.create(c, nullptr), invalid, "primitive_desc");
    }
    check_refused("engine",
        dnnl_batch_normalization_forward_primitive_desc_create(
            nullptr, nullptr, train, plain({2, 3}), plain({2, 3}), 0, 0, nullptr),
        invalid, "primitive_desc");
}

BOOST_AUTO_TEST_CASE(N_36_missing_arguments) {
    for (const kind &k : kinds)
        for (const bool is_backward : {false, true}) {
            call c;
            if (is_backward) backward(c);
            c.flags = dnnl_use_scale | dnnl_use_shift;
            if (k.create == batch) {
                c.flags |= dnnl_fuse_norm_relu;
                if (is_backward) c.hint_src = c.data;
            }
            primitive_desc_owner pd;
            ok(k.create(c, pd.out()));
            const auto primitive = primitive_of(pd);
            arguments all(pd);
            ok(execute(primitive, all.list));
            for (std::size_t left_out = 0; left_out < all.list.size(); ++left_out) {
                auto fewer = all.list;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left_out));
                check_refused(k.name, execute(primitive, fewer), invalid, "it is missing");
            }
        }
}

namespace {
std::size_t size_of(pd_t pd, dnnl_query_t what, int index) {
    return dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(pd, what, index));
}
} // namespace

BOOST_AUTO_TEST_CASE(vectors_by_index) {
    for (const kind &k : kinds)
        for (const unsigned flags : {0u, 2u, 4u, 6u}) {
            call c;
            c.flags = flags;
            primitive_desc_owner pd, gradients;
            ok(k.create(c, pd.out()));
            const bool scales = flags & dnnl_use_scale, shifts = flags & dnnl_use_shift;
            BOOST_TEST_CONTEXT(k.name << " flags " << flags) {
                BOOST_TEST((size_of(pd, dnnl_query_weights_md, 0) != 0) == (scales || shifts));
                BOOST_TEST((size_of(pd, dnnl_query_weights_md, 1) != 0) == shifts);
                BOOST_TEST(size_of(pd, dnnl_query_diff_weights_md, 1) == 0u);
                backward(c);
                ok(k.create(c, gradients.out()));
                BOOST_TEST(
                    (size_of(gradients, dnnl_query_weights_md, 0) != 0) == (scales || shifts));
                BOOST_TEST(size_of(gradients, dnnl_query_weights_md, 1) == 0u);
                BOOST_TEST(
                    (size_of(gradients, dnnl_query_diff_weights_md, 0) != 0) == (scales || shifts));
                BOOST_TEST((size_of(gradients, dnnl_query_diff_weights_md, 1) != 0) == shifts);
            }
        }
}

BOOST_AUTO_TEST_CASE(root_mean_square) {
    const auto counts = [](call &c) {
        primitive_desc_owner pd;
        ok(layer(c, pd.out()));
        return std::array<int, 2> {
            dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0),
            dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0)};
    };
    for (const unsigned given : {0u, unsigned {dnnl_use_global_stats}})
        for (const bool is_backward : {false, true}) {
            call with, without;
            if (is_backward) backward(with), backward(without);
            with.flags = given | dnnl_use_scale | dnnl_use_shift;
            without.flags = with.flags | dnnl_rms_norm;
            const auto all = counts(with), fewer = counts(without);
            const bool mean_is_input = is_backward || given;
            BOOST_TEST(all[0] - fewer[0] == mean_is_input);
            BOOST_TEST(all[1] - fewer[1] == !mean_is_input);
            primitive_desc_owner pd;
            ok(layer(without, pd.out()));
            for (const int index : {1, 2}) {
                BOOST_TEST((size_of(pd, dnnl_query_src_md, index) != 0) == mean_is_input);
                BOOST_TEST((size_of(pd, dnnl_query_dst_md, index) != 0) == !mean_is_input);
            }
            // A mean is neither asked for nor read nor written.
            arguments passed(pd), missing_mean(pd);
            const std::size_t mean = passed.index_of(DNNL_ARG_MEAN);
            BOOST_TEST_REQUIRE(mean < passed.names.size());
            const auto before = passed.values[mean];
            missing_mean.list.erase(missing_mean.list.begin() + static_cast<std::ptrdiff_t>(mean));
            const auto primitive = primitive_of(pd);
            ok(execute(primitive, passed.list));
            ok(execute(primitive, missing_mean.list));
            BOOST_TEST(passed.values[mean] == before, boost::test_tools::per_element());
            const std::size_t result =
                passed.index_of(is_backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST);
            BOOST_TEST(passed.values[result] == missing_mean.values[result],
                boost::test_tools::per_element());
            auto no_variance = missing_mean.list;
            std::erase_if(
                no_variance, [](const dnnl_exec_arg_t &a) { return a.arg == DNNL_ARG_VARIANCE; });
            check_refused("variance", execute(primitive, no_variance), invalid, "it is missing");
        }
}

BOOST_AUTO_TEST_CASE(queries) {
    call c;
    c.flags = dnnl_use_scale | dnnl_use_shift;
    c.epsilon = 0.25f;
    for (const kind &k : kinds) {
        primitive_desc_owner pd;
        ok(k.create(c, pd.out()));
        float epsilon = 0;
        unsigned flags = 0;
        int inputs = 0, outputs = 0;
        ok(dnnl_primitive_desc_query(pd, dnnl_query_epsilon_f32, 0, &epsilon));
        ok(dnnl_primitive_desc_query(pd, dnnl_query_flags, 0, &flags));
        ok(dnnl_primitive_desc_query(pd, dnnl_query_num_of_inputs_s32, 0, &inputs));
        ok(dnnl_primitive_desc_query(pd, dnnl_query_num_of_outputs_s32, 0, &outputs));
        BOOST_TEST(epsilon == 0.25f);
        BOOST_TEST(flags == c.flags);
        BOOST_TEST(inputs == 3);
        BOOST_TEST(outputs == 3);
        for (const int index : {1, 2}) {
            BOOST_TEST(dnnl_memory_desc_get_size(
                           dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, index)) > 0u);
            BOOST_TEST(dnnl_memory_desc_get_size(
                           dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, index)) == 0u);
        }
        for (const int index : {0, 1})
            BOOST_TEST(dnnl_memory_desc_equal(
                dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, index),
                plain({k.create == layer ? 4 : 16})));
        BOOST_TEST(size_of(pd, dnnl_query_weights_md, 2) == 0u);
    }
    primitive_desc_owner pd;
    ok(group(c, pd.out()));
    dnnl_dim_t groups = 0;
    ok(dnnl_primitive_desc_query(pd, dnnl_query_group_size_s64, 0, &groups));
    BOOST_TEST(groups == 4);
}
