// SPDX-License-Identifier: Apache-2.0
// The epilogue kernel against a scalar model of doc/epilogue.md, bit for bit where the arithmetic
// is exactly specified, and its elementary functions against f64 within the limits of
// doc/numerics.md.
#include "kernel_levels.hpp"

#include <cfloat>
#include <cmath>
#include <limits>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {
namespace {

constexpr data_type all_types[] = {
    data_type::f32, data_type::bf16, data_type::f16, data_type::s32, data_type::s8, data_type::u8};

f32 get(const void *base, dim_t i, data_type t) {
    switch (t) {
    case data_type::f32: return static_cast<const f32 *>(base)[i];
    case data_type::bf16: return bf16_to_f32(static_cast<const bf16 *>(base)[i].bits);
    case data_type::f16: return f16_to_f32(static_cast<const f16 *>(base)[i].bits);
    case data_type::s32: return static_cast<f32>(static_cast<const s32 *>(base)[i]);
    case data_type::s8: return static_cast<const s8 *>(base)[i];
    default: return static_cast<const u8 *>(base)[i];
    }
}
void put(void *base, dim_t i, data_type t, f32 x) {
    switch (t) {
    case data_type::f32: static_cast<f32 *>(base)[i] = x; break;
    case data_type::bf16: static_cast<bf16 *>(base)[i].bits = f32_to_bf16(x); break;
    case data_type::f16: static_cast<f16 *>(base)[i].bits = f32_to_f16(x); break;
    case data_type::s32: static_cast<s32 *>(base)[i] = f32_to_s32(x); break;
    case data_type::s8: static_cast<s8 *>(base)[i] = f32_to_s8(x); break;
    default: static_cast<u8 *>(base)[i] = f32_to_u8(x); break;
    }
}

f32 binary_model(algorithm alg, f32 x, f32 y) {
    switch (alg) {
    case algorithm::binary_add: return x + y;
    case algorithm::binary_mul: return x * y;
    case algorithm::binary_max: return x > y ? x : y;
    case algorithm::binary_min: return x < y ? x : y;
    case algorithm::binary_div: return x / y;
    case algorithm::binary_sub: return x - y;
    case algorithm::binary_ge: return x >= y;
    case algorithm::binary_gt: return x > y;
    case algorithm::binary_le: return x <= y;
    case algorithm::binary_lt: return x < y;
    case algorithm::binary_eq: return x == y;
    default: return x != y;
    }
}
// The algorithms whose f32 arithmetic is fixed.
f32 eltwise_model(const epilogue_step &s, f32 x) {
    switch (s.alg) {
    case algorithm::relu: return x > 0 ? x : s.alpha * x;
    case algorithm::linear: return std::fma(s.alpha, x, s.beta);
    case algorithm::square: return x * x;
    case algorithm::abs: return std::fabs(x);
    case algorithm::clip: return std::fmin(s.beta, std::fmax(s.alpha, x));
    default: return std::nearbyint(x);
    }
}

// dst from the formula, one element.
void model(const epilogue_rows_args &e, dim_t i, dim_t j) {
    const epilogue &f = *e.finish;
    const dim_t row = e.position[row_dim] + i, column = e.position[column_dim] + j;
    char *dst = static_cast<char *>(e.dst) + i * e.dst_stride_bytes;
    const char *acc = static_cast<const char *>(e.acc) + i * e.acc_stride_bytes + j * 4;
    f32 x;
    std::memcpy(&x, acc, 4);
    if (e.acc_type == data_type::s32) {
        s32 sum;
        std::memcpy(&sum, acc, 4);
        std::uint32_t wrapping = static_cast<std::uint32_t>(sum);
        if (f.compensation) wrapping -= static_cast<std::uint32_t>(f.compensation[column]);
        if (f.row_compensation)
            wrapping -= static_cast<std::uint32_t>(f.row_compensation[row]) *
                        static_cast<std::uint32_t>(f.row_factors ? f.row_factors[column] : 1);
        x = static_cast<f32>(static_cast<s32>(wrapping));
    }
    f32 scale = f.row_scales ? f.row_scales[row] : 1.0f;
    if (f.scales) scale *= f.scales[f.scale_stride * column];
    f32 bias = f.bias ? f.bias[column] : 0.0f;
    if (f.bias_operand) {
        const epilogue_step &s = *f.bias_operand;
        dim_t at = i * s.strides[row_dim] + j * s.strides[column_dim];
        for (int d = 0; d < position_rank; ++d) at += e.position[d] * s.strides[d];
        bias = get(s.operand, at, s.operand_type);
    }
    x = std::fma(x, scale, bias);
    for (int n = 0; n < f.step_count; ++n) {
        const epilogue_step &s = f.steps[n];
        dim_t at = i * s.strides[row_dim] + j * s.strides[column_dim];
        for (int d = 0; d < position_rank; ++d) at += e.position[d] * s.strides[d];
        switch (s.what) {
        case epilogue_step::kind::eltwise: x = s.scale * eltwise_model(s, x); break;
        case epilogue_step::kind::sum: {
            const f32 previous = get(dst, j, s.operand_type) - static_cast<f32>(s.zero_point);
            x = std::fma(s.scale, previous, x);
            break;
        }
        case epilogue_step::kind::binary:
            x = binary_model(s.alg, x, get(s.operand, at, s.operand_type));
            break;
        default: x = x > 0 ? x : x * get(s.operand, at, s.operand_type); break;
        }
    }
    const f32 quotient = std::fma(x, f.inverse_dst_scale, x * f.inverse_dst_scale_low);
    x = std::isnan(quotient) ? x * f.inverse_dst_scale : quotient; // of an infinity
    if (f.dst_zero_points)
        x = x + static_cast<f32>(f.dst_zero_points[f.dst_zero_point_stride * column]);
    put(dst, j, f.dst_type, x);
}

// Random small numbers in the type of each operand, so that nothing depends on NaN or overflow.
void fill(void *base, dim_t count, data_type t, numbers &random) {
    for (dim_t i = 0; i < count; ++i)
        put(base, i, t, static_cast<f32>(random.between(-60, 60)) / 4.0f);
}

// Vectors and tensors that a random epilogue refers to, sized for 40 rows and 700 columns.
struct operands {
    static constexpr dim_t rows = 40, columns = 700, tensor_size = 2 * rows * columns;
    numbers random {7};
    std::vector<s32> compensation, row_compensation, row_factors, zero_points;
    std::vector<f32> scales, row_scales, bias;
    std::vector<std::vector<char>> tensors; // one per type of all_types
    operands() {
        for (dim_t j = 0; j < columns; ++j) {
            compensation.push_back(random.between(-100000, 100000));
            row_compensation.push_back(random.between(-1000, 1000));
            row_factors.push_back(random.between(-100, 100));
            zero_points.push_back(random.between(-20, 20));
            scales.push_back(real() * 1e-3f);
            row_scales.push_back(real());
            bias.push_back(real());
        }
        for (data_type t : all_types) {
            tensors.emplace_back(4 * tensor_size);
            fill(tensors.back().data(), tensor_size, t, random);
        }
    }
    f32 real() { return static_cast<f32>(random.between(-1000, 1000)) / 77.0f; }
    bool coin() { return random.next() >> 31; }
};

epilogue_step random_step(operands &o, data_type dst_type) {
    constexpr algorithm algorithms[] = {algorithm::relu, algorithm::linear, algorithm::square,
        algorithm::abs, algorithm::clip, algorithm::round};
    epilogue_step s {};
    s.what = static_cast<epilogue_step::kind>(o.random.between(0, 3));
    s.alpha = -1.5f, s.beta = 2.25f;
    s.scale = s.what == epilogue_step::kind::sum || o.coin() ? 0.37f : 1.0f;
    s.zero_point = o.random.between(-5, 5);
    if (s.what == epilogue_step::kind::eltwise) {
        s.alg = algorithms[o.random.between(0, 5)];
    } else if (s.what == epilogue_step::kind::sum) {
        s.operand_type = dst_type;
    } else {
        s.alg = static_cast<algorithm>(
            static_cast<int>(algorithm::binary_add) + o.random.between(0, 11));
        const int type = o.random.between(0, 5);
        s.operand_type = all_types[type];
        s.operand = o.tensors[static_cast<std::size_t>(type)].data();
        if (o.coin()) s.strides[0] = 3;
        if (o.coin()) s.strides[row_dim] = operands::columns;
        s.strides[column_dim] = o.random.between(0, 2);
    }
    return s;
}

epilogue random_epilogue(
    operands &o, std::vector<epilogue_step> &steps, epilogue_step &bias_operand) {
    epilogue e {};
    e.dst_type = all_types[o.random.between(0, 5)];
    if (o.coin()) e.compensation = o.compensation.data();
    if (o.coin()) e.row_compensation = o.row_compensation.data();
    if (o.coin()) e.row_factors = o.row_factors.data();
    if (o.coin()) e.scales = o.scales.data(), e.scale_stride = o.coin();
    if (o.coin()) e.row_scales = o.row_scales.data();
    if (o.coin())
        e.bias = o.bias.data();
    else if (o.coin())
        e.bias_operand = &bias_operand; // instead of bias
    e.inverse_dst_scale = o.coin() ? 1.0f : 0.731f;
    e.inverse_dst_scale_low = e.inverse_dst_scale == 1.0f ? 0.0f : 0x1.8p-26f;
    if (o.coin()) e.dst_zero_points = o.zero_points.data(), e.dst_zero_point_stride = o.coin();
    steps.clear();
    for (int n = o.random.between(0, 3); n > 0; --n) steps.push_back(random_step(o, e.dst_type));
    e.steps = steps.data();
    e.step_count = static_cast<int>(steps.size());
    return e;
}

bool same(const void *a, const void *b, dim_t count, data_type t) {
    for (dim_t i = 0; i < count; ++i) {
        const f32 x = get(a, i, t), y = get(b, i, t);
        if (!(x == y || (std::isnan(x) && std::isnan(y)))) return false;
    }
    return true;
}

} // namespace

