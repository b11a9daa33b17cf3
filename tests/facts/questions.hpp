// SPDX-License-Identifier: Apache-2.0
// Asks the library what a subject takes: types, attributes, layouts, results in place.
#pragma once

#include <nlohmann/json.hpp>

#include "subject.hpp"

namespace facts {

using json = nlohmann::ordered_json;

/// All combinations of types that are taken, each a list of names in the order of the tensors.
json types_taken(const subject &s);
/// Attributes with the types of a configuration: scales, zero points, post-ops, modes.
json attributes_taken(const subject &s, const configuration &types);
/// The tensors that may be `any`, and those pairs of an output and an input that may be one buffer.
json layouts_taken(const subject &s, const configuration &types);

/// "f32" for memory::data_type::f32.
std::string name_of(type t);

} // namespace facts
