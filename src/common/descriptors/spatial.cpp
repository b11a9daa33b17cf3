// SPDX-License-Identifier: Apache-2.0
// Checks of sliding windows.
#define FMT_HEADER_ONLY
#include "common/descriptors/spatial.hpp"

#include <fmt/format.h>

#include "common/descriptors/describe.hpp"

namespace dnnl::impl {

window make_window(named_primitive primitive, int spatial_ndims, const window_parameters &given) {
    require_of(given.strides, primitive, "strides is null");
    require_of(given.padding_l, primitive, "padding_l is null");
    window made;
    for (std::size_t d = 0; d < static_cast<std::size_t>(spatial_ndims); ++d) {
        made.strides[d] = given.strides[d];
        made.dilates[d] = given.dilates ? given.dilates[d] : 0;
        made.padding_l[d] = given.padding_l[d];
        made.padding_r[d] = given.padding_r ? given.padding_r[d] : given.padding_l[d];
        require_of(made.strides[d] >= 1, primitive, "strides: a stride is below 1");
        require_of(made.dilates[d] >= 0, primitive, "dilates: a dilation is negative");
        require_of(made.padding_l[d] >= 0, primitive, "padding_l: a padding is negative");
        require_of(
            made.padding_r[d] != runtime_dim, primitive, "padding_r: the value is out of range");
    }
    return made;
}

dim_t output_extent(dim_t I, dim_t K, dim_t S, dim_t D, dim_t PL, dim_t PR) {
    const auto step = checked_add(D, 1);
    // The distance from the first element of the kernel to the last one.
    const auto reach = K > 1 ? (step ? checked_mul(K - 1, *step) : step) : 0;
    if (!reach) return -1;
    const auto free_steps = checked_add(checked_add(checked_add(I, PL), PR), -1 - *reach);
    if (!free_steps) return -1;
    if (*free_steps < 0) return I == 0 ? 0 : -1;
    return *free_steps / S + 1;
}

std::string window_text(
    const memory_desc &src, const memory_desc &dst, const dim_t *kernel, const window &w) {
    std::string text;
    for (int d = 2, i = 0; d < src.ndims; ++d, ++i)
        text +=
            fmt::format("_i{0}{1}o{0}{2}k{0}{3}s{0}{4}d{0}{5}p{0}{6}", spatial_letter(src.ndims, d),
                src.dims[d], dst.dims[d], kernel[i], w.strides[i], w.dilates[i], w.padding_l[i]);
    return text;
}

void check_extent(dim_t expected, dim_t given, named_primitive primitive, const char *tensor) {
    if (expected == given) return;
    std::string what = fmt::format("the spatial extent {} does not follow from source, kernel, "
                                   "strides, dilation and padding",
        given);
    if (expected >= 0) what += fmt::format(", which give {}", expected);
    require_tensor(false, primitive, tensor, what.c_str());
}

} // namespace dnnl::impl
