// SPDX-License-Identifier: Apache-2.0
// onnx_reading: how many characters of drawn lines a network reads wrong in f32, bf16, f16 and
// int8, and what becomes of a whole page: detection, boxes, reading.
#include "../../reporting/html.hpp"
#include "../../reporting/progress.hpp"
#include "../program/npy.hpp"
#include "detector.hpp"
#include "program_options.hpp"
#include "reader.hpp"
#include "reading_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace {

using namespace accuracy;

struct settings : common_options {
    std::string reader, characters, detector, fonts = "/usr/share/fonts";
    int lines = 1000, calibration_lines = 64, pages = 8;
};

std::string spaceless(std::string text) {
    std::erase(text, ' ');
    return text;
}

line_errors errors_of(const std::string &truth, const std::string &read) {
    return {edit_distance(truth, read), character_count(truth)};
}

std::vector<picture> pictures_of(const std::vector<text_line> &lines) {
    std::vector<picture> drawn;
    for (const text_line &line : lines) drawn.push_back(line.drawn);
    return drawn;
}

/// The inputs of the network as .npy, the texts that f32 read as lines of a file: for comparisons
/// with another program.
void save(const std::string &folder, const std::vector<line_batch> &batches,
    const std::vector<std::string> &texts) {
    std::filesystem::create_directories(folder);
    std::string list;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        dnnl_onnx::write_npy(
            std::filesystem::path(folder) / fmt::format("batch{:04}.npy", i), batches[i].pixels);
        for (std::size_t line : batches[i].lines) list += texts[line] + "\n";
    }
    reporting::write_text(list, std::filesystem::path(folder) / "texts.txt");
}

std::vector<reading> read_with_all(variants &networks, const alphabet &letters,
    const std::vector<text_line> &lines, const std::vector<line_batch> &batches,
    std::uint64_t seed) {
    std::vector<reading> found;
    reporting::progress_bar bar("reading", int(networks.names().size()));
    for (std::size_t v = 0; v < networks.names().size(); ++v) {
        reading next {networks.names()[v], {}, {}, {}, {}, {}, {}};
        bar.show(int(v), next.name);
        const auto start = std::chrono::steady_clock::now();
        next.texts = read_lines(networks.of(v), letters, batches, lines.size());
        next.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        for (std::size_t i = 0; i < lines.size(); ++i) {
            next.errors.push_back(errors_of(lines[i].text, next.texts[i]));
            next.without_spaces.push_back(
                errors_of(spaceless(lines[i].text), spaceless(next.texts[i])));
            next.as_f32 += next.texts[i] == (v ? found[0].texts[i] : next.texts[i]);
        }
        next.wrong = error_rate(next.errors, seed);
        next.wrong_without_spaces = error_rate(next.without_spaces, seed);
        next.above_f32 = error_difference(next.errors, v ? found[0].errors : next.errors, seed);
        bar.line(
            fmt::format("{:<20} {:6.2f} % wrong ({:.2f} ... {:.2f}), {:5.2f} % without spaces, "
                        "{:+.2f} to f32 ({:+.2f} ... {:+.2f}), {:5.1f} % of the lines as f32",
                next.name, next.wrong.value, next.wrong.low, next.wrong.high,
                next.wrong_without_spaces.value, next.above_f32.value, next.above_f32.low,
                next.above_f32.high, 100. * double(next.as_f32) / double(lines.size())));
        found.push_back(std::move(next));
    }
    return found;
}

/// The line of the truth that a box lies on: the one whose middle it holds; -1 without one.
int line_under(const box &where, const text_page &page) {
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
        const int middle = page.lines[i].top + page.lines[i].height / 2;
        if (middle >= where.top && middle < where.top + where.height) return int(i);
    }
    return -1;
}

/// Detection, boxes and reading of one page; the pieces of a line are put together from left to
/// right.
std::vector<std::string> read_page(const text_page &page, const float *map,
    dnnl_onnx::network &reader, const alphabet &letters, std::size_t &boxes) {
    std::vector<box> found = boxes_of(map, page.drawn.width, page.drawn.height);
    std::sort(
        found.begin(), found.end(), [](const box &a, const box &b) { return a.left < b.left; });
    boxes += found.size();
    std::vector<picture> pieces;
    for (const box &each : found)
        pieces.push_back(cut_out(page.drawn, each.left, each.top, each.width, each.height));
    const std::vector<std::string> texts =
        read_lines(reader, letters, batches_of(pieces, 8), pieces.size());
    std::vector<std::string> lines(page.lines.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const int line = line_under(found[i], page);
        if (line < 0) continue;
        lines[std::size_t(line)] += (lines[std::size_t(line)].empty() ? "" : " ") + texts[i];
    }
    return lines;
}

