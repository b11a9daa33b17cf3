// SPDX-License-Identifier: Apache-2.0
// What the values of options look like: each form checks one value and gives its canonical text,
// or throws usage_error.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace conformance::form {

using value_form = std::function<std::string(const std::string &)>;

/// One of several words in any case, printed as listed; `long_prefix` may precede it.
value_form word(std::vector<std::string> words, std::string long_prefix = "");

/// Like word(), with long names of their own: pairs of long name and word.
value_form word_or(
    value_form short_names, std::vector<std::pair<std::string, std::string>> long_names);

/// One type for all of `count` tensors, or `count` types joined by ':'. 0: any number.
value_form types(std::size_t count);

/// Two types written out ("f32:f32"); with `one_for_both` a single type stands for both.
value_form two_types(bool one_for_both);

/// `count` parts of strides "S0xS1x...", each possibly empty, joined by ':'.
value_form strides(std::size_t count);

/// Letters out of `letters`, in that order when printed.
value_form flag_letters(std::string letters);

/// One tag, or tags joined by ':': any number, exactly two, one or two, one or three.
std::string tag(const std::string &text);
std::string tag_list(const std::string &text);
value_form tags(std::size_t fewest, std::size_t most);

std::string boolean(const std::string &text);
std::string integer(const std::string &text);
std::string count(const std::string &text);
std::string real(const std::string &text);
std::string reals(const std::string &text);
/// Integers joined by ':', `most` at most.
value_form masks(std::size_t most);

std::string eltwise_algorithm(const std::string &text);
std::string scales(const std::string &text);
std::string zero_points(const std::string &text);
std::string reductions(const std::string &text);
std::string post_op_chain(const std::string &text);
std::string rounding(const std::string &text);
std::string dropout(const std::string &text);
std::string fpmath(const std::string &text);
/// "s8s8_comp:1+zp_comp:1".
std::string compensation_flags(const std::string &text);
/// "data:SCALE:SHIFT", "weights:POLICY" or "projection:POLICY", POLICY common or per_oc; empty:
/// none.
std::string rnn_parameters(const std::string &text);
/// "auto" or "MAX_THREADS[:CORE_TYPE[:THREADS_PER_CORE]]".
std::string threading_context(const std::string &text);
/// Three parts, empty or ENCODING[+SPARSITY].
std::string encodings(const std::string &text);

} // namespace conformance::form
