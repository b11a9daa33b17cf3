// SPDX-License-Identifier: Apache-2.0
// The text of a request that no row takes.
#include "common/plan/implementation.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/descriptors/describe.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

namespace {
/// Rows that give one reason, in the order of the table.
struct group {
    std::string_view reason;
    std::string rows;
};

void add(std::string &list, const std::string &name) {
    list.append(list.empty() ? "" : ", ").append(name);
}

/// The row whose reason is told first: the last that is made for such problems.
std::size_t leading(std::span<const char *const> why_not) {
    std::size_t row = why_not.size() - 1;
    while (row > 0 && (is_beside_the_problem(why_not[row]) || why_not[row] == no_instructions))
        --row;
    return row;
}

/// The group of the leading row is the first.
std::vector<group> group_by_reason(std::span<const implementation> table,
    std::span<const char *const> why_not, std::string &absent) {
    const std::size_t first = leading(why_not);
    std::vector<group> groups {{why_not[first], full_name(table[first])}};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::string name = full_name(table[i]);
        if (i == first || is_beside_the_problem(why_not[i])) continue;
        if (why_not[i] == no_instructions) {
            add(absent, name);
            continue;
        }
        const auto found = std::find_if(
            groups.begin(), groups.end(), [&](const group &g) { return g.reason == why_not[i]; });
        if (found == groups.end())
            groups.push_back({why_not[i], name});
        else
            add(found->rows, name);
    }
    return groups;
}
} // namespace

std::string refusal_of(const op_desc &op, std::span<const implementation> table,
    std::span<const char *const> why_not) {
    std::string absent;
    const std::vector<group> groups = group_by_reason(table, why_not, absent);
    std::string text = dnnl_prim_kind2str(kind_of(op));
    text.append(": ").append(groups[0].reason).append(" (").append(describe(op));
    text.append("); implementations: ").append(groups[0].rows).append(": as said");
    for (const group &g : std::span(groups).subspan(1))
        text.append("; ").append(g.rows).append(": ").append(g.reason);
    if (!absent.empty()) text.append("; without their instruction sets: ").append(absent);
    return text;
}

} // namespace dnnl::impl
