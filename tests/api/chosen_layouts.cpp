// SPDX-License-Identifier: Apache-2.0
// The layouts that tensors get which came as `any`, for each kind of layout of the tensor beside
// them. The last implementation of each primitive is asked, which has no wishes of its own.
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "cpu.hpp"

using namespace dnnl;
using api_tests::cpu;
using tag = memory::format_tag;
using type = memory::data_type;

namespace {

[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

constexpr tag plain = tag::nchw, channels_last = tag::nhwc, blocked = tag::nChw16c;
const memory::dims whole {2, 32, 4, 6}, halved {2, 32, 2, 3}, channels {1, 32, 1, 1},
    pixels {2, 1, 4, 6}, images {2, 32, 1, 1};

memory::desc laid(const memory::dims &dims, tag layout) { return {dims, type::f32, layout}; }
memory::desc any(const memory::dims &dims) { return laid(dims, tag::any); }

template <class Desc> Desc last_of(Desc pd) {
    while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success) {}
    return pd;
}

/// What a tensor with these dims gets beside a tensor of each layout.
struct expectation {
    const char *what;
    memory::dims dims;
    std::vector<tag> expected; // beside plain, channels_last and blocked
};

/// got(beside): the layout that the library chose beside a tensor of layout `beside`.
template <class Function> void check(const expectation &e, const Function &got) {
    const tag besides[] = {plain, channels_last, blocked};
    for (std::size_t i = 0; i < 3; ++i)
        BOOST_TEST((got(besides[i]) == laid(e.dims, e.expected[i])),
            e.what << " beside layout " << i << " of the three");
}

const std::vector<tag> same {plain, channels_last, blocked};
// A block of a dimension of extent 1 would be padding alone.
const std::vector<tag> never_blocked {plain, channels_last, plain};

constexpr prop_kind training = prop_kind::forward_training;

eltwise_forward::primitive_desc eltwise_of(const memory::desc &src, const memory::desc &dst) {
    return last_of(
        eltwise_forward::primitive_desc(cpu(), training, algorithm::eltwise_tanh, src, dst));
}

} // namespace

BOOST_AUTO_TEST_CASE(dst_follows_src) {
    check({"eltwise", whole, same},
        [](tag t) { return eltwise_of(laid(whole, t), any(whole)).dst_desc(); });
    check({"softmax", whole, same}, [](tag t) {
        return last_of(softmax_forward::primitive_desc(
                           cpu(), training, algorithm::softmax_log, laid(whole, t), any(whole), 1))
            .dst_desc();
    });
    check({"lrn", whole, same}, [](tag t) {
        return last_of(lrn_forward::primitive_desc(cpu(), training, algorithm::lrn_across_channels,
                           laid(whole, t), any(whole), 5, 1, 1, 1))
            .dst_desc();
    });
    check({"batch normalization", whole, same}, [](tag t) {
        return last_of(batch_normalization_forward::primitive_desc(cpu(), training, laid(whole, t),
                           any(whole), 1, normalization_flags::none))
            .dst_desc();
    });
    check({"group normalization", whole, same}, [](tag t) {
        return last_of(group_normalization_forward::primitive_desc(cpu(), training, laid(whole, t),
                           any(whole), 4, 1, normalization_flags::none))
            .dst_desc();
    });
    check({"shuffle", whole, same}, [](tag t) {
        return last_of(
            shuffle_forward::primitive_desc(cpu(), training, laid(whole, t), any(whole), 1, 4))
            .dst_desc();
    });
    check({"pooling", halved, same}, [](tag t) {
        return last_of(pooling_forward::primitive_desc(cpu(), training, algorithm::pooling_max,
                           laid(whole, t), any(halved), {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}))
            .dst_desc();
    });
    check({"workspace of pooling", halved, same}, [](tag t) {
        const auto pd =
            last_of(pooling_forward::primitive_desc(cpu(), training, algorithm::pooling_max,
                laid(whole, t), any(halved), {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}));
        memory::desc md = pd.workspace_desc();
        BOOST_TEST((md == memory::desc(halved, md.get_data_type(), t)));
        return laid(halved, t);
    });
    check({"resampling", whole, same}, [](tag t) {
        return last_of(resampling_forward::primitive_desc(cpu(), training,
                           algorithm::resampling_linear, laid(halved, t), any(whole)))
            .dst_desc();
    });
    check({"sum", whole, same}, [](tag t) {
        return last_of(
            sum::primitive_desc(cpu(), any(whole), {1, 1}, {laid(whole, t), laid(whole, plain)}))
            .dst_desc();
    });
    check({"concat", {2, 64, 4, 6}, same}, [](tag t) {
        return last_of(concat::primitive_desc(
                           cpu(), any({2, 64, 4, 6}), 1, {laid(whole, t), laid(whole, plain)}))
            .dst_desc();
    });
    check({"reduction of pixels", images, same}, [](tag t) {
        return last_of(reduction::primitive_desc(
                           cpu(), algorithm::reduction_sum, laid(whole, t), any(images), 0, 0))
            .dst_desc();
    });
    check({"reduction of channels", pixels, never_blocked}, [](tag t) {
        return last_of(reduction::primitive_desc(
                           cpu(), algorithm::reduction_sum, laid(whole, t), any(pixels), 0, 0))
            .dst_desc();
    });
}

