// SPDX-License-Identifier: Apache-2.0
// Checks files of images and text, the made-up data, and the order in which batches are written.
#include "../../random_source.hpp"
#include "../data/colour_images.hpp"
#include "../data/digits.hpp"
#include "../data/idx.hpp"
#include "../data/image_folder.hpp"
#include "../data/png.hpp"
#include "../data/ppm.hpp"
#include "../data/sequence_task.hpp"
#include "../data/text.hpp"
#include "checks.hpp"
#include "png_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

namespace int8_accuracy {
namespace {

namespace fs = std::filesystem;

/// A folder for the files of the test that is removed at its end.
class test_folder {
  public:
    test_folder() : path_(fs::temp_directory_path() / ("data_test_" + std::to_string(getpid()))) {
        fs::create_directories(path_);
    }
    ~test_folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }

    fs::path write(const std::string &name, const std::string &bytes) const {
        const fs::path file = path_ / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }
    fs::path operator/(const std::string &name) const { return path_ / name; }

  private:
    fs::path path_;
};

std::string random_bytes(std::size_t count) {
    examples::random_source random(count);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += char(random.below(256));
    return bytes;
}

bool equals(const std::vector<std::uint8_t> &pixels, const std::string &expected) {
    return std::string(pixels.begin(), pixels.end()) == expected;
}

/// What the pixels of a PNG file are, computed sample by sample.
std::string expected_pixels(const png_description &of) {
    static constexpr int samples[] {1, 0, 3, 1, 2, 0, 4}, kept[] {1, 0, 3, 1, 1, 0, 3};
    const int stride = (of.width * samples[of.color] * of.bits + 7) / 8;
    std::string pixels;
    for (int y = 0; y < of.height; ++y)
        for (int x = 0; x < of.width; ++x)
            for (int c = 0; c < kept[of.color]; ++c) {
                const int first_bit = (x * samples[of.color] + c) * of.bits;
                int value = 0;
                for (int bit = first_bit; bit < first_bit + std::min(of.bits, 8); ++bit)
                    value = 2 * value + (of.rows[y * stride + bit / 8] >> (7 - bit % 8) & 1);
                if (of.color == 3)
                    pixels += of.colors.substr(3 * value, 3);
                else
                    pixels += char(of.bits < 8 ? value * 255 / ((1 << of.bits) - 1) : value);
            }
    return pixels;
}

void check_png_kinds(checks &check, const test_folder &folder) {
    static constexpr int samples[] {1, 0, 3, 1, 2, 0, 4};
    static constexpr int kinds[][2] {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16},
        {3, 1}, {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
    for (const auto &[color, bits] : kinds) {
        bool right = true;
        for (int filter = 0; filter < 5; ++filter) {
            png_description of {13, 7, bits, color, filter, 0, {}, {}};
            of.rows = random_bytes(std::size_t(13 * samples[color] * bits + 7) / 8 * 7);
            if (color == 3) of.colors = random_bytes(std::size_t(3) << bits);
            const image read = read_png(folder.write("kind.png", png_file(of)));
            right = right && read.width == 13 && read.height == 7 &&
                    equals(read.pixels, expected_pixels(of));
        }
        check.that(right, "PNG of colour type " + std::to_string(color) + ", " +
                              std::to_string(bits) + " bits, five filters");
    }
}

void check_png_refusals(checks &check, const test_folder &folder) {
    const png_description good {3, 2, 8, 2, 4, 0, {}, random_bytes(18)};
    const auto refuses = [&](const png_description &of, const std::string &part) {
        const fs::path file = folder.write("bad.png", png_file(of));
        check.refuses([&] { read_png(file); }, "bad.png: " + part, "PNG: " + part);
    };
    png_description bad = good;
    bad.interlace = 1;
    refuses(bad, "is interlaced");
    bad = good;
    bad.filter = 5;
    refuses(bad, "damaged: unknown filter 5");
    bad = good;
    bad.bits = 4;
    refuses(bad, "damaged: colour type 2 with 4 bits");
    refuses(
        {2, 2, 8, 3, 0, 0, "abcdef", std::string("\0\1\2\0", 4)}, "damaged: colour 2 is not in");
    refuses({2, 2, 8, 3, 0, 0, "", std::string(4, '\0')}, "damaged: its palette is missing");
    bad = {257, 1, 8, 0, 0, 0, {}, std::string(257, 'x')};
    refuses(bad, "is 257x1, the largest size is 256x256");

    std::string longer = png_file(good);
    longer.replace(longer.find("IHDR") + 4, 8, big_endian_text(3) + big_endian_text(3));
    const std::string header = longer.substr(longer.find("IHDR") + 4, 13);
    longer.replace(8, 25, png_chunk("IHDR", header));
    const fs::path file = folder.write("bad.png", longer);
    check.refuses([&] { read_png(file); }, "bad.png: damaged: it", "PNG with rows missing");
    std::string altered = png_file(good);
    altered[altered.find("Title")] = 't';
    folder.write("bad.png", altered);
    check.refuses([&] { read_png(file); }, "bad.png: damaged: wrong checksum of its chunk tEXt",
        "PNG with a wrong checksum");
    check.refuses([&] { read_png(folder / "none.png"); }, "none.png: cannot open", "missing PNG");
}

/// Every beginning of the file and every file with one bit changed must be refused in one line or,
/// for changes, be read.
void check_damage(checks &check, const test_folder &folder, const std::string &name,
    const std::string &good, image (*read)(const fs::path &)) {
    const auto outcome = [&](const std::string &bytes) -> std::string {
        const fs::path file = folder.write(name, bytes);
        try {
            return read(file).pixels.empty() ? "nothing read" : "read";
        } catch (const std::runtime_error &refusal) {
            const std::string said = refusal.what();
            return said.starts_with(file.string() + ": ") && said.find('\n') == said.npos
                       ? "refused"
                       : "unclear";
        }
    };
    int refused = 0, clear = 0;
    for (std::size_t size = 0; size < good.size(); ++size)
        refused += outcome(good.substr(0, size)) == "refused";
    check.that(refused == int(good.size()), name + ": all beginnings are refused");
    check.that(outcome(good) == "read", name + ": the whole file is read");
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        std::string changed = good;
        changed[bit / 8] = char(changed[bit / 8] ^ 1 << bit % 8);
        const std::string found = outcome(changed);
        clear += found == "refused" || found == "read";
    }
    check.that(clear == int(8 * good.size()), name + ": each changed bit is refused or read");
}

void check_ppm(checks &check, const test_folder &folder) {
    const std::string grey = random_bytes(6), color = random_bytes(18);
    const image first = read_ppm(folder.write("a.pgm", "P5 # two\n# lines\n3\t2 255\n" + grey));
    check.that(
        first.width == 3 && first.height == 2 && first.channels == 1 && equals(first.pixels, grey),
        "PGM with comments");
    const image second = read_ppm(folder.write("a.ppm", "P6\n3 2\n255\n" + color));
    check.that(second.channels == 3 && equals(second.pixels, color), "PPM");
    const auto refuses = [&](const std::string &bytes, const std::string &part) {
        const fs::path file = folder.write("bad.ppm", bytes);
        check.refuses([&] { read_ppm(file); }, "bad.ppm: " + part, "PPM: " + part);
    };
    refuses("P3 1 1 255 1 2 3", "is not a binary PGM or PPM file");
    refuses("P5 3 2 15\n" + grey, "its largest value is 15, expected 255");
    refuses("P5 3 2 255\n" + grey + "x", "damaged: it is longer");
    refuses("P5 300 2 255\n", "is 300x2");
    refuses("P5 0 2 255\n", "damaged: it has no pixels");
    refuses("P5 -3 2 255\n", "damaged: its header has something else");
    refuses("P5 99999999999 2 255\n", "damaged: its header has a number");
    check_damage(check, folder, "cut.ppm", "P6 # c\n3 2 255\n" + color, read_ppm);
}

std::string small_png(int width, int color, char value) {
    const std::string rows(std::size_t(width) * 4 * (color == 2 ? 3 : 1), value);
    return png_file({width, 4, 8, color, 1, 0, {}, rows});
}

void check_folder(checks &check, const test_folder &folder) {
    const auto refuses = [&](const std::string &name, const std::string &part) {
        check.refuses([&] { read_image_folder(folder / name, 1); }, part, "folder: " + part);
    };
    refuses("none", "none: no such folder");
    for (int i = 0; i < 8; ++i)
        folder.write("set/b/" + std::to_string(i) + ".PNG", small_png(5, 0, char(i)));
    refuses("set", "set: has 1 folder, expected");
    folder.write("set/a/readme.txt", "not an image");
    refuses("set", "a: has no .png");
    folder.write("set/a/first.pgm", "P5 5 4 255\n" + std::string(20, 'x'));
    refuses("set", "set: has 9 images");
    folder.write("set/a/second.pgm", "P5 5 4 255\n" + std::string(20, 'y'));
    folder.write("set/.hidden/x.png", "damaged");
    const data_split grey = read_image_folder(folder / "set", 1);
    check.that(grey.training.of == object_shape {1, 4, 5} && grey.training.count() == 8 &&
                   grey.held_out.count() == 2 && grey.training.classes == 2 &&
                   grey.class_names == std::vector<std::string> {"a", "b"},
        "folder of grey images");
    check.that(read_image_folder(folder / "set", 1).training.values == grey.training.values,
        "folder: equal seeds give equal divisions");
    folder.write("set/b/color.png", small_png(5, 2, 'z'));
    const data_split color = read_image_folder(folder / "set", 1);
    bool right = true;
    for (const dataset *part : {&color.training, &color.held_out})
        for (int i = 0; i < part->count(); ++i) {
            const std::uint8_t *pixels = part->object(i);
            const bool of_a = pixels[0] == 'x' || pixels[0] == 'y';
            right = right && pixels[0] == pixels[59] && *part->labels_of(i) == (of_a ? 0 : 1);
        }
    check.that(right && color.training.of.channels == 3, "folder: grey files among colour ones");
    folder.write("set/b/later.png", small_png(6, 0, 1));
    refuses("set", "later.png: is 6x4, the images before it are 5x4");
}

void check_text(checks &check, const test_folder &folder) {
    const auto refuses = [&](const std::string &text, const std::string &part) {
        const fs::path file = folder.write("text.txt", text);
        check.refuses([&] { read_text(file, 4, 1); }, "text.txt: " + part, "text: " + part);
    };
    refuses("", "0 characters are too few");
    refuses(random_bytes(80), "80 characters are too few: 20 sequences of 4 need 81");
    refuses(std::string(200, 'a'), "all its characters are equal");
    std::string every;
    for (int byte = 0; byte < 256; ++byte) every += char(byte);
    refuses(every, "has all 256");
    check.refuses(
        [&] { read_text(folder / "none.txt", 4, 1); }, "none.txt: cannot open", "no text");

    std::string text;
    for (int i = 0; i < 81; ++i) text += "ab\ncd"[i * i % 5];
    const data_split cut = read_text(folder.write("text.txt", text), 4, 1);
    const auto spelled = [&](const std::uint8_t *tokens) {
        std::string found;
        for (int p = 0; p < 4; ++p)
            found += cut.class_names[tokens[p]] == "\\n" ? "\n" : cut.class_names[tokens[p]];
        return found;
    };
    bool right = cut.training.count() == 18 && cut.held_out.count() == 2;
    std::multiset<std::string> read, expected;
    for (int i = 0; i < 18; ++i) {
        read.insert(spelled(cut.training.object(i)) + spelled(cut.training.labels_of(i)));
        expected.insert(text.substr(4 * i, 4) + text.substr(4 * i + 1, 4));
    }
    for (int i = 0; i < 2; ++i)
        right = right && spelled(cut.held_out.object(i)) == text.substr(72 + 4 * i, 4) &&
                spelled(cut.held_out.labels_of(i)) == text.substr(73 + 4 * i, 4);
    check.that(right && read == expected, "text: sequences, labels and the held-out end");
}

void check_encodings(checks &check) {
    dataset images {{2, 2, 3}, 3, 1, {}, {0, 1, 2}};
    for (int i = 0; i < 36; ++i) images.values.push_back(std::uint8_t(7 * i));
    const encoding how = measure_encoding(images);
    std::vector<float> batch(48);
    encode_batch(images, how, {2, 0}, 0, 4, batch.data());
    bool right = true;
    for (int b = 0; b < 4; ++b)
        for (int i = 0; i < 12; ++i) {
            const int object = b == 0 ? 2 : 0, c = i % 2;
            const double expected = (7 * (12 * object + i) / 255. - how.mean[c]) / how.deviation[c];
            right = right && std::abs(batch[12 * b + i] - expected) < 1e-4;
        }
    check.that(right, "encoding of images, the last repeats");
    check.that(labels_of_batch(images, {2, 0}, 0, 4) == std::vector<std::uint8_t> {2, 0, 0, 0},
        "labels of images, the last repeats");
    double sum = 0, squares = 0;
    encode_batch(images, how, {}, 0, 3, batch.data());
    for (int i = 0; i < 36; ++i) sum += batch[i], squares += batch[i] * batch[i];
    check.that(std::abs(sum) < 1e-3 && std::abs(squares - 36) < 1e-2, "mean 0 and deviation 1");

    const dataset tokens {{4, 1, 1, 3}, 5, 3, {0, 1, 2, 3, 3, 1}, {4, 3, 2, 1, 0, 4}};
    const encoding plain, placed {{}, {}, true};
    std::vector<float> rows(42), expected(42);
    encode_batch(tokens, placed, {}, 0, 2, rows.data());
    for (int p = 0; p < 3; ++p)
        for (int b = 0; b < 2; ++b) {
            expected[(2 * p + b) * 7 + tokens.object(b)[p]] = 1;
            expected[(2 * p + b) * 7 + 4 + p] = 1;
        }
    check.that(rows == expected, "encoding of sequences with positions");
    check.that(plain.channels(tokens.of) == 4 && placed.channels(tokens.of) == 7, "channels");
    check.that(labels_of_batch(tokens, {}, 0, 2) == std::vector<std::uint8_t> {4, 1, 3, 0, 2, 4},
        "labels of sequences, all objects of the first position first");
}

void check_moves(checks &check) {
    dataset one {{1, 5, 5}, 1, 1, {}, {0}};
    for (int i = 0; i < 25; ++i) one.values.push_back(std::uint8_t(10 * i));
    const encoding how {{0}, {1}, false};
    constexpr int count = 400;
    std::vector<float> moved(25 * count), again(25 * count);
    encode_moved_batch(one, how, {1, true}, 5, {}, 0, count, moved.data());
    encode_moved_batch(one, how, {1, true}, 5, {}, 0, count, again.data());
    check.that(moved == again, "moves: equal seeds give equal batches");
    std::set<std::vector<int>> seen, expected;
    for (int b = 0; b < count; ++b) {
        std::vector<int> pixels;
        for (int i = 0; i < 25; ++i) pixels.push_back(int(std::lround(moved[25 * b + i] * 255)));
        seen.insert(pixels);
    }
    for (int mirror = 0; mirror < 2; ++mirror)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                std::vector<int> pixels;
                for (int y = 0; y < 5; ++y)
                    for (int x = 0; x < 5; ++x) {
                        const int v = std::clamp(y + dy, 0, 4), u = std::clamp(x + dx, 0, 4);
                        pixels.push_back(10 * (5 * v + (mirror ? 4 - u : u)));
                    }
                expected.insert(pixels);
            }
    check.that(seen == expected, "moves: all 18, with a repeated border");
}

