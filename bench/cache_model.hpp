// SPDX-License-Identifier: Apache-2.0
// The time of a blocked product on a core with other caches than this one: every tile touches its
// operands in caches that forget what was used least recently.
#pragma once

#include "common/runtime/isa.hpp"
#include "cpu/gemm/gemm.hpp"

namespace bench {

/// A core, in cycles. Lines take two and three times as long as a Zen 5 reads them, which makes a
/// wrong cut dearer; the rest is of that core.
struct core_model {
    dnnl::impl::dim_t lanes;      ///< sums in a vector
    double steps_per_cycle = 2;   ///< multiplications of vectors
    double line_from_l2 = 2;      ///< 64 bytes into L1
    double line_from_l3 = 6;      ///< 64 bytes into L2
    double tile = 30, panel = 80; ///< around the steps of a tile; around those of a panel
    dnnl::impl::cache_sizes caches {};
};

struct product_shape {
    dnnl::impl::dim_t M, N, K;
};

/// Returns the cycles of a product whose operands lie in L3, cut as gemm_driver does.
double simulated_cycles(const core_model &core, const dnnl::impl::cpu::gemm_kernel &kernel,
    const product_shape &s, const dnnl::impl::cpu::gemm_blocking &cut);

} // namespace bench
