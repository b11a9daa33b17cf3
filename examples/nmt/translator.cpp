// SPDX-License-Identifier: Apache-2.0
// Encoder, decoder and search on batches that shrink.
#include "translator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <dnnl_ext.hpp>

namespace nmt {

namespace {

/// Row `row` of a memory whose rows are `count` equal parts of it.
void *row_of(const memory &m, std::size_t row, std::size_t count) {
    return static_cast<char *>(m.get_data_handle()) + row * (m.get_desc().get_size() / count);
}

} // namespace

double costs::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.); }

translator::translator(model &of, const translating &how)
    : of_(of), how_(how), stream_(of.cpu), encoder_(of.encoder, how.batch, true),
      decoder_(of.decoder, how.batch * how.beam, false) {
    if (how.threads > 0) dnnl::ext::set_threads(stream_, how.threads);
    const memory::dim rows = how.batch * how.beam, hidden = of.size.hidden;
    const auto made = [&](memory::dim columns, dt type) {
        return memory({{rows, columns}, type, tag::ab}, of.cpu);
    };
    states_ = made(hidden, dt::f32);
    contexts_ = made(hidden, dt::f32);
    both_ = made(2 * hidden, state_type(of.kind));
    mixed_ = made(hidden, state_type(of.kind));
    logits_ = made(of.size.vocabulary, dt::f32);
}

memory translator::seen(const memory &m, const memory::desc &md) const {
    return {md, of_.cpu, m.get_data_handle()};
}

void translator::spend(part on) {
    const auto now = std::chrono::steady_clock::now();
    spent_.seconds[on] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
}

std::vector<translator::order> translator::batches(const std::vector<words> &sources) const {
    std::vector<order> all;
    for (std::size_t begin = 0; begin < sources.size(); begin += std::size_t(how_.batch)) {
        order batch(std::min(std::size_t(how_.batch), sources.size() - begin));
        std::iota(batch.begin(), batch.end(), begin);
        std::stable_sort(batch.begin(), batch.end(),
            [&](std::size_t a, std::size_t b) { return sources[a].size() > sources[b].size(); });
        all.push_back(batch);
    }
    return all;
}

encoded translator::encode(const std::vector<words> &sources, const order &batch) {
    const engine &cpu = of_.cpu;
    const memory::dim count = memory::dim(batch.size()), hidden = of_.size.hidden,
                      longest = memory::dim(sources[batch[0]].size()) + 1; // with the end
    const memory::desc md({count * longest, hidden}, dt::f32, tag::ab);
    const memory stored({{count * longest, hidden}, state_type(of_.kind), tag::ab}, cpu);
    encoded source {count, longest, memory(md, cpu), memory(md, cpu),
        memory({{count, 1, longest}, dt::f32, tag::abc}, cpu)};
    clear_states(stored);
    encoder_.clear();
    const std::size_t places = std::size_t(count * longest), most = std::size_t(how_.batch);
    memory::dim active = count;
    for (memory::dim t = 0; t < longest; ++t) {
        const auto length = [&](memory::dim j) {
            return memory::dim(sources[batch[std::size_t(j)]].size()) + 1;
        };
        while (how_.dynamic && length(active - 1) <= t) --active;
        for (memory::dim j = 0; j < active; ++j)
            of_.embed_source(t + 1 < length(j) ? sources[batch[std::size_t(j)]][std::size_t(t)] : 0,
                row_of(encoder_.input(), std::size_t(j), most));
        encoder_.step(stream_, active);
        stream_.wait();
        for (memory::dim j = 0; j < count; ++j) {
            const std::size_t place = std::size_t(j * longest + t);
            const bool within = t < length(j);
            if (within)
                std::memcpy(row_of(stored, place, places),
                    row_of(encoder_.top(), std::size_t(j), most),
                    stored.get_desc().get_size() / places);
            static_cast<float *>(source.mask.get_data_handle())[place] = within ? 0 : -1e30f;
        }
    }
    of_.keys.execute(stream_, stored, source.keys);
    conversion(cpu, stored, source.values).execute(stream_);
    stream_.wait();
    return source;
}

translator::row_work &translator::work_of(memory::dim rows) {
    const auto found = work_.find(rows);
    if (found != work_.end()) return found->second;
    const engine &cpu = of_.cpu;
    const memory::dim hidden = of_.size.hidden, vocabulary = of_.size.vocabulary;
    const dt type = state_type(of_.kind);
    const auto plain = [&](const memory &m, memory::dim columns, dt t) {
        return seen(m, {{rows, columns}, t, tag::ab});
    };
    const memory top = plain(decoder_.top(), hidden, type);
    row_work of;
    of.both = plain(both_, 2 * hidden, type);
    of.mixed = plain(mixed_, hidden, type);
    of.logits = plain(logits_, vocabulary, dt::f32);
    of.top_to_states = conversion(cpu, top, plain(states_, hidden, dt::f32));
    of.top_to_both =
        conversion(cpu, top, seen(both_, rows_desc(rows, hidden, type, 2 * hidden, hidden)));
    of.contexts_to_both = conversion(cpu, plain(contexts_, hidden, dt::f32),
        seen(both_, rows_desc(rows, hidden, type, 2 * hidden)));
    const memory::desc logits = of.logits.get_desc();
    of.logarithms = dnnl::softmax_forward(
        {cpu, dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_log, logits, logits, 1});
    return work_.emplace(rows, of).first->second;
}

