// SPDX-License-Identifier: Apache-2.0
// What an operator of ONNX is for this program: a function that is asked with the types of the
// inputs, and with the values of those that are known, tells the types of the outputs, and returns
// a function that computes them. There is one such function per operator; `operators()` lists all.
#pragma once

#include "../model/error.hpp"
#include "../model/model.hpp"

#include <functional>
#include <span>

namespace dnnl_onnx {

/// A tensor as a step sees it when it runs: dense.
struct tensor_view {
    const tensor_type *type = nullptr; // null where an optional input is left out
    std::byte *elements = nullptr;

    explicit operator bool() const { return type != nullptr; }
    const extents &dims() const { return type->dims; }
    std::int64_t count() const { return type->count(); }
    template <class T> T *data() const { return reinterpret_cast<T *>(elements); }
};

using views = std::span<const tensor_view>;

/// Computes the outputs, whose memory is there, from the inputs. It is called many times, and from
/// one thread at a time; it keeps what it needs by value.
using host_step = std::function<void(views inputs, views outputs)>;

/// The value of an input has to be known to tell the types of the outputs, and is not yet. The
/// caller runs what comes before and asks again.
struct needs_value {
    std::size_t input;
};

/// What an operator is asked with, and its answer.
class op_context {
  public:
    op_context(const node &asked, std::int64_t opset, std::vector<const tensor_type *> inputs,
        std::vector<const tensor *> known);

    const node &asked;
    const std::int64_t opset;

    std::size_t input_count() const { return inputs_.size(); }
    bool has(std::size_t input) const { return input < inputs_.size() && inputs_[input]; }
    /// The type of an input. An input that is left out is an error that names the node.
    const tensor_type &in(std::size_t input) const;
    const extents &dims(std::size_t input) const { return in(input).dims; }
    int rank(std::size_t input) const { return in(input).rank(); }
    /// The value of an input; throws needs_value where it is not known.
    const tensor &value(std::size_t input) const;
    bool is_known(std::size_t input) const { return has(input) && known_[input]; }

    std::size_t output_count() const { return asked.outputs.size(); }
    bool wants(std::size_t output) const;
    /// Tells the type of an output.
    void output(std::size_t index, element_type type, extents dims);
    const tensor_type &out(std::size_t index) const { return outputs_[index]; }
    std::vector<tensor_type> &outputs() { return outputs_; }

    bool has_attribute(const char *name) const;
    std::int64_t integer(const char *name, std::int64_t otherwise) const;
    float number(const char *name, float otherwise) const;
    std::string text(const char *name, const char *otherwise) const;
    std::vector<std::int64_t> integers(const char *name, std::vector<std::int64_t> otherwise) const;
    std::vector<float> numbers(const char *name, std::vector<float> otherwise) const;
    /// An attribute that must be there.
    const attribute &required(const char *name) const;

    /// An axis that may count from the end, as 0 .. rank - 1 (or rank, where the end is allowed).
    int axis_of(std::int64_t axis, int rank) const;
    int axis(const char *name, std::int64_t otherwise, int rank) const;
    /// Integers that older operator sets give as an attribute and newer ones as an input.
    std::vector<std::int64_t> integers_at(
        const char *name, std::size_t input, std::vector<std::int64_t> otherwise) const;

    /// Throws an error that names the node.
    [[noreturn]] void fail(const std::string &why) const;
    /// The same for a form of the operator that this program does not have.
    [[noreturn]] void not_there(const std::string &what) const;

  private:
    std::vector<const tensor_type *> inputs_;
    std::vector<const tensor *> known_;
    std::vector<tensor_type> outputs_;
};

/// Tells the types of the outputs. An empty function as the answer means that a primitive of the
/// library has to compute them.
using prepare_function = host_step (*)(op_context &);

/// The function of an operator; null where this program does not have it.
prepare_function find_operator(const std::string &domain, const std::string &name);
/// Every operator of ONNX's own domain that is there, in alphabetical order.
std::vector<std::string> operator_names();

} // namespace dnnl_onnx
