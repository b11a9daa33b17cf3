// SPDX-License-Identifier: Apache-2.0
// Checks and facts of binary.
#include "common/descriptors/elementwise.hpp"

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "binary";

void check_dims(const binary_desc &desc) {
    const memory_desc &a = desc.src0, &b = desc.src1, &dst = desc.dst;
    require_tensor(b.ndims == a.ndims, name, "src1", "its rank differs from src0's");
    require_tensor(dst.ndims == a.ndims, name, "dst", "its rank differs from src0's");
    for (int d = 0; d < a.ndims; ++d) {
        require_tensor(a.dims[d] == b.dims[d] || a.dims[d] == 1 || b.dims[d] == 1, name, "src1",
            "a dimension is neither src0's nor 1");
        require_tensor(dst.dims[d] == (a.dims[d] == 1 ? b.dims[d] : a.dims[d]), name, "dst",
            "a dimension is not that of the sources");
    }
}
} // namespace

bool is_binary_algorithm(dnnl_alg_kind_t alg) {
    return alg >= dnnl_binary_add && alg <= dnnl_binary_select;
}

binary_desc make_binary_desc(dnnl_alg_kind_t alg, const binary_tensors &tensors) {
    require(is_binary_algorithm(alg), "binary: alg_kind is not an algorithm of binary");
    binary_desc desc;
    desc.alg = alg;
    desc.src0 = checked_tensor(name, "src0", tensors.src0, defined_only);
    desc.src1 = checked_tensor(name, "src1", tensors.src1, may_be_any);
    desc.dst = checked_tensor(name, "dst", tensors.dst, may_be_any | is_written);
    check_tensors_of(desc, [&] { check_dims(desc); });
    if (alg != dnnl_binary_select) return desc;
    desc.src2 = checked_tensor(name, "src2", tensors.src2, may_be_any);
    check_tensors_of(desc, [&] {
        require_tensor(desc.src2.dtype == data_type::s8, name, "src2", "its type must be s8");
        require_same_dims(desc.src2, desc.src0, name, "src2", "src0");
    });
    return desc;
}

const primitive_facts<binary_desc> binary_desc::facts {
    .kind = dnnl_binary,
    .attributes = {.post_ops = sums | eltwises | binaries, .scales = true},
    .arguments =
        [](binary_desc &d, argument_list &list) {
            list.input(DNNL_ARG_SRC_0, d.src0);
            list.input(DNNL_ARG_SRC_1, d.src1);
            list.input(DNNL_ARG_SRC_2, d.src2);
            list.output(DNNL_ARG_DST, d.dst);
        },
    .layouts =
        [](binary_desc &d) {
            if (!same_dims(d.src0, d.src1) && d.src0.inner_nblks > 0) make_plain(d.src1);
            for (memory_desc *md : {&d.src1, &d.src2, &d.dst}) follow(*md, {&d.src0});
        },
    .items =
        [](item_list<binary_desc> &list) {
            list.add("src", &binary_desc::src0).add("src", &binary_desc::src1);
            if (!list.op.src2.is_zero()) list.add("src", &binary_desc::src2);
            list.add("dst", &binary_desc::dst);
        },
    .shape =
        [](const binary_desc &d) {
            const std::string two = extents(d.src0) + ':' + extents(d.src1);
            return d.src2.is_zero() ? two : two + ':' + extents(d.src2);
        },
    .takes_scale_mask = [](const binary_desc &,
                            const quantization &q) { return q.arg != DNNL_ARG_DST && q.mask == 0; },
    .tensor_name =
        [](int arg) {
            return arg <= DNNL_ARG_SRC_2 ? "src" + std::to_string(arg - DNNL_ARG_SRC_0) : "";
        },
};

} // namespace dnnl::impl
