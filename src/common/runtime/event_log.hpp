// SPDX-License-Identifier: Apache-2.0
// ONEDNN_VERBOSE: which events are to be told, and the lines that tell them. What a line says of an
// operation is composed in common/verbose.
#pragma once

#include <string>

namespace dnnl::impl::verbose {

/// What is printed; bits.
enum flags : unsigned {
    none = 0,
    errors = 1,
    check = 2,
    dispatch = 4,
    profile_create = 8,
    profile_exec = 16,
    warnings = 32,
    refusals = 64, ///< refused arguments, whichever function is called
};

/// True when any of the wanted classes is on; one relaxed load; the first reads ONEDNN_VERBOSE.
bool wants(unsigned wanted);
/// Sets the level that dnnl_set_verbose() asks for, 0, 1 or 2; it precedes the environment.
void set_level(int level);

/// True when the filter of ONEDNN_VERBOSE lets events of this component through: the name of a
/// primitive's kind, or "gemm_api".
bool shows(const char *component);
/// Prints `onednn_verbose,v1,[timestamp,]<text>`, after the header when it is the first event.
void write_event(const std::string &text);
/// Prints `onednn_verbose,v1,common,warn,<text>` on stderr, apart from lines that were asked for.
void write_warning(const std::string &text);

/// Prints `common,error,<component>,<message>` for a failure; for a refused argument only where
/// refusals are asked for.
void failed(const char *component, const char *message) noexcept;

/// `common,warn,environment,<variable>=<text> is not known: ignored; known: <known>`, unless the
/// level is `none`. name: without its prefix.
void setting_ignored(const char *name, const std::string &text, const std::string &known) noexcept;

/// Milliseconds of a steady clock.
double now_ms();

} // namespace dnnl::impl::verbose
