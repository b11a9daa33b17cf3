// SPDX-License-Identifier: Apache-2.0
#include "cpu/gemm/gemm.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/plan/implementation.hpp"
#include "common/runtime/isa.hpp"
#include "cpu/gemm/gemm_wide.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

// ---- Types ----

const char *gemm_types_refusal(isa target, data_type a, data_type b) {
    if (is_int8(a) && is_int8(b)) {
        const bool own = target == isa::amx || target == isa::avx512_vnni ||
                         target == isa::avx512 || target == isa::avx2_vnni || target == isa::avx2;
        return own ? nullptr : "int8 has no instructions of its own at this level";
    }
    if (a != b || !is_float(a)) return "this pair of source and weights types has no kernel";
    if (a == data_type::bf16 && target == isa::amx) return nullptr;
    if (target == isa::avx512 || target == isa::avx2) return nullptr;
    return floats_of_another_level;
}

data_type gemm_operand_type(isa target, data_type t) {
    if (!is_f8(t)) return t;
    return target == isa::amx ? data_type::bf16 : data_type::f32;
}

// Products in a nanosecond: 60 % of 2 * 16 * 3, what a core with two units makes of f32 with
// AVX-512 at 3 GHz; half of that with AVX2, four times as many of bytes with VNNI. (Measured on a
// Zen 5 core with operands in L1 and L2: 123, 61 and 460.) With AMX half of what its unit makes at
// 3 GHz: 512 products of bf16 in a cycle and 1024 of bytes.
double gemm_cost_ns(isa target, data_type a, double products) {
    double per_ns = has(target, isa::avx512) ? 60 : 30;
    if (is_int8(a)) per_ns *= has(target, isa::avx2_vnni) || has(target, isa::avx512_vnni) ? 4 : 1;
    if (target == isa::amx) per_ns = is_int8(a) ? 1600 : 800;
    return products / per_ns;
}

namespace {

template <class Levels, class A, class B> gemm_kernel gemm_of(isa target) {
    return kernel_for<Levels>(target, []<class Isa> { return gemm<Isa, A, B>(); });
}
template <class T> pack_b_function pack_b_of(isa target) {
    return kernel_for<vector_levels>(target, []<class Isa> { return pack_b<Isa, T>; });
}

} // namespace

gemm_kernel select_gemm(isa target, data_type a, data_type b) {
    using t = data_type;
    if (a == t::f32 && b == t::f32) return gemm_of<vector_levels, f32, f32>(target);
    if (a == t::bf16 && b == t::bf16) return gemm_of<float_matrix_levels, bf16, bf16>(target);
    if (a == t::f16 && b == t::f16) return gemm_of<vector_levels, f16, f16>(target);
    if (a == t::f32 && b == t::bf16) return gemm_of<vector_levels, f32, bf16>(target);
    if (a == t::f32 && b == t::f16) return gemm_of<vector_levels, f32, f16>(target);
    if (a == t::u8 && b == t::s8) return gemm_of<matrix_levels, u8, s8>(target);
    if (a == t::s8 && b == t::s8) return gemm_of<matrix_levels, s8, s8>(target);
    if (a == t::u8 && b == t::u8) return gemm_of<matrix_levels, u8, u8>(target);
    if (a == t::s8 && b == t::u8) return gemm_of<matrix_levels, s8, u8>(target);
    return {};
}

pack_b_function select_pack_b(isa target, data_type type) {
    switch (type) {
    case data_type::f32: return pack_b_of<f32>(target);
    case data_type::bf16: return pack_b_of<bf16>(target);
    case data_type::f16: return pack_b_of<f16>(target);
    case data_type::s8: return pack_b_of<s8>(target);
    case data_type::u8: return pack_b_of<u8>(target);
    default: return nullptr;
    }
}

// ---- The driver ----

