// SPDX-License-Identifier: Apache-2.0
#include "questions.hpp"

#include <cstring>

#include "dnnl/dnnl_debug.h"

namespace facts {
namespace {

using namespace dnnl;

bool takes(const subject &s, const std::vector<memory::desc> &descs, const primitive_attr &attr) {
    return bool(s.create(descs, attr));
}
/// True where the request with the types of `c` is taken with these attributes.
bool takes(const subject &s, const configuration &c, const primitive_attr &attr) {
    return takes(s, descriptors(s, c.types), attr);
}
/// The attribute that `change` sets; false where the setter refuses it.
template <class Change>
bool takes_with(const subject &s, const configuration &c, const Change &change) {
    try {
        primitive_attr attr;
        change(attr);
        return takes(s, c, attr);
    } catch (const error &) {
        return false;
    }
}

// ---- Scales and zero points ----

using setter = std::function<void(
    primitive_attr &, int arg, int mask, const memory::dims &groups, type, bool on_host)>;

/// What `set` may say of each tensor: masks, groups, types of the values, values on the host.
json quantization(const subject &s, const configuration &c, const setter &set, type usual) {
    json all = json::array();
    for (const tensor &t : s.tensors) {
        const auto taken = [&](int mask, const memory::dims &groups, type values, bool on_host) {
            return takes_with(s, c,
                [&](primitive_attr &attr) { set(attr, t.arg, mask, groups, values, on_host); });
        };
        json masks = json::array(), types = json::array(), groups = json::array();
        const int all_dimensions = (1 << t.extents.size()) - 1;
        for (int mask = 0; mask <= all_dimensions; ++mask)
            if (taken(mask, {}, usual, false)) masks.push_back(mask);
        const auto in_groups = [&](const memory::dims &lengths) {
            if (t.extents.size() != 2) return;
            for (const type values : every_type())
                if (taken(all_dimensions, lengths, values, false)) {
                    groups.push_back(
                        std::to_string(lengths[0]) + " x " + std::to_string(lengths[1]));
                    return;
                }
        };
        in_groups({32, 1});
        in_groups({1, 32});
        if (masks.empty() && groups.empty()) continue;
        for (const type values : every_type()) {
            bool any = taken(0, {}, values, false);
            for (const json &mask : masks) any = any || taken(mask, {}, values, false);
            if (!groups.empty()) {
                any = any || taken(all_dimensions, {32, 1}, values, false);
                any = any || taken(all_dimensions, {1, 32}, values, false);
            }
            if (any) types.push_back(name_of(values));
        }
        all.push_back({{"tensor", t.name}, {"dimensions", t.dimensions}, {"masks", masks},
            {"groups", groups}, {"types", types}, {"host", taken(0, {}, usual, true)}});
    }
    return all;
}

// ---- Post-ops ----

using appender = std::function<void(post_ops &)>;

json post_operations(const subject &s, const configuration &c) {
    const memory::dims &dst = s.tensors.back().extents;
    const auto of_dst = [&](bool whole, type t) {
        memory::dims extents = dst;
        if (!whole)
            for (std::size_t d = 0; d < extents.size(); ++d)
                if (d != 1) extents[d] = 1;
        return row_major(extents, t);
    };
    const std::vector<std::pair<const char *, appender>> kinds {
        {"sum", [](post_ops &ops) { ops.append_sum(0.5f); }},
        {"eltwise", [](post_ops &ops) { ops.append_eltwise(algorithm::eltwise_tanh, 0.f, 0.f); }},
        {"eltwise (relu alone)",
            [](post_ops &ops) { ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f); }},
        {"binary",
            [&](post_ops &ops) {
                ops.append_binary(algorithm::binary_add, of_dst(false, type::f32));
            }},
        {"select",
            [&](post_ops &ops) {
                ops.append_binary(
                    algorithm::binary_select, of_dst(true, type::f32), of_dst(true, type::s8));
            }},
        {"prelu", [](post_ops &ops) { ops.append_prelu(1 << 1); }},
        {"depthwise convolution",
            [](post_ops &ops) { ops.append_dw(type::f32, type::f32, type::f32, 3, 1, 1); }}};
    json all = json::array();
    for (const auto &[name, append] : kinds) {
        if (std::strstr(name, "relu alone") && !all.empty() && all.back() == "eltwise") continue;
        const bool taken = takes_with(s, c, [&, &append = append](primitive_attr &attr) {
            post_ops ops;
            append(ops);
            attr.set_post_ops(ops);
        });
        if (taken) all.push_back(name);
    }
    return all;
}

/// Attributes that are taken beside quantisation and post-ops.
json others(const subject &s, const configuration &c) {
    json all = json::array();
    const auto ask = [&](const char *name, const std::function<void(primitive_attr &)> &change) {
        if (takes_with(s, c, change)) all.push_back(name);
    };
    const memory::desc dst = descriptors(s, c.types).back();
    ask("dropout", [&](primitive_attr &attr) {
        attr.set_dropout(memory::desc(dst.get_dims(), type::u8, dst.get_strides()));
    });
    ask("stochastic rounding of dst", [&](primitive_attr &attr) {
        attr.set_rounding_mode(s.tensors.back().arg, rounding_mode::stochastic);
    });
    ask("sums of src from the user", [&](primitive_attr &attr) {
        attr.set_zero_points_mask(DNNL_ARG_WEIGHTS, 1 << 1);
        attr.set_precomputed_reductions(DNNL_ARG_SRC, 3, {1, 64});
    });
    return all;
}

// ---- In place ----

/// Every argument that the primitive has a descriptor for, with a memory of its own.
std::unordered_map<int, memory> memories_of(const primitive_desc_base &pd) {
    std::unordered_map<int, memory> all;
    for (int arg = 1; arg < DNNL_ARG_MULTIPLE_SRC + 2; ++arg) {
        const memory::desc md = pd.query_md(query::exec_arg_md, arg);
        if (md.is_zero()) continue;
        all[arg] = memory(md, cpu());
        std::memset(all[arg].get_data_handle(), 0, md.get_size());
    }
    return all;
}

bool runs_in_place(const primitive_desc_base &pd, int output, int input) {
    std::unordered_map<int, memory> arguments = memories_of(pd);
    if (!arguments.count(output) || !arguments.count(input)) return false;
    arguments[output] = arguments[input];
    stream s(cpu());
    try {
        primitive(pd).execute(s, arguments);
        s.wait();
        return true;
    } catch (const error &) {
        return false;
    }
}

} // namespace

