// SPDX-License-Identifier: Apache-2.0
// DNNL_STRICT_MEMORY=1: a memory must have the very descriptor of the primitive.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <string>

#include "dnnl/dnnl.hpp"

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
