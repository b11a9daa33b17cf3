// SPDX-License-Identifier: Apache-2.0
// Operations of two and more tensors element by element, with numpy's broadcasting.
#include "elementwise.hpp"
#include "tables.hpp"

#include <cmath>
#include <cstring>

namespace dnnl_onnx {

namespace {

/// One type for both inputs and the result.
template <class F> host_step operation_of(op_context &c, F function) {
    const element_type type = c.in(0).type;
    if (c.in(1).type != type)
        c.fail("its inputs have the types " + std::string(name_of(type)) + " and " +
               name_of(c.in(1).type));
    c.output(0, type, broadcast(c, c.dims(0), c.dims(1)));
    return [type, function](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (!std::is_same_v<T, bool>)
                map_pairs<T, T>(in[0], in[1], out[0],
                    [&](auto x, auto y) { return arithmetic_type<T>(function(x, y)); });
        });
    };
}

template <class F> host_step comparison(op_context &c, F function) {
    const element_type type = c.in(0).type;
    if (c.in(1).type != type) c.fail("its inputs have different types");
    c.output(0, element_type::boolean, broadcast(c, c.dims(0), c.dims(1)));
    return [type, function](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            map_pairs<T, bool>(in[0], in[1], out[0], function);
        });
    };
}

template <class F> host_step logical(op_context &c, F function) {
    if (c.in(0).type != element_type::boolean || c.in(1).type != element_type::boolean)
        c.fail("its inputs are no conditions");
    c.output(0, element_type::boolean, broadcast(c, c.dims(0), c.dims(1)));
    return
        [function](views in, views out) { map_pairs<bool, bool>(in[0], in[1], out[0], function); };
}

host_step add(op_context &c) {
    return operation_of(c, [](auto x, auto y) { return sum_of(x, y); });
}
host_step subtract(op_context &c) {
    return operation_of(c, [](auto x, auto y) { return difference_of(x, y); });
}
host_step multiply(op_context &c) {
    return operation_of(c, [](auto x, auto y) { return product_of(x, y); });
}

/// By which a signed integer may be divided into a number that its type does not hold.
template <class A> constexpr bool is_minus_one(A y) { return std::is_signed_v<A> && y == A(-1); }

/// Integers are cut towards 0; a division of an integer by 0 gives 0.
host_step divide(op_context &c) {
    return operation_of(c, [](auto x, auto y) {
        using A = decltype(x);
        if constexpr (std::is_integral_v<A>)
            return y == 0 ? A(0) : is_minus_one(y) ? difference_of(A(0), x) : A(x / y);
        else
            return x / y;
    });
}

/// The sign is the divisor's, as in Python, or with fmod the dividend's, as in C.
host_step modulo(op_context &c) {
    const bool fmod = c.integer("fmod", 0) != 0;
    return operation_of(c, [fmod](auto x, auto y) {
        using A = decltype(x);
        if constexpr (std::is_integral_v<A>) {
            if (y == 0 || is_minus_one(y)) return A(0);
            const A rest = A(x % y);
            return !fmod && rest != 0 && (rest < 0) != (y < 0) ? A(rest + y) : rest;
        } else {
            const A rest = std::fmod(x, y);
            return !fmod && rest != 0 && (rest < 0) != (y < 0) ? A(rest + y) : rest;
        }
    });
}

/// The exponent may have another type; the result has the base's.
host_step power(op_context &c) {
    const element_type type = c.in(0).type, exponents = c.in(1).type;
    c.output(0, type, broadcast(c, c.dims(0), c.dims(1)));
    return [type, exponents](views in, views out) {
        const extents &dims = out[0].dims();
        const std::array strides {strides_of(dims), broadcast_strides(in[0].dims(), dims),
            broadcast_strides(in[1].dims(), dims)};
        tensor converted(element_type::f64, in[1].dims());
        with_number(exponents, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < converted.count(); ++i)
                converted.data<double>()[i] = double(arithmetic_type<T>(in[1].data<T>()[i]));
        });
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for_each_offset(dims, strides, [&](auto at, auto i, auto j) {
                const double base = double(arithmetic_type<T>(in[0].data<T>()[i]));
                out[0].data<T>()[at] =
                    T(number_as<arithmetic_type<T>>(std::pow(base, converted.data<double>()[j])));
            });
        });
    };
}

