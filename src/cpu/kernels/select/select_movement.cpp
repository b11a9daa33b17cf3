// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/select/select_movement.hpp"

#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/kernels/movement/sum.hpp"
#include "cpu/simd/isa_tags.hpp"

namespace dnnl::impl::cpu {

void (*select_copy_tile(isa target))(const copy_tile_args &) {
    return has(target, isa::avx512) ? copy_tile<avx512> : copy_tile<avx2>;
}
void (*select_add_column_sums(isa target))(const column_sums_args &) {
    return has(target, isa::avx512) ? add_column_sums<avx512> : add_column_sums<avx2>;
}
void (*select_sum(isa target))(const sum_args &) {
    return has(target, isa::avx512) ? sum_tile<avx512> : sum_tile<avx2>;
}
void (*select_unpack_nibbles(isa target))(const void *, dim_t, void *) {
    return has(target, isa::avx512) ? unpack_nibbles<avx512> : unpack_nibbles<avx2>;
}
void (*select_pack_nibbles(isa target))(const void *, dim_t, void *) {
    return has(target, isa::avx512) ? pack_nibbles<avx512> : pack_nibbles<avx2>;
}

} // namespace dnnl::impl::cpu
