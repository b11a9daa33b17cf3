// SPDX-License-Identifier: Apache-2.0
// Functions of one element. Those of f32 run as primitives where the library has them; these are
// for the other types, for constants, and for functions that the library does not have.
#include "elementwise.hpp"
#include "tables.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace dnnl_onnx {

namespace {

/// A function of a number, for floating-point types alone.
template <class F> host_step float_function(op_context &c, F function) {
    const element_type type = c.in(0).type;
    if (!is_float(type)) c.fail("its input is " + text_of(c.in(0)) + " and no floating point");
    c.output(0, type, c.dims(0));
    return [type, function](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (is_float_type<T>) map_elements<T>(in, out, function);
        });
    };
}

/// A function of a number of any type.
template <class F> host_step number_function(op_context &c, F function) {
    const element_type type = c.in(0).type;
    c.output(0, type, c.dims(0));
    return [type, function](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (!std::is_same_v<T, bool>) map_elements<T>(in, out, function);
        });
    };
}

host_step absolute(op_context &c) {
    return number_function(
        c, [](auto x) { return x < decltype(x)(0) ? difference_of(decltype(x)(0), x) : x; });
}
host_step negative(op_context &c) {
    return number_function(c, [](auto x) {
        if constexpr (std::is_integral_v<decltype(x)>)
            return difference_of(decltype(x)(0), x);
        else
            return -x;
    });
}
host_step sign(op_context &c) {
    return number_function(c, [](auto x) {
        using A = decltype(x);
        return A(A(x > A(0)) - A(x < A(0)));
    });
}
host_step relu(op_context &c) {
    return number_function(c, [](auto x) { return x < decltype(x)(0) ? decltype(x)(0) : x; });
}

// Each line is a function of ONNX without attributes.
#define FUNCTION(name, expression)                                                                 \
    host_step name(op_context &c) {                                                                \
        return float_function(c, [](auto x) { return decltype(x)(expression); });                  \
    }
FUNCTION(floor_of, std::floor(x))
FUNCTION(ceil_of, std::ceil(x))
FUNCTION(round_of, std::nearbyint(x))
FUNCTION(square_root, std::sqrt(x))
FUNCTION(exponential, std::exp(x))
FUNCTION(logarithm, std::log(x))
FUNCTION(reciprocal, 1 / x)
FUNCTION(sine, std::sin(x))
FUNCTION(cosine, std::cos(x))
FUNCTION(tangent, std::tan(x))
FUNCTION(arc_sine, std::asin(x))
FUNCTION(arc_cosine, std::acos(x))
FUNCTION(arc_tangent, std::atan(x))
FUNCTION(hyperbolic_sine, std::sinh(x))
FUNCTION(hyperbolic_cosine, std::cosh(x))
FUNCTION(hyperbolic_tangent, std::tanh(x))
FUNCTION(area_sine, std::asinh(x))
FUNCTION(area_cosine, std::acosh(x))
FUNCTION(area_tangent, std::atanh(x))
FUNCTION(error_function, std::erf(x))
FUNCTION(sigmoid, 1 / (1 + std::exp(-x)))
FUNCTION(hard_swish, x *std::clamp(x / 6 + decltype(x)(0.5), decltype(x)(0), decltype(x)(1)))
FUNCTION(softplus, x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)))
FUNCTION(softsign, x / (1 + std::abs(x)))
#undef FUNCTION

host_step hard_sigmoid(op_context &c) {
    const float alpha = c.number("alpha", 0.2f), beta = c.number("beta", 0.5f);
    return float_function(c, [=](auto x) {
        using A = decltype(x);
        return std::clamp(A(alpha * x + beta), A(0), A(1));
    });
}

host_step elu(op_context &c) {
    const float alpha = c.number("alpha", 1);
    return float_function(
        c, [=](auto x) { return decltype(x)(x < 0 ? alpha * (std::exp(x) - 1) : x); });
}

