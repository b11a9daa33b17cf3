// SPDX-License-Identifier: Apache-2.0
#include "cache_model.hpp"

#include <algorithm>
#include <vector>

namespace bench {

namespace {

using namespace dnnl::impl;
using namespace dnnl::impl::cpu;

constexpr dim_t line_bytes = 64;

/// A cache that forgets the part of an operand that was used least recently.
class lru_cache {
  public:
    lru_cache(std::size_t bytes, dim_t parts)
        : room_(static_cast<dim_t>(bytes)), links_(static_cast<std::size_t>(parts) + 1) {}

    /// Returns whether the part was there; it is now.
    bool touch(dim_t part, dim_t bytes) {
        link &l = at(part);
        const bool found = l.bytes > 0;
        if (found)
            unlink(l);
        else
            room_ -= l.bytes = bytes;
        insert_first(part);
        while (room_ < 0) {
            link &last = at(end().before);
            room_ += last.bytes;
            last.bytes = 0;
            unlink(last);
        }
        return found;
    }

  private:
    /// A ring from the last used part to that used least recently; 0 is its end, 1 part 0.
    struct link {
        std::size_t before = 0, after = 0;
        dim_t bytes = 0; ///< 0: not in the cache
    };
    link &end() { return links_[0]; }
    link &at(dim_t part) { return links_[static_cast<std::size_t>(part) + 1]; }
    link &at(std::size_t place) { return links_[place]; }
    void unlink(const link &l) {
        links_[l.before].after = l.after;
        links_[l.after].before = l.before;
    }
    void insert_first(dim_t part) {
        const auto place = static_cast<std::size_t>(part) + 1;
        links_[place].before = 0;
        links_[place].after = end().after;
        links_[end().after].before = place;
        end().after = place;
    }

    dim_t room_;
    std::vector<link> links_;
};

/// A walk over the tiles of a product.
class walk {
  public:
    walk(const core_model &core, const gemm_kernel &kernel, const product_shape &s)
        : core_(core), mr_(kernel.mr), nr_(kernel.nr), steps_(div_up(s.K, kernel.k_panel)),
          tiles_(div_up(s.M, mr_)), strips_(div_up(s.N, nr_)), l1_(core.caches.l1_bytes, parts()),
          l2_(core.caches.l2_bytes, parts()) {}

    /// Adds the tiles [first, last) of a strip of columns, over steps [k0, k1) of K.
    void add_strip(dim_t strip, dim_t first, dim_t last, dim_t k0, dim_t k1) {
        from_l2_ = from_l3_ = 0;
        double sums = 0;
        for (dim_t tile = first; tile < last; ++tile) {
            for (dim_t k = k0; k < k1; ++k) {
                touch(tile * steps_ + k, mr_);
                touch(tiles_ * steps_ + strip * steps_ + k, nr_);
            }
            sums += sums_of(tile, strip, k0 > 0);
        }
        // The next strip comes while this one is multiplied, an equal part of it with each tile.
        const auto count = static_cast<double>(last - first);
        const double products =
            count * static_cast<double>((k1 - k0) * 16 * mr_ * (nr_ / core_.lanes));
        cycles_ += std::max({products / core_.steps_per_cycle, from_l2_ * core_.line_from_l2,
                       from_l3_ * core_.line_from_l3}) +
                   sums + count * core_.tile + core_.panel;
    }
    double cycles() const { return cycles_; }

  private:
    dim_t parts() const { return (tiles_ + strips_) * steps_ + tiles_ * strips_; }

    /// Touches a part of so many lines.
    void touch(dim_t part, dim_t lines) {
        const dim_t bytes = lines * line_bytes;
        if (l1_.touch(part, bytes)) return;
        from_l2_ += static_cast<double>(lines);
        if (!l2_.touch(part, bytes)) from_l3_ += static_cast<double>(lines);
    }
    /// The cycles to store the sums of a tile, and to load them before. The core does nothing else.
    double sums_of(dim_t tile, dim_t strip, bool loads) {
        const dim_t part = (tiles_ + strips_) * steps_ + tile * strips_ + strip,
                    lines = mr_ * nr_ * dim_t {sizeof(f32)} / line_bytes;
        if (l1_.touch(part, lines * line_bytes)) return 0;
        const bool near = l2_.touch(part, lines * line_bytes);
        const double line = near ? core_.line_from_l2 : core_.line_from_l3;
        return static_cast<double>(lines) * line * (loads ? 2 : 1);
    }

    const core_model &core_;
    dim_t mr_, nr_, steps_, tiles_, strips_;
    lru_cache l1_, l2_;
    double from_l2_ = 0, from_l3_ = 0, cycles_ = 0; ///< lines of a strip; of all
};

} // namespace

double simulated_cycles(const core_model &core, const gemm_kernel &kernel, const product_shape &s,
    const gemm_blocking &cut) {
    walk w(core, kernel, s);
    const dim_t tiles = div_up(s.M, kernel.mr), strips = div_up(s.N, kernel.nr),
                steps = div_up(s.K, kernel.k_panel);
    const dim_t mc = cut.MC / kernel.mr, nc = cut.NC / kernel.nr, kc = cut.KC / kernel.k_panel;
    for (dim_t m = 0; m < tiles; m += mc)
        for (dim_t n = 0; n < strips; n += nc)
            for (dim_t k = 0; k < steps; k += kc)
                for (dim_t strip = n; strip < std::min(n + nc, strips); ++strip)
                    w.add_strip(strip, m, std::min(m + mc, tiles), k, std::min(k + kc, steps));
    return w.cycles();
}

} // namespace bench
