// SPDX-License-Identifier: Apache-2.0
// Zero points are numbers of 32 bits that an execution brings. Kernels are made for those that are
// values of a byte; with others the padding of an image and sums in s32 may hold wrong numbers.
// The reference row takes over such an execution.
#pragma once

#include "common/plan/nested_plan.hpp"

namespace dnnl::impl::cpu {

/// True where u8 or s8, whichever the type is, has this value.
bool is_byte(data_type type, s32 value);

/// A plan of the reference row, for single executions that the kernels cannot take.
class zero_point_reference {
  public:
    zero_point_reference() = default; ///< none
    /// Of the problem with the layouts that it has by now.
    explicit zero_point_reference(problem &p) : plan_(p, p.op, p.attr, isa::none) {}

    explicit operator bool() const { return static_cast<bool>(plan_); }
    const char *why_not() const { return plan_.why_not(); }
    /// Says once that the zero point of this argument is why, where ONEDNN_VERBOSE asks for checks.
    void execute(const exec_context &ctx, int arg = DNNL_ARG_SRC) const;

  private:
    nested_plan plan_;
};

/// Tells the executions of a product of bytes whose sums s32 surely holds: those with
///     length * max |src - its zero points| * max |weights - their zero points| < 2^31.
class zero_points_guard {
  public:
    zero_points_guard() = default; ///< all
    /// length: of sums that are added up in s32. a and b: the types that are multiplied.
    zero_points_guard(problem &p, data_type a, data_type b, dim_t length);

    const char *why_not() const { return reads_values_ ? reference_.why_not() : nullptr; }
    /// Computes the result by the reference and returns true where s32 need not hold what the zero
    /// points make of the sums; else returns false.
    bool executes(const exec_context &ctx) const;

  private:
    /// src or weights: the bounds of its values and, as far as the type tells, of its zero points.
    struct operand {
        int arg;
        double least, largest;
        data_type zero_points = data_type::undef;
    };
    double reach_of(const operand &o, const exec_context *ctx) const;

    operand operands_[2] {};
    double length_ = 0;
    bool reads_values_ = false;
    zero_point_reference reference_;
};

} // namespace dnnl::impl::cpu
