// SPDX-License-Identifier: Apache-2.0
// How backward weights are cut, over shapes of ResNet-50, MobileNet v2 and Inception v3: the blocks
// and chunks of pixels, which are the same on any number of threads, and the shares of the sums,
// whose products are counted for 1 to 128 threads, on any machine. And the bits that follow.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/runtime/isa.hpp"
#include "cpu/cpu.hpp"
#include "gradient_plan.hpp"
#include "reference_run.hpp"

using namespace gradient_plan;

namespace {

/// Layers with tiles enough of which a thread may get more than others do: by what, and why.
struct uneven_layer {
    std::string name;
    double limit;
    std::string reason;
};
const uneven_layer uneven_layers[] {
    {"ResNet-50, 56: 64 to 64", 1.5, "25 chunks, cut into 11 tiles of rows"},
    {"MobileNet v2, first", 1.9, "chunks of few rows: copies for more shares outweigh waiting"},
    {"MobileNet v2, 56: 24 to 144", 1.78, "25 chunks, cut into few tiles"},
    {"Inception v3, first", 1.83, "chunks of few rows: copies for more shares outweigh waiting"},
};

/// The most products of any thread, divided by the mean.
double evenness_of(const plan_of &plan, const boxes_of_threads &work, int threads) {
    dim_t largest = 0, all = 0;
    for (const auto &boxes : work) {
        dim_t own = 0;
        for (const box &b : boxes) own += b.products;
        largest = std::max(largest, own);
        all += own;
    }
    const gradient_sums s = plan.sums();
    BOOST_TEST(all == s.parts / plan.chunks() * plan.pixels() * s.taps * s.rows * s.columns);
    return static_cast<double>(largest) * threads / static_cast<double>(all);
}

BOOST_AUTO_TEST_CASE(threads_get_equal_shares) {
    const std::map<int, double> limits {{1, 1.0}, {2, 1.15}, {3, 1.15}, {4, 1.15}, {8, 1.15},
        {16, 1.15}, {28, 1.4}, {64, 1.5}, {128, 1.5}};
    std::set<std::string> uneven;
    for (const auto &[threads, limit] : limits) {
        const threads_of_region region(threads);
        if (max_threads() != threads) continue; // not OpenMP
        std::map<std::string, dim_t> few;
        double worst = 1;
        for_each_plan([&, count = threads, usual = limit](
                          const std::string &name, const plan_of &plan) {
            const boxes_of_threads work = plan.work();
            BOOST_TEST(plan.holds_each_piece_once(work), name << " on " << count << " threads");
            const double evenness = evenness_of(plan, work, count);
            if (plan.pieces() < 4 * count) {
                few[name] = plan.pieces();
                return;
            }
            worst = std::max(worst, evenness);
            double allowed = usual;
            for (const uneven_layer &u : uneven_layers)
                if (u.name == name) allowed = std::max(allowed, u.limit);
            if (evenness > usual) uneven.insert(name);
            BOOST_TEST(evenness <= allowed, name << " on " << count << " threads: " << evenness);
        });
        for (const auto &[name, pieces] : few)
            BOOST_TEST_MESSAGE(pieces << " tiles, fewer than four for each of " << threads
                                      << " threads: " << name);
        BOOST_TEST_MESSAGE(threads << " threads: at most " << worst << " times the mean");
    }
    for (const uneven_layer &u : uneven_layers) {
        BOOST_TEST_MESSAGE("uneven: " << u.name << ": " << u.reason);
        BOOST_TEST((uneven.empty() || uneven.count(u.name)), u.name << " has become even");
    }
}

/// Blocks hold each of the pixels once, in the order of memory, and are no larger than the largest.
void check_pixels(
    const gradient_blocks &blocks, dim_t OH, dim_t OW, dim_t pixels, const std::string &name) {
    const gradient_block most = blocks.largest();
    dim_t end = 0, wrong = 0;
    for (dim_t index = 0; index < blocks.count(); ++index) {
        const gradient_block b = blocks.of(index);
        wrong += b.size() <= 0 || b.planes > most.planes || b.lines > most.lines ||
                 b.pixels > most.pixels;
        wrong += b.planes > 1 && b.lines != OH; // several planes are whole, several lines as well
        wrong += b.planes * b.lines > 1 && b.pixels != OW;
        wrong += (b.plane * OH + b.oh) * OW + b.ow != end;
        end += b.size();
    }
    BOOST_TEST(wrong == 0, name);
    BOOST_TEST(end == pixels, name);
}

BOOST_AUTO_TEST_CASE(blocks_hold_each_pixel_once) {
    for_each_plan([](const std::string &name, const plan_of &plan) {
        check_pixels(plan.blocks(), plan.lines(), plan.width(), plan.pixels(), name);
        BOOST_TEST(plan.chunks() <= plan.blocks().count(), name << ": a chunk has no pixel");
    });
    for (const dim_t planes : {1, 2, 7, 16})
        for (const dim_t OH : {1, 3, 10, 35})
            for (const dim_t OW : {1, 5, 33, 2000})
                for (const dim_t most : {1, 32, 500, 1024}) {
                    const gradient_blocks blocks(planes, OH, OW, most);
                    BOOST_TEST(blocks.largest().size() <= most);
                    check_pixels(blocks, OH, OW, planes * OH * OW,
                        std::to_string(planes) + " planes of " + std::to_string(OH) + " x " +
                            std::to_string(OW) + ", at most " + std::to_string(most));
                }
}

/// Of the weights and the bias, for random reals, whose sums depend on their order.
std::vector<std::byte> bits_of_gradient(const layer &l, data_type type, isa target) {
    problem p = problem_of(l, type, target);
    const auto &op = std::get<convolution_desc>(p.op);
    reference_run::buffer src(op.src), weights(op.weights), bias(op.bias), dst(op.dst);
    std::mt19937 random(7);
    for (reference_run::buffer *b : {&src, &dst})
        for (dim_t i = 0; i < b->md.nelems(); ++i)
            store_f32(type, b->bytes.data(), i, static_cast<float>(random() % 4001) / 1999 - 1);
    const planned made = make_gemm_convolution_weights(p);
    BOOST_REQUIRE_MESSAGE(made.result, made.why_not);
    const std::vector<bound_argument> bound {{DNNL_ARG_SRC, &src.md, src.bytes.data()},
        {DNNL_ARG_DIFF_DST, &dst.md, dst.bytes.data()},
        {DNNL_ARG_DIFF_WEIGHTS, &weights.md, weights.bytes.data()},
        {DNNL_ARG_DIFF_BIAS, &bias.md, bias.bytes.data()}};
    const scratchpad_lease scratchpad(p.scratchpad.bytes());
    made.result->execute(exec_context(bound, scratchpad.data()));
    weights.bytes.insert(weights.bytes.end(), bias.bytes.begin(), bias.bytes.end());
    return weights.bytes;
}

boost::test_tools::assertion_result has_avx2(boost::unit_test::test_unit_id) {
    return has(effective_isa(), isa::avx2);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads, *boost::unit_test::precondition(has_avx2)) {
    const isa target = has(effective_isa(), isa::avx512) ? isa::avx512 : isa::avx2;
    const layer small_layers[] {
        {"several taps", 8, 1, 40, 200, 24, 24, 3, 3, 1},
        {"a single tap", 8, 1, 72, 200, 24, 24, 1, 1, 1},
        {"few channels", 4, 1, 3, 96, 40, 40, 5, 5, 2},
        {"groups", 8, 4, 24, 24, 24, 24, 3, 3, 1},
    };
    for (const layer &l : small_layers)
        for (const data_type type : {data_type::f32, data_type::bf16}) {
            std::vector<std::byte> expected;
            dim_t chunks = 0;
            for (const int threads : {1, 2, 3, 5, 16, 28, 64, 128}) {
                const threads_of_region region(threads);
                const dim_t own_chunks = plan_of(problem_of(l, type, target)).chunks();
                const auto bits = bits_of_gradient(l, type, target);
                if (threads == 1) {
                    expected = bits;
                    chunks = own_chunks;
                    BOOST_TEST(chunks > 1, l.name << " has sums of one chunk");
                }
                BOOST_TEST(own_chunks == chunks, l.name << " on " << threads << " threads");
                BOOST_TEST((bits == expected), l.name << " on " << threads << " threads");
            }
        }
}

} // namespace
