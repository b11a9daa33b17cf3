// SPDX-License-Identifier: Apache-2.0
// Measures candidates in rounds.
#include "timing.hpp"

#include "../execution/timer.hpp"

#include <algorithm>

namespace int8_accuracy {
namespace {

constexpr int rounds = 9;

void run_round(timed_runner &of, const float *encoded, double seconds) {
    const timer clock;
    int runs = 0;
    do {
        of.network->run(encoded);
        ++runs;
    } while (clock.seconds() < seconds);
    const double taken = clock.seconds();
    of.seconds += taken;
    of.per_second = std::max(of.per_second, runs * of.batch / taken);
}

} // namespace

timed_runner prepared(const dnnl::engine &engine, const speed_task &task,
    const speed_candidate &candidate, int batch) {
    timed_runner made;
    made.batch = batch;
    if (candidate.formats.empty()) return made;
    const trained_network &network = candidate.migrated ? task.migrated : task.network;
    const calibration_data &measured =
        candidate.migrated ? task.measured_of_migrated : task.measured;
    try {
        auto ready =
            std::make_unique<runner>(engine, network, candidate.formats, measured, batch, false);
        const float *logits = ready->run(task.encoded.data()); // first touch of memory and caches
        made.logits.assign(
            logits, logits + std::size_t(network.net.labels()) * batch * network.net.classes());
        made.network = std::move(ready);
    } catch (const dnnl::error &refusal) {
        if (refusal.status != dnnl_unimplemented) throw;
        made.refusal = refusal.what();
    }
    return made;
}

void run_rounds(std::vector<timed_runner> &all, const speed_task &task) {
    for (int round = 0; round < rounds; ++round)
        for (timed_runner &each : all)
            if (each.network && each.seconds < 2 * task.seconds_per_figure)
                run_round(each, task.encoded.data(), task.seconds_per_figure / rounds);
}

} // namespace int8_accuracy
