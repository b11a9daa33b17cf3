// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels and the packing against plain loops: every type pair and instruction set,
// all row, column and k tails; operands end at inaccessible pages. Integers must be equal, and so
// must f32 sums of small integers.
#include "kernel_levels.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "common/layout/data_type.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {
namespace {

constexpr double no_value = -12345.0; // what a result must not touch

// One problem: C[m][n] = sum over the batch of A[m][k] * B[k][n], all operands as doubles.
struct product_case {
    data_type a_type, b_type;
    dim_t m, n, k;
    int batch = 1;
    int low_a = -4, high_a = 4, low_b = -4, high_b = 4; // range of the random integers
    bool accumulate = false;
};

void put(void *base, dim_t i, data_type t, double value) {
    switch (t) {
    case data_type::f32: static_cast<f32 *>(base)[i] = static_cast<f32>(value); break;
    case data_type::bf16:
        static_cast<bf16 *>(base)[i].bits = f32_to_bf16(static_cast<f32>(value));
        break;
    case data_type::f16:
        static_cast<f16 *>(base)[i].bits = f32_to_f16(static_cast<f32>(value));
        break;
    case data_type::s8: static_cast<s8 *>(base)[i] = static_cast<s8>(value); break;
    default: static_cast<u8 *>(base)[i] = static_cast<u8>(value); break;
    }
}

// The operands of a case as doubles and in kernel form, and its result by plain loops.
class product_data {
  public:
    product_data(const product_case &c, const gemm_kernel &kernel, isa level)
        : c_(c), kernel_(kernel), a_bytes_(bytes_of(c.a_type)), b_bytes_(bytes_of(c.b_type)),
          lda_(c.k * a_bytes_), a_values_(static_cast<std::size_t>(c.batch * c.m * c.k)),
          b_values_(static_cast<std::size_t>(c.batch * c.k * c.n)),
          panel_bytes_((c.k + kernel.k_panel - 1) / kernel.k_panel * kernel.k_panel *
                       kernel.panel_columns * b_bytes_),
          product_bytes_(panel_bytes_ * ((c.n + kernel.panel_columns - 1) / kernel.panel_columns)),
          panels_(static_cast<std::size_t>(product_bytes_ * c.batch)) {
        numbers random(static_cast<std::uint32_t>(c.m * 131 + c.n * 17 + c.k + c.low_b));
        for (double &v : a_values_) v = random.between(c.low_a, c.high_a);
        for (double &v : b_values_) v = random.between(c.low_b, c.high_b);
        for (int b = 0; b < c.batch; ++b) fill_a(b);
        for (int b = 0; b < c.batch; ++b) pack(level, b);
    }

    // The call, raw sums; c holds m x n with room for one more column.
    gemm_block_args call(f32 *c) const {
        gemm_block_args g {};
        g.batch = c_.batch;
        g.a = a_pointers_.data();
        g.lda_bytes = lda_;
        g.b = panels_.data();
        g.b_step_bytes = product_bytes_;
        g.b_panel_bytes = panel_bytes_;
        g.m = c_.m;
        g.n = c_.n;
        g.k = c_.k;
        g.c = c;
        g.ldc_bytes = (c_.n + 1) * 4;
        g.accumulate = c_.accumulate;
        return g;
    }
    double expected(dim_t i, dim_t j) const {
        double sum = 0;
        for (int b = 0; b < c_.batch; ++b)
            for (dim_t p = 0; p < c_.k; ++p)
                sum += a_values_[static_cast<std::size_t>((b * c_.m + i) * c_.k + p)] *
                       b_values_[static_cast<std::size_t>((b * c_.k + p) * c_.n + j)];
        return sum;
    }

  private:
    static dim_t bytes_of(data_type t) { return static_cast<dim_t>(size_of(t)); }

