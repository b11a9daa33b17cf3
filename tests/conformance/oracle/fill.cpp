// SPDX-License-Identifier: Apache-2.0
// Input values, by the meaning and the type of the tensor.
#include "oracle/fill.hpp"

#include <algorithm>
#include <cmath>

namespace conformance {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014).
class generator {
  public:
    explicit generator(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    /// Uniform integer of [low, high].
    double between(int low, int high) {
        return low + double(next() % std::uint64_t(high - low + 1));
    }
    /// Uniform real of [0, 1).
    double unit() { return double(next() >> 11) / 9007199254740992.0; }

  private:
    std::uint64_t state_;
};

// Any zero point that both the type of the tensor and that of zero points hold; every other time
// the least or the greatest of them.
double any_zero_point(const tensor_spec &spec, generator &random) {
    const bool narrow = is_integer(spec.offsets) && spec.offsets != data_type::s32;
    constexpr double exact = 1 << 20; // in f32 sums, too
    const double low = std::max(lowest_of(spec.type), narrow ? lowest_of(spec.offsets) : -exact);
    const double high = std::min(highest_of(spec.type), narrow ? highest_of(spec.offsets) : exact);
    if (random.next() & 1) return random.next() & 1 ? low : high;
    return random.between(int(low), int(high));
}

// Long products stay within f32 where most of their factors are 1 or -1.
bool is_rare_factor(const tensor_spec &spec, generator &random) {
    return random.unit() * spec.factors < 16;
}

double exact_value(const tensor_spec &spec, generator &random) {
    switch (spec.holds) {
    case meaning::reduction: return random.between(-20, 20);
    case meaning::scale: return std::ldexp(1, int(random.between(-1, 1)));
    case meaning::zero_point: return random.between(is_unsigned(spec.type) ? 0 : -3, 3);
    case meaning::probability: return random.between(0, 4) / 4;
    case meaning::log_probability: return -random.between(0, 4);
    // The square root of the sum with epsilon is a power of two.
    case meaning::variance: return std::ldexp(1, 2 * int(random.between(-1, 1))) - spec.constant;
    case meaning::factor: {
        const double size = !is_rare_factor(spec, random) ? 1
                            : is_integer(spec.type)       ? random.between(1, 2)
                                                    : std::ldexp(1, int(random.between(-1, 1)));
        return is_unsigned(spec.type) || random.next() & 1 ? size : -size;
    }
    default: break;
    }
    if (spec.type == data_type::e8m0) return std::ldexp(1, int(random.between(-4, 4)));
    if (is_unsigned(spec.type)) return random.between(0, 8);
    return random.between(-4, 4);
}

// Zero or not, the sign and the low bits whatever they are.
double condition_value(generator &random) {
    const double choices[] = {0, 0, 0, 0, 1, -1, 2, 64, -128, 127};
    return choices[random.next() % (sizeof choices / sizeof choices[0])];
}

// Divisors are not 0: what that gives is open.
double exact_or_one(const tensor_spec &spec, generator &random) {
    const double value = exact_value(spec, random);
    return spec.divides && value == 0 ? 1 : value;
}

double random_value(const tensor_spec &spec, generator &random) {
    switch (spec.holds) {
    case meaning::reduction: return random.between(-5000, 5000);
    case meaning::scale: return 0.25 + 1.75 * random.unit();
    case meaning::zero_point:
        return random.next() & 1 ? any_zero_point(spec, random)
                                 : random.between(is_unsigned(spec.type) ? 0 : -9, 9);
    case meaning::probability: return random.unit();
    case meaning::log_probability: return -8 * random.unit();
    case meaning::variance: return std::ldexp(1 + random.unit(), int(random.between(-7, 2)));
    case meaning::factor: {
        const double size = !is_rare_factor(spec, random) ? 1
                            : is_integer(spec.type)       ? random.between(1, 3)
                                                          : 0.75 + 0.75 * random.unit();
        return is_unsigned(spec.type) || random.next() & 1 ? size : -size;
    }
    default: break;
    }
    if (spec.type != data_type::s32 && is_integer(spec.type))
        return random.between(int(lowest_of(spec.type)), int(highest_of(spec.type)));
    if (spec.type == data_type::s32) return random.between(-100000, 100000);
    const double size = std::ldexp(1 + random.unit(), int(random.between(-7, 2)));
    return random.next() & 1 ? size : -size;
}

double adversarial_integer(const tensor_spec &spec, generator &random) {
    const double low = lowest_of(spec.type), high = highest_of(spec.type);
    const double choices[] = {low, high, 0, 1, is_unsigned(spec.type) ? 2.0 : -1.0, high};
    return choices[random.next() % 6];
}

// Products in a sum over the dimensions that no letter keeps.
double summed_elements(const tensor_spec &spec) {
    if (!spec.accumulates || spec.axes.empty()) return 1;
    double count = 1;
    for (std::size_t d = 0; d < spec.shape.size(); ++d)
        if (d >= spec.axes.size() || spec.axes[d] == '.') count *= double(spec.shape[d]);
    return count;
}

// Sums of so many products of bytes that s32 need not hold them, counting the taps of windows: only
// values near the end of the range make them really leave it.
bool overflows_sums(const tensor_spec &spec) {
    return is_integer(spec.type) && bytes_of(spec.type) == 1 && summed_elements(spec) > 16384;
}

// Exponent of values whose products f32 sums do not lose.
int reach_of(data_type type) {
    if (is_4bit(type)) return 1;
    return bytes_of(type) == 1 || type == data_type::f16 ? 7 : 30;
}

// Values of tensors that say how large their values may be.
double value_within(double reach, fill kind, generator &random) {
    if (kind == fill::exact) return reach * random.between(-4, 4) / 4;
    if (kind == fill::random) return reach * (2 * random.unit() - 1);
    const double tiny = std::ldexp(1, -20);
    const double choices[] = {reach, -reach, reach * tiny, -reach * tiny, 0.0, -0.0,
        reach * (1 - random.unit() / 8), std::ldexp(reach, int(random.between(0, 4))),
        std::ldexp(1, -130)};
    return choices[random.next() % (sizeof choices / sizeof choices[0])];
}

double denormal_of(data_type type) {
    if (type == data_type::f8_e5m2) return std::ldexp(1, -15);
    if (bytes_of(type) == 1) return std::ldexp(1, -8);
    return std::ldexp(1, type == data_type::f16 ? -22 : -130);
}

// Small deviations from a mean 10,000 times as large, or as large as the type can tell.
double offset_value(const tensor_spec &spec, generator &random) {
    if (is_integer(spec.type)) return highest_of(spec.type) - random.between(0, 3);
    const double size = spec.type == data_type::f32   ? 10000
                        : spec.type == data_type::f16 ? 1000
                                                      : 128;
    return size + 4 * random.unit() - 2;
}

double adversarial_value(const tensor_spec &spec, generator &random) {
    if (spec.holds == meaning::scale) return std::ldexp(1, int(random.between(-6, 6)));
    if (spec.holds == meaning::zero_point) return any_zero_point(spec, random);
    if (spec.holds == meaning::variance)
        return random.next() % 4 == 0 ? 0 : std::ldexp(1, int(random.between(-20, 20)));
    if (spec.holds != meaning::activations && spec.holds != meaning::weights &&
        spec.holds != meaning::normalized && spec.holds != meaning::bias)
        return random_value(spec, random);
    if (is_integer(spec.type)) return adversarial_integer(spec, random);
    const int reach = reach_of(spec.type);
    const double denormal = denormal_of(spec.type);
    const double huge = std::ldexp(1 + random.unit(), reach), tiny = std::ldexp(1, -reach);
    if (spec.accumulates || spec.holds == meaning::weights) {
        const double choices[] = {huge, -huge, tiny, -tiny, 0.0, -0.0, 1.0, 1.0};
        return choices[random.next() % 8];
    }
    const double most = max_finite_of(spec.type);
    const double choices[] = {huge, -huge, tiny, -tiny, 0.0, -0.0, denormal, -denormal, INFINITY,
        -INFINITY, NAN, most, -most, 88.0, -88.0, -104.0, 1.0, -1.0, 20.0, -20.0, 1e-8, -3.0, 3.0};
    return choices[random.next() % (sizeof choices / sizeof choices[0])];
}

// Which elements of fill X have ordinary values: those all of whose indices along the axes do,
// three of four by a hash that tensors of one case share.
class mixture {
  public:
    mixture(const tensor_spec &spec, std::uint64_t seed) : seed_(seed), position_(spec.shape) {
        axes_ = !spec.axes.empty() || !spec.accumulates || spec.reach > 0 ? spec.axes : "mcH";
        axes_.resize(spec.shape.size(), '.');
        for (std::size_t d = 0; d < axes_.size(); ++d)
            if (spec.shape[d] == 1) axes_[d] = '.';
        for (char letter : axes_)
            if (letter != '.' && letters_.find(letter) == std::string::npos) letters_ += letter;
        mixes_ = !letters_.empty() || (spec.accumulates && spec.reach == 0);
        if (letters_.empty()) letters_.assign(1, '*'); // one index
        std::fill(position_.begin(), position_.end(), 0);
    }
    bool is_ordinary(const dims &shape) const {
        if (!mixes_) return false;
        for (char letter : letters_)
            if (generator(seed_ ^ std::uint64_t(letter) << 40 ^ index_of(letter, shape)).next() %
                    4 ==
                0)
                return false;
        return true;
    }
    void advance(const dims &shape) { next_position(position_, shape); }

