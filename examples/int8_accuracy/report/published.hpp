// SPDX-License-Identifier: Apache-2.0
// Published accuracies of six convolutional networks in dynamic fixed point.
#pragma once

namespace int8_accuracy {

/// Gysel, Motamedi and Ghiasi, "Hardware-oriented approximation of convolutional neural networks",
/// 2016. Bits of the layers' outputs, of the parameters of convolutions and of those of fully
/// connected layers; accuracies in percent.
struct published_row {
    const char *network;
    int output_bits, convolution_bits, dense_bits;
    double f32, fixed_point, fine_tuned;
};

constexpr const char *published_source = "Gysel et al., 2016";

constexpr published_row published_rows[] = {
    {"LeNet", 4, 4, 4, 99.1, 98.7, 99.0},
    {"LeNet", 4, 2, 2, 99.1, 98.0, 98.8},
    {"full CIFAR-10", 8, 8, 8, 81.7, 80.6, 81.4},
    {"SqueezeNet top-1", 8, 8, 8, 57.7, 55.2, 57.1},
    {"CaffeNet top-1", 8, 8, 8, 56.9, 55.8, 56.0},
    {"GoogLeNet top-1", 8, 8, 8, 68.9, 66.1, 66.6},
};

} // namespace int8_accuracy
