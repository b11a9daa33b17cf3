// SPDX-License-Identifier: Apache-2.0
// Steps that compute each element of the result from one element of each input.
#pragma once

#include "loops.hpp"

#include <algorithm>

namespace dnnl_onnx {

/// to[i] = function(from[i]), both of the type T; the function works in arithmetic_type<T>.
template <class T, class F> void map_elements(views in, views out, F &&function) {
    using A = arithmetic_type<T>;
    const T *from = in[0].data<T>();
    T *to = out[0].data<T>();
    const std::int64_t count = out[0].count();
    for (std::int64_t i = 0; i < count; ++i) to[i] = T(A(function(A(from[i]))));
}

/// to[i] = function(a[i], b[i]) for elements of the type T; the inputs are broadcast.
template <class T, class R, class F>
void map_pairs(const tensor_view &a, const tensor_view &b, const tensor_view &to, F &&function) {
    using A = arithmetic_type<T>;
    const T *x = a.data<T>(), *y = b.data<T>();
    R *result = to.data<R>();
    const std::int64_t count = to.count();
    if (a.dims() == b.dims()) {
        for (std::int64_t i = 0; i < count; ++i) result[i] = R(function(A(x[i]), A(y[i])));
    } else if (b.count() == 1 && a.count() == count) {
        for (std::int64_t i = 0; i < count; ++i) result[i] = R(function(A(x[i]), A(y[0])));
    } else {
        const extents &dims = to.dims();
        const std::array strides {
            strides_of(dims), broadcast_strides(a.dims(), dims), broadcast_strides(b.dims(), dims)};
        for_each_offset(dims, strides,
            [&](auto at, auto i, auto j) { result[at] = R(function(A(x[i]), A(y[j]))); });
    }
}

} // namespace dnnl_onnx
