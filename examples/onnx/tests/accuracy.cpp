// SPDX-License-Identifier: Apache-2.0
// The pieces of the accuracy programs: edit distances, intervals, areas, pictures, batches,
// decoding, boxes, and sound.
#include "builder.hpp"

#include "../accuracy/detector.hpp"
#include "../accuracy/measures.hpp"
#include "../accuracy/reader.hpp"
#include "../accuracy/sound.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace accuracy;
using namespace dnnl_onnx;

int failures = 0;

void expect(bool right, const std::string &what) {
    fmt::print("{}{}\n", right ? "passed: " : "FAILED: ", what);
    failures += !right;
}

bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

void check_measures() {
    expect(edit_distance("kitten", "sitting") == 3 && edit_distance("", "abc") == 3 &&
               edit_distance("same", "same") == 0 && edit_distance("ab", "ba") == 2,
        "edit distances");
    expect(character_count("a\u00e9\u4e2d") == 3 && edit_distance("\u4e2d", "\u4e00") == 1,
        "code points are characters");
    std::vector<line_errors> lines(100, {0, 10}), worse(100, {1, 10});
    for (std::size_t i = 0; i < 10; ++i) lines[i].wrong = 5;
    const rate some = error_rate(lines, 1), each = error_rate(worse, 1);
    expect(near(some.value, 5) && some.low < 4 && some.low > 1 && some.high > 6 && some.high < 9,
        "an error rate and its interval");
    expect(near(each.low, 10) && near(each.high, 10), "equal lines have no interval");
    expect(near(error_difference(worse, lines, 1).value, 5), "the difference of two rates");
    expect(near(area_under_curve({3, 4}, {1, 2}), 1) && near(area_under_curve({1, 2}, {3}), 0) &&
               near(area_under_curve({1, 1}, {1}), .5) && near(area_under_curve({1, 3}, {2}), .5) &&
               near(area_under_curve({}, {1}), .5),
        "areas under curves");
}

void check_pictures() {
    picture ramp(8, 4, 0);
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 8; ++x) ramp.at(x, y) = std::uint8_t(20 * x);
    const picture half = resized(ramp, 4, 2), same = resized(ramp, 8, 4),
                  twice = resized(ramp, 16, 4);
    expect(half.at(0, 0) == 10 && half.at(3, 1) == 130, "areas are averaged");
    expect(same.pixels == ramp.pixels, "a picture of the same size stays");
    expect(twice.at(1, 0) == 5 && twice.at(2, 0) == 15, "pixels between pixels");
    expect(rotated(ramp, 0).pixels == ramp.pixels, "a rotation by nothing");
    picture square(5, 5, 0);
    square.at(4, 2) = 200;
    expect(rotated(square, 90).at(2, 0) == 200, "counterclockwise: the right goes to the top");
    const picture flat = blurred(picture(9, 9, 77), 1.5);
    expect(flat.at(0, 0) == 77 && flat.at(4, 4) == 77, "blur keeps what is even");
    examples::random_source random(1);
    const picture spoilt = noisy(picture(100, 100, 128), 10, random);
    double mean = 0, square_sum = 0;
    for (std::uint8_t pixel : spoilt.pixels) mean += pixel / 1e4;
    for (std::uint8_t pixel : spoilt.pixels) square_sum += (pixel - mean) * (pixel - mean) / 1e4;
    expect(near(mean, 128, .5) && near(std::sqrt(square_sum), 10, .5), "noise of ten grey levels");
}

/// A network whose classes are the rows of a line: the brightest row of a column is its character.
model row_reader() {
    builder b;
    b.input("x", {-1, 3, 48, -1});
    const std::string plane =
        b.node("Slice", {"x", b.constant(integers_tensor({0})), b.constant(integers_tensor({1})),
                            b.constant(integers_tensor({1}))});
    const std::string rows = b.node("Squeeze", {plane, b.constant(integers_tensor({1}))});
    b.output(b.node("Transpose", {rows}, {{"perm", integers({0, 2, 1})}}));
    return b.finished();
}

