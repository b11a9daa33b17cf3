// SPDX-License-Identifier: Apache-2.0
// Options and their bounds.
#include "options.hpp"

#include <algorithm>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace nmt {

namespace {

std::vector<number> read_types(const std::vector<std::string> &names) {
    std::vector<number> types {number::f32}; // what the others are compared with
    for (const std::string &name : names) {
        const number all[] = {number::f32, number::bf16, number::int8};
        const auto *found = std::find_if(
            std::begin(all), std::end(all), [&](number kind) { return name == name_of(kind); });
        if (found == std::end(all))
            throw refused("--types: " + name + " is not known; there are f32, bf16, int8", 2);
        if (std::find(types.begin(), types.end(), *found) == types.end()) types.push_back(*found);
    }
    return types;
}

void require_within(const char *name, int value, int low, int high) {
    if (value < low || value > high)
        throw refused(fmt::format("--{}: {} is not within {} ... {}", name, value, low, high), 2);
}

void check(const options &o) {
    require_within("hidden", o.size.hidden, 64, 4096);
    if (o.size.hidden % 16 != 0)
        throw refused(fmt::format("--hidden: {} is no multiple of 16", o.size.hidden), 2);
    require_within("layers", o.size.layers, 2, 8);
    require_within("vocabulary", o.size.vocabulary, 16, 1 << 20);
    require_within("beam", o.beam, 1, 16);
    require_within("batch", o.batch, 1, 256);
    require_within("sentences", o.sentences, 1, 100000);
    require_within("longest", o.longest, 1, 58);
    require_within("rounds", o.rounds, 1, 99);
    require_within("threads", o.threads, 0, 1024);
    // Fails before the work does, and leaves what the file holds.
    if (!o.json.empty() && !std::ofstream(o.json, std::ios::app))
        throw refused("--json: " + o.json + " cannot be written", 2);
}

void declare(CLI::App &app, options &o, std::vector<std::string> &types, bool &untimed) {
    app.description(
        "Translates made-up sentences by LSTMs with attention and a beam search, in f32 and in\n"
        "int8, and compares speed and translations.");
    const auto number_of = [&](const char *name, int &value, const char *what) {
        app.add_option(name, value, what)->capture_default_str();
    };
    number_of("--hidden", o.size.hidden, "Width of embeddings and states, a multiple of 16");
    number_of("--layers", o.size.layers, "LSTM layers of encoder and decoder each, 2 at least");
    number_of("--vocabulary", o.size.vocabulary, "Words of each language");
    number_of("--beam", o.beam, "Beginnings kept for each sentence, 1 ... 16");
    number_of("--batch", o.batch, "Sentences at once");
    number_of("--sentences", o.sentences, "Sentences in all");
    number_of("--longest", o.longest, "Words of a sentence at most");
    number_of("--rounds", o.rounds, "Times that each format translates all, in turns");
    number_of("--threads", o.threads, "Threads at most; 0: all");
    app.add_option("--types", types, "Of f32, bf16, int8; f32 is always there")->delimiter(',');
    app.add_option("--json", o.json, "Keep the claims in this file");
    app.add_flag("--quick", o.quick, "A small network and few short sentences");
    app.add_flag("--no-times", untimed, "Leave out what depends on how fast the machine is");
}

} // namespace

options read_options(int count, char **arguments) {
    options o;
    std::vector<std::string> types {"f32", "int8"};
    bool untimed = false;
    // The sizes of --quick are defaults: options that are given still count.
    if (std::any_of(arguments, arguments + count,
            [](const char *argument) { return std::string(argument) == "--quick"; })) {
        o.size = {128, 2, 2000};
        o.sentences = 24;
        o.longest = 20;
        o.batch = 8;
    }
    CLI::App app;
    declare(app, o, types, untimed);
    try {
        app.parse(count, arguments);
    } catch (const CLI::CallForHelp &) {
        throw refused(app.help(), 0);
    } catch (const CLI::ParseError &wrong) {
        throw refused(wrong.what(), 2);
    }
    o.timed = !untimed;
    o.types = read_types(types);
    check(o);
    return o;
}

} // namespace nmt
