// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with a sparse operand, through the C++ classes: every encoding, side and
// type by every implementation against sums made here, entries that the judge of cases does not
// draw, and requests that are refused, each with its reason.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl_ext.h"

using namespace dnnl;
using api_tests::cpu;
using dim = memory::dim;
using dims = memory::dims;
using encoding = memory::sparse_encoding;
using tag = memory::format_tag;
using type = memory::data_type;

namespace {

struct entry {
    std::int32_t row, column;
    int value;
};
using entries = std::vector<entry>;

/// f16 of an integer that it holds, and back.
std::uint16_t half_of(int value) {
    if (value == 0) return 0;
    const int size = std::abs(value), exponent = std::ilogb(size);
    const int mantissa = (size << 10 >> exponent) & 1023;
    return static_cast<std::uint16_t>((value < 0) << 15 | (exponent + 15) << 10 | mantissa);
}
double of_half(std::uint16_t half) {
    const int exponent = half >> 10 & 31;
    const double size = exponent == 0 ? 0 : std::ldexp(1024 + (half & 1023), exponent - 25);
    return half >> 15 ? -size : size;
}

/// Exact for integers of at most eight bits.
void store(type t, int value, void *data, std::size_t i) {
    if (t == type::s8 || t == type::u8) {
        static_cast<std::uint8_t *>(data)[i] = static_cast<std::uint8_t>(value);
        return;
    }
    if (t == type::f16) {
        const std::uint16_t half = half_of(value);
        std::memcpy(static_cast<char *>(data) + 2 * i, &half, 2);
        return;
    }
    const auto single = static_cast<float>(value);
    const char *bytes = reinterpret_cast<const char *>(&single);
    if (t == type::bf16) std::memcpy(static_cast<char *>(data) + 2 * i, bytes + 2, 2);
    if (t == type::f32) std::memcpy(static_cast<char *>(data) + 4 * i, bytes, 4);
}
double load(type t, const void *data, std::size_t i) {
    if (t == type::s32) return static_cast<const std::int32_t *>(data)[i];
    if (t == type::f32) return static_cast<const float *>(data)[i];
    const auto *halves = static_cast<const std::uint16_t *>(data);
    if (t == type::f16) return of_half(halves[i]);
    const std::uint32_t bits = std::uint32_t {halves[i]} << 16;
    float single;
    std::memcpy(&single, &bits, 4);
    return static_cast<double>(single);
}

memory::desc plain(dim rows, dim columns, type t) { return {{rows, columns}, t, tag::ab}; }
memory::desc sparse(encoding e, dim rows, dim columns, type t, std::size_t count) {
    const auto nnz = static_cast<dim>(count);
    return e == encoding::csr ? memory::desc::csr({rows, columns}, t, nnz, type::s32, type::s32)
                              : memory::desc::coo({rows, columns}, t, nnz, type::s32);
}

memory sparse_memory(const memory::desc &md, const entries &list) {
    memory made(md, cpu());
    const bool csr = md.get_sparse_encoding() == encoding::csr;
    for (std::size_t i = 0; i < list.size(); ++i) {
        store(md.get_data_type(), list[i].value, made.get_data_handle(0), i);
        static_cast<std::int32_t *>(made.get_data_handle(csr ? 1 : 2))[i] = list[i].column;
        if (!csr) static_cast<std::int32_t *>(made.get_data_handle(1))[i] = list[i].row;
    }
    std::int32_t end = 0;
    for (std::int32_t row = 0; csr && row <= md.get_dims()[0]; ++row) {
        while (end < static_cast<std::int32_t>(list.size()) &&
               list[static_cast<std::size_t>(end)].row < row)
            ++end;
        static_cast<std::int32_t *>(made.get_data_handle(2))[row] = end;
    }
    return made;
}

/// Small integers of both signs where the type has them.
int dense_value(type t, dim i) {
    const int value = static_cast<int>(i * 7 % 11);
    return t == type::u8 ? value : value - 5;
}

/// Runs every implementation on a dense operand of dense_value().
void check(
    bool sparse_src, encoding e, const type (&types)[3], dim M, dim K, dim N, const entries &list) {
    const auto [a, b, c] = types;
    const memory::desc dense = sparse_src ? plain(K, N, b) : plain(M, K, a);
    const memory::desc stored =
        sparse_src ? sparse(e, M, K, a, list.size()) : sparse(e, K, N, b, list.size());
    const memory::desc dst_md = plain(M, N, c);
    memory operand(dense, cpu());
    for (dim i = 0; i < dense.get_dims()[0] * dense.get_dims()[1]; ++i)
        store(dense.get_data_type(), dense_value(dense.get_data_type(), i),
            operand.get_data_handle(), static_cast<std::size_t>(i));
    std::vector<double> expected(static_cast<std::size_t>(M * N));
    for (const entry &x : list)
        for (dim i = 0; i < (sparse_src ? N : M); ++i) {
            const dim at = sparse_src ? x.row * N + i : i * N + x.column;
            const dim of = sparse_src ? x.column * N + i : i * K + x.row;
            expected[static_cast<std::size_t>(at)] +=
                x.value * dense_value(dense.get_data_type(), of);
        }
    const memory left = sparse_src ? sparse_memory(stored, list) : operand;
    const memory right = sparse_src ? operand : sparse_memory(stored, list);
    matmul::primitive_desc pd(
        cpu(), sparse_src ? stored : dense, sparse_src ? dense : stored, dst_md);
    stream queue(cpu());
    int rows = 0;
    do {
        memory dst(dst_md, cpu());
        std::memset(dst.get_data_handle(), 0xff, dst_md.get_size());
        matmul(pd).execute(
            queue, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, dst}});
        queue.wait();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            wrong += load(c, dst.get_data_handle(), i) != expected[i];
        BOOST_TEST(wrong == 0u, pd.impl_info_str() << ": " << wrong << " elements are wrong");
        ++rows;
    } while (pd.next_impl());
    BOOST_TEST(rows >= 1);
}

