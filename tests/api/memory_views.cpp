// SPDX-License-Identifier: Apache-2.0
// Memories whose descriptor is not the primitive's: the primitive's says how the bytes are read.
// Every tensor is a region of a larger one, whose memory is passed; each row must compute what it
// computes on tensors of their own, and leave the rest of the buffers alone.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"

using dnnl::memory;
using dnnl::primitive_attr;
using tag = memory::format_tag;
using data_type = memory::data_type;

namespace {

using api_tests::cpu;
/// One tensor of a problem; a region starts at 1 in each dimension of its parent, which has 2 more,
/// or at whole blocks of 16 channels.
struct slot {
    int arg;
    memory::dims dims;
    tag layout;
    bool blocked = false;
};
bool is_output(int arg) {
    return arg == DNNL_ARG_DST || (arg >= DNNL_ARG_DIFF_SRC_0 && arg < DNNL_ARG_DIFF_DST_0) ||
           arg == DNNL_ARG_DIFF_WEIGHTS || arg == DNNL_ARG_DIFF_BIAS || arg == DNNL_ARG_DST_ITER ||
           arg == DNNL_ARG_DST_ITER_C;
}

using descs = std::vector<memory::desc>;
struct problem {
    const char *name;
    std::vector<slot> slots;
    std::function<dnnl::primitive_desc_base(const descs &, const primitive_attr &)> create;
};

memory::desc own(const slot &s) { return {s.dims, data_type::f32, s.layout}; }
memory::desc parent(const slot &s) {
    memory::dims larger = s.dims;
    for (std::size_t d = 0; d < larger.size(); ++d) larger[d] += s.blocked && d == 1 ? 32 : 2;
    return {larger, data_type::f32, s.layout};
}
memory::desc region(const slot &s) {
    memory::dims offsets(s.dims.size(), 1);
    if (s.blocked) offsets[1] = 16;
    return parent(s).submemory_desc(s.dims, offsets);
}

float value_of(int arg, memory::dim index) { return static_cast<float>((index * 5 + arg) % 9 - 4); }

/// Offset of the index-th element, row-major over the dims, in blocks of 16 channels or in none.
memory::dim offset_of(const memory::desc &md, memory::dim index) {
    const memory::dims dims = md.get_dims(), strides = md.get_strides();
    memory::dim offset = md.get_submemory_offset();
    for (std::size_t d = dims.size(); d-- > 0;) {
        const memory::dim x = index % dims[d];
        index /= dims[d];
        const bool in_blocks = md.get_inner_nblks() == 1 && d == 1;
        offset += in_blocks ? x / 16 * strides[d] + x % 16 : x * strides[d];
    }
    return offset;
}
memory::dim count_of(const memory::desc &md) {
    memory::dim count = 1;
    for (memory::dim extent : md.get_dims()) count *= extent;
    return count;
}

constexpr float untouched = 12345;

/// The tensors of one execution, in buffers of their own or in parents.
class tensors {
  public:
    tensors(const problem &p, bool regions) {
        for (const slot &s : p.slots) {
            const memory::desc whole = regions ? parent(s) : own(s);
            views_.push_back(regions ? region(s) : own(s));
            memory made(whole, cpu());
            auto *data = static_cast<float *>(made.get_data_handle());
            std::fill_n(data, whole.get_size() / sizeof(float), untouched);
            for (memory::dim i = 0; !is_output(s.arg) && i < count_of(views_.back()); ++i)
                data[offset_of(views_.back(), i)] = value_of(s.arg, i);
            args[s.arg] = made;
        }
    }
    const descs &views() const { return views_; }
    std::vector<float> result(std::size_t slot, int arg) {
        const auto *data = static_cast<const float *>(args.at(arg).get_data_handle());
        std::vector<float> values;
        for (memory::dim i = 0; i < count_of(views_[slot]); ++i)
            values.push_back(data[offset_of(views_[slot], i)]);
        return values;
    }
    /// Elements of the whole buffer that were written.
    std::size_t written(int arg) {
        const memory &m = args.at(arg);
        const auto *data = static_cast<const float *>(m.get_data_handle());
        std::size_t count = 0;
        for (std::size_t i = 0; i < m.get_desc().get_size() / sizeof(float); ++i)
            count += data[i] != untouched;
        return count;
    }

