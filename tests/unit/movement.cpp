// SPDX-License-Identifier: Apache-2.0
// Every row of reorder, sum and concat against the reference row, bit for bit: all types, layouts
// with and without tails, quantisation, padding and the sums behind packed weights.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/layout/memory_desc.hpp"
#include "cpu/gemm/gemm.hpp"
#include "dnnl/dnnl.hpp"

namespace {

// Every row of reorder, concat and sum, too.
[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;
using bytes = std::vector<unsigned char>;

const type all_types[] = {type::f32, type::bf16, type::f16, type::s32, type::s8, type::u8};

const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// The same numbers in every run.
class random_bits {
  public:
    explicit random_bits(std::uint64_t seed) : state_(seed) {}
    std::uint32_t operator()() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 32);
    }

  private:
    std::uint64_t state_;
};

/// Any bits, but no NaN that a conversion would make quiet; f32 is mostly of moderate size.
bytes random_bytes(const memory::desc &md, std::uint64_t seed) {
    random_bits draw(seed);
    bytes data(md.get_size());
    for (unsigned char &b : data) b = static_cast<unsigned char>(draw());
    if (md.get_data_type() == type::f32) {
        for (std::size_t i = 0; i + 4 <= data.size(); i += 4) {
            float x = (static_cast<float>(draw() % 4001) - 2000) / 13.0f;
            if (draw() % 61 == 0) x *= 1e9f;
            if (draw() % 71 == 0) x = std::numeric_limits<float>::quiet_NaN();
            if (draw() % 73 == 0) x = 0.5f - static_cast<float>(draw() % 5);
            std::memcpy(&data[i], &x, 4);
        }
    }
    const bool is_f16 = md.get_data_type() == type::f16;
    if (is_f16 || md.get_data_type() == type::bf16)
        for (std::size_t i = 0; i + 2 <= data.size(); i += 2) {
            const unsigned exponent = is_f16 ? 0x7c00 : 0x7f80, quiet = is_f16 ? 0x200 : 0x40;
            unsigned x = static_cast<unsigned>(data[i] | data[i + 1] << 8);
            if ((x & exponent) == exponent) x |= quiet;
            data[i] = static_cast<unsigned char>(x);
            data[i + 1] = static_cast<unsigned char>(x >> 8);
        }
    return data;
}

struct argument {
    int arg;
    memory::desc md;
    bytes data;
};

bytes run(const dnnl::primitive &primitive, const std::vector<argument> &inputs, int out,
    const memory::desc &md, const bytes &before) {
    bytes result = before;
    std::vector<bytes> copies; // every execution gets buffers of the exact size
    std::unordered_map<int, memory> args;
    for (const argument &a : inputs) copies.push_back(a.data);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        args[inputs[i].arg] = memory(inputs[i].md, cpu(), copies[i].data());
    args[out] = memory(md, cpu(), result.data());
    dnnl::stream stream(cpu());
    primitive.execute(stream, args);
    stream.wait();
    return result;
}

/// data with every NaN of a floating-point type replaced by one: which of two NaNs a sum keeps
/// depends on the order in which the compiler puts the operands.
bytes with_one_nan(bytes data, const memory::desc &md) {
    using type = memory::data_type;
    const type t = md.get_data_type();
    if (t != type::f32 && t != type::bf16 && t != type::f16) return data;
    const std::size_t size = t == type::f32 ? 4 : 2;
    const unsigned infinity = t == type::f32 ? 0x7f800000u : t == type::bf16 ? 0x7f80u : 0x7c00u;
    const unsigned magnitude = t == type::f32 ? 0x7fffffffu : 0x7fffu;
    for (std::size_t i = 0; i + size <= data.size(); i += size) {
        unsigned bits = 0;
        std::memcpy(&bits, &data[i], size);
        if ((bits & magnitude) > infinity) std::memcpy(&data[i], &magnitude, size);
    }
    return data;
}

/// The rows that took part in the test so far.
std::set<std::string> seen;

/// Runs every row; the last one is the reference. Returns how many there were.
template <class Primitive, class Desc>
int compare_rows(Desc pd, const std::vector<argument> &inputs, int out, const std::string &what) {
    const memory::desc md = pd.dst_desc();
    const bytes before = random_bytes(md, 99);
    std::vector<bytes> results;
    std::vector<std::string> names;
    do {
        names.push_back(pd.impl_info_str());
        results.push_back(with_one_nan(run(Primitive(pd), inputs, out, md, before), md));
        seen.insert(names.back());
    } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    BOOST_TEST(names.back() == "reference");
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
        const auto differ =
            std::mismatch(results[i].begin(), results[i].end(), results.back().begin());
        const auto at = differ.first - results[i].begin();
        BOOST_CHECK_MESSAGE(results[i] == results.back(), what + ": " + names[i] + " at byte " +
                                                              std::to_string(at) + " of " +
                                                              std::to_string(results[i].size()));
    }
    return static_cast<int>(names.size());
}

