// SPDX-License-Identifier: Apache-2.0
// Format tags of the case language: meta tags, named tags, letters (case-language.md 3).
#pragma once

#include "language/number.hpp"

#include <string>

namespace conformance {

/// Throws usage_error unless `text` is a well-formed tag of the language, and in the enumeration
/// unless it is a meta tag.
void check_tag(const std::string &text);

/// Whether tags outside the library's enumeration are refused; true at the start. The public API
/// can express others only without inner blocks.
void accept_enum_tags_only(bool only);

/// The letter tag for `ndims` dimensions: "axb" with 4 gives "acdb"; "any" and "undef" unchanged.
std::string bound_tag(const std::string &text, int ndims);

/// A descriptor by tag; "undef" gives the zero descriptor. Throws skipped_case if the tag does
/// not have `shape`'s number of dimensions or the library's enumeration lacks it.
memory::desc desc_with_tag(const dims &shape, data_type type, const std::string &text);

} // namespace conformance