void check_division(checks &check) {
    const dataset all = draw_digits(50, 3);
    const data_split parts = split(all, 40, 9, "here");
    std::multiset<std::string> before, after;
    const auto collect = [](const dataset &of, std::multiset<std::string> &to) {
        for (int i = 0; i < of.count(); ++i)
            to.insert(std::string(of.object(i), of.object(i) + of.values_per_object()) +
                      char(*of.labels_of(i)));
    };
    collect(all, before);
    collect(parts.training, after);
    collect(parts.held_out, after);
    check.that(before == after && parts.training.count() == 40 && parts.origin == "here",
        "division keeps each object and its label");
}

template <typename Draw> void check_drawn(checks &check, const std::string &name, Draw &&draw) {
    const dataset one = draw(7), same = draw(7), other = draw(8);
    check.that(one.values == same.values && one.labels == same.labels, name + ": equal seeds");
    check.that(one.values != other.values, name + ": different seeds");
    bool valid = int(one.values.size()) == one.count() * one.values_per_object();
    for (std::uint8_t label : one.labels) valid = valid && label < one.classes;
    if (one.of.sequence())
        for (std::uint8_t token : one.values) valid = valid && token < one.of.channels;
    check.that(valid, name + ": sizes, labels and tokens are valid");
}

void check_balance(checks &check, const std::string &name, const dataset &of) {
    std::vector<int> counts(of.classes);
    for (std::uint8_t label : of.labels) ++counts[label];
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    check.that(*least == *most && *least > 0, name + ": every class equally often");
}

