// SPDX-License-Identifier: Apache-2.0
// DNNL_STRICT_MEMORY=1: a memory must have the very descriptor of the primitive.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <string>

#include "dnnl/dnnl.hpp"

namespace {

/// u8 by s8 with groups of 2 of the weights' K.
void multiply(const dnnl::memory::dims &src, const dnnl::memory::dims &weights,
    const dnnl::memory::dims &scales) {
    using dnnl::memory;
    using type = memory::data_type;
    const auto tag = memory::format_tag::ab;
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::primitive_attr attr;
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {2, 1}, type::f32);
    const memory::desc s(src, type::u8, tag), w(weights, type::s8, tag);
    const memory::desc d({src[0], weights[1]}, type::f32, tag), factors(scales, type::f32, tag);
    dnnl::stream stream(cpu);
    dnnl::matmul(dnnl::matmul::primitive_desc(cpu, s, w, d, attr))
        .execute(stream, {{DNNL_ARG_SRC, memory(s, cpu)}, {DNNL_ARG_WEIGHTS, memory(w, cpu)},
                             {DNNL_ARG_DST, memory(d, cpu)},
                             {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, memory(factors, cpu)}});
}

} // namespace

BOOST_AUTO_TEST_CASE(every_difference_is_refused) {
    setenv("DNNL_STRICT_MEMORY", "1", 1); // before the library reads it
    using dnnl::memory;
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const memory::desc md({32}, memory::data_type::f32, memory::format_tag::a);
    const memory::desc row({1, 32}, memory::data_type::f32, memory::format_tag::ab);
    const dnnl::eltwise_forward relu(dnnl::eltwise_forward::primitive_desc(
        cpu, dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, md, md));
    dnnl::stream stream(cpu);
    const dnnl::engine second(dnnl::engine::kind::cpu, 0);
    const memory own(md, cpu), other(row, cpu);
    relu.execute(stream, {{DNNL_ARG_SRC, own}, {DNNL_ARG_DST, own}});
    try {
        relu.execute(stream, {{DNNL_ARG_SRC, other}, {DNNL_ARG_DST, own}});
        BOOST_ERROR("a memory of another rank was accepted");
    } catch (const dnnl::error &e) {
        const std::string reason = e.what();
        BOOST_TEST(e.status == dnnl_invalid_arguments);
        BOOST_TEST(reason.find("DNNL_ARG_SRC: its memory is f32 ab 1x32, expected f32 a 32") !=
                       std::string::npos,
            reason);
    }
    BOOST_CHECK_THROW(
        relu.execute(stream, {{DNNL_ARG_SRC, memory(md, second)}, {DNNL_ARG_DST, own}}),
        dnnl::error);
}

BOOST_AUTO_TEST_CASE(groups_of_tensors_without_elements) {
    setenv("DNNL_STRICT_MEMORY", "1", 1);
    BOOST_CHECK_NO_THROW(multiply({3, 8}, {8, 0}, {4, 0}));
    BOOST_CHECK_NO_THROW(multiply({0, 8}, {8, 5}, {4, 5}));
    BOOST_CHECK_NO_THROW(multiply({3, 0}, {0, 5}, {0, 5}));
    BOOST_CHECK_NO_THROW(multiply({3, 0}, {0, 0}, {0, 0}));
}
