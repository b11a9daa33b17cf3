// SPDX-License-Identifier: Apache-2.0
// Makes the weights of a translator. The states have two parts:
// - the content, three quarters: random weights, as dense as learned ones, so that each word leaves
//   a vector of its own, mixed with what the words before it left;
// - the clock, one quarter: pairs of units, each turned by an angle of its own at every word, so
//   that the states of any two places differ. In the encoder, particles stop it. Decoder and
//   encoder have the same clock, and the attention compares nothing else: the decoder looks at the
//   stems one after the other. The last unit of the clock says whether a word is a particle.
// What the states cannot be made to be is measured: the scale of the attention, and the rows of
// the projection, from the states that each word leaves in a network that is run on it alone.
#include "network.hpp"

#include "lstm_stack.hpp"

#include <cmath>

namespace nmt {

namespace {

struct layout {
    explicit layout(int hidden)
        : hidden(std::size_t(hidden)), content(std::size_t(hidden - hidden / 4)) {}
    std::size_t hidden, content;                       // the clock begins behind the content
    std::size_t flag() const { return hidden - 1; }    // of particles
    std::size_t turning() const { return hidden - 2; } // the end of the pairs
};

constexpr double embedding = .35, state = .6; // usual magnitudes of their elements
enum gate { in, forget, candidate, out };

/// One layer's weights by row, gate and column.
struct layer_builder {
    explicit layer_builder(std::size_t hidden)
        : hidden(hidden), of {std::vector<float>(hidden * 4 * hidden),
                              std::vector<float>(hidden * 4 * hidden),
                              std::vector<float>(4 * hidden)} {}
    float &layer(std::size_t i, gate g, std::size_t o) {
        return of.layer[(i * 4 + std::size_t(g)) * hidden + o];
    }
    float &iter(std::size_t i, gate g, std::size_t o) {
        return of.iter[(i * 4 + std::size_t(g)) * hidden + o];
    }
    float &bias(gate g, std::size_t o) { return of.bias[std::size_t(g) * hidden + o]; }

