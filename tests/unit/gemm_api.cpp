// SPDX-License-Identifier: Apache-2.0
// dnnl_sgemm and dnnl_gemm_{u8,s8}s8s32 against sums in wider types, and their misuse.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "dnnl/dnnl.h"

namespace {

/// A stored matrix with rows longer than needed, op(X) of rows x columns.
template <class T> struct stored {
    bool transposed;
    dnnl_dim_t rows, columns, ld;
    std::vector<T> data;

    stored(bool t, dnnl_dim_t r, dnnl_dim_t c) : transposed(t), rows(r), columns(c) {
        ld = (t ? r : c) + 3;
        data.resize(static_cast<std::size_t>((t ? c : r) * ld + 1)); // never NULL
    }
    T &at(dnnl_dim_t r, dnnl_dim_t c) {
        return data[static_cast<std::size_t>(transposed ? c * ld + r : r * ld + c)];
    }
    template <class Draw> void fill(const Draw &draw) {
        for (T &x : data) x = static_cast<T>(draw());
    }
    char letter() const { return transposed ? 't' : 'N'; }
};

/// Integers in [low, high], the same in every run.
class numbers {
  public:
    numbers(int low, int high) : low_(low), range_(high - low + 1) {}
    int operator()() const {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return low_ + static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(range_));
    }

  private:
    int low_, range_;
    mutable std::uint64_t state_ = 42;
};

void check_sgemm(
    bool ta, bool tb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, float beta) {
    stored<float> a(ta, M, K), b(tb, K, N), c(false, M, N);
    const numbers draw(-9, 9);
    a.fill(draw);
    b.fill(draw);
    c.fill(draw);
    stored<float> before = c;
    if (beta == 0)
        for (float &x : c.data) x = std::numeric_limits<float>::quiet_NaN();
    BOOST_TEST(dnnl_sgemm(a.letter(), b.letter(), M, N, K, alpha, a.data.data(), a.ld,
                   b.data.data(), b.ld, beta, c.data.data(), c.ld) == dnnl_success);
    for (dnnl_dim_t m = 0; m < M; ++m)
        for (dnnl_dim_t n = 0; n < N; ++n) {
            double sum = 0;
            for (dnnl_dim_t k = 0; k < K; ++k) sum += double {a.at(m, k)} * b.at(k, n);
            // Small integers: every step is exact.
            BOOST_TEST(c.at(m, n) == alpha * sum + beta * before.at(m, n));
        }
    for (dnnl_dim_t m = 0; m < M; ++m) // the gap behind each row stays
        for (dnnl_dim_t n = N; n < c.ld; ++n) {
            const float now = c.data[static_cast<std::size_t>(m * c.ld + n)];
            const float then = before.data[static_cast<std::size_t>(m * c.ld + n)];
            BOOST_TEST((beta == 0 ? std::isnan(now) : now == then));
        }
}

template <class A>
using gemm_s32 = dnnl_status_t (*)(char, char, char, dnnl_dim_t, dnnl_dim_t, dnnl_dim_t, float,
    const A *, dnnl_dim_t, A, const std::int8_t *, dnnl_dim_t, std::int8_t, float, std::int32_t *,
    dnnl_dim_t, const std::int32_t *);

struct integer_case {
    bool ta, tb;
    char offsetc;
    dnnl_dim_t M, N, K;
    float alpha, beta;
    int ao, bo;
};

