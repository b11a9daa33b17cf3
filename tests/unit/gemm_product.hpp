// SPDX-License-Identifier: Apache-2.0
// One batch-reduce product for the test of a block kernel: operands in kernel form, the last byte
// of each before an inaccessible page, and the sums by plain loops.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/gemm/gemm_block.hpp"
#include "kernel_levels.hpp"

namespace dnnl::impl::cpu {

inline constexpr dim_t panel_width = 32;
inline constexpr s32 untouched = 0x7fc12345; // what no call may change; a NaN as f32

struct type_pair {
    const char *name;
    data_type a, b;
};
inline constexpr type_pair type_pairs[] = {{"bf16:bf16", data_type::bf16, data_type::bf16},
    {"u8:s8", data_type::u8, data_type::s8}, {"s8:s8", data_type::s8, data_type::s8},
    {"u8:u8", data_type::u8, data_type::u8}, {"s8:u8", data_type::s8, data_type::u8}};

template <class Body> void for_each_pair(const Body &body) {
    for (const type_pair &t : type_pairs) BOOST_TEST_CONTEXT(t.name) {
            body(t);
        }
}

enum class batch_form { list, steps, offsets };
struct shape {
    dim_t m, n, k;
    int batch = 1;
    bool accumulate = false;
    batch_form form = batch_form::list;
    dim_t gap = 0;        // bytes between rows of A; filled with 0xff, which is NaN as bf16
    bool integers = true; // bf16: small integers, so that every sum is exact
};

// An array whose last byte is followed by an inaccessible page.
using guarded_bytes = guarded_array<char>;

// Operands of one call and what it must give.
class product {
  public:
    product(const type_pair &t, const shape &s);
    gemm_block_args call() const;
    // c as the call finds it: integers where it accumulates.
    std::vector<s32> start() const;
    dim_t wrong_sums(const std::vector<s32> &c) const;
    dim_t ldc() const { return s_.n + 1; } // elements

  private:
    double draw(data_type type, numbers &random) const;
    void fill_a(const std::vector<double> &values);
    void fill_b(const std::vector<double> &values);
    bool real() const { return t_.a == data_type::bf16; }