host_step celu(op_context &c) {
    const float alpha = c.number("alpha", 1);
    return float_function(
        c, [=](auto x) { return decltype(x)(x < 0 ? alpha * std::expm1(x / alpha) : x); });
}

host_step selu(op_context &c) {
    const float alpha = c.number("alpha", 1.67326319f), gamma = c.number("gamma", 1.05070102f);
    return float_function(c, [=](auto x) {
        return decltype(x)(x > 0 ? gamma * x : gamma * (alpha * std::exp(x) - alpha));
    });
}

host_step leaky_relu(op_context &c) {
    const float alpha = c.number("alpha", 0.01f);
    return float_function(c, [=](auto x) { return decltype(x)(x < 0 ? alpha * x : x); });
}

host_step thresholded_relu(op_context &c) {
    const float alpha = c.number("alpha", 1);
    return float_function(c, [=](auto x) { return decltype(x)(x > alpha ? x : 0); });
}

host_step shrink(op_context &c) {
    const float bias = c.number("bias", 0), lambda = c.number("lambd", 0.5f);
    return number_function(c, [=](auto x) {
        using A = decltype(x);
        return x < -lambda ? A(x + bias) : x > lambda ? A(x - bias) : A(0);
    });
}

host_step logical_not(op_context &c) {
    c.output(0, element_type::boolean, c.dims(0));
    return [](views in, views out) { map_elements<bool>(in, out, [](bool x) { return !x; }); };
}

/// A question about each number, whose answer is a bool.
template <class F> host_step question(op_context &c, F function) {
    const element_type type = c.in(0).type;
    c.output(0, element_type::boolean, c.dims(0));
    return [type, function](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (is_float_type<T>)
                for (std::int64_t i = 0; i < out[0].count(); ++i)
                    out[0].data<bool>()[i] =
                        function(double(arithmetic_type<T>(in[0].data<T>()[i])));
        });
    };
}

host_step is_nan(op_context &c) {
    return question(c, [](double x) { return std::isnan(x); });
}

host_step is_infinite(op_context &c) {
    const bool up = c.integer("detect_positive", 1), down = c.integer("detect_negative", 1);
    return question(c, [=](double x) { return std::isinf(x) && (x > 0 ? up : down); });
}

host_step clip(op_context &c) {
    const element_type type = c.in(0).type;
    c.output(0, type, c.dims(0));
    const bool by_attribute = c.opset < 11;
    const float low = c.number("min", std::numeric_limits<float>::lowest());
    const float high = c.number("max", std::numeric_limits<float>::max());
    return [=](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            using A = arithmetic_type<T>;
            const auto bound = [&](std::size_t i, float attribute, A otherwise) {
                if (by_attribute) return A(attribute);
                return i < in.size() && in[i] ? A(*in[i].data<T>()) : otherwise;
            };
            const A least = bound(1, low, std::numeric_limits<A>::lowest());
            const A most = bound(2, high, std::numeric_limits<A>::max());
            map_elements<T>(in, out, [&](A x) { return std::min(std::max(x, least), most); });
        });
    };
}

host_step cast_to(op_context &c, element_type to) {
    const element_type from = c.in(0).type;
    if (size_of(to) == 0)
        c.not_there(std::string("there are no tensors of the type ") + name_of(to));
    c.output(0, to, c.dims(0));
    return [from, to](views in, views out) {
        with_number(from, [&](auto source) {
            with_number(to, [&](auto result) {
                using T = typename decltype(source)::type;
                using R = typename decltype(result)::type;
                const T *x = in[0].data<T>();
                R *y = out[0].data<R>();
                for (std::int64_t i = 0; i < out[0].count(); ++i)
                    y[i] = R(number_as<arithmetic_type<R>>(arithmetic_type<T>(x[i])));
            });
        });
    };
}

host_step cast(op_context &c) { return cast_to(c, element_type(*c.required("to").integer)); }
host_step cast_like(op_context &c) { return cast_to(c, c.in(1).type); }

