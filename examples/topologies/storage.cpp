// SPDX-License-Identifier: Apache-2.0
// Forms and places of results.
#include "storage.hpp"

#include <algorithm>
#include <stdexcept>

namespace topologies {
namespace {

bool pooling(const layer &l) { return l.what == kind::maximum || l.what == kind::average; }

/// The layers that share a form with others, each with the number of the first of its group.
std::vector<int> groups_of_forms(const graph &g) {
    std::vector<int> group(g.layers.size());
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = int(i);
    for (std::size_t i = 0; i < group.size(); ++i) {
        const layer &l = g.layers[i];
        if (!pooling(l) && l.what != kind::concat) continue;
        for (const int s : l.sources) {
            const int from = group[i], to = group[std::size_t(s)];
            std::replace(group.begin(), group.end(), from, to);
        }
    }
    return group;
}

} // namespace

form bytes_for(float largest, bool nonnegative) {
    largest = std::max(largest, 1e-20f);
    return nonnegative ? form {dt::u8, largest / 255} : form {dt::s8, largest / 127};
}

bool nonnegative(const graph &g, int of) {
    const layer &l = g.layers[std::size_t(of)];
    const bool relu = l.more.after == activation::relu || l.more.after == activation::relu6;
    if (relu || l.what == kind::softmax || (l.what == kind::input && l.image())) return true;
    if (!pooling(l) && l.what != kind::concat) return false;
    return std::all_of(
        l.sources.begin(), l.sources.end(), [&](int s) { return nonnegative(g, s); });
}

std::vector<form> forms_of(const graph &g, precision p, const std::vector<float> &ranges) {
    const std::size_t count = g.layers.size();
    std::vector<form> forms(count);
    if (p == precision::bf16) std::fill(forms.begin(), forms.end() - 1, form {dt::bf16});
    if (p != precision::int8) return forms;
    const std::vector<int> group = groups_of_forms(g);
    for (std::size_t i = 0; i < count; ++i) {
        if (g.layers[i].more.real) continue;
        float largest = 0;
        bool positive = true;
        for (std::size_t j = 0; j < count; ++j) {
            if (group[j] != group[i]) continue;
            largest = std::max(largest, ranges.at(j));
            positive = positive && nonnegative(g, int(j));
        }
        forms[i] = bytes_for(largest, positive);
    }
    return forms;
}

std::vector<place> places_of(const graph &g, const std::vector<form> &forms) {
    const int count = int(g.layers.size());
    std::vector<place> places(static_cast<std::size_t>(count));
    const auto at = [&](int i) -> place & { return places[std::size_t(i)]; };
    for (int i = 0; i < count; ++i) at(i) = {i, 0, g.last_reader(i), true};
    for (int i = 0; i < count; ++i) {
        dim channel = 0;
        if (g.layers[std::size_t(i)].what != kind::concat) continue;
        for (const int s : g.layers[std::size_t(i)].sources) {
            if (!at(s).alone || at(s).root != s)
                throw std::logic_error("a result that is a part of two concats");
            at(s) = {i, channel, at(s).last_read, false};
            at(i).last_read = std::max(at(i).last_read, at(s).last_read);
            channel += g.layers[std::size_t(s)].shape[1];
        }
    }
    // A sum replaces its addend if nothing reads that later.
    for (int i = 0; i < count; ++i) {
        const int addend = g.layers[std::size_t(i)].more.addend;
        if (addend < 0 || !at(i).alone || !at(addend).alone) continue;
        const int root = at(addend).root;
        const auto size = [&](int of) {
            return memory::data_type_size(forms[std::size_t(of)].type);
        };
        const bool read = at(g.layers[std::size_t(i)].sources[0]).root == root;
        if (read || at(root).last_read > i || size(i) != size(addend)) continue;
        at(i).root = root;
        at(root).last_read = at(i).last_read;
    }
    for (place &p : places) p.last_read = at(p.root).last_read;
    return places;
}

void *arena::take(std::size_t bytes, int now, int until) {
    buffer *best = nullptr;
    for (buffer &b : buffers_)
        if (b.until < now && b.size >= bytes && (!best || b.size < best->size)) best = &b;
    if (!best) {
        const memory::desc raw({dim(bytes)}, dt::u8, memory::format_tag::x);
        buffers_.push_back({memory(raw, engine_), bytes, 0});
        best = &buffers_.back();
    }
    best->until = until;
    return best->bytes.get_data_handle();
}

} // namespace topologies