/// One entry in three, rows 1 and 3 empty, row 2 full.
entries pattern(dim rows, dim columns, type t) {
    entries list;
    for (std::int32_t r = 0; r < rows; ++r)
        for (std::int32_t c = 0; c < columns; ++c)
            if (r == 2 || (r != 1 && r != 3 && (r + c) % 3 == 0))
                list.push_back({r, c, t == type::u8 ? (r + c) % 7 : (r + 2 * c) % 7 - 3});
    return list;
}

void refused(const std::string &what, const std::function<void()> &request, const char *reason,
    dnnl_status_t expected = dnnl_unimplemented) {
    try {
        request();
        BOOST_ERROR(what << ": accepted");
    } catch (const error &e) {
        BOOST_TEST(e.status == expected, what);
        const std::string given = dnnl_ext_last_error();
        BOOST_TEST(given.find(reason) != std::string::npos, what << ": " << given);
    }
}

const type f32[3] {type::f32, type::f32, type::f32};

} // namespace

BOOST_AUTO_TEST_CASE(products) {
    const type lists[][3] {{type::f32, type::f32, type::f32}, {type::f16, type::f16, type::f16},
        {type::f16, type::f16, type::f32}, {type::bf16, type::bf16, type::f32},
        {type::s8, type::s8, type::s32}, {type::u8, type::s8, type::f32},
        {type::s8, type::u8, type::s32}, {type::u8, type::u8, type::s32}};
    for (const auto &types : lists)
        for (const encoding e : {encoding::csr, encoding::coo}) {
            check(true, e, types, 6, 9, 21, pattern(6, 9, types[0]));
            check(true, e, types, 40, 9, 150, pattern(40, 9, types[0])); // strips are copied
            check(false, e, types, 6, 9, 21, pattern(9, 21, types[1]));
            check(false, e, types, 150, 9, 280, pattern(9, 280, types[1]));
        }
}

BOOST_AUTO_TEST_CASE(entries_in_any_order_and_more_than_once) {
    // CSR does not ask for ascending columns; an element that is listed twice counts twice.
    const entries list {{0, 8, 2}, {0, 1, -3}, {0, 8, 2}, {2, 0, 5}, {2, 0, -5}, {2, 3, 1}};
    check(true, encoding::csr, f32, 3, 9, 5, list);
    check(false, encoding::csr, f32, 4, 3, 9, list);
    check(true, encoding::coo, f32, 3, 9, 5, {{0, 8, 2}, {0, 8, 3}, {2, 1, 4}});
    check(false, encoding::coo, f32, 4, 3, 9, {{0, 8, 2}, {0, 8, 3}, {2, 1, 4}});
}