  private:
    std::uint64_t index_of(char letter, const dims &shape) const {
        std::uint64_t index = 0;
        for (std::size_t d = 0; d < axes_.size(); ++d) {
            if (axes_[d] != letter) continue;
            const bool halves = letter >= 'A' && letter <= 'Z';
            index = halves ? std::uint64_t(2 * position_[d] / shape[d])
                           : index * std::uint64_t(shape[d]) + std::uint64_t(position_[d]);
        }
        return index;
    }

    const std::uint64_t seed_;
    dims position_;
    std::string axes_, letters_;
    bool mixes_;
};

// One infinity among summands: what is not multiplied must not become NaN. Weights may get a NaN;
// where a recurrence spreads it, in one case of four. `free` are the elements that may take it.
void add_nonfinite(const tensor_spec &spec, generator &random, std::uint64_t seed,
    const std::vector<std::size_t> &free, std::vector<double> &values) {
    if (is_integer(spec.type) || values.size() <= 8 || spec.has_constant || free.empty()) return;
    if (spec.reach > 0 && seed % 4 != 0) return;
    double &place = values[free[random.next() % free.size()]];
    if (spec.accumulates && spec.holds == meaning::activations)
        place = round_to(spec.type, INFINITY);
    else if (spec.takes_nonfinite)
        place = round_to(spec.type, random.next() & 1 ? NAN : -INFINITY);
}

} // namespace

