// SPDX-License-Identifier: Apache-2.0
// This folder holds the drivers of pooling, resampling and local response normalization. This
// header: what pooling forward and backward share.
#pragma once

#include "common/plan/implementation.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/window/image_view.hpp"

namespace dnnl::impl::cpu {

/// Layouts are resolved and element types checked: gradients are f32, bf16 or f16.
planned make_pooling_backward(problem &p);

/// Planes whose pixels are adjacent, brought into blocks whose channels are, [D][H][W][lanes] of
/// one image and up to `lanes` channels: pooling works on many channels of a pixel at once.
class channel_stage {
  public:
    static constexpr dim_t lanes = 16;

    channel_stage() = default;
    channel_stage(isa target, const image_view &user);

    dim_t bytes() const { return round_up(user_.D * staged_.d, 64); }
    const image_view &view() const { return staged_; }
    /// `user` is the first of the channels, at pixel 0.
    void load(const char *user, dim_t channels, char *stage) const;
    void store(const char *stage, dim_t channels, char *user) const;

  private:
    /// Calls move(offset of a run of pixels in the tensor, in the stage, pixels).
    template <class Move> void for_runs(const Move &move) const;

    image_view user_ {}, staged_ {};
    copy_tile_args tile_ {};
    void (*copy_)(const copy_tile_args &) = nullptr;
};

} // namespace dnnl::impl::cpu