BOOST_AUTO_TEST_CASE(operands_follow_what_they_are_spread_over) {
    const auto binary_of = [](const memory::desc &src0, const memory::desc &src1) {
        return last_of(
            binary::primitive_desc(cpu(), algorithm::binary_add, src0, src1, any(whole)));
    };
    check({"src1 of binary", whole, same},
        [&](tag t) { return binary_of(laid(whole, t), any(whole)).src1_desc(); });
    check({"broadcast src1 of binary", channels, never_blocked},
        [&](tag t) { return binary_of(laid(whole, t), any(channels)).src1_desc(); });
    check({"dst of binary", whole, same},
        [&](tag t) { return binary_of(laid(whole, t), laid(whole, plain)).dst_desc(); });
    check({"slopes of prelu", channels, same}, [](tag t) {
        return last_of(prelu_forward::primitive_desc(
                           cpu(), training, laid(whole, t), any(channels), any(whole)))
            .weights_desc();
    });
    check({"slopes of prelu for pixels", pixels, never_blocked}, [](tag t) {
        return last_of(
            prelu_forward::primitive_desc(cpu(), training, laid(whole, t), any(pixels), any(whole)))
            .weights_desc();
    });
}

BOOST_AUTO_TEST_CASE(gradients_follow_what_the_forward_pass_read) {
    for (const bool of_src : {true, false})
        check({of_src ? "diff_src of eltwise" : "diff_dst of eltwise", whole, same}, [&](tag t) {
            const auto pd =
                last_of(eltwise_backward::primitive_desc(cpu(), algorithm::eltwise_tanh, any(whole),
                    any(whole), laid(whole, t), 0.f, 0.f, eltwise_of(laid(whole, t), any(whole))));
            return of_src ? pd.diff_src_desc() : pd.diff_dst_desc();
        });
    for (const bool of_src : {true, false})
        check({of_src ? "diff_src of batch normalization" : "diff_dst of batch normalization",
                  whole, same},
            [&](tag t) {
                const batch_normalization_forward::primitive_desc hint(
                    cpu(), training, laid(whole, t), any(whole), 1, normalization_flags::none);
                const auto pd = last_of(batch_normalization_backward::primitive_desc(cpu(),
                    prop_kind::backward, any(whole), any(whole), laid(whole, t), 1,
                    normalization_flags::none, hint));
                return of_src ? pd.diff_src_desc() : pd.diff_dst_desc();
            });
    check({"diff_src of resampling", halved, same}, [](tag t) {
        const resampling_forward::primitive_desc hint(
            cpu(), training, algorithm::resampling_linear, laid(halved, t), any(whole));
        return last_of(resampling_backward::primitive_desc(
                           cpu(), algorithm::resampling_linear, any(halved), laid(whole, t), hint))
            .diff_src_desc();
    });
}

BOOST_AUTO_TEST_CASE(tensors_of_products) {
    const memory::dims kernel {16, 32, 3, 3}, result {2, 16, 4, 6};
    const auto convolution_of = [&](const memory::desc &src, const memory::desc &dst) {
        return last_of(convolution_forward::primitive_desc(cpu(), training,
            algorithm::convolution_direct, src, any(kernel), dst, {1, 1}, {1, 1}, {1, 1}));
    };
    check({"dst of convolution", result, same},
        [&](tag t) { return convolution_of(laid(whole, t), any(result)).dst_desc(); });
    check({"src of convolution", whole, same},
        [&](tag t) { return convolution_of(any(whole), laid(result, t)).src_desc(); });
    BOOST_TEST((convolution_of(any(whole), any(result)).weights_desc() ==
                memory::desc(kernel, type::f32, tag::oihw)));
    const memory::dims weights {7, 32, 4, 6}, rows {2, 7};
    const auto product_of = [&](const memory::desc &src, const memory::desc &of_weights) {
        return last_of(
            inner_product_forward::primitive_desc(cpu(), training, src, of_weights, any(rows)));
    };
    // Blocks over the batch would make no sense for output channels.
    check({"weights of inner product", weights, never_blocked},
        [&](tag t) { return product_of(laid(whole, t), any(weights)).weights_desc(); });
    check({"src of inner product", whole, same},
        [&](tag t) { return product_of(any(whole), laid(weights, t)).src_desc(); });
    BOOST_TEST((product_of(laid(whole, blocked), any(weights)).dst_desc() ==
                memory::desc(rows, type::f32, tag::ab)));
}