std::string text(const memory::desc &md) {
    const dnnl::impl::memory_desc &inner = *md.get();
    std::string result = " " + dnnl::impl::layout_name(inner) + ":";
    for (const auto d : md.get_dims()) result += std::to_string(d) + "x";
    return result + "type" + std::to_string(static_cast<int>(md.get_data_type()));
}

struct values {
    int arg; ///< DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, ...
    int mask;
};

int check_reorder(const memory::desc &src, const memory::desc &dst,
    const std::vector<values> &quantisation = {}, float beta = 0) {
    dnnl::primitive_attr attr;
    std::vector<argument> inputs {{DNNL_ARG_FROM, src, random_bytes(src, 7)}};
    std::string what = "reorder" + text(src) + text(dst);
    for (const values &v : quantisation) {
        memory::dim count = 1;
        for (std::size_t d = 0; d < src.get_dims().size(); ++d)
            if (v.mask >> d & 1) count *= src.get_dims()[d];
        const bool scales = (v.arg & DNNL_ARG_ATTR_SCALES) != 0;
        const int tensor = v.arg & ~(DNNL_ARG_ATTR_SCALES | DNNL_ARG_ATTR_ZERO_POINTS);
        scales ? attr.set_scales_mask(tensor, v.mask) : attr.set_zero_points_mask(tensor, v.mask);
        const memory::desc md({count}, scales ? type::f32 : type::s32, tag::a);
        bytes data(md.get_size());
        for (memory::dim i = 0; i < count; ++i) {
            const float scale = 0.3f + 0.07f * static_cast<float>(i % 29);
            const std::int32_t zero_point = static_cast<std::int32_t>(i % 7) - 3;
            std::memcpy(&data[static_cast<std::size_t>(i) * 4],
                scales ? static_cast<const void *>(&scale) : &zero_point, 4);
        }
        inputs.push_back({v.arg, md, data});
        what += " q" + std::to_string(v.arg) + "m" + std::to_string(v.mask);
    }
    if (beta != 0) {
        dnnl::post_ops ops;
        ops.append_sum(beta);
        attr.set_post_ops(ops);
        what += " sum";
    }
    const dnnl::reorder::primitive_desc pd(cpu(), src, cpu(), dst, attr);
    return compare_rows<dnnl::reorder>(pd, inputs, DNNL_ARG_TO, what);
}

bool has_avx2() { return (static_cast<int>(dnnl::get_effective_cpu_isa()) & 7) == 7; }

const int from_scale = DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM;
const int to_scale = DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO;
const int from_zero = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM;
const int to_zero = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO;

bool is_integer(type t) { return t == type::s32 || t == type::s8 || t == type::u8; }

} // namespace

BOOST_AUTO_TEST_CASE(every_pair_of_types) {
    const memory::dims dims {2, 19, 5, 7};
    for (const type from : all_types)
        for (const type to : all_types)
            for (const auto &tags : std::vector<std::pair<tag, tag>> {{tag::nchw, tag::nchw},
                     {tag::nchw, tag::nhwc}, {tag::nhwc, tag::nChw16c}, {tag::nChw8c, tag::nchw}}) {
                const memory::desc src(dims, from, tags.first), dst(dims, to, tags.second);
                check_reorder(src, dst);
                check_reorder(src, dst, {{from_scale, 0}}, 0.75f);
                std::vector<values> all {{from_scale, 2}, {to_scale, 0}};
                if (is_integer(from)) all.push_back({from_zero, 0});
                if (is_integer(to)) all.push_back({to_zero, 2});
                check_reorder(src, dst, all);
            }
}

BOOST_AUTO_TEST_CASE(every_pair_of_layouts) {
    const tag tags[] = {tag::nchw, tag::nhwc, tag::nChw16c, tag::nChw8c, tag::nChw4c, tag::chwn,
        tag::OIhw16i16o, tag::OIhw16o16i, tag::OIhw8i16o2i, tag::hwio, tag::NChw32n16c,
        tag::Ohwi16o};
    const memory::dims shapes[] = {
        {1, 1, 1, 1}, {3, 3, 9, 11}, {33, 17, 1, 3}, {16, 48, 2, 2}, {64, 33, 1, 1}};
    for (const memory::dims &dims : shapes)
        for (const tag from : tags)
            for (const tag to : tags)
                for (const type t : {type::f32, type::bf16, type::u8}) {
                    const memory::desc src(dims, t, from), dst(dims, t, to);
                    const int rows = check_reorder(src, dst);
                    if (has_avx2()) BOOST_TEST(rows >= 2, text(src) + text(dst));
                }
}

