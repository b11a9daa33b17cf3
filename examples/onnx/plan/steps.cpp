// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include "../model/error.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace dnnl_onnx {

namespace {

// Buffers begin at cache lines of their own.
std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

} // namespace

int steps::add_buffer(kind what, std::size_t bytes) {
    buffer b;
    b.what = what;
    b.bytes = bytes;
    buffers_.push_back(std::move(b));
    return int(buffers_.size()) - 1;
}

int steps::add_input(std::size_t index, std::size_t bytes) {
    const int id = add_buffer(kind::input, bytes);
    buffers_[id].input = index;
    return id;
}

int steps::add_constant(const dnnl::memory &elements) {
    const int id = add_buffer(kind::constant, elements.get_desc().get_size());
    buffers_[id].constant = elements;
    buffers_[id].at = static_cast<std::byte *>(elements.get_data_handle());
    return id;
}

int steps::add_constant(const tensor &elements) {
    const int id = add_buffer(kind::constant, elements.type().bytes());
    buffers_[id].elements = elements;
    buffers_[id].at = buffers_[id].elements.bytes();
    return id;
}

const tensor_type *steps::keep(tensor_type type) {
    types_.push_back(std::move(type));
    return &types_.back();
}

void steps::find_lifetimes() {
    const auto touch = [&](const operand &what, std::size_t at) {
        if (what.buffer < 0) return;
        buffer &b = buffers_[what.buffer];
        b.first = std::min(b.first, at);
        b.last = std::max(b.last, at);
    };
    for (std::size_t at = 0; at < list_.size(); ++at) {
        for (const auto &[key, what] : list_[at].arguments) touch(what, at);
        for (const auto &[what, type] : list_[at].reads) touch(what, at);
        for (const auto &[what, type] : list_[at].writes) touch(what, at);
    }
}

// The largest first, each at the lowest place where no buffer lies that is needed at a common step.
void steps::place_buffers() {
    std::vector<int> order;
    for (int id = 0; id < int(buffers_.size()); ++id) {
        const buffer &b = buffers_[id];
        if (b.what == kind::constant) use_.constants += b.bytes;
        if (b.what == kind::shared && b.first <= b.last) order.push_back(id);
    }
    std::stable_sort(order.begin(), order.end(),
        [&](int a, int b) { return buffers_[a].bytes > buffers_[b].bytes; });
    std::vector<int> placed; // by offset
    for (int id : order) {
        buffer &b = buffers_[id];
        use_.summed += rounded(b.bytes);
        for (int other : placed) {
            const buffer &o = buffers_[other];
            if (o.last < b.first || b.last < o.first) continue;
            if (b.offset + rounded(b.bytes) <= o.offset) break;
            b.offset = std::max(b.offset, o.offset + rounded(o.bytes));
        }
        use_.at_once = std::max(use_.at_once, b.offset + rounded(b.bytes));
        placed.insert(std::upper_bound(placed.begin(), placed.end(), id,
                          [&](int x, int y) { return buffers_[x].offset < buffers_[y].offset; }),
            id);
    }
    arena_ = tensor(element_type::u8, {std::int64_t(use_.at_once)});
    for (int id : order) buffers_[id].at = arena_.bytes() + buffers_[id].offset;
}

void steps::bind(const dnnl::engine &engine) {
    for (const step &s : list_) {
        auto &arguments = bound_.emplace_back();
        for (const auto &[key, what] : s.arguments)
            arguments.emplace(key, dnnl::memory(what.desc, engine, address(what)));
        auto &in = host_in_.emplace_back();
        for (const auto &[what, type] : s.reads)
            in.push_back({type, what.buffer < 0 ? nullptr : address(what)});
        auto &out = host_out_.emplace_back();
        for (const auto &[what, type] : s.writes)
            out.push_back({type, what.buffer < 0 ? nullptr : address(what)});
    }
}

void steps::finish(const dnnl::engine &engine, std::vector<std::pair<int, tensor_type>> outputs) {
    outputs_ = std::move(outputs);
    find_lifetimes();
    place_buffers();
    static std::byte nothing[64]; // an address for what is not there yet
    for (buffer &b : buffers_) {
        b.moves = b.what == kind::input || b.what == kind::output;
        if (!b.at) b.at = nothing;
    }
    bind(engine);
}

void steps::take_inputs(const std::vector<tensor> &inputs) {
    for (buffer &b : buffers_)
        if (b.what == kind::input) b.at = const_cast<std::byte *>(inputs[b.input].bytes());
}

// Each run gives its caller tensors of its own.
void steps::renew_outputs() {
    for (const auto &[id, type] : outputs_) {
        buffer &b = buffers_[id];
        if (b.what != kind::output) continue;
        b.elements = tensor(type);
        b.at = b.elements.bytes();
    }
}

void steps::rebind() {
    for (std::size_t at = 0; at < list_.size(); ++at) {
        const step &s = list_[at];
        for (const auto &[key, what] : s.arguments)
            if (buffers_[what.buffer].moves) bound_[at].at(key).set_data_handle(address(what));
        for (std::size_t i = 0; i < s.reads.size(); ++i)
            if (s.reads[i].first.buffer >= 0) host_in_[at][i].elements = address(s.reads[i].first);
        for (std::size_t i = 0; i < s.writes.size(); ++i)
            if (s.writes[i].first.buffer >= 0)
                host_out_[at][i].elements = address(s.writes[i].first);
    }
}

std::vector<tensor> steps::run(const dnnl::stream &stream, const std::vector<tensor> &inputs,
    const std::function<void(std::size_t)> &watch) {
    take_inputs(inputs);
    renew_outputs();
    rebind();
    for (std::size_t at = 0; at < list_.size(); ++at) {
        const step &s = list_[at];
        try {
            if (s.primitive)
                s.primitive.execute(stream, bound_[at]);
            else
                s.host(host_in_[at], host_out_[at]);
        } catch (const dnnl::error &e) {
            throw error(s.text + ": " + e.what());
        }
        if (watch) watch(at);
    }
    std::vector<tensor> results;
    for (const auto &[id, type] : outputs_)
        results.push_back(buffers_[id].elements.reshaped(type.dims));
    return results;
}

} // namespace dnnl_onnx
