// SPDX-License-Identifier: Apache-2.0
// Tiles for a test case: those of the CPU where it has AMX, else the model of them.
#pragma once

#include <optional>

#include "kernel_levels.hpp"
#include "models/instruction_emulator.hpp"
#include "models/tile_model.hpp"
#include "needs_avx512.hpp"

namespace dnnl::impl {

/// One per test case, before the first tile instruction.
class amx_tiles {
  public:
    amx_tiles() {
        if (request_amx_permission()) // granted where the CPU has tiles, also below a cap
            BOOST_TEST_MESSAGE("tiles of the CPU");
        else
            emulator_.emplace();
    }
    /// Every instruction was legal, and no thread keeps tiles.
    ~amx_tiles() {
        if (!emulator_) return;
        const char *violation = tile_model::violation();
        BOOST_TEST(!violation, "illegal tile instruction: " << (violation ? violation : ""));
        BOOST_TEST(counts().configured_threads == 0);
    }
    bool emulated() const { return emulator_.has_value(); }
    static tile_counts &counts() { return amx_emulator::counts(); }

  private:
    std::optional<amx_emulator> emulator_;
};

} // namespace dnnl::impl