/// Any number of inputs of one type: the function folds them, from the left.
template <class F> host_step folded(op_context &c, F function, bool mean = false) {
    const element_type type = c.in(0).type;
    extents to = c.dims(0);
    for (std::size_t i = 1; i < c.input_count(); ++i) {
        if (c.in(i).type != type) c.fail("its inputs have different types");
        to = broadcast(c, to, c.dims(i));
    }
    c.output(0, type, to);
    return [type, function, mean](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            using A = arithmetic_type<T>;
            if constexpr (!std::is_same_v<T, bool>) {
                const extents &dims = out[0].dims();
                T *to = out[0].data<T>();
                for (std::size_t k = 0; k < in.size(); ++k) {
                    const std::array strides {
                        strides_of(dims), broadcast_strides(in[k].dims(), dims)};
                    for_each_offset(dims, strides, [&](auto at, auto from) {
                        const T x = in[k].template data<T>()[from];
                        to[at] = k == 0 ? x : T(A(function(A(to[at]), A(x))));
                    });
                }
                if (mean)
                    for (std::int64_t i = 0; i < out[0].count(); ++i)
                        to[i] = T(A(mean_of(A(to[i]), std::int64_t(in.size()))));
            }
        });
    };
}

// A NaN on either side is the result.
host_step maximum(op_context &c) {
    return folded(c, [](auto x, auto y) { return y > x || y != y ? y : x; });
}
host_step minimum(op_context &c) {
    return folded(c, [](auto x, auto y) { return y < x || y != y ? y : x; });
}
host_step sum(op_context &c) {
    return folded(c, [](auto x, auto y) { return sum_of(x, y); });
}
host_step mean(op_context &c) {
    return folded(
        c, [](auto x, auto y) { return sum_of(x, y); }, true);
}

host_step equal(op_context &c) {
    return comparison(c, [](auto x, auto y) { return x == y; });
}
host_step less(op_context &c) {
    return comparison(c, [](auto x, auto y) { return x < y; });
}
host_step less_or_equal(op_context &c) {
    return comparison(c, [](auto x, auto y) { return x <= y; });
}
host_step greater(op_context &c) {
    return comparison(c, [](auto x, auto y) { return x > y; });
}
host_step greater_or_equal(op_context &c) {
    return comparison(c, [](auto x, auto y) { return x >= y; });
}
host_step logical_and(op_context &c) {
    return logical(c, [](bool x, bool y) { return x && y; });
}
host_step logical_or(op_context &c) {
    return logical(c, [](bool x, bool y) { return x || y; });
}
host_step logical_xor(op_context &c) {
    return logical(c, [](bool x, bool y) { return x != y; });
}

host_step bit_shift(op_context &c) {
    const bool left = c.text("direction", "") == "LEFT";
    return operation_of(c, [left](auto x, auto y) {
        using A = decltype(x);
        if constexpr (std::is_integral_v<A>) {
            if (std::size_t(y) >= 8 * sizeof(A)) return A(0);
            return left ? A(x << y) : A(x >> y);
        } else {
            return x;
        }
    });
}

host_step prelu(op_context &c) {
    if (broadcast(c, c.dims(0), c.dims(1)) != c.dims(0)) c.fail("its slopes do not fit");
    return operation_of(c, [](auto x, auto slope) { return x < 0 ? slope * x : x; });
}

/// 1 with the probability that the input tells.
host_step bernoulli(op_context &c) {
    const auto type = element_type(c.integer("dtype", std::int64_t(c.in(0).type)));
    const element_type from = c.in(0).type;
    c.output(0, type, c.dims(0));
    const auto seed =
        c.has_attribute("seed") ? std::bit_cast<std::uint32_t>(c.number("seed", 0)) : 1;
    return [type, from, seed](views in, views out) {
        std::uint64_t state = seed;
        std::vector<double> p;
        with_number(from, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < in[0].count(); ++i)
                p.push_back(double(arithmetic_type<T>(in[0].data<T>()[i])));
        });
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < out[0].count(); ++i) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                out[0].data<T>()[i] = T(arithmetic_type<T>(double(state >> 11) * 0x1p-53 < p[i]));
            }
        });
    };
}

} // namespace

operator_table arithmetic_operators() {
    static const operator_entry table[] = {
        {"Add", add},
        {"And", logical_and},
        {"Bernoulli", bernoulli},
        {"BitShift", bit_shift},
        {"Div", divide},
        {"Equal", equal},
        {"Greater", greater},
        {"GreaterOrEqual", greater_or_equal},
        {"Less", less},
        {"LessOrEqual", less_or_equal},
        {"Max", maximum},
        {"Mean", mean},
        {"Min", minimum},
        {"Mod", modulo},
        {"Mul", multiply},
        {"Or", logical_or},
        {"PRelu", prelu},
        {"Pow", power},
        {"Sub", subtract},
        {"Sum", sum},
        {"Xor", logical_xor},
    };
    return table;
}

} // namespace dnnl_onnx