BOOST_AUTO_TEST_CASE(random_epilogues) {
    for_each_level([](const kernel_level &level) {
        const epilogue_rows_function run =
            kernel_for<every_level>(level.mask, []<class Isa> { return epilogue_rows<Isa>; });
        operands o;
        std::vector<epilogue_step> steps;
        for (int trial = 0; trial < 600; ++trial) {
            epilogue_step bias_operand = random_step(o, data_type::f32);
            while (!bias_operand.operand) bias_operand = random_step(o, data_type::f32);
            const epilogue e = random_epilogue(o, steps, bias_operand);
            epilogue_rows_args a {};
            a.finish = &e;
            a.rows = o.random.between(1, 5), a.columns = o.random.between(1, 40);
            if (trial % 50 == 0) a.rows = 33, a.columns = 600;
            a.position[0] = 2, a.position[row_dim] = 3, a.position[column_dim] = 5;
            a.acc_type = o.coin() ? data_type::s32 : data_type::f32;
            std::vector<s32> acc(static_cast<std::size_t>(a.rows * a.columns));
            for (s32 &v : acc) {
                v = o.random.between(-9000, 9000);
                const f32 real = static_cast<f32>(v) / 91.0f;
                if (a.acc_type == data_type::f32) std::memcpy(&v, &real, 4);
            }
            a.acc = acc.data(), a.acc_stride_bytes = a.columns * 4;
            const dim_t bytes = static_cast<dim_t>(size_of(e.dst_type));
            const dim_t pitch = a.columns + 2;
            a.dst_stride_bytes = pitch * bytes;
            std::vector<char> expected(static_cast<std::size_t>(a.rows * a.dst_stride_bytes));
            fill(expected.data(), a.rows * pitch, e.dst_type, o.random);
            std::vector<char> result = expected;
            a.dst = result.data();
            run(a);
            a.dst = expected.data();
            for (dim_t i = 0; i < a.rows; ++i)
                for (dim_t j = 0; j < a.columns; ++j) model(a, i, j);
            BOOST_TEST(same(expected.data(), result.data(), a.rows * pitch, e.dst_type),
                "trial " << trial << " to " << name_of(e.dst_type));
        }
    });
}

