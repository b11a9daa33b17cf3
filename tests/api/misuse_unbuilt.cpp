// SPDX-License-Identifier: Apache-2.0
// Primitives that have no implementation yet: whatever is asked of them is `unimplemented`, but a
// mandatory argument that is NULL is `invalid_arguments`. Their rows of the misuse table are
// listed with the status that they will have to answer once the primitive is there.
#include "dnnl/dnnl_debug.h"
#include "objects.hpp"

using namespace api_tests;

namespace {

using md_t = const_dnnl_memory_desc_t;
using pd_t = dnnl_primitive_desc_t;
constexpr dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;

/// Descriptors that every row may take; `leave_out` replaces one of them, or the engine, by NULL.
struct tensors {
    explicit tensors(int leave_out) : absent(leave_out) {}
    int absent;
    desc_owner image = plain({2, 16, 4, 4}), other = plain({2, 16, 4, 5});
    desc_owner weights = plain({16, 16, 3, 3});
    desc_owner vector = plain({16}), statistics = plain({2, 16, 4});
    int asked = 0;

    /// The n-th mandatory argument that a call asks for is the one left out if n == absent.
    bool leave() { return asked++ == absent; }
    md_t operator()(const desc_owner &md) { return leave() ? nullptr : +md; }
    dnnl_engine_t eng() { return leave() ? nullptr : engine(); }
    pd_t *out(pd_t *to) { return leave() ? nullptr : to; }
};

/// One row: `later` is the status it must have once the primitive is built.
struct row {
    const char *id;
    dnnl_status_t later;
    dnnl_status_t (*create)(tensors &t, pd_t *out);
};
constexpr auto train = dnnl_forward_training;

const row rows[] = {
    {"R01", invalid,
        [](tensors &t, pd_t *out) {
            return dnnl_reduction_primitive_desc_create(
                t.out(out), t.eng(), dnnl_reduction_sum, t(t.image), t(t.image), 0, 0, nullptr);
        }},
    {"R02", invalid,
        [](tensors &t, pd_t *out) {
            return dnnl_reduction_primitive_desc_create(
                t.out(out), t.eng(), dnnl_reduction_sum, t(t.image), t(t.other), 0, 0, nullptr);
        }},
    {"R03", invalid,
        [](tensors &t, pd_t *out) {
            return dnnl_reduction_primitive_desc_create(t.out(out), t.eng(),
                dnnl_reduction_norm_lp_sum, t(t.image), t(t.vector), 0.5f, 0, nullptr);
        }},
    {"R05", invalid,
        [](tensors &t, pd_t *out) {
            const float factors[] = {3, 3};
            return dnnl_resampling_forward_primitive_desc_create(t.out(out), t.eng(), train,
                dnnl_resampling_nearest, factors, t(t.image), t.image, nullptr);
        }},
    {"R06", invalid,
        [](tensors &t, pd_t *out) {
            const float factors[] = {0, 1};
            return dnnl_resampling_forward_primitive_desc_create(t.out(out), t.eng(), train,
                dnnl_resampling_nearest, factors, t(t.image), nullptr, nullptr);
        }},
    {"resampling, backward", dnnl_success,
        [](tensors &t, pd_t *out) {
            return dnnl_resampling_backward_primitive_desc_create(t.out(out), t.eng(),
                dnnl_resampling_nearest, nullptr, t(t.image), t(t.other), nullptr, nullptr);
        }},
    {"W01", invalid,
        [](tensors &t, pd_t *out) {
            return dnnl_prelu_forward_primitive_desc_create(
                t.out(out), t.eng(), train, t(t.image), t(t.other), t(t.image), nullptr);
        }},
    {"prelu, backward", dnnl_success,
        [](tensors &t, pd_t *out) {
            return dnnl_prelu_backward_primitive_desc_create(t.out(out), t.eng(), t(t.image),
                t(t.image), t(t.image), t(t.image), t(t.image), nullptr, nullptr);
        }},
};
} // namespace

BOOST_AUTO_TEST_CASE(rows_of_primitives_not_built) {
    for (const row &r : rows) {
        check_row(r.id, missing, "no implementation is built yet", [&](pd_t *out) {
            tensors complete(-1);
            return r.create(complete, out);
        });
        BOOST_TEST_MESSAGE(r.id << ": unimplemented; to be " << dnnl_status2str(r.later));
    }
}

BOOST_AUTO_TEST_CASE(mandatory_arguments) {
    for (const row &r : rows) {
        tensors count(-1);
        pd_t unused = nullptr;
        r.create(count, &unused);
        for (int n = 0; n < count.asked; ++n)
            check_row(std::string(r.id) + ", NULL number " + std::to_string(n), invalid,
                "must not be NULL", [&](pd_t *out) {
                    tensors incomplete(n);
                    return r.create(incomplete, out);
                });
    }
}

BOOST_AUTO_TEST_CASE(R04) {
    const auto image = plain({2, 16, 4, 4});
    check_row("R04", invalid, "factors", [&](pd_t *out) {
        return dnnl_resampling_forward_primitive_desc_create(out, engine(), dnnl_forward_training,
            dnnl_resampling_nearest, nullptr, image, nullptr, nullptr);
    });
}
