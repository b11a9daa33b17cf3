// SPDX-License-Identifier: Apache-2.0
// Sensitivity of layers, and a greedy search for the best mixed assignment.
#include "search.hpp"

#include <algorithm>
#include <numeric>

namespace int8_accuracy {

std::vector<sensitivity> sensitivities(
    const judge &by, const layer_format &narrow, const std::function<void(int, int)> &done) {
    std::vector<sensitivity> found;
    const int products = by.products();
    for (int p = 0; p < products; ++p) {
        assignment alone(products), all_but(products, narrow);
        alone[p] = narrow;
        all_but[p] = {};
        sensitivity each;
        each.alone = score_of(by.answered(alone), by.kind());
        each.all_but = score_of(by.answered(all_but), by.kind());
        found.push_back(each);
        done(p + 1, products);
    }
    return found;
}

std::vector<rung> ladder(const judge &by, const layer_format &narrow) {
    layer_format wide = narrow, brain;
    wide.source_bits = wide.weight_bits = 16;
    wide.dynamic = false;
    brain.kind = number_kind::bf16;
    std::vector<rung> rungs {{"int8", narrow}, {"s16", wide}, {"bf16", brain}, {"f32", {}}};
    std::erase_if(rungs, [&](const rung &each) {
        try {
            by.answered(assignment(by.products(), each.format));
            return false;
        } catch (const dnnl::error &refusal) {
            if (refusal.status != dnnl_unimplemented) throw;
            return true;
        }
    });
    return rungs;
}

namespace {

double mean_loss(const answers &given) {
    return std::accumulate(given.losses.begin(), given.losses.end(), 0.) /
           double(given.losses.size());
}

assignment formats_of(const std::vector<rung> &rungs, const std::vector<std::size_t> &heights) {
    assignment formats;
    for (std::size_t height : heights) formats.push_back(rungs[height].format);
    return formats;
}

/// The product whose next rung lowers the mean loss most for each multiplication; a step that
/// lowers nothing counts by its multiplications alone, so that the search always goes on.
std::size_t best_step(const judge &by, const std::vector<double> &costs,
    const std::vector<rung> &rungs, const std::vector<std::size_t> &heights, double loss) {
    std::size_t best = heights.size();
    double most = 0;
    for (std::size_t p = 0; p < heights.size(); ++p) {
        if (heights[p] + 1 == rungs.size()) continue;
        std::vector<std::size_t> tried = heights;
        ++tried[p];
        const double won = loss - mean_loss(by.answered(formats_of(rungs, tried)));
        const double value = std::max(won, 1e-9) / costs[p];
        if (best == heights.size() || value > most) {
            best = p;
            most = value;
        }
    }
    return best;
}

} // namespace

found_assignment best_assignment(
    const judge &by, const network &net, const std::vector<rung> &rungs, double allowed) {
    std::vector<double> costs;
    for (int l : net.products()) costs.push_back(multiplications(net.layers[l]));
    std::vector<std::size_t> heights(costs.size(), 0);
    for (;;) {
        const answers given = by.answered(formats_of(rungs, heights));
        const score found = score_of(given, by.kind());
        const bool enough = loss_of(found, by.exact_score(), by.kind()) <= allowed;
        const std::size_t step =
            enough ? heights.size() : best_step(by, costs, rungs, heights, mean_loss(given));
        if (step < heights.size()) {
            ++heights[step];
            continue;
        }
        found_assignment result {formats_of(rungs, heights), {}, found};
        for (std::size_t height : heights) result.names.push_back(rungs[height].name);
        return result;
    }
}

} // namespace int8_accuracy
