// SPDX-License-Identifier: Apache-2.0
#include "common/descriptors/rnn.hpp"

#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
dim_t product(std::initializer_list<dim_t> factors) {
    std::optional<dim_t> result = 1;
    for (const dim_t factor : factors) result = checked_mul(result, factor);
    constexpr dim_t limit = dim_t {1} << 58;
    if (!result || *result > limit)
        throw error(dnnl_invalid_arguments, "rnn: src_layer: the network is too large");
    return *result;
}
} // namespace

rnn_states::rnn_states(const rnn_desc &desc, extent kept) : kept_(kept) {
    const rnn_shape s = shape_of(desc);
    T_ = s.T;
    D_ = s.D;
    const data_type type = desc.md(rnn_tensor::src_layer).dtype;
    // f16 states are kept as the f32 values that they stand for: products widen them anyway.
    state_type_ = type == data_type::f16 ? data_type::f32 : type;
    const bool linear = is_linear_before_reset(desc.cell_kind) || s.projection;
    gates_row_ = product({s.MB, s.G, s.DHC});
    linear_row_ = linear ? product({s.MB, s.DHC}) : 0;
    c_row_ = is_lstm(desc.cell_kind) ? product({s.MB, s.DHC}) : 0;
    h_row_bytes_ = product({s.MB, s.DIC, static_cast<dim_t>(size_of(state_type_))});
    const dim_t slots = kept == keep_all ? product({s.L, s.D}) : 1;
    const dim_t h_slots = kept == keep_all ? slots : 2 * s.D;
    constexpr dim_t line = 64, f32_bytes = sizeof(float);
    const auto section = [&](dim_t count, dim_t row, dim_t bytes) {
        return round_up(product({count, s.T, row, bytes}), line);
    };
    linear_begin_ = section(slots, gates_row_, f32_bytes);
    c_begin_ = linear_begin_ + section(slots, linear_row_, f32_bytes);
    h_begin_ = c_begin_ + section(slots, c_row_, f32_bytes);
    bytes_ = h_begin_ + section(h_slots, h_row_bytes_, 1);
}

} // namespace dnnl::impl
