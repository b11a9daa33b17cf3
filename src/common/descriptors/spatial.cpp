// SPDX-License-Identifier: Apache-2.0
// Checks of sliding windows.
#include "common/descriptors/spatial.hpp"

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

window make_window(const char *primitive, int spatial_ndims, const window_parameters &given) {
    require(given.strides, primitive, "strides is null");
    require(given.padding_l, primitive, "padding_l is null");
    window made;
    for (std::size_t d = 0; d < static_cast<std::size_t>(spatial_ndims); ++d) {
        made.strides[d] = given.strides[d];
        made.dilates[d] = given.dilates ? given.dilates[d] : 0;
        made.padding_l[d] = given.padding_l[d];
        made.padding_r[d] = given.padding_r ? given.padding_r[d] : given.padding_l[d];
        require(made.strides[d] >= 1, primitive, "strides: a stride is below 1");
        require(made.dilates[d] >= 0, primitive, "dilates: a dilation is negative");
        require(made.padding_l[d] >= 0, primitive, "padding_l: a padding is negative");
        require(
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
    for (int d = 2; d < src.ndims; ++d) {
        const char letter = spatial_letter(src.ndims, d);
        const auto i = static_cast<std::size_t>(d - 2);
        text += '_';
        const auto add = [&](char what, dim_t value) {
            text.append({what, letter}).append(std::to_string(value));
        };
        add('i', src.dims[d]);
        add('o', dst.dims[d]);
        add('k', kernel[i]);
        add('s', w.strides[i]);
        add('d', w.dilates[i]);
        add('p', w.padding_l[i]);
    }
    return text;
}

void check_images(const memory_desc &src, const memory_desc &dst, const char *primitive,
    const char *src_name, const char *dst_name) {
    require_tensor(
        src.ndims >= 3 && src.ndims <= 5, primitive, src_name, "it must have 3, 4 or 5 dimensions");
    require_tensor(
        dst.ndims == src.ndims, primitive, dst_name, "its rank differs from the source's");
    require_tensor(
        src.dims[0] == dst.dims[0], primitive, dst_name, "the batch differs from the source's");
    require_tensor(
        src.dims[1] == dst.dims[1], primitive, dst_name, "the channels differ from the source's");
}

void check_extent(dim_t expected, dim_t given, const char *primitive, const char *tensor) {
    if (expected == given) return;
    std::string text = std::string(primitive) + ": " + tensor + ": the spatial extent " +
                       std::to_string(given) +
                       " does not follow from source, kernel, strides, dilation and padding";
    if (expected >= 0) text.append(", which give ").append(std::to_string(expected));
    throw error(dnnl_invalid_arguments, std::move(text));
}

} // namespace dnnl::impl
