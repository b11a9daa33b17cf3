// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include "../model/error.hpp"

#include <algorithm>
#include <numeric>

namespace dnnl_onnx {

using dnnl::memory;

memory::data_type library_type(element_type type) {
    switch (type) {
    case element_type::f32: return memory::data_type::f32;
    case element_type::f16: return memory::data_type::f16;
    case element_type::bf16: return memory::data_type::bf16;
    case element_type::s32: return memory::data_type::s32;
    case element_type::s8: return memory::data_type::s8;
    case element_type::boolean:
    case element_type::u8: return memory::data_type::u8;
    default: return memory::data_type::undef;
    }
}

bool has_library_type(element_type type) { return library_type(type) != memory::data_type::undef; }

namespace {

memory::desc ordered_desc(
    const extents &dims, memory::data_type type, const std::vector<int> &slowest_first) {
    extents strides(dims.size());
    std::int64_t step = 1;
    for (std::size_t i = slowest_first.size(); i-- > 0;) {
        strides[slowest_first[i]] = step;
        step *= std::max<std::int64_t>(dims[slowest_first[i]], 1);
    }
    return memory::desc(dims, type, strides);
}

} // namespace

memory::desc plain_desc(const extents &dims, memory::data_type type) {
    const extents at_least_one = dims.empty() ? extents {1} : dims;
    if (at_least_one.size() > DNNL_MAX_NDIMS)
        throw unsupported("a tensor of " + std::to_string(dims.size()) + " dimensions");
    std::vector<int> order(at_least_one.size());
    std::iota(order.begin(), order.end(), 0);
    return ordered_desc(at_least_one, type, order);
}

memory::desc plain_desc(const tensor_type &type) {
    if (!has_library_type(type.type)) return {};
    return plain_desc(type.dims, library_type(type.type));
}

memory::desc any_desc(const extents &dims, memory::data_type type) {
    return memory::desc(dims, type, memory::format_tag::any);
}

memory::desc channels_last_desc(const extents &dims, memory::data_type type) {
    std::vector<int> order {0};
    for (int d = 2; d < int(dims.size()); ++d) order.push_back(d);
    order.push_back(1);
    return ordered_desc(dims, type, order);
}

bool is_strided(const memory::desc &desc) {
    return desc.get_format_kind() == memory::format_kind::blocked && desc.get_inner_nblks() == 0 &&
           desc.get_padded_dims() == desc.get_dims();
}

bool is_plain(const memory::desc &desc) {
    return is_strided(desc) && desc == plain_desc(desc.get_dims(), desc.get_data_type());
}

memory::desc compact_desc(const memory::desc &desc) { return ordered_like(desc, desc.get_dims()); }

memory::desc ordered_like(const memory::desc &model, const extents &result) {
    const extents dims = model.get_dims(), strides = model.get_strides();
    std::vector<int> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    // Dimensions of extent 1 take part in no order: they keep their place among the others.
    for (std::size_t i = 1; i < order.size(); ++i)
        for (std::size_t j = i; j > 0; --j) {
            const int a = order[j - 1], b = order[j];
            if (dims[a] == 1 || dims[b] == 1 || strides[a] >= strides[b]) break;
            std::swap(order[j - 1], order[j]);
        }
    return ordered_desc(result, model.get_data_type(), order);
}

std::optional<extents> reshaped_strides(
    const extents &dims, const extents &strides, const extents &to) {
    // Dimensions of the source without those of extent 1, neighbours joined where one stride
    // follows from the other.
    struct run {
        std::int64_t extent, stride;
    };
    std::vector<run> runs;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        if (dims[d] == 1) continue;
        if (!runs.empty() && runs.back().stride == dims[d] * strides[d])
            runs.back() = {runs.back().extent * dims[d], strides[d]};
        else
            runs.push_back({dims[d], strides[d]});
    }
    extents result(to.size());
    std::int64_t left = 1, step = 1;
    for (std::size_t d = to.size(); d-- > 0;) {
        if (to[d] == 1) {
            result[d] = step;
            continue;
        }
        if (left == 1) {
            if (runs.empty()) return std::nullopt;
            left = runs.back().extent;
            step = runs.back().stride;
            runs.pop_back();
        }
        if (left % to[d] != 0) return std::nullopt;
        result[d] = step;
        left /= to[d];
        step *= to[d];
    }
    if (left != 1 || !runs.empty()) return std::nullopt;
    return result;
}

memory::desc with_rank(const memory::desc &desc, int rank) {
    extents dims = desc.get_dims();
    if (int(dims.size()) >= rank) return desc;
    dims.insert(dims.begin(), std::size_t(rank) - dims.size(), 1);
    return desc.reshape(dims);
}

std::string text_of(const memory::desc &desc) {
    if (desc.is_zero()) return "plain";
    static const char *const types[] = {"undef", "f16", "bf16", "f32", "s32", "s8", "u8"};
    const auto type = std::size_t(desc.get_data_type());
    std::string text = type < std::size(types) ? types[type] : "other";
    const extents dims = desc.get_dims();
    if (is_strided(desc)) {
        const extents strides = desc.get_strides();
        std::vector<int> order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
            [&](int a, int b) { return dims[a] != 1 && dims[b] != 1 && strides[a] > strides[b]; });
        text += " ";
        for (int d : order) text += char('a' + d);
    } else {
        text += " blocked";
    }
    for (std::size_t d = 0; d < dims.size(); ++d) text += (d ? "x" : " ") + std::to_string(dims[d]);
    return text;
}

} // namespace dnnl_onnx
