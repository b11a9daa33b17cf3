// SPDX-License-Identifier: Apache-2.0
// Runs a reference implementation on small tensors whose values are listed row-major.
#pragma once

#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "common/layout/data_type.hpp"
#include "common/plan/implementation.hpp"
#include "ref/reference.hpp"

namespace reference_run {

using namespace dnnl::impl;

/// A tensor and its buffer, filled with 0xA5 where no values are given.
struct buffer {
    memory_desc md;
    std::vector<std::byte> bytes;

    explicit buffer(const memory_desc &descriptor)
        : md(descriptor), bytes(descriptor.size_bytes(), std::byte {0xa5}) {}
    buffer(data_type dtype, std::vector<dim_t> dims, std::vector<float> values = {},
        dnnl_format_tag_t tag = dnnl_format_tag_undef)
        : buffer(tag == dnnl_format_tag_undef
                     ? make_with_strides(static_cast<int>(dims.size()), dims.data(), dtype, nullptr)
                     : make_with_tag(static_cast<int>(dims.size()), dims.data(), dtype, tag)) {
        if (values.empty()) return;
        std::memset(bytes.data(), 0, bytes.size());
        BOOST_REQUIRE_EQUAL(static_cast<dim_t>(values.size()), md.nelems());
        for (dim_t i = 0; i < md.nelems(); ++i)
            store_f32(dtype, bytes.data(), element_offset(md, position_of(md, i)),
                values[static_cast<std::size_t>(i)]);
    }
    std::vector<float> values() const {
        std::vector<float> result;
        for (dim_t i = 0; i < md.nelems(); ++i)
            result.push_back(
                load_f32(md.dtype, bytes.data(), element_offset(md, position_of(md, i))));
        return result;
    }
};

struct passed {
    int arg;
    buffer &tensor;
};

/// Plans and executes; the reason of a refusal, or null.
inline const char *run(planned (*make)(problem &), op_desc op,
    std::initializer_list<passed> arguments, const primitive_attr &attr = {}) {
    problem p;
    p.op = std::move(op);
    p.attr = attr;
    const planned made = make(p);
    if (!made.result) return made.why_not;
    std::vector<bound_argument> bound;
    for (const passed &a : arguments) bound.push_back({a.arg, &a.tensor.md, a.tensor.bytes.data()});
    const scratchpad_lease scratchpad(p.scratchpad.bytes());
    made.result->execute(exec_context(bound, scratchpad.data()));
    return nullptr;
}

inline void check(const buffer &tensor, const std::vector<float> &expected) {
    const std::vector<float> values = tensor.values();
    BOOST_CHECK_EQUAL_COLLECTIONS(values.begin(), values.end(), expected.begin(), expected.end());
}

/// Small integers from a fixed seed: every sum of products is exact in f32.
inline std::vector<float> small_integers(dim_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> values;
    for (dim_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random() % 9) - 4);
    return values;
}

inline double inner_product_of(const buffer &a, const buffer &b) {
    const std::vector<float> x = a.values(), y = b.values();
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += double {x[i]} * y[i];
    return sum;
}

} // namespace reference_run
