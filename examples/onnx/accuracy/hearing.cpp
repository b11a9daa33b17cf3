// SPDX-License-Identifier: Apache-2.0
// onnx_hearing: how well a network tells speech in noise from noise alone, in f32 and fewer bits.
#include "../../reporting/html.hpp"
#include "../../reporting/plots.hpp"
#include "../../reporting/progress.hpp"
#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "../program/npy.hpp"
#include "measures.hpp"
#include "program_options.hpp"
#include "sound.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace accuracy;
using dnnl_onnx::named_tensors;
using dnnl_onnx::tensor;

struct settings : common_options {
    std::string model;
    int sentences = 24, calibration_sentences = 4;
};

constexpr int window = 512, before = 64;        // samples of a step, and of the step before
constexpr double levels[] = {20, 10, 5, 0, -5}; // speech over noise, dB
constexpr double loudness = .05;                // root of the mean square of speech

/// A sentence in noise; `speaks` tells of each window whether there is speech in it.
struct clip {
    sound samples;
    std::vector<bool> speaks;
};

clip make_clip(const sound &spoken, double decibels, bool pink, examples::random_source &random) {
    constexpr std::size_t silence = samples_per_second / 2;
    const std::size_t length = (spoken.size() + 2 * silence) / window * window;
    clip made {noise(length, pink, random), {}};
    const double level = std::sqrt(power(spoken, 0, spoken.size()));
    const double speech_scale = level > 0 ? loudness / level : 0,
                 noise_scale = loudness * std::pow(10, -decibels / 20);
    sound alone(length);
    for (std::size_t i = 0; i < spoken.size() && silence + i < length; ++i)
        alone[silence + i] = float(spoken[i] * speech_scale);
    for (std::size_t i = 0; i < length; ++i)
        made.samples[i] = std::clamp(float(made.samples[i] * noise_scale) + alone[i], -1.f, 1.f);
    for (std::size_t at = 0; at < length; at += window) // above a hundredth of the mean power
        made.speaks.push_back(power(alone, at, at + window) > .01 * loudness * loudness);
    return made;
}

/// The network's steps over a clip, its state handed on. Calls give(window, probability) and
/// inputs(tensors) before each step.
template <class Inputs, class Give>
void listen(dnnl_onnx::network &by, const sound &to, Inputs &&inputs, Give &&give) {
    const auto &names = by.inputs();
    if (names.size() != 3 || by.outputs().size() != 2)
        throw dnnl_onnx::error("the model does not take samples, a state and a rate");
    named_tensors given;
    given[names[1].name] = tensor(dnnl_onnx::element_type::f32, {2, 1, 128});
    given[names[2].name] = dnnl_onnx::scalar_tensor(names[2].type.type, samples_per_second);
    for (std::size_t at = 0; at + window <= to.size(); at += window) {
        tensor samples(dnnl_onnx::element_type::f32, {1, before + window});
        for (int i = 0; i < before + window; ++i)
            if (at + std::size_t(i) >= before)
                samples.data<float>()[i] = to[at + std::size_t(i) - before];
        given[names[0].name] = samples;
        inputs(given);
        const std::vector<tensor> found = by.run(given);
        give(at / window, double(*floats_of(found[0], 1)));
        given[names[1].name] = found[1];
    }
}

/// Probabilities of windows with and without speech.
struct values {
    std::vector<double> speech, silence;

    double area() const { return area_under_curve(speech, silence); }
};

struct heard {
    std::string name;
    std::vector<values> levels;
    values all;
    std::vector<double> ordered;   // all of them, window by window
    double largest_difference = 0; // of a probability, to f32
};

heard listen_to(dnnl_onnx::network &by, const std::vector<std::vector<clip>> &clips) {
    heard found;
    for (const std::vector<clip> &level : clips) {
        values here;
        for (const clip &each : level)
            listen(
                by, each.samples, [](const named_tensors &) {},
                [&](std::size_t at, double probability) {
                    (each.speaks[at] ? here.speech : here.silence).push_back(probability);
                    found.ordered.push_back(probability);
                });
        found.all.speech.insert(found.all.speech.end(), here.speech.begin(), here.speech.end());
        found.all.silence.insert(found.all.silence.end(), here.silence.begin(), here.silence.end());
        found.levels.push_back(std::move(here));
    }
    return found;
}

/// Windows of noise taken for speech, and windows of speech found, for every threshold.
std::vector<std::array<double, 2>> points_of(const values &h) {
    std::vector<std::array<double, 2>> points {{0, 0}};
    const auto part_above = [](const std::vector<double> &values, double threshold) {
        return double(std::count_if(values.begin(), values.end(), [&](double v) {
            return v >= threshold;
        })) / double(std::max<std::size_t>(1, values.size()));
    };
    for (int i = 100; i >= 0; --i) {
        const double threshold = std::pow(i / 100., 3); // most values lie near 0
        points.push_back({part_above(h.silence, threshold), part_above(h.speech, threshold)});
    }
    return points;
}

std::string level_text(double decibels) { return fmt::format("{:+.0f} dB", decibels); }

