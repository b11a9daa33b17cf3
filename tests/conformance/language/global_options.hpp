// SPDX-License-Identifier: Apache-2.0
// The global options of the case language (case-language.md 2): no lists, not affected by --reset.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace conformance {

/// Levels of --verbose from which on something is told.
enum verbosity : int {
    tells_problems = 1,
    tells_cold_cache = 3,
    tells_implementations = 5,
    tells_settings = 6,
    tells_batch_files = 50,
    tells_elements = 99
};

/// Which implementations of a case are run.
struct implementation_filter {
    std::vector<std::string> names; // empty: all
    bool skip = false;              // true: those that contain none of the names
    bool accepts(const std::string &implementation) const;
    /// " --impl=..." or " --skip-impl=..."; empty without names.
    std::string text() const;
};

enum class run_mode { list, create, execute, compare, measure, repeat };

/// What the end of a run in the case language tells besides the counts.
struct summary_parts {
    bool failures = true; // up to ten of the failed lines again
    bool implementations = false, implementations_csv = false;
};

struct global_options {
    run_mode mode = run_mode::compare;
    bool mode_given = false;   // the case language's own result lines are wanted
    bool fast_measure = false; // mode F
    bool simulates = false;    // mode S: one run, without another to warm up
    summary_parts summary;
    bool create_in_parallel = false; // modifier P
    bool without_reference = false;  // modifier M: memory holds a constant
    int verbose = 0;
    std::size_t start = 0; // cases before this one are skipped
    std::size_t repeats = 1;
    int rounds = 0;           // of a measurement; 0: as many as the time allows
    double longest_ms = 3000; // of a measurement
    bool canonical = false, enum_tags_only = true, memory_check = true, fast_reference = true;
    bool same_implementation = false; // attributes must not change the implementation
    bool no_reference_row = false;    // an implementation called "ref..." is a failure
    std::string engine = "cpu", cold_cache = "none", isa_hints = "none";
    std::size_t cold_tlb = 0;  // bytes whose pages take the place of others in the TLB
    std::string buffer_prefix; // inputs come from the files <prefix>.<number of the argument>.bin
    implementation_filter filter; // overrides the one of a driver when it has names

    /// Takes a token; false if it is no global option. Throws usage_error for a wrong value.
    bool take(const std::string &token);
    /// The options in front of the driver's name and those behind it, in the order of repro lines:
    /// what is not default, or everything that has a value with `canonical`.
    std::string text_before_driver() const;
    std::string text_after_driver() const;

  private:
    void set_mode(const std::string &text);
    void set_cold_cache(const std::string &text);
    void set_modifier(const std::string &text);
    void set_summary(const std::string &text);
    void set_engine(const std::string &text);
    void set_isa_hints(const std::string &text);
    bool take_judgement(const std::string &token);
    bool take_measurement(const std::string &token);
    bool modifier_given_ = false, hints_given_ = false;
    std::string mode_text_ = "C", modifier_text_;
};

/// The names of all options that global_options takes.
std::vector<std::string> global_option_names();

/// The value of "--name=value"; false if the token is another option.
bool option_value(const std::string &token, const std::string &name, std::string &value);

/// The filter that "--impl=" or "--skip-impl=" describes; quotes are stripped.
implementation_filter filter_of(const std::string &names, bool skip);

} // namespace conformance
