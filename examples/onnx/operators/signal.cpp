// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, windows and mel weights of audio networks.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace dnnl_onnx {

namespace {

using complex = std::complex<double>;

/// The discrete Fourier transform, by halves while the length is even.
std::vector<complex> transformed(const std::vector<complex> &x, double sign) {
    const std::size_t n = x.size();
    std::vector<complex> to(n);
    const auto root = [&](std::size_t k) {
        const double angle = sign * 2 * std::numbers::pi * double(k % n) / double(n);
        return complex(std::cos(angle), std::sin(angle));
    };
    if (n > 1 && n % 2 == 0) {
        std::vector<complex> even(n / 2), odd(n / 2);
        for (std::size_t i = 0; i < n / 2; ++i) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
        even = transformed(even, sign);
        odd = transformed(odd, sign);
        for (std::size_t k = 0; k < n / 2; ++k) {
            const complex turned = root(k) * odd[k];
            to[k] = even[k] + turned;
            to[k + n / 2] = even[k] - turned;
        }
        return to;
    }
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i) to[k] += x[i] * root(k * i);
    return to;
}

/// Reads elements whose last dimension has a real part and perhaps an imaginary one.
template <class T> complex number_at(const T *x, std::int64_t at, std::int64_t parts) {
    using A = arithmetic_type<T>;
    return {double(A(x[at * parts])), parts == 2 ? double(A(x[at * parts + 1])) : 0};
}

void require_parts(const op_context &c, const extents &dims) {
    if (dims.size() < 2 || dims.back() < 1 || dims.back() > 2)
        c.fail("the last extent of " + text_of(dims) + " is not 1 (real) or 2 (complex)");
}

host_step dft(op_context &c) {
    const extents &from = c.dims(0);
    require_parts(c, from);
    const int axis = c.axis("axis", 1, c.rank(0) - 1);
    const bool inverse = c.integer("inverse", 0) != 0, half = c.integer("onesided", 0) != 0;
    const std::int64_t length = c.has(1) ? c.value(1).integers().at(0) : from[axis];
    if (length < 1) c.fail("its length is " + std::to_string(length));
    extents to = from;
    to[axis] = half ? length / 2 + 1 : length;
    to.back() = 2;
    const element_type type = c.in(0).type;
    if (!is_float(type)) c.fail("its input is " + text_of(c.in(0)));
    c.output(0, type, to);
    return [=](views in, views out) {
        const std::int64_t parts = in[0].dims().back();
        const axis_view source = around({in[0].dims().begin(), in[0].dims().end() - 1}, axis);
        const axis_view result = around({to.begin(), to.end() - 1}, axis);
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            std::vector<complex> x;
            for (std::int64_t o = 0; o < source.outer; ++o)
                for (std::int64_t n = 0; n < source.inner; ++n) {
                    x.assign(std::size_t(length), 0);
                    for (std::int64_t i = 0; i < std::min(length, source.extent); ++i)
                        x[i] = number_at(
                            in[0].data<T>(), (o * source.extent + i) * source.inner + n, parts);
                    const std::vector<complex> y = transformed(x, inverse ? 1 : -1);
                    for (std::int64_t i = 0; i < result.extent; ++i) {
                        const complex value = y[i] * (inverse ? 1.0 / double(length) : 1.0);
                        T *at = out[0].data<T>() + ((o * result.extent + i) * result.inner + n) * 2;
                        at[0] = T(arithmetic_type<T>(value.real()));
                        at[1] = T(arithmetic_type<T>(value.imag()));
                    }
                }
        });
    };
}

