// SPDX-License-Identifier: Apache-2.0
// Plans of backward weights for layers of networks, on any number of threads, and what they give to
// each of these.
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "common/runtime/parallel.hpp"
#include "cpu/convolution/weights/convolution_weights.hpp"

namespace gradient_plan {

using namespace dnnl::impl;
using namespace dnnl::impl::cpu;

/// Windows that reach over each edge of the image by half of their size.
struct layer {
    std::string name;
    dim_t MB, G, IC, OC; ///< channels of a group
    dim_t OH, OW, KH, KW, stride;
};
inline const layer layers[] {
    {"ResNet-50, first", 16, 1, 3, 64, 112, 112, 7, 7, 2},
    {"ResNet-50, 56: 64 to 64", 16, 1, 64, 64, 56, 56, 1, 1, 1},
    {"ResNet-50, 56: 3 x 3", 16, 1, 64, 64, 56, 56, 3, 3, 1},
    {"ResNet-50, 56: 64 to 256", 16, 1, 64, 256, 56, 56, 1, 1, 1},
    {"ResNet-50, 28: 3 x 3", 16, 1, 128, 128, 28, 28, 3, 3, 2},
    {"ResNet-50, 28: shortcut", 16, 1, 256, 512, 28, 28, 1, 1, 2},
    {"ResNet-50, 28: 512 to 128", 16, 1, 512, 128, 28, 28, 1, 1, 1},
    {"ResNet-50, 14: 3 x 3", 16, 1, 256, 256, 14, 14, 3, 3, 1},
    {"ResNet-50, 14: 256 to 1024", 16, 1, 256, 1024, 14, 14, 1, 1, 1},
    {"ResNet-50, 7: shortcut", 16, 1, 1024, 2048, 7, 7, 1, 1, 2},
    {"ResNet-50, 7: 3 x 3", 16, 1, 512, 512, 7, 7, 3, 3, 1},
    {"ResNet-50, 7: one image", 1, 1, 512, 512, 7, 7, 3, 3, 1},
    {"ResNeXt-50, 56: groups", 16, 32, 4, 4, 56, 56, 3, 3, 1},
    {"MobileNet v2, first", 16, 1, 3, 32, 112, 112, 3, 3, 2},
    {"MobileNet v2, 112: 32 to 16", 16, 1, 32, 16, 112, 112, 1, 1, 1},
    {"MobileNet v2, 56: 24 to 144", 16, 1, 24, 144, 56, 56, 1, 1, 1},
    {"MobileNet v2, 14: 64 to 384", 16, 1, 64, 384, 14, 14, 1, 1, 1},
    {"MobileNet v2, 14: 576 to 96", 16, 1, 576, 96, 14, 14, 1, 1, 1},
    {"MobileNet v2, 7: 160 to 960", 16, 1, 160, 960, 7, 7, 1, 1, 1},
    {"MobileNet v2, 7: 320 to 1280", 16, 1, 320, 1280, 7, 7, 1, 1, 1},
    {"Inception v3, first", 16, 1, 3, 32, 149, 149, 3, 3, 2},
    {"Inception v3, 147: 3 x 3", 16, 1, 32, 64, 147, 147, 3, 3, 1},
    {"Inception v3, 71: 3 x 3", 16, 1, 80, 192, 71, 71, 3, 3, 1},
    {"Inception v3, 35: 5 x 5", 16, 1, 48, 64, 35, 35, 5, 5, 1},
    {"Inception v3, 17: 1 x 7", 16, 1, 160, 192, 17, 17, 1, 7, 1},
    {"Inception v3, 8: 1 x 3", 16, 1, 384, 384, 8, 8, 1, 3, 1},
    {"Inception v3, 8: 2048 to 320", 16, 1, 2048, 320, 8, 8, 1, 1, 1},
};

/// Backward weights of a layer, channels last.
inline convolution_desc gradient_of(const layer &l, data_type type) {
    const auto padding = [&](dim_t taps) { return (taps - 1) / 2; };
    const dim_t IH = (l.OH - 1) * l.stride + l.KH - 2 * padding(l.KH),
                IW = (l.OW - 1) * l.stride + l.KW - 2 * padding(l.KW);
    const dim_t src[] {l.MB, l.G * l.IC, IH, IW}, dst[] {l.MB, l.G * l.OC, l.OH, l.OW},
        weights[] {l.G, l.OC, l.IC, l.KH, l.KW}, bias[] {l.G * l.OC};
    convolution_desc op;
    op.prop = dnnl_backward_weights;
    op.alg = dnnl_convolution_direct;
    op.src = make_with_tag(4, src, type, dnnl_nhwc);
    op.dst = make_with_tag(4, dst, type, dnnl_nhwc);
    op.weights = l.G > 1 ? make_with_tag(5, weights, data_type::f32, dnnl_ghwio)
                         : make_with_tag(4, weights + 1, data_type::f32, dnnl_hwio);
    op.bias = make_with_tag(1, bias, data_type::f32, dnnl_x);
    op.strides[0] = op.strides[1] = l.stride;
    op.padding_l[0] = op.padding_r[0] = padding(l.KH);
    op.padding_l[1] = op.padding_r[1] = padding(l.KW);
    return op;
}

inline problem problem_of(const layer &l, data_type type, isa target) {
    problem p;
    p.op = gradient_of(l, type);
    p.target = target;
    return p;
}

/// A share of the sums of one group and one chunk, and how many products they add up.
struct box {
    dim_t part, tap, taps, m0, m, n0, n, products;
};
using boxes_of_threads = std::vector<std::vector<box>>;

/// The plan that is tested; to make one needs none of the instructions that it would run.
class plan_of : public gemm_convolution_weights {
  public:
    plan_of(problem &&p) : gemm_convolution_weights(p) { BOOST_REQUIRE(!why_not()); }

