// SPDX-License-Identifier: Apache-2.0
#include "cpu/pooling/pooling_stage.hpp"

#include "cpu/kernels/select/select_movement.hpp"

namespace dnnl::impl::cpu {

channel_stage::channel_stage(isa target, const pooled_tensor &user, dim_t D, dim_t H, dim_t W)
    : user_(user), D_(D), H_(H), W_(W), copy_(select_copy_tile(target)) {
    const dim_t pixel = lanes * user.bytes;
    staged_ = {user.bytes, 0, 0, 0, H * W * pixel, W * pixel, pixel};
    tile_.src_type = tile_.dst_type = user.bytes == 1   ? data_type::u8
                                      : user.bytes == 2 ? data_type::f16
                                                        : data_type::s32;
}

template <class Move> void channel_stage::for_runs(const Move &move) const {
    const bool rows_follow = H_ == 1 || user_.h == W_ * user_.bytes;
    const bool planes_follow = D_ == 1 || user_.d == H_ * W_ * user_.bytes;
    if (rows_follow && planes_follow) return move(0, 0, D_ * H_ * W_);
    for (dim_t d = 0; d < D_; ++d)
        for (dim_t h = 0; h < H_; ++h)
            move(d * user_.d + h * user_.h, d * staged_.d + h * staged_.h, W_);
}

void channel_stage::load(const char *user, dim_t channels, char *stage) const {
    copy_tile_args tile = tile_;
    tile.columns = channels;
    tile.src_row = tile.dst_column = 1;
    tile.src_column = user_.c / user_.bytes;
    tile.dst_row = lanes;
    for_runs([&](dim_t from, dim_t to, dim_t pixels) {
        tile.src = user + from;
        tile.dst = stage + to;
        tile.rows = pixels;
        copy_(tile);
    });
}

void channel_stage::store(const char *stage, dim_t channels, char *user) const {
    copy_tile_args tile = tile_;
    tile.rows = channels;
    tile.src_row = tile.dst_column = 1;
    tile.src_column = lanes;
    tile.dst_row = user_.c / user_.bytes;
    for_runs([&](dim_t to, dim_t from, dim_t pixels) {
        tile.src = stage + from;
        tile.dst = user + to;
        tile.columns = pixels;
        copy_(tile);
    });
}

} // namespace dnnl::impl::cpu
