// SPDX-License-Identifier: Apache-2.0
// Operators whose results are extents, or the elements of an input under other extents.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dnnl_onnx {

namespace {

/// The output has the first input's elements under other extents.
void copy_first(views in, views out) {
    if (out[0].count()) std::memcpy(out[0].elements, in[0].elements, out[0].type->bytes());
}

host_step shape(op_context &c) {
    const int rank = c.rank(0);
    const auto clamped = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t start = clamped(c.integer("start", 0)),
                       end = clamped(c.integer("end", rank));
    extents part;
    if (start < end) part.assign(c.dims(0).begin() + start, c.dims(0).begin() + end);
    c.output(0, element_type::s64, {std::int64_t(part.size())});
    return [part](views, views out) {
        std::copy(part.begin(), part.end(), out[0].data<std::int64_t>());
    };
}

host_step size(op_context &c) {
    const std::int64_t count = c.in(0).count();
    c.output(0, element_type::s64, {});
    return [count](views, views out) { *out[0].data<std::int64_t>() = count; };
}

host_step constant_of(op_context &c, const tensor &elements) {
    c.output(0, elements.type().type, elements.dims());
    return [elements](views, views out) {
        if (elements.count())
            std::memcpy(out[0].elements, elements.bytes(), elements.type().bytes());
    };
}

host_step constant(op_context &c) {
    if (c.has_attribute("value")) return constant_of(c, c.required("value").constant);
    if (c.has_attribute("value_int"))
        return constant_of(c, integers_tensor({c.integer("value_int", 0)}).reshaped({}));
    if (c.has_attribute("value_ints"))
        return constant_of(c, integers_tensor(c.integers("value_ints", {})));
    if (c.has_attribute("value_float"))
        return constant_of(c, floats_tensor({c.number("value_float", 0)}).reshaped({}));
    if (c.has_attribute("value_floats"))
        return constant_of(c, floats_tensor(c.numbers("value_floats", {})));
    c.not_there("its value is no tensor of numbers");
}

host_step constant_of_shape(op_context &c) {
    tensor value = scalar_tensor(element_type::f32, 0);
    if (c.has_attribute("value")) value = c.required("value").constant;
    if (value.count() != 1) c.fail("its value has more than one element");
    c.output(0, value.type().type, c.value(0).integers());
    return [value](views, views out) {
        const std::size_t bytes = size_of(value.type().type);
        for (std::int64_t i = 0; i < out[0].count(); ++i)
            std::memcpy(out[0].elements + std::size_t(i) * bytes, value.bytes(), bytes);
    };
}

host_step range(op_context &c) {
    const element_type type = c.in(0).type;
    const double start = c.value(0).numbers().at(0), limit = c.value(1).numbers().at(0),
                 delta = c.value(2).numbers().at(0);
    if (delta == 0) c.fail("its step is 0");
    const double count = std::ceil((limit - start) / delta);
    c.output(0, type, {number_as<std::int64_t>(std::max(count, 0.0))});
    return [type](views in, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            using A = arithmetic_type<T>;
            const A first = *in[0].data<T>(), step = *in[2].data<T>();
            for (std::int64_t i = 0; i < out[0].count(); ++i)
                out[0].data<T>()[i] = T(sum_of(first, product_of(A(i), step)));
        });
    };
}

host_step reshape(op_context &c) {
    extents to = c.opset < 5 ? c.integers("shape", {}) : c.value(1).integers();
    const bool zero_is_zero = c.integer("allowzero", 0) != 0;
    const std::int64_t count = c.in(0).count();
    std::int64_t known = 1;
    int open = -1;
    for (std::size_t d = 0; d < to.size(); ++d) {
        if (to[d] == 0 && !zero_is_zero) {
            if (int(d) >= c.rank(0)) c.fail("there is no extent to keep in " + text_of(to));
            to[d] = c.dims(0)[d];
        }
        if (to[d] == -1) {
            if (open >= 0) c.fail("two extents of " + text_of(to) + " are open");
            open = int(d);
        } else {
            known *= to[d];
        }
    }
    if (open >= 0) {
        if (known == 0 || count % known != 0)
            c.fail(text_of(c.dims(0)) + " cannot have the extents " + text_of(to));
        to[open] = count / known;
    }
    c.output(0, c.in(0).type, to);
    if (count_of(to) != count)
        c.fail(text_of(c.dims(0)) + " cannot have the extents " + text_of(to));
    return copy_first;
}