    // A ends with its last element: a read behind it faults.
    void fill_a(int b) {
        const dim_t bytes = (c_.m - 1) * lda_ + c_.k * a_bytes_;
        a_.push_back(std::make_unique<guarded_array<char>>(static_cast<std::size_t>(bytes)));
        char *base = a_.back()->data();
        a_pointers_.push_back(base);
        for (dim_t i = 0; i < c_.m; ++i)
            for (dim_t p = 0; p < c_.k; ++p)
                put(base + i * lda_, p, c_.a_type,
                    a_values_[static_cast<std::size_t>((b * c_.m + i) * c_.k + p)]);
    }
    // Odd products are packed from a transposed matrix.
    void pack(isa level, int b) {
        std::vector<char> plain(static_cast<std::size_t>(c_.k * c_.n * b_bytes_));
        const bool transposed = b % 2 != 0;
        pack_b_args p {};
        p.k_stride = transposed ? 1 : c_.n;
        p.n_stride = transposed ? c_.k : 1;
        for (dim_t q = 0; q < c_.k; ++q)
            for (dim_t j = 0; j < c_.n; ++j)
                put(plain.data(), q * p.k_stride + j * p.n_stride, c_.b_type,
                    b_values_[static_cast<std::size_t>((b * c_.k + q) * c_.n + j)]);
        p.src = plain.data();
        p.k = c_.k;
        p.n = c_.n;
        p.k_padded = panel_bytes_ / (kernel_.panel_columns * b_bytes_);
        p.dst = panels_.data() + b * product_bytes_;
        p.panel_bytes = panel_bytes_;
        std::fill_n(static_cast<char *>(p.dst), product_bytes_, char {0x5a});
        select_pack_b(level, c_.b_type)(p);
    }

