// SPDX-License-Identifier: Apache-2.0
// Sums of products over named indices.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>

namespace dnnl_onnx {

namespace {

/// Index names of each input and of the result; '.' stands for one dimension of an ellipsis, which
/// counts from the last.
struct equation {
    std::vector<std::string> inputs;
    std::string result;
};

/// One input's names, its "..." as capital-free names of the dimensions that no letter names:
/// characters below 32, the last dimension 1.
std::string expanded(const op_context &c, const std::string &names, int rank, int &widest) {
    std::string to;
    const std::size_t dots = names.find("...");
    const int letters = int(names.size()) - (dots == std::string::npos ? 0 : 3);
    const int open = rank - letters;
    if (open < 0 || (open > 0 && dots == std::string::npos))
        c.fail("'" + names + "' names another number of dimensions than " + std::to_string(rank));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i != dots) {
            to += names[i];
            continue;
        }
        for (int d = open; d > 0; --d) to += char(d);
        i += 2;
    }
    if (dots != std::string::npos) widest = std::max(widest, open);
    return to;
}

equation equation_of(const op_context &c) {
    std::string text = c.text("equation", "");
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    const std::size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow);
    equation found;
    int widest = 0;
    for (std::size_t at = 0, i = 0; at <= left.size(); ++i) {
        const std::size_t comma = std::min(left.find(',', at), left.size());
        if (i >= c.input_count()) c.fail("its equation has more terms than inputs");
        found.inputs.push_back(expanded(c, left.substr(at, comma - at), c.rank(i), widest));
        at = comma + 1;
    }
    if (found.inputs.size() != c.input_count()) c.fail("its equation has too few terms");
    std::string ellipsis;
    for (int d = widest; d > 0; --d) ellipsis += char(d);
    if (arrow != std::string::npos) {
        std::string right = text.substr(arrow + 2);
        const std::size_t dots = right.find("...");
        if (dots != std::string::npos) right.replace(dots, 3, ellipsis);
        found.result = right;
        return found;
    }
    // Without an arrow: the ellipsis, then the letters that occur once, in order.
    std::string all;
    for (const std::string &names : found.inputs) all += names;
    std::string once;
    for (char name : all)
        if (name >= 32 && std::count(all.begin(), all.end(), name) == 1) once += name;
    std::sort(once.begin(), once.end());
    found.result = ellipsis + once;
    return found;
}

host_step einsum(op_context &c) {
    const equation e = equation_of(c);
    const element_type type = c.in(0).type;
    // All names: those of the result first, then those that are summed over.
    std::string names = e.result;
    for (const std::string &input : e.inputs)
        for (char name : input)
            if (names.find(name) == std::string::npos) names += name;
    extents dims(names.size(), 1);
    std::vector<extents> strides;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
        const extents own = strides_of(c.dims(i));
        strides.emplace_back(names.size(), 0);
        for (std::size_t d = 0; d < e.inputs[i].size(); ++d) {
            const std::size_t at = names.find(e.inputs[i][d]);
            const std::int64_t extent = c.dims(i)[d];
            if (dims[at] != 1 && extent != 1 && dims[at] != extent)
                c.fail("its index '" + std::string(1, names[at]) + "' has two extents");
            dims[at] = std::max(dims[at], extent);
            if (extent != 1) strides[i][at] += own[d]; // twice the same name: a diagonal
        }
    }
    c.output(0, type, {dims.begin(), dims.begin() + std::ptrdiff_t(e.result.size())});
    const std::size_t kept = e.result.size();
    return [=](views in, views out) {
        const extents outer(dims.begin(), dims.begin() + std::ptrdiff_t(kept));
        const extents inner(dims.begin() + std::ptrdiff_t(kept), dims.end());
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            using A = std::conditional_t<is_float_type<T>, double, T>;
            const std::int64_t sums = count_of(inner);
            for (std::int64_t at = 0; at < out[0].count(); ++at) {
                A sum = A(0);
                for (std::int64_t s = 0; s < sums; ++s) {
                    A product = A(1);
                    for (std::size_t i = 0; i < in.size(); ++i) {
                        std::int64_t from = 0, rest = at, rest_sum = s;
                        for (std::size_t d = dims.size(); d-- > kept; rest_sum /= dims[d])
                            from += rest_sum % dims[d] * strides[i][d];
                        for (std::size_t d = kept; d-- > 0; rest /= dims[d])
                            from += rest % dims[d] * strides[i][d];
                        product = product_of(
                            product, A(arithmetic_type<T>(in[i].template data<T>()[from])));
                    }
                    sum = sum_of(sum, product);
                }
                out[0].data<T>()[at] = T(arithmetic_type<T>(sum));
            }
        });
    };
}

} // namespace

operator_table einsum_operators() {
    static const operator_entry table[] = {
        {"Einsum", einsum},
    };
    return table;
}

} // namespace dnnl_onnx