    std::unordered_map<int, memory> args;

  private:
    descs views_;
};

/// Runs the primitive; in user mode with a scratchpad of its own.
void run(const dnnl::primitive_desc_base &pd, tensors &t) {
    dnnl::stream stream(cpu());
    auto args = t.args;
    const memory::desc scratchpad = pd.scratchpad_desc();
    if (!scratchpad.is_zero()) args[DNNL_ARG_SCRATCHPAD] = memory(scratchpad, cpu());
    dnnl::primitive(pd.get()).execute(stream, args);
}

/// Runs every row on regions of parents.
void check(const problem &p, dnnl::scratchpad_mode mode) {
    primitive_attr attr;
    attr.set_scratchpad_mode(mode);
    tensors dense(p, false);
    run(p.create(dense.views(), attr), dense);
    int rows = 0;
    dnnl::primitive_desc_base pd = p.create(tensors(p, true).views(), attr);
    do {
        const std::string row = p.name + std::string(" ") + pd.impl_info_str();
        tensors regions(p, true);
        run(pd, regions);
        for (std::size_t i = 0; i < p.slots.size(); ++i) {
            const int arg = p.slots[i].arg;
            if (!is_output(arg)) continue;
            const auto got = regions.result(i, arg), want = dense.result(i, arg);
            int wrong = 0;
            for (std::size_t j = 0; j < got.size(); ++j)
                wrong += !(std::fabs(got[j] - want[j]) <= 1e-4f * (1 + std::fabs(want[j])));
            BOOST_TEST(wrong == 0, row << ": " << wrong << " of " << got.size() << " differ");
            BOOST_TEST(regions.written(arg) == got.size(),
                row << ": " << regions.written(arg) << " elements were written");
        }
        ++rows;
    } while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    BOOST_TEST(rows >= 1);
}

const auto inference = dnnl::prop_kind::forward_inference;
const slot image = {DNNL_ARG_SRC, {2, 16, 6, 7}, tag::acdb};
const slot blocked_image = {DNNL_ARG_SRC, {2, 32, 6, 7}, tag::aBcd16b, true};
slot at(int arg, slot s) {
    s.arg = arg;
    return s;
}

const problem problems[] = {
    {"matmul",
        {{DNNL_ARG_SRC, {9, 17}, tag::ab}, {DNNL_ARG_WEIGHTS, {17, 33}, tag::ab},
            {DNNL_ARG_BIAS, {1, 33}, tag::ab}, {DNNL_ARG_DST, {9, 33}, tag::ab}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::matmul::primitive_desc(cpu(), d[0], d[1], d[2], d[3], attr);
        }},
    {"batched matmul",
        {{DNNL_ARG_SRC, {3, 5, 12}, tag::abc}, {DNNL_ARG_WEIGHTS, {3, 12, 8}, tag::acb},
            {DNNL_ARG_DST, {3, 5, 8}, tag::abc}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::matmul::primitive_desc(cpu(), d[0], d[1], d[2], attr);
        }},
    {"inner product",
        {{DNNL_ARG_SRC, {5, 20}, tag::ab}, {DNNL_ARG_WEIGHTS, {34, 20}, tag::ab},
            {DNNL_ARG_BIAS, {34}, tag::a}, {DNNL_ARG_DST, {5, 34}, tag::ab}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::inner_product_forward::primitive_desc(
                cpu(), inference, d[0], d[1], d[2], d[3], attr);
        }},
    {"convolution",
        {image, {DNNL_ARG_WEIGHTS, {24, 16, 3, 3}, tag::abcd}, {DNNL_ARG_BIAS, {24}, tag::a},
            {DNNL_ARG_DST, {2, 24, 4, 5}, tag::acdb}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::convolution_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::convolution_direct, d[0], d[1], d[2], d[3], {1, 1}, {0, 0}, {0, 0},
                attr);
        }},
    {"convolution nchw",
        {{DNNL_ARG_SRC, {2, 8, 6, 7}, tag::abcd}, {DNNL_ARG_WEIGHTS, {9, 8, 1, 1}, tag::abcd},
            {DNNL_ARG_DST, {2, 9, 6, 7}, tag::abcd}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::convolution_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::convolution_direct, d[0], d[1], d[2], {1, 1}, {0, 0}, {0, 0},
                attr);
        }},
    {"convolution in blocks",
        {blocked_image, {DNNL_ARG_WEIGHTS, {32, 32, 3, 3}, tag::abcd},
            {DNNL_ARG_DST, {2, 32, 4, 5}, tag::aBcd16b, true}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::convolution_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::convolution_direct, d[0], d[1], d[2], {1, 1}, {0, 0}, {0, 0},
                attr);
        }},
    {"depthwise convolution",
        {image, {DNNL_ARG_WEIGHTS, {16, 1, 1, 3, 3}, tag::abcde},
            {DNNL_ARG_DST, {2, 16, 4, 5}, tag::acdb}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::convolution_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::convolution_direct, d[0], d[1], d[2], {1, 1}, {0, 0}, {0, 0},
                attr);
        }},
    {"convolution backward weights",
        {image, {DNNL_ARG_DIFF_DST, {2, 24, 4, 5}, tag::acdb},
            {DNNL_ARG_DIFF_WEIGHTS, {24, 16, 3, 3}, tag::abcd}, {DNNL_ARG_DIFF_BIAS, {24}, tag::a}},
        [](const descs &d, const primitive_attr &attr) {
            const dnnl::convolution_forward::primitive_desc hint(cpu(),
                dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, d[0], d[2],
                d[3], d[1], {1, 1}, {0, 0}, {0, 0});
            return dnnl::convolution_backward_weights::primitive_desc(cpu(),
                dnnl::algorithm::convolution_direct, d[0], d[2], d[3], d[1], {1, 1}, {0, 0}, {0, 0},
                hint, attr);
        }},
    {"deconvolution",
        {image, {DNNL_ARG_WEIGHTS, {24, 16, 3, 3}, tag::abcd},
            {DNNL_ARG_DST, {2, 24, 13, 15}, tag::acdb}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::deconvolution_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::deconvolution_direct, d[0], d[1], d[2], {2, 2}, {0, 0}, {0, 0},
                attr);
        }},
    {"pooling", {image, {DNNL_ARG_DST, {2, 16, 3, 3}, tag::acdb}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::pooling_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::pooling_max, d[0], d[1], {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0},
                attr);
        }},
    {"eltwise", {image, at(DNNL_ARG_DST, image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::eltwise_forward::primitive_desc(
                cpu(), inference, dnnl::algorithm::eltwise_tanh, d[0], d[1], attr);
        }},
    {"eltwise in blocks", {blocked_image, at(DNNL_ARG_DST, blocked_image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::eltwise_forward::primitive_desc(
                cpu(), inference, dnnl::algorithm::eltwise_tanh, d[0], d[1], attr);
        }},
    {"binary", {image, {DNNL_ARG_SRC_1, {1, 16, 1, 1}, tag::acdb}, at(DNNL_ARG_DST, image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::binary::primitive_desc(
                cpu(), dnnl::algorithm::binary_mul, d[0], d[1], d[2], attr);
        }},
    {"softmax", {{DNNL_ARG_SRC, {6, 37}, tag::ab}, {DNNL_ARG_DST, {6, 37}, tag::ab}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::softmax_forward::primitive_desc(
                cpu(), inference, dnnl::algorithm::softmax_accurate, d[0], d[1], 1, attr);
        }},
    {"layer normalization",
        {{DNNL_ARG_SRC, {3, 5, 19}, tag::abc}, {DNNL_ARG_DST, {3, 5, 19}, tag::abc}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::layer_normalization_forward::primitive_desc(
                cpu(), inference, d[0], d[1], 1e-5f, dnnl::normalization_flags::none, attr);
        }},
    {"reduction", {image, {DNNL_ARG_DST, {2, 16, 1, 1}, tag::acdb}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::reduction::primitive_desc(
                cpu(), dnnl::algorithm::reduction_sum, d[0], d[1], 0, 0, attr);
        }},
    {"resampling", {image, {DNNL_ARG_DST, {2, 16, 12, 14}, tag::acdb}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::resampling_forward::primitive_desc(
                cpu(), inference, dnnl::algorithm::resampling_linear, d[0], d[1], attr);
        }},
    {"prelu", {image, {DNNL_ARG_WEIGHTS, {1, 16, 1, 1}, tag::acdb}, at(DNNL_ARG_DST, image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::prelu_forward::primitive_desc(cpu(), inference, d[0], d[1], d[2], attr);
        }},
    {"shuffle", {image, at(DNNL_ARG_DST, image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::shuffle_forward::primitive_desc(cpu(), inference, d[0], d[1], 1, 4, attr);
        }},
    {"lrn", {image, at(DNNL_ARG_DST, image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::lrn_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::lrn_across_channels, d[0], d[1], 5, 1e-4f, 0.75f, 1.f, attr);
        }},
    {"reorder", {{DNNL_ARG_FROM, {2, 16, 6, 7}, tag::abcd}, at(DNNL_ARG_TO, image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::reorder::primitive_desc(cpu(), d[0], cpu(), d[1], attr);
        }},
    {"reorder to blocks",
        {{DNNL_ARG_FROM, {2, 32, 6, 7}, tag::abcd}, at(DNNL_ARG_TO, blocked_image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::reorder::primitive_desc(cpu(), d[0], cpu(), d[1], attr);
        }},
    {"concat",
        {at(DNNL_ARG_MULTIPLE_SRC, image), at(DNNL_ARG_MULTIPLE_SRC + 1, image),
            {DNNL_ARG_DST, {2, 32, 6, 7}, tag::acdb}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::concat::primitive_desc(cpu(), d[2], 1, {d[0], d[1]}, attr);
        }},
    {"sum",
        {at(DNNL_ARG_MULTIPLE_SRC, image), at(DNNL_ARG_MULTIPLE_SRC + 1, image),
            at(DNNL_ARG_DST, image)},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::sum::primitive_desc(cpu(), d[2], {1.f, 2.f}, {d[0], d[1]}, attr);
        }},
    {"vanilla RNN",
        {{DNNL_ARG_SRC_LAYER, {4, 3, 10}, tag::abc}, {DNNL_ARG_SRC_ITER, {1, 1, 3, 12}, tag::abcd},
            {DNNL_ARG_WEIGHTS_LAYER, {1, 1, 10, 1, 12}, tag::abcde},
            {DNNL_ARG_WEIGHTS_ITER, {1, 1, 12, 1, 12}, tag::abcde},
            {DNNL_ARG_BIAS, {1, 1, 1, 12}, tag::abcd}, {DNNL_ARG_DST, {4, 3, 12}, tag::abc},
            {DNNL_ARG_DST_ITER, {1, 1, 3, 12}, tag::abcd}},
        [](const descs &d, const primitive_attr &attr) {
            return dnnl::vanilla_rnn_forward::primitive_desc(cpu(), inference,
                dnnl::algorithm::eltwise_tanh, dnnl::rnn_direction::unidirectional_left2right, d[0],
                d[1], d[2], d[3], d[4], d[5], d[6], attr);
        }},
};

} // namespace

BOOST_AUTO_TEST_CASE(parents_stand_for_their_regions) {
    for (const problem &p : problems)
        for (const auto mode : {dnnl::scratchpad_mode::library, dnnl::scratchpad_mode::user}) {
            BOOST_TEST_CONTEXT(p.name) {
                try {
                    check(p, mode);
                } catch (const dnnl::error &e) {
                    BOOST_ERROR(p.name << ": " << e.what());
                }
            }
        }
}
