// SPDX-License-Identifier: Apache-2.0
// The primitives of a part of a block.
#include "transformer_block.hpp"

#include "../int8_accuracy/execution/program.hpp"
#include "../int8_accuracy/execution/timer.hpp"
#include "../random_source.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace distributed {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using int8_accuracy::filled_memory;
using int8_accuracy::program;
using int8_accuracy::scalar_memory;
using int8_accuracy::vector_desc;
using tag = memory::format_tag;
using type = memory::data_type;

namespace {

constexpr float epsilon = 1e-12f;

/// A rectangle of a row-major matrix.
std::vector<float> cut(const std::vector<float> &from, int columns, int first_row, int rows,
    int first_column, int width) {
    std::vector<float> found;
    found.reserve(std::size_t(rows) * std::size_t(width));
    for (int r = first_row; r < first_row + rows; ++r) {
        const float *row = from.data() + std::size_t(r) * std::size_t(columns) + first_column;
        found.insert(found.end(), row, row + width);
    }
    return found;
}

/// max |w| / 127 of each column of a matrix.
std::vector<float> column_scales(const std::vector<float> &of, int columns) {
    std::vector<float> scales(std::size_t(columns), 1e-30f);
    for (std::size_t i = 0; i < of.size(); ++i) {
        float &scale = scales[i % std::size_t(columns)];
        scale = std::max(scale, std::fabs(of[i]) / 127);
    }
    return scales;
}

float largest(const memory &of) {
    float most = 0;
    for (const float x : int8_accuracy::values_of(of)) most = std::max(most, std::fabs(x));
    return most;
}

} // namespace

double block_shape::multiplications() const {
    const double T = tokens, C = channels, H = hidden;
    return T * C * (4 * C + 2 * H) + 2 * T * T * C;
}

block_weights random_block(const block_shape &shape, std::uint64_t seed) {
    examples::random_source random(seed);
    const auto drawn = [&](int rows, int columns, double share) {
        std::vector<float> values(std::size_t(rows) * std::size_t(columns));
        for (float &v : values)
            v = float(share * random.normal() / std::sqrt(double(shape.channels)));
        return values;
    };
    const int C = shape.channels, H = shape.hidden;
    block_weights w;
    for (auto *square : {&w.query, &w.key, &w.value, &w.output}) *square = drawn(C, C, 1);
    w.widen = drawn(C, H, 1);
    w.narrow = drawn(H, C, std::sqrt(double(C) / H));
    for (auto *bias : {&w.query_bias, &w.key_bias, &w.value_bias, &w.output_bias, &w.narrow_bias})
        *bias = drawn(1, C, .1);
    w.widen_bias = drawn(1, H, .1);
    return w;
}

struct block_part::state {
    state(const dnnl::engine &engine, const block_shape &shape, const block_weights &w, int part,
        int parts, const block_ranges *ranges)
        : engine(engine), shape(shape), int8(ranges), heads(shape.heads / parts),
          width(shape.channels / parts), hidden_width(shape.hidden / parts) {
        const int T = shape.tokens, C = shape.channels, H = shape.hidden, W = width;
        if (shape.heads % parts != 0 || shape.hidden % parts != 0 || C % shape.heads != 0)
            throw std::invalid_argument(fmt::format("{} channels in {} heads and {} hidden ones "
                                                    "cannot be divided into {} equal parts",
                C, shape.heads, H, parts));
        if (ranges) of = *ranges;
        x = real(T, C);
        partial = memory({{T, C}, int8 ? type::s32 : type::f32, tag::ab}, engine);

        source = stored(T, C);
        convert(attending, x, source, of.source);
        query = stored(T, W);
        key = stored(T, W);
        value = stored(T, W);
        const auto columns = [&](const std::vector<float> &from, const std::vector<float> &bias,
                                 const memory &to, float range) {
            add_product(attending, source, of.source, cut(from, C, 0, C, part * W, W),
                cut(bias, C, 0, 1, part * W, W), to, range, false);
        };
        columns(w.query, w.query_bias, query, of.query);
        columns(w.key, w.key_bias, key, of.key);
        columns(w.value, w.value_bias, value, of.value);
        mixed = stored(T, W);
        add_attention();
        add_partial_product(attending, mixed, cut(w.output, C, part * W, W, 0, C), w.output, C);

        middle = real(T, C);
        add_normalization(feeding, x, of.mixed, w.output, w.output_bias, middle);
        middle_stored = stored(T, C);
        convert(feeding, middle, middle_stored, of.middle);
        const int V = hidden_width;
        hidden = stored(T, V);
        add_product(widening, middle_stored, of.middle, cut(w.widen, H, 0, C, part * V, V),
            cut(w.widen_bias, H, 0, 1, part * V, V), hidden, of.hidden, true);
        add_partial_product(widening, hidden, cut(w.narrow, C, part * V, V, 0, C), w.narrow, C);

        result = real(T, C);
        add_normalization(finishing, middle, of.hidden, w.narrow, w.narrow_bias, result);
    }

