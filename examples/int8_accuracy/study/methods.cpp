// SPDX-License-Identifier: Apache-2.0
// Lists of methods with their names.
#include "methods.hpp"

#include <utility>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

layer_format of_kind(number_kind kind) {
    layer_format format;
    format.kind = kind;
    return format;
}

layer_format integers(weight_groups groups, activation_grid grid, range_rule rule) {
    layer_format format = of_kind(number_kind::integer);
    format.groups = groups;
    format.grid = grid;
    format.rule = rule;
    return format;
}

constexpr std::pair<weight_groups, const char *> granularities[] = {
    {weight_groups::tensor, "per tensor"}, {weight_groups::channel, "per channel"}};
constexpr std::pair<activation_grid, const char *> grids[] = {
    {activation_grid::symmetric, "symmetric"}, {activation_grid::asymmetric, "zero point"}};

/// Weights of so many bits beside sources of 8, rounded in both ways.
void add_roundings(std::vector<method> &to, weight_groups groups, const char *name, int bits) {
    layer_format format = static_int8_format();
    format.groups = groups;
    format.weight_bits = bits;
    const std::string weights =
        bits == 8 ? std::string(name) : fmt::format("{}, {}-bit weights", name, bits);
    if (bits != 8 || groups == weight_groups::group) to.push_back({weights, format, false});
    format.rounding = weight_rounding::tuned;
    to.push_back({weights + ", tuned rounding", format, false});
}

} // namespace

layer_format static_int8_format() { return of_kind(number_kind::integer); }

std::vector<method> format_methods() {
    layer_format dynamic = static_int8_format(), wide = static_int8_format(),
                 narrow = static_int8_format();
    dynamic.dynamic = true;
    wide.source_bits = wide.weight_bits = 16;
    narrow.weight_bits = 4;
    narrow.groups = weight_groups::group;
    return {{"f32", {}}, {"bf16", of_kind(number_kind::bf16)}, {"f16", of_kind(number_kind::f16)},
        {"f8_e4m3", of_kind(number_kind::f8_e4m3)}, {"f8_e5m2", of_kind(number_kind::f8_e5m2)},
        {"mx_f8", of_kind(number_kind::mx_f8)}, {"mx_f4", of_kind(number_kind::mx_f4)},
        {"int8 static", static_int8_format()}, {"int8 dynamic", dynamic}, {"int16", wide},
        {"int4 weights in groups of 32", narrow}};
}

std::vector<method> integer_methods(bool migration) {
    std::vector<method> all;
    for (const auto &[groups, weights] : granularities)
        for (const auto &[grid, sources] : grids)
            for (const named_rule &rule : range_rules)
                all.push_back({fmt::format("{}, {}, {}", weights, sources, rule.name),
                    integers(groups, grid, rule.rule)});
    add_roundings(all, weight_groups::channel, "per channel", 8);
    add_roundings(all, weight_groups::group, "groups of 32", 8);
    add_roundings(all, weight_groups::tensor, "per tensor", 4);
    add_roundings(all, weight_groups::channel, "per channel", 4);
    add_roundings(all, weight_groups::group, "groups of 32", 4);
    if (migration)
        for (const auto &[groups, weights] : granularities)
            for (const range_rule rule : {range_rule::min_max, range_rule::least_squares})
                all.push_back({fmt::format("{}, zero point, {}, migrated scales", weights,
                                   rule == range_rule::min_max ? "min-max" : "least-squares"),
                    integers(groups, activation_grid::asymmetric, rule), true});
    return all;
}

std::string fixed_point_bits::name() const {
    return fmt::format("{}-{}-{}", sources, convolutions, dense);
}

const std::vector<fixed_point_bits> &fixed_point_choices() {
    static const std::vector<fixed_point_bits> all {{16, 16, 16, false}, {8, 16, 16, false},
        {4, 16, 16, false}, {2, 16, 16, false}, {16, 8, 16, false}, {16, 4, 16, false},
        {16, 2, 16, false}, {16, 16, 8, false}, {16, 16, 4, false}, {16, 16, 2, false},
        {8, 8, 8, true}, {4, 4, 4, true}, {4, 2, 2, true}, {2, 2, 2, true}};
    return all;
}

assignment fixed_point_assignment(const network &net, const fixed_point_bits &bits) {
    assignment formats;
    for (int l : net.products()) {
        layer_format format = of_kind(number_kind::fixed_point);
        format.source_bits = bits.sources;
        format.weight_bits = net.layers[std::size_t(l)].kind == layer_kind::convolution
                                 ? bits.convolutions
                                 : bits.dense;
        formats.push_back(format);
    }
    return formats;
}

} // namespace int8_accuracy
