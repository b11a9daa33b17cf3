// SPDX-License-Identifier: Apache-2.0
// Checks of reorder descriptors.
#include "common/reorder.hpp"

#include "common/tensor_checks.hpp"

namespace dnnl::impl {

reorder_desc make_reorder_desc(const memory_desc *src, const memory_desc *dst) {
    reorder_desc desc;
    desc.src = checked_tensor("reorder", "src", src, may_be_runtime);
    desc.dst = checked_tensor("reorder", "dst", dst, may_be_runtime | is_written);
    require_tensor(same_dims(desc.src, desc.dst), "reorder", "dst", "its dims differ from src's");
    return desc;
}

} // namespace dnnl::impl
