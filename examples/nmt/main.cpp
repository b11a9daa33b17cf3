// SPDX-License-Identifier: Apache-2.0
// Translates by LSTMs with attention and a beam search. See --help and doc/translation.md.
#include "figures.hpp"

#include <cstdio>
#include <exception>

namespace nmt {

task make_task(const options &o) {
    task t {language(o.size.vocabulary), {}, {}};
    t.sources = draw_sentences(t.of, o.sentences, o.longest);
    for (const words &source : t.sources) t.right.push_back(t.of.translate(source));
    return t;
}

std::vector<contestant> make_contestants(const engine &cpu, const network &n, const options &o) {
    std::vector<contestant> all;
    for (const number kind : o.types) {
        try {
            all.push_back(
                {kind, std::make_unique<model>(cpu, n, kind, true, o.batch, o.beam), {}, {}});
        } catch (const dnnl::error &error) {
            if (error.status != dnnl_unimplemented || kind == number::f32) throw;
            std::printf("%s is left out: %s\n", name_of(kind), error.what());
        }
    }
    return all;
}

void translate_in_turns(std::vector<contestant> &all, const task &t, const options &o) {
    const int rounds = o.timed ? o.rounds : 1;
    std::vector<std::unique_ptr<translator>> translators;
    for (contestant &one : all)
        translators.push_back(
            std::make_unique<translator>(*one.of, translating {o.batch, o.beam, true, o.threads}));
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].found = translators[i]->translate(t.sources);
            all[i].rounds.push_back(translators[i]->spent());
        }
}

namespace {

int run(const options &o) {
    const engine cpu(engine::kind::cpu, 0);
    techniques::claims c(o.timed, o.json);
    const task t = make_task(o);
    std::printf("%d sentences, %d x %d wide, %d words, beam %d, batch %d\n", o.sentences,
        o.size.layers, o.size.hidden, o.size.vocabulary, o.beam, o.batch);
    claim_fusion(cpu, c);
    techniques::claim_waste(c, techniques::corpus(160000));
    claim_search(c);
    std::vector<contestant> all = make_contestants(cpu, make_network(cpu, t.of, o.size), o);
    translate_in_turns(all, t, o);
    claim_quality(all, t, o, c);
    claim_speed(all, o, c);
    for (contestant &one : all) claim_equal_bits(one, t, o, c);
    return c.finish();
}

} // namespace
} // namespace nmt

int main(int count, char **arguments) {
    try {
        return nmt::run(nmt::read_options(count, arguments));
    } catch (const nmt::refused &refused) {
        std::fprintf(
            refused.status ? stderr : stdout, refused.status ? "nmt: %s\n" : "%s", refused.what());
        return refused.status;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "nmt: %s\n", failure.what());
        return 1;
    }
}
