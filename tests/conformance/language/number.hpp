// SPDX-License-Identifier: Apache-2.0
// Element types of the program: exact loads and stores, and one rounding from f64 into a type.
// Every value of the types is exact in f64, so the oracle holds logical values as double.
#pragma once

#include "oneapi/dnnl/dnnl.hpp"

#include <cstddef>
#include <string>

namespace conformance {

using dnnl::memory;
using dims = memory::dims;
using dim = memory::dim;
using data_type = memory::data_type;

/// Bytes of one element; 1 for 4-bit types, although two elements share a byte.
std::size_t bytes_of(data_type type);

/// True for s4, u4 and f4_e2m1.
bool is_4bit(data_type type);

/// True for u8 and u4.
bool is_unsigned(data_type type);

/// True for s32, s8, u8, s4 and u4.
bool is_integer(data_type type);

/// Smallest and largest value of an integer type.
double lowest_of(data_type type);
double highest_of(data_type type);

/// The largest finite value of a floating type.
double max_finite_of(data_type type);

/// Rounding into a type T: round half to even into the type, directly from f64; integers saturate,
/// NaN becomes 0 in types without NaN; floating overflow becomes infinite, or NaN in types without
/// infinity, or the largest value in types without either.
double round_to(data_type type, double value);

/// Reads one element.
double load(data_type type, const void *element);

/// Writes one element, rounded by round_to().
void store(data_type type, double value, void *element);

/// Element `index` of a buffer; of 4-bit types the even index has the low half of its byte.
double load_at(data_type type, const void *data, std::size_t index);
void store_at(data_type type, double value, void *data, std::size_t index);

/// True if the value survives a conversion to f32 and back.
bool is_f32(double value);

/// The name of the type in the case language, and back; an unknown name throws usage_error.
std::string name_of(data_type type);
data_type type_named(const std::string &name);

} // namespace conformance
