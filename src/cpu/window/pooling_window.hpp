// SPDX-License-Identifier: Apache-2.0
// Geometry that pooling and resampling, forward and backward, share: windows along one dimension,
// strides of a tensor in bytes, and which elements lie next to each other.
#pragma once

#include <algorithm>
#include <optional>

#include "common/descriptors/pooling.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/epilogue/epilogue.hpp"
#include "cpu/window/tap_axis.hpp"

namespace dnnl::impl::cpu {

/// One spatial dimension: window element k of output o is input o * S - P + k * step.
struct pooled_dim {
    dim_t I, O, K, S, step, P;
    dim_t steps(dim_t distance) const { return step == 1 ? distance : div_up(distance, step); }
    /// Window elements inside the input: [first, last), empty when first >= last.
    dim_t first(dim_t o) const {
        const dim_t before = P - o * S;
        return before > 0 ? steps(before) : 0;
    }
    dim_t last(dim_t o) const {
        const dim_t room = I + P - o * S;
        return room > 0 ? std::min(K, steps(room)) : 0;
    }
    dim_t count(dim_t o) const { return std::max<dim_t>(last(o) - first(o), 0); }
    /// From inputs to the outputs whose windows cover them.
    tap_axis backward() const { return backward_taps(O, I, K, S, step - 1, P); }
    /// Outputs whose windows are whole: [whole_begin, whole_end).
    dim_t whole_begin() const { return std::min(div_up(P, S), O); }
    dim_t whole_end() const {
        const dim_t room = I - 1 + P - (K - 1) * step;
        return room < 0 ? whole_begin() : std::clamp(room / S + 1, whole_begin(), O);
    }
};

/// Windows over inputs of one phase by the stride: window elements k, k + k_step, ... of the
/// outputs o, o + o_step, ...
struct window_hits {
    dim_t k, k_step, o, o_step, count;
};
/// The windows that `range`, of a phase of the axis of backward data, stands for.
window_hits hits_of(const axis_phase &phase, const tap_range &range);
/// The windows over input i.
window_hits windows_over(const tap_axis &axis, dim_t i);

/// The same for many inputs: the first phases of the dimension are kept.
class input_windows {
  public:
    input_windows() = default;
    explicit input_windows(const pooled_dim &dim);
    window_hits over(dim_t i) const {
        const auto first = static_cast<std::size_t>(S_ == 1 ? 0 : i % S_);
        if (first >= phases_.size()) return windows_over(axis_, i);
        return hits_of(phases_[first], phases_[first].axis.inside(S_ == 1 ? i : i / S_));
    }

  private:
    tap_axis axis_ {};
    dim_t S_ = 1;
    std::vector<axis_phase> phases_;
};

struct pooled_dims {
    pooled_dim d, h, w;
    dim_t volume() const { return d.K * h.K * w.K; }
};
pooled_dims dims_of(const pooling_shape &s);

/// Strides in bytes; 0 for spatial dimensions that the tensor lacks. c steps over whole blocks.
struct pooled_tensor {
    dim_t bytes; ///< of one element
    dim_t offset0, n, c, d, h, w;
    dim_t at(dim_t mb, dim_t cb, dim_t id, dim_t ih, dim_t iw) const {
        return offset0 + mb * n + cb * c + id * d + ih * h + iw * w;
    }
};
pooled_tensor strides_of(const memory_desc &md);

/// How the elements of all tensors of a pooling lie.
enum class pooled_layout {
    channels, ///< `block` channels of a pixel are adjacent: nhwc, nChw16c
    width     ///< the pixels of a row are adjacent: nchw
};
struct pooled_order {
    pooled_layout layout;
    dim_t block; ///< channels that are adjacent; 1 for width
};
/// Nothing when the tensors have no order in common. Absent tensors are null.
std::optional<pooled_order> common_order(std::initializer_list<const memory_desc *> tensors);

/// Positions in dst as the epilogue sees them, outermost first: (mb, od, oh, ow, c) for channels,
/// (mb, c, od, oh, ow) for width.
epilogue_request pooled_request(const memory_desc &dst, const pooled_order &order);

} // namespace dnnl::impl::cpu
