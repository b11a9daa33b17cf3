// SPDX-License-Identifier: Apache-2.0
// Uses every method of primitive, primitive_desc_base, primitive_desc and rnn_primitive_desc_base,
// on an eltwise primitive where they apply and by name where not.

#include <cstdio>
#include <string>

#include "checks.hpp"
#include "dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

// The getters that say nothing about eltwise, and their answers.
void parameters_of_others(const primitive_desc_base &pd) {
    check(pd.get_strides().empty() && pd.get_dilations().empty() && pd.get_padding_l().empty() &&
              pd.get_padding_r().empty() && pd.get_kernel().empty() && pd.get_factors().empty(),
        "no window");
    check(pd.get_epsilon() == 0.f && pd.get_k() == 0.f && pd.get_p() == 0.f, "no real parameters");
    check(pd.get_axis() == -1 && pd.get_local_size() == 0 && pd.get_group_size() == 0,
        "no integer parameters");
    check(pd.get_flags() == 0u && pd.get_flags<normalization_flags>() == normalization_flags::none,
        "no flags");
    check(pd.get_cell_kind() == algorithm::undef && pd.get_activation_kind() == algorithm::undef &&
              pd.get_direction() == rnn_direction::undef,
        "no cell");
    check(pd.weights_desc().is_zero() && pd.diff_src_desc().is_zero() &&
              pd.diff_dst_desc().is_zero() && pd.diff_weights_desc().is_zero() &&
              pd.bias_desc().is_zero() && pd.workspace_desc().is_zero(),
        "no other tensors");
    check(pd.src_desc(9).is_zero() && pd.dst_desc(9).is_zero() && pd.weights_desc(9).is_zero() &&
              pd.diff_src_desc(9).is_zero() && pd.diff_dst_desc(9).is_zero() &&
              pd.diff_weights_desc(9).is_zero(),
        "no tensors number 9");
}

void descriptor(
    const engine &eng, const eltwise_forward::primitive_desc &pd, const memory::desc &md) {
    const primitive_desc_base &base = pd;
    parameters_of_others(base);
    check(base.get_kind() == primitive::kind::eltwise, "kind");
    check(base.get_prop_kind() == prop_kind::forward_inference, "propagation");
    check(base.get_algorithm() == algorithm::eltwise_linear, "algorithm");
    check(base.get_alpha() == 2.f && base.get_beta() == 1.f, "alpha and beta");
    check(base.src_desc() == md && base.dst_desc() == md && base.src_desc(0) == md, "src and dst");
    check(base.query_md(query::exec_arg_md, DNNL_ARG_DST) == md, "query_md by argument");
    check(throws(dnnl_invalid_arguments, [&] { base.query_md(query::alpha_f32); }), "query_md");
    check(base.get_engine() == eng, "engine");
    check(std::string(base.impl_info_str()) != "", "name of the implementation");
    check(base.query_s64(query::memory_consumption_s64) >= 0, "query_s64");
    check(base.scratchpad_desc().is_zero(), "the library provides the scratchpad");
    check(throws(dnnl_unimplemented, [&] { base.scratchpad_engine(); }), "scratchpad engine");
    check(
        base.get_primitive_attr().get_scratchpad_mode() == scratchpad_mode::library, "attributes");
    check(base.get_cache_blob_id().empty() && base.query_s64(query::cache_blob_id_size_s64) == 0,
        "no cache blob to name");
    check(base == pd, "a handle");

    check(eltwise_forward::primitive_desc(pd.get()).src_desc() == md, "descriptor from C");
    check(throws(dnnl_invalid_arguments, [&] { matmul::primitive_desc from_other(pd.get()); }),
        "descriptor of another primitive");
    check(throws(dnnl_invalid_arguments,
              [&] { eltwise_backward::primitive_desc from_other(pd.get()); }),
        "descriptor of another propagation");

    const memory::desc other({3}, dt::f32, tag::x);
    const auto make = [&](bool allow_empty) {
        return eltwise_forward::primitive_desc(eng, prop_kind::forward_inference,
            algorithm::eltwise_linear, md, other, 2.f, 1.f, default_attr(), allow_empty);
    };
    check(throws(dnnl_invalid_arguments, [&] { make(false); }), "shapes that disagree");
    check(!make(true), "allow_empty");
}

void next_implementation(eltwise_forward::primitive_desc pd) {
    int count = 1;
    std::string names = pd.impl_info_str();
    while (pd.next_impl()) {
        ++count;
        check(names.find(pd.impl_info_str()) == std::string::npos, "implementations differ");
        names += std::string(" ") + pd.impl_info_str();
    }
    check(!pd.next_impl(), "the end stays the end");
    std::printf("%d implementations: %s\n", count, names.c_str());
}

