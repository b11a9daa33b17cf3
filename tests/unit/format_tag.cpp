// SPDX-License-Identifier: Apache-2.0
// Every format tag against a model of its own: a layout is a number system whose digits are the
// outer indices, then the inner ones, as the name of the tag lists them.
#include <boost/test/unit_test.hpp>

#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "common/layout/memory_desc.hpp"
#include "dnnl/dnnl_debug.h"

using dnnl::impl::data_type;
using dnnl::impl::dim_t;
using dnnl::impl::dims_t;
using dnnl::impl::element_offset;
using dnnl::impl::layout_name;
using dnnl::impl::make_with_strides;
using dnnl::impl::make_with_tag;
using dnnl::impl::memory_desc;

namespace {

struct named_tag {
    dnnl_format_tag_t tag;
    std::string name;
};

const named_tag all_tags[] = {
#define TAG(name) {dnnl_##name, #name},
#include "format_tags.inc"
#undef TAG
};

struct digit {
    int dim;
    dim_t inner; ///< size of an inner block; 0 for an outer digit
};

std::vector<digit> digits_of(const std::string &name) {
    std::vector<digit> digits;
    dim_t number = 0;
    for (const char c : name) {
        if (std::isdigit(static_cast<unsigned char>(c))) {
            number = 10 * number + (c - '0');
        } else {
            digits.push_back({std::tolower(static_cast<unsigned char>(c)) - 'a', number});
            number = 0;
        }
    }
    return digits;
}

struct model {
    std::vector<digit> digits;
    std::map<int, dim_t> blocks; ///< dimension -> its total block
    int ndims = 0;

    explicit model(const std::string &name) : digits(digits_of(name)) {
        for (const digit &d : digits) {
            if (!d.inner) ++ndims;
            dim_t &block = blocks.try_emplace(d.dim, 1).first->second;
            if (d.inner) block *= d.inner;
        }
    }

    /// Horner's rule over the digits, the most significant one first.
    dim_t offset(const std::vector<dim_t> &dims, const dims_t &x) const {
        std::map<int, dim_t> rest;
        dim_t result = 0;
        for (const digit &d : digits) {
            const dim_t index = x[static_cast<std::size_t>(d.dim)];
            const dim_t block = blocks.at(d.dim);
            if (!d.inner) {
                const dim_t extent = dims[static_cast<std::size_t>(d.dim)];
                result = result * ((extent + block - 1) / block) + index / block;
                rest[d.dim] = block;
            } else {
                rest[d.dim] /= d.inner; // the weight of this factor inside the block
                result = result * d.inner + index / rest[d.dim] % d.inner;
            }
        }
        return result;
    }
};

/// Sizes that are no multiples of the blocks, small where nothing is blocked.
std::vector<dim_t> dims_for(const model &m) {
    std::vector<dim_t> dims;
    for (int d = 0; d < m.ndims; ++d) {
        const dim_t block = m.blocks.at(d);
        dims.push_back(block > 1 ? block + 3 : m.ndims > 6 ? 2 : 2 + d);
    }
    return dims;
}

/// Corners and a fixed pseudo-random selection of positions.
std::vector<dims_t> positions_in(const std::vector<dim_t> &dims) {
    std::vector<dims_t> positions;
    unsigned state = 1;
    for (int i = 0; i < 60; ++i) {
        dims_t x {};
        for (std::size_t d = 0; d < dims.size(); ++d) {
            state = state * 1664525u + 1013904223u;
            x[d] = i == 0 ? 0 : i == 1 ? dims[d] - 1 : static_cast<dim_t>(state >> 8) % dims[d];
        }
        positions.push_back(x);
    }
    return positions;
}

} // namespace

BOOST_AUTO_TEST_CASE(names_and_values) {
    BOOST_TEST(std::size(all_tags) == 873u);
    int value = 2;
    for (const named_tag &t : all_tags) {
        BOOST_TEST(static_cast<int>(t.tag) == value++);
        BOOST_TEST(dnnl_fmt_tag2str(t.tag) == t.name);
    }
}

BOOST_AUTO_TEST_CASE(aliases) {
    static constexpr struct {
        dnnl_format_tag_t alias, tag;
        const char *name;
    } all_aliases[] = {
#define ALIAS(alias, tag) {dnnl_##alias, dnnl_##tag, #alias},
#include "format_tag_aliases.inc"
#undef ALIAS
    };
    BOOST_TEST(std::size(all_aliases) == 798u);
    for (const auto &a : all_aliases) BOOST_TEST(a.alias == a.tag, a.name);
}

BOOST_AUTO_TEST_CASE(offsets_follow_the_name) {
    for (const named_tag &t : all_tags) {
        const model m(t.name);
        const std::vector<dim_t> dims = dims_for(m);
        const memory_desc md = make_with_tag(m.ndims, dims.data(), data_type::s8, t.tag);
        bool same = true;
        for (const dims_t &x : positions_in(dims))
            same = same && element_offset(md, x) == m.offset(dims, x);
        BOOST_TEST(same, t.name << ": an element is elsewhere");
        dims_t last {};
        dim_t padded = 1;
        for (int d = 0; d < m.ndims; ++d) {
            BOOST_TEST(md.padded_dims[d] % m.blocks.at(d) == 0);
            BOOST_TEST(md.padded_dims[d] - md.dims[d] < m.blocks.at(d));
            last[d] = md.padded_dims[d] - 1;
            padded *= md.padded_dims[d];
        }
        BOOST_TEST(element_offset(md, last) == padded - 1, t.name);
        BOOST_TEST(md.size_bytes() == static_cast<std::size_t>(padded), t.name);
    }
}

BOOST_AUTO_TEST_CASE(strides_step_over_blocks) {
    for (const named_tag &t : all_tags) {
        const model m(t.name);
        const std::vector<dim_t> dims = dims_for(m);
        const memory_desc md = make_with_tag(m.ndims, dims.data(), data_type::f32, t.tag);
        for (int d = 0; d < m.ndims; ++d) {
            dims_t x {};
            x[d] = m.blocks.at(d);
            BOOST_TEST(md.strides[d] == m.offset(dims, x), t.name << ", dimension " << d);
        }
    }
}

BOOST_AUTO_TEST_CASE(layouts_are_spelled_like_their_tags) {
    for (const named_tag &t : all_tags) {
        const model m(t.name);
        const std::vector<dim_t> dims = dims_for(m);
        const memory_desc md = make_with_tag(m.ndims, dims.data(), data_type::f32, t.tag);
        BOOST_TEST(layout_name(md) == t.name);
    }
}
