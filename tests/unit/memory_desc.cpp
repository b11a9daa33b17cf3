// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: creation, equality, size, reshape, permuted axes, regions, blobs.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <vector>

#include "common/layout/memory_desc.hpp"
#include "common/runtime/error.hpp"

using dnnl::impl::blob_bytes;
using dnnl::impl::data_type;
using dnnl::impl::dim_t;
using dnnl::impl::dims_t;
using dnnl::impl::element_offset;
using dnnl::impl::error;
using dnnl::impl::make_with_strides;
using dnnl::impl::make_with_tag;
using dnnl::impl::memory_desc;
using dnnl::impl::permute_axes;
using dnnl::impl::position_of;
using dnnl::impl::read_blob;
using dnnl::impl::reshape;
using dnnl::impl::runtime_dim;
using dnnl::impl::submemory;
using dnnl::impl::write_blob;

namespace {

using list = std::vector<dim_t>;

memory_desc tagged(const list &dims, dnnl_format_tag_t tag, data_type type = data_type::f32) {
    return make_with_tag(static_cast<int>(dims.size()), dims.data(), type, tag);
}
memory_desc strided(const list &dims, const list &strides, data_type type = data_type::f32) {
    return make_with_strides(static_cast<int>(dims.size()), dims.data(), type, strides.data());
}
memory_desc reshaped(const memory_desc &md, const list &dims) {
    return reshape(md, static_cast<int>(dims.size()), dims.data());
}
memory_desc region(const memory_desc &md, const list &dims, const list &offsets) {
    return submemory(md, dims.data(), offsets.data());
}
list strides_of(const memory_desc &md) {
    return list(md.strides.begin(), md.strides.begin() + md.ndims);
}
list padded_dims_of(const memory_desc &md) {
    return list(md.padded_dims.begin(), md.padded_dims.begin() + md.ndims);
}

void check_refused(dnnl_status_t status, const std::function<void()> &call) {
    try {
        call();
        BOOST_TEST(false, "no exception");
    } catch (const error &e) {
        BOOST_TEST(e.status() == status, "status " << e.status() << " for: " << e.what());
        BOOST_TEST(std::string(e.what()).size() > 10u);
    }
}
void check_invalid(const std::function<void()> &call) {
    check_refused(dnnl_invalid_arguments, call);
}
void check_unimplemented(const std::function<void()> &call) {
    check_refused(dnnl_unimplemented, call);
}

/// Offsets of all logical elements, row-major.
std::vector<dim_t> offsets_of(const memory_desc &md) {
    std::vector<dim_t> offsets;
    for (dim_t i = 0; i < md.nelems(); ++i)
        offsets.push_back(element_offset(md, position_of(md, i)));
    return offsets;
}

} // namespace

#define CHECK_LIST(actual, ...)                                                                    \
    do {                                                                                           \
        const list got = actual, want = __VA_ARGS__;                                               \
        BOOST_TEST(got == want, boost::test_tools::per_element());                                 \
    } while (false)

BOOST_AUTO_TEST_CASE(strides_come_from_tags) {
    CHECK_LIST(strides_of(tagged({2, 3, 4, 5}, dnnl_abcd)), {60, 20, 5, 1});
    CHECK_LIST(strides_of(tagged({2, 3, 4, 5}, dnnl_acdb)), {60, 1, 15, 3});
    CHECK_LIST(strides_of(tagged({2, 3, 4, 5}, dnnl_aBcd8b)), {160, 160, 40, 8});
    CHECK_LIST(padded_dims_of(tagged({2, 17, 4, 5}, dnnl_aBcd8b)), {2, 24, 4, 5});
    CHECK_LIST(padded_dims_of(tagged({17, runtime_dim}, dnnl_Ab4a)), {20, runtime_dim});
    CHECK_LIST(strides_of(tagged({2, 0, 4, 5}, dnnl_abcd)), {20, 20, 5, 1});
    CHECK_LIST(strides_of(tagged({2, runtime_dim, 4, 5}, dnnl_abcd)), {runtime_dim, 20, 5, 1});
}

