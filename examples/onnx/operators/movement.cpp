// SPDX-License-Identifier: Apache-2.0
// Operators that put elements elsewhere and look at none.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace dnnl_onnx {

namespace {

/// Copies elements of any type between strided places of the same extents.
void copy_strided(element_type type, const extents &dims, const std::byte *from,
    const extents &from_strides, std::byte *to, const extents &to_strides) {
    with_bits(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const auto *source = reinterpret_cast<const T *>(from);
        auto *result = reinterpret_cast<T *>(to);
        for_each_offset(dims, std::array {from_strides, to_strides},
            [&](auto at, auto put) { result[put] = source[at]; });
    });
}

host_step concat(op_context &c) {
    const int axis = c.axis("axis", 1, c.rank(0));
    const element_type type = c.in(0).type;
    extents to = c.dims(0);
    for (std::size_t i = 1; i < c.input_count(); ++i) {
        const extents &part = c.dims(i);
        bool fits = part.size() == to.size() && c.in(i).type == type;
        for (int d = 0; fits && d < int(to.size()); ++d) fits = d == axis || part[d] == to[d];
        if (!fits)
            c.fail("input " + std::to_string(i) + ", " + text_of(c.in(i)) + ", does not fit " +
                   text_of(c.in(0)));
        to[axis] += part[axis];
    }
    c.output(0, type, to);
    return [axis, type](views in, views out) {
        const axis_view whole = around(out[0].dims(), axis);
        const std::size_t bytes = size_of(type);
        std::byte *at = out[0].elements;
        for (std::int64_t o = 0; o < whole.outer; ++o)
            for (const tensor_view &part : in) {
                const std::size_t run = std::size_t(part.dims()[axis] * whole.inner) * bytes;
                if (run) std::memcpy(at, part.elements + std::size_t(o) * run, run);
                at += run;
            }
    };
}

host_step split(op_context &c) {
    const int axis = c.axis("axis", 0, c.rank(0));
    const element_type type = c.in(0).type;
    const std::int64_t extent = c.dims(0)[axis], parts = std::int64_t(c.output_count());
    extents sizes = c.integers_at("split", 1, {});
    if (sizes.empty()) {
        const std::int64_t each = (extent + parts - 1) / parts;
        for (std::int64_t at = 0; at < parts; ++at)
            sizes.push_back(std::clamp<std::int64_t>(extent - at * each, 0, each));
    }
    if (std::int64_t(sizes.size()) != parts ||
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t(0)) != extent)
        c.fail("parts of " + text_of(sizes) + " are not the extent " + std::to_string(extent));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        extents part = c.dims(0);
        part[axis] = sizes[i];
        c.output(i, type, part);
    }
    return [axis, type, sizes](views in, views out) {
        const axis_view whole = around(in[0].dims(), axis);
        const std::size_t bytes = size_of(type);
        const std::byte *from = in[0].elements;
        for (std::int64_t o = 0; o < whole.outer; ++o)
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                const std::size_t run = std::size_t(sizes[i] * whole.inner) * bytes;
                if (out[i] && run) std::memcpy(out[i].elements + std::size_t(o) * run, from, run);
                from += run;
            }
    };
}

host_step slice(op_context &c) {
    const int rank = c.rank(0);
    const extents starts = c.integers_at("starts", 1, {}), ends = c.integers_at("ends", 2, {});
    extents axes = c.integers_at("axes", 3, {}), steps(starts.size(), 1);
    if (c.has(4)) steps = c.value(4).integers();
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (ends.size() != starts.size() || axes.size() != starts.size() ||
        steps.size() != starts.size())
        c.fail("its lists of starts, ends, axes and steps differ in length");
    extents to = c.dims(0), strides = strides_of(to);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const int d = c.axis_of(axes[i], rank);
        const std::int64_t extent = c.dims(0)[d], step = steps[i];
        if (step == 0) c.fail("a step is 0");
        const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
        const auto clamped = [&](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? at + extent : at, low, high);
        };
        const std::int64_t start = clamped(starts[i]);
        // An end that is negative still after the extent was added lies before the first element.
        const std::int64_t end = ends[i] < -extent ? low : clamped(ends[i]);
        const std::int64_t span = step > 0 ? end - start : start - end;
        to[d] = span <= 0 ? 0 : (span + std::abs(step) - 1) / std::abs(step);
        offset += start * strides[d];
        strides[d] *= step;
    }
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    return [type, strides, offset](views in, views out) {
        copy_strided(type, out[0].dims(), in[0].elements + offset * std::int64_t(size_of(type)),
            strides, out[0].elements, strides_of(out[0].dims()));
    };
}