    const gradient_blocks &blocks() const { return blocks_; }
    dim_t chunks() const { return chunks_; }
    dim_t lines() const { return flat_ ? 1 : shape_.OH; }
    dim_t width() const { return flat_ ? pixels_ : shape_.OW; }
    dim_t pixels() const { return pixels_; }
    gradient_sums sums() const { return {shape_.G * chunks_, taps_, rows_, columns_}; }
    /// The smallest shares: tiles by panels, for each tap and part.
    dim_t tile_rows() const { return joins_taps_ ? rows_ : kernel_.mr; }
    dim_t tiles() const { return div_up(rows_, tile_rows()); }
    dim_t panels() const { return div_up(columns_, kernel_.panel_columns); }
    dim_t pieces() const { return shape_.G * chunks_ * taps_ * tiles() * panels(); }

    /// What each thread gets.
    boxes_of_threads work() const {
        static char nowhere;
        static const void *no_row;
        static dim_t no_offset;
        execution e {};
        e.transposed = e.windows = e.packed = &nowhere;
        e.rows = &no_row;
        e.offsets = &no_offset;
        boxes_of_threads all(static_cast<std::size_t>(threads_));
        for (int thread = 0; thread < threads_; ++thread) {
            const item_range range = range_of_thread(items_, threads_, thread);
            for (dim_t index = range.begin; index < range.end; ++index) {
                const item i = item_of(e, 0, index);
                all[static_cast<std::size_t>(thread)].push_back({i.g * chunks_ + i.chunk, i.tap,
                    i.taps, i.m0, i.m, i.n0, i.n, i.taps * i.m * i.n * pixels_of(i.chunk)});
            }
        }
        return all;
    }
    /// Every piece is in one box, and boxes are whole pieces.
    bool holds_each_piece_once(const boxes_of_threads &work) const {
        std::vector<int> times(static_cast<std::size_t>(pieces()));
        const dim_t mr = tile_rows(), nr = kernel_.panel_columns;
        for (const auto &own : work)
            for (const box &b : own) {
                const dim_t end_m = b.m0 + b.m, end_n = b.n0 + b.n;
                const bool whole = b.m0 % mr == 0 && b.n0 % nr == 0 &&
                                   (end_m % mr == 0 || end_m == rows_) &&
                                   (end_n % nr == 0 || end_n == columns_);
                if (!whole || end_m > rows_ || end_n > columns_ || b.tap + b.taps > taps_)
                    return false;
                for (dim_t t = b.tap; t < b.tap + b.taps; ++t)
                    for (dim_t i = b.m0 / mr; i < div_up(end_m, mr); ++i)
                        for (dim_t j = b.n0 / nr; j < div_up(end_n, nr); ++j)
                            ++times.at(static_cast<std::size_t>(
                                ((b.part * taps_ + t) * tiles() + i) * panels() + j));
            }
        return std::all_of(times.begin(), times.end(), [](int n) { return n == 1; });
    }

  private:
    dim_t pixels_of(dim_t chunk) const {
        dim_t pixels = 0;
        for (dim_t b = chunk * blocks_.count() / chunks_;
             b < (chunk + 1) * blocks_.count() / chunks_; ++b)
            pixels += blocks_.of(b).size();
        return pixels;
    }
};

/// Calls body(name, plan) for every layer, vectors of 32 and 64 bytes, and two types.
template <class Body> void for_each_plan(const Body &body) {
    for (const layer &l : layers)
        for (const isa target : {isa::avx2, isa::avx512})
            for (const data_type type : {data_type::f32, data_type::bf16})
                body(l.name, plan_of(problem_of(l, type, target)));
}

/// Threads that plans are made and executed for; others as before.
class threads_of_region {
  public:
#ifdef _OPENMP
    explicit threads_of_region(int threads) : before_(omp_get_max_threads()) {
        omp_set_num_threads(threads);
    }
    ~threads_of_region() { omp_set_num_threads(before_); }
#else
    explicit threads_of_region(int) {}
#endif
    threads_of_region(const threads_of_region &) = delete;
    threads_of_region &operator=(const threads_of_region &) = delete;

  private:
    [[maybe_unused]] int before_ = 0;
};

} // namespace gradient_plan
