// SPDX-License-Identifier: Apache-2.0
// The kernels of sparse operands alone: every number of columns up to beyond a block, rows of no,
// one and many entries, long sums of extreme bytes, and operands that end at a page without access.
#include "cpu/kernels/gemm/dot_rows.hpp"

#include <algorithm>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "cpu/kernels/select.hpp"
#include "kernel_levels.hpp"

using namespace dnnl::impl;
using namespace dnnl::impl::cpu;

namespace {

constexpr dim_t depth = 13;

template <class B> void (*rows_kernel(isa target))(const sparse_rows_args &) {
    return kernel_for<vector_levels>(target, []<class Isa> { return sparse_rows<Isa, B>; });
}

bool is_vector_level(isa mask) { return mask == isa::avx2 || mask == isa::avx512; }

/// Rows of 0, 1, 2, 5 and 40 entries, in any order and more than once.
struct entries {
    std::vector<dim_t> begins {0, 0, 1, 3, 8, 48};
    guarded_array<s32> indices {48};
    guarded_array<f32> values {48};
    dim_t rows() const { return static_cast<dim_t>(begins.size()) - 1; }

    entries() {
        numbers random(3);
        for (std::size_t e = 0; e < indices.size(); ++e) {
            indices[e] = random.between(0, depth - 1);
            values[e] = static_cast<f32>(random.between(-5, 5));
        }
    }
};

/// B of small integers with one row of `columns`, a row of C has two elements more.
template <class B> void check_columns(isa target, const entries &list, dim_t columns) {
    const auto ldb = static_cast<std::size_t>(columns);
    const auto ldc = static_cast<std::size_t>(columns + 2);
    const auto rows = static_cast<std::size_t>(list.rows());
    guarded_array<B> b(depth * ldb);
    numbers random(static_cast<std::uint32_t>(columns));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<B>(random.between(0, 9));
    guarded_array<f32> c(rows * ldc - 2);
    std::fill_n(c.data(), c.size(), -1.0f);
    sparse_rows_args g {};
    g.begins = list.begins.data();
    g.indices = list.indices.data();
    g.values = list.values.data();
    g.b = b.data();
    g.ldb_bytes = columns * dim_t {sizeof(B)};
    g.rows = list.rows();
    g.columns = columns;
    g.c = c.data();
    g.ldc_bytes = (columns + 2) * dim_t {sizeof(f32)};
    g.c_type = data_type::f32;
    g.integers = sizeof(B) == 1;
    rows_kernel<B>(target)(g);
    int wrong = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < ldb; ++j) {
            f32 sum = 0;
            for (auto e = static_cast<std::size_t>(list.begins[r]);
                 e < static_cast<std::size_t>(list.begins[r + 1]); ++e)
                sum += list.values[e] *
                       static_cast<f32>(b[static_cast<std::size_t>(list.indices[e]) * ldb + j]);
            wrong += c[r * ldc + j] != sum;
        }
        for (std::size_t j = ldb; j < ldc && r + 1 < rows; ++j) wrong += c[r * ldc + j] != -1;
    }
    BOOST_TEST(wrong == 0, columns << " columns: " << wrong << " elements are wrong");
}

} // namespace

BOOST_AUTO_TEST_CASE(every_number_of_columns) {
    const entries list;
    for_each_level([&](const kernel_level &level) {
        if (!is_vector_level(level.mask)) return;
        for (dim_t columns = 1; columns <= 150; ++columns) {
            check_columns<f32>(level.mask, list, columns);
            check_columns<s8>(level.mask, list, columns);
            check_columns<u8>(level.mask, list, columns);
        }
    });
}

BOOST_AUTO_TEST_CASE(long_sums_of_bytes) {
    // 255 * 255 * 20,000 < 2^31: far beyond what f32 holds exactly.
    for (const dim_t count : {255, 256, 257, 512, 513, 20000}) {
        const std::vector<dim_t> begins {0, count};
        const std::vector<s32> indices(static_cast<std::size_t>(count));
        std::vector<f32> values(static_cast<std::size_t>(count), 255);
        values.back() = 254;
        const std::vector<u8> b(40, 255);
        for_each_level([&](const kernel_level &level) {
            if (!is_vector_level(level.mask)) return;
            std::vector<s32> c(b.size(), -1);
            sparse_rows_args g {};
            g.begins = begins.data();
            g.indices = indices.data();
            g.values = values.data();
            g.b = b.data();
            g.rows = 1;
            g.columns = static_cast<dim_t>(b.size());
            g.c = c.data();
            g.c_type = data_type::s32;
            g.integers = true;
            rows_kernel<u8>(level.mask)(g);
            const auto expected = static_cast<s32>(count * 255 * 255 - 255);
            BOOST_TEST(std::all_of(c.begin(), c.end(), [=](s32 x) { return x == expected; }));
        });
    }
}

BOOST_AUTO_TEST_CASE(scattered_entries) {
    const entries list;
    for_each_level([&](const kernel_level &level) {
        if (!is_vector_level(level.mask)) return;
        const std::size_t lanes = level.mask == isa::avx512 ? 16 : 8;
        for (const std::size_t width : {std::size_t {1}, lanes}) {
            guarded_array<f32> a(static_cast<std::size_t>(list.rows()) * width);
            guarded_array<f32> c(depth * width);
            for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<f32>(i % 7);
            std::vector<f32> expected(c.size());
            for (std::size_t i = 0; i < c.size(); ++i) expected[i] = c[i] = static_cast<f32>(i % 3);
            for (std::size_t k = 0; k + 1 < list.begins.size(); ++k)
                for (auto e = static_cast<std::size_t>(list.begins[k]);
                     e < static_cast<std::size_t>(list.begins[k + 1]); ++e)
                    for (std::size_t j = 0; j < width; ++j)
                        expected[static_cast<std::size_t>(list.indices[e]) * width + j] +=
                            list.values[e] * a[k * width + j];
            const auto run = kernel_for<vector_levels>(
                level.mask, []<class Isa> { return sparse_scatter<Isa>; });
            run({list.begins.data(), list.indices.data(), list.values.data(), a.data(), c.data(),
                list.rows(), static_cast<dim_t>(width)});
            BOOST_TEST(std::equal(expected.begin(), expected.end(), c.data()));
        }
    });
}
