// SPDX-License-Identifier: Apache-2.0
// From operations to steps: chooses primitives, lets them choose layouts, and adds reorders where
// layouts meet that do not fit.
#pragma once

#include "../../calibration/quantization.hpp"
#include "constants.hpp"
#include "program.hpp"
#include "steps.hpp"

namespace dnnl_onnx {

/// By the name of a value how products take it as 8-bit integers.
using quantizers = std::map<std::string, calibration::quantizer>;

/// The types in which products of f32 work.
struct number_types {
    dnnl::memory::data_type floats = dnnl::memory::data_type::f32; // or bf16, f16
    quantizers sources;            // products whose source is not here work in floats
    std::vector<std::string> keep; // so do those with a node whose text contains one of these
};

class lowering {
  public:
    const program &source() const { return program_; }
    using arguments = std::vector<std::pair<int, operand>>;

    lowering(program &from, constants &shared, steps &to, const number_types &types);
    /// Adds the steps of the whole program.
    void run();

    const value &of(int id) const { return program_.values[id]; }
    const tensor_type &type_of(int id) const { return program_.values[id].type; }
    const extents &dims_of(int id) const { return program_.values[id].type.dims; }
    /// The type in which a product takes and gives a value.
    dnnl::memory::data_type product_type(int id) const {
        const element_type type = type_of(id).type;
        return type == element_type::f32 ? types_.floats : library_type(type);
    }
    /// How an operation takes its source as integers; null where it works in floats.
    const calibration::quantizer *source_quantizer(const operation &op) const;
    /// How its result is stored as integers; nothing where somebody needs it in floats.
    std::optional<calibration::quantizer> result_quantizer(const operation &op) const;
    /// A value as integers in a wanted layout.
    operand quantized(int id, const calibration::quantizer &by, const dnnl::memory::desc &wanted);
    void mark_quantized(int id, const calibration::quantizer &by) { stored_by_[id] = by; }
    /// Integers of the model that a value is the f32 of, to be taken as they are by products.
    void take_as_integers(int id, const operand &integers, const calibration::quantizer &by);
    /// Null where the model has the constant as f32.
    const integer_constant *integers_of(const tensor &constant) const;
    bool is_constant(int id) const { return bool(program_.values[id].constant); }
    op_context context(const operation &of) const { return program_.context(of); }
    const dnnl::engine &engine() const { return constants_.engine(); }
    constants &shared_constants() { return constants_; }

    /// Where a value lies.
    operand where(int id);
    /// How it lies, as it is stored.
    dnnl::memory::desc layout_of(int id) {
        return stored_by_.count(id) ? places_[id].desc : where(id).desc;
    }
    /// Where it lies in a wanted layout and type: a copy where it does not.
    operand in(int id, const dnnl::memory::desc &wanted);
    operand converted(const operand &from, const dnnl::memory::desc &wanted);
    /// The same elements dense, the last dimension fastest: of the type that the value has in ONNX,
    /// or of the type in which it is stored.
    operand dense(int id);
    operand dense_as_stored(int id);
    /// A strided layout: copies what lies in blocks.
    operand strided(int id);
    /// A constant that is no value of the program.
    operand constant(
        const tensor &elements, const dnnl::memory::desc &from, const dnnl::memory::desc &wanted);

    /// Gives a value a buffer of its own.
    operand make(int id, const dnnl::memory::desc &desc);
    /// The same, on the memory of `source` if nothing needs that any more and it lies alike.
    operand make_over(int id, const dnnl::memory::desc &desc, int source);
    /// The value is a part or another view of what lies there.
    void place(int id, const operand &there) { places_[id] = there; }
    operand scratch(const dnnl::memory::desc &desc);
    /// Nothing behind the operation that is lowered needs the buffer of the value.
    bool dies(int id);
    int uses_of(int id) const { return uses_[id]; }

    /// Attributes with the scratchpad and the operation's post-ops, whose operands are added.
    dnnl::primitive_attr attributes(const operation &op, int rank, arguments &args);

    template <class Primitive>
    void add(const operation &op, const char *kind, const typename Primitive::primitive_desc &desc,
        arguments args, const dnnl::primitive_attr &attr) {
        add(op, kind, Primitive(desc), desc.impl_info_str(), desc.scratchpad_desc(),
            std::move(args), attr);
    }
    void add_host(const operation &op);
    /// A step on the host over operands rather than values.
    using typed_operands = std::vector<std::pair<operand, tensor_type>>;
    void add_host(const operation &op, host_step host, const typed_operands &reads,
        const typed_operands &writes);

  private:
    std::optional<calibration::quantizer> quantizer_of_user(const operation &user) const;
    /// The nodes of the operation that is lowered, for messages.
    std::vector<std::string> nodes_now() const;
    /// A copy from or to integers.
    operand rescaled(const operand &from, int argument, const calibration::quantizer &by,
        const dnnl::memory::desc &wanted);
    void add(const operation &op, const char *kind, const dnnl::primitive &primitive,
        const char *implementation, const dnnl::memory::desc &scratchpad, arguments args,
        const dnnl::primitive_attr &attr);
    void count_uses();
    void lower(const operation &op);
    void take_inputs();
    void give_outputs();
    int output_buffer(int id);

    program &program_;
    constants &constants_;
    steps &steps_;
    std::vector<operand> places_;      // per value
    std::vector<int> uses_, last_use_; // per value: how often, and the last operation
    number_types types_;
    std::map<int, calibration::quantizer> stored_by_; // values that are stored as integers
    std::map<int, std::pair<calibration::quantizer, operand>> as_integers_; // copies of floats
    int now_ = 0; // the operation that is lowered
};

/// By one scale and one zero point that are known: QuantizeLinear's and DequantizeLinear's.
bool constant_quantizer(
    const program &of, const operation &op, element_type type, calibration::quantizer &found);

/// Lowers an operation; false where this function has no primitive for it as it is.
using lower_function = bool (*)(lowering &to, const operation &op);

/// The functions for a kind of operation, to be tried in this order.
std::vector<lower_function> lower_functions(const std::string &kind);

/// Whether the library's resampling does what a Resize asks for, and by which algorithm.
bool resampling_algorithm(const op_context &c, const extents &result, dnnl::algorithm &algorithm);

struct lower_entry {
    const char *kind;
    lower_function lower;
};
std::span<const lower_entry> lower_int8();
std::span<const lower_entry> lower_products();
std::span<const lower_entry> lower_elements();
std::span<const lower_entry> lower_views();
std::span<const lower_entry> lower_windows();
std::span<const lower_entry> lower_recurrent();
std::span<const lower_entry> lower_quantized();

} // namespace dnnl_onnx