// s32 to s32 with compensation only keeps every bit.
BOOST_AUTO_TEST_CASE(integers_stay_integers) {
    for_each_level([](const kernel_level &level) {
        std::vector<s32> acc = {INT32_MAX, INT32_MIN + 2, 16777217, -16777217, 3, 4, 5, 6, 7, 8, 9,
                             10, 11, 12, 13, 14, 2147483001},
                         compensation(17, 1), dst(17);
        epilogue e {};
        e.dst_type = data_type::s32, e.inverse_dst_scale = 1.0f;
        e.compensation = compensation.data();
        epilogue_rows_args a {};
        a.finish = &e;
        a.acc = acc.data(), a.acc_type = data_type::s32, a.dst = dst.data();
        a.rows = 1, a.columns = 17;
        kernel_for<every_level>(level.mask, []<class Isa> { return epilogue_rows<Isa>; })(a);
        for (int j = 0; j < 17; ++j) BOOST_TEST(dst[j] == acc[j] - 1);
    });
}

namespace {

double ulp_of(double exact) {
    const double smallest = std::ldexp(1.0, -149);
    if (std::fabs(exact) < std::numeric_limits<f32>::min()) return smallest;
    return std::ldexp(1.0, std::ilogb(exact) - 23);
}

struct function_limit {
    const char *name;
    algorithm alg;
    f32 alpha, beta;
    double limit; // ulp
    double (*exact)(double);
};

double logistic(double x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double gelu_erf(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double gelu_tanh(double x) {
    const double u = std::sqrt(8.0 / M_PI) * (x + 0.044715 * x * x * x);
    return x * logistic(u);
}
double mish(double x) {
    const double e = std::exp(std::fmin(x, 40.0)), n = e * (e + 2);
    return x * (n / (n + 2));
}

const function_limit function_limits[] = {
    {"exp", algorithm::exp, 0, 0, 2, [](double x) { return std::exp(x); }},
    {"log", algorithm::log, 0, 0, 2, [](double x) { return std::log(x); }},
    {"tanh", algorithm::tanh, 0, 0, 2, [](double x) { return std::tanh(x); }},
    {"logistic", algorithm::logistic, 0, 0, 2, logistic},
    {"elu", algorithm::elu, 1, 0, 3, [](double x) { return x > 0 ? x : std::expm1(x); }},
    {"soft_relu", algorithm::soft_relu, 1, 0, 4,
        [](double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }},
    {"soft_relu -0.7", algorithm::soft_relu, -0.7f, 0, 4,
        [](double x) {
            const double s = double(-0.7f) * x;
            return (s > 0 ? s + std::log1p(std::exp(-s)) : std::log1p(std::exp(s))) / double(-0.7f);
        }},
    {"gelu_erf", algorithm::gelu_erf, 0, 0, 4, gelu_erf},
    {"gelu_tanh", algorithm::gelu_tanh, 0, 0, 4, gelu_tanh},
    {"swish", algorithm::swish, 1, 0, 4, [](double x) { return x * logistic(x); }},
    {"swish 1.3", algorithm::swish, 1.3f, 0, 4,
        [](double x) { return x * logistic(double(1.3f) * x); }},
    {"mish", algorithm::mish, 0, 0, 4, mish},
    {"sqrt", algorithm::sqrt, 0, 0, 0.5, [](double x) { return std::sqrt(x); }},
    {"pow 0.5", algorithm::pow, 1, 0.5f, 2, [](double x) { return std::pow(x, 0.5); }},
    {"pow -0.5", algorithm::pow, 1, -0.5f, 2, [](double x) { return std::pow(x, -0.5); }},
    {"pow -1", algorithm::pow, 1, -1, 2, [](double x) { return 1 / x; }},
    {"pow 3", algorithm::pow, 1, 3, 2, [](double x) { return x * x * x; }},
    {"pow 0.3", algorithm::pow, 1, 0.3f, 2, [](double x) { return std::pow(x, double(0.3f)); }},
    {"hardswish", algorithm::hardswish, 1.0f / 6, 0.5f, 2,
        [](double x) { return x * std::fmax(0.0, std::fmin(1.0, double(1.0f / 6) * x + 0.5)); }},
};

// One step on f32 numbers.
void apply(isa level, const function_limit &f, const std::vector<f32> &x, std::vector<f32> &y) {
    epilogue_step s {};
    s.what = epilogue_step::kind::eltwise;
    s.alg = f.alg, s.alpha = f.alpha, s.beta = f.beta, s.scale = 1.0f;
    epilogue e {};
    e.steps = &s, e.step_count = 1;
    e.dst_type = data_type::f32, e.inverse_dst_scale = 1.0f;
    epilogue_rows_args a {};
    a.finish = &e;
    a.acc = x.data(), a.acc_type = data_type::f32, a.dst = y.data();
    a.rows = 1, a.columns = static_cast<dim_t>(x.size());
    kernel_for<every_level>(level, []<class Isa> { return epilogue_rows<Isa>; })(a);
}

// Every 4999th f32 bit pattern, and a grid of common values.
std::vector<f32> samples() {
    std::vector<f32> x;
    for (std::uint64_t bits = 0; bits < (std::uint64_t {1} << 32); bits += 4999) {
        const std::uint32_t word = static_cast<std::uint32_t>(bits);
        f32 v;
        std::memcpy(&v, &word, 4);
        x.push_back(v);
    }
    for (int i = -105000; i <= 105000; ++i) x.push_back(static_cast<f32>(i) * 0.001f);
    for (int i = -20000; i <= 20000; ++i) x.push_back(1.0f + static_cast<f32>(i) * 1e-6f);
    for (f32 v : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, FLT_MIN, -FLT_MIN}) x.push_back(v);
    return x;
}

// The error in ulp; 0 where the class of the result is right, infinite where it is wrong.
double error_of(const function_limit &f, f32 x, f32 y) {
    const double exact = f.exact(double(x));
    if (std::isnan(x)) return std::isnan(y) ? 0 : INFINITY;
    // Limits of the formula itself at the ends, where f64 evaluates 0 * infinity.
    if (std::isinf(x) && std::isnan(exact) && !std::signbit(x)) return y == x ? 0 : INFINITY;
    if (std::isinf(x) && std::isnan(exact)) return y == 0 || std::isnan(y) ? 0 : INFINITY;
    if (std::isnan(exact)) return std::isnan(y) ? 0 : INFINITY;
    const f32 rounded = static_cast<f32>(exact);
    if (rounded == y) return 0;
    if (std::isinf(rounded) || std::isinf(y)) return std::fabs(exact) > 3.4028230e38 ? 0 : INFINITY;
    if (std::fabs(exact) < FLT_MIN) return std::fabs(y) <= FLT_MIN ? 0 : INFINITY;
    double limit_scale = 1;
    if (f.alg == algorithm::pow && std::fabs(f.beta) != 0.5f && std::fabs(f.beta) != 1)
        limit_scale = 1 + std::fabs(f.beta * std::log(std::fabs(double(x))));
    return std::fabs(double(y) - exact) / ulp_of(exact) / limit_scale;
}

} // namespace

BOOST_AUTO_TEST_CASE(elementary_functions) {
    const std::vector<f32> x = samples();
    std::vector<f32> y(x.size());
    for_each_level([&](const kernel_level &level) {
        for (const function_limit &f : function_limits) {
            apply(level.mask, f, x, y);
            double worst = 0;
            f32 where = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double error = error_of(f, x[i], y[i]);
                if (error > worst) worst = error, where = x[i];
            }
            BOOST_TEST_MESSAGE(level.name << " " << f.name << ": " << worst << " ulp");
            BOOST_TEST(worst <= f.limit, f.name << ": " << worst << " ulp at " << where);
        }
    });
}

