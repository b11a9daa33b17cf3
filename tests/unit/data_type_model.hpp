// SPDX-License-Identifier: Apache-2.0
// A model of the element types for their tests: the list of all values in exact long double
// arithmetic, and the nearest entry of that list. It shares nothing with the library's conversions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/layout/data_type.hpp"

namespace data_type_model {

using dnnl::impl::data_type;

/// A non-negative value and its code, in increasing order.
struct entry {
    long double value;
    std::uint32_t code;
};

/// The f32 bit patterns (without sign) up to `last` that become `code`.
struct step {
    std::uint32_t last, code;
};

/// What the codes with the largest exponent mean.
enum class specials { infinity_and_nan, one_nan, none };

/// One element type. Integers of up to 8 bits, floats with a sign, and e8m0.
class format {
  public:
    /// Floats; e8m0 has no mantissa and no sign.
    format(data_type t, int exponent_bits, int mantissa_bits, int bias, specials s)
        : type(t), exponent_bits_(exponent_bits), mantissa_bits_(mantissa_bits), bias_(bias),
          specials_(s) {
        const bool has_sign = t != data_type::e8m0;
        sign_bit_ = has_sign ? 1u << (exponent_bits + mantissa_bits) : 0;
        codes_ = 1u << (exponent_bits + mantissa_bits + has_sign);
        const std::uint32_t positive = has_sign ? sign_bit_ : codes_;
        for (std::uint32_t code = 0; code < positive && std::isfinite(value(code)); ++code)
            grid_.push_back({value(code), code});
        largest_ = grid_.back().code;
        // What lies beyond, so that overflow begins where rounding would reach it.
        grid_.push_back({2 * grid_.back().value - grid_[grid_.size() - 2].value, largest_ + 1});
        if (mantissa_bits == 0) grid_.back().value = 2 * grid_[grid_.size() - 2].value;
    }
    /// Integers.
    format(data_type t, std::int64_t lowest, std::int64_t highest)
        : type(t), is_integer_(true), lowest_(lowest), highest_(highest),
          codes_(highest - lowest < 256 ? static_cast<std::uint32_t>(highest - lowest + 1) : 0) {}

    const data_type type;
    std::uint32_t codes() const { return codes_; }

    /// The value of a code.
    long double value(std::uint32_t code) const {
        if (is_integer_) {
            const auto v = static_cast<std::int64_t>(code);
            return static_cast<long double>(v > highest_ ? v - codes_ : v);
        }
        if (type == data_type::e8m0)
            return code == 255 ? NAN : std::ldexp(1.0L, static_cast<int>(code) - bias_);
        const int exponent = static_cast<int>(code >> mantissa_bits_) & ((1 << exponent_bits_) - 1);
        const auto mantissa = static_cast<int>(code & ((1u << mantissa_bits_) - 1));
        const bool top = exponent == (1 << exponent_bits_) - 1;
        const int hidden = exponent ? 1 << mantissa_bits_ : 0;
        long double size = std::ldexp(static_cast<long double>(mantissa + hidden),
            std::max(exponent, 1) - bias_ - mantissa_bits_);
        if (specials_ == specials::infinity_and_nan && top) size = mantissa ? NAN : INFINITY;
        if (specials_ == specials::one_nan && top && mantissa == (1 << mantissa_bits_) - 1)
            size = NAN;
        return code & sign_bit_ ? -size : size;
    }

    /// The code of the nearest value; of a NaN code, one of them.
    std::uint32_t narrowed(long double x) const {
        if (is_integer_) return integer_code(x);
        if (type == data_type::e8m0) return exponent_code(x);
        const std::uint32_t sign = std::signbit(x) ? sign_bit_ : 0;
        if (std::isnan(x)) return specials_ == specials::none ? sign | largest_ : nan_code();
        const std::uint32_t code = nearest(std::fabs(x));
        return sign | (code > largest_ ? overflow_code() : code);
    }
    bool is_expected(std::uint32_t code, long double x) const {
        const std::uint32_t wanted = narrowed(x);
        return code == wanted || (!is_integer_ && std::isnan(value(wanted)) && code < codes_ &&
                                     std::isnan(value(code)));
    }