std::string name_of(type t) { return dnnl_dt2str(memory::convert_to_c(t)); }

json types_taken(const subject &s) {
    json all = json::array();
    std::vector<std::size_t> chosen(s.tensors.size());
    for (bool more = true; more;) {
        std::vector<type> types;
        json names = json::array();
        for (const std::size_t i : chosen) {
            types.push_back(s.types[i]);
            names.push_back(name_of(s.types[i]));
        }
        bool taken = false;
        try {
            taken = takes(s, descriptors(s, types), primitive_attr());
        } catch (const error &) {}
        if (taken) all.push_back(names);
        more = false; // until the next combination is found
        for (std::size_t i = chosen.size(); i > 0 && !more; --i) {
            more = ++chosen[i - 1] < s.types.size();
            if (!more) chosen[i - 1] = 0;
        }
    }
    return all;
}

json attributes_taken(const subject &s, const configuration &c) {
    const setter scales = [](primitive_attr &attr, int arg, int mask, const memory::dims &groups,
                              type values, bool on_host) {
        attr.set_scales(arg, mask, groups, values, on_host);
    };
    const setter zero_points = [](primitive_attr &attr, int arg, int mask,
                                   const memory::dims &groups, type values, bool on_host) {
        attr.set_zero_points(arg, mask, groups, values, on_host);
    };
    return {{"types", c.name}, {"scales", quantization(s, c, scales, type::f32)},
        {"zero_points", quantization(s, c, zero_points, type::s32)},
        {"post_ops", post_operations(s, c)}, {"others", others(s, c)}};
}

json layouts_taken(const subject &s, const configuration &c) {
    json open = json::array(), in_place = json::array();
    for (std::size_t i = 0; i < s.tensors.size(); ++i)
        if (takes(s, descriptors(s, c.types, int(i)), primitive_attr()))
            open.push_back(s.tensors[i].name);
    const primitive_desc_base pd = s.create(descriptors(s, c.types), primitive_attr());
    for (const tensor &output : s.tensors)
        for (const tensor &input : s.tensors)
            if (pd && is_output(output.arg) && !is_output(input.arg) &&
                output.extents == input.extents && runs_in_place(pd, output.arg, input.arg))
                in_place.push_back({output.name, input.name});
    return {{"any", open}, {"in_place", in_place}};
}

} // namespace facts