    std::size_t hidden;
    lstm_weights of;
};

void add_content(layer_builder &to, const layout &l, bool first, examples::random_source &random) {
    const double of_input = 1 / ((first ? embedding : state) * std::sqrt(double(l.content))),
                 of_state = .25 / (state * std::sqrt(double(l.content)));
    for (std::size_t i = 0; i < l.content; ++i)
        for (const gate g : {in, forget, candidate, out})
            for (std::size_t o = 0; o < l.content; ++o) {
                to.layer(i, g, o) = float((g == candidate ? 1 : .5) * of_input * random.normal());
                to.iter(i, g, o) = float(of_state * random.normal());
            }
    for (std::size_t o = 0; o < l.content; ++o) {
        to.bias(in, o) = to.bias(out, o) = 2;
        to.bias(forget, o) = -2; // a little of the words before stays
    }
}

/// Gates of the clock stand open or closed; where the flag is set they stand the other way around.
void add_clock(layer_builder &to, const layout &l, bool first, bool last) {
    constexpr double pi = 3.141592653589793;
    constexpr float open = 6, turned = 12, gain = 1.5f, raised_flag = .76f;
    for (std::size_t o = l.content; o < l.hidden; ++o) {
        to.bias(in, o) = to.bias(out, o) = open;
        to.bias(forget, o) = -open;
    }
    to.layer(l.flag(), candidate, l.flag()) = first ? 3 : gain;
    const double pairs = double(l.turning() - l.content) / 2;
    examples::random_source random(5);
    for (std::size_t o = l.content; o < l.turning(); o += 2) {
        const double angle = pi * (double(o - l.content) / 2 + .5) / pairs;
        for (std::size_t k = o; k < o + 2; ++k) {
            if (first) {
                to.iter(k, candidate, k) = float(gain * std::cos(angle));
                to.iter(k, candidate, k ^ 1) = float((k % 2 ? -1 : 1) * gain * std::sin(angle));
                to.bias(candidate, k) = float(.3 * random.normal());
                to.layer(l.flag(), in, k) = -turned;
                to.layer(l.flag(), forget, k) = turned;
            } else {
                to.layer(k, candidate, k) = gain;
                if (last) to.layer(l.flag(), out, k) = -turned / raised_flag;
            }
        }
    }
}

std::vector<lstm_weights> make_layers(const sizes &size, int seed) {
    const layout l(size.hidden);
    examples::random_source random(static_cast<std::uint64_t>(seed));
    std::vector<lstm_weights> layers;
    for (int i = 0; i < size.layers; ++i) {
        layer_builder builder(l.hidden);
        add_content(builder, l, i == 0, random);
        add_clock(builder, l, i == 0, i == size.layers - 1);
        layers.push_back(builder.of);
    }
    return layers;
}

float bounded(double value) { return float(std::fmax(-1, std::fmin(1, value))); }

/// The states that each word of a table leaves in the highest layer, from the state zero.
std::vector<float> states_of_words(const dnnl::engine &cpu, const std::vector<lstm_weights> &layers,
    const std::vector<float> &table, std::size_t hidden) {
    const std::size_t words = table.size() / hidden, most = std::min<std::size_t>(words, 512);
    const stack_weights weights(
        cpu, number::f32, first_layer::embeddings, memory::dim(hidden), layers, memory::dim(most));
    lstm_stack stack(weights, memory::dim(most), true);
    dnnl::stream s(cpu);
    std::vector<float> states(table.size());
    for (std::size_t begin = 0; begin < words; begin += most) {
        const std::size_t rows = std::min(most, words - begin);
        std::copy_n(&table[begin * hidden], rows * hidden,
            static_cast<float *>(stack.input().get_data_handle()));
        stack.clear();
        stack.step(s, memory::dim(rows));
        s.wait();
        std::copy_n(static_cast<const float *>(stack.top().get_data_handle()), rows * hidden,
            &states[begin * hidden]);
    }
    return states;
}

/// Scales the attention so that the place sought is worth `peak` more than no place at all.
void fit_attention(const dnnl::engine &cpu, network &n, double peak) {
    const layout l(n.size.hidden);
    const stack_weights weights(
        cpu, number::f32, first_layer::embeddings, n.size.hidden, n.decoder, 1);
    lstm_stack stack(weights, 1, true);
    stack.clear();
    clear_states(stack.input());
    dnnl::stream s(cpu);
    double squares = 0;
    constexpr int steps = 40;
    for (int t = 0; t < steps; ++t) {
        stack.step(s, 1);
        s.wait();
        const auto *top = static_cast<const float *>(stack.top().get_data_handle());
        for (std::size_t k = l.content; k < l.turning(); ++k) squares += top[k] * top[k] / steps;
    }
    n.attention.assign(l.hidden * l.hidden, 0.f);
    for (std::size_t k = l.content; k < l.turning(); ++k)
        n.attention[k * l.hidden + k] = float(peak / squares);
}

/// The part of `mixed` that comes of states at one half of [context, decoder's state].
std::vector<float> mixed(
    const dnnl::engine &cpu, const network &n, std::vector<float> states, std::size_t half) {
    const std::size_t hidden = std::size_t(n.size.hidden);
    std::vector<float> weights(n.combine.begin() + long(half * hidden * hidden),
        n.combine.begin() + long((half + 1) * hidden * hidden));
    std::vector<float> sums(states.size());
    const product of(
        cpu, number::f32, weights, n.size.hidden, n.size.hidden, 512, {dt::f32, true, nullptr});
    const memory::desc md({memory::dim(states.size() / hidden), n.size.hidden}, dt::f32, tag::ab);
    dnnl::stream s(cpu);
    product(of).execute(s, memory(md, cpu, states.data()), memory(md, cpu, sums.data()));
    s.wait();
    return sums;
}

/// The direction in which words of the second gender lie from those of the first, as a row of the
/// projection by which the two means get +- 1; `centre` is subtracted.
struct direction {
    std::vector<double> along;
    double centre = 0;
};

direction between_genders(
    const std::vector<float> &states, const language &of, std::size_t hidden, std::size_t begin) {
    std::vector<double> mean[2] {std::vector<double>(hidden), std::vector<double>(hidden)};
    int count[2] {};
    for (int w = 0; w < of.vocabulary(); ++w) {
        const int g = of.gender(w);
        ++count[g];
        for (std::size_t k = begin; k < hidden; ++k)
            mean[g][k] += states[std::size_t(w) * hidden + k];
    }
    direction d {std::vector<double>(hidden)};
    double squares = 0;
    for (std::size_t k = begin; k < hidden; ++k) {
        const double a = mean[0][k] / count[0], b = mean[1][k] / std::max(1, count[1]);
        d.along[k] = b - a;
        d.centre += (b - a) * (b + a) / 2;
        squares += (b - a) * (b - a);
    }
    for (double &x : d.along) x *= 2 / squares;
    d.centre *= 2 / squares;
    return d;
}

/// Rows that answer with `peak` to the state of the source's word and with +- `agreement` to the
/// gender of the word before.
void fit_projection(const dnnl::engine &cpu, const language &of, network &n) {
    constexpr double peak = 20, agreement = 2.5;
    const layout l(n.size.hidden);
    const std::vector<float> sources =
        mixed(cpu, n, states_of_words(cpu, n.encoder, n.source_embeddings, l.hidden), 0);
    const direction gender = between_genders(
        mixed(cpu, n, states_of_words(cpu, n.decoder, n.target_embeddings, l.hidden), 1), of,
        l.hidden, l.content);
    n.output.assign(n.target_embeddings.size(), 0.f);
    n.output_bias.assign(std::size_t(n.size.vocabulary), 0.f);
    const auto fit = [&](int target, int source, double sign) {
        const float *state = &sources[std::size_t(source) * l.hidden];
        float *row = &n.output[std::size_t(target) * l.hidden];
        double squares = 0;
        for (std::size_t k = 0; k < l.content; ++k) squares += state[k] * state[k];
        for (std::size_t k = 0; k < l.content; ++k) row[k] = float(peak * state[k] / squares);
        for (std::size_t k = l.content; k < l.hidden; ++k)
            row[k] = float(sign * agreement * gender.along[k]);
        n.output_bias[std::size_t(target)] = float(-sign * agreement * gender.centre);
    };
    fit(0, 0, 0);
    for (int stem = 1; stem <= of.stems(); ++stem)
        for (const int form : {0, 1}) fit(of.form(stem, form), stem, form ? 1 : -1);
}

/// Content at random, the flag of particles, and a common shift for each gender.
void draw_embeddings(const language &of, network &n) {
    const layout l(n.size.hidden);
    examples::random_source random(3);
    std::vector<double> shift(l.content);
    // Narrow and deep networks blur the genders more; at 0.15, 384 numbers and 2 layers some 1 % of
    // the words get the other form.
    const double usual = .15 * std::sqrt(384. / double(l.content)) * n.size.layers / 2;
    for (double &x : shift) x = usual * random.normal();
    n.source_embeddings.assign(std::size_t(n.size.vocabulary) * l.hidden, 0.f);
    n.target_embeddings = n.source_embeddings;
    for (int w = 0; w < n.size.vocabulary; ++w) {
        const std::size_t row = std::size_t(w) * l.hidden;
        for (std::size_t k = 0; k < l.content; ++k) {
            n.source_embeddings[row + k] = bounded(embedding * random.normal());
            n.target_embeddings[row + k] =
                bounded(embedding * random.normal() + (of.gender(w) ? shift[k] : -shift[k]));
        }
        n.source_embeddings[row + l.flag()] = of.is_particle(w) ? 1 : 0;
    }
}

void draw_combine(network &n) {
    const layout l(n.size.hidden);
    examples::random_source random(4);
    const double usual = 1 / (state * std::sqrt(double(l.content)));
    n.combine.assign(2 * l.hidden * l.hidden, 0.f);
    for (std::size_t k = 0; k < l.content; ++k) {
        float *of_context = &n.combine[k * l.hidden],
              *of_state = &n.combine[(l.hidden + k) * l.hidden];
        for (std::size_t o = 0; o < l.hidden; ++o)
            (o < l.content ? of_context : of_state)[o] = float(usual * random.normal());
    }
}

} // namespace

network make_network(const dnnl::engine &cpu, const language &of, const sizes &size) {
    network n;
    n.size = size;
    draw_embeddings(of, n);
    n.encoder = make_layers(size, 1);
    n.decoder = make_layers(size, 2);
    draw_combine(n);
    fit_attention(cpu, n, 30);
    fit_projection(cpu, of, n);
    return n;
}

} // namespace nmt
