// SPDX-License-Identifier: Apache-2.0
// Checks of sliding windows.
#include "common/descriptors/spatial.hpp"

#include <string>

#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
void require_window(bool condition, const char *primitive, const char *what) {
    if (!condition) throw error(dnnl_invalid_arguments, std::string(primitive) + ": " + what);
}
} // namespace

window make_window(const char *primitive, int spatial_ndims, const window_parameters &given) {
    require_window(given.strides, primitive, "strides is null");
    require_window(given.padding_l, primitive, "padding_l is null");
    window made;
    for (std::size_t d = 0; d < static_cast<std::size_t>(spatial_ndims); ++d) {
        made.strides[d] = given.strides[d];
        made.dilates[d] = given.dilates ? given.dilates[d] : 0;
        made.padding_l[d] = given.padding_l[d];
        made.padding_r[d] = given.padding_r ? given.padding_r[d] : given.padding_l[d];
        require_window(made.strides[d] >= 1, primitive, "strides: a stride is below 1");
        require_window(made.dilates[d] >= 0, primitive, "dilates: a dilation is negative");
        require_window(made.padding_l[d] >= 0, primitive, "padding_l: a padding is negative");
        require_window(
            made.padding_r[d] != runtime_dim, primitive, "padding_r: the value is out of range");
    }
    return made;
}

dim_t output_extent(dim_t I, dim_t K, dim_t S, dim_t D, dim_t PL, dim_t PR) {
    dim_t reach = 0; // of the last kernel element beyond the first one
    if (K > 1) {
        const auto step = checked_add(D, 1);
        const auto product = step ? checked_mul(K - 1, *step) : std::nullopt;
        if (!product) return -1;
        reach = *product;
    }
    const auto left = checked_add(I, PL);
    const auto padded = left ? checked_add(*left, PR) : std::nullopt;
    const auto free_steps = padded ? checked_add(*padded, -1 - reach) : std::nullopt;
    if (!free_steps) return -1;
    if (*free_steps < 0) return I == 0 ? 0 : -1;
    return *free_steps / S + 1;
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
