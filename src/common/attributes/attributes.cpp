// SPDX-License-Identifier: Apache-2.0
// Look-up of scales and zero points.
#include "common/attributes/attributes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

bool dnnl_primitive_attr::has_default_values() const {
    return scales.empty() && zero_points.empty() && post_ops.entries.empty() &&
           stochastic_rounding.empty() && dropout.is_zero() && rnn.is_default();
}

namespace dnnl::impl {

const quantization *quantization_params::find(int arg) const {
    for (const quantization &entry : entries_)
        if (entry.arg == arg) return &entry;
    return nullptr;
}

void quantization_params::set(const quantization &entry) {
    const auto place = std::find_if(entries_.begin(), entries_.end(),
        [&](const quantization &q) { return q.arg == entry.arg; });
    if (place != entries_.end())
        *place = entry;
    else
        entries_.push_back(entry);
}

bool adds_at_most_dst(const post_ops &ops, data_type dst) {
    if (ops.entries.size() != 1) return ops.entries.empty();
    const auto *sum = std::get_if<sum_post_op>(&ops.entries[0]);
    return sum && sum->scale == 1.0f && sum->zero_point == 0 &&
           (sum->dtype == data_type::undef || sum->dtype == dst);
}

namespace {
/// Elements along dimension d that share one value.
dim_t group_size(const quantization &q, int ndims, int d) {
    const int grouped = d - (ndims - 2);
    return q.has_groups() && grouped >= 0 ? q.group_dims[static_cast<std::size_t>(grouped)] : 1;
}
} // namespace

memory_desc prelu_weights(int mask, const memory_desc &dst, const memory_desc &passed) {
    memory_desc md = passed;
    md.ndims = dst.ndims;
    int next = 0;
    for (int d = 0; d < dst.ndims; ++d) {
        const bool varies = (mask >> d & 1) && dst.dims[d] != 1;
        while (varies && passed.dims[next] == 1) ++next;
        md.dims[d] = md.padded_dims[d] = varies ? dst.dims[d] : 1;
        md.strides[d] = varies ? passed.strides[next++] : 0;
    }
    return md;
}

int value_dims(const quantization &q, const memory_desc &md, dims_t &dims) {
    int count = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (q.mask >> d & 1) dims[count++] = md.dims[d] / group_size(q, md.ndims, d);
    return count;
}

dim_t value_count(const quantization &q, const memory_desc &md) {
    dims_t dims {};
    const int ndims = value_dims(q, md, dims);
    return std::accumulate(dims.begin(), dims.begin() + ndims, dim_t {1}, std::multiplies<> {});
}

bool has_sum(const post_ops &ops) {
    return std::any_of(ops.entries.begin(), ops.entries.end(),
        [](const post_op &op) { return std::holds_alternative<sum_post_op>(op); });
}

} // namespace dnnl::impl
