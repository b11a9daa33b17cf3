// SPDX-License-Identifier: Apache-2.0
// Second moments of inputs, their Cholesky factors, and rounding with error feedback.
//
// With H = R'R the error (w - q)' H (w - q) is |R (w - q)|^2. R is an upper triangle, so the last
// column can be chosen first: it alone enters the last term. Each earlier column then has to bring
// its own term, in which the later ones are fixed, as close to 0 as integers can.
#include "rounding.hpp"

#include <dnnl.hpp>

#include <algorithm>
#include <cmath>

namespace int8_accuracy {

namespace {

constexpr int largest_block = 1024;

/// moments = X' X / rows for the columns first ... first + count - 1 of X, whose rows have `stride`
/// values.
std::vector<float> second_moments(
    const std::vector<float> &inputs, int rows, int stride, int first, int count) {
    using dnnl::memory;
    const auto type = memory::data_type::f32;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    std::vector<float> values(std::size_t(count) * count);
    auto *x = const_cast<float *>(inputs.data() + first); // memory objects take no const pointers
    const memory transposed({{count, rows}, type, memory::dims {1, stride}}, engine, x);
    const memory plain({{rows, count}, type, memory::dims {stride, 1}}, engine, x);
    const memory to({{count, count}, type, memory::dims {count, 1}}, engine, values.data());
    dnnl::post_ops mean;
    mean.append_eltwise(dnnl::algorithm::eltwise_linear, 1.f / float(rows), 0.f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(mean);
    const dnnl::matmul::primitive_desc pd(
        engine, transposed.get_desc(), plain.get_desc(), to.get_desc(), attr);
    dnnl::matmul(pd).execute(
        stream, {{DNNL_ARG_SRC, transposed}, {DNNL_ARG_WEIGHTS, plain}, {DNNL_ARG_DST, to}});
    stream.wait();
    return values;
}

/// The upper triangle R with R'R = H + ridge; a hundredth of the mean of the diagonal is the ridge.
std::vector<float> factor_of(const std::vector<float> &moments, int n) {
    std::vector<double> a(moments.begin(), moments.end());
    double trace = 0;
    for (int i = 0; i < n; ++i) trace += a[std::size_t(i) * n + i];
    const double ridge = .01 * trace / n + 1e-12;
    for (int i = 0; i < n; ++i) a[std::size_t(i) * n + i] += ridge;
    for (int k = 0; k < n; ++k) {
        double *row = a.data() + std::size_t(k) * n;
        const double root = std::sqrt(std::max(row[k], 1e-3 * ridge));
        for (int j = k; j < n; ++j) row[j] /= root;
        row[k] = root;
        for (int i = k + 1; i < n; ++i) {
            double *below = a.data() + std::size_t(i) * n;
            const double part = row[i];
            for (int j = i; j < n; ++j) below[j] -= part * row[j];
        }
    }
    for (int i = 0; i < n; ++i) std::fill_n(a.data() + std::size_t(i) * n, i, 0.);
    return {a.begin(), a.end()};
}

void round_columns(const weight_matrix &from, int row, const moment_block &part,
    quantized_weights &to, std::vector<float> &error) {
    const int n = part.count;
    const auto largest = float(to.largest());
    const std::size_t begin = std::size_t(row) * from.columns + part.first_column;
    for (int i = n - 1; i >= 0; --i) {
        const float *r = part.factor.data() + std::size_t(i) * n;
        double later = 0;
        for (int j = i + 1; j < n; ++j) later += r[j] * error[j];
        const float w = from.values[begin + i];
        const float scale = to.scale(row, part.first_column + i);
        const float wanted = (w + float(later / r[i])) / scale;
        const float q = std::clamp(std::nearbyint(wanted), -largest, largest);
        to.integers[begin + i] = std::int16_t(q);
        error[i] = w - scale * q;
    }
}

} // namespace

input_moments moments_of(const layer &of, const std::vector<float> &inputs, int count) {
    const int groups = of.kind == layer_kind::convolution ? of.groups : 1;
    const int rows = (of.kind == layer_kind::lstm ? 4 : 1) * of.result.channels / groups;
    const int stride = int(inputs.size() / std::size_t(count)), columns = stride / groups;
    input_moments all;
    for (int g = 0; g < groups; ++g)
        for (int first = 0; first < columns; first += largest_block) {
            moment_block part {
                g * rows, rows, first, std::min(largest_block, columns - first), {}, {}};
            part.moments = second_moments(inputs, count, stride, g * columns + first, part.count);
            part.factor = factor_of(part.moments, part.count);
            all.push_back(std::move(part));
        }
    return all;
}

double output_error(
    const input_moments &moments, int row, const float *weights, const float *rounded) {
    double sum = 0;
    for (const moment_block &part : moments) {
        if (row < part.first_row || row >= part.first_row + part.rows) continue;
        const float *w = weights + part.first_column, *q = rounded + part.first_column;
        for (int i = 0; i < part.count; ++i) {
            const float *h = part.moments.data() + std::size_t(i) * part.count;
            double inner = 0;
            for (int j = 0; j < part.count; ++j) inner += double(h[j]) * (w[j] - q[j]);
            sum += inner * (w[i] - q[i]);
        }
    }
    return sum;
}

quantized_weights tuned(
    const weight_matrix &from, const quantized_weights &nearest, const input_moments &moments) {
    quantized_weights to = nearest;
    std::vector<float> error(largest_block);
    for (const moment_block &part : moments)
        for (int r = part.first_row; r < part.first_row + part.rows; ++r)
            round_columns(from, r, part, to, error);
    const std::vector<float> before = nearest.values(), after = to.values();
    for (int r = 0; r < from.rows; ++r) {
        const std::size_t begin = std::size_t(r) * from.columns;
        const float *w = from.values.data() + begin;
        if (output_error(moments, r, w, after.data() + begin) >
            output_error(moments, r, w, before.data() + begin))
            std::copy_n(nearest.integers.begin() + std::ptrdiff_t(begin), from.columns,
                to.integers.begin() + std::ptrdiff_t(begin));
    }
    return to;
}

} // namespace int8_accuracy
