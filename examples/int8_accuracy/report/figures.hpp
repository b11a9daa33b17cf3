// SPDX-License-Identifier: Apache-2.0
// What is derived from the results of a network, and how numbers are written.
#pragma once

#include "results.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace int8_accuracy {

/// Whether it ran: it was not refused by the library.
bool ran(const method_result &method);

/// f32, the first method; null if there is none or it did not run.
const method_result *reference(const network_report &net);

/// The first of the group "formats" whose name begins with "int8", else the first of any group;
/// null if there is none that ran.
const method_result *static_int8(const network_report &net);

/// Members of the group "methods" that differ in the scales of their weights alone.
constexpr const char *per_tensor_name = "per tensor, symmetric, min-max";
constexpr const char *per_channel_name = "per channel, symmetric, min-max";

/// bf16 of the group "formats"; null if there is none that ran.
const method_result *bfloat16(const network_report &net);

const method_result *find_method(
    const network_report &net, const std::string &name, const std::string &group, bool tuned);
std::vector<const method_result *> methods_of(const network_report &net, const std::string &group);

/// By how much `value` is better than `than`, in points or bits: positive if it is better.
double gain(score_kind kind, double value, double than);

/// Whether neither interval reaches into the other.
bool apart(const score &a, const score &b);

/// a / b; 0 if one of them is not above 0 or not finite.
double ratio(double a, double b);

double sum(const std::vector<double> &values);

/// How many times as fast as f32; 0 if either was not measured.
double speed_up(const network_report &net, const method_result &method);
/// The same under a cap, where the first method is f32.
double speed_up(const level_speed &level, std::size_t method, std::size_t batch);

/// The cap that lets the library use all of the processor: named DEFAULT, or the last measured one;
/// null if there is none.
const level_speed *own_level(const network_report &net);

/// Whether the results of static int8 have the same bits under all caps; true if there are none,
/// and for networks with functions that levels approximate differently.
bool equal_bits(const network_report &net);

/// For (speed, score) pairs: whether no other is at least as good in both and better in one.
std::vector<bool> frontier(
    score_kind kind, const std::vector<std::pair<double, double>> &speeds_and_scores);

/// The mean of the finite noise values in dB; 0 if there is none.
double mean_noise(const method_result &method);

/// The largest magnitude over the root of the mean square; 0 if all values are 0.
double peak_to_rms(const calibration::histogram &values);

/// The layers of network_report::layers, the one that costs most when it alone is quantised first.
std::vector<sensitivity> by_cost(const network_report &net);

/// How a method stands in tables: with a mark if it is simulated, or tuned.
std::string label_of(const method_result &method);

// Numbers as text: never "nan" or "inf", but "-" where there is no number.
std::string number(double value, int decimals);
std::string signed_number(double value, int decimals);
int decimals_of(score_kind kind);
std::string unit_of(score_kind kind); // "%" or "bits per character"
std::string score_text(score_kind kind, const score &of);
std::string interval_text(score_kind kind, const score &of);
std::string difference_text(score_kind kind, double of); // with a sign, without its unit
std::string p_text(double p);
std::string decibel_text(double db);  // "exact" for infinity
std::string count_text(double value); // 12 345, 12 345 678 as 12.3 M
std::string ratio_text(double value); // "2.31x", or "-" for 0

} // namespace int8_accuracy