void check_reading() {
    std::vector<std::string> characters;
    for (char c = 'A'; c <= 'Z'; ++c) characters.push_back(std::string(1, c));
    for (char c = 'a'; c < 'u'; ++c) characters.push_back(std::string(1, c));
    const alphabet letters(characters); // class 1 is A, class 47 the space
    const auto line = [](int width, const std::vector<int> &rows) {
        picture drawn(width, 48, 0);
        for (int x = 0; x < width; ++x)
            drawn.at(x, x < int(rows.size()) ? rows[std::size_t(x)] : 0) = 255;
        return drawn;
    };
    const std::vector<picture> lines {
        line(32, {1, 1, 0, 1, 2, 47, 3}), line(64, {5}), line(20, {26, 25, 0})};
    const std::vector<line_batch> batches = batches_of(lines, 8);
    expect(batches.size() == 2 && batches[0].lines == std::vector<std::size_t>({0, 2}) &&
               batches[0].pixels.dims() == extents({2, 3, 48, 32}),
        "lines of one width make a batch");
    expect(batches[0].pixels.data<float>()[48 * 32 * 3 * 2 - 1] == 0,
        "what a line does not fill is 0");
    network by(row_reader());
    const std::vector<std::string> texts = read_lines(by, letters, batches, lines.size());
    expect(texts[0] == "AAB C" && texts[1] == "E" && texts[2].substr(0, 2) == "ZY",
        "texts: '" + texts[0] + "', '" + texts[1] + "', '" + texts[2] + "'");
    expect(batches_of(std::vector<picture>(5, lines[0]), 2).size() == 3, "batches end when full");
    try {
        alphabet(std::vector<std::string> {"A"}).decode(std::vector<float>(9).data(), 1, 9);
        expect(false, "too many classes");
    } catch (const error &e) {
        expect(std::string(e.what()).find("9 classes") != std::string::npos, "too many classes");
    }
}

void check_boxes() {
    std::vector<float> map(64 * 32, .1f), other;
    const auto fill = [&](int left, int top, int width, int height, float value) {
        for (int y = top; y < top + height; ++y)
            for (int x = left; x < left + width; ++x) map[std::size_t(y * 64 + x)] = value;
    };
    fill(10, 20, 30, 4, .9f);
    fill(8, 4, 20, 4, .8f);
    fill(50, 4, 3, 3, .9f);   // too few pixels
    fill(44, 24, 10, 4, .4f); // too uncertain
    const std::vector<box> found = boxes_of(map.data(), 64, 32);
    expect(found.size() == 2 && found[0].top == 4 - 3 && found[0].left == 8 - 3 &&
               found[0].width == 26 && found[0].height == 10 && found[1].top == 20 - 3,
        "boxes from top to bottom, grown");
    other = map;
    expect(near(overlap(map.data(), other.data(), map.size()), 1), "a map and itself");
    for (int x = 10; x < 40; ++x) other[std::size_t(20 * 64 + x)] = 0;
    expect(
        near(overlap(map.data(), other.data(), map.size()), 219. / 249), "a map and a part of it");
}

void check_sound() {
    std::string file = "RIFF";
    const auto add = [&](std::uint32_t value, int length) {
        for (int i = 0; i < length; ++i) file += char(value >> (8 * i) & 255);
    };
    add(0x7ffff024, 4);
    file += "WAVEfmt ";
    for (auto [value, length] : std::vector<std::pair<int, int>> {
             {16, 4}, {1, 2}, {1, 2}, {22050, 4}, {44100, 4}, {2, 2}, {16, 2}})
        add(std::uint32_t(value), length);
    file += "data";
    add(0x7ffff000, 4); // a writer that does not know the length
    const std::size_t head = file.size();
    for (int i = 0; i < 22050; ++i)
        add(std::uint32_t(std::lround(16384 * std::sin(6.283185307179586 * 440 * i / 22050))), 2);
    int rate = 0;
    const sound samples = wav_samples(file, rate);
    expect(
        rate == 22050 && samples.size() == 22050 && near(samples[0], 0), "samples of a WAV file");
    const sound slower = resampled(samples, rate, 16000);
    double worst = 0;
    for (std::size_t i = 100; i + 100 < slower.size(); ++i)
        worst = std::max(worst,
            std::abs(slower[i] - .5 * std::sin(6.283185307179586 * 440 * double(i) / 16000)));
    expect(slower.size() == 16000 && worst < 2e-3,
        fmt::format("a tone at another rate, {:.1e}", worst));
    for (const std::string &bad : {std::string("RIFF"), file.substr(0, 30), "JUNK" + file.substr(4),
             file.substr(0, 22) + '\2' + file.substr(23),
             file.substr(0, 20) + '\3' + file.substr(21)})
        try {
            wav_samples(bad, rate);
            expect(false, "a spoilt WAV file");
        } catch (const std::runtime_error &) {}
    expect(wav_samples(file.substr(0, head + 5), rate).size() == 2, "a WAV file that ends early");
    examples::random_source random(1);
    const sound white = noise(1 << 15, false, random), pink = noise(1 << 15, true, random);
    const auto steps = [](const sound &of) { // the power of differences: of high frequencies
        double sum = 0;
        for (std::size_t i = 1; i < of.size(); ++i) sum += std::pow(of[i] - of[i - 1], 2);
        return sum / double(of.size());
    };
    expect(
        near(power(white, 0, white.size()), 1, 1e-4) && near(power(pink, 0, pink.size()), 1, 1e-4),
        "noise of the power 1");
    expect(near(steps(white), 2, .1) && steps(pink) < .5, "pink noise has less high frequencies");
}

} // namespace

int main() {
    check_measures();
    check_pictures();
    check_reading();
    check_boxes();
    check_sound();
    return failures != 0;
}
