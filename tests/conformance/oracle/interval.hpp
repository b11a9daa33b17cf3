// SPDX-License-Identifier: Apache-2.0
// What a conforming result may be: the exact real value with the interval of legitimate
// pre-rounding results (doc/numerics.md, "How a result is judged"), and the arithmetic that
// propagates it.
#pragma once

#include "language/number.hpp"

#include <cstdint>

namespace conformance {

/// Unit roundoff of f32.
constexpr double u32 = 1.0 / (1 << 24);

/// [low, high] contains every legitimate value before the final rounding; value is exact.
/// The operations below take values that have not been rounded to f32 yet: rounding is added by
/// the next operation, or by judge() when the destination is not f32.
struct interval {
    double low = 0, value = 0, high = 0;
    bool integer = false;     // held in s32: never passes through f32
    bool nan_allowed = false; // a NaN is as good (max and min with a NaN operand)
    bool any_allowed = false; // the specification leaves this element open

    interval() = default;
    interval(double exact) : low(exact), value(exact), high(exact) {}
    interval(double exact, double bound) : low(exact - bound), value(exact), high(exact + bound) {}
};

/// True where a result must have this value.
inline bool is_exact(const interval &x) { return x.low == x.value && x.value == x.high; }

/// The same value held exactly in s32.
interval exact_integer(double value);

/// Adds the rounding to f32, unless the value is exact in f32.
interval rounded_to_f32(const interval &x);

/// Widens both ends by `bound` >= 0.
interval widened(const interval &x, double bound);

interval add(const interval &a, const interval &b);
interval subtract(const interval &a, const interval &b);
interval multiply(const interval &a, const interval &b);
interval divide(const interval &a, const interval &b);
/// What either of two ways to compute a value allows.
interval united(const interval &a, const interval &b);
interval maximum(const interval &a, const interval &b);
interval minimum(const interval &a, const interval &b);

/// A sum of products in f32 (or s32): exact value, sum of magnitudes and count.
class accumulator {
  public:
    void add(double product) {
        sum_ += product;
        magnitude_ += product < 0 ? -product : product;
        const double sixteenths = product * 16;
        exact_ &= sixteenths > -1e15 && sixteenths < 1e15 &&
                  double(std::int64_t(sixteenths)) == sixteenths;
        ++count_;
    }
    /// Sum in f32, in any order: the bound c(K) u A of doc/numerics.md. Sums of sixteenths below
    /// 2^20 are exact.
    interval in_f32() const;
    /// Sum in s32: exact.
    interval in_s32() const { return exact_integer(sum_); }
    double value() const { return sum_; }
    double magnitude() const { return magnitude_; }
    std::int64_t count() const { return count_; }
    /// True if f32 holds every partial sum exactly.
    bool is_exact() const { return exact_ && magnitude_ <= double(1 << 20); }

  private:
    double sum_ = 0, magnitude_ = 0;
    std::int64_t count_ = 0;
    bool exact_ = true;
};

/// c(K) of doc/numerics.md ("How a result is judged").
double error_growth(double count);

/// True if every number that `type` has would conform.
bool leaves_open(data_type type, const interval &expected);

/// True if `got`, an element of `type`, is a conforming result.
bool conforms(data_type type, const interval &expected, double got);

} // namespace conformance