namespace {
// Bytes of one B panel over KC: a panel is read once per register tile of rows, so that it should
// stay in L1 and L2 between them.
constexpr dim_t panel_slice_bytes = dim_t {128} << 10;
// Bytes of panels that are made and used at once.
constexpr dim_t made_slice_bytes = dim_t {32} << 10;

gemm_blocking choose_blocking(
    const gemm_kernel &kernel, data_type b_type, dim_t M, dim_t N, dim_t K, int threads) {
    const dim_t bytes = size_in_bytes(b_type);
    gemm_blocking blocks {};
    const dim_t deepest = panel_slice_bytes / (kernel.panel_columns * bytes);
    const dim_t slices = std::max<dim_t>(div_up(K, deepest), 1);
    blocks.KC = std::max<dim_t>(round_up(div_up(K, slices), kernel.k_panel), kernel.k_panel);

    const dim_t columns = kernel.panel_columns;
    blocks.NC = std::clamp<dim_t>(round_up(N, columns), columns, 256);
    // A block of rows takes a third of L2, which it shares with panels and sums.
    const auto l2_bytes = static_cast<dim_t>(caches().l2_bytes);
    const dim_t rows = l2_bytes / 3 / std::max<dim_t>(std::min(blocks.KC, K) * bytes, 1);
    blocks.MC = std::clamp<dim_t>(rows / kernel.mr * kernel.mr, kernel.mr, dim_t {32} * kernel.mr);
    // Enough blocks for every thread, of whole register tiles.
    const dim_t wanted = threads > 1 ? 4 * threads : 1;
    const dim_t column_blocks = std::max<dim_t>(div_up(N, blocks.NC), 1);
    const dim_t row_blocks = div_up(wanted, column_blocks);
    const dim_t share = round_up(div_up(M, row_blocks), kernel.mr);
    blocks.MC = std::max<dim_t>(std::min(blocks.MC, share), kernel.mr);
    // Blocks of equal height: those of the last rows are some thread's whole share.
    const dim_t height = div_up(M, std::max<dim_t>(div_up(M, blocks.MC), 1));
    blocks.MC = std::max<dim_t>(round_up(height, kernel.mr), kernel.mr);
    return blocks;
}

} // namespace

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
    set_blocked_layout(md, std::span(order.data(), static_cast<std::size_t>(count)),
        std::span<const inner_block>(blocks.data(), block_count));
}

gemm_driver::gemm_driver(
    isa target, data_type a, data_type b, dim_t M, dim_t N, dim_t K, int threads)
    : kernel_(select_gemm(target, a, b)), a_(a), b_(b), K_(K) {
    if (kernel_.run) blocking_ = choose_blocking(kernel_, b, M, N, K, threads);
}

void gemm_driver::cut_for_slices(dim_t M) {
    constexpr dim_t columns = 64;
    blocking_.MC = std::max<dim_t>(M, 1);
    blocking_.NC = columns;
    blocking_.KC = made_slice_bytes / (columns * size_in_bytes(b_));
}

void gemm_driver::widen(isa target) {
    longest_exact_ = exact_sum_length(a_, b_);
    finish_wide_ = kernel_for<vector_levels>(target, []<class Isa> { return epilogue_rows<Isa>; });
}

dim_t gemm_driver::accumulator_count() const {
    const dim_t sums = blocking_.MC * blocking_.NC;
    if (is_wide()) return sums * dim_t {1 + sizeof(double) / sizeof(s32)};
    return K_ > blocking_.KC ? sums : 0;
}

void gemm_driver::run(const gemm_task &t) const {
    const data_type dst_type = t.finish ? t.finish->dst_type : data_type::s32; // or f32
    // Whole products in one call as far as their k together stays below KC; else one after another.
    const dim_t most = std::max(t.batch, 1);
    const dim_t at_once = std::clamp<dim_t>(blocking_.KC / std::max<dim_t>(t.k, 1), 1, most);
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
            // At most KC.
            g.batch = static_cast<int>(t.k > 0 ? std::min(at_once, t.batch - product) : 0);
            g.b_offset_bytes = moved(t.b_offset_bytes, product);
            const bool last = product + at_once >= t.batch;
            const char *rows = static_cast<const char *>(t.rows) + product * t.a_step_bytes;
            dim_t k0 = 0;
            do {
                a = element_at(rows, a_, k0);
                g.k = std::min(blocking_.KC, t.k - k0);
                g.b = t.maker ? t.maker->make(n0, g.n, k0, g.k)
                              : element_at(panels, b_, k0 * kernel_.panel_columns);
                g.accumulate = t.accumulate || product > 0 || k0 > 0;
                if (is_wide()) g.accumulate = wide.add(g);
                k0 += blocking_.KC;
                g.finish = last && k0 >= t.k && !is_wide() ? t.finish : nullptr;
                kernel_.run(g);
            } while (k0 < t.k);
        }
        if (is_wide()) wide.finish(g);
    }
}

} // namespace dnnl::impl::cpu
