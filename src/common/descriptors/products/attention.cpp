// SPDX-License-Identifier: Apache-2.0
// Checks and facts of attention, an extension.
#include "common/descriptors/primitive_facts.hpp"
#include "common/descriptors/products/shapes.hpp"
#include "dnnl/dnnl_ext.h"

namespace dnnl::impl {

namespace {

/// Null, or which tensor does not fit the queries.
const char *mismatch(const attention_desc &d) {
    const memory_desc &q = d.queries, &k = d.keys, &v = d.values, &mask = d.mask, &dst = d.dst;
    if (q.ndims < 2) return "attention: queries: they must have at least 2 dimensions";
    if (k.ndims != q.ndims) return "attention: keys: their rank differs from queries'";
    if (v.ndims != q.ndims) return "attention: values: their rank differs from queries'";
    if (dst.ndims != q.ndims) return "attention: dst: its rank differs from queries'";
    if (mask.ndims != (mask.is_zero() ? 0 : q.ndims))
        return "attention: mask: its rank differs from queries'";
    const int row = q.ndims - 2, column = row + 1;
    for (int i = 0; i < row; ++i) {
        const dim_t shared = k.dims[i];
        if (shared != q.dims[i] && (shared == 0 || q.dims[i] % shared != 0))
            return "attention: keys: a batch dimension does not divide queries'";
        if (v.dims[i] != shared) return "attention: values: a batch dimension differs from keys'";
        if (dst.dims[i] != q.dims[i])
            return "attention: dst: a batch dimension differs from queries'";
        if (!mask.is_zero() && mask.dims[i] != 1 && mask.dims[i] != q.dims[i])
            return "attention: mask: a batch dimension is neither 1 nor queries'";
    }
    if (k.dims[column] != q.dims[column]) return "attention: keys: K differs from queries'";
    if (k.dims[row] == 0) return "attention: keys: there is none to be attended to";
    if (v.dims[row] != k.dims[row]) return "attention: values: N differs from keys'";
    if (dst.dims[row] != q.dims[row]) return "attention: dst: M differs from queries'";
    if (dst.dims[column] != v.dims[column]) return "attention: dst: its rows differ from values'";
    if (mask.is_zero()) return nullptr;
    if (mask.dims[row] != 1 && mask.dims[row] != q.dims[row])
        return "attention: mask: M is neither 1 nor queries'";
    return mask.dims[column] == k.dims[row] ? nullptr : "attention: mask: N differs from keys'";
}

} // namespace

attention_desc make_attention_desc(const attention_tensors &t, float scale, unsigned flags) {
    attention_desc desc {.scale = scale, .causal = (flags & dnnl_ext_attention_causal) != 0};
    require_of((flags & ~dnnl_ext_attention_causal) == 0, desc, "flags: a bit is no flag of it");
    desc.queries = checked_tensor(desc, "queries", t.queries, may_be_any);
    desc.keys = checked_tensor(desc, "keys", t.keys, may_be_any);
    desc.values = checked_tensor(desc, "values", t.values, may_be_any);
    if (!is_absent(t.mask)) desc.mask = checked_tensor(desc, "mask", t.mask, may_be_any);
    desc.dst = checked_tensor(desc, "dst", t.dst, may_be_any | is_written);
    check_tensors_of(desc, [&] {
        if (const char *reason = mismatch(desc)) throw error(dnnl_invalid_arguments, reason);
    });
    return desc;
}

attention_shape shape_of(const attention_desc &desc) {
    const memory_desc &q = desc.queries, &v = desc.values;
    const int row = q.ndims - 2, column = row + 1;
    return {product(q.dims, row), q.dims[row], v.dims[row], q.dims[column], v.dims[column],
        desc.causal};
}

const char *attention_types_refusal(const attention_desc &d) {
    if (!is_float(d.dst.dtype) || !(d.mask.is_zero() || is_float(d.mask.dtype)))
        return "dst or mask are not f32, bf16 or f16";
    const data_type q = d.queries.dtype, k = d.keys.dtype, v = d.values.dtype;
    if (is_int8(q) ? is_int8(k) && is_int8(v) : is_float(q) && q == k && q == v) return nullptr;
    return "queries, keys and values are neither all f32, all bf16, all f16 nor all bytes";
}

const primitive_facts<attention_desc> attention_desc::facts {
    .kind = static_cast<dnnl_primitive_kind_t>(dnnl_ext_attention),
    .attributes = {.scales = true, .integer_only = true},
    .arguments =
        [](attention_desc &d, argument_list &list) {
            list.input(DNNL_ARG_QUERIES, d.queries);
            list.input(DNNL_ARG_KEYS, d.keys);
            list.input(DNNL_ARG_VALUES, d.values);
            list.input(DNNL_ARG_ATTN_MASK, d.mask);
            list.output(DNNL_ARG_DST, d.dst);
        },
    .layouts =
        [](attention_desc &d) {
            for (memory_desc *md : {&d.queries, &d.keys, &d.values, &d.mask, &d.dst})
                make_plain(*md);
        },
    .items =
        [](item_list<attention_desc> &list) {
            list.add("query", &attention_desc::queries).add("key", &attention_desc::keys);
            list.add("val", &attention_desc::values).add("dst", &attention_desc::dst);
            if (!list.op.mask.is_zero()) list.add("msk", &attention_desc::mask);
        },
    .parameters =
        [](const attention_desc &d) {
            return fmt::format("scale:{}{}", d.scale, d.causal ? " causal" : "");
        },
    .shape =
        [](const attention_desc &d) {
            return extents(d.queries) + ':' + extents(d.keys) + ':' + extents(d.values);
        },
    .takes_scale_mask = takes_one_value_of_sources,
    .tensor_name = [](int arg) -> std::string {
        switch (arg) {
        case DNNL_ARG_QUERIES: return "queries";
        case DNNL_ARG_KEYS: return "keys";
        case DNNL_ARG_VALUES: return "values";
        case DNNL_ARG_ATTN_MASK: return "mask";
        default: return {};
        }
    },
};

} // namespace dnnl::impl
