// SPDX-License-Identifier: Apache-2.0
// The steps of a study in their order.
#include "study.hpp"

#include "../../reporting/progress.hpp"
#include "../evaluation/search.hpp"
#include "../execution/timer.hpp"
#include "../networks/network_text.hpp"
#include "../networks/weights_file.hpp"
#include "../quantization/migration.hpp"
#include "../report/figures.hpp"
#include "fine_tuning.hpp"
#include "methods.hpp"
#include "speed.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace int8_accuracy {

using reporting::progress_bar;
namespace {

constexpr int calibration_batch = 64;
constexpr int rows_for_rounding = 1024; // inputs of each product that tuned rounding looks at

/// One study: what the steps hand on to each other.
class studied_network {
  public:
    studied_network(const dnnl::engine &engine, const problem &of, const study_settings &settings)
        : engine_(engine), of_(of), settings_(settings) {}

    network_report run() {
        describe();
        obtain_weights();
        const timer clock;
        measured_ = calibrated(folded_);
        describe_products();
        const judge by(engine_, folded_, how_, of_.data.held_out, measured_, of_.kind);
        judge_methods(by);
        judge_fixed_point(by);
        judge_layers(by);
        judge_mixed(by);
        report_.evaluation_seconds = clock.seconds();
        if (settings_.speed) measure_speed();
        return report_;
    }

  private:
    void describe() {
        report_.name = of_.net.name;
        report_.text = text_of(of_.net);
        report_.kind = of_.kind;
        report_.origin = of_.data.origin;
        report_.training_count = of_.data.training.count();
        report_.held_out_count = of_.data.held_out.count();
        how_ = of_.how;
        for (layer_kind kind : {layer_kind::lstm, layer_kind::attention, layer_kind::gelu,
                 layer_kind::layer_normalization})
            report_.exact = report_.exact && !of_.net.has(kind);
    }

    void obtain_weights() {
        if (!settings_.weights.empty() && std::filesystem::exists(settings_.weights)) {
            const trained_network found = read_weights(settings_.weights, of_.net);
            how_.mean = found.mean;
            how_.deviation = found.deviation;
            folded_ = folded(found);
            report_.weights_from = settings_.weights.string();
            return;
        }
        const trained_network learned = trained(arithmetic::f32, "f32");
        if (!settings_.weights.empty()) write_weights(learned, settings_.weights);
        folded_ = folded(learned);
        if (settings_.bf16_training) trained(arithmetic::bf16_with_master, "bf16 with f32 masters");
    }

    /// Adds the training's curve with its score on held-out data, computed in f32.
    trained_network trained(arithmetic numbers, const std::string &label) {
        const parameters start = random_parameters(of_.net, of_.training.seed);
        const training_task task {of_.net, start, of_.data.training, of_.how, of_.kind};
        training_result result = train(engine_, task, of_.training, numbers, label, true);
        trained_network learned {of_.net, result.learned, of_.how.mean, of_.how.deviation};
        const trained_network plain = folded(learned);
        result.curve.found =
            judge(engine_, plain, of_.how, of_.data.held_out, {}, of_.kind).exact_score();
        fmt::print("{}: {} {} on held-out data, {:.1f} s\n", label,
            score_text(of_.kind, result.curve.found), unit_of(of_.kind), result.curve.seconds);
        report_.training.push_back(result.curve);
        return learned;
    }

    /// Calibration sees training objects only, and never moved ones.
    calibration_data calibrated(const trained_network &net) {
        const dataset &from = of_.data.training;
        const std::vector<int> order = shuffled_indices(from.count(), of_.training.seed + 2);
        const int count = std::min(settings_.calibration_count, from.count());
        const int batch = std::min(calibration_batch, count), batches = count / batch;
        report_.calibration_count = batches * batch;
        calibrator looks(engine_, net, batch, rows_for_rounding, of_.training.seed + 3);
        std::vector<float> encoded(std::size_t(net.net.input().values()) * batch);
        for (int b = 0; b < batches; ++b) {
            encode_batch(from, how_, order, b * batch, batch, encoded.data());
            looks.add(encoded.data());
        }
        return looks.result();
    }

    void describe_products() {
        for (int l : folded_.net.products()) {
            const layer &each = folded_.net.layers[std::size_t(l)];
            const weight_matrix weights = matrix_of(each, folded_.learned[std::size_t(l)]);
            report_.products.push_back(
                {each.name, multiplications(each), double(weights.values.size()),
                    channel_spread(weights), measured_.values[std::size_t(each.from.front())]});
        }
    }

