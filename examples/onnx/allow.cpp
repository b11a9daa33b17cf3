// SPDX-License-Identifier: Apache-2.0
#include "allow.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dnnl_onnx {

namespace {

using outputs = std::vector<tensor>;

/// Whether rows are no probabilities of classes, but each value is one of its own.
bool decides_by_element(const std::vector<double> &values, std::size_t row) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (values.empty() || *least < 0 || *most > 1 + 1e-6) return false;
    double sum = 0;
    for (std::size_t i = 0; i < row; ++i) sum += values[i];
    return std::abs(sum - 1) > 1e-3;
}

std::vector<outputs> results_of(
    const model &of, const network_options &options, const std::vector<named_tensors> &inputs) {
    network by(of, options);
    std::vector<outputs> results;
    for (const named_tensors &given : inputs) results.push_back(by.run(given));
    return results;
}

double changed(const std::vector<outputs> &wanted, const std::vector<outputs> &found) {
    double sum = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) sum += changed_decisions(wanted[i], found[i]);
    return wanted.empty() ? 0 : sum / double(wanted.size());
}

/// Noise over signal of all results.
double noise_of(const std::vector<outputs> &wanted, const std::vector<outputs> &found) {
    double signal = 0, noise = 0;
    for (std::size_t run = 0; run < wanted.size(); ++run)
        for (std::size_t i = 0; i < wanted[run].size(); ++i) {
            const std::vector<double> x = wanted[run][i].numbers(), y = found[run][i].numbers();
            for (std::size_t k = 0; k < x.size() && k < y.size(); ++k) {
                signal += x[k] * x[k];
                noise += (x[k] - y[k]) * (x[k] - y[k]);
            }
        }
    return signal > 0 ? noise / signal : noise;
}

/// The first node of each product that has a quantizer and is not kept anyway.
std::vector<std::string> candidates(
    const model &of, const network_options &options, const named_tensors &given) {
    network plain(of, {options.fuse, options.check_extents, {}});
    std::vector<std::string> found;
    plain.run(given, [&](const steps &program, std::size_t at) {
        const step &s = program.list()[at];
        if (!options.types.sources.count(s.source)) return;
        const std::string node = s.text.substr(0, s.text.find(" + "));
        const bool kept = std::any_of(options.types.keep.begin(), options.types.keep.end(),
            [&](const std::string &part) { return s.text.find(part) != std::string::npos; });
        if (!kept && std::find(found.begin(), found.end(), node) == found.end())
            found.push_back(node);
    });
    return found;
}

} // namespace

double changed_decisions(const std::vector<tensor> &wanted, const std::vector<tensor> &found) {
    std::int64_t all = 0, differ = 0;
    for (std::size_t output = 0; output < wanted.size(); ++output) {
        const std::vector<double> x = wanted[output].numbers(), y = found[output].numbers();
        const extents &dims = wanted[output].dims();
        const std::size_t row = dims.empty() ? 1 : std::size_t(dims.back());
        if (decides_by_element(x, row)) {
            for (std::size_t i = 0; i < x.size() && i < y.size(); ++i, ++all)
                differ += (x[i] > .5) != (y[i] > .5);
            continue;
        }
        for (std::size_t at = 0; row && at + row <= std::min(x.size(), y.size());
             at += row, ++all) {
            const auto place = [&](const std::vector<double> &v) {
                const auto begin = v.begin() + std::ptrdiff_t(at);
                return std::max_element(begin, begin + std::ptrdiff_t(row)) - begin;
            };
            differ += place(x) != place(y);
        }
    }
    return all ? 100. * double(differ) / double(all) : 0;
}

kept_products products_to_keep(const model &of, const network_options &options,
    const std::vector<named_tensors> &inputs, double percent,
    const std::function<void(std::size_t, std::size_t)> &progress) {
    kept_products result;
    if (inputs.empty()) return result;
    std::vector<std::string> nodes = candidates(of, options, inputs[0]);
    result.all = nodes.size();
    const std::vector<outputs> f32 =
        results_of(of, {options.fuse, options.check_extents, {}}, inputs);
    // All in integers, each product alone, and the halves of what is left.
    std::size_t done = 0, runs = 1 + nodes.size() + std::size_t(std::bit_width(nodes.size()));
    const auto step = [&] {
        if (progress) progress(std::min(done, runs), runs);
        ++done;
    };
    const auto loss = [&](std::size_t kept) {
        step();
        network_options with = options;
        with.types.keep.insert(
            with.types.keep.end(), nodes.begin(), nodes.begin() + std::ptrdiff_t(kept));
        return changed(f32, results_of(of, with, inputs));
    };
    result.changed = loss(0);
    if (result.changed <= percent) return result;

    const std::vector<named_tensors> few(
        inputs.begin(), inputs.begin() + std::ptrdiff_t(std::min<std::size_t>(inputs.size(), 4)));
    const std::vector<outputs> few_f32(f32.begin(), f32.begin() + std::ptrdiff_t(few.size()));
    std::vector<std::pair<double, std::string>> noise;
    for (const std::string &node : nodes) {
        step();
        network_options alone = options;
        for (const std::string &other : nodes)
            if (other != node) alone.types.keep.push_back(other);
        noise.emplace_back(noise_of(few_f32, results_of(of, alone, few)), node);
    }
    std::stable_sort(
        noise.begin(), noise.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = noise[i].second;

    std::size_t too_few = 0, enough = nodes.size(); // kept products
    result.changed = 0;                             // of all kept: that is f32
    while (enough - too_few > 1) {
        const std::size_t middle = (too_few + enough) / 2;
        const double here = loss(middle);
        if (here <= percent) {
            enough = middle;
            result.changed = here;
        } else {
            too_few = middle;
        }
    }
    result.nodes.assign(nodes.begin(), nodes.begin() + std::ptrdiff_t(enough));
    return result;
}

} // namespace dnnl_onnx
