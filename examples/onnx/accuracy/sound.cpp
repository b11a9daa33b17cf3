// SPDX-License-Identifier: Apache-2.0
#include "sound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace accuracy {

namespace {

constexpr double pi = 3.14159265358979323846;

std::uint32_t number_at(const std::string &bytes, std::size_t at, int length) {
    std::uint32_t value = 0;
    for (int i = length; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + std::size_t(i)]);
    return value;
}

const char *const sentences[] = {"seven people came to the market with wooden carts",
    "the night train leaves the station at a quarter past nine",
    "please write the number of the house on this envelope",
    "a small bird sits on the fence behind the garden",
    "we measured the water in the river every morning",
    "nobody had told him that the bridge was closed", "her brother repairs old clocks and radios",
    "the cake needs two eggs and a cup of sugar", "turn left at the church and follow the road",
    "my coat is still wet from the rain", "they listened to the music until the lights went out",
    "the teacher asked a question that everyone could answer"};
const char *const voices[] = {"en", "en+f2", "en+m3", "en+f4", "en-us", "en-us+m1"};

std::string output_of(const std::string &command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> pipe(
        popen(command.c_str(), "r"), pclose);
    std::string bytes;
    if (!pipe) return bytes;
    char part[4096];
    for (std::size_t count; (count = std::fread(part, 1, sizeof part, pipe.get())) > 0;)
        bytes.append(part, count);
    return bytes;
}

} // namespace

sound wav_samples(const std::string &file, int &rate) {
    const auto fail = [](const char *why) {
        throw std::runtime_error(std::string("the sound is no WAV file of 16 bits: ") + why);
    };
    if (file.size() < 12 || file.compare(0, 4, "RIFF") || file.compare(8, 4, "WAVE"))
        fail("its head is not there");
    rate = 0;
    for (std::size_t at = 12; at + 8 <= file.size();) {
        const std::string name = file.substr(at, 4);
        const std::size_t begin = at + 8, size = std::min<std::size_t>(
                                              number_at(file, at + 4, 4), file.size() - begin);
        if (name == "fmt " && size >= 16) {
            if (number_at(file, begin, 2) != 1 || number_at(file, begin + 2, 2) != 1 ||
                number_at(file, begin + 14, 2) != 16)
                fail("it has another format or more than one channel");
            rate = int(number_at(file, begin + 4, 4));
        } else if (name == "data") {
            if (rate <= 0) fail("it tells no rate");
            sound samples(size / 2);
            for (std::size_t i = 0; i < samples.size(); ++i)
                samples[i] = float(std::int16_t(number_at(file, begin + 2 * i, 2))) / 32768;
            return samples;
        }
        at = begin + size + (size & 1);
    }
    fail("it has no samples");
    return {};
}

sound resampled(const sound &from, int from_rate, int to_rate) {
    const double step = double(from_rate) / to_rate, cut = std::min(1., 1 / step);
    const int reach = int(std::ceil(16 / cut)); // samples on each side
    sound to(std::size_t(double(from.size()) / step));
    for (std::size_t i = 0; i < to.size(); ++i) {
        const double middle = double(i) * step;
        double sum = 0;
        const auto first = std::max(0L, long(std::floor(middle)) - reach + 1),
                   last = std::min(long(from.size()) - 1, long(std::floor(middle)) + reach);
        for (long k = first; k <= last; ++k) {
            const double t = double(k) - middle, x = pi * cut * t;
            const double window = .5 + .5 * std::cos(pi * t / reach);
            sum += from[std::size_t(k)] * window * cut * (x == 0 ? 1 : std::sin(x) / x);
        }
        to[i] = float(sum);
    }
    return to;
}

bool can_speak() { return output_of("espeak-ng --version 2>/dev/null").find("eSpeak") == 0; }

sound speech(examples::random_source &random) {
    const std::string command =
        std::string("espeak-ng --stdout -v ") + voices[random.below(int(std::size(voices)))] +
        " -s " + std::to_string(130 + random.below(70)) + " -p " +
        std::to_string(30 + random.below(40)) + " '" +
        sentences[random.below(int(std::size(sentences)))] + "' 2>/dev/null";
    const std::string file = output_of(command);
    if (file.empty()) throw std::runtime_error("espeak-ng does not run: apt-get install espeak-ng");
    int rate = 0;
    const sound spoken = wav_samples(file, rate);
    return resampled(spoken, rate, samples_per_second);
}

sound noise(std::size_t samples, bool pink, examples::random_source &random) {
    sound made(samples);
    // Pink: random numbers that stay for 1, 2, 4, ... samples have each an octave less bandwidth.
    constexpr int octaves = 12;
    std::array<double, octaves> kept {};
    for (std::size_t i = 0; i < samples; ++i) {
        double sum = 0;
        for (int octave = 0; octave < (pink ? octaves : 1); ++octave) {
            if (i % (std::size_t(1) << octave) == 0) kept[std::size_t(octave)] = random.normal();
            sum += kept[std::size_t(octave)];
        }
        made[i] = float(sum);
    }
    const double scale = 1 / std::sqrt(std::max(power(made, 0, made.size()), 1e-20));
    for (float &sample : made) sample = float(sample * scale);
    return made;
}

double power(const sound &of, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += double(of[i]) * of[i];
    return end > begin ? sum / double(end - begin) : 0;
}

} // namespace accuracy
