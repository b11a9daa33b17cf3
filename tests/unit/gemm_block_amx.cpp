// SPDX-License-Identifier: Apache-2.0
// The AMX block kernels against plain loops, on the tiles of the CPU or on the model of them: all
// row, column and k tails, batches, the epilogue that runs between the products of the next block,
// and the protocol of begin, run and end. Operands end at inaccessible pages.
#include "amx_tiles.hpp"
#include "gemm_product.hpp"

#include <deque>
#include <thread>

#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {
namespace {

const needs_avx512 requirements("AMX kernels hold AVX-512 code");

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
    std::vector<f32> scales, bias, row_bias;
    epilogue_step bias_operand {};
    std::vector<s32> compensation, zero_points;
    epilogue_step relu {};
    epilogue how {};
    finishing(data_type dst_type, unsigned features, dim_t rows, dim_t columns, bool integers)
        : scales(columns, 0.011f), bias(columns, 3.5f), row_bias(rows), compensation(columns, 77),
          zero_points(1, 3) {
        for (dim_t i = 0; i < rows; ++i) row_bias[i] = 1.5f * f32(i);
        for (dim_t j = 0; j < columns; ++j)
            scales[j] += 0.001f * f32(j), bias[j] -= f32(j), compensation[j] += s32(j);
        relu.what = epilogue_step::kind::eltwise;
        relu.alg = algorithm::relu;
        relu.scale = 1.0f;
        how.dst_type = dst_type;
        how.inverse_dst_scale = features & 8 ? 0.7f : 1.0f;
        how.inverse_dst_scale_low = features & 8 ? 0x1.4p-25f : 0.0f;
        if (features & 1) how.scales = scales.data(), how.scale_stride = 1;
        if (features & 2) how.bias = bias.data();
        if (features & 4) how.steps = &relu, how.step_count = 1;
        if (features & 8) how.dst_zero_points = zero_points.data();
        bias_operand.operand = row_bias.data();
        bias_operand.operand_type = data_type::f32;
        bias_operand.strides[row_dim] = 1;
        if (features % 3 == 2) how.bias = nullptr, how.bias_operand = &bias_operand;
        if (features & 16 && integers) how.compensation = compensation.data();
    }
    finishing(const finishing &) = delete;
};

constexpr data_type dst_types[] = {
    data_type::f32, data_type::bf16, data_type::f16, data_type::s32, data_type::s8, data_type::u8};
constexpr dim_t first_row = 2, first_column = 5;

// One block of a sequence with a shared pending_block: raw sums, or finished into dst.
struct block_in_sequence {
    product p;
    finishing f;
    bool finished;
    dim_t m, n, ldd;
    std::vector<s32> c;
    std::vector<char> dst;

    block_in_sequence(const type_pair &t, const shape &s, data_type dst_type, unsigned features)
        : p(t, s),
          f(dst_type, features, s.m + first_row, s.n + first_column, t.a != data_type::bf16),
          finished(features < 32), m(s.m), n(s.n), ldd((s.n + 3) * dim_t(size_of(dst_type))),
          c(p.start()), dst(static_cast<std::size_t>(s.m * ldd), 0x33) {}
    void run(const gemm_kernel &kernel, pending_block *pending) {
        gemm_block_args g = p.call();
        g.c = c.data();
        g.previous = pending;
        if (finished) {
            g.finish = &f.how;
            g.dst = dst.data();
            g.ldd_bytes = ldd;
            g.position[row_dim] = first_row;
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
        rows.acc_stride_bytes = p.ldc() * dim_t(sizeof(s32));
        rows.acc_type = kernel.acc_type;
        rows.dst = expected.data(), rows.dst_stride_bytes = ldd;
        rows.rows = m, rows.columns = n;
        rows.position[row_dim] = first_row;
        rows.position[column_dim] = first_column;
        kernel_for<vector_levels>(isa::avx512, []<class Isa> { return epilogue_rows<Isa>; })(rows);
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
            reset(*pending);
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
