// SPDX-License-Identifier: Apache-2.0
// Inner product: its descriptor, checked, and its extents (specification: "Inner Product").
#pragma once

#include "common/descriptors/convolution.hpp"
#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// prop as for convolution; tensors as there.
/// Throws error(invalid_arguments) where shapes disagree.
inner_product_desc make_inner_product_desc(
    dnnl_prop_kind_t prop, const convolution_tensors &tensors);

/// dst[mb][oc] = bias[oc] + sum over ic, id, ih, iw of src[mb][ic][id][ih][iw] *
/// weights[oc][ic][id][ih][iw].
struct inner_product_shape {
    int spatial_ndims; ///< 0 to 3
    dim_t MB, IC, OC;
    dim_t ID, IH, IW; ///< 1 where the tensors lack them
    /// Products per output.
    dim_t K() const { return IC * ID * IH * IW; }
};
inner_product_shape shape_of(const inner_product_desc &desc);

} // namespace dnnl::impl
