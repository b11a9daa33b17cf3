// SPDX-License-Identifier: Apache-2.0
// Creating the same again takes what the creation before found: problem and row are immutable. Each
// hash has one place, so that there are never more than `places`.
#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <thread>

#include "common/plan/primitive.hpp"
#include "common/runtime/parallel.hpp"
#include "common/runtime/settings.hpp"

using namespace dnnl::impl;

namespace {

constexpr int places = 64;
std::mutex mutex;

/// Locks the places, which others hold for some 50 ns. It gives up where that lasts, as in a child
/// that was forked while another thread held them: then nothing is found or kept.
std::unique_lock<std::mutex> lock_places() {
    std::unique_lock lock(mutex, std::defer_lock);
    for (int tries = 0; tries < 100 && !lock.try_lock(); ++tries) std::this_thread::yield();
    return lock;
}

/// Tells problems apart, also by what their comparison takes for equal: zeros of either sign, and
/// strides of dimensions of one element.
std::uint64_t hash_of(op_desc &op, const primitive_attr &attr, int threads) {
    std::uint64_t hash = 0;
    const auto mix = [&](auto x) {
        hash = (hash ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    };
    const auto mix_float = [&](float x) { mix(std::bit_cast<std::uint32_t>(x)); };
    const auto mix_tensor = [&](const memory_desc &md, int arg) {
        mix(arg);
        mix(md.dtype);
        for (int d = 0; d < md.ndims; ++d) mix(md.dims[d]), mix(md.strides[d]);
    };
    mix(op.index());
    mix(threads);
    for (const tensor_argument &a : arguments_of(op)) mix_tensor(*a.md, a.arg);
    std::visit(
        [&]<class Desc>(const Desc &desc) {
            if constexpr (requires { desc.beta; }) mix_float(desc.alpha), mix_float(desc.beta);
            if constexpr (requires { desc.scales; })
                for (float scale : desc.scales) mix_float(scale);
        },
        op);
    for (const post_op &entry : attr.post_ops.entries) {
        if (auto *e = std::get_if<eltwise_post_op>(&entry)) mix_float(e->alpha), mix_float(e->beta);
        if (auto *s = std::get_if<sum_post_op>(&entry)) mix_float(s->scale);
    }
    for_each_source(attr.post_ops, mix_tensor);
    return hash;
}
} // namespace

struct dnnl_primitive_desc::kept_row {
    std::uint64_t hash = 0;
    std::shared_ptr<const problem> request {};
    std::shared_ptr<const chosen_row> row {};
};

dnnl_primitive_desc::kept_row &dnnl_primitive_desc::place_of(std::uint64_t hash, int used) {
    static auto &kept = *new std::array<kept_row, places>; // outlives whoever creates at exit
    return kept[hash % static_cast<unsigned>(std::clamp(used, 1, places))];
}

std::uint64_t dnnl_primitive_desc::take_kept(
    op_desc &op, const dnnl_primitive_attr &attr, isa target) {
    if (cache_capacity() == 0 || verbose::wants(verbose::dispatch)) return 0;
    const std::uint64_t hash = hash_of(op, attr, max_threads());
    kept_row kept;
    if (const auto lock = lock_places()) kept = place_of(hash, cache_capacity());
    was_kept_ = kept.row && kept.hash == hash && kept.request->target == target &&
                kept.request->op == op && kept.request->attr == attr;
    if (was_kept_) request_ = std::move(kept.request), row_ = std::move(kept.row);
    return hash;
}

void dnnl_primitive_desc::keep(std::uint64_t hash) const {
    const auto is_known_later = [](const tensor_argument &a) { return a.md->has_runtime(); };
    if (hash == 0 || std::ranges::any_of(row_->arguments, is_known_later))
        return; // the plan of run-time dimensions has that of its last extents to itself
    kept_row row {hash, request_, row_}; // the row that it replaces ends without the lock
    if (const auto lock = lock_places()) std::swap(place_of(hash, cache_capacity()), row);
}

void dnnl_primitive_desc::forget_kept() {
    std::array<kept_row, places> forgotten; // they end without the lock, too
    const auto lock = lock_places();
    for (unsigned i = 0; lock && i < places; ++i) std::swap(place_of(i, places), forgotten[i]);
}