const char *name_of(fill kind) {
    return kind == fill::exact ? "E" : kind == fill::random ? "R" : "X";
}

std::uint64_t hash_of(const std::string &text, std::uint64_t start) {
    std::uint64_t hash = start; // FNV-1a
    for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
    return hash;
}

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

tensor filled(const tensor_spec &spec, fill kind, std::uint64_t seed) {
    tensor result(spec.shape, spec.type);
    generator random(hash_of(spec.name + name_of(kind), seed));
    // What is normalized: a large mean in three cases of four, any values in the fourth.
    const bool offset = spec.holds == meaning::normalized && seed % 4 != 0;
    mixture ordinary(spec, seed);
    const bool extreme = kind == fill::adversarial && overflows_sums(spec);
    std::vector<std::size_t> adversarial;
    for (double &value : result.values) {
        const bool mixed_in = kind == fill::adversarial && ordinary.is_ordinary(spec.shape);
        if (!mixed_in) adversarial.push_back(std::size_t(&value - result.values.data()));
        ordinary.advance(spec.shape);
        if (spec.has_constant)
            value = spec.constant;
        else if (spec.holds == meaning::condition)
            value = condition_value(random);
        else if (extreme)
            value = highest_of(spec.type) - random.between(0, 1);
        else if (spec.reach > 0 && !is_integer(spec.type))
            value = value_within(spec.reach, mixed_in ? fill::random : kind, random);
        else if (kind == fill::exact)
            value = exact_or_one(spec, random);
        else if (kind == fill::random || mixed_in)
            value = random_value(spec, random);
        else if (offset)
            value = offset_value(spec, random);
        else
            value = adversarial_value(spec, random);
        value = round_to(spec.type, value);
    }
    if (kind == fill::adversarial) add_nonfinite(spec, random, seed, adversarial, result.values);
    for (std::size_t i = 0; i < spec.stored.size(); ++i)
        if (!spec.stored[i]) result.values[i] = 0;
    return result;
}

} // namespace conformance