    product_case c_;
    gemm_kernel kernel_;
    dim_t a_bytes_, b_bytes_, lda_;
    std::vector<double> a_values_, b_values_;
    dim_t panel_bytes_, product_bytes_;
    std::vector<std::unique_ptr<guarded_array<char>>> a_;
    std::vector<const void *> a_pointers_;
    guarded_array<char> panels_;
};

double number_at(const f32 *c, dim_t i, data_type type) {
    if (type == data_type::f32) return c[i];
    s32 value;
    std::memcpy(&value, c + i, sizeof value);
    return value;
}
void set_number(f32 *c, dim_t i, data_type type, double value) {
    const s32 integer = static_cast<s32>(value);
    if (type == data_type::f32)
        c[i] = static_cast<f32>(value);
    else
        std::memcpy(c + i, &integer, sizeof integer);
}

// One call, or one for each part of k that the kernel takes at once.
void run(const gemm_kernel &kernel, gemm_block_args g, dim_t a_bytes, dim_t b_bytes) {
    const dim_t most = kernel.most_k ? kernel.most_k : g.batch * (g.k + 3);
    if (g.batch * (g.k + 3) <= most) return kernel.run(g);
    gemm_block_args part = g;
    part.batch = 1;
    for (int b = 0; b < g.batch; ++b)
        for (dim_t k = 0; k < g.k; k += part.k) {
            const void *a = static_cast<const char *>(g.a[b]) + k * a_bytes;
            part.a = &a;
            part.b = static_cast<const char *>(g.b) + b * g.b_step_bytes +
                     k * kernel.panel_columns * b_bytes;
            part.k = std::min(most, g.k - k);
            kernel.run(part);
            part.accumulate = true;
        }
}

void check(const kernel_level &level, const product_case &c) {
    const gemm_kernel kernel = select_gemm(level.mask, c.a_type, c.b_type);
    BOOST_REQUIRE(kernel.run != nullptr);
    const product_data data(c, kernel, level.mask);
    guarded_array<f32> result(static_cast<std::size_t>(c.m * (c.n + 1)));
    for (dim_t i = 0; i < c.m; ++i)
        for (dim_t j = 0; j <= c.n; ++j)
            set_number(&result[0], i * (c.n + 1) + j, kernel.acc_type,
                j < c.n && c.accumulate ? double(i - j) : no_value);
    if (kernel.begin) kernel.begin();
    run(kernel, data.call(result.data()), dim_t(size_of(c.a_type)), dim_t(size_of(c.b_type)));
    if (kernel.end) kernel.end(nullptr);
    dim_t wrong = 0;
    for (dim_t i = 0; i < c.m; ++i) {
        for (dim_t j = 0; j < c.n; ++j) {
            const double start = c.accumulate ? double(i - j) : 0.0;
            wrong += number_at(result.data(), i * (c.n + 1) + j, kernel.acc_type) !=
                     data.expected(i, j) + start;
        }
        wrong += number_at(result.data(), i * (c.n + 1) + c.n, kernel.acc_type) != no_value;
    }
    BOOST_TEST(wrong == 0,
        wrong << " wrong sums: m " << c.m << " n " << c.n << " k " << c.k << " batch " << c.batch);
}

struct type_pair {
    const char *name;
    data_type a, b;
};
constexpr type_pair type_pairs[] = {
    {"f32:f32", data_type::f32, data_type::f32},
    {"bf16:bf16", data_type::bf16, data_type::bf16},
    {"f16:f16", data_type::f16, data_type::f16},
    {"f32:bf16", data_type::f32, data_type::bf16},
    {"f32:f16", data_type::f32, data_type::f16},
    {"u8:s8", data_type::u8, data_type::s8},
    {"s8:s8", data_type::s8, data_type::s8},
    {"u8:u8", data_type::u8, data_type::u8},
    {"s8:u8", data_type::s8, data_type::u8},
};

product_case full_range(const type_pair &t, dim_t m, dim_t n, dim_t k) {
    product_case c {t.a, t.b, m, n, k};
    if (t.a == data_type::s8) c.low_a = -128, c.high_a = 127;
    if (t.a == data_type::u8) c.low_a = 0, c.high_a = 255;
    if (t.b == data_type::s8) c.low_b = -128, c.high_b = 127;
    if (t.b == data_type::u8) c.low_b = 0, c.high_b = 255;
    return c;
}

template <class Body> void for_each_kernel(const Body &body) {
    for_each_level([&](const kernel_level &level) {
        for (const type_pair &t : type_pairs) BOOST_TEST_CONTEXT(t.name) {
                const gemm_kernel kernel = select_gemm(level.mask, t.a, t.b);
                if (!kernel.run) // f32 and bytes alone
                    BOOST_TEST((level.mask == isa::sse41));
                else
                    body(level, t, kernel);
            }
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(every_count_of_rows) {
    for_each_kernel([](const kernel_level &level, const type_pair &t, const gemm_kernel &kernel) {
        for (dim_t m = 1; m <= 2 * kernel.mr + 1; ++m) check(level, full_range(t, m, 37, 13));
        if (!kernel.most_k) return;
        for (dim_t m = 3 * kernel.mr; m <= 5 * kernel.mr + 1; ++m)
            check(level, full_range(t, m, 70, 13)); // panels are widened for so many rows
    });
}

BOOST_AUTO_TEST_CASE(every_count_of_columns) {
    for_each_kernel([](const kernel_level &level, const type_pair &t, const gemm_kernel &kernel) {
        for (dim_t n = 1; n <= 2 * kernel.nr + 1; ++n)
            check(level, full_range(t, kernel.mr + 1, n, 11));
        for (dim_t n = 1; kernel.most_k && n <= 70; ++n)
            check(level, full_range(t, 4 * kernel.mr + 1, n, 11));
    });
}

BOOST_AUTO_TEST_CASE(every_small_k) {
    for_each_kernel([](const kernel_level &level, const type_pair &t, const gemm_kernel &kernel) {
        for (dim_t k = 1; k <= 70; ++k) check(level, full_range(t, 5, 19, k));
        for (dim_t k = 1; kernel.most_k && k <= 35; ++k)
            check(level, full_range(t, 4 * kernel.mr, 19, k));
    });
}

BOOST_AUTO_TEST_CASE(large_blocks) {
    for_each_kernel([](const kernel_level &level, const type_pair &t, const gemm_kernel &kernel) {
        check(level, full_range(t, 2 * kernel.mr + 3, 2 * kernel.nr + 5, 515));
        check(level, full_range(t, 3, 40, 4099));
        check(level, full_range(t, 150, 70, 500));
    });
}

BOOST_AUTO_TEST_CASE(batches_and_accumulation) {
    for_each_kernel([](const kernel_level &level, const type_pair &t, const gemm_kernel &kernel) {
        for (int batch : {2, 3, 9})
            for (dim_t m : {dim_t(kernel.mr + 2), dim_t(4 * kernel.mr + 2)}) {
                product_case c = full_range(t, m, kernel.nr + 3, 23);
                c.batch = batch;
                check(level, c);
                c.accumulate = true;
                check(level, c);
            }
    });
}

// The largest magnitudes at the deepest exact k: byte products must not saturate on the way.
BOOST_AUTO_TEST_CASE(extreme_bytes) {
    for_each_kernel([](const kernel_level &level, const type_pair &t, const gemm_kernel &) {
        if (!is_int8(t.a)) return;
        for (int a : {t.a == data_type::s8 ? -128 : 255, t.a == data_type::s8 ? 127 : 254}) {
            for (int b : {t.b == data_type::s8 ? -128 : 255, t.b == data_type::s8 ? 127 : 1}) {
                for (dim_t m : {3, 50}) {
                    product_case c {t.a, t.b, m, 33, 32768, 1, a, a, b, b};
                    check(level, c);
                }
            }
        }
    });
}

// k cut into several products or calls gives the bits of one long product, also in f32.
BOOST_AUTO_TEST_CASE(cutting_k_keeps_bits) {
    for_each_level([](const kernel_level &level) {
        const gemm_kernel kernel = select_gemm(level.mask, data_type::f32, data_type::f32);
        const dim_t m = 7, n = 50, k = 96, panel = 64 * k * 4;
        std::vector<f32> a(static_cast<std::size_t>(m * k)), whole(m * n), cut(m * n), calls(m * n);
        guarded_array<f32> b(static_cast<std::size_t>(64 * k));
        numbers random(5);
        for (f32 &v : a) v = static_cast<f32>(random.between(-9999, 9999)) / 777.0f;
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = static_cast<f32>(random.between(-9999, 9999)) / 777.0f;
        const void *base = a.data();
        gemm_block_args g {};
        g.batch = 1;
        g.a = &base;
        g.lda_bytes = k * 4;
        g.b = b.data();
        g.b_panel_bytes = panel;
        g.m = m, g.n = n, g.k = k;
        g.ldc_bytes = n * 4;
        g.c = whole.data();
        kernel.run(g);
        g.batch = 3, g.k = 32;
        g.a_step_bytes = 32 * 4, g.b_step_bytes = 64 * 32 * 4;
        g.c = cut.data();
        kernel.run(g);
        const dim_t offsets[3] = {0, 64 * 32 * 4, 64 * 64 * 4};
        g.b_step_bytes = 0, g.b_offset_bytes = offsets;
        g.c = calls.data();
        kernel.run(g);
        BOOST_TEST(std::memcmp(whole.data(), calls.data(), whole.size() * 4) == 0);
        BOOST_TEST(std::memcmp(whole.data(), cut.data(), whole.size() * 4) == 0);
        g.batch = 1, g.a_step_bytes = 0, g.b_offset_bytes = nullptr;
        for (int part = 0; part < 3; ++part) {
            const void *a_part = a.data() + part * 32;
            g.a = &a_part;
            g.b = b.data() + part * 64 * 32;
            g.accumulate = part > 0;
            kernel.run(g);
        }
        BOOST_TEST(std::memcmp(whole.data(), calls.data(), whole.size() * 4) == 0);
    });
}

// With an epilogue, the block equals its raw sums put through epilogue_rows.
BOOST_AUTO_TEST_CASE(finished_blocks) {
    for_each_kernel([](const kernel_level &level, const type_pair &t, const gemm_kernel &kernel) {
        for (data_type dst_type : {data_type::f32, data_type::bf16, data_type::f16, data_type::s32,
                 data_type::s8, data_type::u8}) {
            for (int features = 0; features < 256; features += features < 64 ? 1 : 3) {
                const bool widens = kernel.most_k > 0;
                product_case c = full_range(
                    t, (widens ? 4 : 1) * kernel.mr + 3, kernel.nr + (widens ? 25 : 9), 9);
                // Numbers that few conversions keep are added to zeros or to products with 0.
                if ((features & 129) == 128) c.low_a = c.high_a = 0;
                const product_data data(c, kernel, level.mask);
                std::vector<f32> raw(static_cast<std::size_t>(c.m * (c.n + 1)));
                constexpr dim_t first_column = 5;
                std::vector<f32> scales(c.n + first_column, 0.011f), bias(scales.size(), 3.5f);
                std::vector<s32> compensation(scales.size(), 77), zero_points(1, 3);
                for (std::size_t j = 0; j < scales.size(); ++j)
                    scales[j] += 0.001f * f32(j), bias[j] -= f32(j), compensation[j] += s32(j);
                std::vector<f32> row_scales(static_cast<std::size_t>(c.m));
                std::vector<s32> row_compensation(row_scales.size()), factors(scales.size());
                for (std::size_t i = 0; i < row_scales.size(); ++i)
                    row_scales[i] = 0.5f + 0.1f * f32(i), row_compensation[i] = 11 - s32(i);
                for (std::size_t j = 0; j < factors.size(); ++j) factors[j] = s32(j) - 9;
                if (features & 128) {
                    const f32 special[4] = {std::nanf(""), 0x1p-130f, HUGE_VALF, -0x3p-140f};
                    for (std::size_t j = 0; j < scales.size(); j += 3)
                        scales[j] = 0.0f, bias[j] = special[j % 4];
                }
                epilogue_step relu {};
                relu.what = epilogue_step::kind::eltwise;
                relu.alg = algorithm::relu;
                relu.scale = 1.0f;
                if (features & 32)
                    relu.alg = algorithm::clip, relu.alpha = -7.5f, relu.beta = 90.0f;
                epilogue e {};
                e.dst_type = dst_type;
                e.inverse_dst_scale = features & 8 ? 0.7f : 1.0f;
                e.inverse_dst_scale_low = features & 8 ? 0x1.4p-25f : 0.0f;
                if (features & 1) e.scales = scales.data(), e.scale_stride = 1;
                if (features & 2) e.bias = bias.data();
                if (features & 4) e.steps = &relu, e.step_count = 1;
                if (features & 8) e.dst_zero_points = zero_points.data();
                if (features & 16 && is_int8(t.a)) e.compensation = compensation.data();
                if (features & 64) {
                    e.row_scales = row_scales.data();
                    if (is_int8(t.a)) e.row_compensation = row_compensation.data();
                    if (features & 1) e.row_factors = factors.data();
                }
                const dim_t dst_bytes = static_cast<dim_t>(size_of(dst_type));
                const dim_t ldd = (c.n + 3) * dst_bytes;
                std::vector<char> expected(static_cast<std::size_t>(c.m * ldd), 0x33),
                    result = expected;
                gemm_block_args g = data.call(raw.data());
                if (kernel.begin) kernel.begin();
                kernel.run(g);
                epilogue_rows_args rows {};
                rows.finish = &e;
                rows.acc = raw.data(), rows.acc_stride_bytes = g.ldc_bytes,
                rows.acc_type = kernel.acc_type;
                rows.dst = expected.data(), rows.dst_stride_bytes = ldd;
                rows.rows = c.m, rows.columns = c.n;
                rows.position[column_dim] = g.position[column_dim] = first_column;
                kernel_for<every_level>(level.mask, []<class Isa> { return epilogue_rows<Isa>; })(
                    rows);
                g.finish = &e;
                g.c = nullptr;
                g.dst = result.data(), g.ldd_bytes = ldd;
                kernel.run(g);
                if (kernel.end) kernel.end(nullptr);
                BOOST_TEST(
                    (expected == result), "dst " << name_of(dst_type) << " features " << features);
            }
        }
    });
}

// Padding of packed panels is zero, elements are where doc/kernels.md says; column sums are right.
BOOST_AUTO_TEST_CASE(packed_panels) {
    for_each_level([](const kernel_level &level) {
        const dim_t k = 7, n = 35, k_padded = 64;
        std::vector<s8> src(k * n);
        numbers random(3);
        for (s8 &v : src) v = static_cast<s8>(random.between(-128, 127));
        std::vector<s8> panels(2 * 32 * k_padded, 99);
        std::vector<s32> sums(n, -1); // what was there before
        pack_b_args p {};
        p.src = src.data();
        p.k_stride = n, p.n_stride = 1;
        p.k = k, p.n = n, p.k_padded = k_padded;
        p.dst = panels.data(), p.panel_bytes = 32 * k_padded;
        p.column_sums = sums.data();
        select_pack_b(level.mask, data_type::s8)(p);
        int wrong = 0;
        for (dim_t q = 0; q < k_padded; ++q)
            for (dim_t j = 0; j < 64; ++j) {
                const s8 found = panels[j / 32 * 32 * k_padded + q / 4 * 128 + j % 32 * 4 + q % 4];
                wrong += found != (q < k && j < n ? src[q * n + j] : 0);
            }
        for (dim_t j = 0; j < n; ++j) {
            s32 sum = -1;
            for (dim_t q = 0; q < k; ++q) sum += src[q * n + j];
            wrong += sums[j] != sum;
        }
        BOOST_TEST(wrong == 0);
    });
}

} // namespace dnnl::impl::cpu
