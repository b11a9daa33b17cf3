// SPDX-License-Identifier: Apache-2.0
// A child process with a library of its own, which prepares and runs cases (case_server.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>

namespace bench {

class library_process {
  public:
    /// The library in this file, or the one that this program finds where `file` is empty. Errors:
    /// std::runtime_error when it does not load.
    explicit library_process(const std::string &file);
    ~library_process();
    library_process(const library_process &) = delete;
    library_process &operator=(const library_process &) = delete;

    const std::string &version() const { return version_; }
    /// The answer to a request; {"fault"} where the process died, which is then started again.
    nlohmann::json ask(const std::string &request);

  private:
    void start();
    void stop();
    std::string read_line();

    std::string folder_; // holds libdnnl.so.3, a link to the file; empty: no other library
    pid_t child_ = -1;
    int requests_ = -1, answers_ = -1;
    std::string unread_, version_;
};

} // namespace bench
