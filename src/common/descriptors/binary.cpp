// SPDX-License-Identifier: Apache-2.0
// Checks of binary descriptors.
#include "common/descriptors/binary.hpp"

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

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
        require_tensor(
            same_dims(desc.src2, desc.src0), name, "src2", "its dims differ from src0's");
    });
    return desc;
}

} // namespace dnnl::impl
