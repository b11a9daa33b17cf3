// SPDX-License-Identifier: Apache-2.0
// A lowered program: steps over buffers, whose memory is shared by those that are never needed at
// the same time.
#pragma once

#include "../../calibration/quantization.hpp"
#include "layout.hpp"

#include "../operators/operator.hpp"

#include <deque>
#include <unordered_map>

namespace dnnl_onnx {

/// A tensor in a buffer. An empty descriptor means dense elements of a type that the library does
/// not have.
struct operand {
    int buffer = -1;
    std::size_t offset = 0; // bytes from the begin of the buffer
    dnnl::memory::desc desc;
};

struct step {
    std::string text;           // the nodes of the model that it does
    std::string kind;           // the primitive, or "host"
    std::string implementation; // what the library says of itself; empty of steps on the host
    std::string post_ops;
    dnnl::primitive primitive;
    std::vector<std::pair<int, operand>> arguments; // by DNNL_ARG_*
    std::vector<int> written;                       // positions in `arguments` of its results
    std::string source; // of products with constant weights: the name of the value that they take
    calibration::quantizer result_by; // of results that are stored as 8-bit integers
    host_step host;
    std::vector<std::pair<operand, const tensor_type *>> reads, writes; // of the host
};

/// Bytes of the buffers of a program.
struct memory_use {
    std::size_t at_once = 0;   // what is allocated
    std::size_t summed = 0;    // without sharing
    std::size_t constants = 0; // weights, as the primitives want them
};

class steps {
  public:
    enum class kind { shared, input, output, constant };

    int add_buffer(kind what, std::size_t bytes);
    int add_input(std::size_t index, std::size_t bytes);
    int add_constant(const dnnl::memory &elements);
    int add_constant(const tensor &elements);
    kind kind_of(int buffer) const { return buffers_[buffer].what; }
    std::size_t bytes_of(int buffer) const { return buffers_[buffer].bytes; }
    /// Makes a shared buffer an output, which a caller gets.
    void make_output(int buffer) { buffers_[buffer].what = kind::output; }

    const tensor_type *keep(tensor_type type);
    void add(step next) { list_.push_back(std::move(next)); }
    std::size_t size() const { return list_.size(); }
    const std::vector<step> &list() const { return list_; }

    /// After the last step: places the buffers and binds the arguments. `outputs` are the wanted
    /// values in order: a buffer that is an output or a constant, and the type.
    void finish(const dnnl::engine &engine, std::vector<std::pair<int, tensor_type>> outputs);

    /// Runs the steps on inputs of the types that the program was made for. `watch`, if it is
    /// there, is called behind each step.
    std::vector<tensor> run(const dnnl::stream &stream, const std::vector<tensor> &inputs,
        const std::function<void(std::size_t)> &watch = {});

    /// Where an operand lies while the steps run.
    std::byte *address(const operand &of) const { return buffers_[of.buffer].at + of.offset; }

    memory_use use() const { return use_; }

  private:
    struct buffer {
        kind what;
        std::size_t bytes = 0;
        std::size_t input = 0;                         // of inputs: which
        tensor elements;                               // of constants and of outputs of a run
        dnnl::memory constant;                         // of constants that the library reordered
        std::size_t first = ~std::size_t(0), last = 0; // steps that touch it
        std::size_t offset = 0;                        // in the arena
        std::byte *at = nullptr;
        bool moves = false; // its address changes from run to run
    };

    void find_lifetimes();
    void place_buffers();
    void bind(const dnnl::engine &engine);
    void take_inputs(const std::vector<tensor> &inputs);
    void renew_outputs();
    void rebind();

    std::vector<buffer> buffers_;
    std::vector<step> list_;
    std::deque<tensor_type> types_;
    std::vector<std::unordered_map<int, dnnl::memory>> bound_; // per step
    std::vector<std::vector<tensor_view>> host_in_, host_out_; // per step
    std::vector<std::pair<int, tensor_type>> outputs_;
    tensor arena_;
    memory_use use_;
};

} // namespace dnnl_onnx
