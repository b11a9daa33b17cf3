// SPDX-License-Identifier: Apache-2.0
// Five networks, each described in a file of its own.
#pragma once

#include "graph.hpp"

namespace topologies {

struct network_size {
    dim batch = 1;
    dim image = 0;      // side of a classifier's picture and of SRGAN's result; 0: the published
    bool quick = false; // small pictures, and one block where there are several
};

// Each throws std::invalid_argument if the size of the picture does not fit.
graph resnet50(const network_size &size);
graph inception_resnet(const network_size &size);
graph srgan(const network_size &size);
graph mobilenet(const network_size &size);
graph bert(const network_size &size);

struct named_network {
    const char *name, *title;
    graph (*make)(const network_size &);
    double weights;    // millions, as published; 0: not published
    double int8_bound; // dB: signal over noise of bytes against f32, 3 to 5 below what was measured
};

constexpr named_network all_networks[] = {
    {"resnet50", "ResNet-50 v1.5", resnet50, 25.5, 28},
    {"inception-resnet-v2", "Inception-ResNet-v2", inception_resnet, 55.8, 23},
    {"srgan", "SRGAN generator", srgan, 0, 16},
    {"mobilenet-v2", "MobileNet-v2", mobilenet, 3.5, 18},
    {"bert", "BERT-base encoder", bert, 85.0, 22},
};

} // namespace topologies
