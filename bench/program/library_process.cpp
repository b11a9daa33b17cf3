// SPDX-License-Identifier: Apache-2.0
#include "library_process.hpp"

#include <climits>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

constexpr const char *name_of_library = "/libdnnl.so.3";

} // namespace

link_folder::link_folder(const std::string &file) {
    char whole[PATH_MAX], folder[] = "/tmp/dnnl-bench.XXXXXX";
    if (!realpath(file.c_str(), whole)) throw std::runtime_error(file + ": no such library");
    if (!mkdtemp(folder)) throw std::runtime_error("cannot make a folder in /tmp");
    path_ = folder;
    if (symlink(whole, (path_ + name_of_library).c_str()) == 0) return;
    rmdir(folder);
    throw std::runtime_error("cannot make a link in /tmp");
}

link_folder::~link_folder() {
    if (path_.empty()) return;
    unlink((path_ + name_of_library).c_str());
    rmdir(path_.c_str());
}

library_process::library_process(const std::string &file)
    : folder_(file.empty() ? link_folder() : link_folder(file)) {
    std::signal(SIGPIPE, SIG_IGN); // a child that died shows in its answer
    start();
    if (!version_.empty()) return;
    stop();
    throw std::runtime_error("the library does not load: " + file);
}

library_process::~library_process() { stop(); }

void library_process::start() {
    int to_child[2], from_child[2];
    if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("cannot fork");
    if (child_ == 0) {
        dup2(to_child[0], STDIN_FILENO);
        dup2(from_child[1], STDOUT_FILENO);
        if (!folder_.path().empty()) setenv("LD_LIBRARY_PATH", folder_.path().c_str(), 1);
        execl("/proc/self/exe", "dnnl-bench", "--serve", nullptr);
        _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    requests_ = to_child[1];
    answers_ = from_child[0];
    unread_.clear();
    const std::string greeting = read_answer();
    if (greeting.empty()) return;
    const nlohmann::json told = nlohmann::json::parse(greeting);
    version_ = told.at("version");
    file_ = told.at("file");
}

void library_process::stop() {
    if (child_ < 0) return;
    close(requests_);
    close(answers_);
    waitpid(child_, nullptr, 0);
    child_ = -1;
}

/// The next line that is an answer; what the library prints beside it (verbose lines) is passed
/// over. Empty when the process ended.
std::string library_process::read_answer() {
    for (;;) {
        const std::string line = read_line();
        if (line.empty() || line.front() == '{') return line;
    }
}

/// The next line with its line end; empty when the process ended.
std::string library_process::read_line() {
    char part[4096];
    std::size_t end;
    while ((end = unread_.find('\n')) == std::string::npos) {
        const ssize_t count = read(answers_, part, sizeof part);
        if (count <= 0) return {};
        unread_.append(part, static_cast<std::size_t>(count));
    }
    const std::string line = unread_.substr(0, end + 1);
    unread_.erase(0, end + 1);
    return line;
}

nlohmann::json library_process::ask(const std::string &request) {
    const std::string line = request + "\n";
    const ssize_t written = write(requests_, line.data(), line.size());
    const std::string answer = written < 0 ? "" : read_answer();
    if (!answer.empty()) return nlohmann::json::parse(answer);
    stop();
    start();
    return {{"fault", "the process with the library died"}};
}

} // namespace bench