/// The answers of the task, by a second way: for each position over all others.
void check_task(checks &check) {
    const dataset task = draw_sequences(200, 1, 4).training;
    bool right = true;
    for (int i = 0; i < task.count(); ++i)
        for (int p = 0; p < 32; ++p) {
            const std::uint8_t *tokens = task.object(i);
            const int own = tokens[p];
            int label = own >= 20 ? 3 : 0;
            for (int q = 0; q < 32; ++q) {
                const bool gives = tokens[q] >= 8 && tokens[q] < 20;
                if (own >= 20 && gives && (tokens[q] - 8) / 3 == own - 20)
                    label = (tokens[q] - 8) % 3;
                if (own >= 8 && own < 20) label += tokens[q] == 20 + (own - 8) / 3;
                if (own < 8) label += tokens[q] == own;
            }
            right = right && task.labels_of(i)[p] == std::min(label, 15);
        }
    check.that(right, "sequences: labels are the answers");
}

void check_drawn_data(checks &check) {
    check_drawn(check, "digits", [](int seed) { return draw_digits(100, seed); });
    check_drawn(check, "colour images", [](int seed) { return draw_colour_images(100, seed); });
    check_drawn(check, "sequences", [](int seed) { return draw_sequences(50, 10, seed).training; });
    check_drawn(check, "text", [](int seed) { return drawn_text(5000, 32, seed).training; });
    check_balance(check, "digits", draw_digits(200, 1));
    check_balance(check, "colour images", draw_colour_images(200, 1));
    check.that(colour_image_names().size() == 20, "colour images: a name for each class");
    check_task(check);
    check.refuses([] { drawn_text(100, 32, 1); }, "drawn text: 100 characters are too few",
        "drawn text: too short");
}

