// SPDX-License-Identifier: Apache-2.0
// Planes whose pixels are adjacent, brought into blocks whose channels are: pooling works on many
// channels of a pixel at once.
#pragma once

#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/window/pooling_window.hpp"

namespace dnnl::impl::cpu {

/// [D][H][W][lanes] elements of one image and up to `lanes` channels.
class channel_stage {
  public:
    static constexpr dim_t lanes = 16;

    channel_stage() = default;
    channel_stage(isa target, const pooled_tensor &user, dim_t D, dim_t H, dim_t W);

    dim_t bytes() const { return D_ * staged_.d; }
    /// Strides in the stage.
    const pooled_tensor &strides() const { return staged_; }
    /// `user` is the first of the channels, at pixel 0.
    void load(const char *user, dim_t channels, char *stage) const;
    void store(const char *stage, dim_t channels, char *user) const;

  private:
    /// Calls move(offset of a run of pixels in the tensor, in the stage, pixels).
    template <class Move> void for_runs(const Move &move) const;

    pooled_tensor user_ {}, staged_ {};
    dim_t D_ = 0, H_ = 0, W_ = 0;
    copy_tile_args tile_ {};
    void (*copy_)(const copy_tile_args &) = nullptr;
};

} // namespace dnnl::impl::cpu
