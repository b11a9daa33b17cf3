// SPDX-License-Identifier: Apache-2.0
#include "cpu/matmul/matmul_quantization.hpp"

#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

/// Returns the entry of the scales of dst that the library computes; null where there are none.
static const quantization *computed_scales(const problem &p) {
    const quantization *q = p.attr.scales.find(DNNL_ARG_DST);
    return q && q->is_dynamic() ? q : nullptr;
}

/// True when each row of a plain tensor of 4-bit elements begins with a byte, the first row with
/// the first byte of the buffer.
static bool rows_begin_bytes(const memory_desc &md) {
    for (int d = 0; d < md.ndims - 1; ++d)
        if (md.dims[d] > 1 && md.strides[d] % 2 != 0) return false;
    return md.offset0 == 0;
}

bool matmul_codes::are_needed(const problem &p) {
    return computed_scales(p) || is_4bit(std::get<matmul_desc>(p.op).dst.dtype);
}

const char *matmul_codes::refusal(const problem &p) {
    if (!are_needed(p)) return nullptr;
    if (has_sum(p.attr.post_ops)) return "a sum post-op beside computed scales or a 4-bit dst";
    if (!p.attr.stochastic_rounding.empty()) return "stochastic rounding to 4 bits";
    const quantization *q = computed_scales(p);
    const memory_desc &dst = std::get<matmul_desc>(p.op).dst;
    if (q && dst.dims[dst.ndims - 1] % q->group_dims[1] != 0)
        return "the groups of computed scales do not divide N";
    return nullptr;
}

matmul_codes::matmul_codes(problem &p, const matmul_operands &o) {
    if (!are_needed(p)) return;
    const memory_desc &dst = std::get<matmul_desc>(p.op).dst;
    if (is_4bit(dst.dtype) && (o.dst.wanted() != dst || !rows_begin_bytes(dst)))
        why_not_ = "rows of a 4-bit dst do not begin with bytes";
    if (why_not_) return;
    if (const quantization *q = computed_scales(p)) {
        group_ = q->group_dims[1];
        powers_of_two_ = q->mode == dnnl_quantization_mode_dynamic_mx;
    }
    stride_ = o.NC;
    block_elements_ = o.MC * o.NC;
    results_ = p.scratchpad.reserve<f32>(o.threads * block_elements_);
    store_ = kernel_for<every_level>(p.target, []<class Isa> { return quantize_rows<Isa>; });
}

void matmul_codes::store(const matmul_execution &e, const matmul_operands &o,
    const matmul_operands::block &b, int thread) const {
    const memory_desc &to = o.dst.wanted();
    const int m = o.shape.ndims - 2;
    const dim_t per_byte = is_4bit(to.dtype) ? 2 : 1;
    quantize_rows_args a {};
    a.src = results(e.ctx, thread);
    a.src_stride = stride_;
    a.rows = b.rows;
    a.columns = b.columns;
    a.dst = e.dst + (b.at.dst + b.m0 * to.strides[m] + b.n0) / per_byte;
    a.dst_stride_bytes = to.strides[m] / per_byte;
    a.dst_type = to.dtype;
    a.group = group_;
    a.powers_of_two = powers_of_two_;
    if (group_) {
        constexpr int arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST;
        a.scales_stride = o.shape.N / group_;
        a.scales = e.ctx.out<u8>(arg) + e.ctx.desc(arg).offset0 +
                   (b.at.dst_index * o.shape.M + b.m0) * a.scales_stride + b.n0 / group_;
    }
    store_(a);
}

} // namespace dnnl::impl::cpu
