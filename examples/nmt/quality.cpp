// SPDX-License-Identifier: Apache-2.0
// Translations compared: with the right ones, with those of f32, and of one format with itself.
#include "figures.hpp"

#include <numeric>

#include <fmt/format.h>

namespace nmt {

namespace {

struct shares {
    double sentences, words; // %
};

/// What is equal in place. Words are counted over the longer of two translations.
shares equal_shares(const std::vector<translation> &found, const std::vector<words> &wanted) {
    double sentences = 0, equal = 0, all = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const words &a = found[i].target, &b = wanted[i];
        sentences += a == b;
        all += double(std::max(a.size(), b.size()));
        for (std::size_t t = 0; t < std::min(a.size(), b.size()); ++t) equal += a[t] == b[t];
    }
    return {100 * sentences / double(found.size()), all > 0 ? 100 * equal / all : 100};
}

std::vector<words> targets(const std::vector<translation> &found) {
    std::vector<words> all;
    for (const translation &t : found) all.push_back(t.target);
    return all;
}

double sum(const std::vector<double> &values) {
    return std::accumulate(values.begin(), values.end(), 0.);
}

} // namespace

void claim_equal_bits(contestant &one, const task &t, const options &o, techniques::claims &c) {
    const std::vector<words> first(
        t.sources.begin(), t.sources.begin() + std::min<long>(o.batch, long(t.sources.size())));
    double seconds = 0;
    const auto translated = [&](bool dynamic, int threads) {
        translator of(*one.of, {o.batch, o.beam, dynamic, threads});
        std::vector<translation> found = of.translate(first);
        seconds = of.spent().total();
        return found;
    };
    const std::string name = name_of(one.kind);
    const std::vector<translation> expected = translated(true, 1);
    const double shrinking = seconds;
    c.holds("S0-31", name + ": a batch that shrinks has the bits of one that does not",
        translated(false, 1) == expected);
    if (c.timed())
        c.figure("S0-31", name + ": gain of a batch that shrinks, 1 thread", seconds / shrinking,
            "times", "", o.quick || o.batch == 1 || seconds > shrinking);
    c.holds("S0-33", name + ": 2 threads have the bits of 1", translated(true, 2) == expected);
}

void claim_quality(
    std::vector<contestant> &all, const task &t, const options &o, techniques::claims &c) {
    // The clock of narrow and of deep networks is imprecise: of those nothing is expected.
    const bool blurred = o.size.hidden < 128 || o.size.layers > 3;
    translator judge(*all[0].of, {o.batch, 1, true, o.threads});
    const std::vector<words> of_f32 = targets(all[0].found);
    double count = double(t.sources.size()); // the ends are scored, too
    for (const words &w : of_f32) count += double(w.size());
    const double expected = sum(judge.score(t.sources, of_f32)) / count;
    for (const contestant &one : all) {
        const std::string name = name_of(one.kind);
        const shares right = equal_shares(one.found, t.right);
        c.figure("S0-33", name + ": sentences that are right", right.sentences, "%", "");
        c.figure("S0-33", name + ": words that are right", right.words, "%", "",
            blurred || right.words >= 80);
        if (one.kind == number::f32) {
            c.figure("S0-33", name + ": logarithm of a word's probability", expected, "", "");
            continue;
        }
        const shares equal = equal_shares(one.found, of_f32);
        c.figure("S0-33", name + ": sentences as in f32", equal.sentences, "%", "",
            blurred || o.sentences < 24 || equal.sentences >= 75);
        c.figure("S0-33", name + ": words as in f32", equal.words, "%", "",
            blurred || equal.words >= 95);
        const double score = sum(judge.score(t.sources, targets(one.found))) / count;
        c.figure("S0-33", name + ": logarithm of a word's probability by f32", score, "", "",
            score > expected - .1);
    }
}

} // namespace nmt
