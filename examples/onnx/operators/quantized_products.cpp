// SPDX-License-Identifier: Apache-2.0
// Products of 8-bit integers. Those that have a primitive run as one; these steps are for unsigned
// weights, zero points of weights, and values that are known at the run only.
#include "products.hpp"

#include "loops.hpp"
#include "tables.hpp"
#include "window.hpp"

#include <algorithm>
#include <cmath>

namespace dnnl_onnx {

namespace {

void require_bytes(const op_context &c, std::size_t input) {
    const element_type type = c.in(input).type;
    if (type != element_type::u8 && type != element_type::s8)
        c.fail("input " + std::to_string(input) + " is " + text_of(c.in(input)) + " and no bytes");
}

/// Bytes as integers, less their zero points: one for all, or one per index of the first or the
/// last dimension.
std::vector<std::int32_t> centred(const tensor_view &x, const tensor_view *zero, bool last) {
    std::vector<std::int32_t> to(std::size_t(x.count()));
    const bool is_signed = x.type->type == element_type::s8;
    const auto at = [is_signed](const tensor_view &v, std::int64_t i) {
        return is_signed ? std::int32_t(v.data<std::int8_t>()[i])
                         : std::int32_t(v.data<std::uint8_t>()[i]);
    };
    const std::int64_t zeros = zero && *zero ? zero->count() : 0;
    const std::int64_t inner = !zeros || last ? 1 : std::max<std::int64_t>(x.count() / zeros, 1);
    for (std::int64_t i = 0; i < x.count(); ++i)
        to[i] = at(x, i) - (zeros ? at(*zero, i / inner % zeros) : 0);
    return to;
}

struct integer_convolution {
    window w;
    std::int64_t groups;
    extents src, weights, result;

    /// Calls give(index, output channel, sum) for each element of the result.
    template <class F>
    void run(
        const std::vector<std::int32_t> &x, const std::vector<std::int32_t> &k, F &&give) const {
        const extents image = spatial(src), taps = spatial(weights), to = spatial(result);
        const std::int64_t outputs = result[1], inputs = weights[1], pixels = count_of(image);
        const std::int64_t tap_count = count_of(taps);
        for (std::int64_t at = 0; at < count_of(result); ++at) {
            const std::int64_t place = at % count_of(to), o = at / count_of(to) % outputs,
                               n = at / count_of(to) / outputs, group = o / (outputs / groups);
            std::int32_t sum = 0;
            for (std::int64_t t = 0; t < tap_count; ++t) {
                std::int64_t offset = 0;
                if (!pixel_of(place, t, image, taps, to, offset)) continue;
                for (std::int64_t c = 0; c < inputs; ++c)
                    sum = sum_of(
                        sum, product_of(x[(n * src[1] + group * inputs + c) * pixels + offset],
                                 k[(o * inputs + c) * tap_count + t]));
            }
            give(at, o, sum);
        }
    }