template <class A> void check_integers(gemm_s32<A> gemm, const integer_case &s, int low, int high) {
    stored<A> a(s.ta, s.M, s.K);
    stored<std::int8_t> b(s.tb, s.K, s.N);
    stored<std::int32_t> c(false, s.M, s.N);
    a.fill(numbers(low, high));
    b.fill(numbers(-128, 127));
    c.fill(numbers(-1000, 1000));
    stored<std::int32_t> before = c;
    std::vector<std::int32_t> co(static_cast<std::size_t>(std::max(s.M, s.N)));
    for (std::size_t i = 0; i < co.size(); ++i) co[i] = static_cast<int>(i) * 7 - 20;
    BOOST_TEST(gemm(a.letter(), b.letter(), s.offsetc, s.M, s.N, s.K, s.alpha, a.data.data(), a.ld,
                   static_cast<A>(s.ao), b.data.data(), b.ld, static_cast<std::int8_t>(s.bo),
                   s.beta, c.data.data(), c.ld, co.data()) == dnnl_success);
    for (dnnl_dim_t m = 0; m < s.M; ++m)
        for (dnnl_dim_t n = 0; n < s.N; ++n) {
            std::int64_t sum = 0;
            for (dnnl_dim_t k = 0; k < s.K; ++k)
                sum += (std::int64_t {a.at(m, k)} - s.ao) * (b.at(k, n) - s.bo);
            const int which = s.offsetc == 'F' ? 0 : s.offsetc == 'c' ? int(m) : int(n);
            double value = double {s.alpha} * double(sum) + co[static_cast<std::size_t>(which)];
            if (s.beta != 0) value += double {s.beta} * before.at(m, n);
            value = std::nearbyint(std::fmin(std::fmax(value, -2147483648.0), 2147483647.0));
            BOOST_TEST(c.at(m, n) == static_cast<std::int32_t>(value));
        }
}

} // namespace

BOOST_AUTO_TEST_CASE(sgemm) {
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            check_sgemm(ta, tb, 5, 7, 11, 1, 0);
            check_sgemm(ta, tb, 5, 7, 11, 0.5f, 2);
            check_sgemm(ta, tb, 1, 9, 4, 1, 1);
            check_sgemm(ta, tb, 9, 1, 1, -2, 0);
            check_sgemm(ta, tb, 3, 4, 0, 1, 2); // an empty sum: C = beta * C
            check_sgemm(ta, tb, 3, 4, 0, 1, 0);
        }
}

BOOST_AUTO_TEST_CASE(integer_products_are_exact) {
    const integer_case cases[] = {
        {false, false, 'F', 5, 7, 11, 1, 0, 0, 0},
        {true, false, 'c', 5, 7, 11, 1, 0, 3, -5},
        {false, true, 'R', 5, 7, 11, 1, 1, 127, 127},
        {true, true, 'F', 4, 3, 2000, 1, 0, 1, 1}, // sums beyond 2^24
        {false, false, 'R', 3, 5, 4000, 0.25f, -0.5f, 100, 100},
        {false, false, 'c', 2, 2, 3000, 1e4f, 0, 0, 0}, // saturates
        {false, false, 'F', 3, 4, 0, 1, 2, 5, 5},
    };
    for (const integer_case &s : cases) {
        check_integers<std::uint8_t>(dnnl_gemm_u8s8s32, s, 0, 255);
        check_integers<std::int8_t>(dnnl_gemm_s8s8s32, s, -128, 127);
    }
}

// Sums that do not fit into s32.
BOOST_AUTO_TEST_CASE(long_sums_are_exact) {
    const dnnl_dim_t K = 100000;
    const std::vector<std::uint8_t> a(2 * K, 255);
    const std::vector<std::int8_t> b(3 * K, 127), least(3 * K, -128);
    const std::int32_t offset = 1;
    std::vector<std::int32_t> c(6, 7);
    BOOST_TEST(dnnl_gemm_u8s8s32('N', 'N', 'F', 2, 3, K, 0.5f, a.data(), K, 0, b.data(), 3, 0, 0,
                   c.data(), 3, &offset) == dnnl_success);
    for (std::int32_t x : c) BOOST_TEST(x == 255 * 127 * (K / 2) + 1);
    BOOST_TEST(dnnl_gemm_u8s8s32('T', 'T', 'F', 2, 3, K, 0.5f, a.data(), 2, 0, least.data(), K, 0,
                   0, c.data(), 3, &offset) == dnnl_success);
    for (std::int32_t x : c) BOOST_TEST(x == -255 * 128 * (K / 2) + 1);
    BOOST_TEST(dnnl_gemm_u8s8s32('N', 'N', 'F', 2, 3, K, 1, a.data(), K, 0, b.data(), 3, 0, 0,
                   c.data(), 3, &offset) == dnnl_success);
    for (std::int32_t x : c) BOOST_TEST(x == std::numeric_limits<std::int32_t>::max());
}

