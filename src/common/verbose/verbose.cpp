// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY
#include "common/verbose/verbose.hpp"

#include <mutex>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "common/layout/data_type.hpp"
#include "common/runtime/engine.hpp"
#include "common/verbose/verbose_fields.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl::verbose {

namespace {

void write_profile(const char *operation, const chosen &c, double milliseconds) {
    const char *name = dnnl_prim_kind2str(kind_of(c.resolved.op));
    if (!shows(name)) return;
    write_event(
        fmt::format("primitive,{},{},{},{},{},{:g}", operation, dnnl_engine_kind2str(c.engine.kind),
            name, c.info, fields_of(c.resolved, c.request), milliseconds));
}

} // namespace

void created(const chosen &c, double milliseconds) {
    if (wants(profile_create)) write_profile("create:cache_miss", c, milliseconds);
}

void executed(const chosen &c, double milliseconds) {
    if (wants(profile_exec)) write_profile("exec", c, milliseconds);
}

void refused(const problem &p, const std::string &row, const char *reason) {
    const char *name = dnnl_prim_kind2str(kind_of(p.op));
    if (!wants(dispatch) || !shows(name)) return;
    write_event(fmt::format("primitive,create:dispatch,{0},cpu,{0},{1},{2},{3},implementations.cpp",
        name, row, fields_of(p, p), reason));
}

void check_failed(const char *operation, const char *primitive, const char *reason) {
    if (!wants(check) || !shows(primitive)) return;
    const bool creating = std::string_view(operation) == "create";
    std::string_view text = reason; // the primitive is a field of its own
    const std::string prefix = std::string(primitive) + ": ";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    write_event(fmt::format("primitive,{}:check,{},{},{}", operation, primitive, text,
        creating ? "primitive_desc_create" : "primitive_execute"));
}

void argument_ignored(const char *primitive, const std::string &argument) noexcept {
    static std::mutex mutex;
    static auto &mentioned = *new std::set<std::string>; // outlives whoever executes at exit
    try {
        const std::string key = fmt::format("{},{}", primitive, argument);
        const std::lock_guard lock(mutex);
        if (!shows(primitive) || !mentioned.insert(key).second) return;
        write_warning(key + " is not an argument of this primitive: ignored");
    } catch (...) { // the execution goes on without the line
    }
}

void leased(std::size_t bytes) {
    write_event(fmt::format("common,info,scratchpad,{} bytes leased beside the user's", bytes));
}

void gemm_executed(const gemm_line &line, double milliseconds) {
    if (!wants(profile_exec) || !shows("gemm_api")) return;
    write_event(fmt::format("primitive,exec,cpu,gemm_api,,undef,src_{}::blocked:{}:f0 "
                            "wei_{}::blocked:{}:f0 dst_{}::blocked:ab:f0,,,{}x{}:{}x{},{:g}",
        name_of(line.types[0]), line.a_transposed ? "ba" : "ab", name_of(line.types[1]),
        line.b_transposed ? "ba" : "ab", name_of(line.types[2]), line.M, line.K, line.K, line.N,
        milliseconds));
}

} // namespace dnnl::impl::verbose
