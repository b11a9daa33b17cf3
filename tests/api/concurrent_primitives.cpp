// SPDX-License-Identifier: Apache-2.0
// Eight threads create, execute and destroy all primitives at the same time, each by every
// implementation; all give the bits that one thread gives alone afterwards.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using tag = memory::format_tag;
using type = memory::data_type;

namespace {

// Every row of reorder, concat and sum, too.
[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

constexpr int threads = 8, rounds = 3;

using bytes = std::vector<unsigned char>;
using describe = std::function<primitive_desc_base(const engine &)>;

memory::desc image(memory::dim channels, type t = type::f32, tag layout = tag::nhwc) {
    return {{2, channels, 9, 10}, t, layout};
}
memory::desc matrix(memory::dim rows, memory::dim columns, type t = type::f32) {
    return {{rows, columns}, t, tag::ab};
}
primitive_attr relu_behind() {
    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attr;
    attr.set_post_ops(ops);
    return attr;
}

primitive_desc_base convolution_of(const engine &e) {
    return convolution_forward::primitive_desc(e, prop_kind::forward_training,
        algorithm::convolution_direct, image(8), {{12, 8, 3, 3}, type::f32, tag::any},
        {{12}, type::f32, tag::x}, image(12), {1, 1}, {1, 1}, {1, 1}, relu_behind());
}
primitive_desc_base convolution_gradient(const engine &e) {
    const memory::desc weights({12, 8, 3, 3}, type::f32, tag::any);
    const convolution_forward::primitive_desc hint(e, prop_kind::forward_training,
        algorithm::convolution_direct, image(8), weights, image(12), {1, 1}, {1, 1}, {1, 1});
    return convolution_backward_weights::primitive_desc(e, algorithm::convolution_direct, image(8),
        weights, image(12), {1, 1}, {1, 1}, {1, 1}, hint);
}
primitive_desc_base pooling_of(const engine &e) {
    return pooling_forward::primitive_desc(e, prop_kind::forward_training, algorithm::pooling_max,
        image(16), {{2, 16, 5, 5}, type::f32, tag::nhwc}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 0});
}

/// The ten primitives, some in two forms.
const std::vector<std::pair<std::string, describe>> &requests() {
    static const std::vector<std::pair<std::string, describe>> all {
        {"reorder",
            [](const engine &e) {
                return reorder::primitive_desc(
                    e, image(20), e, image(20, type::bf16, tag::nChw16c));
            }},
        {"matmul",
            [](const engine &e) {
                return matmul::primitive_desc(
                    e, matrix(33, 65), matrix(65, 40), matrix(33, 40), relu_behind());
            }},
        {"int8 matmul",
            [](const engine &e) {
                return matmul::primitive_desc(e, matrix(33, 65, type::u8), matrix(65, 40, type::s8),
                    matrix(33, 40, type::s32));
            }},
        {"inner product",
            [](const engine &e) {
                return inner_product_forward::primitive_desc(e, prop_kind::forward_inference,
                    matrix(17, 30), {{21, 30}, type::f32, tag::any}, matrix(17, 21));
            }},
        {"convolution", convolution_of},
        {"convolution gradient", convolution_gradient},
        {"pooling", pooling_of},
        {"eltwise",
            [](const engine &e) {
                return eltwise_forward::primitive_desc(e, prop_kind::forward_inference,
                    algorithm::eltwise_gelu_erf, image(11), image(11));
            }},
        {"binary",
            [](const engine &e) {
                return binary::primitive_desc(
                    e, algorithm::binary_mul, image(11), image(11), image(11));
            }},
        {"softmax",
            [](const engine &e) {
                return softmax_forward::primitive_desc(e, prop_kind::forward_inference,
                    algorithm::softmax_accurate, matrix(19, 70), matrix(19, 70), 1);
            }},
        {"sum",
            [](const engine &e) {
                return sum::primitive_desc(
                    e, matrix(40, 30), {0.5f, 2.f}, {matrix(40, 30), matrix(40, 30)});
            }},
        {"concat",
            [](const engine &e) {
                return concat::primitive_desc(e, 1, {matrix(40, 30), matrix(40, 50)});
            }},
    };
    return all;
}

void fill(const memory &m) {
    const std::size_t size = m.get_desc().get_size();
    if (m.get_desc().get_data_type() == type::f32) {
        float *values = static_cast<float *>(m.get_data_handle());
        for (std::size_t i = 0; i < size / 4; ++i)
            values[i] = 0.25f * static_cast<float>(i * 7 % 11) - 1.f;
    } else {
        unsigned char *values = static_cast<unsigned char *>(m.get_data_handle());
        for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<unsigned char>(i * 7 % 11);
    }
}

/// Executes the implementation that the descriptor stands at; the bytes of the first output.
bytes output_of(const engine &e, const primitive_desc_base &pd) {
    std::unordered_map<int, memory> args;
    for (int arg : {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST,
             DNNL_ARG_WORKSPACE, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_MULTIPLE_SRC,
             DNNL_ARG_MULTIPLE_SRC + 1}) {
        const memory::desc md = pd.query_md(query::exec_arg_md, arg);
        if (md.get_size() == 0) continue;
        args.emplace(arg, memory(md, e));
        fill(args.at(arg));
    }
    stream s(e);
    primitive(pd).execute(s, args);
    const memory &out = args.at(args.count(DNNL_ARG_DST) ? DNNL_ARG_DST : DNNL_ARG_DIFF_WEIGHTS);
    const unsigned char *data = static_cast<const unsigned char *>(out.get_data_handle());
    return {data, data + out.get_desc().get_size()};
}

/// The outputs of all requests, from one on that differs per thread, by all implementations.
std::vector<std::vector<bytes>> all_outputs(std::size_t first) {
    std::vector<std::vector<bytes>> outputs(requests().size());
    for (std::size_t i = 0; i < requests().size(); ++i) {
        const std::size_t which = (first + i) % requests().size();
        const engine e(engine::kind::cpu, 0);
        const primitive_desc_base pd = requests()[which].second(e);
        do outputs[which].push_back(output_of(e, pd));
        while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    }
    return outputs;
}

} // namespace

BOOST_AUTO_TEST_CASE(all_primitives_at_the_same_time) {
    std::vector<std::vector<std::vector<bytes>>> results(threads * rounds);
    std::vector<std::string> failures(threads);
    std::atomic<int> ready {0};
    std::vector<std::thread> started;
    requests();
    for (int t = 0; t < threads; ++t)
        started.emplace_back([&, t] {
            ++ready;
            while (ready < threads) std::this_thread::yield();
            try {
                for (int round = 0; round < rounds; ++round)
                    results[t * rounds + round] = all_outputs(static_cast<std::size_t>(t + round));
            } catch (const std::exception &e) {
                failures[t] = e.what();
            }
        });
    for (std::thread &thread : started) thread.join();
    for (const std::string &failure : failures) BOOST_TEST(failure == "");

    const auto alone = all_outputs(0);
    for (std::size_t i = 0; i < alone.size(); ++i)
        for (std::size_t run = 0; run < results.size(); ++run)
            BOOST_TEST((results[run].size() > i && results[run][i] == alone[i]),
                requests()[i].first << " differs in run " << run);
}
