// SPDX-License-Identifier: Apache-2.0
// Format tags of the case language: meta tags, named tags, letters (case-language.md 3).
#pragma once

#include "language/number.hpp"
#include "language/usage_error.hpp"

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

/// The descriptor that `make` makes. Throws skipped_case where rows of elements of 4 bits would not
/// begin with a byte, which the library refuses.
template <class Make> memory::desc whole_bytes(data_type type, const Make &make) {
    using t = data_type;
    const bool is_4bit = type == t::s4 || type == t::u4 || type == t::f4_e2m1 || type == t::f4_e3m0;
    try {
        return make();
    } catch (const dnnl::error &refusal) {
        if (!is_4bit || refusal.status != dnnl_invalid_arguments) throw;
        throw skipped_case("Invalid case: a stride of elements of 4 bits is odd");
    }
}

/// A descriptor by tag; "undef" gives the zero descriptor. Throws skipped_case if the tag does
/// not have `shape`'s number of dimensions or the library's enumeration lacks it.
memory::desc desc_with_tag(const dims &shape, data_type type, const std::string &text);

} // namespace conformance
