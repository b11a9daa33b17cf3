// SPDX-License-Identifier: Apache-2.0
// Products cut into blocks of all sizes, also such that divide nothing and such that leave sums in
// memory between two slices of K: the bits are those of the chosen cut, and integers are exact.
#include "kernel_levels.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "common/layout/data_type.hpp"
#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {
namespace {

constexpr dim_t M = 37, N = 150, K = 517;

struct type_pair {
    data_type a, b;
};
constexpr type_pair type_pairs[] = {{data_type::f32, data_type::f32},
    {data_type::bf16, data_type::bf16}, {data_type::u8, data_type::s8},
    {data_type::s8, data_type::s8}, {data_type::u8, data_type::u8}};

/// A and the packed panels of B, of small whole numbers or fractions.
class product {
  public:
    product(isa level, type_pair t) : t_(t), driver_(level, t.a, t.b, M, N, K, 1) {
        if (!driver_) return;
        const gemm_kernel &kernel = driver_.kernel();
        k_padded_ = round_up(K, kernel.k_panel);
        panel_bytes_ = k_padded_ * kernel.panel_columns * size_in_bytes(t.b);
        a_ = filled(t.a, M * K);
        b_.assign(static_cast<std::size_t>(div_up(N, kernel.panel_columns) * panel_bytes_), 0);
        for (dim_t n = 0; n < N; ++n)
            for (dim_t k = 0; k < K; ++k) store_f32(t.b, b_.data(), place(k, n), number(t.b));
        reset(*pending_);
    }

    explicit operator bool() const { return static_cast<bool>(driver_); }
    const gemm_driver &driver() const { return driver_; }

    /// The sums, f32 or s32 as bits, of a product in blocks of this cut.
    std::vector<s32> sums(const gemm_blocking &cut) {
        driver_.cut(cut);
        std::vector<s32> sums(M * N, -1);
        driver_.begin();
        for (dim_t m0 = 0; m0 < M; m0 += cut.MC) {
            gemm_task t {};
            t.batch = 1;
            t.rows = element_at(a_.data(), t_.a, m0 * K);
            t.lda_bytes = K * size_in_bytes(t_.a);
            t.b = b_.data();
            t.b_panel_bytes = panel_bytes_;
            t.m = std::min(cut.MC, M - m0);
            t.n = N;
            t.k = K;
            t.dst = sums.data() + m0 * N;
            t.ldd_bytes = N * dim_t(sizeof(s32));
            t.previous = pending_.get();
            driver_.run(t);
        }
        driver_.end(pending_.get());
        return sums;
    }

    s32 exact(dim_t m, dim_t n) const {
        double sum = 0;
        for (dim_t k = 0; k < K; ++k)
            sum += double(load_f32(t_.a, a_.data(), m * K + k)) *
                   load_f32(t_.b, b_.data(), place(k, n));
        return static_cast<s32>(sum);
    }

  private:
    dim_t place(dim_t k, dim_t n) const {
        const dim_t columns = driver_.kernel().panel_columns, group = driver_.kernel().k_group;
        return n / columns * k_padded_ * columns + k / group * columns * group +
               n % columns * group + k % group;
    }
    float number(data_type type) {
        if (type == data_type::u8) return static_cast<float>(random_.between(0, 255));
        if (type == data_type::s8) return static_cast<float>(random_.between(-128, 127));
        return static_cast<float>(random_.between(-999, 999)) / 512;
    }
    std::vector<char> filled(data_type type, dim_t count) {
        std::vector<char> bytes(static_cast<std::size_t>(count * size_in_bytes(type)));
        for (dim_t i = 0; i < count; ++i) store_f32(type, bytes.data(), i, number(type));
        return bytes;
    }

    type_pair t_;
    gemm_driver driver_;
    numbers random_ {15};
    dim_t k_padded_ = 0, panel_bytes_ = 0;
    std::vector<char> a_, b_;
    std::unique_ptr<pending_block> pending_ = std::make_unique<pending_block>();
};

/// Blocks of one row and of more than there are, of one panel and of all, of the least part of K
/// and of all of it.
std::vector<gemm_blocking> cuts(const gemm_kernel &kernel) {
    std::vector<gemm_blocking> all;
    for (const dim_t MC : {dim_t {1}, dim_t {kernel.mr}, dim_t {kernel.mr} + 1, M + 5})
        for (const dim_t NC : {1, 2, 9})
            for (const dim_t KC : {1, 3, 100})
                all.push_back({MC, NC * kernel.panel_columns, KC * kernel.k_panel});
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_cut_has_the_same_bits) {
    for_each_level([](const kernel_level &level) {
        for (const type_pair &t : type_pairs) {
            product p(level.mask, t);
            if (!p) continue;
            const std::vector<s32> chosen = p.sums(p.driver().blocking());
            if (is_int8(t.a))
                for (const auto &[m, n] : {std::pair {0, 0}, {5, 77}, {36, 149}})
                    BOOST_TEST(chosen[static_cast<std::size_t>(m * N + n)] == p.exact(m, n));
            for (const gemm_blocking &cut : cuts(p.driver().kernel()))
                BOOST_TEST((p.sums(cut) == chosen),
                    name_of(t.a) << ": MC " << cut.MC << ", NC " << cut.NC << ", KC " << cut.KC);
        }
    });
}

} // namespace dnnl::impl::cpu
