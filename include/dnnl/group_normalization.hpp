// SPDX-License-Identifier: Apache-2.0
// Group normalization: forward and backward. Not in the specification; an addition of oneDNN 3.7.
// Formulas below.

#ifndef ONEAPI_DNNL_GROUP_NORMALIZATION_HPP
#define ONEAPI_DNNL_GROUP_NORMALIZATION_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(n, c, x) = scale(c) * (src(n, c, x) - mean(n, g)) / sqrt(variance(n, g) + epsilon) +
/// shift(c), where g is the group of channel c; statistics over the C / G channels of a group and
/// x.
/// Shapes: src and dst [MB, C, (D, H, W)]; mean and variance f32 [MB, G]; scale and shift f32 [C].
/// Arguments: SRC, DST; MEAN and VARIANCE (inputs with use_global_stats, else outputs of
/// training); SCALE, SHIFT.
struct group_normalization_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the normalization; `groups` is G. dst may be `any`. aprop_kind:
        /// forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or groups do not divide C, unimplemented if
        /// no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &dst_desc, memory::dim groups, float epsilon,
            normalization_flags flags, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_group_normalization_forward_primitive_desc_create(
                &created, aengine.get(), convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(),
                groups, epsilon, convert_to_c(flags), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for group normalization, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::group_normalization,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}

        /// Descriptor of the mean: an input with use_global_stats, else an output of training.
        memory::desc mean_desc() const { return statistics_desc(1); }
        /// Descriptor of the variance: an input with use_global_stats, else an output of training.
        memory::desc variance_desc() const { return statistics_desc(2); }
        /// Flags.
        normalization_flags get_flags() const {
            return dnnl::primitive_desc::get_flags<normalization_flags>();
        }

      private:
        memory::desc statistics_desc(int index) const {
            const bool are_inputs =
                (get_flags() & normalization_flags::use_global_stats) != normalization_flags::none;
            return are_inputs ? src_desc(index) : dst_desc(index);
        }
    };

    /// An empty primitive.
    group_normalization_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    group_normalization_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    group_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// With x = (src - mean) / sqrt(variance + epsilon), d = scale * diff_dst and T elements per
/// group: diff_src = (d - (sum d + x * sum(d * x)) / T) / sqrt(variance + epsilon), without the
/// sums if use_global_stats; diff_scale = sum(diff_dst * x), diff_shift = sum diff_dst over n and
/// space.
/// Shapes as in group_normalization_forward. Arguments: SRC, DIFF_DST, MEAN, VARIANCE, SCALE,
/// DIFF_SRC, DIFF_SCALE, DIFF_SHIFT.
struct group_normalization_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients. aprop_kind: backward, or backward_data for diff_src alone.
        /// hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &src_desc, memory::dim groups, float epsilon,
            normalization_flags flags,
            const group_normalization_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_group_normalization_backward_primitive_desc_create(
                &created, aengine.get(), convert_to_c(aprop_kind), diff_src_desc.get(),
                diff_dst_desc.get(), src_desc.get(), groups, epsilon, convert_to_c(flags),
                hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for group normalization, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::group_normalization,
                  dnnl::prop_kind::backward, dnnl::prop_kind::backward_data) {}

        /// Descriptor of the mean, an input.
        memory::desc mean_desc() const { return src_desc(1); }
        /// Descriptor of the variance, an input.
        memory::desc variance_desc() const { return src_desc(2); }
        /// Flags.
        normalization_flags get_flags() const {
            return dnnl::primitive_desc::get_flags<normalization_flags>();
        }
    };

    /// An empty primitive.
    group_normalization_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    group_normalization_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    group_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