BOOST_AUTO_TEST_CASE(transposition_of_every_tail) {
    for (const type t : {type::f32, type::f16, type::s8})
        for (const memory::dim a : {1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 63, 64, 65, 100, 130, 600})
            for (const memory::dim b : {1, 2, 3, 4, 7, 16, 18, 64, 67, 129, 200}) {
                check_reorder({{a, b}, t, tag::ab}, {{a, b}, t, tag::ba});
                if (t == type::s8)
                    check_reorder({{a, b}, type::f32, tag::ab}, {{a, b}, t, tag::ba});
            }
}

// Destinations beyond the caches are streamed where their rows begin at cache lines, which only
// memory of the library's own does for certain.
BOOST_AUTO_TEST_CASE(large_destinations) {
    const memory::desc src({1, 48, 520, 368}, type::f32, tag::nchw);
    const memory::desc dst({1, 48, 520, 368}, type::f32, tag::nhwc);
    memory from(src, cpu()), to(dst, cpu());
    const bytes data = random_bytes(src, 5);
    std::memcpy(from.get_data_handle(), data.data(), data.size());
    dnnl::reorder::primitive_desc pd(cpu(), src, cpu(), dst);
    std::vector<bytes> results;
    do {
        std::memset(to.get_data_handle(), 0xa5, dst.get_size());
        dnnl::stream stream(cpu());
        dnnl::reorder(pd).execute(stream, from, to);
        stream.wait();
        const auto *first = static_cast<const unsigned char *>(to.get_data_handle());
        results.emplace_back(first, first + dst.get_size());
    } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    for (const bytes &r : results) BOOST_TEST((r == results.back()));
}

BOOST_AUTO_TEST_CASE(strides_with_gaps_and_submemory) {
    const memory::desc gaps({5, 18, 20}, type::f32, memory::dims {20 * 41, 41, 2});
    const memory::desc whole({8, 40, 30}, type::f32, tag::acb);
    const memory::desc part = whole.submemory_desc({5, 18, 20}, {2, 7, 9});
    const memory::desc dense({5, 18, 20}, type::f32, tag::abc);
    check_reorder(gaps, dense);
    check_reorder(dense, gaps);
    const memory::desc quantised({5, 18, 20}, type::s8, memory::dims {20 * 41, 41, 2});
    check_reorder(dense, quantised, {{from_scale, 4}, {to_zero, 5}});
    check_reorder(quantised, dense, {{from_scale, 7}, {from_zero, 2}}, 0.5f);
    // A submemory's size query gives 0: run it in the buffer of the whole.
    for (const bool reads : {true, false}) {
        dnnl::reorder::primitive_desc pd(cpu(), reads ? part : dense, cpu(), reads ? dense : part);
        std::vector<bytes> results;
        do {
            bytes outer = random_bytes(whole, 3), inner = random_bytes(dense, 4);
            const memory a(part, cpu(), outer.data()), b(dense, cpu(), inner.data());
            dnnl::stream stream(cpu());
            dnnl::reorder(pd).execute(
                stream, {{DNNL_ARG_FROM, reads ? a : b}, {DNNL_ARG_TO, reads ? b : a}});
            stream.wait();
            results.push_back(reads ? inner : outer);
        } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
        for (const bytes &r : results) BOOST_TEST((r == results.back()));
    }
}

BOOST_AUTO_TEST_CASE(panels_and_column_sums) {
    const auto panels = [](memory::dims dims, type t, int k_dim, int n_dim, std::vector<int> inner,
                            bool pad, int sums_mask) {
        memory::desc md(dims, t, tag::any);
        std::vector<int> outer;
        for (int d = 0; d < static_cast<int>(dims.size()); ++d)
            if (d != k_dim && d != n_dim && std::find(inner.begin(), inner.end(), d) == inner.end())
                outer.push_back(d);
        dnnl::impl::cpu::set_panel_layout(*md.get(), {k_dim, n_dim, outer, inner, pad});
        md.get()->column_sums_mask = sums_mask;
        return md;
    };
    for (const type t : {type::f32, type::bf16, type::s8, type::u8})
        for (const bool pad : {false, true})
            for (const memory::dims &dims :
                std::vector<memory::dims> {{1, 1}, {7, 33}, {64, 32}, {100, 70}, {130, 128}}) {
                const bool int8 = t == type::s8 || t == type::u8;
                const memory::desc without = panels(dims, t, 0, 1, {}, pad, 0);
                const memory::desc with = panels(dims, t, 0, 1, {}, pad, int8 ? 2 : 0);
                for (const tag plain : {tag::ab, tag::ba}) {
                    check_reorder({dims, t, plain}, with);
                    check_reorder({dims, type::f32, plain}, with, {{from_scale, 0}, {to_scale, 2}});
                    check_reorder(with, {dims, t, plain});
                    check_reorder(with, {dims, type::f32, plain}, {{from_scale, 2}});
                }
                check_reorder(without, with);
                check_reorder(with, without);
            }
    // Groups and kernel positions: sums per group and output channel, over the rest.
    const memory::dims weights {3, 37, 21, 3, 2};
    const memory::desc packed = panels(weights, type::s8, 2, 1, {3, 4}, false, 3);
    for (const tag plain : {tag::goihw, tag::hwigo, tag::gOIhw16i16o}) {
        check_reorder({weights, type::s8, plain}, packed);
        check_reorder({weights, type::f32, plain}, packed, {{to_scale, 3}});
        check_reorder(packed, {weights, type::s8, plain});
    }
    // Large enough for passes over a plain copy.
    const memory::dims kernels {70, 90, 3, 3};
    for (const type t : {type::f32, type::bf16, type::s8})
        for (const tag plain : {tag::oihw, tag::hwio, tag::ohwi, tag::ihwo}) {
            const memory::desc to = panels(kernels, t, 1, 0, {2, 3}, true, t == type::s8 ? 1 : 0);
            check_reorder({kernels, t, plain}, to);
            check_reorder({kernels, type::f32, plain}, to, {{to_scale, 1}});
            check_reorder(to, {kernels, t, plain});
        }
}

