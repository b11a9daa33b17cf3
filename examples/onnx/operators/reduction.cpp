// SPDX-License-Identifier: Apache-2.0
// Sums, extremes and norms over dimensions, and what walks along one dimension.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dnnl_onnx {

namespace {

/// How a reduction begins, takes an element, and ends. Floating-point numbers are reduced in f64.
struct sum_rule {
    template <class A> static A begin() { return A(0); }
    template <class A> static A take(A so_far, A x) { return sum_of(so_far, x); }
    template <class A> static A end(A result, std::int64_t) { return result; }
};
struct mean_rule : sum_rule {
    template <class A> static A end(A result, std::int64_t count) { return mean_of(result, count); }
};
struct product_rule : sum_rule {
    template <class A> static A begin() { return A(1); }
    template <class A> static A take(A so_far, A x) { return product_of(so_far, x); }
};
struct max_rule : sum_rule {
    template <class A> static A begin() {
        return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                    : std::numeric_limits<A>::lowest();
    }
    template <class A> static A take(A so_far, A x) { return x > so_far || x != x ? x : so_far; }
};
struct min_rule : sum_rule {
    template <class A> static A begin() {
        return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                    : std::numeric_limits<A>::max();
    }
    template <class A> static A take(A so_far, A x) { return x < so_far || x != x ? x : so_far; }
};
struct l1_rule : sum_rule {
    template <class A> static A take(A so_far, A x) {
        return x < 0 ? difference_of(so_far, x) : sum_of(so_far, x);
    }
};
struct squares_rule : sum_rule {
    template <class A> static A take(A so_far, A x) { return sum_of(so_far, product_of(x, x)); }
};
struct l2_rule : squares_rule {
    template <class A> static A end(A result, std::int64_t) { return A(std::sqrt(double(result))); }
};
struct log_sum_rule : sum_rule {
    template <class A> static A end(A result, std::int64_t) { return A(std::log(double(result))); }
};

template <class Rule, class T> void reduce(views in, views out, const extents &kept) {
    using A = std::conditional_t<is_float_type<T>, double, T>;
    const extents &dims = in[0].dims();
    std::vector<A> results(std::size_t(out[0].count()), Rule::template begin<A>());
    const T *x = in[0].data<T>();
    for_each_offset(dims, std::array {strides_of(dims), broadcast_strides(kept, dims)},
        [&](auto from, auto to) {
            results[to] = Rule::take(results[to], A(arithmetic_type<T>(x[from])));
        });
    const std::int64_t each = out[0].count() ? in[0].count() / out[0].count() : 0;
    for (std::size_t i = 0; i < results.size(); ++i)
        out[0].data<T>()[i] = T(arithmetic_type<T>(Rule::end(results[i], each)));
}

/// The extents with 1 where the axes are reduced; tells the output.
extents kept_extents(op_context &c) {
    extents kept = c.dims(0), left;
    const extents axes = c.integers_at("axes", 1, {});
    std::vector<bool> reduced(kept.size(), axes.empty() && !c.integer("noop_with_empty_axes", 0));
    for (std::int64_t axis : axes) reduced[c.axis_of(axis, c.rank(0))] = true;
    const bool keep = c.integer("keepdims", 1) != 0;
    for (std::size_t d = 0; d < kept.size(); ++d) {
        if (reduced[d]) kept[d] = 1;
        if (!reduced[d] || keep) left.push_back(kept[d]);
    }
    c.output(0, c.in(0).type, left);
    return kept;
}

template <class Rule> host_step reduction(op_context &c) {
    const extents kept = kept_extents(c);
    const element_type type = c.in(0).type;
    return [kept, type](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (!std::is_same_v<T, bool>) reduce<Rule, T>(in, out, kept);
        });
    };
}

/// log(sum exp(x)) by way of the largest element, which no exponential of a large number passes.
host_step log_sum_exp(op_context &c) {
    const extents kept = kept_extents(c);
    const element_type type = c.in(0).type;
    return [kept, type](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (is_float_type<T>) {
                const extents &dims = in[0].dims();
                const std::array strides {strides_of(dims), broadcast_strides(kept, dims)};
                std::vector<double> largest(
                    std::size_t(out[0].count()), -std::numeric_limits<double>::infinity());
                std::vector<double> sums(largest.size(), 0);
                const auto at = [&](std::int64_t i) {
                    return double(arithmetic_type<T>(in[0].data<T>()[i]));
                };
                for_each_offset(dims, strides,
                    [&](auto i, auto to) { largest[to] = std::max(largest[to], at(i)); });
                for_each_offset(dims, strides,
                    [&](auto i, auto to) { sums[to] += std::exp(at(i) - largest[to]); });
                for (std::size_t i = 0; i < sums.size(); ++i)
                    out[0].data<T>()[i] = T(arithmetic_type<T>(largest[i] + std::log(sums[i])));
            }
        });
    };
}

