// SPDX-License-Identifier: Apache-2.0
// The extents of products. Primitives compute them; matrices of 32- and 64-bit integers and of f64,
// for which there are none, are multiplied here.
#include "products.hpp"

#include "loops.hpp"
#include "tables.hpp"
#include "window.hpp"

#include <algorithm>

namespace dnnl_onnx {

void tell_convolution(op_context &c, std::size_t src, std::size_t weights, element_type type) {
    const extents &x = c.dims(src), &w = c.dims(weights);
    if (x.size() < 3 || w.size() != x.size())
        c.fail("a convolution of " + text_of(x) + " with weights " + text_of(w));
    const std::int64_t groups = c.integer("group", 1);
    if (groups < 1 || x[1] != w[1] * groups || w[0] % groups != 0)
        c.fail("weights " + text_of(w) + " in " + std::to_string(groups) +
               " groups do not fit the input " + text_of(x));
    if (c.has_attribute("kernel_shape") && c.integers("kernel_shape", {}) != spatial(w))
        c.fail("its attribute kernel_shape differs from the weights " + text_of(w));
    const window window = window_of(c, spatial(x), spatial(w));
    extents to {x[0], w[0]};
    for (std::int64_t extent : window.result(spatial(x))) to.push_back(extent);
    c.output(0, type, to);
}

extents product_extents(const op_context &c, extents a, extents b) {
    if (a.empty() || b.empty()) c.fail("a factor is a scalar");
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    if (a.back() != b[b.size() - 2])
        c.fail("matrices of extents " + text_of(a) + " and " + text_of(b) + " do not fit");
    extents to = broadcast(c, {a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (!row) to.push_back(a[a.size() - 2]);
    if (!column) to.push_back(b.back());
    return to;
}

namespace {

bool has_primitive(element_type type) { return is_float(type) && type != element_type::f64; }

host_step conv(op_context &c) {
    tell_convolution(c, 0, 1, c.in(0).type);
    if (c.has(2) && c.dims(2) != extents {c.dims(1)[0]})
        c.fail("its bias has the extents " + text_of(c.dims(2)));
    if (!has_primitive(c.in(0).type)) c.not_there("there is no convolution of " + text_of(c.in(0)));
    return {};
}

host_step conv_transpose(op_context &c) {
    const extents &x = c.dims(0), &w = c.dims(1);
    const std::int64_t groups = c.integer("group", 1);
    if (x.size() < 3 || w.size() != x.size() || groups < 1 || x[1] != w[0] || w[0] % groups)
        c.fail("a transposed convolution of " + text_of(x) + " with weights " + text_of(w));
    extents result;
    transposed_window_of(c, spatial(x), spatial(w), result);
    result.insert(result.begin(), {x[0], w[1] * groups});
    c.output(0, c.in(0).type, result);
    if (!has_primitive(c.in(0).type))
        c.not_there("there is no transposed convolution of " + text_of(c.in(0)));
    return {};
}

template <class T>
void multiply(const tensor_view &a, const tensor_view &b, const tensor_view &to) {
    extents x = a.dims(), y = b.dims(), z = to.dims();
    if (x.size() == 1) x.insert(x.begin(), 1), z.insert(z.end() - (y.size() > 1), 1);
    if (y.size() == 1) y.push_back(1), z.push_back(1);
    const std::int64_t m = x[x.size() - 2], k = x.back(), n = y.back();
    const auto batch = [](const extents &e) { return extents(e.begin(), e.end() - 2); };
    std::array<extents, 3> steps {broadcast_strides(batch(x), batch(z)),
        broadcast_strides(batch(y), batch(z)), strides_of(batch(z))};
    for_each_offset(batch(z), steps, [&](auto from_a, auto from_b, auto at) {
        const T *p = a.data<T>() + from_a * m * k, *q = b.data<T>() + from_b * k * n;
        T *r = to.data<T>() + at * m * n;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                T sum {};
                for (std::int64_t l = 0; l < k; ++l)
                    sum = sum_of(sum, product_of(p[i * k + l], q[l * n + j]));
                r[i * n + j] = sum;
            }
    });
}

host_step matmul(op_context &c) {
    const element_type type = c.in(0).type;
    c.output(0, type, product_extents(c, c.dims(0), c.dims(1)));
    if (c.in(1).type != type) c.fail("its factors have different types");
    if (has_primitive(type)) return {};
    return [type](views in, views out) {
        switch (type) {
        case element_type::f64: return multiply<double>(in[0], in[1], out[0]);
        case element_type::s32: return multiply<std::int32_t>(in[0], in[1], out[0]);
        case element_type::u32: return multiply<std::uint32_t>(in[0], in[1], out[0]);
        case element_type::s64: return multiply<std::int64_t>(in[0], in[1], out[0]);
        case element_type::u64: return multiply<std::uint64_t>(in[0], in[1], out[0]);
        default: no_such_type(type);
        }
    };
}

host_step gemm(op_context &c) {
    if (c.rank(0) != 2 || c.rank(1) != 2) c.fail("its factors are no matrices");
    const bool ta = c.integer("transA", 0) != 0, tb = c.integer("transB", 0) != 0;
    const extents &a = c.dims(0), &b = c.dims(1);
    if (a[ta ? 0 : 1] != b[tb ? 1 : 0])
        c.fail("matrices of extents " + text_of(a) + " and " + text_of(b) + " do not fit");
    const extents to {a[ta ? 1 : 0], b[tb ? 0 : 1]};
    if (c.has(2) && broadcast(c, c.dims(2), to) != to)
        c.fail("a summand of extents " + text_of(c.dims(2)) + " does not fit");
    c.output(0, c.in(0).type, to);
    if (!has_primitive(c.in(0).type)) c.not_there("there is no product of " + text_of(c.in(0)));
    return {};
}

} // namespace

operator_table product_operators() {
    static const operator_entry table[] = {
        {"Conv", conv},
        {"ConvTranspose", conv_transpose},
        {"Gemm", gemm},
        {"MatMul", matmul},
    };
    return table;
}

} // namespace dnnl_onnx
