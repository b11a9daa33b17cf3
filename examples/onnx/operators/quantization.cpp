// SPDX-License-Identifier: Apache-2.0
// From floating point to 8 bits and back, by one scale and zero point or by one per index of an
// axis.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dnnl_onnx {

namespace {

/// Extents of a scale as strides over a tensor: one for all, or one per index of the axis.
extents parameter_strides(const op_context &c, const extents &scale, int axis, int rank) {
    extents strides(rank, 0);
    const std::int64_t count = count_of(scale);
    if (count == 1) return strides;
    if (scale.size() != 1 || count != c.dims(0)[axis])
        c.fail("a scale of extents " + text_of(scale) + " does not fit " + text_of(c.dims(0)));
    strides[axis] = 1;
    return strides;
}

int parameter_axis(const op_context &c) {
    const int rank = c.rank(0);
    return rank == 0 || count_of(c.dims(1)) == 1 ? 0 : c.axis("axis", 1, rank);
}

template <class T> T quantized(float x, float scale, std::int64_t zero) {
    const double q = std::nearbyint(double(x / scale)) + double(zero);
    return T(std::clamp(
        q, double(std::numeric_limits<T>::lowest()), double(std::numeric_limits<T>::max())));
}

host_step quantize(op_context &c) {
    const element_type type = c.has(2) ? c.in(2).type : element_type::u8;
    if (type != element_type::u8 && type != element_type::s8)
        c.not_there(std::string("it gives ") + name_of(type));
    const extents strides = parameter_strides(c, c.dims(1), parameter_axis(c), c.rank(0));
    const element_type from = c.in(0).type;
    c.output(0, type, c.dims(0));
    return [=](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (sizeof(T) != 1 || std::is_same_v<T, bool>) return;
            const T *zeros = in.size() > 2 && in[2] ? in[2].data<T>() : nullptr;
            with_number(from, [&](auto source) {
                using F = typename decltype(source)::type;
                const extents &dims = in[0].dims();
                for_each_offset(dims, std::array {strides_of(dims), strides}, [&](auto at, auto p) {
                    const float x = float(arithmetic_type<F>(in[0].data<F>()[at]));
                    out[0].data<T>()[at] =
                        quantized<T>(x, in[1].data<float>()[p], zeros ? std::int64_t(zeros[p]) : 0);
                });
            });
        });
    };
}

host_step dequantize(op_context &c) {
    const extents strides = parameter_strides(c, c.dims(1), parameter_axis(c), c.rank(0));
    const element_type type = c.in(0).type;
    c.output(0, element_type::f32, c.dims(0));
    return [=](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const T *zeros = in.size() > 2 && in[2] ? in[2].data<T>() : nullptr;
            const extents &dims = in[0].dims();
            for_each_offset(dims, std::array {strides_of(dims), strides}, [&](auto at, auto p) {
                const auto zero = zeros ? std::int64_t(arithmetic_type<T>(zeros[p])) : 0;
                const auto x = std::int64_t(arithmetic_type<T>(in[0].data<T>()[at]));
                out[0].data<float>()[at] = float(x - zero) * in[1].data<float>()[p];
            });
        });
    };
}

/// To u8, by a range that holds 0 and every element.
host_step dynamic_quantize(op_context &c) {
    c.output(0, element_type::u8, c.dims(0));
    c.output(1, element_type::f32, {});
    c.output(2, element_type::u8, {});
    return [](views in, views out) {
        const float *x = in[0].data<float>();
        const std::int64_t count = in[0].count();
        float low = 0, high = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            low = std::min(low, x[i]);
            high = std::max(high, x[i]);
        }
        const float scale = high > low ? (high - low) / 255 : 1;
        const auto zero = std::uint8_t(std::clamp(std::nearbyint(-low / scale), 0.f, 255.f));
        for (std::int64_t i = 0; i < count; ++i)
            out[0].data<std::uint8_t>()[i] = quantized<std::uint8_t>(x[i], scale, zero);
        *out[1].data<float>() = scale;
        *out[2].data<std::uint8_t>() = zero;
    };
}

} // namespace

operator_table quantization_operators() {
    static const operator_entry table[] = {
        {"DequantizeLinear", dequantize},
        {"DynamicQuantizeLinear", dynamic_quantize},
        {"QuantizeLinear", quantize},
    };
    return table;
}

} // namespace dnnl_onnx