    /// The pixel that a tap touches; false in the padding.
    bool pixel_of(std::int64_t place, std::int64_t tap, const extents &image, const extents &taps,
        const extents &to, std::int64_t &offset) const {
        std::int64_t step = 1;
        for (std::size_t d = image.size(); d-- > 0;) {
            const std::int64_t at =
                place % to[d] * w.strides[d] - w.begin[d] + tap % taps[d] * w.dilations[d];
            if (at < 0 || at >= image[d]) return false;
            offset += at * step;
            step *= image[d];
            place /= to[d];
            tap /= taps[d];
        }
        return true;
    }
};

integer_convolution convolution_of(op_context &c, std::size_t weights) {
    return {window_of(c, spatial(c.dims(0)), spatial(c.dims(weights))), c.integer("group", 1),
        c.dims(0), c.dims(weights), c.out(0).dims};
}

const tensor_view *at_or_null(views in, std::size_t i) { return i < in.size() ? &in[i] : nullptr; }

host_step conv_integer(op_context &c) {
    require_bytes(c, 0);
    require_bytes(c, 1);
    tell_convolution(c, 0, 1, element_type::s32);
    return [conv = convolution_of(c, 1)](views in, views out) {
        conv.run(centred(in[0], at_or_null(in, 2), false), centred(in[1], at_or_null(in, 3), false),
            [&](auto at, auto, std::int32_t sum) { out[0].data<std::int32_t>()[at] = sum; });
    };
}

/// A sum as an 8-bit number of another scale.
void store_quantized(
    const tensor_view &to, std::int64_t at, double value, const tensor_view &zero) {
    const bool is_signed = to.type->type == element_type::s8;
    const double z = is_signed ? zero.data<std::int8_t>()[0] : zero.data<std::uint8_t>()[0];
    const double q = std::nearbyint(value) + z;
    if (is_signed)
        to.data<std::int8_t>()[at] = std::int8_t(std::clamp(q, -128.0, 127.0));
    else
        to.data<std::uint8_t>()[at] = std::uint8_t(std::clamp(q, 0.0, 255.0));
}

/// Inputs: x, its scale and zero point, weights, theirs, scale and zero point of the result, bias.
host_step qlinear_conv(op_context &c) {
    for (std::size_t i : {0, 3, 7}) require_bytes(c, i);
    tell_convolution(c, 0, 3, c.in(7).type);
    return [conv = convolution_of(c, 3)](views in, views out) {
        const tensor_view &scales = in[4], *bias = at_or_null(in, 8);
        const bool each = scales.count() > 1;
        conv.run(centred(in[0], &in[2], false), centred(in[3], &in[5], false),
            [&](std::int64_t at, std::int64_t o, std::int32_t sum) {
                if (bias && *bias) sum = sum_of(sum, bias->data<std::int32_t>()[o]);
                const double scale = double(*in[1].data<float>()) *
                                     scales.data<float>()[each ? o : 0] / *in[6].data<float>();
                store_quantized(out[0], at, double(sum) * scale, in[7]);
            });
    };
}

/// Calls give(index, column, sum) for each element of a product of matrices of integers.
template <class F>
void multiply_integers(const extents &a_dims, const std::vector<std::int32_t> &a,
    const extents &b_dims, const std::vector<std::int32_t> &b, F &&give) {
    extents x = a_dims, y = b_dims;
    if (x.size() == 1) x.insert(x.begin(), 1);
    if (y.size() == 1) y.push_back(1);
    const std::int64_t m = x[x.size() - 2], k = x.back(), n = y.back();
    extents batch_a(x.begin(), x.end() - 2), batch_b(y.begin(), y.end() - 2), batch;
    const std::size_t rank = std::max(batch_a.size(), batch_b.size());
    batch_a.insert(batch_a.begin(), rank - batch_a.size(), 1);
    batch_b.insert(batch_b.begin(), rank - batch_b.size(), 1);
    for (std::size_t d = 0; d < rank; ++d) batch.push_back(std::max(batch_a[d], batch_b[d]));
    const std::array strides {
        strides_of(batch), broadcast_strides(batch_a, batch), broadcast_strides(batch_b, batch)};
    for_each_offset(batch, strides, [&](auto at, auto from_a, auto from_b) {
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                std::int32_t sum = 0;
                for (std::int64_t l = 0; l < k; ++l)
                    sum = sum_of(
                        sum, product_of(a[(from_a * m + i) * k + l], b[(from_b * k + l) * n + j]));
                give((at * m + i) * n + j, j, sum);
            }
    });
}

host_step matmul_integer(op_context &c) {
    require_bytes(c, 0);
    require_bytes(c, 1);
    c.output(0, element_type::s32, product_extents(c, c.dims(0), c.dims(1)));
    return [](views in, views out) {
        multiply_integers(in[0].dims(), centred(in[0], at_or_null(in, 2), false), in[1].dims(),
            centred(in[1], at_or_null(in, 3), true),
            [&](auto at, auto, std::int32_t sum) { out[0].data<std::int32_t>()[at] = sum; });
    };
}

/// Inputs: a, its scale and zero point, b, its, scale and zero point of the result.
host_step qlinear_matmul(op_context &c) {
    for (std::size_t i : {0, 3, 7}) require_bytes(c, i);
    c.output(0, c.in(7).type, product_extents(c, c.dims(0), c.dims(3)));
    return [](views in, views out) {
        const tensor_view &scales = in[4];
        const bool each = scales.count() > 1;
        multiply_integers(in[0].dims(), centred(in[0], &in[2], false), in[3].dims(),
            centred(in[3], &in[5], true), [&](std::int64_t at, std::int64_t j, std::int32_t sum) {
                const double scale = double(*in[1].data<float>()) *
                                     scales.data<float>()[each ? j : 0] / *in[6].data<float>();
                store_quantized(out[0], at, double(sum) * scale, in[7]);
            });
    };
}

} // namespace

operator_table quantized_product_operators() {
    static const operator_entry table[] = {
        {"ConvInteger", conv_integer},
        {"MatMulInteger", matmul_integer},
        {"QLinearConv", qlinear_conv},
        {"QLinearMatMul", qlinear_matmul},
    };
    return table;
}

} // namespace dnnl_onnx
