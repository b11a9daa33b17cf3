// SPDX-License-Identifier: Apache-2.0
// Batch normalization: forward and backward.
// Specification: Batch Normalization.

#ifndef ONEAPI_DNNL_BATCH_NORMALIZATION_HPP
#define ONEAPI_DNNL_BATCH_NORMALIZATION_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(n, c, x) = scale(c) * (src(n, c, x) - mean(c)) / sqrt(variance(c) + epsilon) + shift(c).
/// Mean and (biased) variance over n and x are computed, or given with use_global_stats; scale is
/// 1 without use_scale, shift 0 without use_shift.
/// Shapes: src and dst [MB, C, (D, H, W)]; mean, variance, scale, shift f32 [C]. dst may be the
/// memory of src.
/// Arguments: SRC, DST; MEAN and VARIANCE (inputs with use_global_stats, else outputs of
/// training); SCALE, SHIFT; WORKSPACE (fuse_norm_relu, training). Specification: Batch
/// Normalization, Forward.
struct batch_normalization_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the normalization. dst may be `any`. aprop_kind: forward_training or
        /// forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &dst_desc, float epsilon, normalization_flags flags,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_batch_normalization_forward_primitive_desc_create(
                &created, aengine.get(), convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(),
                epsilon, convert_to_c(flags), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for batch normalization, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::batch_normalization,
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
    batch_normalization_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    batch_normalization_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    batch_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// With x = (src - mean) / sqrt(variance + epsilon) and T elements per channel: diff_src = scale /
/// sqrt(variance + epsilon) * (diff_dst - (sum diff_dst + x * sum(diff_dst * x)) / T), without the
/// sums if use_global_stats; diff_scale = sum(diff_dst * x), diff_shift = sum diff_dst.
/// Shapes as in batch_normalization_forward. Arguments: SRC, DIFF_DST, MEAN, VARIANCE, SCALE,
/// WORKSPACE, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT. Specification: Batch Normalization, Backward.
struct batch_normalization_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients. aprop_kind: backward, or backward_data for diff_src alone. With
        /// fuse_norm_relu hint_fwd_pd must be a training descriptor.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &src_desc, float epsilon, normalization_flags flags,
            const batch_normalization_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_batch_normalization_backward_primitive_desc_create(
                &created, aengine.get(), convert_to_c(aprop_kind), diff_src_desc.get(),
                diff_dst_desc.get(), src_desc.get(), epsilon, convert_to_c(flags),
                hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for batch normalization, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::batch_normalization,
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
    batch_normalization_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    batch_normalization_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    batch_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
