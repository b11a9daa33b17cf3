// SPDX-License-Identifier: Apache-2.0
// Results beyond what caches hold go past them. They are those of the same primitive on parts of
// the tensors that caches do hold, wherever the memory begins.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"

namespace {

using api_tests::cpu;
using dnnl::algorithm;
using dnnl::memory;
using type = memory::data_type;

/// 27 MB of bf16, with a last piece that is no whole vector; parts are a prime number of elements.
constexpr std::int64_t whole = 13'500'007, part = 100'003;

memory::desc vector_of(std::int64_t n, type t) { return {{n}, t, memory::format_tag::a}; }

/// The primitive for vectors of n elements, whose arguments are `sources`, then the result.
struct operation {
    std::string name;
    std::vector<int> sources;
    int result;
    dnnl::primitive (*make)(std::int64_t n, type t);
};

const operation operations[] = {{"relu", {DNNL_ARG_SRC}, DNNL_ARG_DST,
                                    [](std::int64_t n, type t) -> dnnl::primitive {
                                        const auto md = vector_of(n, t);
                                        return dnnl::eltwise_forward(
                                            {cpu(), dnnl::prop_kind::forward_inference,
                                                algorithm::eltwise_relu, md, md, 0.25f, 0.f});
                                    }},
    {"gradient of relu", {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC}, DNNL_ARG_DIFF_SRC,
        [](std::int64_t n, type t) -> dnnl::primitive {
            const auto md = vector_of(n, t);
            const dnnl::eltwise_forward::primitive_desc hint(cpu(),
                dnnl::prop_kind::forward_training, algorithm::eltwise_relu, md, md, 0.25f, 0.f);
            return dnnl::eltwise_backward(
                {cpu(), algorithm::eltwise_relu, md, md, md, 0.25f, 0.f, hint});
        }},
    {"add", {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1}, DNNL_ARG_DST,
        [](std::int64_t n, type t) -> dnnl::primitive {
            const auto md = vector_of(n, t);
            return dnnl::binary({cpu(), algorithm::binary_add, md, md, md});
        }},
    {"sum", {DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1}, DNNL_ARG_DST,
        [](std::int64_t n, type t) -> dnnl::primitive {
            const auto md = vector_of(n, t);
            return dnnl::sum({cpu(), md, {1.f, 1.f}, {md, md}});
        }}};

/// Words of a linear congruential generator, without the exponents of infinity and NaN.
std::vector<std::uint32_t> random_words(std::size_t bytes, std::uint64_t seed) {
    std::vector<std::uint32_t> words(bytes / 4 + 32);
    std::uint64_t state = seed;
    for (std::uint32_t &w : words) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        w = static_cast<std::uint32_t>(state >> 32) & 0xbfffbfffu;
    }
    return words;
}

void run(
    const operation &op, std::int64_t n, type t, const std::vector<char *> &sources, char *to) {
    const auto md = vector_of(n, t);
    std::unordered_map<int, memory> arguments {{op.result, memory(md, cpu(), to)}};
    for (std::size_t i = 0; i < op.sources.size(); ++i)
        arguments.emplace(op.sources[i], memory(md, cpu(), sources[i]));
    dnnl::stream stream(cpu());
    op.make(n, t).execute(stream, arguments);
    stream.wait();
}

} // namespace

BOOST_AUTO_TEST_CASE(they_are_those_of_parts) {
    for (const type t : {type::f32, type::bf16, type::u8})
        for (const std::size_t offset : {std::size_t {0}, std::size_t {4}}) {
            const auto element = memory::data_type_size(t);
            const std::int64_t n = t == type::u8 ? 2 * whole : whole;
            const std::size_t bytes = static_cast<std::size_t>(n) * element;
            std::vector<std::uint32_t> words[2] = {random_words(bytes, 1), random_words(bytes, 2)};
            std::vector<char> result(bytes + 128), parts(bytes);
            const auto begin = [&](void *p) { // a multiple of 64, and the offset
                const auto place = reinterpret_cast<std::uintptr_t>(p);
                return static_cast<char *>(p) + (64 - place % 64) + offset;
            };
            for (const operation &op : operations) {
                if (t == type::u8 && op.name == "gradient of relu") continue; // not offered
                const std::vector<char *> sources {begin(words[0].data()), begin(words[1].data())};
                run(op, n, t, sources, begin(result.data()));
                for (std::int64_t i = 0; i < n; i += part) {
                    const std::size_t at = static_cast<std::size_t>(i) * element;
                    run(op, std::min(part, n - i), t, {sources[0] + at, sources[1] + at},
                        parts.data() + at);
                }
                BOOST_TEST((std::memcmp(begin(result.data()), parts.data(), bytes) == 0),
                    op.name << " of elements of " << element << " bytes, " << offset
                            << " bytes after a line begins");
                if (op.name != "relu") continue; // which may overwrite its source
                run(op, n, t, sources, sources[0]);
                BOOST_TEST((std::memcmp(sources[0], parts.data(), bytes) == 0),
                    "relu in place of elements of " << element << " bytes");
                words[0] = random_words(bytes, 1);
            }
        }
}
