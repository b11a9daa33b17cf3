// SPDX-License-Identifier: Apache-2.0
#include "cpu/gemm/gemm.hpp"

#include "common/layout/data_type.hpp"
#include "common/plan/implementation.hpp"
#include "common/verbose/verbose.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

// The size of a slice: panels that are made and used at once.
static constexpr dim_t made_slice_bytes = dim_t {32} << 10;

void set_panel_layout(memory_desc &md, const panel_dims &dims) {
    std::array<int, max_ndims> order {};
    int count = 0;
    for (int d : dims.outer) order[count++] = d;
    order[count++] = dims.n_dim;
    for (int d : dims.inner) order[count++] = d;
    order[count++] = dims.k_dim;
    const dim_t group = panel_k_group(md.dtype);
    std::array<inner_block, 3> blocks {};
    std::size_t block_count = 0;
    if (dims.pad_k_block) blocks[block_count++] = {dims.k_dim, 16};
    blocks[block_count++] = {dims.n_dim, panel_columns(md.dtype)};
    if (group > 1) blocks[block_count++] = {dims.k_dim, group};
    set_blocked_layout(md, std::span(order.data(), std::size_t(count)),
        std::span<const inner_block>(blocks.data(), block_count));
}

gemm_driver::gemm_driver(
    isa target, data_type a, data_type b, dim_t M, dim_t N, dim_t K, int threads)
    : kernel_(select_gemm(target, a, b)), a_(a), b_(b), K_(K) {
    if (!kernel_.run) return;
    blocking_ = choose_blocking(kernel_, b, M, N, K, threads, caches());
    if (verbose::wants(verbose::dispatch))
        verbose::blocked({M, N, K}, {blocking_.MC, blocking_.NC, blocking_.KC});
}

void gemm_driver::cut_for_slices(dim_t M, dim_t columns) {
    cut({std::max<dim_t>(M, 1), columns, made_slice_bytes / (columns * size_in_bytes(b_))});
}

void gemm_driver::widen(isa target) {
    longest_exact_ = exact_sum_length(a_, b_);
    finish_wide_ = kernel_for<every_level>(target, []<class Isa> { return epilogue_rows<Isa>; });
}

dim_t gemm_driver::accumulator_count() const {
    const dim_t sums = blocking_.MC * blocking_.NC;
    if (is_wide()) return sums * dim_t {1 + sizeof(double) / sizeof(s32)};
    return K_ > blocking_.KC ? sums : 0;
}

void gemm_driver::run(const gemm_task &t) const {
    const data_type dst_type = t.finish ? t.finish->dst_type : data_type::s32; // or f32
    // One call takes whole products as long as their k together stays below KC; longer products
    // come one after another.
    const dim_t most = std::max(t.batch, 1);
    const dim_t padded = std::max<dim_t>(round_up(t.k, kernel_.k_group), 1);
    const dim_t at_once = std::clamp<dim_t>(blocking_.KC / padded, 1, most);
    wide_sums wide(t, blocking_.MC * blocking_.NC, longest_exact_, finish_wide_);
    for (dim_t n0 = 0; n0 < t.n; n0 += blocking_.NC) {
        gemm_block_args g = t;
        const void *a = nullptr;
        g.a = &a;
        g.n = std::min(blocking_.NC, t.n - n0);
        g.dst = element_at(t.dst, dst_type, n0);
        g.c = t.finish ? t.c : g.dst;
        g.ldc_bytes = t.finish ? blocking_.NC * dim_t {sizeof(s32)} : t.ldd_bytes;
        g.position[column_dim] += n0;
        const char *panels =
            static_cast<const char *>(t.b) + n0 / kernel_.panel_columns * t.b_panel_bytes;
        for (dim_t product = 0; product < t.batch; product += at_once) {
            // The products of a call have at most KC together.
            g.batch = static_cast<int>(t.k > 0 ? std::min(at_once, t.batch - product) : 0);
            g.b_offset_bytes = moved(t.b_offset_bytes, product);
            g.a_rows = moved(t.a_rows, product * t.a_rows_step);
            const bool last = product + at_once >= t.batch;
            const char *rows = static_cast<const char *>(t.rows) + product * t.a_step_bytes;
            dim_t k0 = 0;
            do {
                a = element_at(rows, a_, k0);
                g.a_rows_bytes = k0 * size_in_bytes(a_);
                g.k = std::min(blocking_.KC, t.k - k0);
                made_panels made;
                if (!t.maker) {
                    made.b = element_at(panels, b_, k0 * kernel_.panel_columns);
                } else {
                    if (k0 == 0 && t.maker->has_epilogues) finish(t.previous); // waits for one
                    made = t.maker->make(n0, g.n, k0, g.k);
                }
                g.b = made.b;
                g.accumulate = t.accumulate || product > 0 || k0 > 0;
                if (is_wide()) g.accumulate = wide.add(g);
                k0 += blocking_.KC;
                const epilogue *of_columns = made.finish ? made.finish : t.finish;
                g.finish = last && k0 >= t.k && !is_wide() ? of_columns : nullptr;
                kernel_.run(g);
            } while (k0 < t.k);
        }
        if (is_wide()) wide.finish(g);
    }
}

} // namespace dnnl::impl::cpu
