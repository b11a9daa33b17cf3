// SPDX-License-Identifier: Apache-2.0
// A small generator of random numbers that gives the same sequence with every compiler and library.
#pragma once

#include <cmath>
#include <cstdint>

namespace examples {

/// SplitMix64: 64 bits of state, period 2^64.
class random_source {
  public:
    explicit random_source(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, 1): 53 random bits.
    double unit() { return static_cast<double>(bits() >> 11) / 9007199254740992.0; }
    double uniform(double low, double high) { return low + (high - low) * unit(); }

    /// Uniform in 0 ... count-1.
    int below(int count) { return static_cast<int>(unit() * count); }

    /// Standard normal distribution, by the method of Box and Muller.
    double normal() {
        constexpr double two_pi = 6.283185307179586;
        return std::sqrt(-2 * std::log(1 - unit())) * std::cos(two_pi * unit());
    }

  private:
    std::uint64_t state_;
};

} // namespace examples
