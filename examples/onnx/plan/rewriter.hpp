// SPDX-License-Identifier: Apache-2.0
// What the passes over a program share: who makes a value, who uses it, and how an operation takes
// another's place.
#pragma once

#include "program.hpp"

namespace dnnl_onnx {

class rewriter {
  public:
    explicit rewriter(program &of) : of(of) { renew(); }

    program &of;

    /// After operations were added, moved or removed.
    void renew();

    operation *maker(int id) { return makers_[id] < 0 ? nullptr : &of.operations[makers_[id]]; }
    int maker_index(int id) const { return makers_[id]; }
    /// Uses of a value by operations, and as an output of the program.
    int uses(int id) const { return int(users_[id].size()) + is_output_[id]; }
    /// The one operation that takes the value, null if there are more or it is an output.
    operation *only_user(int id);
    int index_of(const operation &op) const { return int(&op - of.operations.data()); }

    const tensor_type &type(int id) const { return of.values[id].type; }
    bool is_constant(int id) const { return id >= 0 && of.values[id].constant; }
    bool is_f32(int id) const { return id >= 0 && type(id).type == element_type::f32; }
    /// The value of a constant of one element.
    bool scalar(int id, float &value) const;

    /// The maker of a value if it is of this kind and the value has no other use.
    operation *sole(int id, const char *kind);
    operation *sole(int id, const char *kind, dnnl::algorithm algorithm);

    int add_constant(const tensor &elements, const std::string &name);
    int add_value(const tensor_type &type, const std::string &name);

    /// `op` does what `other` did, too, whose nodes are counted as its own.
    static void absorb(operation &op, operation &other);
    /// Everybody who takes `from` takes `to`.
    void replace(int from, int to);

  private:
    std::vector<int> makers_;
    std::vector<std::vector<int>> users_;
    std::vector<int> is_output_;
};

/// One factor and one summand for all elements.
bool is_scalar_affine(const operation &op, float &scale, float &shift);

/// Gives the factors and the summand of Gemm to its weights, its bias and its post-ops. Lowering
/// wants that, also where nothing is fused.
void settle_gemm(program &of);

/// The passes, in the order in which they run.
void normalize(program &of);      // ONNX's elementwise operators by the library's algorithms
void fuse_functions(program &of); // hard-swish, swish, gelu, mish from their pieces
void fuse_layer_norm(program &of);
void fuse_softmax(program &of);
void fold_affine(program &of); // factors and summands into weights and biases
void attach_post_ops(program &of);

/// All of them.
void fuse(program &of);

} // namespace dnnl_onnx