    /// f32 values half way between neighbours.
    std::vector<float> ties() const {
        std::vector<float> result;
        for (std::int64_t i = 0; is_integer_ && i < std::min<std::int64_t>(highest_ + 2, 300); ++i)
            result.push_back(static_cast<float>(i) + 0.5f);
        for (std::size_t i = 1; i < grid_.size(); ++i)
            result.push_back(static_cast<float>((grid_[i - 1].value + grid_[i].value) / 2));
        return result;
    }

    /// All steps of f32 values of one sign, from 0 to infinity. For types narrower than f32.
    std::vector<step> steps(bool negative) const {
        std::vector<step> result;
        for (const float tie : ties()) {
            const auto bits = std::bit_cast<std::uint32_t>(tie);
            const float below = std::bit_cast<float>(bits - 1);
            const std::uint32_t code = narrowed(negative ? -below : below);
            const bool with_tie = narrowed(negative ? -tie : tie) == code;
            result.push_back({with_tie ? bits : bits - 1, code});
        }
        result.push_back({0x7f800000, narrowed(negative ? -INFINITY : INFINITY)});
        return result;
    }

  private:
    std::uint32_t nan_code() const {
        return specials_ == specials::one_nan ? sign_bit_ - 1 : largest_ + 2;
    }
    std::uint32_t overflow_code() const {
        return specials_ == specials::none ? largest_ : largest_ + 1;
    }
    /// Of the list; the even code when two are equally near.
    std::uint32_t nearest(long double size) const {
        const auto above = std::lower_bound(grid_.begin(), grid_.end(), size,
            [](const entry &e, long double x) { return e.value < x; });
        if (above == grid_.end()) return grid_.back().code;
        if (above == grid_.begin()) return above->code;
        const auto below = above - 1;
        const long double up = above->value - size, down = size - below->value;
        if (up == down) return above->code % 2 ? below->code : above->code;
        return up < down ? above->code : below->code;
    }
    /// The largest power of two that is not above the magnitude; 2^-127 stands for all below
    /// 2^-126.
    std::uint32_t exponent_code(long double x) const {
        const long double size = std::fabs(x);
        if (!std::isfinite(size)) return 255;
        std::uint32_t code = 0;
        while (code < 254 && value(code + 1) <= size) ++code;
        return code;
    }
    std::uint32_t integer_code(long double x) const {
        if (std::isnan(x)) return 0;
        const long double inside = std::clamp<long double>(x, lowest_, highest_);
        auto whole = static_cast<std::int64_t>(std::floor(inside));
        const long double rest = inside - static_cast<long double>(whole);
        whole += rest > 0.5L || (rest == 0.5L && whole % 2 != 0);
        const std::uint32_t bits = codes_ ? codes_ - 1 : 0xffffffff;
        return static_cast<std::uint32_t>(whole) & bits;
    }

    int exponent_bits_ = 0, mantissa_bits_ = 0, bias_ = 0;
    specials specials_ = specials::none;
    bool is_integer_ = false;
    std::int64_t lowest_ = 0, highest_ = 0;
    std::uint32_t codes_ = 0, sign_bit_ = 0, largest_ = 0;
    std::vector<entry> grid_;
};

/// Every type of at most 16 bits.
inline const std::vector<format> &small_formats() {
    static const std::vector<format> formats = {
        {data_type::bf16, 8, 7, 127, specials::infinity_and_nan},
        {data_type::f16, 5, 10, 15, specials::infinity_and_nan},
        {data_type::f8_e5m2, 5, 2, 15, specials::infinity_and_nan},
        {data_type::f8_e4m3, 4, 3, 7, specials::one_nan},
        {data_type::f4_e2m1, 2, 1, 1, specials::none},
        {data_type::e8m0, 8, 0, 127, specials::one_nan},
        {data_type::s8, -128, 127},
        {data_type::u8, 0, 255},
        {data_type::s4, -8, 7},
        {data_type::u4, 0, 15},
    };
    return formats;
}

/// These and s32, whose codes are too many to list.
inline const std::vector<format> &all_formats() {
    static const std::vector<format> formats = [] {
        std::vector<format> list = small_formats();
        list.push_back({data_type::s32, INT32_MIN, INT32_MAX});
        return list;
    }();
    return formats;
}

inline const format &format_of(data_type type) {
    return *std::find_if(all_formats().begin(), all_formats().end(),
        [&](const format &f) { return f.type == type; });
}

} // namespace data_type_model