    static float scale_of(float range) { return std::max(range, 1e-30f) / 127; }

    memory real(int rows, int columns) const {
        return {{{rows, columns}, type::f32, tag::ab}, engine};
    }
    memory stored(int rows, int columns) const {
        return {{{rows, columns}, int8 ? type::s8 : type::f32, tag::ab}, engine};
    }

    void convert(program &to, const memory &from, memory &into, float range) {
        if (!int8) {
            into = from;
            return;
        }
        dnnl::primitive_attr attr;
        attr.set_scales_mask(DNNL_ARG_DST, 0);
        to.add(dnnl::reorder({engine, from.get_desc(), engine, into.get_desc(), attr}),
            {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, into},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scalar_memory(engine, scale_of(range))}});
    }

    /// The weights in the layout that a product wants; in int8 by the scale of each column.
    memory packed(const std::vector<float> &values, const memory::desc &wanted,
        const std::vector<float> &scales) {
        const memory::dims dims = wanted.get_dims();
        const memory plain = filled_memory(engine, {dims, type::f32, tag::ab}, values);
        const memory to(wanted, engine);
        dnnl::primitive_attr attr;
        program::arguments args {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, to}};
        if (int8) {
            attr.set_scales_mask(DNNL_ARG_DST, 1 << 1);
            args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] =
                filled_memory(engine, vector_desc(dims[1], type::f32), scales);
        }
        dnnl::stream stream(engine);
        dnnl::reorder({engine, plain.get_desc(), engine, wanted, attr}).execute(stream, args);
        stream.wait();
        weight_bytes += std::int64_t(wanted.get_size());
        return to;
    }

    memory::desc any_weights(memory::dim rows, memory::dim columns) const {
        return {{rows, columns}, int8 ? type::s8 : type::f32, tag::any};
    }

    /// to = from x weights + bias, through a gelu if wanted.
    void add_product(program &steps, const memory &from, float range_from,
        const std::vector<float> &weights, const std::vector<float> &bias, const memory &to,
        float range_to, bool gelu) {
        const memory::dim K = from.get_desc().get_dims()[1], N = to.get_desc().get_dims()[1];
        dnnl::primitive_attr attr;
        program::arguments args {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to},
            {DNNL_ARG_BIAS, filled_memory(engine, {{1, N}, type::f32, tag::ab}, bias)}};
        std::vector<float> scales;
        if (int8) {
            scales = column_scales(weights, int(N));
            attr.set_scales_mask(DNNL_ARG_SRC, 0);
            attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
            attr.set_scales_mask(DNNL_ARG_DST, 0);
            args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC] = scalar_memory(engine, scale_of(range_from));
            args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] =
                filled_memory(engine, vector_desc(N, type::f32), scales);
            args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = scalar_memory(engine, scale_of(range_to));
        }
        if (gelu) {
            dnnl::post_ops ops;
            ops.append_eltwise(algorithm::eltwise_gelu_erf, 0, 0);
            attr.set_post_ops(ops);
        }
        const dnnl::matmul::primitive_desc pd(engine, from.get_desc(), any_weights(K, N),
            {{1, N}, type::f32, tag::ab}, to.get_desc(), attr);
        args[DNNL_ARG_WEIGHTS] = packed(weights, pd.weights_desc(), scales);
        steps.add(dnnl::matmul(pd), args);
    }

    /// The part of a sum over all parts; the scales of its weights are those of whole columns.
    void add_partial_product(program &steps, const memory &from, const std::vector<float> &weights,
        const std::vector<float> &all_weights, int columns) {
        const dnnl::matmul::primitive_desc pd(engine, from.get_desc(),
            any_weights(from.get_desc().get_dims()[1], columns), partial.get_desc());
        steps.add(dnnl::matmul(pd),
            {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, partial},
                {DNNL_ARG_WEIGHTS,
                    packed(weights, pd.weights_desc(),
                        int8 ? column_scales(all_weights, columns) : std::vector<float>())}});
    }

    /// tokens x width as a matrix for each head.
    memory by_head(const memory &rows, bool transposed) const {
        const memory::dim T = shape.tokens, d = shape.head_channels();
        const memory::dims dims =
            transposed ? memory::dims {heads, d, T} : memory::dims {heads, T, d};
        const memory::dims strides =
            transposed ? memory::dims {d, 1, width} : memory::dims {d, width, 1};
        return {{dims, rows.get_desc().get_data_type(), strides}, engine, rows.get_data_handle()};
    }

    void add_attention() {
        const memory::dim T = shape.tokens;
        const memory scores({{heads, T, T}, type::f32, tag::abc}, engine);
        const memory shares({{heads, T, T}, int8 ? type::u8 : type::f32, tag::abc}, engine);
        const float largest_share = 1.f / 255;
        dnnl::primitive_attr for_scores, for_softmax, for_mixed;
        dnnl::post_ops ops;
        ops.append_eltwise(
            algorithm::eltwise_linear, 1 / std::sqrt(float(shape.head_channels())), 0);
        for_scores.set_post_ops(ops);
        program::arguments score_args {{DNNL_ARG_SRC, by_head(query, false)},
            {DNNL_ARG_WEIGHTS, by_head(key, true)}, {DNNL_ARG_DST, scores}};
        program::arguments softmax_args {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, shares}};
        program::arguments mixed_args {{DNNL_ARG_SRC, shares},
            {DNNL_ARG_WEIGHTS, by_head(value, false)}, {DNNL_ARG_DST, by_head(mixed, false)}};
        const auto scale = [&](dnnl::primitive_attr &attr, program::arguments &args, int arg,
                               float by) {
            if (!int8) return;
            attr.set_scales_mask(arg, 0);
            args[DNNL_ARG_ATTR_SCALES | arg] = scalar_memory(engine, by);
        };
        scale(for_scores, score_args, DNNL_ARG_SRC, scale_of(of.query));
        scale(for_scores, score_args, DNNL_ARG_WEIGHTS, scale_of(of.key));
        scale(for_softmax, softmax_args, DNNL_ARG_DST, largest_share);
        scale(for_mixed, mixed_args, DNNL_ARG_SRC, largest_share);
        scale(for_mixed, mixed_args, DNNL_ARG_WEIGHTS, scale_of(of.value));
        scale(for_mixed, mixed_args, DNNL_ARG_DST, scale_of(of.mixed));
        const auto desc_in = [](const program::arguments &args, int arg) {
            return args.at(arg).get_desc();
        };
        attending.add(dnnl::matmul({engine, desc_in(score_args, DNNL_ARG_SRC),
                          desc_in(score_args, DNNL_ARG_WEIGHTS), scores.get_desc(), for_scores}),
            score_args);
        attending.add(
            dnnl::softmax_forward({engine, prop_kind::forward_inference,
                algorithm::softmax_accurate, scores.get_desc(), shares.get_desc(), 2, for_softmax}),
            softmax_args);
        attending.add(
            dnnl::matmul({engine, shares.get_desc(), desc_in(mixed_args, DNNL_ARG_WEIGHTS),
                desc_in(mixed_args, DNNL_ARG_DST), for_mixed}),
            mixed_args);
    }

    /// to = normalized(before + scale x partial + bias), the scale of a column being that of what
    /// the product read times that of its weights.
    void add_normalization(program &steps, const memory &before, float range_read,
        const std::vector<float> &weights, const std::vector<float> &bias, const memory &to) {
        const memory::dim C = shape.channels;
        std::vector<float> scales(std::size_t(C), 1.f);
        if (int8) scales = column_scales(weights, int(C));
        for (float &s : scales) s *= int8 ? scale_of(range_read) : 1;
        const memory::desc row({1, C}, type::f32, tag::ab), rows = to.get_desc();
        dnnl::post_ops ops;
        ops.append_binary(algorithm::binary_add, row);
        ops.append_binary(algorithm::binary_add, rows);
        dnnl::primitive_attr attr;
        attr.set_post_ops(ops);
        const memory sum(rows, engine);
        steps.add(
            dnnl::binary({engine, algorithm::binary_mul, partial.get_desc(), row, rows, attr}),
            {{DNNL_ARG_SRC_0, partial}, {DNNL_ARG_SRC_1, filled_memory(engine, row, scales)},
                {DNNL_ARG_DST, sum},
                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                    filled_memory(engine, row, bias)},
                {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, before}});
        steps.add(dnnl::layer_normalization_forward({engine, prop_kind::forward_inference, rows,
                      rows, epsilon, dnnl::normalization_flags::none}),
            {{DNNL_ARG_SRC, sum}, {DNNL_ARG_DST, to}});
    }

    dnnl::engine engine;
    block_shape shape;
    bool int8;
    memory::dim heads, width, hidden_width; // of this part
    block_ranges of;
    memory x, source, query, key, value, mixed, middle, middle_stored, hidden, partial, result;
    program attending, feeding, widening, finishing;
    double repeated = 0;
    std::int64_t weight_bytes = 0;
};

