// SPDX-License-Identifier: Apache-2.0
// Memory between two inaccessible pages, and a report instead of a crash when it is overrun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace conformance {

/// Where the data lie: directly before the guard page behind, or directly behind the one before.
enum class placement { end, begin };

/// A reusable region with a guard page on both sides; it grows, and is mapped again when it must.
class guarded_buffer {
  public:
    guarded_buffer() = default;
    guarded_buffer(const guarded_buffer &) = delete;
    guarded_buffer &operator=(const guarded_buffer &) = delete;
    ~guarded_buffer();

    /// Copies `contents` to one end of the region; a margin of 64 KiB beside it holds a pattern.
    void fill(const std::vector<std::uint8_t> &contents, placement where);
    std::uint8_t *data() const { return data_; }
    std::size_t size() const { return size_; }
    /// True if the margin still holds the pattern.
    bool rest_is_untouched() const;

  private:
    std::uint8_t *region_ = nullptr; // first accessible byte
    std::size_t region_bytes_ = 0, size_ = 0;
    std::uint8_t *data_ = nullptr;
    std::uint8_t *margin_begin_ = nullptr, *margin_end_ = nullptr;
};

/// Runs `action`; false with `what` set if it touched inaccessible memory. A fault on another
/// thread than the caller's prints `line` and ends the process with status 1.
bool runs_inside_memory(
    const std::function<void()> &action, const std::string &line, std::string &what);

} // namespace conformance