    type_pair t_;
    shape s_;
    dim_t bytes_, group_, lda_, a_bytes_, panel_bytes_, b_bytes_;
    std::unique_ptr<guarded_bytes> a_, b_;
    std::vector<const void *> list_;
    std::vector<dim_t> offsets_;
    std::vector<double> sums_, magnitudes_; // m x n; magnitudes: sums of |a * b|
};

inline double product::draw(data_type type, numbers &random) const {
    if (type == data_type::s8) return random.between(-128, 127);
    if (type == data_type::u8) return random.between(0, 255);
    if (s_.integers) return random.between(-8, 8);
    return std::ldexp(random.between(-255, 255), random.between(-12, 4));
}

inline product::product(const type_pair &t, const shape &s)
    : t_(t), s_(s), bytes_(static_cast<dim_t>(size_of(t.a))), group_(4 / bytes_),
      lda_(s.k * bytes_ + s.gap), a_bytes_((s.m - 1) * lda_ + s.k * bytes_),
      panel_bytes_((s.k + group_ - 1) / group_ * 4 * panel_width),
      b_bytes_((s.n + panel_width - 1) / panel_width * panel_bytes_) {
    numbers random(static_cast<std::uint32_t>(s.m * 977 + s.n * 31 + s.k + s.batch));
    std::vector<double> a(static_cast<std::size_t>(s.batch * s.m * s.k));
    std::vector<double> b(static_cast<std::size_t>(s.batch * s.k * s.n));
    for (double &v : a) v = draw(t.a, random);
    for (double &v : b) v = draw(t.b, random);
    fill_a(a);
    fill_b(b);
    sums_.resize(static_cast<std::size_t>(s.m * s.n));
    magnitudes_.resize(sums_.size());
    for (int p = 0; p < s.batch; ++p)
        for (dim_t i = 0; i < s.m; ++i)
            for (dim_t q = 0; q < s.k; ++q)
                for (dim_t j = 0; j < s.n; ++j) {
                    const double term = a[(p * s.m + i) * s.k + q] * b[(p * s.k + q) * s.n + j];
                    sums_[i * s.n + j] += term;
                    magnitudes_[i * s.n + j] += std::fabs(term);
                }
}

inline void put(char *at, data_type type, double value) {
    const std::uint16_t real = f32_to_bf16(static_cast<f32>(value));
    if (type == data_type::bf16)
        std::memcpy(at, &real, sizeof real);
    else
        *at = static_cast<char>(static_cast<int>(value));
}

// The products of a batch lie behind each other; the last one ends at the page.
inline void product::fill_a(const std::vector<double> &values) {
    a_ = std::make_unique<guarded_bytes>(static_cast<std::size_t>(s_.batch * a_bytes_));
    std::fill_n(a_->data(), a_->size(), char {-1});
    for (int p = 0; p < s_.batch; ++p) {
        list_.push_back(a_->data() + p * a_bytes_);
        for (dim_t i = 0; i < s_.m; ++i)
            for (dim_t q = 0; q < s_.k; ++q)
                put(a_->data() + p * a_bytes_ + i * lda_ + q * bytes_, t_.a,
                    values[(p * s_.m + i) * s_.k + q]);
    }
    if (s_.form == batch_form::list) std::reverse(list_.begin(), list_.end());
}

inline void product::fill_b(const std::vector<double> &values) {
    b_ = std::make_unique<guarded_bytes>(static_cast<std::size_t>(s_.batch * b_bytes_));
    std::fill_n(b_->data(), b_->size(), char {0});
    for (int p = 0; p < s_.batch; ++p) {
        const int place = s_.form == batch_form::list ? s_.batch - 1 - p : p;
        offsets_.push_back(p * b_bytes_);
        for (dim_t q = 0; q < s_.k; ++q)
            for (dim_t j = 0; j < s_.n; ++j)
                put(b_->data() + place * b_bytes_ + j / panel_width * panel_bytes_ +
                        ((q / group_ * panel_width + j % panel_width) * group_ + q % group_) *
                            bytes_,
                    t_.b, values[(p * s_.k + q) * s_.n + j]);
    }
}

inline gemm_block_args product::call() const {
    gemm_block_args g {};
    g.batch = s_.batch;
    g.a = list_.data();
    g.a_step_bytes = s_.form == batch_form::list ? 0 : a_bytes_;
    g.lda_bytes = lda_;
    g.b = b_->data();
    g.b_step_bytes = s_.form == batch_form::offsets ? 1 : b_bytes_;
    g.b_offset_bytes = s_.form == batch_form::offsets ? offsets_.data() : nullptr;
    g.b_panel_bytes = panel_bytes_;
    g.m = s_.m, g.n = s_.n, g.k = s_.k;
    g.ldc_bytes = ldc() * dim_t(sizeof(s32));
    g.accumulate = s_.accumulate;
    return g;
}

inline std::vector<s32> product::start() const {
    std::vector<s32> c(static_cast<std::size_t>(s_.m * ldc()), untouched);
    for (dim_t i = 0; i < s_.m && s_.accumulate; ++i)
        for (dim_t j = 0; j < s_.n; ++j)
            c[i * ldc() + j] = real() ? std::bit_cast<s32>(f32(i - j)) : s32(i - j);
    return c;
}

// bf16: within c(K) * u * magnitude, K products in f32; exact for integers.
inline dim_t product::wrong_sums(const std::vector<s32> &c) const {
    const double K = double(s_.k) * s_.batch + 1, u = 0x1p-24;
    const double factor = s_.integers ? 0 : (std::min(K, 2 * std::sqrt(K)) + 2) * u * (1 + u);
    dim_t wrong = 0;
    for (dim_t i = 0; i < s_.m; ++i) {
        for (dim_t j = 0; j < s_.n; ++j) {
            const double first = s_.accumulate ? double(i - j) : 0;
            const double expected = sums_[i * s_.n + j] + first;
            const s32 found = c[i * ldc() + j];
            const double bound = factor * (magnitudes_[i * s_.n + j] + std::fabs(first));
            const double value = real() ? double {std::bit_cast<f32>(found)} : double(found);
            wrong += !(std::fabs(value - expected) <= bound);
        }
        wrong += c[i * ldc() + s_.n] != untouched;
    }
    return wrong;
}

} // namespace dnnl::impl::cpu
