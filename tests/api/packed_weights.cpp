// SPDX-License-Identifier: Apache-2.0
// The layout that a product chooses for weights `any` does not depend on the number of rows of the
// source: weights are packed once and serve every batch.
#include <boost/test/unit_test.hpp>

#include <vector>

#include "cpu.hpp"

using namespace dnnl;
using api_tests::cpu;
using dt = memory::data_type;
using tag = memory::format_tag;
using md = memory::desc;

namespace {

struct types {
    dt src, weights, dst;
};
const types floats_and_integers[] = {{dt::f32, dt::f32, dt::f32}, {dt::bf16, dt::bf16, dt::bf16},
    {dt::bf16, dt::bf16, dt::f32}, {dt::f16, dt::f16, dt::f16}, {dt::u8, dt::s8, dt::f32},
    {dt::s8, dt::s8, dt::s32}};

const memory::dim numbers_of_rows[] = {1, 2, 3, 5, 16, 17, 63, 64, 65, 256, 1000, 5000};
const memory::dim extents[] = {1, 16, 100, 768};

md any(const memory::dims &dims, dt type) { return md(dims, type, tag::any); }
md plain(const memory::dims &dims, dt type) { return md(dims, type, memory::dims()); }

/// The weights of each product are laid out like those of the first.
template <class Weights> void check_equal(Weights weights) {
    const md first = weights(numbers_of_rows[0]);
    for (const memory::dim rows : numbers_of_rows)
        BOOST_CHECK_MESSAGE(weights(rows) == first, rows << " rows");
}

primitive_attr attributes(const types &t, bool zero_point) {
    primitive_attr attr;
    if (zero_point) attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    if (t.src == dt::f32 && t.weights == dt::s8) {
        attr.set_fpmath_mode(fpmath_mode::any, true);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 2);
    }
    return attr;
}

md of_matmul(const types &t, const memory::dims &src, const memory::dims &weights,
    const memory::dims &dst, const primitive_attr &attr) {
    return matmul::primitive_desc(
        cpu(), plain(src, t.src), any(weights, t.weights), plain(dst, t.dst), attr)
        .weights_desc();
}

} // namespace

BOOST_AUTO_TEST_CASE(matmul_weights) {
    std::vector<types> all(std::begin(floats_and_integers), std::end(floats_and_integers));
    all.push_back({dt::f32, dt::s8, dt::f32});
    for (const types &t : all)
        for (const memory::dim N : extents)
            for (const memory::dim K : extents)
                for (const bool zero_point : {false, t.src == dt::u8}) {
                    const primitive_attr attr = attributes(t, zero_point);
                    check_equal([&](memory::dim M) {
                        return of_matmul(t, {M, K}, {K, N}, {M, N}, attr);
                    });
                }
}

BOOST_AUTO_TEST_CASE(matmul_batches) {
    for (const types &t : floats_and_integers) {
        const primitive_attr attr;
        check_equal([&](memory::dim M) {
            return of_matmul(t, {3, M, 100}, {3, 100, 48}, {3, M, 48}, attr);
        });
        check_equal([&](memory::dim batch) {
            return of_matmul(t, {batch, 7, 100}, {1, 100, 48}, {batch, 7, 48}, attr);
        });
    }
}

BOOST_AUTO_TEST_CASE(matmul_of_rows_known_at_execution) {
    const memory::dim M = DNNL_RUNTIME_DIM_VAL;
    for (const types &t : floats_and_integers) {
        const md known = of_matmul(t, {5, 100}, {100, 48}, {5, 48}, primitive_attr());
        BOOST_TEST((of_matmul(t, {M, 100}, {100, 48}, {M, 48}, primitive_attr()) == known));
    }
}

BOOST_AUTO_TEST_CASE(inner_product_weights) {
    for (const types &t : floats_and_integers)
        for (const memory::dim OC : extents)
            for (const memory::dims &image : {memory::dims {64}, {3, 5, 7}, {16, 2, 2}})
                check_equal([&](memory::dim MB) {
                    memory::dims src {MB}, weights {OC};
                    src.insert(src.end(), image.begin(), image.end());
                    weights.insert(weights.end(), image.begin(), image.end());
                    return inner_product_forward::primitive_desc(cpu(),
                        prop_kind::forward_inference, any(src, t.src), any(weights, t.weights),
                        any({MB, OC}, t.dst))
                        .weights_desc();
                });
}
