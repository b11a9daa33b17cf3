// SPDX-License-Identifier: Apache-2.0
// Operations follow the pseudocode of the architecture manual.
#include "tile_model.hpp"

#include <cstring>

#include "bf16_arithmetic.hpp"

namespace dnnl::impl {

std::atomic<const char *> tile_model::violation_ {nullptr};

void tile_model::violate(const char *what) {
    const char *none = nullptr;
    violation_.compare_exchange_strong(none, what);
}

const char *tile_model::refusal_of(const configuration &c) {
    if (c.palette > 1) return "ldtilecfg: unknown palette";
    if (c.start_row != 0) return "ldtilecfg: a start row makes the next product fault";
    for (u8 byte : c.reserved)
        if (byte != 0) return "ldtilecfg: reserved bytes are not zero";
    for (int t = 0; t < 16; ++t) {
        if (t >= tile_count && (c.rows[t] || c.column_bytes[t])) return "ldtilecfg: tile over 7";
        if (c.rows[t] > max_rows) return "ldtilecfg: more than 16 rows";
        if (c.column_bytes[t] > row_bytes) return "ldtilecfg: more than 64 bytes in a row";
        if ((c.rows[t] == 0) != (c.column_bytes[t] == 0))
            return "ldtilecfg: rows without columns or columns without rows";
    }
    return nullptr;
}

void tile_model::load_configuration(const void *from) {
    static_assert(sizeof(configuration) == 64);
    configuration c;
    std::memcpy(&c, from, sizeof c);
    if (c.palette == 0) return release();
    if (const char *refusal = refusal_of(c)) return violate(refusal);
    configuration_ = c;
    configured_ = true;
    std::memset(tiles_, 0, sizeof tiles_);
}

void tile_model::store_configuration(void *to) {
    std::memcpy(to, &configuration_, sizeof configuration_); // all zero when not configured
}

void tile_model::release() {
    configured_ = false;
    configuration_ = {};
    std::memset(tiles_, 0, sizeof tiles_);
}

bool tile_model::usable(int tile) {
    if (!configured_)
        violate("a tile is used without a configuration");
    else if (tile >= tile_count || configuration_.rows[tile] == 0)
        violate("a tile has no rows");
    else
        return true;
    return false;
}

void tile_model::clear_outside(int tile) {
    const int rows = configuration_.rows[tile], bytes = configuration_.column_bytes[tile];
    for (int m = 0; m < max_rows; ++m) {
        const int kept = m < rows ? bytes : 0;
        std::memset(tiles_[tile][m] + kept, 0, static_cast<std::size_t>(row_bytes - kept));
    }
}

void tile_model::zero(int tile) {
    if (usable(tile)) std::memset(tiles_[tile], 0, sizeof tiles_[tile]);
}

void tile_model::load(int tile, const void *from, std::ptrdiff_t stride) {
    if (!usable(tile)) return;
    for (int m = 0; m < configuration_.rows[tile]; ++m)
        std::memcpy(tiles_[tile][m], static_cast<const char *>(from) + m * stride,
            configuration_.column_bytes[tile]);
    clear_outside(tile);
}

void tile_model::store(int tile, void *to, std::ptrdiff_t stride) {
    if (!usable(tile)) return;
    for (int m = 0; m < configuration_.rows[tile]; ++m)
        std::memcpy(static_cast<char *>(to) + m * stride, tiles_[tile][m],
            configuration_.column_bytes[tile]);
}

const char *tile_model::product_refusal(int c, int a, int b) const {
    const configuration &f = configuration_;
    if (c == a || a == b || b == c) return "a product names one tile twice";
    for (int t : {c, a, b})
        if (f.column_bytes[t] % 4 != 0) return "a product's tile has no whole groups of 4 bytes";
    if (f.rows[c] != f.rows[a]) return "a product's rows of C and A differ";
    if (f.column_bytes[c] != f.column_bytes[b]) return "a product's columns of C and B differ";
    if (f.column_bytes[a] / 4 != f.rows[b]) return "a product's columns of A and rows of B differ";
    return nullptr;
}

void tile_model::multiply(product what, int c, int a, int b) {
    if (!usable(c) || !usable(a) || !usable(b)) return;
    if (const char *refusal = product_refusal(c, a, b)) return violate(refusal);
    what == product::bf16 ? multiply_bf16(c, a, b) : multiply_bytes(what, c, a, b);
    clear_outside(c);
}

namespace {

int byte_at(const u8 *p, bool is_signed) { return is_signed ? static_cast<s8>(*p) : *p; }

} // namespace

// The four products of a group are added to 32 bits that wrap around.
void tile_model::multiply_bytes(product what, int c, int a, int b) {
    const bool signed_a = what == product::s8_s8 || what == product::s8_u8;
    const bool signed_b = what == product::s8_s8 || what == product::u8_s8;
    for (int m = 0; m < configuration_.rows[c]; ++m)
        for (int n = 0; n < configuration_.column_bytes[c] / 4; ++n) {
            std::uint32_t sum;
            std::memcpy(&sum, tiles_[c][m] + 4 * n, sizeof sum);
            for (int k = 0; k < configuration_.column_bytes[a] / 4; ++k)
                for (int i = 0; i < 4; ++i)
                    sum += static_cast<std::uint32_t>(byte_at(tiles_[a][m] + 4 * k + i, signed_a) *
                                                      byte_at(tiles_[b][k] + 4 * n + i, signed_b));
            std::memcpy(tiles_[c][m] + 4 * n, &sum, sizeof sum);
        }
}

// Two sums per element, of the even and of the odd k, by fused multiply-adds in the order of k;
// they are added to each other and then to the element.
void tile_model::multiply_bf16(int c, int a, int b) {
    const flushing_arithmetic flushing;
    for (int m = 0; m < configuration_.rows[c]; ++m)
        for (int n = 0; n < configuration_.column_bytes[c] / 4; ++n) {
            f32 even = 0, odd = 0, sum;
            for (int k = 0; k < configuration_.column_bytes[a] / 4; ++k) {
                const u8 *left = tiles_[a][m] + 4 * k, *right = tiles_[b][k] + 4 * n;
                even = fused_multiply_add(widened_bf16(left), widened_bf16(right), even);
                odd = fused_multiply_add(widened_bf16(left + 2), widened_bf16(right + 2), odd);
            }
            std::memcpy(&sum, tiles_[c][m] + 4 * n, sizeof sum);
            sum += even + odd;
            std::memcpy(tiles_[c][m] + 4 * n, &sum, sizeof sum);
        }
}

} // namespace dnnl::impl
