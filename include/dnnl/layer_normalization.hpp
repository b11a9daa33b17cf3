// SPDX-License-Identifier: Apache-2.0
// Layer normalization: forward and backward.
// Specification: Layer Normalization.

#ifndef ONEAPI_DNNL_LAYER_NORMALIZATION_HPP
#define ONEAPI_DNNL_LAYER_NORMALIZATION_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(..., c) = scale(c) * (src(..., c) - mean(...)) / sqrt(variance(...) + epsilon) + shift(c),
/// with statistics over the last dimension, computed or (use_global_stats) given. With rms_norm the
/// mean is 0, no argument, and the variance the mean of src^2.
/// Shapes: src and dst [..., C], 2 to 5 dimensions; mean and variance f32 [...]; scale and shift
/// [C]. dst may be the memory of src.
/// Arguments: SRC, DST; MEAN and VARIANCE (inputs with use_global_stats, else outputs of
/// training); SCALE, SHIFT; no MEAN with rms_norm. Specification: Layer Normalization, Forward.
struct layer_normalization_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the normalization. stat_desc describes mean and variance; zero means f32, laid
        /// out as src. scale_shift_data_type: f32, bf16 or f16. dst may be `any`. aprop_kind:
        /// forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &dst_desc, const memory::desc &stat_desc,
            memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create_v2(
                &created, aengine.get(), convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(),
                stat_desc.get(), memory::convert_to_c(scale_shift_data_type), epsilon,
                convert_to_c(flags), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for layer normalization, forward propagation");
        }

        /// As above, with f32 scale and shift.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &dst_desc, const memory::desc &stat_desc, float epsilon,
            normalization_flags flags, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, stat_desc,
                  memory::data_type::f32, epsilon, flags, attr, allow_empty) {}

        /// As above, with f32 statistics, laid out as src.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &dst_desc, memory::data_type scale_shift_data_type, float epsilon,
            normalization_flags flags, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, memory::desc(),
                  scale_shift_data_type, epsilon, flags, attr, allow_empty) {}

        /// As above, with f32 statistics, laid out as src and with f32 scale and shift.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &dst_desc, float epsilon, normalization_flags flags,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, dst_desc, memory::desc(),
                  memory::data_type::f32, epsilon, flags, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::layer_normalization,
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
    layer_normalization_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    layer_normalization_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    layer_normalization_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// With x = (src - mean) / sqrt(variance + epsilon) and d = scale * diff_dst: diff_src = (d - (sum
/// d + x * sum(d * x)) / C) / sqrt(variance + epsilon), sums over the last dimension, without them
/// if use_global_stats, without sum d if rms_norm; diff_scale = sum(diff_dst * x), diff_shift = sum
/// diff_dst over all others. Shapes as in layer_normalization_forward. Arguments: SRC, DIFF_DST,
/// MEAN, VARIANCE, SCALE, SHIFT, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT; no MEAN with rms_norm.
/// Specification: Layer Normalization, Backward.
struct layer_normalization_backward : public primitive {
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
            const memory::desc &src_desc, const memory::desc &stat_desc,
            memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
            float epsilon, normalization_flags flags,
            const layer_normalization_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_layer_normalization_backward_primitive_desc_create_v2(
                &created, aengine.get(), convert_to_c(aprop_kind), diff_src_desc.get(),
                diff_dst_desc.get(), src_desc.get(), stat_desc.get(),
                memory::convert_to_c(diff_scale_shift_data_type),
                memory::convert_to_c(scale_shift_data_type), epsilon, convert_to_c(flags),
                hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for layer normalization, backward propagation");
        }

        /// As above, with f32 statistics, laid out as src.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &src_desc, memory::data_type diff_scale_shift_data_type,
            memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
            const layer_normalization_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc,
                  memory::desc(), diff_scale_shift_data_type, scale_shift_data_type, epsilon, flags,
                  hint_fwd_pd, attr, allow_empty) {}

        /// As above, with f32 scale and shift.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &src_desc, const memory::desc &stat_desc, float epsilon,
            normalization_flags flags,
            const layer_normalization_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc,
                  memory::data_type::f32, memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr,
                  allow_empty) {}

        /// As above, with f32 statistics, laid out as src and with f32 scale and shift.
        primitive_desc(const engine &aengine, prop_kind aprop_kind,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &src_desc, float epsilon, normalization_flags flags,
            const layer_normalization_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, diff_src_desc, diff_dst_desc, src_desc,
                  memory::desc(), memory::data_type::f32, memory::data_type::f32, epsilon, flags,
                  hint_fwd_pd, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::layer_normalization,
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
    layer_normalization_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    layer_normalization_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    layer_normalization_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