BOOST_AUTO_TEST_CASE(the_zero_descriptor) {
    const dim_t one = 1;
    BOOST_TEST((make_with_strides(0, nullptr, data_type::f32, nullptr) == memory_desc {}));
    BOOST_TEST((make_with_tag(0, nullptr, data_type::f32, dnnl_a) == memory_desc {}));
    BOOST_TEST((make_with_tag(1, &one, data_type::f32, dnnl_format_tag_undef) == memory_desc {}));
    BOOST_TEST(memory_desc {}.size_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(sizes_in_bytes) {
    BOOST_TEST(tagged({2, 3}, dnnl_ab).size_bytes() == 24u);
    BOOST_TEST(tagged({2, 3}, dnnl_ab, data_type::bf16).size_bytes() == 12u);
    BOOST_TEST(tagged({2, 17, 4, 5}, dnnl_aBcd8b).size_bytes() == 4u * 2 * 24 * 4 * 5);
    BOOST_TEST(strided({2, 3}, {10, 1}).size_bytes() == 80u);
    BOOST_TEST(strided({4, 3}, {0, 1}).size_bytes() == 12u); // one row, read four times
    BOOST_TEST(tagged({5}, dnnl_a, data_type::u4).size_bytes() == 3u);
    BOOST_TEST(tagged({2, 0}, dnnl_ab).size_bytes() == 0u);
    BOOST_TEST(tagged({2, runtime_dim}, dnnl_ab).size_bytes() == DNNL_RUNTIME_SIZE_VAL);
}

BOOST_AUTO_TEST_CASE(strides_of_dimensions_of_size_1_take_no_room) {
    const dim_t far = dim_t {1} << 60;
    BOOST_TEST(strided({1, 1, 1}, {far, far, far}).size_bytes() == 4u);
    BOOST_TEST(strided({1, 3}, {100, 1}).size_bytes() == 12u);
    BOOST_TEST(strided({2, 1}, {5, far}).size_bytes() == 40u);
    BOOST_TEST(tagged({1, 1, 1, 1}, dnnl_aBcd16b).size_bytes() == 64u);
}

BOOST_AUTO_TEST_CASE(as_many_bytes_as_64_bits_count) {
    const dim_t most = INT64_MAX;
    BOOST_TEST(tagged({most}, dnnl_a, data_type::u8).size_bytes() == std::size_t {INT64_MAX});
    BOOST_TEST(
        tagged({most / 2}, dnnl_a, data_type::bf16).size_bytes() == std::size_t {INT64_MAX} - 1);
    BOOST_TEST(tagged({most}, dnnl_a, data_type::s4).size_bytes() == std::size_t {1} << 62);
    check_invalid([&] { tagged({most / 2 + 1}, dnnl_a, data_type::bf16); });
    check_invalid([&] { tagged({most, 2}, dnnl_ab, data_type::u8); });
    check_invalid([&] { tagged({1, most, 1, 1}, dnnl_aBcd16b, data_type::u8); });
}

BOOST_AUTO_TEST_CASE(buffers_end_behind_the_last_element) {
    const memory_desc parent = tagged({4, 8}, dnnl_ab);
    const memory_desc corner = region(parent, {2, 3}, {2, 5});
    BOOST_TEST(parent.buffer_bytes() == 128u);
    BOOST_TEST(parent.accessed_bytes() == 128u);
    BOOST_TEST(corner.size_bytes() == 4u * (8 + 8)); // without the offset
    BOOST_TEST(corner.buffer_bytes() == 4u * (2 * 8 + 5 + 16));
    BOOST_TEST(corner.accessed_bytes() == 128u);
    BOOST_TEST(region(parent, {1, 1}, {0, 0}).accessed_bytes() == 4u);
    BOOST_TEST(strided({2, 3}, {10, 1}).accessed_bytes() == 52u);
    const memory_desc blocks = tagged({2, 17, 4, 5}, dnnl_aBcd8b);
    BOOST_TEST(blocks.accessed_bytes() == blocks.size_bytes());
    BOOST_TEST(
        region(tagged({2, 32, 4, 5}, dnnl_aBcd8b), {1, 16, 4, 5}, {1, 16, 0, 0}).accessed_bytes() ==
        4u * 2 * 32 * 4 * 5);
    BOOST_TEST(tagged({5}, dnnl_a, data_type::u4).accessed_bytes() == 3u);
    BOOST_TEST(tagged({0, 5}, dnnl_ab).accessed_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(offsets_beyond_32_bits) {
    const dim_t K = 1024, M = K * K, G = K * M, T = K * G; // 2^10, 2^20, 2^30, 2^40
    const memory_desc matrix = tagged({M, M}, dnnl_ab);
    BOOST_TEST(matrix.size_bytes() == std::size_t {4} * T);
    BOOST_TEST(matrix.nelems() == T);
    BOOST_TEST(element_offset(matrix, {M - 1, M - 1}) == T - 1);
    BOOST_TEST((position_of(matrix, T - 2) == dims_t {M - 1, M - 2}));
    const memory_desc square = region(matrix, {K, K}, {M - K, M - K});
    BOOST_TEST(square.offset0 == (M - K) * M + M - K);
    BOOST_TEST(element_offset(square, {K - 1, K - 1}) == T - 1);
    BOOST_TEST(square.accessed_bytes() == std::size_t {4} * T);
    // A vector of 2^40, an image in blocks, and the halves of a byte.
    BOOST_TEST(tagged({T}, dnnl_a, data_type::bf16).size_bytes() == std::size_t {2} * T);
    const memory_desc image = tagged({K, 17, G, 1}, dnnl_aBcd16b, data_type::u8);
    BOOST_TEST(image.size_bytes() == std::size_t {32} * T);
    BOOST_TEST(element_offset(image, {K - 1, 16, G - 1, 0}) == 32 * T - 16);
    const memory_desc part = region(image, {1, 1, 1, 1}, {K - 1, 16, G - 1, 0});
    BOOST_TEST(part.offset0 == 32 * T - 16);
    BOOST_TEST(part.accessed_bytes() == std::size_t {32} * T);
    BOOST_TEST(tagged({T + 1}, dnnl_a, data_type::s4).size_bytes() == std::size_t(T / 2 + 1));
    // Strides, reshaped and permuted.
    const memory_desc rows = strided({K, M}, {G, 1});
    BOOST_TEST(rows.size_bytes() == std::size_t {4} * T);
    BOOST_TEST(rows.accessed_bytes() == std::size_t {4} * ((K - 1) * G + M));
    BOOST_TEST(element_offset(rows, {K - 1, M - 1}) == (K - 1) * G + M - 1);
    BOOST_TEST(element_offset(reshaped(matrix, {T}), {T - 1}) == T - 1);
    BOOST_TEST(element_offset(reshaped(matrix, {K, G}), {K - 1, 0}) == (K - 1) * G);
    const int swapped[] = {1, 0};
    BOOST_TEST(element_offset(permute_axes(matrix, swapped), {1, M - 1}) == (M - 1) * M + 1);
}

BOOST_AUTO_TEST_CASE(equality) {
    BOOST_TEST((tagged({4, 1}, dnnl_ab) == tagged({4, 1}, dnnl_ba)));
    BOOST_TEST(!(tagged({4, 2}, dnnl_ab) == tagged({4, 2}, dnnl_ba)));
    BOOST_TEST(!(tagged({4, 2}, dnnl_ab) == tagged({4, 2}, dnnl_ab, data_type::s32)));
    BOOST_TEST(!(tagged({0, 2}, dnnl_ab) == tagged({0, 2}, dnnl_ba)));
    BOOST_TEST((tagged({4, 2}, dnnl_format_tag_any) == tagged({4, 2}, dnnl_format_tag_any)));
    BOOST_TEST((tagged({runtime_dim, 2}, dnnl_ab) == tagged({runtime_dim, 2}, dnnl_ab)));
}

BOOST_AUTO_TEST_CASE(creation_refuses) {
    const dim_t big = dim_t {1} << 62, most = INT64_MAX;
    check_invalid([&] { tagged({big, 4}, dnnl_ab); });
    check_invalid([&] { tagged({most}, dnnl_a); });
    check_invalid([&] { tagged({1, most, 1, 1}, dnnl_aBcd16b); });
    check_invalid([&] { tagged({dim_t {1} << 61}, dnnl_a); });
    check_invalid([&] { strided({2, 2}, {most / 2 + 1, 1}); });
    check_invalid([&] { strided({2, 3}, {-3, 1}); });
    check_invalid([&] { strided({2, 3}, {1, 1}); });
    check_invalid([&] { strided({2, 3, 4}, {4, 7, 1}); });
    check_invalid([&] { tagged({2, -3}, dnnl_ab); });
    check_invalid([&] { tagged({2, 3}, dnnl_abcd); });
    check_invalid([&] { tagged({2, 3}, static_cast<dnnl_format_tag_t>(99999)); });
    check_invalid([&] { tagged({2, 3}, dnnl_ab, data_type::undef); });
    check_invalid([&] { tagged({2, 3}, dnnl_ab, data_type::boolean); });
    check_invalid([&] { tagged({2, 3}, dnnl_ab, static_cast<data_type>(999)); });
    check_invalid([&] { tagged({2, runtime_dim}, dnnl_format_tag_any); });
}

// ---- Reshape ----

BOOST_AUTO_TEST_CASE(reshape_keeps_the_order_of_elements) {
    struct row {
        memory_desc md;
        list dims;
    };
    const row rows[] = {
        {tagged({6, 4}, dnnl_ab), {24}},
        {tagged({24}, dnnl_a), {2, 3, 4}},
        {tagged({6, 4}, dnnl_ab), {2, 12}},
        {tagged({6, 4}, dnnl_ab), {1, 6, 1, 2, 2, 1}},
        {tagged({2, 3, 4, 5}, dnnl_acdb), {2, 3, 20}},
        {tagged({2, 32, 3, 3}, dnnl_aBcd8b), {2, 2, 16, 3, 3}},
        {tagged({2, 17, 3, 3}, dnnl_aBcd8b), {2, 1, 17, 9}},
        {tagged({1, 17, 3}, dnnl_aBc8b), {17, 3}},
        {tagged({17, 1, 3}, dnnl_cba), {17, 3, 1}},
        {strided({6, 4}, {10, 1}), {2, 3, 4}},
        {strided({2, 3}, {0, 1}), {2, 1, 3}},
        {region(tagged({6, 4}, dnnl_ab), {2, 4}, {3, 0}), {8}},
    };
    for (const row &r : rows) {
        const memory_desc out = reshaped(r.md, r.dims);
        BOOST_TEST(out.ndims == static_cast<int>(r.dims.size()));
        const std::vector<dim_t> before = offsets_of(r.md), after = offsets_of(out);
        BOOST_TEST(before == after, boost::test_tools::per_element());
        BOOST_TEST(out.size_bytes() == r.md.size_bytes());
        BOOST_TEST(
            (reshaped(r.md, list(r.md.dims.begin(), r.md.dims.begin() + r.md.ndims)) == r.md));
    }
}

BOOST_AUTO_TEST_CASE(reshape_gives_added_axes_a_stride) {
    CHECK_LIST(strides_of(reshaped(strided({6, 4}, {1, 6}), {1, 6, 1, 4, 1})), {6, 1, 24, 6, 1});
    CHECK_LIST(strides_of(reshaped(tagged({2, 0, 4}, dnnl_abc), {2, 0, 2, 2})), {4, 4, 2, 1});
    BOOST_TEST(
        (reshaped(tagged({6, 4}, dnnl_format_tag_any), {24}) == tagged({24}, dnnl_format_tag_any)));
    BOOST_TEST(reshaped(tagged({1, 1}, dnnl_ab), {}).is_zero());
}

BOOST_AUTO_TEST_CASE(reshape_refuses) {
    check_invalid([] { reshaped(tagged({6, 4}, dnnl_ab), {6, 5}); });
    check_invalid([] { reshaped(tagged({6, 4}, dnnl_ba), {24}); });                // permuted
    check_invalid([] { reshaped(strided({6, 4}, {5, 1}), {24}); });                // strided
    check_invalid([] { reshaped(tagged({2, 16, 3}, dnnl_aBc8b), {2, 48}); });      // blocked
    check_invalid([] { reshaped(tagged({2, 16, 3}, dnnl_aBc8b), {2, 4, 4, 3}); }); // inside a block
    check_invalid([] { reshaped(tagged({2, 12, 3}, dnnl_aBc8b), {2, 3, 4, 3}); }); // padded
    check_invalid([] { reshaped(tagged({2, 1, 3}, dnnl_aBc8b), {2, 3}); }); // padded axis of 1
    check_invalid([] { reshaped(tagged({2, 0}, dnnl_ab), {0}); });          // another split of 0
    check_invalid([] { reshaped(tagged({2, runtime_dim}, dnnl_ab), {2, 3}); });
    check_invalid([] { reshaped(tagged({2, 3}, dnnl_ab), {2, runtime_dim}); });
    check_invalid([] { reshaped(tagged({2, 3}, dnnl_ab), {-2, -3}); });
    check_invalid([] { reshaped(tagged({2, 3}, dnnl_ab), {}); });
    check_invalid([] { reshaped(memory_desc {}, {1}); });
    check_invalid([] { reshaped(tagged({4}, dnnl_a), {4, dim_t {1} << 62, 0}); });
    const dim_t thirteen[13] = {};
    check_invalid([&] { reshape(tagged({2, 3}, dnnl_ab), 13, thirteen); });
    check_invalid([&] { reshape(tagged({2, 3}, dnnl_ab), 2, nullptr); });
}

// ---- Permuted axes ----

BOOST_AUTO_TEST_CASE(permuted_axes_move_everything) {
    const memory_desc md = tagged({2, 17, 3}, dnnl_aBc8b);
    const int to[] = {2, 0, 1}; // a becomes the last axis
    const memory_desc out = permute_axes(md, to);
    CHECK_LIST(padded_dims_of(out), {24, 3, 2});
    BOOST_TEST(out.inner_idxs[0] == 0);
    for (dim_t a = 0; a < 2; ++a)
        for (dim_t b = 0; b < 17; ++b)
            for (dim_t c = 0; c < 3; ++c)
                BOOST_TEST(element_offset(out, {b, c, a}) == element_offset(md, {a, b, c}));
    BOOST_TEST((permute_axes(tagged({2, 3}, dnnl_format_tag_any), std::array {1, 0}.data()) ==
                tagged({3, 2}, dnnl_format_tag_any)));
}

BOOST_AUTO_TEST_CASE(permuted_axes_refuse) {
    const memory_desc md = tagged({2, 3, 4}, dnnl_abc);
    for (const auto &bad : {std::array {0, 0, 1}, std::array {0, 1, 3}, std::array {-1, 0, 1}})
        check_invalid([&] { permute_axes(md, bad.data()); });
    check_invalid([&] { permute_axes(md, nullptr); });
    const std::array same {0, 1};
    check_invalid([&] { permute_axes(memory_desc {}, same.data()); });
    check_invalid([&] { permute_axes(tagged({2, runtime_dim}, dnnl_ab), same.data()); });
}

// ---- Regions ----

BOOST_AUTO_TEST_CASE(regions_share_the_layout_of_their_parent) {
    const memory_desc parent = tagged({4, 40, 5}, dnnl_aBc16b);
    const memory_desc md = region(parent, {2, 24, 3}, {1, 16, 2});
    CHECK_LIST(padded_dims_of(md), {2, 32, 3}); // reaches the parent's end: keeps its padding
    for (dim_t i = 0; i < md.nelems(); ++i) {
        dims_t x = position_of(md, i);
        const dim_t got = element_offset(md, x);
        x[0] += 1, x[1] += 16, x[2] += 2;
        BOOST_TEST(got == element_offset(parent, x));
    }
    CHECK_LIST(padded_dims_of(region(parent, {2, 16, 3}, {1, 16, 2})), {2, 16, 3});
    const memory_desc nested =
        region(region(tagged({9, 9}, dnnl_ab), {6, 6}, {2, 3}), {2, 2}, {1, 1});
    BOOST_TEST(nested.offset0 == 3 * 9 + 4);
    BOOST_TEST(nested.size_bytes() == 4u * (9 + 9)); // two rows, without the offset
}

BOOST_AUTO_TEST_CASE(regions_refuse) {
    const memory_desc md = tagged({4, 40}, dnnl_ab), blocked = tagged({4, 40, 1}, dnnl_aBc16b);
    check_invalid([&] { region(md, {4, 40}, {1, 0}); });
    check_invalid([&] { region(md, {4, 40}, {-1, 0}); });
    check_invalid([&] { region(md, {-1, 40}, {0, 0}); });
    check_invalid([&] { region(md, {INT64_MAX, 1}, {1, 0}); });
    check_invalid([&] { submemory(md, nullptr, nullptr); });
    check_invalid([&] { region(memory_desc {}, {1}, {0}); });
    // Behind a stride that is never stepped, where an empty region may begin.
    const memory_desc one = strided({1}, {INT64_MAX - 15}, data_type::f16);
    check_invalid([&] { region(one, {0}, {1}); });
    BOOST_TEST(region(one, {0}, {0}).offset0 == 0);
    check_unimplemented([&] { region(blocked, {4, 16, 1}, {0, 8, 0}); });
    check_unimplemented([&] { region(blocked, {4, 8, 1}, {0, 0, 0}); }); // ends inside a block
    check_unimplemented([&] { region(tagged({4}, dnnl_format_tag_any), {2}, {0}); });
    check_unimplemented([&] { region(tagged({runtime_dim}, dnnl_a), {2}, {0}); });
}

// ---- Blobs ----

namespace {

std::vector<std::uint8_t> blob_of(const memory_desc &md) {
    std::vector<std::uint8_t> blob(blob_bytes());
    write_blob(md, blob.data());
    return blob;
}

/// Puts the right checksum on a changed blob, so that the fields themselves are judged.
void seal(std::vector<std::uint8_t> &blob) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i + 8 < blob.size(); ++i) hash = (hash ^ blob[i]) * 0x100000001b3u;
    for (int i = 0; i < 8; ++i)
        blob[blob.size() - 8 + static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(hash >> 8 * i);
}

} // namespace

BOOST_AUTO_TEST_CASE(blobs_restore_descriptors) {
    memory_desc packed = tagged({100, 70}, dnnl_BA16a32b4a, data_type::s8);
    packed.column_sums_mask = 2;
    const memory_desc all[] = {memory_desc {}, tagged({2, 17, 3, 3}, dnnl_aBcd8b), packed,
        tagged({3, 4}, dnnl_format_tag_any), tagged({2, runtime_dim}, dnnl_ab),
        strided({2, 3}, {0, 7}), tagged({2, 0, 3}, dnnl_abc),
        region(tagged({4, 40, 5}, dnnl_aBc16b), {2, 24, 3}, {1, 16, 2}),
        reshaped(tagged({17, 3}, dnnl_ab), {17, 1, 3, 1})};
    for (const memory_desc &md : all) {
        const auto blob = blob_of(md);
        BOOST_TEST((read_blob(blob.data()) == md));
        BOOST_TEST((blob_of(read_blob(blob.data())) == blob));
    }
}

BOOST_AUTO_TEST_CASE(damaged_blobs_are_refused) { // N-46
    const auto good = blob_of(tagged({2, 17, 3, 3}, dnnl_aBcd8b));
    for (std::size_t i = 0; i < good.size(); ++i)
        for (const int flip : {0x01, 0x80, 0xff}) {
            auto bad = good;
            bad[i] = static_cast<std::uint8_t>(bad[i] ^ flip);
            check_invalid([&] { read_blob(bad.data()); });
        }
    const std::vector<std::uint8_t> zeros(blob_bytes()), ones(blob_bytes(), 0xff);
    check_invalid([&] { read_blob(zeros.data()); });
    check_invalid([&] { read_blob(ones.data()); });
}

BOOST_AUTO_TEST_CASE(forged_blobs_are_refused_or_sound) { // N-46
    int accepted = 0;
    const memory_desc md = tagged({2, 17, 3, 3}, dnnl_aBcd8b);
    const auto good = blob_of(md);
    for (std::size_t i = 16; i + 8 < good.size(); i += 8)
        for (const std::uint64_t value :
            {0ull, 1ull, 7ull, 13ull, 1000ull, ~0ull, 1ull << 62, 1ull << 63, ~0ull >> 1}) {
            auto bad = good;
            for (std::size_t b = 0; b < 8; ++b)
                bad[i + b] = static_cast<std::uint8_t>(value >> 8 * b);
            if (bad == good) continue;
            seal(bad);
            try {
                const memory_desc read = read_blob(bad.data());
                ++accepted;
                BOOST_TEST((blob_of(read) == bad));
                BOOST_TEST((read.has_runtime() || read.offset0 != 0 ||
                            read.size_bytes() < std::size_t {1} << 40));
            } catch (const error &e) {
                BOOST_TEST(e.status() == dnnl_invalid_arguments);
            }
        }
    BOOST_TEST(accepted > 0); // another data type, another small dimension, an offset
}
