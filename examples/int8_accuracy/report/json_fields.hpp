// SPDX-License-Identifier: Apache-2.0
// The members of the results by the names that they have in a file. One list serves writing and
// reading, so that both agree.
#pragma once

#include "results.hpp"

#include <concepts>
#include <type_traits>

namespace int8_accuracy {

/// `T` or `const T`.
template <typename S, typename T>
concept some = std::same_as<std::remove_const_t<S>, T>;

// Each calls `visit(name, member)` for every member of `s`.

template <typename V, some<score> S> void fields(V &visit, S &s) {
    visit("value", s.value);
    visit("low", s.low);
    visit("high", s.high);
}

template <typename V, some<method_result> S> void fields(V &visit, S &s) {
    visit("name", s.name);
    visit("group", s.group);
    visit("simulated", s.simulated);
    visit("tuned", s.tuned);
    visit("score", s.found);
    visit("p_value", s.p_value);
    visit("agreement", s.agreement);
    visit("noise_db", s.noise);
    visit("weight_bytes", s.weight_bytes);
    visit("moved_bytes", s.moved_bytes);
    visit("speed", s.speed);
    visit("refusal", s.refusal);
    visit("implementations", s.implementations);
}

template <typename V, some<sensitivity> S> void fields(V &visit, S &s) {
    visit("layer", s.layer);
    visit("alone", s.alone);
    visit("all_but", s.all_but);
}

template <typename V, some<mixed_assignment> S> void fields(V &visit, S &s) {
    visit("allowed_loss", s.allowed_loss);
    visit("formats", s.formats);
    visit("score", s.found);
    visit("weight_bytes", s.weight_bytes);
    visit("speed", s.speed);
}

template <typename V, some<method_speed> S> void fields(V &visit, S &s) {
    visit("name", s.name);
    visit("per_second", s.per_second);
    visit("refusal", s.refusal);
}

template <typename V, some<level_speed> S> void fields(V &visit, S &s) {
    visit("max_cpu_isa", s.level);
    visit("on_this_cpu", s.on_this_cpu);
    visit("failure", s.failure);
    visit("checksum", s.checksum);
    visit("methods", s.methods);
}

template <typename V, some<training_curve> S> void fields(V &visit, S &s) {
    visit("name", s.name);
    visit("losses", s.losses);
    visit("accuracies", s.accuracies);
    visit("seconds", s.seconds);
    visit("score", s.found);
}

template <typename V, some<calibration::value_range> S> void fields(V &visit, S &s) {
    visit("low", s.low);
    visit("high", s.high);
}

template <typename V, some<calibration::histogram> S> void fields(V &visit, S &s) {
    visit("range", s.range);
    visit("counts", s.counts);
}

template <typename V, some<product_facts> S> void fields(V &visit, S &s) {
    visit("name", s.name);
    visit("multiplications", s.multiplications);
    visit("weights", s.weights);
    visit("channel_spread", s.spread);
    visit("source", s.source);
}

template <typename V, some<network_report> S> void fields(V &visit, S &s) {
    visit("name", s.name);
    visit("text", s.text);
    visit("kind", s.kind);
    visit("origin", s.origin);
    visit("training_count", s.training_count);
    visit("held_out_count", s.held_out_count);
    visit("calibration_count", s.calibration_count);
    visit("weights_from", s.weights_from);
    visit("training", s.training);
    visit("products", s.products);
    visit("methods", s.methods);
    visit("sensitivities", s.layers);
    visit("mixed", s.mixed);
    visit("batches", s.batches);
    visit("levels", s.levels);
    visit("exact", s.exact);
    visit("remarks", s.remarks);
    visit("evaluation_seconds", s.evaluation_seconds);
    visit("speed_seconds", s.speed_seconds);
}

template <typename V, some<report> S> void fields(V &visit, S &s) {
    visit("cpu", s.cpu);
    visit("library", s.library);
    visit("threads", s.threads);
    visit("seed", s.seed);
    visit("networks", s.networks);
}

} // namespace int8_accuracy
