// SPDX-License-Identifier: Apache-2.0
// How a product is cut into blocks; doc/kernels.md derives it.
#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {

namespace {

// The bytes of one B panel over KC. It is read once per register tile of rows, from L2, of which it
// takes half: deeper panels would not stay there, and shallower ones store sums more often.
dim_t panel_slice_bytes(const gemm_kernel &kernel, dim_t l2_bytes) {
    return kernel.begin ? dim_t {128} << 10 : l2_bytes / 2; // tiles of AMX or vectors
}

} // namespace

gemm_blocking choose_blocking(const gemm_kernel &kernel, data_type b_type, dim_t M, dim_t N,
    dim_t K, int threads, const cache_sizes &sizes) {
    const auto l2_bytes = dim_t(sizes.l2_bytes);
    const dim_t bytes = size_in_bytes(b_type);
    gemm_blocking blocks {};
    dim_t deepest = panel_slice_bytes(kernel, l2_bytes) / (kernel.panel_columns * bytes);
    if (kernel.most_k) deepest = std::min(deepest, kernel.most_k);
    const dim_t slices = std::max<dim_t>(div_up(K, deepest), 1);
    blocks.KC = std::max<dim_t>(round_up(div_up(K, slices), kernel.k_panel), kernel.k_panel);

    const dim_t columns = kernel.panel_columns;
    blocks.NC = std::clamp<dim_t>(round_up(N, columns), columns, 256);
    // A block of rows takes a third of L2. It may be larger, and come from L3, where it would have
    // so few rows otherwise that the time to bring panels into L2 shows.
    const dim_t rows = l2_bytes / 3 / std::max<dim_t>(std::min(blocks.KC, K) * bytes, 1);
    blocks.MC = round_up(std::clamp<dim_t>(rows, 256, 384), kernel.mr);
    // There are enough blocks for every thread; each is a number of whole register tiles.
    const dim_t wanted = threads > 1 ? 4 * threads : 1;
    const dim_t column_blocks = std::max<dim_t>(div_up(N, blocks.NC), 1);
    const dim_t row_blocks = div_up(wanted, column_blocks);
    const dim_t share = round_up(div_up(M, row_blocks), kernel.mr);
    blocks.MC = std::max<dim_t>(std::min(blocks.MC, share), kernel.mr);
    // Blocks have equal heights, because the last one may be a thread's whole share.
    const dim_t height = div_up(M, std::max<dim_t>(div_up(M, blocks.MC), 1));
    blocks.MC = std::max<dim_t>(round_up(height, kernel.mr), kernel.mr);
    return blocks;
}

} // namespace dnnl::impl::cpu
