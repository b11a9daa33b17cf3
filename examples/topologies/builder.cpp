// SPDX-License-Identifier: Apache-2.0
// Where tensors lie, what products read, and what happens on their sums.
#include "builder.hpp"

#include "../example.hpp"

#include <algorithm>

namespace topologies {

using dnnl::algorithm;
using dnnl::prop_kind;
using tag = memory::format_tag;

builder::builder(const dnnl::engine &engine, const graph &g, precision p,
    const std::vector<float> &ranges, bool fuses_shuffles, built_network &to)
    : engine_(engine), g_(g), precision_(p), ranges_(ranges), fuses_shuffles_(fuses_shuffles),
      to_(to), forms_(forms_of(g, p, ranges)), places_(places_of(g, forms_)),
      roots_(g.layers.size()) {}

void builder::add(int i) {
    now_ = i;
    const layer &l = at(i);
    to_.results_[i] = place_result(i);
    switch (l.what) {
    case kind::input: return add_input();
    case kind::convolution: return l.more.shuffles ? add_shuffled() : add_convolution();
    case kind::maximum: return add_pooling(algorithm::pooling_max);
    case kind::average: return add_pooling(algorithm::pooling_avg_exclude_padding);
    case kind::concat: return; // its parts have been written in place
    case kind::dense: return add_dense();
    case kind::scores: return add_scores();
    case kind::softmax: return add_softmax();
    case kind::mix: return add_mix();
    case kind::layer_normalization: return add_normalization();
    }
}

void builder::copy(
    const memory &from, const memory &to, const dnnl::primitive_attr &attr, arguments args) {
    args[DNNL_ARG_FROM] = from;
    args[DNNL_ARG_TO] = to;
    step_of<dnnl::reorder>("reorder", {from, to, attr}, std::move(args));
}

memory::desc builder::desc_of(int i) const {
    const layer &l = at(i);
    const int root = places_[std::size_t(i)].root;
    if (l.image()) return image_desc(l.shape, form_of(i).type, at(root).shape[1]);
    return {l.shape, form_of(i).type, l.shape.size() == 4 ? tag::abcd : tag::ab};
}

memory builder::place_result(int i) {
    const place &p = places_[std::size_t(i)];
    void *&begin = roots_[std::size_t(p.root)];
    if (!begin) {
        std::size_t bytes = memory::data_type_size(form_of(i).type);
        for (const dim d : at(p.root).shape) bytes *= std::size_t(d);
        begin = to_.arena_.take(bytes, i, p.last_read);
    }
    const std::size_t offset = std::size_t(p.channel) * memory::data_type_size(form_of(i).type);
    return {desc_of(i), engine_, static_cast<char *>(begin) + offset};
}

std::pair<memory, form> builder::operand(int i) {
    const memory as_stored = to_.results_.at(i);
    if (precision_ != precision::int8 || form_of(i).integer()) return {as_stored, form_of(i)};
    const form bytes = bytes_for(ranges_.at(std::size_t(i)), nonnegative(g_, i));
    const auto known = copies_.find(i);
    if (known != copies_.end()) return {known->second, bytes};
    const dims &shape = at(i).shape;
    const memory to({shape, bytes.type, tag::ab}, engine_,
        to_.arena_.take(std::size_t(shape[0] * shape[1]), now_, g_.last_reader(i)));
    recipe r;
    scale(r, DNNL_ARG_DST, bytes);
    copy(as_stored, to, r.attr, r.args);
    copies_[i] = to;
    return {to, bytes};
}

memory builder::vector(const std::vector<float> &values, const dims &shape, tag order) const {
    const memory to({shape, dt::f32, order}, engine_);
    std::copy(values.begin(), values.end(), static_cast<float *>(to.get_data_handle()));
    return to;
}

memory builder::vector(const std::vector<float> &values) const {
    return vector(values, {dim(values.size())}, tag::x);
}

void builder::scale(recipe &r, int arg, const form &of) const {
    if (!of.integer()) return;
    r.attr.set_scales_mask(arg, 0);
    r.args[DNNL_ARG_ATTR_SCALES | arg] = vector({of.scale});
}

void builder::scale_weights(recipe &r, int mask, const memory &scales) const {
    if (precision_ != precision::int8) return;
    r.attr.set_scales_mask(DNNL_ARG_WEIGHTS, mask);
    r.args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = scales;
}

void builder::finish(recipe &r, const memory &dst, const std::vector<float> &slopes) {
    const extras &more = current().more;
    if (more.addend >= 0) {
        const form &f = form_of(more.addend);
        r.ops.append_sum(f.scale, 0, f.type);
        const memory addend = to_.results_.at(more.addend);
        if (addend.get_data_handle() != dst.get_data_handle())
            copy(addend, memory(addend.get_desc(), engine_, dst.get_data_handle()));
    }
    const auto eltwise = [&](algorithm a, float alpha = 0, float beta = 0) {
        r.ops.append_eltwise(a, alpha, beta);
    };
    switch (more.after) {
    case activation::none: break;
    case activation::relu: eltwise(algorithm::eltwise_relu); break;
    case activation::relu6: eltwise(algorithm::eltwise_clip, 0, 6); break;
    case activation::gelu: eltwise(algorithm::eltwise_gelu_erf); break;
    case activation::tanh: eltwise(algorithm::eltwise_tanh); break;
    case activation::prelu:
        r.ops.append_prelu(2);
        r.args[DNNL_ARG_ATTR_MULTIPLE_POST_OP(r.ops.len() - 1) | DNNL_ARG_WEIGHTS] = vector(slopes);
    }
    r.attr.set_post_ops(r.ops);
}

dt builder::weights_type() const {
    return precision_ == precision::f32    ? dt::f32
           : precision_ == precision::bf16 ? dt::bf16
                                           : dt::s8;
}

memory builder::packed(
    const memory &plain, const memory::desc &wanted, int mask, const memory &scales) const {
    const memory to(wanted, engine_);
    dnnl::primitive_attr attr;
    arguments args {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, to}};
    if (precision_ == precision::int8) {
        attr.set_scales_mask(DNNL_ARG_DST, mask);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = scales;
    }
    examples::execute(dnnl::reorder(plain, to, attr), engine_, args);
    return to;
}

void builder::add_input() {
    const dims &shape = current().shape;
    to_.input_ = memory({shape, dt::f32, shape.size() == 4 ? tag::nchw : tag::ab}, engine_);
    recipe r;
    scale(r, DNNL_ARG_DST, form_of(now_));
    copy(to_.input_, result(), r.attr, r.args);
}

} // namespace topologies