host_step transpose(op_context &c) {
    const int rank = c.rank(0);
    extents order = c.integers("perm", {});
    if (order.empty())
        for (int d = rank; d-- > 0;) order.push_back(d);
    if (int(order.size()) != rank) c.fail("its permutation has the wrong length");
    const extents strides = strides_of(c.dims(0));
    extents to(rank), turned(rank);
    std::vector<bool> seen(rank, false);
    for (int d = 0; d < rank; ++d) {
        const int from = c.axis_of(order[d], rank);
        if (seen[from]) c.fail("its permutation names a dimension twice");
        seen[from] = true;
        to[d] = c.dims(0)[from];
        turned[d] = strides[from];
    }
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    return [type, turned](views in, views out) {
        copy_strided(type, out[0].dims(), in[0].elements, turned, out[0].elements,
            strides_of(out[0].dims()));
    };
}

/// Where an element of a padded dimension comes from; -1: the constant.
std::int64_t padded_from(std::int64_t at, std::int64_t extent, const std::string &mode) {
    if (at >= 0 && at < extent) return at;
    if (mode == "edge") return std::clamp<std::int64_t>(at, 0, extent - 1);
    if (mode == "reflect") {
        if (extent == 1) return 0;
        const std::int64_t period = 2 * (extent - 1);
        const std::int64_t in_period = (at % period + period) % period;
        return in_period < extent ? in_period : period - in_period;
    }
    return -1;
}

host_step pad(op_context &c) {
    const int rank = c.rank(0);
    const extents pads = c.integers_at("pads", 1, {});
    const std::string mode = c.text("mode", "constant");
    if (int(pads.size()) != 2 * rank) c.fail("it has " + std::to_string(pads.size()) + " pads");
    if (mode != "constant" && mode != "edge" && mode != "reflect") c.not_there("mode " + mode);
    extents to = c.dims(0);
    for (int d = 0; d < rank; ++d) to[d] += pads[d] + pads[rank + d];
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    const tensor constant = scalar_tensor(type, c.number("value", 0));
    return [=](views in, views out) {
        const bool given = in.size() > 2 && in[2];
        // Per dimension the source of each index of the result, times the stride.
        const extents strides = strides_of(in[0].dims());
        std::vector<extents> from(rank);
        for (int d = 0; d < rank; ++d)
            for (std::int64_t i = 0; i < to[d]; ++i) {
                const std::int64_t at = padded_from(i - pads[d], in[0].dims()[d], mode);
                from[d].push_back(at < 0 ? -1 : at * strides[d]);
            }
        with_bits(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const T filled = given ? *in[2].data<T>() : *constant.data<T>();
            for_each_offset(to, std::array {strides_of(to)}, [&](std::int64_t at) {
                std::int64_t offset = 0, rest = at;
                bool outside = false;
                for (int d = rank; d-- > 0; rest /= to[d]) {
                    const std::int64_t step = from[d][rest % to[d]];
                    outside |= step < 0;
                    offset += step;
                }
                out[0].data<T>()[at] = outside ? filled : in[0].data<T>()[offset];
            });
        });
    };
}

host_step tile(op_context &c) {
    const extents repeats = c.value(1).integers();
    if (int(repeats.size()) != c.rank(0)) c.fail("its repeats have the wrong length");
    // Each dimension twice: the repeats, whose stride is 0, and the extent.
    extents to = c.dims(0), doubled, strides;
    const extents own = strides_of(to);
    for (int d = 0; d < c.rank(0); ++d) {
        doubled.insert(doubled.end(), {repeats[d], to[d]});
        strides.insert(strides.end(), {0, own[d]});
        to[d] *= repeats[d];
    }
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    return [type, doubled, strides](views in, views out) {
        copy_strided(type, doubled, in[0].elements, strides, out[0].elements, strides_of(doubled));
    };
}

/// The input seen under `dims`, its dimensions in another order.
host_step reordered(op_context &c, const extents &dims, const std::vector<int> &order, extents to) {
    const extents strides = strides_of(dims);
    extents turned, extents_turned;
    for (int d : order) {
        turned.push_back(strides[d]);
        extents_turned.push_back(dims[d]);
    }
    const element_type type = c.in(0).type;
    c.output(0, type, std::move(to));
    return [type, turned, extents_turned](views in, views out) {
        copy_strided(type, extents_turned, in[0].elements, turned, out[0].elements,
            strides_of(extents_turned));
    };
}

