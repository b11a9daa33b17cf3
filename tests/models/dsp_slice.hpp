// SPDX-License-Identifier: Apache-2.0
// A multiplier slice of a programmable device, bit by bit: a pre-adder of 27 bits, a signed
// multiplier of 27 x 18 bits and an accumulator of 48 bits (Xilinx DSP48E2), and two products of
// bytes in one of its multiplications (WP486).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace models {

/// `value` as a two's-complement number of so many bits.
constexpr std::int64_t wrapped(std::int64_t value, int bits) {
    const std::uint64_t shifted = static_cast<std::uint64_t>(value) << (64 - bits);
    return static_cast<std::int64_t>(shifted) >> (64 - bits);
}

class dsp_slice {
  public:
    static constexpr int wide_bits = 27, narrow_bits = 18, sum_bits = 48;

    /// P = P + (a + d) c. `a` and `d` enter the pre-adder, `c` the narrow port.
    void multiply_add(std::int64_t a, std::int64_t d, std::int64_t c) {
        const std::int64_t wide = wrapped(a + d, wide_bits);
        const std::int64_t sum = sum_ + wide * wrapped(c, narrow_bits);
        overflowed_ = overflowed_ || wide != a + d || wrapped(c, narrow_bits) != c ||
                      wrapped(sum, sum_bits) != sum;
        sum_ = wrapped(sum, sum_bits);
        ++multiplications_;
    }

    std::int64_t sum() const { return sum_; }
    void load(std::int64_t sum) { sum_ = wrapped(sum, sum_bits); }
    /// Whether a number left its port or the accumulator.
    bool overflowed() const { return overflowed_; }
    std::int64_t multiplications() const { return multiplications_; }

  private:
    std::int64_t sum_ = 0, multiplications_ = 0;
    bool overflowed_ = false;
};

/// The two sums of an accumulator whose upper one begins at bit `shift`: the lower one is signed,
/// and where it is below zero it has borrowed one from the upper one.
constexpr std::pair<std::int64_t, std::int64_t> split_sums(std::int64_t sum, int shift) {
    const std::int64_t low = wrapped(sum, shift);
    return {(sum - low) >> shift, low};
}

/// Both operands of a product and the field that sums of it lie in.
struct packed_field {
    int a_low, a_high, b_low, b_high; // the ranges of the factors
    int bits;                         // of the field, signed

    /// How many products always fit, whatever the operands are.
    constexpr std::int64_t safe_products() const {
        std::int64_t least = 0, most = 0;
        for (const int a : {a_low, a_high})
            for (const int b : {b_low, b_high}) {
                const std::int64_t product = std::int64_t(a) * b;
                least = product < least ? product : least;
                most = product > most ? product : most;
            }
        const std::int64_t half = std::int64_t(1) << (bits - 1);
        const std::int64_t above = most > 0 ? (half - 1) / most : half;
        const std::int64_t below = least < 0 ? half / -least : half;
        return above < below ? above : below;
    }
};

/// Sums of a[i] c[i] and b[i] c[i] over a chain of slices: groups of `group` products, each split
/// and added to wide sums by one more slice.
struct chain_result {
    std::int64_t a_sum = 0, b_sum = 0;
    std::int64_t slices = 0;
    bool overflowed = false;
};
inline chain_result dsp_chain(const std::vector<int> &a, const std::vector<int> &b,
    const std::vector<int> &c, int group, int shift = 18) {
    chain_result found;
    dsp_slice slice;
    for (std::size_t i = 0; i < c.size(); ++i) {
        slice.multiply_add(std::int64_t(a[i]) * (std::int64_t(1) << shift), b[i], c[i]);
        ++found.slices;
        if ((i + 1) % std::size_t(group) != 0 && i + 1 < c.size()) continue;
        const auto [upper, lower] = split_sums(slice.sum(), shift);
        found.a_sum += upper;
        found.b_sum += lower;
        slice.load(0);
        ++found.slices;
    }
    found.overflowed = slice.overflowed();
    return found;
}

/// 64 multiply-accumulations at a time from logic alone: bit i of a number lies in word i, one lane
/// a bit. Sums are kept as two numbers, sum and carry, so that no carry runs through the word.
class logic_multiplier {
  public:
    static constexpr int sum_bits = 32;

    /// Adds a[lane] x b[lane], signed bytes as bit planes.
    void multiply_add(const std::uint64_t (&a)[8], const std::uint64_t (&b)[8]) {
        for (int j = 0; j < 8; ++j) {
            // The last bit of b counts -2^7: its row is subtracted, as its complement plus one.
            const bool negative = j == 7;
            std::uint64_t row[sum_bits] {};
            for (int i = j; i < sum_bits; ++i) {
                const std::uint64_t bit = a[i - j < 8 ? i - j : 7] & b[j]; // sign-extended
                row[i] = negative ? bit ^ b[j] : bit;
            }
            add(row);
            if (!negative) continue;
            std::uint64_t one[sum_bits] {};
            one[7] = b[7];
            add(one);
        }
    }

    std::int32_t lane(int l) const {
        std::uint32_t sum = 0, carry = 0;
        for (int i = 0; i < sum_bits; ++i) {
            sum |= static_cast<std::uint32_t>((sum_[i] >> l) & 1) << i;
            carry |= static_cast<std::uint32_t>((carry_[i] >> l) & 1) << i;
        }
        return static_cast<std::int32_t>(sum + carry);
    }

  private:
    void add(const std::uint64_t (&row)[sum_bits]) {
        std::uint64_t carried = 0;
        for (int i = 0; i < sum_bits; ++i) {
            const std::uint64_t x = sum_[i], y = carry_[i], z = row[i];
            const std::uint64_t next = (x & y) | (x & z) | (y & z);
            sum_[i] = x ^ y ^ z;
            carry_[i] = carried;
            carried = next;
        }
    }

    std::uint64_t sum_[sum_bits] {}, carry_[sum_bits] {};
};

} // namespace models
