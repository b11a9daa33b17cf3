// SPDX-License-Identifier: Apache-2.0
// What the pages of doc/primitives ask the library about: the directions of each primitive, as
// small requests with types, layouts and attributes to be chosen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace facts {

using dnnl::memory;
using dnnl::primitive_attr;
using dnnl::primitive_desc_base;
using type = memory::data_type;

/// A tensor whose type and layout a request leaves open.
struct tensor {
    std::string name; ///< As the page calls it: "src".
    int arg;          ///< Its execution argument, DNNL_ARG_SRC.
    memory::dims extents;
    std::vector<std::string> dimensions; ///< The name of each: "M", "K".
};

/// True for destinations and gradients that a primitive computes.
bool is_output(int arg);

/// Types of the tensors of a subject for which its attributes are asked.
struct configuration {
    std::string name; ///< "floats", "8-bit integers".
    std::vector<type> types;
};

/// One direction of one primitive.
struct subject {
    std::string page;      ///< The page: "matmul".
    std::string direction; ///< "forward", "backward by data".
    std::vector<tensor> tensors;
    std::vector<configuration> configurations;
    std::vector<type> types; ///< Those that any tensor may have.
    /// The request for tensors with these descriptors, in the order of `tensors`; an empty
    /// descriptor where the library refuses it.
    std::function<primitive_desc_base(const std::vector<memory::desc> &, const primitive_attr &)>
        create;
};

const dnnl::engine &cpu();
/// All types but undef.
const std::vector<type> &every_type();
/// A row-major descriptor; of the extents and the type of `md`, which may be `any`, the second.
memory::desc row_major(const memory::dims &extents, type t);
memory::desc row_major(const memory::desc &md);
/// Descriptors of the tensors of `s` in row-major layouts; `open` is one with the layout `any`.
std::vector<memory::desc> descriptors(
    const subject &s, const std::vector<type> &types, int open = -1);

std::vector<subject> products();
std::vector<subject> recurrent();
std::vector<subject> normalizations();
std::vector<subject> windows();
std::vector<subject> elementwise();

} // namespace facts
