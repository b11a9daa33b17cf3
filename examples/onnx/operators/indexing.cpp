// SPDX-License-Identifier: Apache-2.0
// Operators that find elements by indices of other tensors.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cstring>

namespace dnnl_onnx {

namespace {

/// An index of a tensor of s32 or s64, counted from the end where it is negative. Throws where it
/// is none of the dimension's, naming the node.
class index_reader {
  public:
    index_reader(const op_context &c, std::size_t input)
        : text_(c.asked.text()), wide_(c.in(input).type == element_type::s64) {
        if (!wide_ && c.in(input).type != element_type::s32)
            c.fail("its indices are " + text_of(c.in(input)));
    }
    std::int64_t operator()(
        const tensor_view &indices, std::int64_t at, std::int64_t extent) const {
        const std::int64_t index =
            wide_ ? indices.data<std::int64_t>()[at] : indices.data<std::int32_t>()[at];
        if (index < -extent || index >= extent)
            throw error(text_ + ": index " + std::to_string(index) + " of a dimension of " +
                        std::to_string(extent));
        return index < 0 ? index + extent : index;
    }

  private:
    std::string text_;
    bool wide_;
};

host_step gather(op_context &c) {
    const int axis = c.axis("axis", 0, c.rank(0));
    const element_type type = c.in(0).type;
    extents to = c.dims(0);
    to.erase(to.begin() + axis);
    to.insert(to.begin() + axis, c.dims(1).begin(), c.dims(1).end());
    c.output(0, type, to);
    return [axis, type, read = index_reader(c, 1)](views in, views out) {
        const axis_view view = around(in[0].dims(), axis);
        const std::size_t run = std::size_t(view.inner) * size_of(type);
        const std::int64_t count = in[1].count();
        for (std::int64_t o = 0; o < view.outer; ++o)
            for (std::int64_t i = 0; i < count; ++i)
                std::memcpy(out[0].elements + std::size_t(o * count + i) * run,
                    in[0].elements +
                        std::size_t(o * view.extent + read(in[1], i, view.extent)) * run,
                    run);
    };
}

host_step gather_elements(op_context &c) {
    const int axis = c.axis("axis", 0, c.rank(0));
    const element_type type = c.in(0).type;
    if (c.rank(1) != c.rank(0)) c.fail("its indices have another rank than its data");
    c.output(0, type, c.dims(1));
    return [axis, type, read = index_reader(c, 1)](views in, views out) {
        extents strides = strides_of(in[0].dims());
        const std::int64_t step = strides[axis], extent = in[0].dims()[axis];
        strides[axis] = 0;
        with_bits(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const extents &dims = in[1].dims();
            for_each_offset(dims, std::array {strides_of(dims), strides}, [&](auto at, auto from) {
                out[0].data<T>()[at] = in[0].data<T>()[from + read(in[1], at, extent) * step];
            });
        });
    };
}

host_step gather_nd(op_context &c) {
    const extents &data = c.dims(0), &indices = c.dims(1);
    const std::int64_t batch = c.integer("batch_dims", 0);
    if (indices.empty() || batch < 0 || batch >= std::int64_t(indices.size()) ||
        batch + indices.back() > std::int64_t(data.size()))
        c.fail("indices " + text_of(indices) + " of data " + text_of(data));
    const std::int64_t depth = indices.back();
    extents to(indices.begin(), indices.end() - 1);
    to.insert(to.end(), data.begin() + batch + depth, data.end());
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    return [=, read = index_reader(c, 1)](views in, views out) {
        const extents &dims = in[0].dims(), &list = in[1].dims();
        const extents strides = strides_of(dims);
        const std::int64_t rest = count_of({dims.begin() + batch + depth, dims.end()});
        const std::size_t run = std::size_t(rest) * size_of(type);
        const std::int64_t batches = count_of({list.begin(), list.begin() + batch});
        const std::int64_t each =
            batches ? in[1].count() / std::max<std::int64_t>(depth, 1) / batches : 0;
        const std::int64_t whole = batches ? in[0].count() / batches : 0;
        for (std::int64_t at = 0; at < batches * each; ++at) {
            std::int64_t from = at / each * whole;
            for (std::int64_t k = 0; k < depth; ++k)
                from += read(in[1], at * depth + k, dims[batch + k]) * strides[batch + k];
            std::memcpy(out[0].elements + std::size_t(at) * run,
                in[0].elements + std::size_t(from) * size_of(type), run);
        }
    };
}

/// How an element that is scattered meets the one that is there.
enum class meeting { replaces, adds, multiplies, largest, smallest };

meeting meeting_of(const op_context &c) {
    const std::string text = c.text("reduction", "none");
    if (text == "none") return meeting::replaces;
    if (text == "add") return meeting::adds;
    if (text == "mul") return meeting::multiplies;
    if (text == "max") return meeting::largest;
    if (text == "min") return meeting::smallest;
    c.fail("its attribute reduction is '" + text + "'");
}

template <class T> void meet(meeting how, T &there, const T &comes) {
    using A = arithmetic_type<T>;
    switch (how) {
    case meeting::replaces: there = comes; break;
    case meeting::adds: there = T(sum_of(A(there), A(comes))); break;
    case meeting::multiplies: there = T(product_of(A(there), A(comes))); break;
    case meeting::largest: there = T(std::max(A(there), A(comes))); break;
    case meeting::smallest: there = T(std::min(A(there), A(comes))); break;
    }
}

host_step scatter_elements(op_context &c) {
    const int axis = c.axis("axis", 0, c.rank(0));
    const element_type type = c.in(0).type;
    const meeting how = meeting_of(c);
    if (c.dims(1) != c.dims(2) || c.rank(1) != c.rank(0))
        c.fail("indices " + text_of(c.dims(1)) + " of updates " + text_of(c.dims(2)));
    for (int d = 0; d < c.rank(0); ++d)
        if (d != axis && c.dims(1)[d] > c.dims(0)[d]) c.fail("it has more indices than data");
    c.output(0, type, c.dims(0));
    return [axis, type, how, read = index_reader(c, 1)](views in, views out) {
        std::copy_n(in[0].elements, in[0].type->bytes(), out[0].elements);
        extents strides = strides_of(in[0].dims());
        const std::int64_t step = strides[axis], extent = in[0].dims()[axis];
        strides[axis] = 0;
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const extents &dims = in[1].dims();
            for_each_offset(dims, std::array {strides_of(dims), strides}, [&](auto at, auto to) {
                meet(how, out[0].data<T>()[to + read(in[1], at, extent) * step],
                    in[2].data<T>()[at]);
            });
        });
    };
}