void execution(const engine &eng, const eltwise_forward::primitive_desc &pd) {
    const stream strm(eng);
    float src[6] = {0, 1, 2, 3, 4, 5}, dst[6] = {};
    const memory src_mem(pd.src_desc(), eng, src), dst_mem(pd.dst_desc(), eng, dst);
    const primitive from_base(static_cast<const primitive_desc_base &>(pd));
    const primitive from_desc(static_cast<const primitive_desc &>(pd));
    const primitive from_c(static_cast<const_dnnl_primitive_desc_t>(pd.get()));
    const eltwise_forward from_pd(pd);
    for (const primitive &p :
        {from_base, from_desc, from_c, static_cast<const primitive &>(from_pd)}) {
        check(p.get_kind() == primitive::kind::eltwise, "kind of a primitive");
        check(p.get_primitive_desc() != nullptr, "descriptor of a primitive");
        dst[5] = 0.f;
        p.execute(strm, {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_DST, dst_mem}});
        check(dst[5] == 11.f, "result");
        check(throws(dnnl_invalid_arguments,
                  [&] {
                      p.execute(strm, {{DNNL_ARG_SRC, src_mem}});
                  }),
            "a missing argument");
        check(throws(dnnl_unimplemented, [&] { p.get_cache_blob(); }), "cache blob");
    }
    const std::vector<uint8_t> blob(8);
    check(throws(dnnl_unimplemented, [&] { primitive(pd, blob); }), "primitive from a blob");
    check(throws(dnnl_unimplemented,
              [&] { primitive(static_cast<const primitive_desc_base &>(pd), blob); }),
        "primitive from a base descriptor and a blob");
    check(throws(dnnl_unimplemented,
              [&] { primitive(static_cast<const_dnnl_primitive_desc_t>(pd.get()), blob); }),
        "primitive from a C descriptor and a blob");
    check(!primitive() && convert_to_c(primitive::kind::matmul) == dnnl_matmul, "kinds to C");
}

// The window of a convolution and of pooling, written as literal lists.
void windows(const engine &eng) {
    const memory::desc src({1, 2, 9, 8}, dt::f32, tag::nchw), dst({1, 4, 4, 6}, dt::f32, tag::nchw);
    const memory::desc weights({4, 2, 3, 3}, dt::f32, tag::oihw);
    const convolution_forward::primitive_desc dilated(eng, prop_kind::forward_scoring,
        algorithm::convolution_direct, src, weights, dst, {2, 1}, {1, 0}, {1, 0}, {1, 0});
    check(dilated.get_strides() == memory::dims({2, 1}), "strides");
    check(dilated.get_dilations() == memory::dims({1, 0}), "dilations");
    check(dilated.get_padding_l() == memory::dims({1, 0}), "left padding");
    check(dilated.get_padding_r() == memory::dims({1, 0}), "right padding");
    check(dilated.bias_desc().is_zero() && dilated.weights_desc() == weights, "no bias");

    const convolution_forward::primitive_desc dense(eng, prop_kind::forward_inference,
        algorithm::convolution_direct, src, weights, memory::desc({4}, dt::f32, tag::x),
        memory::desc({1, 4, 7, 6}, dt::f32, tag::any), {1, 1}, {0, 0}, {0, 0}, {0, 0});
    check(dense.get_dilations() == memory::dims({0, 0}), "no dilation");
    check(dense.bias_desc().get_dims() == memory::dims({4}), "bias");

    const pooling_forward::primitive_desc pooling(eng, prop_kind::forward_training,
        algorithm::pooling_avg, src, memory::desc({1, 2, 4, 4}, dt::f32, tag::nchw), {2, 2}, {3, 2},
        {0, 0}, {0, 0}, {0, 0});
    check(pooling.get_kernel() == memory::dims({3, 2}), "kernel");
    check(pooling.get_algorithm() == algorithm::pooling_avg_exclude_padding, "pooling_avg");

    check(throws(dnnl_invalid_arguments,
              [&] {
                  convolution_forward::primitive_desc(eng, prop_kind::forward_inference,
                      algorithm::convolution_direct, src, weights, dst, {2}, {1, 0}, {1, 0},
                      default_attr(), true);
              }),
        "too few strides throw even with allow_empty");
}

// An RNN descriptor without an object refuses each getter.
void rnn_getters() {
    typedef memory::desc (rnn_primitive_desc_base::*getter)() const;
    typedef rnn_primitive_desc_base rnn;
    const getter getters[] = {&rnn::src_layer_desc, &rnn::src_iter_desc, &rnn::src_iter_c_desc,
        &rnn::augru_attention_desc, &rnn::weights_layer_desc, &rnn::weights_iter_desc,
        &rnn::weights_peephole_desc, &rnn::weights_projection_desc, &rnn::bias_desc,
        &rnn::dst_layer_desc, &rnn::dst_iter_desc, &rnn::dst_iter_c_desc, &rnn::diff_src_layer_desc,
        &rnn::diff_src_iter_desc, &rnn::diff_src_iter_c_desc, &rnn::diff_augru_attention_desc,
        &rnn::diff_weights_layer_desc, &rnn::diff_weights_iter_desc,
        &rnn::diff_weights_peephole_desc, &rnn::diff_weights_projection_desc, &rnn::diff_bias_desc,
        &rnn::diff_dst_layer_desc, &rnn::diff_dst_iter_desc, &rnn::diff_dst_iter_c_desc};
    const rnn empty;
    for (const getter get : getters)
        check(throws(dnnl_invalid_arguments, [&] { (empty.*get)(); }), "a getter of an empty RNN");
}

} // namespace

int main() {
    try {
        const engine eng(engine::kind::cpu, 0);
        const memory::desc md({2, 3}, dt::f32, tag::ab);
        const eltwise_forward::primitive_desc pd(
            eng, prop_kind::forward_inference, algorithm::eltwise_linear, md, md, 2.f, 1.f);
        descriptor(eng, pd, md);
        execution(eng, pd);
        next_implementation(eltwise_forward::primitive_desc(pd.get()));
        windows(eng);
        rnn_getters();
    } catch (const error &e) {
        std::printf("failed: %s (status %d)\n", e.what(), static_cast<int>(e.status));
        return 1;
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
