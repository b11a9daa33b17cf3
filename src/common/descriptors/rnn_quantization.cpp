// SPDX-License-Identifier: Apache-2.0
// Checks of the parameters that 8-bit recurrent networks and reorders of their tensors take.
#include <bit>
#include <string>

#include "common/descriptors/rnn.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
[[noreturn]] void refuse_parameters(dnnl_status_t status, const std::string &what) {
    throw error(status, "rnn_qparams: " + what);
}

/// Says that a value arrives with the execution, which nothing offers.
bool is_runtime(float value) {
    return std::bit_cast<std::uint32_t>(value) == DNNL_RUNTIME_F32_VAL_REP.u;
}

/// per_channel: the mask asks for one scale per channel, and may.
void check_scales(
    const std::vector<float> &scales, int mask, bool per_channel, dim_t channels, const char *of) {
    const auto given = static_cast<dim_t>(scales.size());
    if (mask != 0 && !per_channel)
        refuse_parameters(dnnl_unimplemented,
            "mask " + std::to_string(mask) + " of the scales of " + of + " is not offered");
    if (given > 0 && is_runtime(scales.front()))
        refuse_parameters(
            dnnl_unimplemented, std::string("scales of ") + of + " known at execution only");
    if (mask != 0 && given < channels)
        refuse_parameters(dnnl_invalid_arguments, std::string("the mask of the scales of ") + of +
                                                      " asks for " + std::to_string(channels) +
                                                      ", given are " + std::to_string(given));
}
} // namespace

void check_data_parameters(const rnn_quantization &q) {
    if (is_runtime(q.data_scale) || is_runtime(q.data_shift))
        refuse_parameters(dnnl_unimplemented, "scale or shift of data known at execution only");
}

void check_weights_scales(const rnn_quantization &q, dim_t channels) {
    check_scales(q.weights_scales, q.weights_mask, q.weights_mask == 24, channels, "weights");
}

void check_projection_scales(const rnn_quantization &q, dim_t channels) {
    const bool per_channel = q.projection_mask == 8 || q.projection_mask == 16;
    check_scales(
        q.projection_scales, q.projection_mask, per_channel, channels, "weights_projection");
}

void check_quantization(const rnn_desc &desc, const rnn_quantization &q) {
    if (q.is_default())
        refuse_parameters(dnnl_unimplemented, "a network with 8-bit tensors needs them");
    const rnn_shape s = shape_of(desc);
    check_data_parameters(q);
    check_weights_scales(q, s.G * s.DHC);
    check_projection_scales(q, s.DIC);
}

} // namespace dnnl::impl