block_part::block_part(const dnnl::engine &engine, const block_shape &shape,
    const block_weights &weights, int part, int parts, const block_ranges *ranges)
    : state_(std::make_unique<state>(engine, shape, weights, part, parts, ranges)) {}

block_part::~block_part() = default;

void block_part::attend(dnnl::stream &stream, const memory &x) {
    const auto *from = static_cast<const float *>(x.get_data_handle());
    std::copy_n(from, std::size_t(state_->shape.tokens) * std::size_t(state_->shape.channels),
        static_cast<float *>(state_->x.get_data_handle()));
    state_->attending.run(stream);
}

void block_part::feed_forward(dnnl::stream &stream) {
    const int8_accuracy::timer clock;
    state_->feeding.run(stream);
    state_->repeated = clock.seconds();
    state_->widening.run(stream);
}

const memory &block_part::finish(dnnl::stream &stream) {
    const int8_accuracy::timer clock;
    state_->finishing.run(stream);
    state_->repeated += clock.seconds();
    return state_->result;
}

const memory &block_part::partial_sum() const { return state_->partial; }

block_ranges block_part::seen() const {
    return {largest(state_->x), largest(state_->query), largest(state_->key),
        largest(state_->value), largest(state_->mixed), largest(state_->middle),
        largest(state_->hidden)};
}

double block_part::repeated_seconds() const { return state_->repeated; }

std::int64_t block_part::weight_bytes() const { return state_->weight_bytes; }

} // namespace distributed