BOOST_AUTO_TEST_CASE(sums) {
    const memory::dims dims {3, 21, 4, 5};
    const tag tags[] = {tag::nchw, tag::nhwc, tag::nChw16c, tag::nChw8c};
    for (const type to : all_types)
        for (const tag out : tags)
            for (std::size_t n = 1; n <= 5; ++n) {
                std::vector<memory::desc> srcs;
                std::vector<float> scales;
                std::vector<argument> inputs;
                for (std::size_t i = 0; i < n; ++i) {
                    srcs.emplace_back(dims, all_types[(i * 5 + n) % 6], tags[(i + n) % 4]);
                    scales.push_back(0.3f * static_cast<float>(i) - 0.7f);
                    inputs.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), srcs[i],
                        random_bytes(srcs[i], i)});
                }
                const dnnl::sum::primitive_desc pd(cpu(), {dims, to, out}, scales, srcs);
                const int rows = compare_rows<dnnl::sum>(pd, inputs, DNNL_ARG_DST, "sum");
                if (has_avx2()) BOOST_TEST(rows >= 2);
            }
}

BOOST_AUTO_TEST_CASE(concats) {
    const tag tags[] = {tag::nchw, tag::nhwc, tag::nChw16c, tag::nChw8c};
    const std::vector<memory::dims> shapes {
        {2, 16, 3, 5}, {2, 24, 3, 5}, {2, 5, 3, 5}, {2, 0, 3, 5}};
    for (int axis = 0; axis < 4; ++axis)
        for (const type from : all_types)
            for (const type to : {type::f32, type::u8, from})
                for (const tag out : tags)
                    for (const bool scaled : {false, true}) {
                        memory::dims dims = shapes[0];
                        dims[static_cast<std::size_t>(axis)] = 0;
                        std::vector<memory::desc> srcs;
                        std::vector<argument> inputs;
                        dnnl::primitive_attr attr;
                        for (std::size_t i = 0; i < shapes.size(); ++i) {
                            memory::dims own = shapes[0];
                            own[static_cast<std::size_t>(axis)] = shapes[i][1];
                            dims[static_cast<std::size_t>(axis)] += shapes[i][1];
                            srcs.emplace_back(own, from, tags[i % 4]);
                            const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
                            inputs.push_back({arg, srcs[i], random_bytes(srcs[i], i)});
                            if (!scaled || i % 2 != 0) continue;
                            attr.set_scales_mask(arg, 0);
                            bytes value(4);
                            const float scale = i ? 0.6f : 1.0f;
                            std::memcpy(value.data(), &scale, 4);
                            inputs.push_back(
                                {DNNL_ARG_ATTR_SCALES | arg, {{1}, type::f32, tag::a}, value});
                        }
                        const dnnl::concat::primitive_desc pd(
                            cpu(), {dims, to, out}, axis, srcs, attr);
                        const int rows =
                            compare_rows<dnnl::concat>(pd, inputs, DNNL_ARG_DST, "concat");
                        if (has_avx2()) BOOST_TEST(rows >= 2);
                    }
}

BOOST_AUTO_TEST_CASE(every_row_took_part) {
    for (const std::string &name : seen) BOOST_TEST_MESSAGE("compared: " + name);
    BOOST_TEST(seen.count("reference") == 1);
    if (!has_avx2()) {
        BOOST_TEST_MESSAGE("skipped: the CPU lacks AVX2");
        return;
    }
    for (const char *name : {"pack:", "vector:"}) {
        const auto found = seen.lower_bound(name);
        BOOST_TEST((found != seen.end() && found->rfind(name, 0) == 0));
    }
}