BOOST_AUTO_TEST_CASE(special_values) {
    for_each_level([](const kernel_level &level) {
        const std::vector<f32> x = {NAN, -INFINITY, INFINITY, -0.0f, 0.0f};
        std::vector<f32> y(x.size());
        const auto run = [&](algorithm alg, f32 alpha, f32 beta) {
            apply(level.mask, {"", alg, alpha, beta, 0, nullptr}, x, y);
            BOOST_TEST(std::isnan(y[0]) != (alg == algorithm::pow && beta == 0));
        };
        run(algorithm::relu, 0, 0);
        BOOST_TEST((y[1] == 0 && y[2] == INFINITY));
        run(algorithm::relu, 0.5f, 0);
        BOOST_TEST(y[1] == -INFINITY);
        run(algorithm::clip, -1, 1);
        BOOST_TEST((y[1] == -1 && y[2] == 1));
        run(algorithm::hardsigmoid, 1, 0);
        BOOST_TEST((y[1] == 0 && y[2] == 1));
        run(algorithm::elu, 2, 0);
        BOOST_TEST((y[1] == -2 && y[2] == INFINITY));
        run(algorithm::log, 0, 0);
        BOOST_TEST((std::isnan(y[1]) && y[2] == INFINITY && y[3] == -INFINITY));
        run(algorithm::pow, 2, 0);
        BOOST_TEST((y[0] == 2 && y[1] == 2));
        run(algorithm::gelu_erf, 0, 0);
        BOOST_TEST((y[1] == 0 && y[2] == INFINITY));
        run(algorithm::gelu_tanh, 0, 0);
        BOOST_TEST((y[1] == 0 && y[2] == INFINITY));
        run(algorithm::mish, 0, 0);
        BOOST_TEST((y[1] == 0 && y[2] == INFINITY));
        run(algorithm::swish, 1, 0);
        BOOST_TEST((y[1] == 0 && y[2] == INFINITY));
        run(algorithm::logistic, 0, 0);
        BOOST_TEST((y[1] == 0 && y[2] == 1));
        run(algorithm::tanh, 0, 0);
        BOOST_TEST((y[1] == -1 && y[2] == 1 && std::signbit(y[3])));
    });
}

} // namespace dnnl::impl::cpu
