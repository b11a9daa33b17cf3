// SPDX-License-Identifier: Apache-2.0
// What a driver provides for one case: its tensors, the primitive descriptor and the oracle.
#pragma once

#include "language/attributes.hpp"
#include "language/case.hpp"
#include "oracle/interval.hpp"
#include "oracle/random_numbers.hpp"
#include "oracle/tensor.hpp"

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace conformance {

enum class role { input, output, update }; // update: read and written (sum post-op)
enum class meaning {
    activations,
    weights,
    bias,
    scale,
    zero_point,
    slope,      // of a prelu post-op
    condition,  // of a select: zero or not
    factor,     // of a product of many
    number,     // one value: probability, seed or offset
    reduction,  // a sum of src that the case makes up: the library trusts it
    normalized, // src of a normalization
    variance,   // positive; `constant` is the epsilon that comes on top
    probability,
    log_probability
};
/// Values that come dense in the order of the masked dimensions, whatever the layouts of tensors.
bool is_value_array(meaning holds);

/// One execution argument.
struct tensor_spec {
    int argument = 0;
    std::string name;
    dims shape;
    data_type type = data_type::undef;
    memory::desc requested; // may be `any` or have run-time dims
    std::size_t bytes = 0;  // of the buffer, where `requested` is a part of it
    role use = role::input;
    meaning holds = meaning::activations;
    bool accumulates = false; // the oracle sums many products of it: no overflow wanted
    bool passed = true;       // false: an input of the oracle only
    memory::desc concrete;    // for run-time dims: what the memory has
    double constant = 0;      // value of every element, when has_constant
    bool has_constant = false;
    bool on_host = false;         // one value, given as a host scalar or as a memory
    bool takes_nonfinite = false; // weights: fill X puts one NaN or infinity among them
    bool divides = false;         // no zeros in fill E
    double factors = 1;           // of one product; of many all but some 16 are 1 or -1
    bool is_sparse = false;
    std::vector<std::uint8_t> stored; // of a sparse tensor: which elements are, row-major
    double reach = 0; // largest magnitude of values, a power of two; 0: what the fill likes
    data_type offsets =
        data_type::undef; // zero points: the type of the elements that they belong to
    /// A letter for each dimension, or nothing. Where the letters of all tensors of a product are
    /// equal, their indices belong together: fill X leaves some of them with ordinary values, so
    /// that sums over the other dimensions (a dot) are of ordinary values alone. Dimensions of one
    /// letter count together, row by row; an upper-case letter tells the two halves of a dimension
    /// apart.
    std::string axes;
};

using tensor_map = std::map<int, tensor>;                     // by DNNL_ARG_*
using expectation_map = std::map<int, std::vector<interval>>; // by DNNL_ARG_* of outputs
using argument_map = std::unordered_map<int, dnnl::memory>;

class test_problem {
  public:
    explicit test_problem(const test_case &c) : line(c) {}
    virtual ~test_problem() = default;

    /// Creates the descriptor; an unsupported request throws dnnl::error.
    virtual dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const = 0;
    /// The exact results with their intervals, for every output that is judged.
    virtual expectation_map expected(const tensor_map &in) const = 0;
    /// The same where products of bf16 take subnormal numbers for zero, and give zero for them, as
    /// AMX tiles do, and where these multiply an infinite pixel by the zeros beside its line; empty
    /// if that makes no difference.
    virtual expectation_map expected_where_flushed(const tensor_map &) const { return {}; }
    /// The argument whose memory holds the states that the network passed through, each of which
    /// decides the next one; 0 without any.
    virtual int states_argument() const { return 0; }
    /// The exact results of each step from the states in front of it, as the library computed them;
    /// `flushed` as in expected_where_flushed().
    virtual expectation_map expected_from_states(
        const tensor_map &, const tensor &, bool /*flushed*/) const {
        return {};
    }
    /// Adds arguments that come from another primitive (workspaces to be read). Default: nothing.
    virtual void complete(const dnnl::engine &, const dnnl::stream &, const tensor_map &,
        const dnnl::primitive_desc_base &, argument_map &) const {}
    /// Multiplications and additions of one execution, for performance lines: of products by
    /// weights (of a sparse operand, by what it stores), 0 for other primitives.
    virtual double operations() const;

    /// The attribute object of the knobs; `dst_shape` and `dst_type` are those of the destination.
    dnnl::primitive_attr attributes() const;

    const test_case line;
    std::vector<tensor_spec> tensors;
    std::string warning; // of what the case says in vain

  protected:
    /// Adds a tensor with a layout tag.
    tensor_spec &add_tensor(int argument, const std::string &name, const dims &shape,
        data_type type, const std::string &tag, role use, meaning holds = meaning::activations);
    /// Replaces the layout by strides "8x1"; an empty text changes nothing.
    static void set_strides(tensor_spec &spec, const std::string &strides);
    /// Adds the tensors of scales, zero points and binary post-ops, and makes dst an update when
    /// a sum post-op reads it. `ndims_weights_grouped`: weights have a group dimension.
    /// `base`: dst of the operation in front of a depthwise post-op, empty without one.
    void add_attribute_tensors(
        int dst_argument, bool grouped_weights = false, const dims &base = {});
    const memory::desc &desc(int argument) const;
    const tensor_spec &spec(int argument) const;

  private:
    /// True where a forward pass of the case runs on buffers of its own: not on parts of others.
    bool rebuilds_tensors() const;
    struct quantization {
        int argument, mask;
        dims groups;
        data_type type;
        bool plain, on_host;
        dnnl::quantization_mode mode;

        bool is_dynamic() const { return mode != dnnl::quantization_mode::static_sazp; }
    };
    void set_quantization(dnnl::primitive_attr &attr) const;
    void add_quantization(const std::vector<quantization_entry> &entries, quantization_kind kind,
        bool grouped_weights);
    std::vector<quantization> scales_, zero_points_, reductions_;
    void add_post_op(const post_op &op, int index, const dims &dst_shape, const std::string &axes);
    void add_randomness(int dst_argument);
    void add_to(dnnl::post_ops &chain, const post_op &op, std::size_t &next_binary) const;
    void set_modes(dnnl::primitive_attr &attr) const;
    std::vector<memory::desc> binary_descs_;

    friend class quantized;
    friend class epilogue;
    friend class dynamic_scales;
};

/// The type of the bias of a convolution or inner product: that of --bia-dt, else of the weights,
/// f32 where they are integers.
data_type bias_type_of(const test_case &c, data_type weights);

/// True for FWD_*.
bool is_forward(const std::string &direction);

/// Scale and zero-point values of one argument during one evaluation of the oracle.
class quantized {
  public:
    quantized(const test_problem &problem, const tensor_map &in, int argument);
    double scale(const dims &position) const { return value(scale_, scale_groups_, position, 1); }
    double zero_point(const dims &position) const {
        return value(zero_, zero_groups_, position, 0);
    }
    bool has_scale() const { return scale_ != nullptr; }
    bool has_zero_point() const { return zero_ != nullptr; }
    /// True if scales vary along dimension d of the argument.
    bool scale_varies_along(int d) const { return (scale_mask_ >> d & 1) != 0; }
    /// Elements of K, the last dimension of src, whose sum the case gives; 0 without such sums.
    dim reduced() const { return reduction_groups_.empty() ? 0 : reduction_groups_[1]; }
    double reduction(const dims &position) const {
        return value(reduction_, reduction_groups_, position, 0);
    }

  private:
    static double value(
        const tensor *values, const dims &groups, const dims &position, double fallback);
    const tensor *scale_ = nullptr, *zero_ = nullptr, *reduction_ = nullptr;
    dims scale_groups_, zero_groups_, reduction_groups_;
    int scale_mask_ = 0;
};

/// What happens to a result before it is stored: dropout, post-ops, scale and zero point of dst.
class epilogue {
  public:
    epilogue(const test_problem &problem, const tensor_map &in, int dst_argument);
    /// The part of the chain in [begin, end) and the scale of `scaled`, no zero point: what
    /// surrounds a depthwise post-op.
    epilogue(const test_problem &problem, const tensor_map &in, int dst_argument, std::size_t begin,
        std::size_t end, int scaled);
    /// Dropout: what is left of the element, and the element of the mask.
    interval drop_out(interval x, const dims &position, interval &mask) const;
    /// Post-ops, destination scale and zero point of the element at `position`, and stochastic
    /// rounding.
    interval finish(interval x, const dims &position) const;

  private:
    interval sum_step(const post_op &op, const interval &x, const dims &position) const;
    const std::vector<post_op> chain_;
    const tensor_map &in_;
    const int dst_argument_;
    const std::size_t begin_, end_;
    const quantized dst_;
    const dropout_knob dropout_;
    const rounding_knob rounding_;
    const data_type dst_type_;
    dim offset(const dims &position) const { return placed_->offset(position); }
    std::shared_ptr<const layout> placed_; // of dst, where random numbers go by offsets
};

/// Scales of dst that the library computes, one for each group of neighbours in a row.
class dynamic_scales {
  public:
    /// Off where the scales of dst are given, or where there are none.
    explicit dynamic_scales(const test_problem &problem);
    explicit operator bool() const { return group_ > 0; }
    /// Replaces f32 results by what is stored of them, row-major, and returns the scales.
    std::vector<interval> apply(std::vector<interval> &results) const;

  private:
    interval scale_of(const interval *results) const;
    double scale_of(double largest) const;
    interval stored(const interval &x, const interval &scale) const;
    dim group_ = 0;
    bool powers_of_two_ = false;
    data_type dst_ = data_type::undef;
};

/// Makes the problem of a case. Throws skipped_case or usage_error.
std::unique_ptr<test_problem> make_problem(const test_case &c);

std::unique_ptr<test_problem> make_batch_normalization(const test_case &c);
std::unique_ptr<test_problem> make_binary(const test_case &c);
std::unique_ptr<test_problem> make_concat(const test_case &c);
std::unique_ptr<test_problem> make_convolution(const test_case &c);
std::unique_ptr<test_problem> make_deconvolution(const test_case &c);
std::unique_ptr<test_problem> make_eltwise(const test_case &c);
std::unique_ptr<test_problem> make_group_normalization(const test_case &c);
std::unique_ptr<test_problem> make_inner_product(const test_case &c);
std::unique_ptr<test_problem> make_layer_normalization(const test_case &c);
std::unique_ptr<test_problem> make_lrn(const test_case &c);
std::unique_ptr<test_problem> make_matmul(const test_case &c);
std::unique_ptr<test_problem> make_pooling(const test_case &c);
std::unique_ptr<test_problem> make_prelu(const test_case &c);
std::unique_ptr<test_problem> make_reduction(const test_case &c);
std::unique_ptr<test_problem> make_reorder(const test_case &c);
std::unique_ptr<test_problem> make_resampling(const test_case &c);
std::unique_ptr<test_problem> make_rnn(const test_case &c);
std::unique_ptr<test_problem> make_shuffle(const test_case &c);
std::unique_ptr<test_problem> make_softmax(const test_case &c);
std::unique_ptr<test_problem> make_sum(const test_case &c);
std::unique_ptr<test_problem> make_zero_padding(const test_case &c);

} // namespace conformance
