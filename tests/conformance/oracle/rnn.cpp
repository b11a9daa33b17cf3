// SPDX-License-Identifier: Apache-2.0
// Recurrent networks forward and backward: tensors and the forward pass that
// backward needs. rnn_create.cpp calls the C functions, rnn_oracle.cpp computes.
#include "oracle/rnn.hpp"

#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <cfloat>
#include <cmath>
#include <cstring>

namespace conformance {
namespace {

// Weights of about 1 / sqrt(width) keep sums away from saturation.
double weights_reach(dim width) {
    return std::ldexp(1, -int(std::log2(double(std::max<dim>(width, 1))) / 2));
}

rnn_quantization quantization_of(const rnn_shape &s, const test_case &c) {
    rnn_quantization q;
    if (!s.types.quantized) return q;
    q.scale = 127;
    q.shift = is_unsigned(s.types.state()) ? 128 : 0;
    const dim gates = c["scaling"] == "per_oc" ? s.G * s.DHC : 1;
    for (dim i = 0; i < gates; ++i) q.weights.push_back(std::ldexp(1, 7 + int(i % 3)));
    const dim channels = c["scaling-proj"] == "per_oc" ? s.DIC : 1;
    for (dim i = 0; i < channels; ++i) q.projection.push_back(std::ldexp(1, 7 + int(i % 2)));
    return q;
}

// Rows one after the other with a gap of three elements.
dims strides_with_gaps(const dims &shape) {
    dims strides(shape.size(), 1);
    for (std::size_t d = shape.size() - 1; d-- > 0;)
        strides[d] = strides[d + 1] * shape[d + 1] + (d + 2 == shape.size() ? 3 : 0);
    return strides;
}

// Memory of the library's layout with the tensor's values.
dnnl::memory memory_with(const dnnl::engine &engine, const dnnl::stream &stream,
    const memory::desc &md, const tensor &values) {
    const memory::desc plain(values.shape, values.type, dims {});
    const dnnl::memory from(plain, engine), to(md, engine);
    const auto bytes = layout(plain).pack(values, 0);
    if (!bytes.empty()) std::memcpy(from.get_data_handle(), bytes.data(), bytes.size());
    dnnl::reorder(from, to).execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return to;
}

} // namespace

rnn_problem::rnn_problem(const test_case &c)
    : test_problem(c), shape_(c), quantization_(quantization_of(shape_, c)) {
    if (c["skip-nonlinear"] == "true")
        throw skipped_case("Case not supported: linear gates have no public interface");
    if (shape_.cell == cell_kind::vanilla && c["activation"] == "UNDEF")
        throw skipped_case("Invalid case: a vanilla cell needs an activation");
    auto given = split(c["tag"], ':');
    given.resize(3, given[0]);
    src_tag_ = given[0];
    weights_tag_ = given[1];
    dst_tag_ = given[2];
    const data_type f32 = data_type::f32;
    const rnn_types &t = shape_.types;
    add_inputs();
    if (shape_.forward) {
        add(DNNL_ARG_DST_LAYER, {shape_.T, shape_.N, shape_.DLC}, t.dst_layer, dst_tag_,
            role::output);
        add(DNNL_ARG_DST_ITER, shape_.state(), t.dst_iter, "abx", role::output);
        if (shape_.has_cell_state())
            add(DNNL_ARG_DST_ITER_C, shape_.cell_state(), t.cell, "abx", role::output);
        return;
    }
    described_[DNNL_ARG_DST_LAYER] =
        desc_of({shape_.T, shape_.N, shape_.DLC}, t.dst_layer, dst_tag_, DNNL_ARG_DST_LAYER);
    described_[DNNL_ARG_DST_ITER] = desc_of(shape_.state(), t.dst_iter, "abx", DNNL_ARG_DST_ITER);
    if (shape_.has_cell_state())
        described_[DNNL_ARG_DST_ITER_C] =
            desc_of(shape_.cell_state(), t.cell, "abx", DNNL_ARG_DST_ITER_C);
    add_gradients(f32);
}

void rnn_problem::add_inputs() {
    const rnn_shape &s = shape_;
    const rnn_types &t = s.types;
    add(DNNL_ARG_SRC_LAYER, {s.T, s.N, s.SLC}, t.src_layer, src_tag_, role::input).reach = 2;
    add(DNNL_ARG_SRC_ITER, {s.L, s.D, s.N, s.SIC}, t.src_iter, "abx", role::input).reach = 1;
    if (s.has_cell_state())
        add(DNNL_ARG_SRC_ITER_C, s.cell_state(), t.cell, "abx", role::input).reach = 2;
    if (s.has_attention()) {
        // The type of the layer's input, in [0, 1].
        add(DNNL_ARG_AUGRU_ATTENTION, {s.T, s.N, 1}, t.src_layer, "abx", role::input).holds =
            meaning::probability;
    }
    add(DNNL_ARG_WEIGHTS_LAYER, s.weights_layer(), t.weights, weights_tag_, role::input).reach =
        weights_reach(s.SLC);
    add(DNNL_ARG_WEIGHTS_ITER, s.weights_iter(), t.weights, weights_tag_, role::input).reach =
        weights_reach(s.SIC);
    if (s.peephole)
        add(DNNL_ARG_WEIGHTS_PEEPHOLE, {s.L, s.D, 3, s.DHC}, data_type::f32, "abx", role::input)
            .reach = 1;
    if (s.projection)
        add(DNNL_ARG_WEIGHTS_PROJECTION, {s.L, s.D, s.DHC, s.DIC}, t.weights,
            weights_tag_ == "any" ? "any" : "abx", role::input)
            .reach = weights_reach(s.DHC);
    add(DNNL_ARG_BIAS, {s.L, s.D, s.B, s.DHC}, t.bias, "abx", role::input).reach = 1;
}

void rnn_problem::add_gradients(data_type type) {
    const rnn_shape &s = shape_;
    const std::string weights_tag = weights_tag_ == "any" ? "any" : "abx";
    const role parameters = line["flags"] == "O" ? role::output : role::update;
    add(DNNL_ARG_DIFF_DST_LAYER, {s.T, s.N, s.DLC}, type, dst_tag_, role::input).reach = 1;
    add(DNNL_ARG_DIFF_DST_ITER, s.state(), type, "abx", role::input).reach = 1;
    add(DNNL_ARG_DIFF_SRC_LAYER, {s.T, s.N, s.SLC}, type, src_tag_, role::output);
    add(DNNL_ARG_DIFF_SRC_ITER, {s.L, s.D, s.N, s.SIC}, type, "abx", role::output);
    if (s.has_cell_state()) {
        add(DNNL_ARG_DIFF_DST_ITER_C, s.cell_state(), type, "abx", role::input).reach = 1;
        add(DNNL_ARG_DIFF_SRC_ITER_C, s.cell_state(), type, "abx", role::output);
    }
    if (s.has_attention())
        add(DNNL_ARG_DIFF_AUGRU_ATTENTION, {s.T, s.N, 1}, type, "abx", role::output);
    add(DNNL_ARG_DIFF_WEIGHTS_LAYER, s.weights_layer(), type, weights_tag, parameters).reach = 1;
    add(DNNL_ARG_DIFF_WEIGHTS_ITER, s.weights_iter(), type, weights_tag, parameters).reach = 1;
    if (s.peephole)
        add(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, {s.L, s.D, 3, s.DHC}, type, "abx", parameters).reach =
            1;
    if (s.projection)
        add(DNNL_ARG_DIFF_WEIGHTS_PROJECTION, {s.L, s.D, s.DHC, s.DIC}, type, weights_tag,
            parameters)
            .reach = 1;
    add(DNNL_ARG_DIFF_BIAS, {s.L, s.D, s.B, s.DHC}, type, "abx", parameters).reach = 1;
}

memory::desc rnn_problem::desc_of(
    const dims &shape, data_type type, const std::string &tag, int argument) const {
    const bool state = argument == DNNL_ARG_SRC_LAYER || argument == DNNL_ARG_DST_LAYER ||
                       argument == DNNL_ARG_SRC_ITER || argument == DNNL_ARG_DST_ITER;
    if (line["trivial-strides"] == "false" && state)
        return memory::desc(shape, type, strides_with_gaps(shape));
    return desc_with_tag(shape, type, tag);
}

tensor_spec &rnn_problem::add(
    int argument, const dims &shape, data_type type, const std::string &tag, role use) {
    const bool weights = argument == DNNL_ARG_WEIGHTS_LAYER || argument == DNNL_ARG_WEIGHTS_ITER ||
                         argument == DNNL_ARG_WEIGHTS_PROJECTION;
    tensor_spec &spec = add_tensor(argument, name_of_argument(argument), shape, type, tag, use,
        weights ? meaning::weights : meaning::activations);
    spec.takes_nonfinite = weights || argument == DNNL_ARG_SRC_LAYER;
    // Rows of the batch are computed apart.
    if (!weights && shape.size() == 3) spec.axes = ".m";
    if (!weights && shape.size() == 4 && argument != DNNL_ARG_BIAS) spec.axes = "..m";
    if (line["trivial-strides"] == "false") {
        spec.requested = desc_of(shape, type, tag, argument);
        spec.bytes = 0;
    }
    described_[argument] = spec.requested;
    return spec;
}

dnnl::primitive_attr rnn_problem::with_quantization(const dnnl::primitive_attr &attr) const {
    if (!shape_.types.quantized) return attr;
    const auto floats = [](const std::vector<double> &values) {
        return std::vector<float>(values.begin(), values.end());
    };
    dnnl::primitive_attr result(attr);
    result.set_rnn_data_qparams(float(quantization_.scale), float(quantization_.shift));
    result.set_rnn_weights_qparams(
        quantization_.weights.size() > 1 ? 24 : 0, floats(quantization_.weights));
    if (shape_.projection)
        result.set_rnn_weights_projection_qparams(
            quantization_.projection.size() > 1 ? 8 : 0, floats(quantization_.projection));
    return result;
}

// The forward pass of the same row as `backward`, or of the first one where that has none: rows
// differ in what they flush.
dnnl::primitive_desc_base rnn_problem::forward_of(
    const dnnl::engine &engine, const dnnl::primitive_desc_base &backward) const {
    const std::string name = backward.impl_info_str();
    dnnl::primitive_desc_base forward = create_forward(engine, dnnl_forward_training, {});
    while (forward.impl_info_str() != name)
        if (dnnl_primitive_desc_next_impl(forward.get()) != dnnl_success)
            return create_forward(engine, dnnl_forward_training, {});
    return forward;
}

// For backward the workspace and the outputs of a forward pass over the same inputs.
void rnn_problem::complete(const dnnl::engine &engine, const dnnl::stream &stream,
    const tensor_map &in, const dnnl::primitive_desc_base &pd, argument_map &arguments) const {
    if (shape_.forward) return;
    const dnnl::primitive_desc_base forward = forward_of(engine, pd);
    argument_map pass;
    for (const auto &entry : described_) {
        const int argument = entry.first;
        if (is_gradient(argument)) continue;
        const memory::desc md = forward.query_md(dnnl::query::exec_arg_md, argument);
        const auto values = in.find(argument);
        pass[argument] = values == in.end() ? dnnl::memory(md, engine)
                                            : memory_with(engine, stream, md, values->second);
    }
    pass[DNNL_ARG_WORKSPACE] = dnnl::memory(forward.workspace_desc(), engine);
    dnnl::primitive(forward.get()).execute(stream, pass);
    arguments[DNNL_ARG_WORKSPACE] = pass[DNNL_ARG_WORKSPACE];
    for (int argument : {DNNL_ARG_DST_LAYER, DNNL_ARG_DST_ITER, DNNL_ARG_DST_ITER_C}) {
        if (!pass.count(argument)) continue;
        const memory::desc md = pd.query_md(dnnl::query::exec_arg_md, argument);
        const dnnl::memory &from = pass[argument], to(md, engine);
        dnnl::reorder(from, to).execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
        arguments[argument] = to;
    }
}

rnn_setting rnn_problem::setting() const {
    return {shape_, quantization_, line["activation"], activation_slope(), line["flags"] == "O"};
}

expectation_map rnn_problem::expected(const tensor_map &in) const {
    return rnn_results(setting(), in);
}

// The outputs of the last layer are the states that its next steps start from; the sum of two
// directions hides them.
int rnn_problem::states_argument() const {
    return shape_.T > 1 && !shape_.sum ? DNNL_ARG_DST_LAYER : 0;
}

expectation_map rnn_problem::expected_from_states(
    const tensor_map &in, const tensor &states, bool flushed) const {
    rnn_setting own = setting();
    if (flushed && shape_.types.weights == data_type::bf16) own.vanishing = FLT_MIN;
    return rnn_results(own, in, &states);
}

expectation_map rnn_problem::expected_where_flushed(const tensor_map &in) const {
    if (shape_.types.weights != data_type::bf16) return {};
    rnn_setting flushing = setting();
    flushing.vanishing = FLT_MIN;
    return rnn_results(flushing, in);
}

std::unique_ptr<test_problem> make_rnn(const test_case &c) {
    return std::make_unique<rnn_problem>(c);
}

} // namespace conformance
