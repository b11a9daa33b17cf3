// SPDX-License-Identifier: Apache-2.0
// Attributes of a case: their text (case-language.md 4), their masks and their API object.
#pragma once

#include "language/number.hpp"

#include <string>
#include <vector>

namespace conformance {

struct test_case;

/// One entry of --attr-scales, --attr-zero-points or --attr-precomputed-reductions.
struct quantization_entry {
    std::string argument; // src src1 wei dst msrcN attr_post_op_dw_wei attr_post_op_dw_dst
    std::string policy;   // lower case, or a mask
    float value = 0;      // for the policies common and host_scalar
    data_type type = data_type::undef;
    dims groups; // two numbers or empty

    /// One value for the tensor, which the case gives.
    bool is_common() const { return policy == "common" || is_on_host(); }
    bool is_on_host() const { return policy == "host_scalar"; }
    /// Scales that the library computes.
    bool is_dynamic() const { return policy == "mx" || policy == "dynamic_fp"; }
};

/// One entry of --attr-post-ops.
struct post_op {
    enum { sum, eltwise, binary, prelu, depthwise } kind = sum;
    std::string name;                  // of the algorithm, short form; "sum"
    float alpha = 0, beta = 0;         // eltwise
    float scale = 1;                   // sum
    int zero_point = 0;                // sum
    data_type type = data_type::undef; // sum: how to read dst; binary: of source 1; depthwise: dst
    std::string mask = "common";       // binary, prelu: policy or integer
    std::string tag = "any";           // binary
    std::string strides;               // binary: "8x1", or empty
    std::string condition_mask = "common", condition_tag = "any"; // select
    dim kernel = 0, stride = 0, padding = 0;                      // depthwise
};

/// Algorithm of an eltwise name in its short form ("relu", "tanh_dst"); false if unknown.
bool eltwise_named(const std::string &name, dnnl::algorithm &alg);
/// The names of all functions of src that have a gradient, with spaces between them.
std::string differentiable_eltwise();
/// 0: the function takes no parameter, 1: alpha, 2: alpha and beta.
int eltwise_parameters(const std::string &name);
/// Algorithm of a binary name ("add", "select"); false if unknown.
bool binary_named(const std::string &name, dnnl::algorithm &alg);

enum class quantization_kind { scales, zero_points, reductions };

std::vector<quantization_entry> quantization_of(const std::string &text, quantization_kind kind);
std::string text_of(const std::vector<quantization_entry> &entries, quantization_kind kind);
std::vector<post_op> post_ops_of(const std::string &text);
std::string text_of(const std::vector<post_op> &chain);
/// Index of the depthwise entry; the length of the chain without one.
std::size_t depthwise_index(const std::vector<post_op> &chain);

/// The mask of a policy, or the mask that is given in its place, for an argument of a driver;
/// `ndims` are the tensor's dimensions, `groups` tells whether convolution weights have a group
/// dimension. Throws usage_error.
int mask_of(const std::string &policy, const std::string &driver, const std::string &argument,
    int ndims, bool groups);

/// DNNL_ARG_* of an argument name.
int argument_of(const std::string &name);

} // namespace conformance
