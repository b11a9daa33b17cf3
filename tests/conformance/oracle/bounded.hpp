// SPDX-License-Identifier: Apache-2.0
// Numbers with a bound on the error that f32 arithmetic may have made, for oracles of long chains
// of operations (doc/numerics.md, "How a result is judged"). First-order propagation; every
// operation adds its own rounding.
#pragma once

#include "oracle/interval.hpp"

#include <vector>

namespace conformance {

/// A number and a bound on the legitimate deviation from it. An infinite bound leaves the result
/// open: f32 may have overflowed, or an infinity met what may be zero. Infinities and NaN without a
/// bound are certain.
struct bounded {
    double value = 0, error = 0;
    bounded() = default;
    bounded(double exact) : value(exact) {}
    bounded(double v, double e) : value(v), error(e) {}
};

bounded operator+(const bounded &a, const bounded &b);
bounded operator-(const bounded &a, const bounded &b);
bounded operator*(const bounded &a, const bounded &b);

/// The functions of gates, within 2 ulp.
bounded logistic(const bounded &x);
bounded tangent(const bounded &x);
/// x for positive x, else alpha * x; and its derivative.
bounded leaky(const bounded &x, double alpha);
bounded leaky_slope(const bounded &x, double alpha);

/// x where it may have been stored in `type` and read back.
bounded held(const bounded &x, data_type type);

/// RN(x * scale + shift), saturated to the integer type: one value where the bound allows only one.
bounded quantized_to(const bounded &x, data_type type, double scale, double shift);

/// The interval that the last rounding is applied to.
interval interval_of(const bounded &x);

/// A sum of products: exact value, sum of magnitudes, errors of the factors.
class bounded_sum {
  public:
    /// Factors and partial sums smaller than `vanishing` may count as zero.
    explicit bounded_sum(double vanishing = 0) : vanishing_(vanishing) {}
    void add(const bounded &a, const bounded &b);
    /// Sum in f32, in any order.
    bounded in_f32() const;
    /// Sum of integers in s32: no rounding.
    bounded in_s32() const { return {exact_.value(), error_}; }
    double magnitude() const { return exact_.magnitude(); }

  private:
    bounded flushed(const bounded &x) const;

    accumulator exact_;
    double error_ = 0, vanishing_;
};

using bounded_row = std::vector<bounded>;

} // namespace conformance