host_step flatten(op_context &c) {
    const int rank = c.rank(0);
    const std::int64_t axis = c.integer("axis", 1), from = axis < 0 ? axis + rank : axis;
    if (from < 0 || from > rank) c.fail("axis " + std::to_string(axis) + " is none of its input's");
    const auto &dims = c.dims(0);
    c.output(0, c.in(0).type,
        {count_of({dims.begin(), dims.begin() + from}),
            count_of({dims.begin() + from, dims.end()})});
    return copy_first;
}

host_step squeeze(op_context &c) {
    const extents axes = c.integers_at("axes", 1, {});
    std::vector<bool> gone(c.rank(0), false);
    for (std::int64_t axis : axes) {
        const int d = c.axis_of(axis, c.rank(0));
        if (c.dims(0)[d] != 1)
            c.fail("dimension " + std::to_string(axis) + " of " + text_of(c.dims(0)) + " is not 1");
        gone[d] = true;
    }
    extents to;
    for (int d = 0; d < c.rank(0); ++d)
        if (axes.empty() ? c.dims(0)[d] != 1 : !gone[d]) to.push_back(c.dims(0)[d]);
    c.output(0, c.in(0).type, to);
    return copy_first;
}

host_step unsqueeze(op_context &c) {
    const extents axes = c.integers_at("axes", 1, {});
    const int rank = c.rank(0) + int(axes.size());
    std::vector<bool> added(rank, false);
    for (std::int64_t axis : axes) {
        const int d = c.axis_of(axis, rank);
        if (added[d]) c.fail("an axis is named twice");
        added[d] = true;
    }
    extents to;
    for (int d = 0, from = 0; d < rank; ++d) to.push_back(added[d] ? 1 : c.dims(0)[from++]);
    c.output(0, c.in(0).type, to);
    return copy_first;
}

host_step identity(op_context &c) {
    c.output(0, c.in(0).type, c.dims(0));
    return copy_first;
}

host_step expand(op_context &c) {
    const extents to = broadcast(c, c.dims(0), c.value(1).integers());
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    return [type](views in, views out) {
        with_bits(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const std::array strides {
                strides_of(out[0].dims()), broadcast_strides(in[0].dims(), out[0].dims())};
            for_each_offset(out[0].dims(), strides,
                [&](auto at, auto from) { out[0].data<T>()[at] = in[0].data<T>()[from]; });
        });
    };
}

host_step eye_like(op_context &c) {
    if (c.rank(0) != 2) c.fail("its input is no matrix");
    const auto type = element_type(c.integer("dtype", std::int64_t(c.in(0).type)));
    const std::int64_t diagonal = c.integer("k", 0);
    c.output(0, type, c.dims(0));
    return [type, diagonal](views, views out) {
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const std::int64_t rows = out[0].dims()[0], columns = out[0].dims()[1];
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < columns; ++j)
                    out[0].data<T>()[i * columns + j] = T(arithmetic_type<T>(j == i + diagonal));
        });
    };
}

} // namespace

operator_table shape_operators() {
    static const operator_entry table[] = {
        {"Constant", constant},
        {"ConstantOfShape", constant_of_shape},
        {"Expand", expand},
        {"EyeLike", eye_like},
        {"Flatten", flatten},
        {"Identity", identity},
        {"Range", range},
        {"Reshape", reshape},
        {"Shape", shape},
        {"Size", size},
        {"Squeeze", squeeze},
        {"Unsqueeze", unsqueeze},
    };
    return table;
}

} // namespace dnnl_onnx
