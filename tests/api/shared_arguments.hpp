// SPDX-License-Identifier: Apache-2.0
// Executions whose arguments share memory: each output in the buffer of each other argument.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "dnnl/dnnl.hpp"
#include "objects.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;
using mdims = memory::dims;

namespace {

// Every row of reorder, concat and sum, too.
[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

const engine eng(engine::kind::cpu, 0);
stream the_stream(eng);

using bytes = std::vector<std::uint8_t>;

// ---- Arguments of a primitive, apart from each other ----

/// Moderate numbers of both signs; positive where they are variances, weights or factors.
void fill(bytes &buffer, dt type, bool positive) {
    const std::size_t width = memory::data_type_size(type);
    for (std::size_t i = 0; i < buffer.size() / width; ++i) {
        const std::uint32_t varied = std::uint32_t(i * 2654435761u) >> 9;
        const std::uint32_t sign = !positive && varied % 3 == 0;
        const float number = (sign ? -1.0f : 1.0f) * (0.25f + float(varied % 1000) / 400);
        std::uint32_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        if (type == dt::bf16) bits >>= 16;
        if (type == dt::f16) bits = sign << 15 | (0x3800 + varied % 0x800);
        if (type == dt::s8 || type == dt::s32) bits = std::uint32_t(int(number * 20));
        if (type == dt::u8) bits = varied % 60;
        std::memcpy(&buffer[i * width], &bits, width);
    }
}

const int tensors[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS_0,
    DNNL_ARG_WEIGHTS_1, DNNL_ARG_BIAS, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE,
    DNNL_ARG_SHIFT, DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1, DNNL_ARG_WORKSPACE,
    DNNL_ARG_DIFF_DST_0, DNNL_ARG_DIFF_DST_1, DNNL_ARG_DIFF_DST_2, DNNL_ARG_DST_0, DNNL_ARG_DST_1,
    DNNL_ARG_DST_2, DNNL_ARG_DIFF_SRC_0, DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SRC_2,
    DNNL_ARG_DIFF_WEIGHTS_0, DNNL_ARG_DIFF_WEIGHTS_1, DNNL_ARG_DIFF_BIAS, DNNL_ARG_DIFF_SCALE,
    DNNL_ARG_DIFF_SHIFT};

bool is_gradient_of_input(int arg) {
    return (arg >= DNNL_ARG_DIFF_SRC_0 && arg <= DNNL_ARG_DIFF_SRC_2) ||
           (arg >= DNNL_ARG_DIFF_WEIGHTS_0 && arg <= DNNL_ARG_DIFF_WEIGHTS_1) ||
           arg == DNNL_ARG_DIFF_BIAS || arg == DNNL_ARG_DIFF_SCALE || arg == DNNL_ARG_DIFF_SHIFT;
}

struct arguments {
    std::map<int, memory::desc> descs;
    std::map<int, bytes> buffers;
    std::set<int> outputs;

    explicit arguments(const primitive_desc_base &pd) {
        bool backward = false;
        for (const int arg : tensors) {
            const memory::desc md = pd.query_md(query::exec_arg_md, arg);
            // That of a root mean square is 0 and no argument.
            const bool ignored = arg == DNNL_ARG_MEAN && unsigned(pd.get_flags()) & dnnl_rms_norm;
            if (md.is_zero() || ignored) continue;
            descs[arg] = md;
            buffers[arg] = bytes(md.get_size());
            backward |= is_gradient_of_input(arg);
        }
        const bool trains = pd.get_prop_kind() == prop_kind::forward_training;
        const bool given = unsigned(pd.get_flags()) & dnnl_use_global_stats;
        for (const auto &[arg, md] : descs) {
            const bool statistics = arg == DNNL_ARG_MEAN || arg == DNNL_ARG_VARIANCE;
            const bool written = backward ? is_gradient_of_input(arg)
                                          : (arg >= DNNL_ARG_DST_0 && arg <= DNNL_ARG_DST_2) ||
                                                arg == DNNL_ARG_WORKSPACE ||
                                                (statistics && trains && !given);
            if (written) outputs.insert(arg);
            const bool positive = arg >= DNNL_ARG_WEIGHTS_0 && arg != DNNL_ARG_MULTIPLE_SRC &&
                                  (arg < DNNL_ARG_DIFF_SRC_0 || statistics);
            if (arg != DNNL_ARG_WORKSPACE) fill(buffers[arg], md.get_data_type(), positive);
        }
    }

    /// The buffers are those of `owners` where it names another one.
    std::unordered_map<int, memory> list(const std::map<int, int> &owners = {}) {
        std::unordered_map<int, memory> args;
        for (const auto &[arg, md] : descs) {
            const auto owner = owners.find(arg);
            args.emplace(
                arg, memory(md, eng, buffers[owner == owners.end() ? arg : owner->second].data()));
        }
        return args;
    }
};

void run(const primitive_desc_base &pd, const std::unordered_map<int, memory> &args) {
    primitive(pd.get()).execute(the_stream, args);
    the_stream.wait();
}

/// True where the execution is refused with a reason that names both arguments.
bool is_refused(const primitive_desc_base &pd, const std::unordered_map<int, memory> &args) {
    try {
        run(pd, args);
    } catch (const error &e) {
        const bool told = std::string(e.what()).find("shares memory with") != std::string::npos;
        return e.status == dnnl_invalid_arguments && told;
    }
    return false;
}

using pairs = std::set<std::pair<int, int>>;
const pairs none, forward_pair {{DNNL_ARG_DST, DNNL_ARG_SRC}},
    backward_pair {{DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST}};

/// Each output in the buffer of each other argument, in the row that pd stands for.
void check_row(const primitive_desc_base &pd, const pairs &documented) {
    arguments apart(pd);
    const arguments start = apart;
    run(pd, apart.list());
    for (const int output : apart.outputs)
        for (const auto &[other, md] : apart.descs) {
            if (other == output) continue;
            arguments shared = start;
            BOOST_TEST_CONTEXT(pd.impl_info_str() << ", " << output << " in place of " << other) {
                const bool legal =
                    documented.count({output, other}) && md == apart.descs.at(output);
                if (legal) {
                    BOOST_REQUIRE_NO_THROW(run(pd, shared.list({{output, other}})));
                    BOOST_TEST((shared.buffers[other] == apart.buffers[output]));
                    continue;
                }
                auto &kept = shared.buffers[other];
                kept.resize(std::max(kept.size(), apart.buffers[output].size()));
                const arguments before = shared;
                BOOST_TEST(is_refused(pd, shared.list({{output, other}})));
                BOOST_TEST((shared.buffers == before.buffers));
            }
        }
}

/// In every row.
void check(primitive_desc_base pd, const pairs &documented) {
    do check_row(pd, documented);
    while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
}

} // namespace
