// SPDX-License-Identifier: Apache-2.0
// Finds scales and zero points of arguments; random numbers of dropout and rounding.
#include "common/attributes/attributes.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

bool dnnl_primitive_attr::has_default_values() const {
    return scales.empty() && zero_points.empty() && reductions.empty() &&
           post_ops.entries.empty() && stochastic_rounding.empty() && !dropout.enabled &&
           rnn.is_default();
}

namespace dnnl::impl {

const quantization *quantization_params::find(int arg) const {
    for (const quantization &entry : entries_)
        if (entry.arg == arg) return &entry;
    return nullptr;
}

void quantization_params::set(const quantization &entry) {
    const auto place = std::find_if(entries_.begin(), entries_.end(),
        [&](const quantization &q) { return q.arg >= entry.arg; });
    if (place != entries_.end() && place->arg == entry.arg)
        *place = entry;
    else
        entries_.insert(place, entry);
}

bool adds_at_most_dst(const post_ops &ops, data_type dst) {
    if (ops.entries.size() != 1) return ops.entries.empty();
    const auto *sum = std::get_if<sum_post_op>(ops.entries.data());
    return sum && sum->scale == 1.0f && sum->zero_point == 0 &&
           (sum->dtype == data_type::undef || sum->dtype == dst);
}

memory_desc prelu_weights(int mask, const memory_desc &dst, const memory_desc &passed) {
    memory_desc md = passed;
    md.ndims = dst.ndims;
    int next = 0;
    for (int d = 0; d < dst.ndims; ++d) {
        const bool varies = (mask >> d & 1) && dst.dims[d] != 1;
        while (varies && passed.dims[next] == 1) ++next;
        md.dims[d] = md.padded_dims[d] = varies ? dst.dims[d] : 1;
        md.strides[d] = varies ? passed.strides[next++] : 0;
    }
    return md;
}

int value_dims(const quantization &q, const memory_desc &md, dims_t &dims) {
    int count = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (q.mask >> d & 1) dims[count++] = div_up(md.dims[d], q.group(md.ndims, d));
    return count;
}

dim_t value_count(const quantization &q, const memory_desc &md) {
    dims_t dims {};
    const int ndims = value_dims(q, md, dims);
    return product(dims, ndims);
}

bool has_sum(const post_ops &ops) {
    return std::any_of(ops.entries.begin(), ops.entries.end(),
        [](const post_op &op) { return std::holds_alternative<sum_post_op>(op); });
}

// ---- Random numbers ----

std::uint32_t random_word(std::uint64_t index, const random_sequence &sequence) {
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const std::uint64_t block = index & ~std::uint64_t {3}, offset = sequence.offset;
    const std::uint32_t first = low(block);
    std::uint32_t key0 = low(sequence.seed), key1 = high(sequence.seed);
    std::array<std::uint32_t, 4> c {low(offset), high(offset), first, high(block)};
    if (offset == 0) {
        c = {first, first + 1, first + 2, first + 3};
        key1 = key0;
    }
    for (int round = 0; round < 10; ++round) {
        if (round > 0) {
            key0 += 0x9E3779B9u; // the golden ratio
            key1 += 0xBB67AE85u; // sqrt(3) - 1
        }
        const std::uint64_t p = std::uint64_t {0xD2511F53u} * c[0];
        const std::uint64_t q = std::uint64_t {0xCD9E8D57u} * c[2];
        c = {high(q) ^ c[1] ^ key0, low(q), high(p) ^ c[3] ^ key1, low(p)};
    }
    return c[index & 3];
}

std::uint32_t dropout_threshold(float probability) {
    if (std::isnan(probability)) return 0xFFFFFFFFu;
    const double clamped = std::clamp(probability, 0.0f, 1.0f);
    // The threshold is an integer, and a random word exceeds a real number exactly when it exceeds
    // the integer part of it.
    return static_cast<std::uint32_t>(4294967295.0 * clamped);
}

float dropout_scale(float probability) {
    return probability != 1 ? 1.0f / (1.0f - probability) : 0.0f;
}

float_format float_format_of(data_type type) {
    switch (type) {
    case data_type::f32: return {24, 4, FLT_MIN, FLT_MAX};
    case data_type::f16: return {11, 2, 0x1p-14f, 65504};
    case data_type::bf16: return {8, 2, FLT_MIN, 0x1.fep127f};
    case data_type::f8_e4m3: return {4, 1, 0x1p-6f, 448};
    case data_type::f8_e5m2: return {3, 1, 0x1p-14f, 57344};
    case data_type::f4_e2m1: return {2, 1, 1, 6};
    default: return {0, 0, 0, 0};
    }
}

bool can_round_stochastically(data_type dst) { return float_format_of(dst).digits > 0; }

float round_stochastically(float value, data_type dst, dim_t offset, std::int32_t seed) {
    if (std::isnan(value)) return value;
    const float_format format = float_format_of(dst);
    const std::uint32_t kept = format.kept();
    // One random word serves four elements that take 8 bits, or two that take 16.
    const int per_word = format.per_random_word(), width = 32 / per_word;
    const auto index = static_cast<std::uint64_t>(offset / per_word);
    const std::uint32_t word = random_word(index, {static_cast<std::uint32_t>(seed)});
    const std::uint32_t random = word >> (offset % per_word * width) & ((1u << width) - 1);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) + (random & ~kept);
    const float cut = std::bit_cast<float>(bits & kept);
    const float saturated = std::clamp(cut, -format.max, format.max);
    const bool subnormal = saturated != 0 && std::fabs(saturated) < format.min_normal;
    return subnormal ? 0.0f : saturated;
}

} // namespace dnnl::impl
