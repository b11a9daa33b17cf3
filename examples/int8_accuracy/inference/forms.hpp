// SPDX-License-Identifier: Apache-2.0
// Decides how the results of steps are stored.
#pragma once

#include "../quantization/sources.hpp"
#include "fusion.hpp"

namespace int8_accuracy {

/// How the numbers of a tensor are stored from one step to the next.
struct stored_form {
    dnnl::memory::data_type type = dnnl::memory::data_type::f32;
    float scale = 1; // of u8 and s8: scale * (integer - zero point)
    std::int32_t zero_point = 0;
    double bits = 32; // that a number takes; fewer than the type has where a format is simulated

    bool integer() const {
        return type == dnnl::memory::data_type::u8 || type == dnnl::memory::data_type::s8;
    }
    bool operator==(const stored_form &) const = default;
};

/// The form in which a product with this grid would like to find its source: integers, if their
/// range is known, and otherwise floating-point numbers that the product rounds itself.
stored_form wanted_form(const number_grid &source);

struct storage_plan {
    std::vector<number_grid> sources; // of each product, in the order of products()
    std::vector<stored_form> results; // of each step
};

/// A step gives the form that all its readers want, if they agree and its primitive can, and
/// otherwise f32. Layers without weights want 16-bit floating-point numbers if their own readers do
/// and f32 otherwise; a maximum wants what its readers want; an add takes what there is.
storage_plan plan_storage(const network &net, const std::vector<fused_step> &steps,
    const assignment &formats, const calibration_data &measured);

} // namespace int8_accuracy
