// SPDX-License-Identifier: Apache-2.0
// Processes by posix_spawn, files as CBOR.
#include "processes.hpp"

#include <cstring>
#include <fstream>
#include <stdexcept>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace int8_accuracy {

namespace fs = std::filesystem;

temporary_file::temporary_file() {
    std::string name = (fs::temp_directory_path() / "int8_accuracy.XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) throw std::runtime_error(fmt::format("{}: cannot create", name));
    close(descriptor);
    path_ = name;
}

temporary_file::~temporary_file() {
    std::error_code ignored;
    fs::remove(path_, ignored);
    fs::remove(result_file(path_), ignored);
}

fs::path result_file(const fs::path &task_file) { return task_file.string() + ".result"; }

void write_cbor(const fs::path &path, const nlohmann::json &of) {
    const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(of);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    if (!file.flush()) throw std::runtime_error(fmt::format("{}: cannot write", path.string()));
}

nlohmann::json read_cbor(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("{}: cannot read", path.string()));
    return nlohmann::json::from_cbor(file);
}

std::string run_again(const std::vector<std::string> &arguments, const std::string &cap) {
    std::vector<std::string> variables {"ONEDNN_MAX_CPU_ISA=" + cap};
    for (char **v = environ; *v; ++v)
        if (!std::strstr(*v, "_MAX_CPU_ISA=")) variables.emplace_back(*v);
    if (cap == "SSE41") variables.emplace_back("ONEDNN_WARN=0"); // slow, as is known
    std::vector<char *> environment;
    for (std::string &variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    std::vector<std::string> words {"/proc/self/exe"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> pointers;
    for (std::string &word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t process = 0;
    const int error = posix_spawn(
        &process, words[0].c_str(), nullptr, nullptr, pointers.data(), environment.data());
    if (error != 0) return fmt::format("cannot start a process: {}", std::strerror(error));
    int status = 0;
    waitpid(process, &status, 0);
    if (WIFSIGNALED(status)) return fmt::format("its process died of signal {}", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return fmt::format("its process ended with {}", WEXITSTATUS(status));
    return {};
}

} // namespace int8_accuracy