BOOST_AUTO_TEST_CASE(nothing_stored_and_nothing_to_store) {
    for (const encoding e : {encoding::csr, encoding::coo})
        for (const bool sparse_src : {true, false}) {
            check(sparse_src, e, f32, 3, 4, 5, {}); // zeros
            check(sparse_src, e, f32, 3, 0, 5, {});
            check(sparse_src, e, f32, 0, 4, 5, {});
            check(sparse_src, e, f32, 3, 4, 0, {});
        }
}

BOOST_AUTO_TEST_CASE(absent_elements_are_not_multiplied) {
    const entries one {{1, 0, 2}};
    for (const encoding e : {encoding::csr, encoding::coo}) {
        const memory::desc stored = sparse(e, 2, 2, type::f32, 1), dense = plain(2, 2, type::f32);
        matmul::primitive_desc pd(cpu(), stored, dense, dense);
        do {
            memory weights(dense, cpu()), dst(dense, cpu());
            auto *w = static_cast<float *>(weights.get_data_handle());
            w[0] = 3;
            w[1] = -4;
            w[2] = std::numeric_limits<float>::infinity(); // opposite nothing
            w[3] = std::numeric_limits<float>::quiet_NaN();
            stream queue(cpu());
            matmul(pd).execute(queue, {{DNNL_ARG_SRC, sparse_memory(stored, one)},
                                          {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
            queue.wait();
            const auto *d = static_cast<const float *>(dst.get_data_handle());
            BOOST_TEST((d[0] == 0 && d[1] == 0 && d[2] == 6 && d[3] == -8), pd.impl_info_str());
        } while (pd.next_impl());
    }
}

BOOST_AUTO_TEST_CASE(layouts_and_offsets) {
    const memory::desc stored = sparse(encoding::csr, 2, 3, type::f32, 2);
    const memory::desc any({3, 4}, type::f32, tag::any), any_dst({2, 4}, type::f32, tag::any);
    const matmul::primitive_desc pd(cpu(), stored, any, any_dst);
    BOOST_TEST((pd.weights_desc() == plain(3, 4, type::f32)));
    BOOST_TEST((pd.dst_desc() == plain(2, 4, type::f32)));
    BOOST_TEST((pd.src_desc() == stored));
    // Rows 1 to 3 of five, without gaps.
    const memory::desc whole = plain(5, 4, type::f32);
    const memory::desc part = whole.submemory_desc({3, 4}, {1, 0});
    matmul::primitive_desc of_part(cpu(), stored, part, plain(2, 4, type::f32));
    do {
        memory weights(whole, cpu()), dst(plain(2, 4, type::f32), cpu());
        for (int i = 0; i < 20; ++i)
            static_cast<float *>(weights.get_data_handle())[i] = static_cast<float>(i);
        const memory seen(part, cpu(), weights.get_data_handle());
        stream queue(cpu());
        matmul(of_part).execute(
            queue, {{DNNL_ARG_SRC, sparse_memory(stored, {{0, 0, 1}, {1, 2, 2}})},
                       {DNNL_ARG_WEIGHTS, seen}, {DNNL_ARG_DST, dst}});
        queue.wait();
        const auto *d = static_cast<const float *>(dst.get_data_handle());
        for (int n = 0; n < 4; ++n)
            BOOST_TEST(
                (d[n] == static_cast<float>(4 + n) && d[4 + n] == static_cast<float>(2 * (12 + n))),
                of_part.impl_info_str());
    } while (of_part.next_impl());
}

BOOST_AUTO_TEST_CASE(wrong_pointers_stay_within_the_buffers) {
    // The results mean nothing; what is read and written is in bounds all the same.
    const memory::desc stored = sparse(encoding::csr, 3, 4, type::f32, 2);
    for (const bool sparse_src : {true, false}) {
        const memory::desc dense = sparse_src ? plain(4, 5, type::f32) : plain(5, 3, type::f32);
        const memory::desc dst_md = sparse_src ? plain(3, 5, type::f32) : plain(5, 4, type::f32);
        matmul::primitive_desc pd(
            cpu(), sparse_src ? stored : dense, sparse_src ? dense : stored, dst_md);
        if (std::string(pd.impl_info_str()) == "reference") return;
        const memory broken = sparse_memory(stored, {{0, 1, 1}, {2, 3, 1}});
        auto *pointers = static_cast<std::int32_t *>(broken.get_data_handle(2));
        for (const auto &wrong :
            {std::vector<std::int32_t> {0, 2, 1, 1000000}, std::vector<std::int32_t> {-5, -4, 1, 1},
                std::vector<std::int32_t> {2, 1, 0, 0}}) {
            std::copy(wrong.begin(), wrong.end(), pointers);
            memory operand(dense, cpu()), dst(dst_md, cpu());
            std::memset(operand.get_data_handle(), 0, dense.get_size());
            stream queue(cpu());
            matmul(pd).execute(
                queue, {{DNNL_ARG_SRC, sparse_src ? broken : operand},
                           {DNNL_ARG_WEIGHTS, sparse_src ? operand : broken}, {DNNL_ARG_DST, dst}});
            queue.wait();
            for (std::size_t i = 0; i < 15; ++i)
                BOOST_TEST(static_cast<const float *>(dst.get_data_handle())[i] == 0);
        }
    }
}

BOOST_AUTO_TEST_CASE(refused_tensors) {
    const auto request = [](const memory::desc &src, const memory::desc &weights,
                             const memory::desc &dst) {
        return [=] { matmul::primitive_desc(cpu(), src, weights, dst); };
    };
    const auto csr = [](dim rows, dim columns, type t = type::f32) {
        return sparse(encoding::csr, rows, columns, t, 3);
    };
    const auto dense = [](dim rows, dim columns, type t = type::f32) {
        return plain(rows, columns, t);
    };
    refused("both", request(csr(2, 3), csr(3, 4), dense(2, 4)), "both sparse");
    refused("a sparse dst", request(dense(2, 3), dense(3, 4), csr(2, 4)), "dst: a sparse layout");
    refused("packed weights",
        request(dense(2, 3, type::u8), memory::desc::packed({3, 4}, type::s8, 3),
            dense(2, 4, type::s32)),
        "packed");
    refused("a packed batch",
        request(memory::desc({2, 2, 3}, type::u8, tag::abc),
            memory::desc::packed({2, 3, 4}, type::s8, 3),
            memory::desc({2, 2, 4}, type::s32, tag::abc)),
        "packed");
    refused(
        "three dimensions",
        [] {
            memory::desc::csr({2, 2, 3}, type::f32, 3, type::s32, type::s32);
        },
        "ndims");
    const auto other_indices = [&](type indices, type pointers) {
        return request(
            memory::desc::csr({2, 3}, type::f32, 3, indices, pointers), dense(3, 4), dense(2, 4));
    };
    refused("wide indices", other_indices(type::s64, type::s32), "not s32");
    refused("wide pointers", other_indices(type::s32, type::s64), "not s32");
    refused("wide coordinates",
        request(memory::desc::coo({2, 3}, type::f32, 3, type::s64), dense(3, 4), dense(2, 4)),
        "not s32");
    refused("columns of the weights adjacent",
        request(csr(2, 3), memory::desc({3, 4}, type::f32, tag::ba), dense(2, 4)), "row-major");
    refused("gaps in dst",
        request(csr(2, 3), dense(3, 4), memory::desc({2, 4}, type::f32, dims {5, 1})), "row-major");
    refused("columns of src adjacent",
        request(memory::desc({2, 3}, type::f32, tag::ba), csr(3, 4), dense(2, 4)), "row-major");
    refused("rows known later",
        request(csr(2, 3), memory::desc({3, DNNL_RUNTIME_DIM_VAL}, type::f32, tag::ab),
            memory::desc({2, DNNL_RUNTIME_DIM_VAL}, type::f32, tag::ab)),
        "known at execution only");
    refused("another K", request(csr(2, 3), dense(4, 4), dense(2, 4)), "K differs",
        dnnl_invalid_arguments);
    refused(
        "two floats", request(csr(2, 3), dense(3, 4, type::bf16), dense(2, 4)), "one is sparse");
    refused("a byte and a float", request(csr(2, 3, type::s8), dense(3, 4), dense(2, 4)),
        "one is sparse");
    refused("a narrow dst of floats", request(csr(2, 3), dense(3, 4), dense(2, 4, type::bf16)),
        "dst is neither");
    refused("a narrow dst of bytes",
        request(csr(2, 3, type::u8), dense(3, 4, type::s8), dense(2, 4, type::s8)),
        "neither s32 nor f32");
}

BOOST_AUTO_TEST_CASE(refused_attributes) {
    const auto with = [](const std::function<void(primitive_attr &)> &set) {
        return [=] {
            primitive_attr attr;
            set(attr);
            const memory::desc bytes = sparse(encoding::csr, 2, 3, type::u8, 3);
            matmul::primitive_desc(
                cpu(), bytes, plain(3, 4, type::s8), plain(2, 4, type::f32), attr);
        };
    };
    with([](primitive_attr &) {})();
    with([](primitive_attr &a) { a.set_scratchpad_mode(scratchpad_mode::user); })();
    const auto post_op = [](const std::function<void(post_ops &)> &append) {
        return [=](primitive_attr &a) {
            post_ops chain;
            append(chain);
            a.set_post_ops(chain);
        };
    };
    refused("a scale", with([](primitive_attr &a) { a.set_scales_mask(DNNL_ARG_SRC, 0); }),
        "scales beside a sparse operand");
    refused("a zero point",
        with([](primitive_attr &a) { a.set_zero_points_mask(DNNL_ARG_SRC, 0); }),
        "zero points beside a sparse operand");
    refused("a sum", with(post_op([](post_ops &p) { p.append_sum(1); })),
        "post-ops beside a sparse operand");
    refused("a relu",
        with(post_op([](post_ops &p) { p.append_eltwise(algorithm::eltwise_relu, 0, 0); })),
        "post-ops beside a sparse operand");
    refused("dropout", with([](primitive_attr &a) { a.set_dropout(plain(2, 4, type::u8)); }),
        "dropout beside a sparse operand");
    refused(
        "rounding",
        [] {
            primitive_attr attr;
            attr.set_rounding_mode(DNNL_ARG_DST, rounding_mode::stochastic);
            matmul::primitive_desc(cpu(), sparse(encoding::csr, 2, 3, type::bf16, 3),
                plain(3, 4, type::bf16), plain(2, 4, type::bf16), attr);
        },
        "stochastic rounding beside a sparse operand");
    refused(
        "a bias",
        [] {
            matmul::primitive_desc(cpu(), sparse(encoding::coo, 2, 3, type::f32, 3),
                plain(3, 4, type::f32), plain(1, 4, type::f32), plain(2, 4, type::f32));
        },
        "a bias beside a sparse operand");
}

BOOST_AUTO_TEST_CASE(refused_memories) {
    const memory::desc stored = sparse(encoding::csr, 2, 3, type::f32, 2);
    const matmul product(
        matmul::primitive_desc(cpu(), stored, plain(3, 4, type::f32), plain(2, 4, type::f32)));
    const entries two {{0, 1, 1}, {1, 2, 1}};
    const memory weights(plain(3, 4, type::f32), cpu()), dst(plain(2, 4, type::f32), cpu());
    const auto run = [&](const memory &src) {
        return [&product, &weights, &dst, src] {
            stream queue(cpu());
            product.execute(
                queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
            queue.wait();
        };
    };
    std::memset(weights.get_data_handle(), 0, weights.get_desc().get_size());
    run(sparse_memory(stored, two))();
    const auto wrong = [&](const std::string &what, const memory &src, const char *reason) {
        refused(what, run(src), reason, dnnl_invalid_arguments);
    };
    wrong("more values",
        sparse_memory(sparse(encoding::csr, 2, 3, type::f32, 3), {{0, 0, 1}, {0, 1, 1}, {1, 2, 1}}),
        "with 3 values");
    wrong("another encoding", sparse_memory(sparse(encoding::coo, 2, 3, type::f32, 2), two), "coo");
    wrong("another shape", sparse_memory(sparse(encoding::csr, 2, 4, type::f32, 2), two), "2x4");
    wrong("a dense matrix", memory(plain(2, 3, type::f32), cpu()), "expected");
    wrong("a dense list", memory(memory::desc({64}, type::f32, tag::a), cpu()), "expected");
    memory incomplete = sparse_memory(stored, two);
    incomplete.set_data_handle(nullptr, 1);
    wrong("no columns", incomplete, "lacks buffer 1");
    incomplete = sparse_memory(stored, two);
    incomplete.set_data_handle(nullptr, 0);
    wrong("no values", incomplete, "no buffer");
}
