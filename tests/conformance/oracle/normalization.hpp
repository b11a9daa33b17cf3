// SPDX-License-Identifier: Apache-2.0
// What the oracles of batch, layer and group normalization share: which
// elements share a statistic, the formulas, and the bounds of doc/numerics.md.
#pragma once

#include "oracle/problem.hpp"

namespace conformance {

/// N, C and the spatial dimensions of a problem in descriptor form.
dims image_of(const test_case &c);

/// The epsilon of a problem in descriptor form; 1/16 unless it is given.
double epsilon_of(const test_case &c);

/// Magnitudes from here on overflow in f32 somewhere on the way.
constexpr double too_large = 1e37;

/// Half of it is the rounding error of results near zero, in f32.
constexpr double smallest_f32 = 1.4012984643248171e-45;

inline bool is_exact_f32(double x) { return x - x == 0 && is_f32(x); }

/// What the specification or the range of f32 leaves open.
inline interval everything() {
    interval x;
    x.any_allowed = true;
    return x;
}

/// The layouts and types of a case.
struct normalization_tensors {
    data_type src_type, dst_type, vector_type; // vector_type: of scale and shift
    std::string src_tag, dst_tag, statistics_tag;
    std::string src_strides, dst_strides;
};

class normalization_problem : public test_problem {
  public:
    expectation_map expected(const tensor_map &in) const override;

  protected:
    /// `box`: the extents of the elements that share a statistic; scale and shift run along
    /// `channel`.
    struct geometry {
        dims shape, box, statistics_shape;
        std::size_t channel;
    };
    normalization_problem(const test_case &c, geometry g, double epsilon);

    /// Adds all tensors; the shift is passed to forward operations only.
    void add_tensors(const normalization_tensors &what);
    bool has(char flag) const { return flags_.find(flag) != std::string::npos; }
    bool has_gradients_of_vectors() const { return line["dir"] == "BWD_DW"; }
    dnnl::prop_kind prop() const;
    dnnl::normalization_flags flags() const;

    const bool forward_;
    const std::string flags_;
    const geometry geometry_;
    const double epsilon_;

  private:
    /// A statistic's mean and variance, with the bounds of their errors.
    struct statistic {
        double mean = 0, mean_bound = 0, variance = 0, variance_bound = 0;
        bool exact = true, open = false, nan = false;
    };
    std::vector<statistic> computed_statistics(const std::vector<double> &src) const;
    std::vector<statistic> given_statistics(const tensor_map &in) const;
    interval normalized(double x, const statistic &s) const;
    interval forward_value(
        std::size_t element, double x, const statistic &s, const tensor_map &in) const;
    void forward(const tensor_map &in, expectation_map &out) const;
    /// 1: the relu passed, 0: it did not, -1: rounding decides.
    std::vector<int> passed_by_relu(const tensor_map &in) const;
    double vector_value(
        const tensor_map &in, int argument, std::size_t element, double missing) const;

    /// d and z of an element: diff_dst behind the relu, and the normalized src.
    struct gradient_term {
        interval z;
        double d, scaled; // scaled: scale * d
        bool sure, lost;  // sure: the relu decided exactly; lost: z or a product overflows
    };
    struct gradient_sums;
    gradient_term term_of(std::size_t element, const tensor_map &in,
        const std::vector<statistic> &statistics, const std::vector<int> &passed) const;
    gradient_sums sums_of(const std::vector<gradient_term> &terms) const;
    interval source_gradient(std::size_t element, const gradient_term &term, double deviation,
        const gradient_sums &sums) const;
    void backward(const tensor_map &in, expectation_map &out) const;

    std::vector<std::size_t> statistic_of_, channel_of_; // of each element
    std::size_t statistics_ = 0, channels_ = 0;
    double size_ = 0; // elements per statistic
};

} // namespace conformance