void check_idx(checks &check, const test_folder &folder) {
    const std::string images = big_endian_text(0x803) + big_endian_text(1000) +
                               big_endian_text(28) + big_endian_text(28) + random_bytes(784000);
    const std::string labels =
        big_endian_text(0x801) + big_endian_text(1000) + std::string(1000, '\3');
    folder.write("idx/t10k-images-idx3-ubyte", images);
    check.refuses([&] { read_idx_folder(folder / "idx", 1); },
        "t10k-labels-idx1-ubyte[.gz]: no such file", "IDX: labels are missing");
    folder.write("idx/t10k-labels-idx1-ubyte", labels);
    const data_split read = read_idx_folder(folder / "idx", 1);
    check.that(read.training.count() == 800 && read.held_out.count() == 200 &&
                   read.training.of == object_shape {1, 28, 28} && read.training.labels[0] == 3,
        "IDX files");
    folder.write("idx/t10k-images-idx3-ubyte", images.substr(0, 5000));
    check.refuses([&] { read_idx_folder(folder / "idx", 1); },
        "t10k-images-idx3-ubyte: truncated: its header promises 784000 bytes of data, 4984 are",
        "IDX: truncated images");
}

} // namespace
} // namespace int8_accuracy

int main() {
    using namespace int8_accuracy;
    checks check;
    const test_folder folder;
    check_png_kinds(check, folder);
    check_png_refusals(check, folder);
    check_damage(check, folder, "cut.png",
        png_file({3, 2, 8, 3, 4, 0, random_bytes(24), std::string("\0\1\2\7\3\4", 6)}), read_png);
    check_ppm(check, folder);
    check_folder(check, folder);
    check_text(check, folder);
    check_encodings(check);
    check_moves(check);
    check_division(check);
    check_drawn_data(check);
    check_idx(check, folder);
    return check.status();
}
