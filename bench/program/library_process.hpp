// SPDX-License-Identifier: Apache-2.0
// A child process with a library of its own, which prepares and runs cases (case_server.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>

namespace bench {

/// A folder in which the dynamic linker finds a file under the name of the library; none by
/// default.
class link_folder {
  public:
    link_folder() = default;
    explicit link_folder(const std::string &file);
    ~link_folder();
    link_folder(const link_folder &) = delete;
    link_folder &operator=(const link_folder &) = delete;
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

class library_process {
  public:
    /// The library in this file, or the one that this program finds where `file` is empty. Errors:
    /// std::runtime_error when it does not load.
    explicit library_process(const std::string &file);
    ~library_process();
    library_process(const library_process &) = delete;
    library_process &operator=(const library_process &) = delete;

    const std::string &version() const { return version_; }
    /// The file that was loaded; links are followed.
    const std::string &file() const { return file_; }
    /// The answer to a request; {"fault"} where the process died, which is then started again.
    nlohmann::json ask(const std::string &request);

  private:
    void start();
    void stop();
    std::string read_answer();
    std::string read_line();

    link_folder folder_;
    pid_t child_ = -1;
    int requests_ = -1, answers_ = -1;
    std::string unread_, version_, file_;
};

} // namespace bench
