// SPDX-License-Identifier: Apache-2.0
// Measures images per second in processes of its own, one per cap on the instruction set.
#include "speed.hpp"

#include "../reporting/progress.hpp"

#include "timer.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace int8_accuracy {

using reporting::progress_bar;
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct isa_level {
    const char *name;
    dnnl::cpu_isa isa;
};

constexpr isa_level levels[] = {
    {"DEFAULT", dnnl::cpu_isa::isa_default},
    {"AVX2", dnnl::cpu_isa::avx2},
    {"AVX2_VNNI", dnnl::cpu_isa::avx2_vnni},
    {"AVX512_CORE", dnnl::cpu_isa::avx512_core},
    {"AVX512_CORE_VNNI", dnnl::cpu_isa::avx512_core_vnni},
    {"AVX512_CORE_BF16", dnnl::cpu_isa::avx512_core_bf16},
    {"AVX512_CORE_AMX", dnnl::cpu_isa::avx512_core_amx},
};

json to_json(const speed_problem &problem) {
    json j {{"mean", problem.trained.norm.mean}, {"deviation", problem.trained.norm.deviation},
        {"images", problem.images}, {"seconds", problem.seconds_per_figure}};
    for (const layer_parameters &layer : problem.trained.layer)
        j["layers"].push_back({{"weights", layer.weights}, {"bias", layer.bias}});
    for (const histogram &h : problem.measured)
        j["measured"].push_back(
            {{"low", h.range.low}, {"high", h.range.high}, {"counts", h.counts}});
    return j;
}

speed_problem problem_from(const json &j) {
    speed_problem problem;
    problem.trained.norm = {j.at("mean"), j.at("deviation")};
    problem.images = j.at("images").get<std::vector<float>>();
    problem.seconds_per_figure = j.at("seconds");
    for (int l = 0; l < layer_count; ++l) {
        const json &layer = j.at("layers").at(l), &measured = j.at("measured").at(l);
        problem.trained.layer[l] = {layer.at("weights").get<std::vector<float>>(),
            layer.at("bias").get<std::vector<float>>()};
        problem.measured[l] = {{measured.at("low"), measured.at("high")},
            measured.at("counts").get<std::vector<double>>()};
    }
    return problem;
}

fs::path result_file(const fs::path &problem_file) { return problem_file.string() + ".result"; }

/// One variant, ready to run at each batch size, or the reason why not.
struct candidate {
    variant how;
    std::string refusal;
    std::array<std::unique_ptr<classifier>, speed_batches.size()> networks;
    std::array<std::vector<double>, speed_batches.size()> rates; // images per second, one a round
};

candidate prepare(const dnnl::engine &engine, const speed_problem &problem, const variant &how) {
    candidate c {how, {}, {}, {}};
    try {
        for (std::size_t b = 0; b < speed_batches.size(); ++b) {
            c.networks[b] = std::make_unique<classifier>(
                engine, problem.trained, how, problem.measured, speed_batches[b]);
            c.networks[b]->run(problem.images.data()); // first touch of memory and caches
        }
    } catch (const dnnl::error &refusal) {
        if (refusal.status != dnnl_unimplemented) throw;
        c.refusal = refusal.what();
    }
    return c;
}

/// Repeats one batch for some time.
double images_per_second(classifier &network, const float *images, int batch, double seconds) {
    const timer clock;
    int runs = 0;
    do {
        network.run(images);
        ++runs;
    } while (clock.seconds() < seconds);
    return runs * batch / clock.seconds();
}

/// The variants take turns, so that other load on the machine meets all of them.
void run_rounds(std::vector<candidate> &candidates, const speed_problem &problem) {
    constexpr int rounds = 9;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t b = 0; b < speed_batches.size(); ++b)
            for (candidate &c : candidates)
                if (c.refusal.empty())
                    c.rates[b].push_back(images_per_second(*c.networks[b], problem.images.data(),
                        speed_batches[b], problem.seconds_per_figure / rounds));
}

/// The fastest round: other load on the machine only ever slows a round down.
double fastest(const std::vector<double> &rates) {
    return rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
}

/// FNV-1a over the bytes of the values.
void add_to_checksum(std::uint64_t &hash, const std::vector<float> &values) {
    for (float value : values) {
        unsigned char bytes[sizeof(float)];
        std::memcpy(bytes, &value, sizeof(float));
        for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    }
}

