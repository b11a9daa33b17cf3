// SPDX-License-Identifier: Apache-2.0
// A model of the AMX tiles, so that tile code is tested on CPUs without them. Such a CPU refuses
// the instructions with SIGILL; amx_emulator carries them out on a tile_model and lets the program
// go on, so that the code under test is the object code of the library itself.
#pragma once

#include <atomic>
#include <csignal>

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

/// Instructions carried out since an emulator was made, by all threads.
struct tile_counts {
    std::atomic<long> configurations, releases, loads, stores, zeros, products;
    std::atomic<long> configured_threads; ///< threads whose tiles are configured now
};

/// While one lives, AMX instructions that raise SIGILL run on the tile_model of their thread. Other
/// causes of SIGILL go to the handler before. One at a time.
class amx_emulator {
  public:
    amx_emulator();
    ~amx_emulator();
    amx_emulator(const amx_emulator &) = delete;
    amx_emulator &operator=(const amx_emulator &) = delete;
    static tile_counts &counts();
};

} // namespace dnnl::impl