/// Transforms of windows that move over a signal [batch, samples, parts].
host_step stft(op_context &c) {
    const extents signal = c.rank(0) == 2 ? extents {c.dims(0)[0], c.dims(0)[1], 1} : c.dims(0);
    require_parts(c, signal);
    const std::int64_t step = c.value(1).integers().at(0);
    const std::int64_t length = c.has(3) ? c.value(3).integers().at(0) : c.dims(2).at(0);
    if (step < 1 || length < 1 || length > signal[1]) c.fail("its steps or frames do not fit");
    const bool half = c.integer("onesided", 1) != 0;
    const std::int64_t frames = (signal[1] - length) / step + 1,
                       bins = half ? length / 2 + 1 : length;
    const element_type type = c.in(0).type;
    if (c.has(2) && c.dims(2) != extents {length}) c.fail("its window does not fit");
    c.output(0, type, {signal[0], frames, bins, 2});
    return [=](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const T *window = in.size() > 2 && in[2] ? in[2].data<T>() : nullptr;
            T *to = out[0].data<T>();
            std::vector<complex> x(static_cast<std::size_t>(length));
            for (std::int64_t n = 0; n < signal[0]; ++n)
                for (std::int64_t frame = 0; frame < frames; ++frame) {
                    for (std::int64_t i = 0; i < length; ++i)
                        x[i] = number_at(
                                   in[0].data<T>(), n * signal[1] + frame * step + i, signal[2]) *
                               (window ? double(arithmetic_type<T>(window[i])) : 1.0);
                    const std::vector<complex> y = transformed(x, -1);
                    for (std::int64_t i = 0; i < bins; ++i) {
                        *to++ = T(arithmetic_type<T>(y[i].real()));
                        *to++ = T(arithmetic_type<T>(y[i].imag()));
                    }
                }
        });
    };
}

/// A sum of cosines over one period: a0 - a1 cos(x) + a2 cos(2 x).
host_step cosine_window(op_context &c, double a0, double a1, double a2) {
    const std::int64_t size = c.value(0).integers().at(0);
    const auto type = element_type(c.integer("output_datatype", 1));
    const double period = double(c.integer("periodic", 1) ? size : size - 1);
    c.output(0, type, {size});
    return [=](views, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < size; ++i) {
                const double x = 2 * std::numbers::pi * double(i) / period;
                out[0].data<T>()[i] =
                    T(arithmetic_type<T>(a0 - a1 * std::cos(x) + a2 * std::cos(2 * x)));
            }
        });
    };
}

host_step hann(op_context &c) { return cosine_window(c, 0.5, 0.5, 0); }
host_step hamming(op_context &c) { return cosine_window(c, 25. / 46, 21. / 46, 0); }
host_step blackman(op_context &c) { return cosine_window(c, 0.42, 0.5, 0.08); }

double mel_of(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz_of(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

/// Triangles over the bins of a spectrum whose corners lie at equal distances in mel.
host_step mel_weights(op_context &c) {
    const std::int64_t bands = c.value(0).integers().at(0), length = c.value(1).integers().at(0),
                       rate = c.value(2).integers().at(0);
    const double low = mel_of(c.value(3).numbers().at(0)),
                 high = mel_of(c.value(4).numbers().at(0));
    const auto type = element_type(c.integer("output_datatype", 1));
    if (bands < 1 || length < 1 || rate < 1) c.fail("its numbers of bands or samples are wrong");
    const std::int64_t bins = length / 2 + 1;
    std::vector<std::int64_t> corners;
    for (std::int64_t i = 0; i < bands + 2; ++i) {
        const double hertz = hertz_of(low + double(i) * (high - low) / double(bands + 2));
        corners.push_back(std::int64_t(std::floor(double(length + 1) * hertz / double(rate))));
    }
    c.output(0, type, {bins, bands});
    return [=](views, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t band = 0; band < bands; ++band) {
                const std::int64_t left = corners[band], centre = corners[band + 1],
                                   right = corners[band + 2];
                const auto put = [&](std::int64_t bin, double value) {
                    if (bin >= 0 && bin < bins)
                        out[0].data<T>()[bin * bands + band] = T(arithmetic_type<T>(value));
                };
                if (centre == left) put(centre, 1);
                for (std::int64_t i = left; i <= centre && centre > left; ++i)
                    put(i, double(i - left) / double(centre - left));
                for (std::int64_t i = centre; i < right && right > centre; ++i)
                    put(i, double(right - i) / double(right - centre));
            }
        });
    };
}

} // namespace

operator_table signal_operators() {
    static const operator_entry table[] = {
        {"BlackmanWindow", blackman},
        {"DFT", dft},
        {"HammingWindow", hamming},
        {"HannWindow", hann},
        {"MelWeightMatrix", mel_weights},
        {"STFT", stft},
    };
    return table;
}

} // namespace dnnl_onnx
