// SPDX-License-Identifier: Apache-2.0
// Starts a process for each cap on the instruction set, and is this process.
#include "speed.hpp"

#include "../../reporting/progress.hpp"
#include "../networks/network_text.hpp"
#include "methods.hpp"
#include "processes.hpp"
#include "timing.hpp"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace int8_accuracy {

using nlohmann::json;
using reporting::progress_bar;
namespace {

struct isa_level {
    const char *name;
    dnnl::cpu_isa isa;
};

constexpr isa_level levels[] = {
    {"DEFAULT", dnnl::cpu_isa::isa_default},
    {"SSE41", dnnl::cpu_isa::sse41},
    {"AVX2", dnnl::cpu_isa::avx2},
    {"AVX2_VNNI", dnnl::cpu_isa::avx2_vnni},
    {"AVX512_CORE", dnnl::cpu_isa::avx512_core},
    {"AVX512_CORE_VNNI", dnnl::cpu_isa::avx512_core_vnni},
    {"AVX512_CORE_BF16", dnnl::cpu_isa::avx512_core_bf16},
    {"AVX512_CORE_AMX", dnnl::cpu_isa::avx512_core_amx},
};

constexpr const char *measured_formats[] = {"f32", "bf16", "int8 static", "int8 dynamic"};

json to_json(const speed_task &task) {
    json j {{"text", text_of(task.network.net)}, {"encoded", task.encoded},
        {"seconds", task.seconds_per_figure}, {"units", task.units_per_object},
        {"layers", json::array()}, {"measured", json::array()}};
    for (const layer_parameters &each : task.network.learned)
        j["layers"].push_back(json::array({each.weights, each.recurrent, each.bias}));
    for (std::size_t l = 0; l < task.measured.values.size(); ++l) {
        const histogram &values = task.measured.values[l];
        const value_range &extremes = task.measured.extremes[l];
        j["measured"].push_back(json::array(
            {values.range.low, values.range.high, values.counts, extremes.low, extremes.high}));
    }
    return j;
}

speed_task task_from(const json &j) {
    speed_task task;
    task.network.net = parse_network(j.at("text"), "the text of the network");
    task.encoded = j.at("encoded").get<std::vector<float>>();
    task.seconds_per_figure = j.at("seconds");
    task.units_per_object = j.at("units");
    for (const json &each : j.at("layers")) {
        layer_parameters &to = task.network.learned.emplace_back();
        each.at(0).get_to(to.weights);
        each.at(1).get_to(to.recurrent);
        each.at(2).get_to(to.bias);
    }
    for (const json &each : j.at("measured")) {
        histogram &values = task.measured.values.emplace_back();
        values.range = {each.at(0), each.at(1)};
        each.at(2).get_to(values.counts);
        task.measured.extremes.push_back({each.at(3), each.at(4)});
    }
    return task;
}

/// FNV-1a over the bytes of the values.
void add_to_checksum(std::uint64_t &hash, const std::vector<float> &values) {
    for (float value : values) {
        unsigned char bytes[sizeof(float)];
        std::memcpy(bytes, &value, sizeof(float));
        for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    }
}

std::vector<speed_candidate> level_candidates(const network &net) {
    std::vector<speed_candidate> all;
    for (const method &how : format_methods())
        for (const char *name : measured_formats)
            if (how.name == name)
                all.push_back({how.name, assignment(net.products().size(), how.format), false});
    return all;
}

/// The runners of all candidates, each at all batches.
json measure(const dnnl::engine &engine, const speed_task &task) {
    const std::vector<speed_candidate> candidates = level_candidates(task.network.net);
    std::vector<timed_runner> runners;
    for (const speed_candidate &each : candidates)
        for (int batch : speed_batches) runners.push_back(prepared(engine, task, each, batch));
    run_rounds(runners, task);
    json result;
    std::uint64_t hash = 0xcbf29ce484222325u;
    std::size_t next = 0;
    for (const speed_candidate &each : candidates) {
        json line {{"name", each.name}, {"refusal", ""}, {"rates", json::array()}};
        for (std::size_t b = 0; b < speed_batches.size(); ++b) {
            const timed_runner &of = runners[next++];
            if (!of.refusal.empty()) line["refusal"] = of.refusal;
            line["rates"].push_back(of.per_second * task.units_per_object);
            if (each.name == "int8 static") add_to_checksum(hash, of.logits);
        }
        result["speeds"].push_back(line);
    }
    result["checksum"] = fmt::format("{:016x}", hash);
    return result;
}

level_speed measure_level(const isa_level &level, const std::filesystem::path &task_file) {
    level_speed result;
    result.level = level.name;
    result.failure = run_again(
        {"--measure-speed", task_file.string(), std::to_string(static_cast<unsigned>(level.isa))},
        level.name);
    if (!result.failure.empty()) return result;
    const json measured = read_cbor(result_file(task_file));
    result.on_this_cpu = measured.at("on this cpu");
    if (!result.on_this_cpu) return result;
    result.checksum = measured.at("checksum");
    for (const json &line : measured.at("speeds"))
        result.methods.push_back(
            {line.at("name"), line.at("rates").get<std::vector<double>>(), line.at("refusal")});
    return result;
}

} // namespace

std::vector<double> measured_speeds(const dnnl::engine &engine, const speed_task &task,
    const std::vector<speed_candidate> &candidates) {
    std::vector<timed_runner> runners;
    for (const speed_candidate &each : candidates)
        runners.push_back(prepared(engine, task, each, speed_batches.back()));
    run_rounds(runners, task);
    std::vector<double> speeds;
    for (const timed_runner &each : runners)
        speeds.push_back(each.per_second * task.units_per_object);
    return speeds;
}

std::vector<level_speed> measure_levels(const speed_task &task) {
    const temporary_file file;
    write_cbor(file.path(), to_json(task));
    progress_bar bar("measuring speed", int(std::size(levels)));
    std::vector<level_speed> results;
    for (const isa_level &level : levels) {
        bar.show(int(results.size()), level.name);
        results.push_back(measure_level(level, file.path()));
    }
    return results;
}

int measure_in_this_process(const std::filesystem::path &task_file, unsigned required_isa) {
    json result {{"on this cpu", false}};
    const auto effective = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    if ((effective & required_isa) == required_isa) {
        const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
        result = measure(engine, task_from(read_cbor(task_file)));
        result["on this cpu"] = true;
    }
    write_cbor(result_file(task_file), result);
    return 0;
}

} // namespace int8_accuracy
