// SPDX-License-Identifier: Apache-2.0
// Destinations that overlap sources where the specification does not allow it (N-38): the values
// are undefined, but no implementation may write outside the destination, crash or hang.
#include <cstdlib>
#include <cstring>

#include "objects.hpp"

using namespace api_tests;

namespace {

// Every row of reorder, concat and sum, too.
[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

constexpr std::size_t margin = 256; // floats before and behind the tensors
constexpr float untouched = 12345.0f;

std::size_t elements(const_dnnl_memory_desc_t md) {
    return dnnl_memory_desc_get_size(md) / sizeof(float);
}

/// Runs every implementation, src being the only or the first source, with dst `shift` elements
/// behind src, or before it.
void run_overlapped(const primitive_desc_owner &pd, const_dnnl_memory_desc_t src,
    const_dnnl_memory_desc_t dst, int shift, const std::vector<dnnl_exec_arg_t> &others) {
    const std::size_t before = shift < 0 ? static_cast<std::size_t>(-shift) : 0;
    const std::size_t dst_at = margin + before + static_cast<std::size_t>(shift);
    do {
        std::vector<float> storage(
            2 * margin + before + elements(src) + elements(dst) + 64, untouched);
        const auto src_memory = memory_of(src, storage.data() + margin + before);
        const auto dst_memory = memory_of(dst, storage.data() + dst_at);
        for (std::size_t i = 0; i < elements(src); ++i)
            storage[margin + before + i] = static_cast<float>(i % 7) - 3;
        const std::vector<float> start = storage;
        std::vector<dnnl_exec_arg_t> args = others;
        args.push_back({DNNL_ARG_SRC, src_memory});
        args.push_back({DNNL_ARG_DST, dst_memory});
        args.push_back({DNNL_ARG_MULTIPLE_SRC, src_memory});
        ok(execute(primitive_of(pd), args));
        for (std::size_t i = 0; i < storage.size(); ++i) {
            if (i >= dst_at && i < dst_at + elements(dst)) continue;
            BOOST_REQUIRE_MESSAGE(std::memcmp(&storage[i], &start[i], sizeof(float)) == 0,
                "an element outside of dst changed");
        }
    } while (dnnl_primitive_desc_next_impl(pd) == dnnl_success);
    check_canary();
}

constexpr int shifts[] = {0, 1, 5, 16, -3, -16};
} // namespace

BOOST_AUTO_TEST_CASE(matmul) {
    constexpr dnnl_dim_t M = 24, N = 33, K = 33;
    const auto values = integers(K * N, 3);
    const auto weights = memory_of(plain({K, N}), values);
    for (const int shift : shifts)
        run_overlapped(matmul_desc(M, N, K), plain({M, K}), plain({M, N}), shift,
            {{DNNL_ARG_WEIGHTS, weights}});
}

BOOST_AUTO_TEST_CASE(convolution) {
    const dims ones {1, 1}, none {0, 0}, src_dims {1, 8, 9, 9}, weights_dims {8, 8, 3, 3};
    const auto values = integers(8 * 8 * 9, 5);
    for (const dnnl_format_tag_t tag : {dnnl_nchw, dnnl_nhwc})
        for (const int shift : shifts) {
            const auto md = tagged(src_dims, tag);
            primitive_desc_owner pd;
            ok(dnnl_convolution_forward_primitive_desc_create(pd.out(), engine(),
                dnnl_forward_inference, dnnl_convolution_direct, md, plain(weights_dims), nullptr,
                md, ones.data(), none.data(), ones.data(), ones.data(), nullptr));
            const auto weights = memory_of(plain(weights_dims), values);
            run_overlapped(pd, md, md, shift, {{DNNL_ARG_WEIGHTS, weights}});
        }
}

BOOST_AUTO_TEST_CASE(pooling) {
    const dims ones {1, 1}, none {0, 0}, threes {3, 3};
    for (const dnnl_format_tag_t tag : {dnnl_nchw, dnnl_nhwc})
        for (const int shift : shifts) {
            const auto md = tagged({2, 20, 7, 7}, tag);
            primitive_desc_owner pd;
            ok(dnnl_pooling_forward_primitive_desc_create(pd.out(), engine(),
                dnnl_forward_inference, dnnl_pooling_max, md, md, ones.data(), threes.data(),
                none.data(), ones.data(), ones.data(), nullptr));
            run_overlapped(pd, md, md, shift, {});
        }
}

BOOST_AUTO_TEST_CASE(reorder) {
    for (const int shift : shifts) {
        const auto src = tagged({3, 20, 6, 7}, dnnl_nchw), dst = tagged({3, 20, 6, 7}, dnnl_nhwc);
        primitive_desc_owner pd;
        ok(dnnl_reorder_primitive_desc_create(pd.out(), src, engine(), dst, engine(), nullptr));
        run_overlapped(pd, src, dst, shift, {});
    }
}

BOOST_AUTO_TEST_CASE(concat) {
    const auto src = plain({4, 5, 6}), dst = plain({4, 10, 6});
    const const_dnnl_memory_desc_t sources[] = {src, src};
    for (const int shift : shifts) {
        primitive_desc_owner pd;
        ok(dnnl_concat_primitive_desc_create(pd.out(), engine(), dst, 2, 1, sources, nullptr));
        const auto values = integers(120, 4);
        const auto other = memory_of(src, values);
        run_overlapped(pd, src, dst, shift, {{DNNL_ARG_MULTIPLE_SRC + 1, other}});
    }
}
