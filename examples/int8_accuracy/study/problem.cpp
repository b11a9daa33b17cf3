// SPDX-License-Identifier: Apache-2.0
// Finds data for a network, or a network for data, and settings that train it.
#include "problem.hpp"

#include "../data/colour_images.hpp"
#include "../data/digits.hpp"
#include "../data/idx.hpp"
#include "../data/image_folder.hpp"
#include "../data/sequence_task.hpp"
#include "../data/text.hpp"
#include "../networks/network_text.hpp"
#include "../networks/zoo.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

constexpr int text_length = 64; // characters of a sequence

bool is_known(const std::string &name) {
    const auto &all = known_networks();
    return std::any_of(
        all.begin(), all.end(), [&](const zoo_entry &each) { return name == each.name; });
}

data_split digits(const problem_choice &choice) {
    const int training = choice.quick ? 2560 : 8000, held_out = choice.quick ? 640 : 2000;
    return split(draw_digits(training + held_out, choice.seed), training, choice.seed,
        fmt::format("drawn digits, seed {}", choice.seed));
}

data_split colour_images(const problem_choice &choice) {
    const int training = choice.quick ? 1280 : 12000, held_out = choice.quick ? 320 : 2000;
    data_split drawn = split(draw_colour_images(training + held_out, choice.seed), training,
        choice.seed, fmt::format("drawn colour images, seed {}", choice.seed));
    drawn.class_names = colour_image_names();
    return drawn;
}

data_split sequences(const problem_choice &choice) {
    return choice.quick ? draw_sequences(1280, 320, choice.seed)
                        : draw_sequences(12000, 1500, choice.seed);
}

data_split text(const problem_choice &choice, int length) {
    if (!choice.text.empty()) return read_text(choice.text, length, choice.seed);
    return drawn_text(choice.quick ? 100000 : 600000, length, choice.seed);
}

/// The user's data; none if there are none.
std::optional<data_split> given_data(const problem_choice &choice, int length) {
    if (!choice.idx.empty()) return read_idx_folder(choice.idx, choice.seed);
    if (!choice.images.empty()) return read_image_folder(choice.images, choice.seed);
    if (!choice.text.empty()) return text(choice, length);
    return std::nullopt;
}

/// The shape of the objects that a network reads, without the channels of positions.
object_shape objects_of(const network &net) {
    object_shape shape = net.input();
    if (net.positions) shape.channels -= shape.length;
    return shape;
}

std::string words(const object_shape &shape) {
    if (shape.sequence())
        return fmt::format("sequences of {} tokens out of {}", shape.length, shape.channels);
    return fmt::format("images of {} x {} x {}", shape.channels, shape.height, shape.width);
}

/// The data of the program that a network in a file fits.
data_split own_data(const network &net, const problem_choice &choice) {
    const object_shape shape = objects_of(net);
    if (shape == object_shape {1, 28, 28}) return digits(choice);
    if (shape == object_shape {3, 32, 32}) return colour_images(choice);
    if (shape == object_shape {24, 1, 1, 32}) return sequences(choice);
    if (shape.sequence()) return text(choice, shape.length);
    throw std::runtime_error(
        fmt::format("{}:{}: it reads {}, and the program has none: give --idx or --images",
            choice.network, net.layers.front().line, words(shape)));
}

void check_fit(const network &net, const dataset &objects, const std::string &file) {
    const object_shape shape = objects_of(net);
    if (shape != objects.of)
        throw std::runtime_error(fmt::format("{}:{}: it reads {}, but the data are {}", file,
            net.layers.front().line, words(shape), words(objects.of)));
    const layer &last = net.layers.back();
    if (net.labels() != objects.labels_per_object)
        throw std::runtime_error(
            fmt::format("{}:{}: it gives {} answers for each object, but the data have {} labels",
                file, last.line, net.labels(), objects.labels_per_object));
    if (net.classes() != objects.classes)
        throw std::runtime_error(fmt::format("{}:{}: it gives {} classes, but the data have {}",
            file, last.line, net.classes(), objects.classes));
}

data_split data_of_known(const std::string &name, const problem_choice &choice) {
    if (name == "digits") return digits(choice);
    if (name == "characters") return text(choice, text_length);
    if (name == "transformer") return sequences(choice);
    return colour_images(choice);
}

/// The network for data that have none.
std::string usual_network(const problem_choice &choice) {
    if (!choice.images.empty()) return "residual";
    return choice.text.empty() ? "digits" : "characters";
}

/// Images: momentum; sequences: Adam with gradients of limited length (Pascanu et al., 2013).
training_settings settings_for(const problem &of, const problem_choice &choice) {
    training_settings settings;
    const bool normalized = of.net.has(layer_kind::normalization);
    if (of.net.input().sequence()) {
        settings.epochs = of.kind == score_kind::bits_per_character ? 7 : 12;
        settings.rate = of.net.has(layer_kind::lstm) ? .004f : .002f;
        settings.update.adam = true;
        settings.update.largest_norm = 1;
    } else {
        settings.epochs = 10;
        settings.rate = normalized ? .1f : .02f;
        settings.moves.largest_shift = normalized ? 3 : 1;
        settings.moves.mirror = of.net.input().channels == 3 && choice.images.empty();
        if (normalized) settings.update.decay = 5e-4f;
    }
    if (choice.quick) settings.epochs = 3;
    if (choice.epochs > 0) settings.epochs = choice.epochs;
    settings.batch = std::min(settings.batch, of.data.training.count());
    settings.seed = choice.seed + 1;
    return settings;
}

/// A quick run takes the first objects of the user's data, too.
void shorten(dataset &objects, int most) {
    if (objects.count() > most)
        objects = select(objects, shuffled_indices(objects.count(), 1), 0, most);
}

} // namespace

problem problem_of(const problem_choice &choice) {
    const std::string name = choice.network.empty() ? usual_network(choice) : choice.network;
    problem found;
    if (is_known(name)) {
        auto data = given_data(choice, text_length);
        found.data = data ? *std::move(data) : data_of_known(name, choice);
        found.net = known_network(name, found.data.training.of, found.data.training.classes);
    } else {
        found.net = read_network(name);
        auto data = given_data(choice, std::max(1, found.net.input().length));
        found.data = data ? *std::move(data) : own_data(found.net, choice);
        check_fit(found.net, found.data.training, name);
    }
    if (choice.quick) {
        shorten(found.data.training, 2560);
        shorten(found.data.held_out, 640);
    }
    const bool sequences = found.net.input().sequence();
    if (!sequences) found.how = measure_encoding(found.data.training);
    found.how.positions = found.net.positions;
    const dataset &objects = found.data.training;
    if (sequences && objects.labels_per_object == objects.of.length &&
        objects.classes == objects.of.channels)
        found.kind =
            score_kind::bits_per_character; // each token is to be guessed from those before
    found.training = settings_for(found, choice);
    return found;
}

} // namespace int8_accuracy
