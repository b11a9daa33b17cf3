// SPDX-License-Identifier: Apache-2.0
// The descriptor form of problems ("mb2ic16ih7oc32kh3ph1"): entries, defaults, deduction of
// output sizes and paddings (case-language.md 5.1).
#pragma once

#include "language/number.hpp"

#include <map>
#include <string>

namespace conformance {

/// Entries as written, in the order of `letters` when printed.
struct descriptor_entries {
    std::map<std::string, dim> values;
    std::map<std::string, float> reals;
    std::string name;
    bool has(const std::string &key) const { return values.count(key) != 0; }
    dim get(const std::string &key, dim fallback) const {
        const auto found = values.find(key);
        return found == values.end() ? fallback : found->second;
    }
    float real(const std::string &key, float fallback) const {
        const auto found = reals.find(key);
        return found == reals.end() ? fallback : found->second;
    }
};

/// Parses the form; `keys` lists the allowed entries separated by spaces, real numbers with a '~'
/// in front. Throws usage_error.
descriptor_entries descriptor_of(const std::string &text, const std::string &keys);

/// The canonical text: entries in the order of `keys`, then the name.
std::string text_of(const descriptor_entries &entries, const std::string &keys);

/// One spatial dimension of a window operation; dilation 0 is dense.
struct window {
    dim in = 1, out = 1, kernel = 1, stride = 1, dilation = 0, pad_left = 0, pad_right = 0;
};

enum class window_kind { convolution, deconvolution, pooling };

/// A window problem: convolution, deconvolution or pooling. IC and OC are totals over groups.
struct window_problem {
    bool grouped = false; // "g" was written
    dim G = 1, MB = 2, IC = 0, OC = 0;
    std::vector<window> spatial; // d, h, w: as many as the problem has
};

/// Resolves a window descriptor. Throws usage_error where the form requires it.
window_problem window_problem_of(const descriptor_entries &entries, window_kind kind);

/// The spatial extents of a descriptor without a window, none to three: quantity 'i' or 'o'. How
/// many there are is told by the input extents.
dims extents_of(const descriptor_entries &entries, char quantity = 'i');

} // namespace conformance
