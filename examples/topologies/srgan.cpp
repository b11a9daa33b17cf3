// SPDX-License-Identifier: Apache-2.0
// The generator of SRGAN (Ledig et al., 2016): 16 residual blocks and two pixel shuffles, by which
// the picture becomes four times as high and as wide.
#include "networks.hpp"

#include <stdexcept>

namespace topologies {

graph srgan(const network_size &size) {
    graph g("srgan", "images", size.batch);
    const dim result = size.image ? size.image : size.quick ? 64 : 384;
    if (result % 4 != 0)
        throw std::invalid_argument(
            "srgan: " + std::to_string(result) +
            " is no multiple of 4, by which two pixel shuffles enlarge a picture");
    int x = g.input({size.batch, 3, result / 4, result / 4});
    const int first = x = g.convolve(x, 64, same(9), {.after = activation::prelu});
    for (int i = 0; i < (size.quick ? 2 : 16); ++i) {
        const int inner = g.convolve(x, 64, same(3), {.after = activation::prelu});
        x = g.convolve(inner, 64, same(3), {.addend = x, .gain = .4f});
    }
    x = g.convolve(x, 64, same(3), {.addend = first});
    for (int i = 0; i < 2; ++i)
        x = g.convolve(x, 256, same(3), {.after = activation::prelu, .shuffles = true});
    g.convolve(x, 3, same(9), {.after = activation::tanh, .gain = .3f, .real = true});
    return g;
}

} // namespace topologies
