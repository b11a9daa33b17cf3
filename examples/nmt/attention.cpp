// SPDX-License-Identifier: Apache-2.0
// Attention by two products and a softmax.
#include "attention.hpp"

namespace nmt {

attention::attention(const engine &cpu, const encoded &source, memory::dim beam, memory::dim hidden)
    : cpu_(cpu), source_(source), beam_(beam), hidden_(hidden),
      weights_({{source.sentences, beam, source.longest}, dt::f32, tag::abc}, cpu) {}

attention::step attention::prepare(memory::dim sentences) const {
    const memory::dim longest = source_.longest;
    step of;
    of.rows = {{sentences, beam_, hidden_}, dt::f32, tag::abc};
    of.keys = {{sentences, hidden_, longest}, dt::f32, tag::acb};
    of.values = {{sentences, longest, hidden_}, dt::f32, tag::abc};
    of.weights = {{sentences, beam_, longest}, dt::f32, tag::abc};
    of.mask = {{sentences, 1, longest}, dt::f32, tag::abc};
    dnnl::post_ops ops;
    ops.append_binary(dnnl::algorithm::binary_add, of.mask);
    dnnl::primitive_attr attr;
    attr.set_post_ops(ops);
    of.scores = dnnl::matmul({cpu_, of.rows, of.keys, of.weights, attr});
    of.softmax = dnnl::softmax_forward({cpu_, dnnl::prop_kind::forward_inference,
        dnnl::algorithm::softmax_accurate, of.weights, of.weights, 2});
    of.context = dnnl::matmul({cpu_, of.weights, of.values, of.rows});
    return of;
}

void attention::execute(
    stream &s, memory::dim sentences, const memory &states, const memory &contexts) {
    auto found = of_sentences_.find(sentences);
    if (found == of_sentences_.end())
        found = of_sentences_.emplace(sentences, prepare(sentences)).first;
    const step &of = found->second;
    const auto over = [&](const memory &m, const memory::desc &md) {
        return memory(md, cpu_, m.get_data_handle());
    };
    const memory weights = over(weights_, of.weights);
    of.scores.execute(
        s, {{DNNL_ARG_SRC, over(states, of.rows)}, {DNNL_ARG_WEIGHTS, over(source_.keys, of.keys)},
               {DNNL_ARG_DST, weights},
               {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, over(source_.mask, of.mask)}});
    of.softmax.execute(s, {{DNNL_ARG_SRC, weights}, {DNNL_ARG_DST, weights}});
    of.context.execute(
        s, {{DNNL_ARG_SRC, weights}, {DNNL_ARG_WEIGHTS, over(source_.values, of.values)},
               {DNNL_ARG_DST, over(contexts, of.rows)}});
}

} // namespace nmt
