// SPDX-License-Identifier: Apache-2.0
// The driver of recurrent networks.
#pragma once

#include "oracle/rnn_oracle.hpp"

namespace conformance {

class rnn_problem : public test_problem {
  public:
    explicit rnn_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;
    expectation_map expected_where_flushed(const tensor_map &in) const override;
    int states_argument() const override;
    expectation_map expected_from_states(
        const tensor_map &in, const tensor &states, bool flushed) const override;
    void complete(const dnnl::engine &engine, const dnnl::stream &stream, const tensor_map &in,
        const dnnl::primitive_desc_base &pd, argument_map &arguments) const override;
    double operations() const override {
        const rnn_shape &s = shape_;
        const double forward = 2.0 * double(s.L * s.D * s.T * s.N * s.G * s.DHC * (s.SLC + s.SIC));
        return s.forward ? forward : 3 * forward;
    }

  private:
    rnn_setting setting() const;
    void add_inputs();
    void add_gradients(data_type type);
    memory::desc desc_of(
        const dims &shape, data_type type, const std::string &tag, int argument) const;
    tensor_spec &add(
        int argument, const dims &shape, data_type type, const std::string &tag, role use);
    dnnl::primitive_attr with_quantization(const dnnl::primitive_attr &attr) const;

    /// Slope of a relu cell for negative values.
    double activation_slope() const { return line["activation"] == "RELU" ? 0.5 : 0; }
    dnnl::primitive_desc_base create_forward(
        const dnnl::engine &engine, dnnl_prop_kind_t prop, const dnnl::primitive_attr &attr) const;
    dnnl::primitive_desc_base forward_of(
        const dnnl::engine &engine, const dnnl::primitive_desc_base &backward) const;
    dnnl::primitive_desc_base create_backward(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const;
    /// Null where the problem has no such tensor.
    const_dnnl_memory_desc_t md(int argument) const;
    static bool is_gradient(int argument) { return argument >= DNNL_ARG_DIFF_SRC_0; }
    static std::string name_of_argument(int argument);

    const rnn_shape shape_;
    const rnn_quantization quantization_;
    std::string src_tag_, weights_tag_, dst_tag_;
    std::map<int, memory::desc> described_; // every tensor of the operation, judged or not
};

} // namespace conformance