host_step scatter_nd(op_context &c) {
    const extents &data = c.dims(0), &indices = c.dims(1);
    if (indices.empty() || indices.back() > std::int64_t(data.size()))
        c.fail("indices " + text_of(indices) + " of data " + text_of(data));
    extents wanted(indices.begin(), indices.end() - 1);
    wanted.insert(wanted.end(), data.begin() + indices.back(), data.end());
    if (c.dims(2) != wanted) c.fail("its updates have the extents " + text_of(c.dims(2)));
    const element_type type = c.in(0).type;
    const meeting how = meeting_of(c);
    c.output(0, type, data);
    return [type, how, read = index_reader(c, 1)](views in, views out) {
        std::copy_n(in[0].elements, in[0].type->bytes(), out[0].elements);
        const extents &dims = in[0].dims();
        const extents strides = strides_of(dims);
        const std::int64_t depth = in[1].dims().back();
        const std::int64_t run = count_of({dims.begin() + depth, dims.end()});
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t at = 0; run && at < in[2].count() / run; ++at) {
                std::int64_t to = 0;
                for (std::int64_t k = 0; k < depth; ++k)
                    to += read(in[1], at * depth + k, dims[k]) * strides[k];
                for (std::int64_t i = 0; i < run; ++i)
                    meet(how, out[0].data<T>()[to + i], in[2].data<T>()[at * run + i]);
            }
        });
    };
}

host_step one_hot(op_context &c) {
    const std::int64_t depth = c.value(1).integers().at(0);
    const int rank = c.rank(0) + 1, axis = c.axis("axis", -1, rank);
    const element_type type = c.in(2).type, index_type = c.in(0).type;
    extents to = c.dims(0);
    to.insert(to.begin() + axis, depth);
    c.output(0, type, to);
    return [=](views in, views out) {
        const axis_view view = around(to, axis);
        std::vector<std::int64_t> indices;
        with_number(index_type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < in[0].count(); ++i)
                indices.push_back(std::int64_t(arithmetic_type<T>(in[0].data<T>()[i])));
        });
        with_bits(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const T off = in[2].data<T>()[0], on = in[2].data<T>()[1];
            std::fill_n(out[0].data<T>(), out[0].count(), off);
            for (std::int64_t o = 0; o < view.outer; ++o)
                for (std::int64_t n = 0; n < view.inner; ++n) {
                    std::int64_t index = indices[o * view.inner + n];
                    if (index < 0) index += depth;
                    if (index < 0 || index >= depth) continue;
                    out[0].data<T>()[(o * depth + index) * view.inner + n] = on;
                }
        });
    };
}

} // namespace

operator_table indexing_operators() {
    static const operator_entry table[] = {
        {"Gather", gather},
        {"GatherElements", gather_elements},
        {"GatherND", gather_nd},
        {"OneHot", one_hot},
        {"Scatter", scatter_elements},
        {"ScatterElements", scatter_elements},
        {"ScatterND", scatter_nd},
    };
    return table;
}

} // namespace dnnl_onnx
