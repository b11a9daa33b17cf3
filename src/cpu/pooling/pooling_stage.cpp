// SPDX-License-Identifier: Apache-2.0
#include "cpu/pooling/pooling.hpp"

#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

channel_stage::channel_stage(isa target, const image_view &user)
    : user_(user), staged_(user),
      copy_(kernel_for<vector_levels>(target, []<class Isa> { return copy_tile<Isa>; })) {
    staged_.w = lanes * user.bytes;
    staged_.h = user.W * staged_.w;
    staged_.d = user.H * staged_.h;
    tile_.src_type = tile_.dst_type = user.bytes == 1   ? data_type::u8
                                      : user.bytes == 2 ? data_type::f16
                                                        : data_type::s32;
}

template <class Move> void channel_stage::for_runs(const Move &move) const {
    const dim_t D = user_.D, H = user_.H, W = user_.W;
    if (D * H * W == 0) return;
    const bool rows_follow = H == 1 || user_.h == W * user_.bytes;
    const bool planes_follow = D == 1 || user_.d == H * W * user_.bytes;
    if (rows_follow && planes_follow) return move(0, 0, D * H * W);
    for (dim_t d = 0; d < D; ++d)
        for (dim_t h = 0; h < H; ++h)
            move(d * user_.d + h * user_.h, d * staged_.d + h * staged_.h, W);
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
