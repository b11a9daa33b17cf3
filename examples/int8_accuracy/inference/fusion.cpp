// SPDX-License-Identifier: Apache-2.0
// Finds adds and activations that can be part of the product before them.
#include "fusion.hpp"

#include <algorithm>
#include <stdexcept>

namespace int8_accuracy {

namespace {

class fuser {
  public:
    explicit fuser(const network &net) : net_(net), taken_(net.layers.size()) {}

    std::vector<fused_step> steps() {
        for (int l = int(net_.layers.size()) - 1; l > 0; --l) // later products take an add first
            if (!taken_[l] && multiplies(net_.layers[l].kind)) steps_.push_back(step_from(l));
        for (int l = 1; l < int(net_.layers.size()); ++l)
            if (!taken_[l]) steps_.push_back(step_from(l));
        const auto earlier = [](const fused_step &a, const fused_step &b) {
            return a.last < b.last;
        };
        std::sort(steps_.begin(), steps_.end(), earlier);
        return steps_;
    }

  private:
    /// The only layer that reads l and is not part of a step yet, or -1.
    int only_reader(int l) const {
        if (net_.readers(l) != 1) return -1;
        for (int r = l + 1; r < int(net_.layers.size()); ++r) {
            const std::vector<int> &from = net_.layers[r].from;
            if (std::find(from.begin(), from.end(), l) != from.end()) return taken_[r] ? -1 : r;
        }
        return -1;
    }

    void take(int l, fused_step &step) {
        taken_[l] = true;
        step.last = l;
    }

    fused_step step_from(int l) {
        const layer &of = net_.layers[l];
        if (of.kind == layer_kind::normalization)
            throw std::invalid_argument("normalizations have to be folded before inference");
        fused_step step;
        step.first = l;
        take(l, step);
        if (of.kind != layer_kind::convolution && of.kind != layer_kind::dense) return step;
        int next = only_reader(l);
        if (next >= 0 && net_.layers[next].kind == layer_kind::add) {
            const std::vector<int> &from = net_.layers[next].from;
            step.addend = from[0] == l ? from[1] : from[0];
            take(next, step);
            next = only_reader(next);
        }
        if (next < 0) return step;
        const layer_kind kind = net_.layers[next].kind;
        if (kind != layer_kind::relu && kind != layer_kind::gelu) return step;
        step.activation = next;
        take(next, step);
        return step;
    }

    const network &net_;
    std::vector<bool> taken_;
    std::vector<fused_step> steps_;
};

} // namespace

std::vector<fused_step> fused_steps(const network &net) { return fuser(net).steps(); }

std::vector<int> sources_of(const network &net, const fused_step &step) {
    std::vector<int> all = net.layers[step.first].from;
    if (step.addend >= 0) all.push_back(step.addend);
    return all;
}

} // namespace int8_accuracy
