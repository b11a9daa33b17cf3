// SPDX-License-Identifier: Apache-2.0
// Speech by espeak-ng, and noise to hide it in. Sound is a sequence of samples at 16 kHz.
#pragma once

#include "../../random_source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace accuracy {

using sound = std::vector<float>;
constexpr int samples_per_second = 16000;

/// Samples of a WAV file with 16 bits and one channel, at its own rate. Throws std::runtime_error
/// for another file. A length beyond the end, as programs write that do not know it yet, is cut.
sound wav_samples(const std::string &file, int &rate);

/// By a windowed sinc function, with the frequencies that both rates have.
sound resampled(const sound &from, int from_rate, int to_rate);

/// Whether the program espeak-ng can be run.
bool can_speak();

/// A sentence of English words in a voice, a speed and a pitch that `random` chooses. Throws
/// std::runtime_error where espeak-ng cannot be run.
sound speech(examples::random_source &random);

/// White noise, or noise whose power falls by 3 dB per octave, with a mean square of 1.
sound noise(std::size_t samples, bool pink, examples::random_source &random);

/// The mean of the squares of samples [begin, end).
double power(const sound &of, std::size_t begin, std::size_t end);

} // namespace accuracy