void write_page(const std::string &file, const std::string &note, const std::vector<heard> &all) {
    constexpr const char *colors[] = {
        "#555555", "#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#0072B2"};
    std::vector<reporting::curve> curves, faintest;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> titles {"", "area", "to f32"};
    for (double level : levels) titles.push_back(level_text(level));
    titles.emplace_back("largest difference");
    for (const heard &h : all) {
        curves.push_back({h.name, colors[curves.size() % std::size(colors)], points_of(h.all)});
        faintest.push_back({h.name, curves.back().color, points_of(h.levels.back())});
        std::vector<std::string> row {h.name, fmt::format("{:.4f}", h.all.area()),
            fmt::format("{:+.4f}", h.all.area() - all[0].all.area())};
        for (const values &level : h.levels) row.push_back(fmt::format("{:.4f}", level.area()));
        row.push_back(fmt::format("{:.3f}", h.largest_difference));
        rows.push_back(row);
    }
    const std::string body =
        "<h2>Area under the curve</h2>\n<p class=\"note\">The probability that a window of speech "
        "in noise gets a higher value than one of noise alone; by the level of speech over "
        "noise. Last column: of one probability, against f32.</p>\n" +
        reporting::table(titles, rows) + "<div class=\"pair\">\n" +
        reporting::curve_plot("all levels", curves, "noise taken for speech", "speech found") +
        reporting::curve_plot("speech at " + level_text(levels[std::size(levels) - 1]), faintest,
            "noise taken for speech", "speech found") +
        "</div>\n";
    reporting::write_text(reporting::page("hearing in int8",
                              "Speech in noise, heard in f32 and in fewer bits", note, body),
        file);
}

void write_numbers(
    const std::string &file, const std::string &note, const std::vector<heard> &all) {
    nlohmann::ordered_json json {{"note", note}, {"levels_decibels", levels}};
    for (const heard &h : all) {
        std::vector<double> areas;
        for (const values &level : h.levels) areas.push_back(level.area());
        json["types"].push_back({{"name", h.name}, {"area", h.all.area()}, {"areas", areas},
            {"largest_difference", h.largest_difference}});
    }
    reporting::write_text(json.dump(2) + "\n", file);
}

std::vector<std::vector<clip>> make_clips(int sentences, std::uint64_t seed) {
    examples::random_source random(seed);
    std::vector<std::vector<clip>> clips(std::size(levels));
    for (int i = 0; i < sentences; ++i) {
        const sound spoken = speech(random);
        for (std::size_t level = 0; level < clips.size(); ++level)
            clips[level].push_back(make_clip(spoken, levels[level], i % 2 != 0, random));
    }
    return clips;
}

/// The sound of the clips one after the other, and the probabilities of f32 with the state handed
/// on from the first to the last: for comparisons with another program.
void save(
    const std::filesystem::path &folder, dnnl_onnx::network &f32, const std::vector<clip> &clips) {
    sound all;
    for (const clip &each : clips) all.insert(all.end(), each.samples.begin(), each.samples.end());
    std::vector<float> found;
    listen(
        f32, all, [](const named_tensors &) {},
        [&](std::size_t, double probability) { found.push_back(float(probability)); });
    std::filesystem::create_directories(folder);
    dnnl_onnx::write_npy(folder / "samples.npy", dnnl_onnx::floats_tensor(all));
    dnnl_onnx::write_npy(folder / "probabilities.npy", dnnl_onnx::floats_tensor(found));
}

void run(const settings &s) {
    const auto clips = make_clips(s.sentences, s.seed);
    std::vector<named_tensors> calibration;
    dnnl_onnx::network plain(dnnl_onnx::read_model(s.model));
    for (const std::vector<clip> &level : make_clips(s.calibration_sentences, s.seed + 1))
        for (const clip &each : level)
            listen(
                plain, each.samples,
                [&](const named_tensors &given) { calibration.push_back(given); },
                [](std::size_t, double) {});
    if (!s.save.empty()) save(s.save, plain, clips.at(0));
    variants networks(s.model, s.types, calibration, s.keep);
    std::vector<heard> all;
    reporting::progress_bar bar("listening", int(networks.names().size()));
    for (std::size_t v = 0; v < networks.names().size(); ++v) {
        bar.show(int(v), networks.names()[v]);
        heard next = listen_to(networks.of(v), clips);
        next.name = networks.names()[v];
        const std::vector<double> &f32 = v ? all[0].ordered : next.ordered;
        for (std::size_t i = 0; i < f32.size(); ++i)
            next.largest_difference =
                std::max(next.largest_difference, std::abs(next.ordered[i] - f32[i]));
        std::string text = fmt::format("{:<20} area {:.4f}", next.name, next.all.area());
        for (std::size_t i = 0; i < next.levels.size(); ++i)
            text += fmt::format(", {} {:.4f}", level_text(levels[i]), next.levels[i].area());
        bar.line(text + fmt::format(", largest difference {:.3f}", next.largest_difference));
        all.push_back(std::move(next));
    }
    const std::string note =
        fmt::format("{}; {} sentences by espeak-ng at {} levels of white and "
                    "pink noise, {} windows; calibrated by {} others, seed {}. {}.",
            std::filesystem::path(s.model).filename().string(), s.sentences, std::size(levels),
            all[0].ordered.size(), s.calibration_sentences, s.seed, library_text());
    if (!s.json.empty()) write_numbers(s.json, note, all);
    if (!s.html.empty()) write_page(s.html, note, all);
}

} // namespace

int main(int argc, char **argv) {
    settings s;
    CLI::App app {"How well a network hears speech in noise, by type", "onnx_hearing"};
    app.add_option("--model", s.model, "voice detector: samples, state, rate -> probability, state")
        ->required();
    app.add_option("--sentences", s.sentences)->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--calibration-sentences", s.calibration_sentences)
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    add_common(app, s, "folder for samples and probabilities of f32 as .npy");
    return run_program(app, argc, argv, [&] { run(s); });
}