/// In inference the identity, and a mask of ones.
host_step dropout(op_context &c) {
    c.output(0, c.in(0).type, c.dims(0));
    c.output(1, c.opset < 7 ? c.in(0).type : element_type::boolean, c.dims(0));
    const bool training = c.has(2) && c.value(2).integers().at(0);
    const double ratio = c.has(1) ? c.value(1).numbers().at(0) : 0.5;
    if (training && ratio != 0) c.not_there("it drops elements, as in training");
    return [](views in, views out) {
        std::copy_n(in[0].elements, in[0].type->bytes(), out[0].elements);
        if (out.size() > 1 && out[1]) std::fill_n(out[1].elements, out[1].count(), std::byte {1});
    };
}

/// Random numbers, in another sequence at each creation unless there is a seed.
template <class Distribution>
host_step random(op_context &c, element_type type, extents dims, Distribution distribution) {
    if (!is_float(type)) c.not_there("random numbers of the type " + std::string(name_of(type)));
    c.output(0, type, std::move(dims));
    const std::uint64_t seed = c.has_attribute("seed")
                                   ? std::bit_cast<std::uint32_t>(c.number("seed", 0))
                                   : std::random_device()();
    return [type, seed, distribution](views, views out) {
        std::mt19937_64 generator(seed);
        auto numbers = distribution;
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < out[0].count(); ++i)
                out[0].data<T>()[i] = T(arithmetic_type<T>(numbers(generator)));
        });
    };
}

element_type dtype_of(const op_context &c, element_type otherwise) {
    return element_type(c.integer("dtype", std::int64_t(otherwise)));
}

host_step random_uniform(op_context &c) {
    const bool like = c.asked.operation == "RandomUniformLike";
    return random(c, dtype_of(c, like ? c.in(0).type : element_type::f32),
        like ? c.dims(0) : c.required("shape").integers,
        std::uniform_real_distribution<double>(c.number("low", 0), c.number("high", 1)));
}

host_step random_normal(op_context &c) {
    const bool like = c.asked.operation == "RandomNormalLike";
    return random(c, dtype_of(c, like ? c.in(0).type : element_type::f32),
        like ? c.dims(0) : c.required("shape").integers,
        std::normal_distribution<double>(c.number("mean", 0), c.number("scale", 1)));
}

} // namespace

operator_table function_operators() {
    static const operator_entry table[] = {
        {"Abs", absolute},
        {"Acos", arc_cosine},
        {"Acosh", area_cosine},
        {"Asin", arc_sine},
        {"Asinh", area_sine},
        {"Atan", arc_tangent},
        {"Atanh", area_tangent},
        {"Cast", cast},
        {"CastLike", cast_like},
        {"Ceil", ceil_of},
        {"Celu", celu},
        {"Clip", clip},
        {"Cos", cosine},
        {"Cosh", hyperbolic_cosine},
        {"Dropout", dropout},
        {"Elu", elu},
        {"Erf", error_function},
        {"Exp", exponential},
        {"Floor", floor_of},
        {"HardSigmoid", hard_sigmoid},
        {"HardSwish", hard_swish},
        {"IsInf", is_infinite},
        {"IsNaN", is_nan},
        {"LeakyRelu", leaky_relu},
        {"Log", logarithm},
        {"Neg", negative},
        {"Not", logical_not},
        {"RandomNormal", random_normal},
        {"RandomNormalLike", random_normal},
        {"RandomUniform", random_uniform},
        {"RandomUniformLike", random_uniform},
        {"Reciprocal", reciprocal},
        {"Relu", relu},
        {"Round", round_of},
        {"Selu", selu},
        {"Shrink", shrink},
        {"Sigmoid", sigmoid},
        {"Sign", sign},
        {"Sin", sine},
        {"Sinh", hyperbolic_sine},
        {"Softplus", softplus},
        {"Softsign", softsign},
        {"Sqrt", square_root},
        {"Tan", tangent},
        {"Tanh", hyperbolic_tangent},
        {"ThresholdedRelu", thresholded_relu},
    };
    return table;
}

} // namespace dnnl_onnx
