// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of an execution for random numbers: of dropout and stochastic rounding.
#pragma once

#include "common/plan/implementation.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

/// The value of an argument that holds one.
template <class T> T scalar(const exec_context &ctx, int arg) {
    return ctx.in<T>(arg)[ctx.desc(arg).offset0];
}

/// The sequence of random words that dropout uses.
inline random_sequence dropout_sequence(const exec_context &ctx, const dropout_params &dropout) {
    const auto unsigned_of = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    const bool wide = dropout.seed_type == data_type::s64;
    random_sequence sequence {
        unsigned_of(wide ? scalar<std::int64_t>(ctx, DNNL_ARG_ATTR_DROPOUT_SEED)
                         : scalar<std::int32_t>(ctx, DNNL_ARG_ATTR_DROPOUT_SEED))};
    if (dropout.use_offset)
        sequence.offset = unsigned_of(scalar<std::int64_t>(ctx, DNNL_ARG_ATTR_DROPOUT_OFFSET));
    return sequence;
}

/// Where dropout stores its mask, at the same offsets as in dst; null: nowhere. Throws
/// error(invalid_arguments) where the mask's layout, which may be known at execution only, is not
/// that of dst.
inline std::uint8_t *dropout_mask(
    const exec_context &ctx, const dropout_params &dropout, const memory_desc &dst) {
    if (dropout.mask.is_zero()) return nullptr;
    memory_desc expected = dst;
    expected.dtype = data_type::u8;
    require(ctx.desc(DNNL_ARG_ATTR_DROPOUT_MASK) == expected,
        "dropout: the layout of the mask differs from that of dst");
    return ctx.out<std::uint8_t>(DNNL_ARG_ATTR_DROPOUT_MASK);
}

} // namespace dnnl::impl
