// SPDX-License-Identifier: Apache-2.0
// Checks of layer normalization.
#include "common/descriptors/layer_normalization.hpp"

#include <algorithm>

#include "common/descriptors/describe.hpp"
#include "common/layout/data_type.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "layer_normalization";
}

memory_desc statistics_like(const memory_desc &tensor) {
    const int ndims = tensor.ndims - 1;
    memory_desc statistics = make_with_strides(ndims, tensor.dims.data(), data_type::f32, nullptr);
    std::array<int, max_ndims> order = outer_order(tensor);
    std::remove(order.begin(), order.begin() + tensor.ndims, ndims);
    set_blocked_layout(statistics, std::span(order).first(static_cast<std::size_t>(ndims)), {});
    return statistics;
}

layer_normalization_desc make_layer_normalization_desc(const normalization_request &request,
    const layer_normalization_types &types, const layer_normalization_desc *hint) {
    layer_normalization_desc desc;
    fill_normalization(
        desc, name, request, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift);
    const memory_desc &source = source_of(desc);
    const int ndims = source.ndims;
    const auto known = [](data_type t) {
        return t != data_type::undef && size_of(t) != static_cast<std::size_t>(-1);
    };
    require(known(types.scale_shift) && known(types.diff_scale_shift),
        "layer_normalization: scale_shift_data_type: it is no type of elements");
    set_vectors(desc, source.dims[ndims - 1], types.scale_shift, types.diff_scale_shift);
    follow_forward(desc, name, hint);
    if (is_absent(types.statistics)) {
        desc.statistics = hint ? hint->statistics : statistics_like(source);
        return desc;
    }
    desc.statistics = checked_tensor(name, "stat", types.statistics, may_be_any | is_written);
    check_tensors_of(desc, [&] {
        require_tensor(desc.statistics.ndims == ndims - 1 &&
                           std::equal(source.dims.begin(), source.dims.begin() + ndims - 1,
                               desc.statistics.dims.begin()),
            name, "stat", "its dims are not those of src without the last");
    });
    if (desc.statistics.is_any()) {
        const data_type given = desc.statistics.dtype;
        desc.statistics = statistics_like(source);
        desc.statistics.dtype = given;
    }
    return desc;
}

} // namespace dnnl::impl
