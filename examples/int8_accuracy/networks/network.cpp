// SPDX-License-Identifier: Apache-2.0
// Shapes and sizes of layers, first parameters, and folding of normalization into weights.
#include "network.hpp"

#include "../../random_source.hpp"

#include <algorithm>
#include <cmath>

namespace int8_accuracy {

using dnnl::memory;
using examples::random_source;
using tag = memory::format_tag;

memory::dims dims_of(const object_shape &shape, int batch) {
    if (shape.sequence()) return {memory::dim(shape.length) * batch, shape.channels};
    if (shape.height == 1 && shape.width == 1) return {batch, shape.channels};
    return {batch, shape.channels, shape.height, shape.width};
}

memory::desc desc_of(const object_shape &shape, int batch, memory::data_type type) {
    const memory::dims dims = dims_of(shape, batch);
    return {dims, type, dims.size() == 4 ? tag::nhwc : tag::nc};
}

bool multiplies(layer_kind kind) {
    return kind == layer_kind::convolution || kind == layer_kind::dense || kind == layer_kind::lstm;
}

bool has_parameters(layer_kind kind) {
    return multiplies(kind) || kind == layer_kind::normalization ||
           kind == layer_kind::layer_normalization;
}

std::vector<int> network::products() const {
    std::vector<int> found;
    for (int l = 0; l < int(layers.size()); ++l)
        if (multiplies(layers[l].kind)) found.push_back(l);
    return found;
}

bool network::has(layer_kind kind) const {
    return std::any_of(
        layers.begin(), layers.end(), [&](const layer &each) { return each.kind == kind; });
}

int network::readers(int l) const {
    int count = 0;
    for (const layer &each : layers)
        count += int(std::count(each.from.begin(), each.from.end(), l));
    return count;
}

namespace {

double count_of(const memory::dims &dims) {
    double count = 1;
    for (memory::dim d : dims) count *= double(d);
    return count;
}

} // namespace

double multiplications(const layer &of) {
    double each = count_of(weights_dims(of));
    if (of.kind == layer_kind::lstm) each += count_of(recurrent_dims(of));
    if (of.kind == layer_kind::convolution) return each * of.result.height * of.result.width;
    return each * of.result.rows();
}

memory::dims weights_dims(const layer &of) {
    const memory::dim IC = of.source.channels, OC = of.result.channels;
    const memory::dim G = of.groups, K = of.kernel;
    switch (of.kind) {
    case layer_kind::convolution:
        if (G == 1) return {OC, IC, K, K};
        return {G, OC / G, IC / G, K, K};
    case layer_kind::dense:
        if (of.source.height == 1 && of.source.width == 1) return {OC, IC};
        return {OC, IC, of.source.height, of.source.width};
    case layer_kind::lstm: return {1, 1, IC, 4, OC};
    case layer_kind::normalization:
    case layer_kind::layer_normalization: return {OC};
    default: return {0};
    }
}

memory::dims recurrent_dims(const layer &of) {
    const memory::dim OC = of.result.channels;
    if (of.kind == layer_kind::lstm) return {1, 1, OC, 4, OC};
    return {0};
}

layer_parameters zero_parameters(const layer &of) {
    layer_parameters p;
    if (!has_parameters(of.kind)) return p;
    const std::size_t OC = of.result.channels;
    p.weights.resize(std::size_t(count_of(weights_dims(of))));
    p.recurrent.resize(std::size_t(count_of(recurrent_dims(of))));
    p.bias.resize(of.kind == layer_kind::lstm ? 4 * OC : OC);
    if (of.kind != layer_kind::normalization) return p;
    p.mean.resize(OC);
    p.variance.resize(OC);
    return p;
}

namespace {

/// Whether what layer `l` gives comes to a relu through layers that keep its spread.
bool before_relu(const network &of, int l) {
    for (int next = l + 1; next < int(of.layers.size()); ++next) {
        const layer &reader = of.layers[next];
        if (std::count(reader.from.begin(), reader.from.end(), l) == 0) continue;
        if (reader.kind == layer_kind::relu) return true;
        if (reader.kind == layer_kind::normalization || reader.kind == layer_kind::add)
            return before_relu(of, next);
    }
    return false;
}

void draw(std::vector<float> &values, double deviation, random_source &random) {
    for (float &value : values) value = float(deviation * random.normal());
}

void draw_product(layer_parameters &p, const network &of, int l, random_source &random) {
    const layer &each = of.layers[l];
    if (each.kind == layer_kind::lstm) {
        const std::size_t OC = each.result.channels;
        draw(p.weights, std::sqrt(1. / each.source.channels), random);
        draw(p.recurrent, std::sqrt(1. / double(OC)), random);
        std::fill_n(p.bias.begin() + std::ptrdiff_t(OC), OC, 1.f); // gates: input, forget, ...
        return;
    }
    const double fan_in = double(p.weights.size()) / each.result.channels;
    const bool last = l + 1 == int(of.layers.size());
    const double gain = before_relu(of, l) ? 2 : 1;
    draw(p.weights, (last ? .1 : 1) * std::sqrt(gain / fan_in), random);
}

} // namespace

parameters random_parameters(const network &of, std::uint64_t seed) {
    random_source random(seed);
    parameters all;
    for (int l = 0; l < int(of.layers.size()); ++l) {
        const layer &each = of.layers[l];
        layer_parameters p = zero_parameters(each);
        if (multiplies(each.kind)) {
            draw_product(p, of, l, random);
        } else {
            std::fill(p.weights.begin(), p.weights.end(), 1.f);
            std::fill(p.variance.begin(), p.variance.end(), 1.f);
        }
        all.push_back(std::move(p));
    }
    return all;
}

namespace {

/// The normalization y = scale (x - mean) / sqrt(variance + epsilon) + shift of x = w s + b.
void fold_into(layer_parameters &product, const layer_parameters &normalization) {
    const std::size_t OC = product.bias.size(), length = product.weights.size() / OC;
    for (std::size_t c = 0; c < OC; ++c) {
        const float deviation = std::sqrt(normalization.variance[c] + normalization_epsilon);
        const float factor = normalization.weights[c] / deviation;
        for (std::size_t i = 0; i < length; ++i) product.weights[c * length + i] *= factor;
        product.bias[c] =
            (product.bias[c] - normalization.mean[c]) * factor + normalization.bias[c];
    }
}

} // namespace

trained_network folded(const trained_network &from) {
    trained_network to = from;
    to.net.layers.clear();
    to.learned.clear();
    std::vector<int> place; // of each old layer among the new ones
    for (std::size_t l = 0; l < from.net.layers.size(); ++l) {
        const layer &old = from.net.layers[l];
        if (old.kind == layer_kind::normalization) {
            const int product = place[old.from[0]];
            fold_into(to.learned[product], from.learned[l]);
            place.push_back(product);
            continue;
        }
        layer kept = old;
        for (int &source : kept.from) source = place[source];
        place.push_back(int(to.net.layers.size()));
        to.net.layers.push_back(std::move(kept));
        to.learned.push_back(from.learned[l]);
    }
    return to;
}

} // namespace int8_accuracy
