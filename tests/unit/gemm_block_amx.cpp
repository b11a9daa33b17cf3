// SPDX-License-Identifier: Apache-2.0
// The AMX block kernels against plain loops, on the tiles of the CPU or on the model of them: all
// row, column and k tails, batches, the epilogue that runs between the products of the next block,
// and the protocol of begin, run and end. Operands end at inaccessible pages.
#include "amx_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <memory>
#include <thread>

#include "common/data_type.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {
namespace {

const amx_test_requirements requirements;

constexpr dim_t panel_columns = 32;
constexpr s32 untouched = 0x7fc12345; // what no call may change; a NaN as f32

struct type_pair {
    const char *name;
    data_type a, b;
};
constexpr type_pair type_pairs[] = {{"bf16:bf16", data_type::bf16, data_type::bf16},
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

double product::draw(data_type type, numbers &random) const {
    if (type == data_type::s8) return random.between(-128, 127);
    if (type == data_type::u8) return random.between(0, 255);
    if (s_.integers) return random.between(-8, 8);
    return std::ldexp(random.between(-255, 255), random.between(-12, 4));
}

product::product(const type_pair &t, const shape &s)
    : t_(t), s_(s), bytes_(static_cast<dim_t>(size_of(t.a))), group_(4 / bytes_),
      lda_(s.k * bytes_ + s.gap), a_bytes_((s.m - 1) * lda_ + s.k * bytes_),
      panel_bytes_((s.k + group_ - 1) / group_ * 4 * panel_columns),
      b_bytes_((s.n + panel_columns - 1) / panel_columns * panel_bytes_) {
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

void put(char *at, data_type type, double value) {
    const std::uint16_t real = f32_to_bf16(static_cast<f32>(value));
    if (type == data_type::bf16)
        std::memcpy(at, &real, sizeof real);
    else
        *at = static_cast<char>(static_cast<int>(value));
}

// The products of a batch lie behind each other; the last one ends at the page.
void product::fill_a(const std::vector<double> &values) {
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

void product::fill_b(const std::vector<double> &values) {
    b_ = std::make_unique<guarded_bytes>(static_cast<std::size_t>(s_.batch * b_bytes_));
    std::fill_n(b_->data(), b_->size(), char {0});
    for (int p = 0; p < s_.batch; ++p) {
        const int place = s_.form == batch_form::list ? s_.batch - 1 - p : p;
        offsets_.push_back(p * b_bytes_);
        for (dim_t q = 0; q < s_.k; ++q)
            for (dim_t j = 0; j < s_.n; ++j)
                put(b_->data() + place * b_bytes_ + j / panel_columns * panel_bytes_ +
                        ((q / group_ * panel_columns + j % panel_columns) * group_ + q % group_) *
                            bytes_,
                    t_.b, values[(p * s_.k + q) * s_.n + j]);
    }
}

gemm_block_args product::call() const {
    gemm_block_args g {};
    g.batch = s_.batch;
    g.a = list_.data();
    g.a_step = s_.form == batch_form::list ? 0 : a_bytes_;
    g.lda = lda_;
    g.b = b_->data();
    g.b_step = s_.form == batch_form::offsets ? 1 : b_bytes_;
    g.b_offsets = s_.form == batch_form::offsets ? offsets_.data() : nullptr;
    g.b_panel = panel_bytes_;
    g.m = s_.m, g.n = s_.n, g.k = s_.k;
    g.ldc = ldc() * dim_t(sizeof(s32));
    g.accumulate = s_.accumulate;
    return g;
}

std::vector<s32> product::start() const {
    std::vector<s32> c(static_cast<std::size_t>(s_.m * ldc()), untouched);
    for (dim_t i = 0; i < s_.m && s_.accumulate; ++i)
        for (dim_t j = 0; j < s_.n; ++j)
            c[i * ldc() + j] = real() ? std::bit_cast<s32>(f32(i - j)) : s32(i - j);
    return c;
}

// bf16: within c(K) * u * magnitude, K products in f32; exact for integers.
dim_t product::wrong_sums(const std::vector<s32> &c) const {
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

// The raw sums of a product by a call of its own, begin and end included.
std::vector<s32> raw_sums(const gemm_kernel &kernel, const product &p) {
    std::vector<s32> c = p.start();
    gemm_block_args g = p.call();
    g.c = c.data();
    kernel.begin();
    kernel.run(g);
    kernel.end(nullptr);
    return c;
}

void check(const type_pair &t, const shape &s) {
    const product p(t, s);
    const dim_t wrong = p.wrong_sums(raw_sums(select_gemm(isa::amx, t.a, t.b), p));
    BOOST_TEST(wrong == 0, wrong << " wrong sums: m " << s.m << " n " << s.n << " k " << s.k
                                 << " batch " << s.batch << " form " << int(s.form));
}

// An epilogue of one of several kinds, with room for what it points to.
struct finishing {
    std::vector<f32> scales, bias;
    std::vector<s32> compensation, zero_points;
    epilogue_step relu {};
    epilogue how {};
    finishing(data_type dst_type, unsigned features, dim_t columns, bool integers)
        : scales(columns, 0.011f), bias(columns, 3.5f), compensation(columns, 77),
          zero_points(1, 3) {
        for (dim_t j = 0; j < columns; ++j)
            scales[j] += 0.001f * f32(j), bias[j] -= f32(j), compensation[j] += s32(j);
        relu.what = epilogue_step::kind::eltwise;
        relu.alg = algorithm::relu;
        relu.scale = 1.0f;
        how.dst_type = dst_type;
        how.inverse_dst_scale = features & 8 ? 0.7f : 1.0f;
        if (features & 1) how.scales = scales.data(), how.scale_stride = 1;
        if (features & 2) how.bias = bias.data();
        if (features & 4) how.steps = &relu, how.step_count = 1;
        if (features & 8) how.dst_zero_points = zero_points.data();
        if (features & 16 && integers) how.compensation = compensation.data();
    }
    finishing(const finishing &) = delete;
};

constexpr data_type dst_types[] = {
    data_type::f32, data_type::bf16, data_type::f16, data_type::s32, data_type::s8, data_type::u8};
constexpr dim_t first_column = 5;

// One block of a sequence with a shared pending_block: raw sums, or finished into dst.
struct block_in_sequence {
    product p;
    finishing f;
    bool finished;
    dim_t m, n, ldd;
    std::vector<s32> c;
    std::vector<char> dst;

    block_in_sequence(const type_pair &t, const shape &s, data_type dst_type, unsigned features)
        : p(t, s), f(dst_type, features, s.n + first_column, t.a != data_type::bf16),
          finished(features < 32), m(s.m), n(s.n), ldd((s.n + 3) * dim_t(size_of(dst_type))),
          c(p.start()), dst(static_cast<std::size_t>(s.m * ldd), 0x33) {}
    void run(const gemm_kernel &kernel, pending_block *pending) {
        gemm_block_args g = p.call();
        g.c = c.data();
        g.previous = pending;
        if (finished) {
            g.finish = &f.how;
            g.dst = dst.data();
            g.ldd = ldd;
            g.position[column_dim] = first_column;
            if (!g.accumulate) g.c = nullptr;
        }
        kernel.run(g);
    }
    // The raw sums through the epilogue, without the kernel's part in it.
    bool right(const gemm_kernel &kernel) const {
        const std::vector<s32> sums = raw_sums(kernel, p);
        if (p.wrong_sums(sums) != 0) return false;
        if (!finished) return c == sums;
        std::vector<char> expected(dst.size(), 0x33);
        epilogue_rows_args rows {};
        rows.finish = &f.how;
        rows.acc = sums.data();
        rows.acc_stride = p.ldc() * dim_t(sizeof(s32));
        rows.acc_type = kernel.acc_type;
        rows.dst = expected.data(), rows.dst_stride = ldd;
        rows.rows = m, rows.columns = n;
        rows.position[column_dim] = first_column;
        select_epilogue_rows(isa::avx512)(rows);
        return dst == expected;
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(every_count_of_rows) {
    const amx_tiles tiles;
    for_each_pair([](const type_pair &t) {
        for (dim_t m = 1; m <= 70; ++m) check(t, {.m = m, .n = 37, .k = 13});
    });
}

BOOST_AUTO_TEST_CASE(every_count_of_columns) {
    const amx_tiles tiles;
    for_each_pair([](const type_pair &t) {
        for (dim_t n = 1; n <= 70; ++n) check(t, {.m = 35, .n = n, .k = 70});
    });
}

BOOST_AUTO_TEST_CASE(every_k) {
    const amx_tiles tiles;
    for_each_pair([](const type_pair &t) {
        for (dim_t k = 0; k <= 200; ++k)
            for (dim_t m : {3, 33}) check(t, {.m = m, .n = 19, .k = k, .gap = k % 3 * 7});
        for (dim_t k : {1000, 4099}) check(t, {.m = 35, .n = 33, .k = k});
    });
}

BOOST_AUTO_TEST_CASE(real_numbers) {
    const amx_tiles tiles;
    for (dim_t k : {1, 2, 3, 31, 32, 33, 64, 200, 1000, 5000})
        check(type_pairs[0], {.m = 35, .n = 37, .k = k, .gap = 6, .integers = false});
    check(type_pairs[0],
        {.m = 33, .n = 70, .k = 70, .batch = 4, .accumulate = true, .integers = false});
}

BOOST_AUTO_TEST_CASE(batches_and_accumulation) {
    const amx_tiles tiles;
    for_each_pair([](const type_pair &t) {
        for (batch_form form : {batch_form::list, batch_form::steps, batch_form::offsets})
            for (int batch : {1, 2, 9})
                for (dim_t m : {20, 64, 67})
                    for (dim_t k : {23, 128})
                        for (bool accumulate : {false, true})
                            check(t, {.m = m,
                                         .n = 67,
                                         .k = k,
                                         .batch = batch,
                                         .accumulate = accumulate,
                                         .form = form});
    });
}

// Without a pending block, an epilogue is done when the call returns.
BOOST_AUTO_TEST_CASE(finished_at_once) {
    const amx_tiles tiles;
    for_each_pair([](const type_pair &t) {
        const gemm_kernel kernel = select_gemm(isa::amx, t.a, t.b);
        for (data_type dst_type : dst_types)
            for (unsigned features = 0; features < 32; ++features) {
                block_in_sequence b(t, {.m = 35, .n = 41, .k = 9}, dst_type, features);
                kernel.begin();
                b.run(kernel, nullptr);
                kernel.end(nullptr);
                BOOST_TEST(b.right(kernel), "dst " << name_of(dst_type) << " " << features);
            }
    });
}

// Blocks of different shapes, epilogues and types, each finished between the products of the next.
BOOST_AUTO_TEST_CASE(finished_during_the_next_block) {
    const amx_tiles tiles;
    numbers random(11);
    for_each_pair([&](const type_pair &t) {
        const gemm_kernel kernel = select_gemm(isa::amx, t.a, t.b);
        const auto pending = std::make_unique<pending_block>();
        for (int sequence = 0; sequence < 20; ++sequence) {
            std::memset(pending.get(), 0xee, sizeof *pending);
            pending->rest.rows = 0;
            pending->current = 0;
            std::deque<block_in_sequence> blocks;
            kernel.begin();
            for (int i = 0; i < 12; ++i) {
                const shape s {.m = random.between(1, 70),
                    .n = random.between(1, 70),
                    .k = random.between(0, 9) * random.between(1, 40),
                    .batch = random.between(1, 3),
                    .accumulate = random.between(0, 3) == 0};
                blocks.emplace_back(t, s, dst_types[random.between(0, 5)],
                    static_cast<unsigned>(random.between(0, 39)));
                blocks.back().run(kernel, pending.get());
                // Only the last 32 x 32 sums of a finished block wait.
                const dim_t last_rows = (s.m - 1) % 32 + 1;
                BOOST_TEST(pending->rest.rows == (blocks.back().finished ? last_rows : 0));
            }
            kernel.end(pending.get());
            BOOST_TEST(pending->rest.rows == 0);
            for (std::size_t i = 0; i < blocks.size(); ++i)
                BOOST_TEST(blocks[i].right(kernel), "block " << i << " of " << sequence);
        }
    });
}

// Four loads and four products per step of whole blocks, one configuration, one release.
BOOST_AUTO_TEST_CASE(instructions_of_whole_blocks) {
    const amx_tiles tiles;
    if (!tiles.emulated()) {
        BOOST_TEST_MESSAGE("skipped: the CPU does not count its tile instructions");
        return;
    }
    const product p(type_pairs[1], {.m = 64, .n = 64, .k = 256});
    raw_sums(select_gemm(isa::amx, data_type::u8, data_type::s8), p);
    BOOST_TEST(tiles.counts().products == 4 * 4 * 4);
    BOOST_TEST(tiles.counts().loads == 4 * 4 * 4);
    BOOST_TEST(tiles.counts().stores == 4 * 4);
    BOOST_TEST(tiles.counts().zeros == 4 * 4);
    BOOST_TEST(tiles.counts().configurations == 1);
    BOOST_TEST(tiles.counts().releases == 1);
}

// Tiles belong to threads.
BOOST_AUTO_TEST_CASE(threads) {
    const amx_tiles tiles;
    const type_pair &t = type_pairs[2];
    const gemm_kernel kernel = select_gemm(isa::amx, t.a, t.b);
    const product p(t, {.m = 70, .n = 70, .k = 70});
    std::vector<s32> results[3];
    std::vector<std::thread> threads;
    for (auto &result : results) threads.emplace_back([&] { result = raw_sums(kernel, p); });
    for (std::thread &thread : threads) thread.join();
    for (const auto &result : results) BOOST_TEST(p.wrong_sums(result) == 0);
}

} // namespace dnnl::impl::cpu
