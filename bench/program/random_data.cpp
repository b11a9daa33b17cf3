// SPDX-License-Identifier: Apache-2.0
#include "random_data.hpp"

#include <cstring>

namespace bench {
namespace {

// Words of a linear congruential generator, whose upper bits are good enough for data.
struct generator {
    std::uint64_t state;
    std::uint32_t next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state >> 32);
    }
};

float unit_float(std::uint32_t word) {
    const std::uint32_t bits = 0x3f800000u | word >> 9; // [1, 2)
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return 2 * x - 3;
}

// A sign, an exponent among the four below 1, and a random mantissa.
std::uint32_t small_float(std::uint32_t word, int mantissa_bits, int sign_bit, int bias) {
    const std::uint32_t exponent = static_cast<std::uint32_t>(bias) - 4 + (word >> 20 & 3);
    const std::uint32_t mantissa = word & ((1u << mantissa_bits) - 1);
    return (word >> 31) << sign_bit | exponent << mantissa_bits | mantissa;
}

template <class T, class Make>
void fill(void *elements, std::size_t bytes, std::uint64_t seed, const Make &make) {
    generator random {seed * 2654435761u + 1};
    auto *to = static_cast<unsigned char *>(elements);
    for (std::size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        const T element = static_cast<T>(make(random.next()));
        std::memcpy(to + i, &element, sizeof element);
    }
}

} // namespace

void fill_randomly(
    dnnl::memory::data_type type, std::uint64_t seed, void *elements, std::size_t bytes) {
    using t = dnnl::memory::data_type;
    const auto floats = [&]<class T>(T, int mantissa_bits, int sign_bit, int bias) {
        fill<T>(elements, bytes, seed,
            [=](std::uint32_t w) { return small_float(w, mantissa_bits, sign_bit, bias); });
    };
    switch (type) {
    case t::f32: return fill<float>(elements, bytes, seed, unit_float);
    case t::f64: return fill<double>(elements, bytes, seed, unit_float);
    case t::s32:
        return fill<std::int32_t>(elements, bytes, seed,
            [](std::uint32_t w) { return static_cast<std::int32_t>(w >> 24) - 128; });
    case t::bf16: return floats(std::uint16_t {}, 7, 15, 127);
    case t::f16: return floats(std::uint16_t {}, 10, 15, 15);
    case t::f8_e5m2: return floats(std::uint8_t {}, 2, 7, 15);
    case t::f8_e4m3: return floats(std::uint8_t {}, 3, 7, 7);
    case t::e8m0:
        return fill<std::uint8_t>(
            elements, bytes, seed, [](std::uint32_t w) { return 124 + (w >> 30); });
    default: // bytes and pairs of 4 bits
        return fill<std::uint8_t>(elements, bytes, seed, [](std::uint32_t w) { return w >> 24; });
    }
}

} // namespace bench
