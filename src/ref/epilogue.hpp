// SPDX-License-Identifier: Apache-2.0
// The epilogue on rows of results: scales, bias, post-ops, destination scale and zero point,
// rounding. The arithmetic is that of doc/epilogue.md, operation by operation.
#pragma once

#include <vector>

#include "ref/tensor.hpp"

namespace dnnl::impl::ref {

/// x   = fma(f32(acc), scale_a * scale_b, bias)
/// x   = dropout(x)
/// x   = post_op[n](... post_op[0](x))
/// dst = saturate(round_to_nearest_even(x / scale_dst + zero_point_dst))
/// Scales of dst that follow from the results are found and stored group by group.
/// What the attributes do not ask for is left out; an integer result goes into an integer dst as an
/// integer when nothing is asked for. So does a sum of products of integers into an s32 dst, when
/// at most an s32 bias and the old dst are to be added.
class epilogue {
  public:
    /// The rows run along dimension `dim` of the destination, argument dst_arg of the execution.
    epilogue(const exec_context &ctx, const primitive_attr &attr, int dst_arg, int dim);

    /// Adds a factor of the results, indexed by positions in dst, if it is there; at most two.
    void scale_by(tensor factor) {
        if (factor) factors_.push_back(std::move(factor));
    }
    void add_bias(tensor bias) { bias_ = std::move(bias); }

    /// Finishes and stores dst[position + i along dim] from x[i], i < count <= row_length.
    void store(float *x, const dims_t &position, dim_t count) const;
    void store(const std::int32_t *acc, const dims_t &position, dim_t count) const;
    /// The same for sums of products of integers, which are exact.
    void store(const double *acc, const dims_t &position, dim_t count) const;

    /// Zeroes the padding of a blocked dst. Called once, before or after the rows.
    void zero_dst_padding() const;
    /// Calls body(position, count) for each row of dst, in parallel, and zeroes what a blocked dst
    /// has beyond its dims. item_ns estimates the cost of one element.
    template <class Body> void for_each_row(double item_ns, const Body &body) const {
        ref::for_each_row(dst_md_, dim_, item_ns, body);
        zero_dst_padding();
    }

  private:
    struct step {
        const post_op *op;
        tensor operand;   ///< the previous dst, the source of a binary, or the weights of a prelu
        tensor condition; ///< the condition of a select; absent for other operations
    };
    void scale_and_shift(float *x, const dims_t &position, dim_t count) const;
    void drop_out(float *x, const dims_t &position, dim_t count) const;
    void apply(const step &s, float *x, const dims_t &position, dim_t count) const;
    void round(float *x, const dims_t &position, dim_t count) const;
    /// Finds and stores the scales of whole groups and divides x by them.
    void find_scales(float *x, const dims_t &position, dim_t count) const;
    bool changes_nothing() const {
        return factors_.empty() && !bias_ && steps_.empty() && !dst_scale_ && !dst_zero_point_ &&
               !dropout_.enabled && !rounds_stochastically_ && !found_scale_;
    }
    bool adds_integers() const;

    int dim_;
    const memory_desc &dst_md_;
    void *dst_data_;
    tensor dst_, dst_scale_, dst_zero_point_, bias_;
    tensor found_scale_; ///< written
    dnnl_quantization_mode_t scale_mode_ = dnnl_quantization_mode_static_sazp;
    dim_t scale_group_ = 1;
    std::vector<tensor> factors_;
    std::vector<step> steps_;
    bool adds_at_most_dst_;
    /// The element at offset i of dst uses the random word of i, and its place in the mask, which
    /// may be null, is i, too.
    struct {
        bool enabled = false;
        std::uint8_t *mask = nullptr;
        random_sequence sequence {};
        std::uint32_t threshold = 0;
        float scale = 1;
    } dropout_;
    bool rounds_stochastically_ = false;
    std::int32_t rounding_seed_ = 0;
};

/// Why the epilogue cannot do what the attributes ask for; null when it can.
const char *epilogue_refusal(const primitive_attr &attr);

/// The formulas of eltwise (specification: "Eltwise") on one value. They are evaluated in f64, in
/// forms without cancellation, and rounded to f32 once, but for linear, hardsigmoid and hardswish.
/// NaN propagates.
/// d = f(s; alpha, beta). The *_use_dst_for_bwd kinds compute what their plain kinds do.
float eltwise_forward(dnnl_alg_kind_t alg, float s, float alpha, float beta);
/// dd * f'. `data` is s, or d for the *_use_dst_for_bwd kinds. Where f' is 0 the result is 0,
/// unless dd is NaN.
float eltwise_backward(dnnl_alg_kind_t alg, float dd, float data, float alpha, float beta);

/// alg(a, b) of the binary primitive and post-op. Value s32: max, min and comparisons.
template <class Value> Value binary_value(dnnl_alg_kind_t alg, Value a, Value b) {
    switch (static_cast<algorithm>(alg)) {
    case algorithm::binary_add: return a + b;
    case algorithm::binary_sub: return a - b;
    case algorithm::binary_mul: return a * b;
    case algorithm::binary_div: return a / b;
    case algorithm::binary_max: return a > b ? a : b;
    case algorithm::binary_min: return a < b ? a : b;
    case algorithm::binary_ge: return a >= b;
    case algorithm::binary_gt: return a > b;
    case algorithm::binary_le: return a <= b;
    case algorithm::binary_lt: return a < b;
    case algorithm::binary_eq: return a == b;
    case algorithm::binary_ne: return a != b;
    case algorithm::binary_select: // the primitive chooses itself
    case algorithm::undef: DNNL_CASES_OF_ELTWISE DNNL_CASES_OF_DST break;
    }
    return a;
}

} // namespace dnnl::impl::ref
