// SPDX-License-Identifier: Apache-2.0
#include "program_options.hpp"

#include <fmt/format.h>

namespace accuracy {

void add_common(CLI::App &app, common_options &options, const std::string &saved) {
    app.add_option("--seed", options.seed)->capture_default_str();
    app.add_option("--types", options.types, "of f32, bf16, f16, int8 min-max, ...")
        ->delimiter(',');
    app.add_option("--keep", options.keep, "nodes that stay in f32, by a part of a name");
    app.add_option("--save", options.save, saved);
    app.add_option("--html", options.html, "file for the report as a page");
    app.add_option("--json", options.json, "file for the report as JSON");
}

int run_program(CLI::App &app, int argc, char **argv, const std::function<void()> &run) {
    CLI11_PARSE(app, argc, argv);
    try {
        run();
        return 0;
    } catch (const std::exception &e) {
        fmt::print(stderr, "{}: {}\n", app.get_name(), e.what());
        return 1;
    }
}

std::string library_text() {
    const dnnl_version_t *v = dnnl_version();
    return fmt::format("dnnl {}.{}.{}", v->major, v->minor, v->patch);
}

} // namespace accuracy