    void judge_methods(const judge &by) {
        const bool migration = !migratable(folded_.net).empty();
        const std::vector<method> formats = format_methods(), integers = integer_methods(migration);
        if (migration) {
            migrated_ = with_migrated_scales(folded_, measured_);
            measured_of_migrated_ = calibrated(migrated_);
        }
        progress_bar bar("comparing", int(formats.size() + integers.size()));
        int done = 0;
        for (const auto *group : {&formats, &integers})
            for (const method &how : *group) {
                bar.show(done++, how.name);
                const assignment all(std::size_t(by.products()), how.format);
                method_result found =
                    how.migrated ? by.judged(how.name, migrated_, measured_of_migrated_, all)
                                 : by.judged(how.name, all);
                found.group = group == &formats ? "formats" : "methods";
                report_.methods.push_back(found);
                if (found.refusal.empty() && !found.simulated)
                    candidates_.push_back({how.name, all, how.migrated});
                else
                    candidates_.push_back({}); // its speed is not measured
            }
    }

    void judge_fixed_point(const judge &by) {
        const auto &choices = fixed_point_choices();
        for (const fixed_point_bits &bits : choices) {
            const assignment formats = fixed_point_assignment(folded_.net, bits);
            method_result found = by.judged(bits.name(), formats);
            found.group = "fixed point";
            report_.methods.push_back(found);
            if (!bits.fine_tuned || !settings_.fine_tuning) continue;
            const trained_network tuned = fine_tuned(
                engine_, of_, folded_, measured_, formats, "tuning fixed point " + bits.name());
            found = by.judged(bits.name(), tuned, measured_, formats);
            found.group = "fixed point";
            found.tuned = true;
            report_.methods.push_back(found);
        }
    }

    void judge_layers(const judge &by) {
        progress_bar bar("layers one by one", by.products());
        report_.layers = sensitivities(by, static_int8_format(),
            [&](int done, int) { bar.show(done, report_.products[std::size_t(done - 1)].name); });
        for (std::size_t p = 0; p < report_.layers.size(); ++p)
            report_.layers[p].layer = report_.products[p].name;
    }

    void judge_mixed(const judge &by) {
        const std::vector<rung> rungs = ladder(by, static_int8_format());
        progress_bar bar("mixed formats", int(settings_.allowed.size()));
        for (std::size_t i = 0; i < settings_.allowed.size(); ++i) {
            const double allowed = settings_.allowed[i];
            bar.show(int(i), fmt::format("loss {:g} allowed", allowed));
            const found_assignment found = best_assignment(by, folded_.net, rungs, allowed);
            const method_result judged = by.judged("mixed", found.formats);
            report_.mixed.push_back({allowed, found.names, found.found, sum(judged.weight_bytes)});
            candidates_of_mixed_.push_back(judged.simulated
                                               ? speed_candidate {}
                                               : speed_candidate {"mixed", found.formats, false});
        }
    }

    void measure_speed() {
        const timer clock;
        speed_task task {folded_, measured_, migrated_, measured_of_migrated_, {}, .4, 1};
        if (of_.kind == score_kind::bits_per_character)
            task.units_per_object = of_.net.input().length;
        if (settings_.quick) task.seconds_per_figure = .02;
        const int batch = speed_batches.back();
        task.encoded.resize(std::size_t(of_.net.input().values()) * batch);
        encode_batch(of_.data.held_out, how_, {}, 0, batch, task.encoded.data());
        measure_candidates(task);
        report_.batches.assign(speed_batches.begin(), speed_batches.end());
        report_.levels = measure_levels(task);
        report_.speed_seconds = clock.seconds();
    }

    void measure_candidates(const speed_task &task) {
        std::vector<speed_candidate> all = candidates_;
        all.insert(all.end(), candidates_of_mixed_.begin(), candidates_of_mixed_.end());
        const std::vector<double> speeds = measured_speeds(engine_, task, all);
        for (std::size_t i = 0; i < candidates_.size(); ++i) report_.methods[i].speed = speeds[i];
        for (std::size_t i = 0; i < report_.mixed.size(); ++i)
            report_.mixed[i].speed = speeds[candidates_.size() + i];
    }

    const dnnl::engine &engine_;
    const problem &of_;
    study_settings settings_;
    encoding how_;
    network_report report_;
    trained_network folded_, migrated_;
    calibration_data measured_, measured_of_migrated_;
    std::vector<speed_candidate> candidates_;          // as the first methods of the report
    std::vector<speed_candidate> candidates_of_mixed_; // as the mixed assignments
};

} // namespace

network_report study(
    const dnnl::engine &engine, const problem &of, const study_settings &settings) {
    return studied_network(engine, of, settings).run();
}

} // namespace int8_accuracy