json measure(const dnnl::engine &engine, const speed_problem &problem) {
    std::vector<candidate> candidates;
    for (const variant &how : main_variants()) candidates.push_back(prepare(engine, problem, how));
    run_rounds(candidates, problem);
    json result;
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const candidate &c : candidates) {
        json line {{"name", c.how.name}, {"refusal", c.refusal}, {"rates", json::array()}};
        for (const auto &rates : c.rates) line["rates"].push_back(fastest(rates));
        result["speeds"].push_back(line);
        if (c.how.kind == arithmetic::int8_static && c.refusal.empty())
            for (const auto &network : c.networks)
                add_to_checksum(hash, network->layer_result(layer_count - 1));
    }
    result["checksum"] = fmt::format("{:016x}", hash);
    return result;
}

/// A file with a name of its own that disappears with this object.
class temporary_file {
  public:
    temporary_file() {
        std::string name = (fs::temp_directory_path() / "int8_accuracy.XXXXXX").string();
        const int descriptor = mkstemp(name.data());
        if (descriptor < 0) throw std::runtime_error(fmt::format("{}: cannot create", name));
        close(descriptor);
        path_ = name;
    }
    temporary_file(const temporary_file &) = delete;
    temporary_file &operator=(const temporary_file &) = delete;
    ~temporary_file() {
        std::error_code ignored;
        fs::remove(path_, ignored);
        fs::remove(result_file(path_), ignored);
    }
    const fs::path &path() const { return path_; }

  private:
    fs::path path_;
};

void write_file(const fs::path &path, const std::vector<std::uint8_t> &bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    if (!file.flush()) throw std::runtime_error(fmt::format("{}: cannot write", path.string()));
}

json read_cbor(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("{}: cannot read", path.string()));
    return json::from_cbor(file);
}

/// Starts this program again under a cap and waits for it. Empty, or what went wrong.
std::string run_again(const isa_level &level, const fs::path &problem_file) {
    std::vector<std::string> variables {fmt::format("ONEDNN_MAX_CPU_ISA={}", level.name)};
    for (char **v = environ; *v; ++v)
        if (!std::strstr(*v, "NNL_MAX_CPU_ISA=")) variables.emplace_back(*v);
    std::vector<char *> environment;
    for (std::string &variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    std::string program = "/proc/self/exe", option = "--measure-speed",
                file = problem_file.string();
    std::string required = std::to_string(static_cast<unsigned>(level.isa));
    char *arguments[] = {program.data(), option.data(), file.data(), required.data(), nullptr};
    pid_t process = 0;
    const int error =
        posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments, environment.data());
    if (error != 0) return fmt::format("cannot start a process: {}", std::strerror(error));
    int status = 0;
    waitpid(process, &status, 0);
    if (WIFSIGNALED(status)) return fmt::format("its process died of signal {}", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return fmt::format("its process ended with {}", WEXITSTATUS(status));
    return {};
}

level_speed measure_level(const isa_level &level, const fs::path &problem_file) {
    level_speed result;
    result.level = level.name;
    result.failure = run_again(level, problem_file);
    if (!result.failure.empty()) return result;
    const json measured = read_cbor(result_file(problem_file));
    result.on_this_cpu = measured.at("on this cpu");
    if (!result.on_this_cpu) return result;
    result.int8_checksum = measured.at("checksum");
    for (const json &line : measured.at("speeds"))
        result.speeds.push_back({line.at("name"), line.at("rates"), line.at("refusal")});
    return result;
}

} // namespace

std::vector<level_speed> measure_levels(const speed_problem &problem) {
    const temporary_file file;
    write_file(file.path(), json::to_cbor(to_json(problem)));
    progress_bar bar("measuring speed", static_cast<int>(std::size(levels)));
    std::vector<level_speed> results;
    for (const isa_level &level : levels) {
        bar.show(static_cast<int>(results.size()), level.name);
        results.push_back(measure_level(level, file.path()));
    }
    return results;
}

int measure_in_this_process(const fs::path &problem_file, unsigned required_isa) {
    json result {{"on this cpu", false}};
    const auto effective = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    if ((effective & required_isa) == required_isa) {
        const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
        result = measure(engine, problem_from(read_cbor(problem_file)));
        result["on this cpu"] = true;
    }
    write_file(result_file(problem_file), json::to_cbor(result));
    return 0;
}

} // namespace int8_accuracy
