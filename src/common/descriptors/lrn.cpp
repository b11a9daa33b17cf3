// SPDX-License-Identifier: Apache-2.0
// Checks and facts of local response normalization.
#include "common/descriptors/pooling.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "lrn";
} // namespace

lrn_desc make_lrn_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, const lrn_parameters &given) {
    require_propagation(name, prop);
    require(alg == dnnl_lrn_across_channels || alg == dnnl_lrn_within_channel,
        "lrn: alg_kind is not an algorithm of lrn");
    require(given.local_size >= 1, "lrn: local_size is below 1");
    lrn_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.local_size = given.local_size;
    desc.alpha = given.alpha;
    desc.beta = given.beta;
    desc.k = given.k;
    take_mapping(desc, name, src, dst, data, "src");
    check_tensors_of(desc, [&] {
        check_types_of_mapping(desc, name, "src");
        require_tensor(desc.src.ndims >= 2 && desc.src.ndims <= 5, name, src_name(desc),
            "it must have 2, 3, 4 or 5 dimensions");
    });
    return desc;
}

lrn_shape shape_of(const lrn_desc &desc) {
    const memory_desc &md = desc.src;
    const int spatial = md.ndims - 2;
    const auto extent = [&](int from_end) {
        return from_end <= spatial ? md.dims[md.ndims - from_end] : 1;
    };
    const bool across = desc.alg == dnnl_lrn_across_channels;
    double elements = 1;
    for (int d = 0; d < (across ? 1 : spatial); ++d)
        elements *= static_cast<double>(desc.local_size);
    return {spatial, md.dims[0], md.dims[1], extent(3), extent(2), extent(1), across,
        (desc.local_size - 1) / 2, static_cast<double>(desc.alpha) / elements};
}

const primitive_facts<lrn_desc> lrn_desc::facts {
    .kind = dnnl_lrn,
    .arguments = list_mapping,
    .layouts = follow_each_other,
    .items = add_data_and_diff,
    .shape =
        [](const lrn_desc &d) {
            return fmt::format("{}ls{}beta{:g}", image_text(d.src), d.local_size, d.beta);
        },
};

} // namespace dnnl::impl
