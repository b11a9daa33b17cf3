// SPDX-License-Identifier: Apache-2.0
// Where the sums of depthwise convolution go: to dst, or through the epilogue of the call.
#pragma once

#include "cpu/kernels/convolution/depthwise_tile.hpp"

namespace dnnl::impl::cpu {

/// The number of pixels whose sums wait in L1 for an epilogue that is not computed in registers.
inline constexpr dim_t part_pixels = 4 * wide_pixels;

/// Finishes the sums of some channels, which are of type Sum, f32 or s32, and were computed from a
/// source of type T.
template <class Isa, class T, class Sum = f32> class sums_finisher {
  public:
    DNNL_INLINE sums_finisher(const depthwise_args &args, dim_t channel, dim_t lanes)
        : call_(args), channel_(channel) {
        rows_.columns = lanes;
        columns_.adds = false;
    }
    /// True where sums are stored as dst or finished in registers.
    DNNL_INLINE bool direct() const { return call_.finish ? in_registers_ : !integer; }
    DNNL_INLINE const common_columns *columns() const {
        return in_registers_ ? &columns_ : nullptr;
    }
    DNNL_INLINE dim_t dst_bytes() const {
        return call_.finish ? size_in_bytes(call_.finish->dst_type) : dim_t {sizeof(f32)};
    }

    DNNL_INLINE void begin_row(const depthwise_row_args &row, bool first) {
        for (int d = 0; d < position_rank; ++d) rows_.position[d] = call_.position[d];
        rows_.position[1] = row.position[0];
        rows_.position[2] = row.position[1];
        if (call_.finish && (first || columns_.adds)) {
            common_ = common_rows<tag>(
                *call_.finish, type_of<Sum>, rows_.position, channel_, rows_.columns, columns_);
            const data_type dst = call_.finish->dst_type;
            in_registers_ =
                common_ && !columns_.adds &&
                (dst == type_of<T> || (whole && (dst == data_type::u8 || dst == data_type::s8)));
        }
        rows_.position[column_dim] += channel_;
    }
    DNNL_INLINE void finish(Sum *sums, dim_t stride, dim_t pixel, dim_t pixels, void *dst) {
        if constexpr (integer && !whole)
            if (!common_) to_integers(sums, pixels * stride);
        if (!call_.finish) return copy(sums, stride, pixels, dst);
        rows_.finish = call_.finish;
        rows_.acc = sums;
        rows_.acc_stride_bytes = stride * dim_t {sizeof(f32)};
        rows_.acc_type = integer && !common_ ? data_type::s32 : type_of<Sum>;
        rows_.dst = dst;
        rows_.dst_stride_bytes = call_.dst_step_bytes;
        rows_.rows = pixels;
        rows_.position[row_dim] = call_.position[row_dim] + pixel;
        common_ ? common_(columns_, rows_) : epilogue_rows<tag>(rows_);
    }

  private:
    static constexpr bool integer = is_byte<T>, whole = __is_same(Sum, s32);
    using tag = typename lowest_isa<Isa::vector_bytes>::tag;

    DNNL_INLINE static void to_integers(f32 *sums, dim_t n) {
        using v = vec<f32, Isa>;
        for (dim_t i = 0; i < n; i += v::size)
            to_s32_round(v::load(sums + i)).store(reinterpret_cast<s32 *>(sums + i));
    }
    DNNL_INLINE void copy(const Sum *sums, dim_t stride, dim_t pixels, void *dst) const {
        for (dim_t p = 0; p < pixels; ++p)
            __builtin_memcpy(static_cast<char *>(dst) + p * call_.dst_step_bytes, sums + p * stride,
                static_cast<std::size_t>(rows_.columns) * sizeof(f32));
    }

    const depthwise_args &call_;
    const dim_t channel_;
    bool in_registers_ = false;
    common_columns columns_;
    common_rows_function common_ = nullptr;
    epilogue_rows_args rows_ {};
};

} // namespace dnnl::impl::cpu
