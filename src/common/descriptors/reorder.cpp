// SPDX-License-Identifier: Apache-2.0
// Checks and facts of reorder.
#include "common/descriptors/movement.hpp"

#include "common/descriptors/primitive_facts.hpp"
#include "common/descriptors/rnn.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

namespace {

/// Why there is no conversion between two types; null when there is.
const char *pair_refusal(data_type from, data_type to) {
    if (from == data_type::f64 || to == data_type::f64) return "src or dst is f64";
    if (is_f8(from) || is_f8(to)) {
        const data_type other = is_f8(from) ? to : from;
        return is_f8(other) || is_float(other) ? nullptr : "f8 with a type that is not float";
    }
    if (is_int4(from) || is_int4(to)) {
        const data_type other = is_int4(from) ? to : from;
        return is_float(other) ? nullptr : "s4 or u4 with a type that is not f32, bf16 or f16";
    }
    const auto is_scale_or_f4 = [](data_type t) { return t == data_type::e8m0 || is_f4(t); };
    if (is_scale_or_f4(from) || is_scale_or_f4(to)) {
        const data_type other = is_scale_or_f4(from) ? to : from;
        return is_float(other) ? nullptr : "e8m0 or f4 with a type that is not f32, bf16 or f16";
    }
    return nullptr;
}

} // namespace

reorder_desc make_reorder_desc(const memory_desc *src, const memory_desc *dst) {
    reorder_desc desc;
    desc.src = checked_tensor("reorder", "src", src, may_be_runtime);
    desc.dst = checked_tensor("reorder", "dst", dst, may_be_runtime | is_written);
    check_tensors_of(desc, [&] { require_same_dims(desc.dst, desc.src, "reorder", "dst", "src"); });
    return desc;
}

const char *reorder_refusal(const problem &p) {
    const auto &op = std::get<reorder_desc>(p.op);
    if (const char *why = pair_refusal(op.src.dtype, op.dst.dtype)) return why;
    const auto &post_ops = p.attr.post_ops.entries;
    if (post_ops.empty()) return nullptr;
    if (post_ops.size() > 1) return "more than one post-op";
    const auto *sum = std::get_if<sum_post_op>(&post_ops.front());
    if (!sum) return "a post-op other than sum";
    if (sum->zero_point != 0) return "the sum post-op has a zero point";
    if (sum->dtype != data_type::undef && sum->dtype != op.dst.dtype)
        return "the sum post-op has a type of its own";
    return nullptr;
}

namespace {
const char *sum_refusal(const post_ops &chain, std::size_t index) {
    if (chain.entries.size() > 1) return "one sum alone is offered here";
    return std::get<sum_post_op>(chain.entries[index]).zero_point != 0
               ? "a sum with a zero point is not offered here"
               : nullptr;
}

bool check_rnn_parameters(const reorder_desc &d, const primitive_attr &attr) {
    if (attr.rnn == rnn_quantization {}) return true;
    require_implemented(
        attr.scales.empty() && attr.zero_points.empty() && attr.post_ops.entries.empty(),
        "reorder: rnn_qparams: scales, zero points and post-ops are not offered beside them");
    check_reorder_quantization(d, attr.rnn);
    return true;
}
} // namespace

const primitive_facts<reorder_desc> reorder_desc::facts {
    .kind = dnnl_reorder,
    .attributes = {.post_ops = sums, .scales = true, .zero_points = true},
    .arguments =
        [](reorder_desc &d, argument_list &list) {
            list.input(DNNL_ARG_FROM, d.src);
            list.output(DNNL_ARG_TO, d.dst);
        },
    .layouts = [](reorder_desc &) {},
    .items = add_src_and_dst,
    .takes_scale_mask = takes_any_mask,
    .post_op_refusal = sum_refusal,
    .check_rnn_parameters = check_rnn_parameters,
};

} // namespace dnnl::impl
