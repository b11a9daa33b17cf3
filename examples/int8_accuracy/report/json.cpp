// SPDX-License-Identifier: Apache-2.0
// Writes and reads the lists of members of json_fields.hpp.
#include "json.hpp"

#include "../../reporting/html.hpp"
#include "json_fields.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace int8_accuracy {
namespace {

using json = nlohmann::ordered_json;

constexpr const char *format_name = "int8_accuracy report";
constexpr int format_version = 1;

constexpr const char *kind_names[] = {"accuracy", "bits per character"};

template <typename T> json encoded(const T &value);
template <typename T> json encoded(const std::vector<T> &values) {
    json list = json::array();
    for (const T &value : values) list.push_back(encoded(value));
    return list;
}

template <typename T> json encoded(const T &value) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isfinite(value)) return json(double(value));
        return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    } else if constexpr (std::is_same_v<T, score_kind>) {
        return kind_names[int(value)];
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
        return value;
    } else {
        json object = json::object();
        const auto add = [&](const char *name, const auto &member) {
            object[name] = encoded(member);
        };
        fields(add, value);
        return object;
    }
}

/// Objects and lists of them are indented by one space, lists of numbers and texts are one line.
void write(const json &value, int depth, std::string &to) {
    const bool flat = value.is_array() && (value.empty() || !value.front().is_structured());
    if (!value.is_structured() || flat) {
        to += value.dump(-1, ' ', false, json::error_handler_t::replace);
        return;
    }
    const std::string indent = "\n" + std::string(std::size_t(depth) + 1, ' ');
    to += value.is_object() ? '{' : '[';
    const char *between = "";
    for (auto each = value.begin(); each != value.end(); ++each) {
        to += between + indent;
        if (value.is_object()) to += json(each.key()).dump() + ": ";
        write(*each, depth + 1, to);
        between = ",";
    }
    to += "\n" + std::string(std::size_t(depth), ' ') + (value.is_object() ? '}' : ']');
}

/// A place in a file, for complaints.
struct position {
    const std::string *source;
    std::string path;

    [[noreturn]] void complain(const std::string &what) const {
        throw std::runtime_error(
            fmt::format("{}: {}{}{}", *source, path, path.empty() ? "" : ": ", what));
    }
    position member(const std::string &name) const {
        return {source, path.empty() ? name : path + "." + name};
    }
    position element(std::size_t i) const { return {source, fmt::format("{}[{}]", path, i)}; }
};

double number_from(const json &value, const position &at) {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    at.complain("is not a number");
}

template <typename T> T integer_from(const json &value, const position &at) {
    if (!value.is_number_integer()) at.complain("is not a whole number");
    if (value.is_number_unsigned()) {
        const auto found = value.get<std::uint64_t>();
        if (found <= std::uint64_t(std::numeric_limits<T>::max())) return T(found);
    } else {
        const auto found = value.get<std::int64_t>();
        if (std::is_signed_v<T> && found >= std::int64_t(std::numeric_limits<T>::min()))
            return T(found);
    }
    at.complain("is out of range");
}

score_kind kind_from(const json &value, const position &at) {
    for (int i = 0; i < 2; ++i)
        if (value == kind_names[i]) return score_kind(i);
    at.complain("is no kind of score");
}

template <typename T> void decode(const json &value, const position &at, T &to);
template <typename T> void decode(const json &value, const position &at, std::vector<T> &to) {
    if (!value.is_array()) at.complain("is not a list");
    to.resize(value.size());
    for (std::size_t i = 0; i < to.size(); ++i) decode(value[i], at.element(i), to[i]);
}

template <typename T> void decode(const json &value, const position &at, T &to) {
    if constexpr (std::is_floating_point_v<T>) {
        to = T(number_from(value, at));
    } else if constexpr (std::is_same_v<T, bool>) {
        if (!value.is_boolean()) at.complain("is neither true nor false");
        to = value.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
        to = integer_from<T>(value, at);
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (!value.is_string()) at.complain("is not a text");
        to = value.get<std::string>();
    } else if constexpr (std::is_same_v<T, score_kind>) {
        to = kind_from(value, at);
    } else {
        if (!value.is_object()) at.complain("is not an object");
        const auto take = [&](const char *name, auto &member) {
            const auto found = value.find(name);
            if (found == value.end()) at.member(name).complain("is missing");
            decode(*found, at.member(name), member);
        };
        fields(take, to);
    }
}

/// Lists that have a value for each product, or batch, must have all of them or none.
void check_sizes(const network_report &net, const position &at) {
    const auto check = [](std::size_t size, std::size_t wanted, const position &list) {
        if (size != 0 && size != wanted)
            list.complain(fmt::format("has {} values, {} are expected", size, wanted));
    };
    const std::size_t products = net.products.size();
    for (std::size_t i = 0; i < products; ++i)
        if (net.products[i].source.counts.empty())
            at.member("products").element(i).complain("has no counts");
    for (std::size_t i = 0; i < net.methods.size(); ++i) {
        const method_result &m = net.methods[i];
        const position here = at.member("methods").element(i);
        check(m.noise.size(), products, here.member("noise_db"));
        check(m.weight_bytes.size(), products, here.member("weight_bytes"));
        check(m.moved_bytes.size(), products, here.member("moved_bytes"));
        check(m.implementations.size(), products, here.member("implementations"));
    }
    for (std::size_t i = 0; i < net.mixed.size(); ++i)
        check(net.mixed[i].formats.size(), products, at.member("mixed").element(i));
    for (std::size_t l = 0; l < net.levels.size(); ++l)
        for (std::size_t m = 0; m < net.levels[l].methods.size(); ++m)
            check(net.levels[l].methods[m].per_second.size(), net.batches.size(),
                at.member("levels").element(l).member("methods").element(m));
}

} // namespace

std::string to_json(const report &of) {
    json all {{"format", format_name}, {"version", format_version}};
    all.update(encoded(of));
    std::string text;
    write(all, 0, text);
    return text + "\n";
}

report from_json(const std::string &text, const std::string &source) {
    const position top {&source, ""};
    json all;
    try {
        all = json::parse(text);
    } catch (const json::parse_error &error) {
        top.complain(fmt::format("is no JSON text (byte {})", error.byte));
    }
    if (!all.is_object() || !all.contains("format") || all["format"] != format_name)
        top.complain("is no report of int8_accuracy");
    if (!all.contains("version") || all["version"] != format_version)
        top.complain(fmt::format("is not of version {}", format_version));
    report found;
    decode(all, top, found);
    for (std::size_t i = 0; i < found.networks.size(); ++i)
        check_sizes(found.networks[i], top.member("networks").element(i));
    return found;
}

void write_report(const report &of, const std::filesystem::path &path) {
    reporting::write_text(to_json(of), path);
}

report read_report(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("{}: cannot read", path.string()));
    const std::string text {std::istreambuf_iterator<char>(file), {}};
    if (file.bad()) throw std::runtime_error(fmt::format("{}: cannot read", path.string()));
    return from_json(text, path.string());
}

} // namespace int8_accuracy