std::vector<page_result> read_pages(
    const settings &s, const typesetter &fonts, const alphabet &letters, variants &readers) {
    std::vector<text_page> pages;
    for (int i = 0; i < s.pages + 2; ++i) // two to calibrate by
        pages.push_back(make_page(fonts, 640, 640, s.seed + 100 + std::uint64_t(i)));
    const std::string input = first_input_of(s.detector);
    std::vector<dnnl_onnx::named_tensors> calibration;
    for (int i = 0; i < 2; ++i, pages.pop_back())
        calibration.push_back({{input, detector_input(pages.back().drawn)}});
    variants detectors(s.detector, s.types, calibration, s.keep);
    if (!s.save.empty())
        for (std::size_t p = 0; p < pages.size(); ++p)
            dnnl_onnx::write_npy(std::filesystem::path(s.save) / fmt::format("page{:02}.npy", p),
                detector_input(pages[p].drawn));
    std::vector<page_result> results;
    std::vector<dnnl_onnx::tensor> f32_maps;
    reporting::progress_bar bar("pages", int(detectors.names().size()));
    for (std::size_t v = 0; v < detectors.names().size(); ++v) {
        page_result next {detectors.names()[v], 0, 0, 0, {}};
        bar.show(int(v), next.name);
        std::vector<line_errors> errors;
        for (std::size_t p = 0; p < pages.size(); ++p) {
            const dnnl_onnx::tensor map =
                detectors.of(v).run({{input, detector_input(pages[p].drawn)}}).at(0);
            const float *text = floats_of(map, std::int64_t(pages[p].drawn.pixels.size()));
            if (v == 0) f32_maps.push_back(map);
            next.overlap += overlap(text, f32_maps[p].data<float>(), std::size_t(map.count())) /
                            double(pages.size());
            const std::vector<std::string> texts =
                read_page(pages[p], text, readers.of(v), letters, next.boxes);
            for (std::size_t i = 0; i < texts.size(); ++i)
                errors.push_back(errors_of(pages[p].lines[i].text, texts[i]));
        }
        next.lines = errors.size();
        next.wrong = error_rate(errors, s.seed);
        bar.line(
            fmt::format("{:<20} overlap with f32 {:.4f}, {} boxes for {} lines, {:.2f} % of the "
                        "characters wrong ({:.2f} ... {:.2f})",
                next.name, next.overlap, next.boxes, next.lines, next.wrong.value, next.wrong.low,
                next.wrong.high));
        results.push_back(next);
    }
    return results;
}

void run(const settings &s) {
    const typesetter fonts(s.fonts);
    const alphabet letters(std::filesystem::path(s.characters));
    reading_report report;
    report.lines = make_lines(fonts, s.lines, s.seed);
    const std::vector<line_batch> batches = batches_of(pictures_of(report.lines), 8);
    const std::string input = first_input_of(s.reader);
    std::vector<dnnl_onnx::named_tensors> calibration;
    for (const line_batch &batch :
        batches_of(pictures_of(make_lines(fonts, s.calibration_lines, s.seed + 1)), 8))
        calibration.push_back({{input, batch.pixels}});
    variants readers(s.reader, s.types, calibration, s.keep);
    report.readings = read_with_all(readers, letters, report.lines, batches, s.seed);
    if (!s.save.empty()) save(s.save, batches, report.readings[0].texts);
    if (!s.detector.empty()) {
        report.pages = read_pages(s, fonts, letters, readers);
        report.page_count = std::size_t(s.pages);
    }
    report.note = fmt::format("{}; {} lines in {} fonts, calibrated by {} others, seed {}. {}.",
        std::filesystem::path(s.reader).filename().string(), s.lines, fonts.font_count(),
        s.calibration_lines, s.seed, library_text());
    if (!s.json.empty()) write_json(report, s.json);
    if (!s.html.empty()) write_html(report, s.html);
}

} // namespace

int main(int argc, char **argv) {
    settings s;
    CLI::App app {"Characters that a network reads wrong, by type", "onnx_reading"};
    app.add_option("--reader", s.reader, "model that reads a line: [lines, 3, 48, width]")
        ->required();
    app.add_option("--characters", s.characters, "file with the character of each class per line")
        ->required();
    app.add_option("--detector", s.detector, "model that finds text on a page");
    app.add_option("--fonts", s.fonts, "folder of .ttf files")->capture_default_str();
    app.add_option("--lines", s.lines)->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--calibration-lines", s.calibration_lines)
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--pages", s.pages, "for the detector")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    add_common(app, s, "folder for the inputs as .npy and the texts of f32");
    return run_program(app, argc, argv, [&] { run(s); });
}