host_step depth_to_space(op_context &c) {
    const std::int64_t b = *c.required("blocksize").integer;
    const extents &x = c.dims(0);
    if (x.size() != 4 || b < 1 || x[1] % (b * b)) c.fail("blocks of its input " + text_of(x));
    const std::int64_t channels = x[1] / (b * b);
    const extents to {x[0], channels, x[2] * b, x[3] * b};
    if (c.text("mode", "DCR") == "DCR")
        return reordered(c, {x[0], b, b, channels, x[2], x[3]}, {0, 3, 4, 1, 5, 2}, to);
    return reordered(c, {x[0], channels, b, b, x[2], x[3]}, {0, 1, 4, 2, 5, 3}, to);
}

host_step space_to_depth(op_context &c) {
    const std::int64_t b = *c.required("blocksize").integer;
    const extents &x = c.dims(0);
    if (x.size() != 4 || b < 1 || x[2] % b || x[3] % b) c.fail("blocks of its input " + text_of(x));
    return reordered(c, {x[0], x[1], x[2] / b, b, x[3] / b, b}, {0, 3, 5, 1, 2, 4},
        {x[0], x[1] * b * b, x[2] / b, x[3] / b});
}

host_step reverse_sequence(op_context &c) {
    const int time = c.axis("time_axis", 0, c.rank(0)), batch = c.axis("batch_axis", 1, c.rank(0));
    if (time == batch || time > 1 || batch > 1) c.fail("its axes are not the first two");
    const element_type type = c.in(0).type;
    c.output(0, type, c.dims(0));
    return [type, time, batch](views in, views out) {
        const extents &dims = in[0].dims();
        const extents strides = strides_of(dims);
        const std::size_t run = std::size_t(count_of(dims) / dims[0] / dims[1]) * size_of(type);
        const auto *lengths = in[1].data<std::int64_t>();
        for (std::int64_t b = 0; b < dims[batch]; ++b)
            for (std::int64_t t = 0; t < dims[time]; ++t) {
                const std::int64_t from = t < lengths[b] ? lengths[b] - 1 - t : t;
                const auto at = [&](std::int64_t step) {
                    return std::size_t(step * strides[time] + b * strides[batch]) * size_of(type);
                };
                std::memcpy(out[0].elements + at(t), in[0].elements + at(from), run);
            }
    };
}

host_step trilu(op_context &c) {
    const int rank = c.rank(0);
    if (rank < 2) c.fail("its input is no matrix");
    const bool upper = c.integer("upper", 1) != 0;
    const element_type type = c.in(0).type;
    c.output(0, type, c.dims(0));
    return [type, upper](views in, views out) {
        const std::int64_t diagonal = in.size() > 1 && in[1] ? *in[1].data<std::int64_t>() : 0;
        with_bits(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const extents &dims = out[0].dims();
            const std::int64_t columns = dims.back(), rows = dims[dims.size() - 2];
            for (std::int64_t at = 0; at < out[0].count(); ++at) {
                const std::int64_t j = at % columns, i = at / columns % rows;
                const bool kept = upper ? j >= i + diagonal : j <= i + diagonal;
                out[0].data<T>()[at] = kept ? in[0].data<T>()[at] : T(0);
            }
        });
    };
}

host_step where(op_context &c) {
    const extents to = broadcast(c, c.dims(0), broadcast(c, c.dims(1), c.dims(2)));
    const element_type type = c.in(1).type;
    if (c.in(2).type != type) c.fail("its values have different types");
    c.output(0, type, to);
    return [type](views in, views out) {
        with_bits(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const extents &dims = out[0].dims();
            const std::array strides {strides_of(dims), broadcast_strides(in[0].dims(), dims),
                broadcast_strides(in[1].dims(), dims), broadcast_strides(in[2].dims(), dims)};
            for_each_offset(dims, strides, [&](auto at, auto condition, auto x, auto y) {
                out[0].data<T>()[at] =
                    in[0].data<std::uint8_t>()[condition] ? in[1].data<T>()[x] : in[2].data<T>()[y];
            });
        });
    };
}

} // namespace

operator_table movement_operators() {
    static const operator_entry table[] = {
        {"Concat", concat},
        {"DepthToSpace", depth_to_space},
        {"Pad", pad},
        {"ReverseSequence", reverse_sequence},
        {"Slice", slice},
        {"SpaceToDepth", space_to_depth},
        {"Split", split},
        {"Tile", tile},
        {"Transpose", transpose},
        {"Trilu", trilu},
        {"Where", where},
    };
    return table;
}

} // namespace dnnl_onnx
