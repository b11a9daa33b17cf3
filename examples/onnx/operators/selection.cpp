// SPDX-License-Identifier: Apache-2.0
// Operators that choose elements by their values: how many there are is known when they are.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace dnnl_onnx {

namespace {

host_step non_zero(op_context &c) {
    const tensor &x = c.value(0);
    const int rank = std::max(1, c.rank(0));
    const std::vector<double> values = x.numbers();
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0) places.push_back(std::int64_t(i));
    c.output(0, element_type::s64, {rank, std::int64_t(places.size())});
    return [places, strides = strides_of(c.dims(0))](views in, views out) {
        auto *to = out[0].data<std::int64_t>();
        for (std::size_t d = 0; d < strides.size(); ++d)
            for (const std::int64_t at : places) *to++ = at / strides[d] % in[0].dims()[d];
        if (strides.empty()) std::fill_n(to, places.size(), 0);
    };
}

/// The parts of an axis whose condition holds; without an axis the elements, in order.
host_step compress(op_context &c) {
    const bool flat = !c.has_attribute("axis");
    const int axis = flat ? 0 : c.axis("axis", 0, c.rank(0));
    const extents from = flat ? extents {c.in(0).count()} : c.dims(0);
    std::vector<std::int64_t> kept;
    const std::vector<std::int64_t> condition = c.value(1).integers();
    for (std::size_t i = 0; i < condition.size() && std::int64_t(i) < from[axis]; ++i)
        if (condition[i]) kept.push_back(std::int64_t(i));
    extents to = from;
    to[axis] = std::int64_t(kept.size());
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    return [=](views in, views out) {
        const axis_view view = around(from, axis);
        const std::size_t run = std::size_t(view.inner) * size_of(type);
        std::byte *at = out[0].elements;
        for (std::int64_t o = 0; o < view.outer; ++o)
            for (const std::int64_t i : kept) {
                std::memcpy(at, in[0].elements + std::size_t(o * view.extent + i) * run, run);
                at += run;
            }
    };
}

/// Slices of a tensor along an axis as rows of numbers.
std::vector<std::vector<double>> slices_of(const tensor &x, const extents &dims, int axis) {
    const axis_view view = around(dims, axis);
    const std::vector<double> values = x.numbers();
    std::vector<std::vector<double>> slices(std::size_t(view.extent));
    for (std::int64_t o = 0; o < view.outer; ++o)
        for (std::int64_t i = 0; i < view.extent; ++i)
            for (std::int64_t n = 0; n < view.inner; ++n)
                slices[i].push_back(values[(o * view.extent + i) * view.inner + n]);
    return slices;
}

/// The different slices along an axis, or elements; where each first is, which each is, and counts.
host_step unique(op_context &c) {
    const bool flat = !c.has_attribute("axis"), sorted = c.integer("sorted", 1) != 0;
    const int axis = flat ? 0 : c.axis("axis", 0, c.rank(0));
    const extents from = flat ? extents {c.in(0).count()} : c.dims(0);
    const auto slices = slices_of(c.value(0), from, axis);
    std::vector<std::int64_t> first, which(slices.size()), counts;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const auto same = std::find_if(
            first.begin(), first.end(), [&](auto f) { return slices[f] == slices[i]; });
        which[i] = same - first.begin();
        if (same == first.end()) {
            first.push_back(std::int64_t(i));
            counts.push_back(0);
        }
        ++counts[which[i]];
    }
    std::vector<std::int64_t> order(first.size()), place(first.size());
    std::iota(order.begin(), order.end(), 0);
    if (sorted)
        std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return slices[first[a]] < slices[first[b]]; });
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = std::int64_t(i);
    extents to = from;
    to[axis] = std::int64_t(first.size());
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    c.output(1, element_type::s64, {std::int64_t(first.size())});
    c.output(2, element_type::s64, {std::int64_t(slices.size())});
    c.output(3, element_type::s64, {std::int64_t(first.size())});
    return [=](views in, views out) {
        const axis_view view = around(from, axis);
        const std::size_t run = std::size_t(view.inner) * size_of(type);
        std::byte *at = out[0].elements;
        for (std::int64_t o = 0; o < view.outer; ++o)
            for (const std::int64_t i : order) {
                std::memcpy(
                    at, in[0].elements + std::size_t(o * view.extent + first[i]) * run, run);
                at += run;
            }
        const auto give = [&](std::size_t output, std::size_t count, auto &&value) {
            if (output >= out.size() || !out[output]) return;
            for (std::size_t i = 0; i < count; ++i)
                out[output].template data<std::int64_t>()[i] = value(i);
        };
        give(1, order.size(), [&](std::size_t i) { return first[order[i]]; });
        give(2, which.size(), [&](std::size_t i) { return place[which[i]]; });
        give(3, order.size(), [&](std::size_t i) { return counts[order[i]]; });
    };
}

/// The k largest or smallest along an axis, of equal ones those of lower index first.
host_step top_k(op_context &c) {
    const int axis = c.axis("axis", -1, c.rank(0));
    const bool largest = c.integer("largest", 1) != 0;
    const std::int64_t k = c.opset < 10 ? *c.required("k").integer : c.value(1).integers().at(0);
    extents to = c.dims(0);
    if (k < 0 || k > to[axis])
        c.fail("the " + std::to_string(k) + " first of " + std::to_string(to[axis]));
    to[axis] = k;
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    c.output(1, element_type::s64, to);
    return [axis, largest, k, type](views in, views out) {
        const axis_view view = around(in[0].dims(), axis);
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            std::vector<std::int64_t> order(std::size_t(view.extent));
            for (std::int64_t o = 0; o < view.outer; ++o)
                for (std::int64_t n = 0; n < view.inner; ++n) {
                    const T *x = in[0].data<T>() + o * view.extent * view.inner + n;
                    const auto at = [&](std::int64_t i) {
                        return arithmetic_type<T>(x[i * view.inner]);
                    };
                    std::iota(order.begin(), order.end(), 0);
                    std::partial_sort(
                        order.begin(), order.begin() + k, order.end(), [&](auto a, auto b) {
                            if (at(a) != at(b)) return largest ? at(a) > at(b) : at(a) < at(b);
                            return a < b;
                        });
                    for (std::int64_t i = 0; i < k; ++i) {
                        const std::int64_t to = (o * k + i) * view.inner + n;
                        out[0].data<T>()[to] = x[order[i] * view.inner];
                        if (out.size() > 1 && out[1]) out[1].data<std::int64_t>()[to] = order[i];
                    }
                }
        });
    };
}

} // namespace

operator_table selection_operators() {
    static const operator_entry table[] = {
        {"Compress", compress},
        {"NonZero", non_zero},
        {"TopK", top_k},
        {"Unique", unique},
    };
    return table;
}

} // namespace dnnl_onnx
