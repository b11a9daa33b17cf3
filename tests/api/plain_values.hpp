// SPDX-License-Identifier: Apache-2.0
// Memories of any type and layout from numbers in row-major order, and back. C++11.
#pragma once

#include <algorithm>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

/// The row-major layout of md's dims, in f32.
inline dnnl::memory::desc row_major(const dnnl::memory::desc &md) {
    const dnnl::memory::dims all = md.get_dims();
    dnnl::memory::dims strides(all.size(), 1);
    for (size_t d = all.size(); d-- > 1;)
        strides[d - 1] = strides[d] * std::max<dnnl::memory::dim>(all[d], 1);
    return dnnl::memory::desc(all, dnnl::memory::data_type::f32, strides);
}

inline void copy(const dnnl::memory &from, const dnnl::memory &to) {
    dnnl::stream s(from.get_engine());
    dnnl::reorder(from, to).execute(
        s, const_cast<dnnl::memory &>(from), const_cast<dnnl::memory &>(to));
    s.wait();
}

/// A memory of md, whose dims have as many elements as there are values.
inline dnnl::memory made_of(
    const std::vector<float> &values, const dnnl::memory::desc &md, const dnnl::engine &eng) {
    const dnnl::memory plain(row_major(md), eng), to(md, eng);
    std::copy(values.begin(), values.end(), static_cast<float *>(plain.get_data_handle()));
    copy(plain, to);
    return to;
}

inline std::vector<float> values_of(const dnnl::memory &from) {
    const dnnl::memory plain(row_major(from.get_desc()), from.get_engine());
    copy(from, plain);
    const float *const values = static_cast<const float *>(plain.get_data_handle());
    return std::vector<float>(values, values + plain.get_desc().get_size() / sizeof(float));
}

/// The number of elements of md.
inline size_t count_of(const dnnl::memory::desc &md) {
    return row_major(md).get_size() / sizeof(float);
}

} // namespace
