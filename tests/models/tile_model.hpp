// SPDX-License-Identifier: Apache-2.0
// A model of the AMX tiles: their state and their instructions as functions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Eight tiles of 16 rows x 64 bytes under palette 1, as the architecture manual defines them: all
/// instructions of AMX-TILE and AMX-INT8, and TDPBF16PS. What the hardware refuses (#UD or #GP) has
/// no effect here but to be remembered as a violation.
class tile_model {
  public:
    static constexpr int tile_count = 8, max_rows = 16, row_bytes = 64;
    enum class product { s8_s8, s8_u8, u8_s8, u8_u8, bf16 };

    void load_configuration(const void *from); ///< LDTILECFG, 64 bytes
    void store_configuration(void *to);        ///< STTILECFG, 64 bytes
    void release();                            ///< TILERELEASE
    void zero(int tile);                       ///< TILEZERO
    void load(int tile, const void *from, std::ptrdiff_t stride);
    void store(int tile, void *to, std::ptrdiff_t stride);
    /// c[m][n] += sum over k of a[m][k] * b[k][n], groups of four bytes or two bf16.
    void multiply(product what, int c, int a, int b);

    bool configured() const { return configured_; }
    /// The first violation of all threads since the last reset, or null.
    static const char *violation() { return violation_; }
    static void reset_violation() { violation_ = nullptr; }
    static void violate(const char *what);

  private:
    struct configuration {
        u8 palette, start_row, reserved[14];
        std::uint16_t column_bytes[16];
        u8 rows[16];
    };
    static const char *refusal_of(const configuration &c);
    bool usable(int tile);
    const char *product_refusal(int c, int a, int b) const;
    void multiply_bytes(product what, int c, int a, int b);
    void multiply_bf16(int c, int a, int b);
    void clear_outside(int tile);

    static std::atomic<const char *> violation_;
    bool configured_ = false;
    configuration configuration_ {};
    alignas(64) u8 tiles_[tile_count][max_rows][row_bytes] {};
};

} // namespace dnnl::impl
