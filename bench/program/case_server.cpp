// SPDX-License-Identifier: Apache-2.0
#include "case_server.hpp"

#include "execution/interpreter.hpp"
#include "language/usage_error.hpp"
#include "prepared_case.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

namespace bench {
namespace {

using nlohmann::json;

conformance::test_case case_of(const std::string &line) {
    std::optional<conformance::test_case> found;
    conformance::interpreter language(
        [&](const conformance::test_case &c, const conformance::run_options &) { found = c; }, {});
    language.run(conformance::batch_tokens(line));
    if (!found) throw conformance::usage_error("no case: " + line);
    return *found;
}

class server {
  public:
    json answer(const std::string &request) {
        std::istringstream words(request);
        std::string verb;
        words >> verb;
        if (verb == "prepare") return prepare(request.substr(verb.size()));
        if (verb != "run" || !case_) return {{"fault", "unknown request: " + request}};
        double budget_ms = 0;
        std::string state;
        words >> budget_ms >> state;
        return {{"us", case_->run(budget_ms, state == "cold")}};
    }

  private:
    json prepare(const std::string &line) {
        case_.reset();
        case_.emplace(case_of(line));
        return {{"implementation", case_->implementation}, {"operations", case_->operations},
            {"bytes", case_->bytes}, {"first_creation_us", case_->first_creation_us},
            {"creation_us", case_->creation_us}};
    }

    std::optional<prepared_case> case_;
};

/// The file that the library was loaded from; links are followed.
std::string file_of_library() {
    Dl_info info {};
    char whole[PATH_MAX];
    if (!dladdr(reinterpret_cast<void *>(&dnnl_version), &info) || !info.dli_fname) return {};
    return realpath(info.dli_fname, whole) ? whole : info.dli_fname;
}

json answer(server &s, const std::string &request) {
    try {
        return s.answer(request);
    } catch (const dnnl::error &fault) {
        return {{"fault", "status " + std::to_string(fault.status) + ": " + fault.what()}};
    } catch (const std::exception &fault) {
        return {{"fault", fault.what()}};
    }
}

} // namespace

int serve_cases() {
    const dnnl_version_t &v = *dnnl_version();
    std::ostringstream version;
    version << v.major << '.' << v.minor << '.' << v.patch;
    std::cout << json {{"version", version.str()}, {"file", file_of_library()}} << std::endl;
    server s;
    for (std::string request; std::getline(std::cin, request);)
        std::cout << answer(s, request) << std::endl;
    return 0;
}

} // namespace bench
