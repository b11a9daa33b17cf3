// SPDX-License-Identifier: Apache-2.0
// Building and running of whole networks.
#include "build.hpp"

#include "builder.hpp"

#include <algorithm>

namespace topologies {

built_network::built_network(const dnnl::engine &engine, const graph &g, precision p,
    const std::vector<float> &ranges, bool fuses_shuffles)
    : arena_(engine) {
    builder all(engine, g, p, ranges, fuses_shuffles, *this);
    for (int i = 0; i < int(g.layers.size()); ++i) all.add(i);
}

void built_network::run(dnnl::stream &stream, const watcher &after) const {
    for (const step &s : steps_) {
        s.run.execute(stream, s.args);
        if (!after) continue;
        stream.wait();
        after(s);
    }
    stream.wait();
}

void built_network::set_input(const std::vector<float> &values) {
    std::copy(values.begin(), values.end(), static_cast<float *>(input_.get_data_handle()));
}

std::vector<float> built_network::output() const {
    const memory &last = steps_.back().args.at(DNNL_ARG_DST);
    const auto *first = static_cast<const float *>(last.get_data_handle());
    return {first, first + last.get_desc().get_size() / sizeof(float)};
}

} // namespace topologies
