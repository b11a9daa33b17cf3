// SPDX-License-Identifier: Apache-2.0
// Weights that a matrix multiplication converts are converted slab by slab: the scratchpad stays
// small beside them, and products of many slabs are right.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"

namespace {

using api_tests::cpu;
using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;
using arguments = std::unordered_map<int, memory>;

dnnl::primitive_attr converting(type src) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (src != type::u8 && src != type::s8) attr.set_fpmath_mode(dnnl::fpmath_mode::any, true);
    return attr;
}

std::size_t mebibytes(std::size_t bytes) { return bytes >> 20; }

/// The scratchpad of every implementation for weights of K x N.
void check_scratchpad(type src, type weights, std::int64_t M) {
    const std::int64_t K = 4096, N = 4096;
    dnnl::primitive_attr attr = converting(src);
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {128, 1}, type::f32);
    dnnl::matmul::primitive_desc pd(cpu(), {{M, K}, src, tag::ab}, {{K, N}, weights, tag::ab},
        {{M, N}, type::f32, tag::ab}, attr);
    do {
        // A slab of 8 MiB, a copy of src as f32, scales, and what each thread holds.
        const std::size_t bytes = pd.scratchpad_desc().get_size();
        const auto copy = static_cast<std::size_t>(src == type::f32 ? 0 : M * K * 4);
        const auto limit = (std::size_t {14} << 20) + copy;
        BOOST_TEST(bytes <= limit, pd.impl_info_str()
                                       << ", M = " << M << ": " << mebibytes(bytes) << " MiB");
    } while (pd.next_impl());
}

/// The values that stand for element i of a tensor: small integers.
int value(std::int64_t i, type t) {
    const int x = static_cast<int>((i * 2654435761u >> 7) % 7);
    return t == type::u8 || t == type::u4 ? x : x - 3;
}

memory filled(const memory::desc &md) {
    memory result(md, cpu());
    const type t = md.get_data_type();
    std::int64_t count = 1;
    for (const std::int64_t d : md.get_dims()) count *= d;
    for (std::int64_t i = 0; i < count; ++i) {
        const int x = value(i, t);
        auto *bytes = static_cast<std::uint8_t *>(result.get_data_handle());
        if (t == type::f32)
            static_cast<float *>(result.get_data_handle())[i] = static_cast<float>(x);
        else if (t == type::s4 || t == type::u4)
            bytes[i / 2] =
                static_cast<std::uint8_t>(i % 2 ? (bytes[i / 2] & 15) | (x & 15) << 4 : x & 15);
        else
            bytes[i] = static_cast<std::uint8_t>(x);
    }
    return result;
}

/// Some elements of every implementation's result against sums of integers.
void check_product(const memory::dims &a, const memory::dims &b, type src, type weights,
    bool with_zero_point = false) {
    const std::size_t rank = a.size();
    const auto dense = [&](const memory::dims &dims, type t) {
        return memory::desc(dims, t, rank == 2 ? tag::ab : rank == 3 ? tag::abc : tag::abcd);
    };
    memory::dims c = a;
    c[rank - 1] = b[rank - 1];
    for (std::size_t d = 0; d + 2 < rank; ++d) c[d] = std::max(a[d], b[d]);
    dnnl::primitive_attr attr = converting(src);
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::library);
    const memory::desc a_md = dense(a, src), b_md = dense(b, weights), c_md = dense(c, type::f32);
    memory dst(c_md, cpu()), zero_point({{1}, type::s32, tag::a}, cpu());
    arguments args {
        {DNNL_ARG_SRC, filled(a_md)}, {DNNL_ARG_WEIGHTS, filled(b_md)}, {DNNL_ARG_DST, dst}};
    const int shift = with_zero_point ? 2 : 0;
    if (with_zero_point) {
        attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
        *static_cast<std::int32_t *>(zero_point.get_data_handle()) = shift;
        args[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC] = zero_point;
    }
    const std::int64_t M = a[rank - 2], K = a[rank - 1], N = b[rank - 1];
    std::int64_t batches = 1;
    for (std::size_t d = 0; d + 2 < rank; ++d) batches *= c[d];
    const auto batch_of = [&](const memory::dims &dims, std::int64_t batch) {
        std::int64_t index = 0, step = 1;
        for (std::size_t d = rank - 2; d-- > 0; batch /= c[d]) {
            if (dims[d] > 1) index += batch % c[d] * step;
            step *= dims[d];
        }
        return index;
    };
    dnnl::matmul::primitive_desc pd(cpu(), a_md, b_md, c_md, attr);
    dnnl::stream stream(cpu());
    do {
        if (std::string(pd.impl_info_str()) == "reference") break; // nothing is converted at once
        dnnl::matmul(pd).execute(stream, args);
        stream.wait();
        const auto *result = static_cast<const float *>(dst.get_data_handle());
        int wrong = 0;
        for (std::int64_t i = 0; i < batches * M * N; i += 7919) {
            const std::int64_t n = i % N, m = i / N % M, batch = i / N / M;
            std::int64_t sum = 0;
            for (std::int64_t k = 0; k < K; ++k)
                sum += (value((batch_of(a, batch) * M + m) * K + k, src) - shift) *
                       value((batch_of(b, batch) * K + k) * N + n, weights);
            wrong += result[i] != static_cast<float>(sum);
        }
        BOOST_TEST(wrong == 0, pd.impl_info_str() << ": " << wrong << " elements are wrong");
    } while (pd.next_impl());
}

} // namespace

BOOST_AUTO_TEST_CASE(scratchpads_are_small_beside_expanded_weights) {
    for (const std::int64_t M : {1, 32, 128, 1024})
        for (const type weights : {type::s4, type::u4, type::s8, type::u8})
            for (const type src : {type::f32, type::bf16, type::f16})
                check_scratchpad(src, weights, M);
    for (const std::int64_t M : {1, 32, 128, 1024}) check_scratchpad(type::s8, type::s4, M);
}

BOOST_AUTO_TEST_CASE(products_of_many_slabs_are_right) {
    check_product({65, 2048}, {2048, 2346}, type::f32, type::s4);
    check_product({70, 1500}, {1500, 3001}, type::f32, type::u8);
    check_product({3, 4096}, {4096, 5002}, type::u8, type::s4, true);
    check_product({67, 4096}, {4096, 5002}, type::u8, type::s4);
}

BOOST_AUTO_TEST_CASE(products_of_many_matrices_are_right) {
    check_product({40, 66, 256}, {40, 256, 302}, type::f32, type::s4);
    check_product({3, 2, 2048}, {1, 2048, 2100}, type::f32, type::s8);
    check_product({3, 65, 2048}, {3, 2048, 2100}, type::f32, type::s8);
    check_product({2, 3, 9, 700}, {1, 3, 700, 1500}, type::f32, type::u4);
}