namespace {
/// The most memory that this process has held, in bytes.
long most_memory() {
    std::ifstream status("/proc/self/status");
    std::string word;
    long kibibytes = 0;
    while (status >> word)
        if (word == "VmHWM:") status >> kibibytes;
    return kibibytes * 1024;
}
} // namespace

// The product is made in C itself, whatever is added to it.
BOOST_AUTO_TEST_CASE(products_need_no_copy_of_the_result) {
    const dnnl_dim_t M = 4096, N = 4096, K = 8;
    const std::vector<std::int8_t> a(M * K, 3), b(K * N, -2);
    const std::vector<std::int32_t> co(N, 5);
    std::vector<std::int32_t> c(M * N, 7);
    const long before = most_memory();
    for (const char kind : {'F', 'C', 'R'})
        for (const float beta : {0.0f, 1.0f})
            BOOST_TEST(dnnl_gemm_s8s8s32('N', 'N', kind, M, N, K, 1, a.data(), K, 1, b.data(), N, 1,
                           beta, c.data(), N, co.data()) == dnnl_success);
    for (const std::int32_t x : {c.front(), c[M * N / 2], c.back()})
        BOOST_TEST(x == 2 * (8 * (3 - 1) * (-2 - 1) + 5));
    const long grown = (most_memory() - before) >> 20;
    BOOST_TEST(grown < 32, "the products took " << grown << " MiB beside C's 64");
}

BOOST_AUTO_TEST_CASE(misuse) {
    float x[16] = {};
    std::uint8_t a[16] = {};
    std::int8_t b[16] = {};
    std::int32_t c[16] = {}, co = 0;
    const auto f = [&](char ta, char tb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, const float *A,
                       dnnl_dim_t lda, dnnl_dim_t ldb, dnnl_dim_t ldc) {
        return dnnl_sgemm(ta, tb, M, N, K, 1, A, lda, x, ldb, 0, x, ldc);
    };
    const auto q = [&](char offsetc, const std::int32_t *offsets) {
        return dnnl_gemm_u8s8s32('N', 'N', offsetc, 2, 2, 2, 1, a, 2, 0, b, 2, 0, 0, c, 2, offsets);
    };
    const auto refused = [](dnnl_status_t status, const std::string &argument) {
        BOOST_TEST(status == dnnl_invalid_arguments);
        const std::string reason = dnnl_ext_last_error();
        BOOST_TEST(reason.starts_with(argument + ":"), reason);
    };
    refused(f('X', 'N', 2, 2, 2, x, 2, 2, 2), "transa"); // SG1
    refused(f('N', 'C', 2, 2, 2, x, 2, 2, 2), "transb");
    refused(f('N', 'N', -1, 2, 2, x, 2, 2, 2), "M");  // SG2
    refused(f('N', 'N', 2, 2, 3, x, 2, 2, 2), "lda"); // SG3
    refused(f('T', 'N', 3, 2, 2, x, 2, 2, 2), "lda");
    refused(f('N', 'N', 2, 3, 2, x, 2, 2, 3), "ldb");
    refused(f('N', 'N', 2, 2, 2, x, 2, 2, 1), "ldc");     // SG4
    refused(f('N', 'N', 2, 2, 2, nullptr, 2, 2, 2), "A"); // SG5
    refused(f('N', 'N', 0, 0, 0, nullptr, 1, 1, 1), "A"); // SG6
    refused(q('Z', &co), "offsetc");                      // SG7
    refused(q('F', nullptr), "co");                       // SG8
    BOOST_TEST(f('N', 'N', 0, 2, 2, x, 2, 2, 2) == dnnl_success);
}
