// SPDX-License-Identifier: Apache-2.0
// The texts of the networks that come with the program.
#include "zoo.hpp"

#include "network_text.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

constexpr const char *digits_layers = R"(
convolution 32 kernel 3 as conv1
relu
maximum 2
convolution 64 kernel 3 as conv2
relu
maximum 2
dense 128 as ip1
relu
)";

/// Two convolutions, and around them what they read: as it is, or through a convolution of 1x1
/// where the number of channels changes (He et al., 2016).
std::string residual_block(int number, int channels, int stride) {
    std::string text =
        fmt::format("convolution {1} kernel 3 stride {2} as block{0}_a\nnormalization\nrelu\n"
                    "convolution {1} kernel 3 as block{0}_b\nnormalization as block{0}_b_normal\n",
            number, channels, stride);
    const std::string before = fmt::format("block{}", number - 1);
    if (stride == 1) {
        text += fmt::format("add {}\n", before);
    } else {
        text += fmt::format("convolution {1} kernel 1 stride {2} from {3} as block{0}_short\n"
                            "normalization\nadd block{0}_b_normal\n",
            number, channels, stride, before);
    }
    return text + fmt::format("relu as block{}\n", number);
}

std::string residual_layers() {
    return "convolution 16 kernel 3 as stem\nnormalization\nrelu as block0\n" +
           residual_block(1, 16, 1) + residual_block(2, 32, 2) + residual_block(3, 64, 2) +
           "average\n";
}

/// A convolution of each channel alone, then one of 1x1 over all of them (Howard et al., 2017).
std::string separable_block(int number, int from, int to, int stride) {
    return fmt::format("convolution {1} kernel 3 stride {3} groups {1} as depth{0}\n"
                       "normalization\nrelu\nconvolution {2} kernel 1 as point{0}\n"
                       "normalization\nrelu\n",
        number, from, to, stride);
}

std::string separable_layers() {
    return "convolution 24 kernel 3 as stem\nnormalization\nrelu\n" +
           separable_block(1, 24, 48, 2) + separable_block(2, 48, 96, 1) +
           separable_block(3, 96, 96, 2) + separable_block(4, 96, 128, 1) +
           separable_block(5, 128, 128, 1) + "average\n";
}

/// Attention and two dense layers, each around a normalization of what it reads and added to it.
std::string encoder_block(int number) {
    return fmt::format(R"(
layer_normalization as normal{0}_a
dense 64 from normal{0}_a as query{0}
dense 64 from normal{0}_a as key{0}
dense 64 from normal{0}_a as value{0}
attention query{0} key{0} value{0} heads 4
dense 64 as project{0}
add stream{1} as middle{0}
layer_normalization as normal{0}_b
dense 256 as wide{0}
gelu
dense 64 as narrow{0}
add middle{0} as stream{0}
)",
        number, number - 1);
}

std::string layers_of(const std::string &name) {
    if (name == "digits") return digits_layers;
    if (name == "residual") return residual_layers();
    if (name == "separable") return separable_layers();
    if (name == "characters") return "lstm 256 as lstm\n";
    if (name == "transformer")
        return "dense 64 as stream0\n" + encoder_block(1) + encoder_block(2) +
               "layer_normalization\n";
    throw std::invalid_argument(fmt::format("there is no network named '{}'", name));
}

} // namespace

const std::vector<zoo_entry> &known_networks() {
    static const std::vector<zoo_entry> all {
        {"digits", "two convolutions and two dense layers on grey digits of 28x28"},
        {"residual",
            "seven convolutions of 3x3 in three residual blocks on colour images of 32x32"},
        {"separable", "five pairs of depthwise and 1x1 convolutions on the same images"},
        {"characters", "an LSTM of 256 that guesses the next character of a text"},
        {"transformer", "two encoder layers of 64 channels and 4 heads on sequences of 32 tokens"},
    };
    return all;
}

network known_network(const std::string &name, const object_shape &objects, int classes) {
    const std::string layers = layers_of(name);
    const bool sequences = name == "characters" || name == "transformer";
    if (sequences != objects.sequence())
        throw std::runtime_error(fmt::format(
            "the network '{}' reads {}", name, sequences ? "sequences, not images" : "images"));
    const bool positions = name == "transformer";
    const std::string input =
        objects.sequence()
            ? fmt::format("tokens {} length {}{}", objects.channels, objects.length,
                  positions ? " positions" : "")
            : fmt::format("{} {} {}", objects.channels, objects.height, objects.width);
    network net = parse_network(
        fmt::format("input {}\n{}\ndense {} as classes\n", input, layers, classes), name);
    net.name = name;
    return net;
}

} // namespace int8_accuracy