void translator::read_word(int row, int word) {
    of_.embed_target(
        word, row_of(decoder_.input(), std::size_t(row), std::size_t(how_.batch * how_.beam)));
}

void translator::step(attention &look, memory::dim sentences) {
    const memory::dim rows = sentences * how_.beam;
    row_work &of = work_of(rows);
    decoder_.step(stream_, rows);
    stream_.wait();
    spend(recurrent);
    of.top_to_states.execute(stream_);
    look.execute(stream_, sentences, states_, contexts_);
    of.contexts_to_both.execute(stream_);
    of.top_to_both.execute(stream_);
    of_.combine.execute(stream_, of.both, of.mixed);
    stream_.wait();
    spend(attending);
    of_.output.execute(stream_, of.mixed, of.logits);
    stream_.wait();
    spend(projecting);
    of.logarithms.execute(stream_, {{DNNL_ARG_SRC, of.logits}, {DNNL_ARG_DST, of.logits}});
    stream_.wait();
    spend(normalizing);
}

const float *translator::logarithms_of(int row) const {
    return static_cast<const float *>(logits_.get_data_handle()) +
           std::size_t(row) * std::size_t(of_.size.vocabulary);
}

void translator::follow(const std::vector<beam_search> &searches, std::size_t active) {
    std::vector<int> parents;
    for (std::size_t j = 0; j < active; ++j)
        for (int b = 0; b < how_.beam; ++b) {
            const int row = int(j) * how_.beam + b;
            parents.push_back(int(j) * how_.beam + searches[j].parent(b));
            read_word(row, searches[j].word(b));
        }
    decoder_.follow(parents);
}

void translator::translate_batch(
    const std::vector<words> &sources, const order &batch, std::vector<translation> &all) {
    begin_to_count();
    const encoded source = encode(sources, batch);
    attention look(of_.cpu, source, how_.beam, of_.size.hidden);
    std::vector<beam_search> searches;
    for (const std::size_t i : batch) searches.emplace_back(how_.beam, int(sources[i].size()) + 8);
    decoder_.clear();
    for (int row = 0; row < int(batch.size()) * how_.beam; ++row) read_word(row, 0);
    spend(encoding);
    std::size_t active = batch.size();
    const auto ended = [](const beam_search &s) { return s.ended(); };
    while (!std::all_of(searches.begin(), searches.end(), ended)) {
        while (how_.dynamic && searches[active - 1].ended()) --active;
        step(look, memory::dim(active));
        for (std::size_t j = 0; j < active; ++j)
            if (!searches[j].ended())
                searches[j].advance(logarithms_of(int(j) * how_.beam), of_.size.vocabulary);
        follow(searches, active);
        spent_.steps += double(active);
        spend(searching);
    }
    for (std::size_t j = 0; j < batch.size(); ++j) {
        all[batch[j]] = searches[j].best();
        spent_.useful_steps += searches[j].steps();
    }
}

std::vector<translation> translator::translate(const std::vector<words> &sources) {
    spent_ = {};
    std::vector<translation> all(sources.size());
    for (const order &batch : batches(sources)) translate_batch(sources, batch, all);
    return all;
}

std::vector<double> translator::score(
    const std::vector<words> &sources, const std::vector<words> &targets) {
    examples::expect(how_.beam == 1, "translations are scored by a beam of 1");
    std::vector<double> scores(sources.size());
    for (const order &batch : batches(sources)) {
        const encoded source = encode(sources, batch);
        attention look(of_.cpu, source, 1, of_.size.hidden);
        decoder_.clear();
        std::size_t longest = 0;
        for (const std::size_t i : batch) longest = std::max(longest, targets[i].size());
        const auto word = [&](std::size_t i, std::size_t t) {
            return t < targets[i].size() ? targets[i][t] : 0;
        };
        std::vector<int> rows(batch.size());
        std::iota(rows.begin(), rows.end(), 0);
        for (std::size_t t = 0; t <= longest; ++t) {
            for (const int j : rows) read_word(j, t ? word(batch[std::size_t(j)], t - 1) : 0);
            step(look, memory::dim(batch.size()));
            for (const int j : rows) {
                const std::size_t i = batch[std::size_t(j)];
                if (t <= targets[i].size()) scores[i] += double(logarithms_of(j)[word(i, t)]);
            }
            decoder_.follow(rows);
        }
    }
    return scores;
}

} // namespace nmt