/// The index of an extreme along an axis; of equal ones the first, or the last.
template <bool Largest> host_step extreme_index(op_context &c) {
    const int axis = c.axis("axis", 0, c.rank(0));
    const bool keep = c.integer("keepdims", 1) != 0, last = c.integer("select_last_index", 0) != 0;
    extents to = c.dims(0);
    if (keep)
        to[axis] = 1;
    else
        to.erase(to.begin() + axis);
    const element_type type = c.in(0).type;
    if (c.dims(0)[axis] == 0) c.fail("it looks along a dimension without elements");
    c.output(0, element_type::s64, to);
    return [axis, last, type](views in, views out) {
        const axis_view view = around(in[0].dims(), axis);
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t o = 0; o < view.outer; ++o)
                for (std::int64_t n = 0; n < view.inner; ++n) {
                    const T *x = in[0].data<T>() + o * view.extent * view.inner + n;
                    std::int64_t best = 0;
                    for (std::int64_t i = 1; i < view.extent; ++i) {
                        const arithmetic_type<T> a = x[i * view.inner], b = x[best * view.inner];
                        if ((Largest ? a > b : a < b) || (last && a == b)) best = i;
                    }
                    out[0].data<std::int64_t>()[o * view.inner + n] = best;
                }
        });
    };
}

host_step cumulative_sum(op_context &c) {
    const bool exclusive = c.integer("exclusive", 0) != 0, reverse = c.integer("reverse", 0) != 0;
    const element_type type = c.in(0).type;
    const int axis = c.axis_of(c.value(1).integers().at(0), c.rank(0));
    c.output(0, type, c.dims(0));
    return [=](views in, views out) {
        const axis_view view = around(in[0].dims(), axis);
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            using A = arithmetic_type<T>;
            if constexpr (std::is_same_v<T, bool>) return;
            for (std::int64_t o = 0; o < view.outer; ++o)
                for (std::int64_t n = 0; n < view.inner; ++n) {
                    const std::int64_t base = o * view.extent * view.inner + n;
                    A sum = A(0);
                    for (std::int64_t i = 0; i < view.extent; ++i) {
                        const std::int64_t at =
                            base + (reverse ? view.extent - 1 - i : i) * view.inner;
                        const A x = in[0].data<T>()[at];
                        out[0].data<T>()[at] = T(exclusive ? sum : sum_of(sum, x));
                        sum = sum_of(sum, x);
                    }
                }
        });
    };
}

/// 1 at the first of the largest elements, 0 elsewhere.
host_step hardmax(op_context &c) {
    const bool flat = c.opset < 13; // all dimensions from the axis on are one
    const int axis = c.axis("axis", flat ? 1 : -1, c.rank(0));
    const element_type type = c.in(0).type;
    c.output(0, type, c.dims(0));
    return [=](views in, views out) {
        axis_view view = around(in[0].dims(), axis);
        if (flat) view = {view.outer, view.extent * view.inner, 1};
        if (view.extent == 0) return;
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            std::fill_n(out[0].data<T>(), out[0].count(), T(arithmetic_type<T>(0)));
            for (std::int64_t o = 0; o < view.outer; ++o)
                for (std::int64_t n = 0; n < view.inner; ++n) {
                    const std::int64_t base = o * view.extent * view.inner + n;
                    const T *x = in[0].data<T>() + base;
                    std::int64_t best = 0;
                    for (std::int64_t i = 1; i < view.extent; ++i)
                        if (arithmetic_type<T>(x[i * view.inner]) >
                            arithmetic_type<T>(x[best * view.inner]))
                            best = i;
                    out[0].data<T>()[base + best * view.inner] = T(arithmetic_type<T>(1));
                }
        });
    };
}

/// Of a square matrix, by Gauss' elimination with the largest pivot.
double determinant(std::vector<double> a, std::int64_t n) {
    double result = 1;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t pivot = k;
        for (std::int64_t i = k + 1; i < n; ++i)
            if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
        if (a[pivot * n + k] == 0) return 0;
        if (pivot != k) {
            std::swap_ranges(a.begin() + k * n, a.begin() + (k + 1) * n, a.begin() + pivot * n);
            result = -result;
        }
        result *= a[k * n + k];
        for (std::int64_t i = k + 1; i < n; ++i) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (std::int64_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return result;
}

host_step det(op_context &c) {
    const extents &dims = c.dims(0);
    if (dims.size() < 2 || dims.back() != dims[dims.size() - 2]) c.fail("its input is not square");
    const element_type type = c.in(0).type;
    c.output(0, type, {dims.begin(), dims.end() - 2});
    return [type](views in, views out) {
        const std::int64_t n = in[0].dims().back();
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (is_float_type<T>)
                for (std::int64_t m = 0; m < out[0].count(); ++m) {
                    std::vector<double> a;
                    for (std::int64_t i = 0; i < n * n; ++i)
                        a.push_back(double(arithmetic_type<T>(in[0].data<T>()[m * n * n + i])));
                    out[0].data<T>()[m] = T(arithmetic_type<T>(determinant(a, n)));
                }
        });
    };
}

} // namespace

operator_table reduction_operators() {
    static const operator_entry table[] = {
        {"ArgMax", extreme_index<true>},
        {"ArgMin", extreme_index<false>},
        {"CumSum", cumulative_sum},
        {"Det", det},
        {"Hardmax", hardmax},
        {"ReduceL1", reduction<l1_rule>},
        {"ReduceL2", reduction<l2_rule>},
        {"ReduceLogSum", reduction<log_sum_rule>},
        {"ReduceLogSumExp", log_sum_exp},
        {"ReduceMax", reduction<max_rule>},
        {"ReduceMean", reduction<mean_rule>},
        {"ReduceMin", reduction<min_rule>},
        {"ReduceProd", reduction<product_rule>},
        {"ReduceSum", reduction<sum_rule>},
        {"ReduceSumSquare", reduction<squares_rule>},
    };
    return table;
}

} // namespace dnnl_onnx
