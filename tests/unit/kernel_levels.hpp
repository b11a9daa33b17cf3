// SPDX-License-Identifier: Apache-2.0
// The instruction-set levels that kernels are compiled for, those that this machine has, and
// buffers that end at a page without access.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "common/runtime/isa.hpp"

namespace dnnl::impl {

struct kernel_level {
    const char *name;
    isa mask;
};

inline constexpr kernel_level kernel_levels[] = {{"sse41", isa::sse41}, {"avx2", isa::avx2},
    {"avx2_vnni", isa::avx2_vnni}, {"avx512", isa::avx512}, {"avx512_vnni", isa::avx512_vnni},
    {"avx512_bf16", isa::avx512_bf16}, {"amx", isa::amx}};

/// Calls body(level) for each level of this machine; says which ones are skipped.
template <class Body> void for_each_level(const Body &body) {
    for (const kernel_level &level : kernel_levels) {
        const bool usable = has(effective_isa(), level.mask) &&
                            (level.mask != isa::amx || request_amx_permission());
        if (!usable) {
            BOOST_TEST_MESSAGE("skipped " << level.name << ": the CPU or its cap lacks it");
            continue;
        }
        BOOST_TEST_CONTEXT(level.name) { body(level); }
    }
}

/// `count` elements right before an inaccessible page.
template <class T> class guarded_array {
  public:
    explicit guarded_array(std::size_t count) : count_(count) {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        bytes_ = (count * sizeof(T) + page - 1) / page * page + page;
        base_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        BOOST_REQUIRE(base_ != MAP_FAILED);
        char *end = static_cast<char *>(base_) + bytes_ - page;
        BOOST_REQUIRE(mprotect(end, page, PROT_NONE) == 0);
        data_ = reinterpret_cast<T *>(end) - count;
    }
    ~guarded_array() { munmap(base_, bytes_); }
    guarded_array(const guarded_array &) = delete;
    guarded_array &operator=(const guarded_array &) = delete;
    T *data() const { return data_; }
    std::size_t size() const { return count_; }
    T &operator[](std::size_t i) const { return data_[i]; }

  private:
    std::size_t count_, bytes_ = 0;
    void *base_ = nullptr;
    T *data_ = nullptr;
};

/// A small generator with a fixed seed: numbers 0 ... 2^32 - 1.
class numbers {
  public:
    explicit numbers(std::uint32_t seed) : state_(seed * 2654435761u + 1u) {}
    std::uint32_t next() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<std::uint32_t>(state_ >> 32);
    }
    int between(int low, int high) {
        return low + static_cast<int>(next() % static_cast<std::uint32_t>(high - low + 1));
    }

  private:
    std::uint64_t state_;
};

} // namespace dnnl::impl
