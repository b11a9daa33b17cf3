// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

namespace facts {

const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

const std::vector<type> &every_type() {
    static const std::vector<type> all {type::f32, type::bf16, type::f16, type::f8_e5m2,
        type::f8_e4m3, type::f64, type::s32, type::s8, type::u8, type::s4, type::u4, type::f4_e2m1,
        type::f4_e3m0, type::e8m0};
    return all;
}

bool is_output(int arg) {
    return arg == DNNL_ARG_DST || arg == DNNL_ARG_DIFF_SRC || arg == DNNL_ARG_DIFF_WEIGHTS;
}

memory::desc row_major(const memory::dims &extents, type t) {
    memory::dims strides(extents.size(), 1);
    for (std::size_t d = extents.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * extents[d];
    return {extents, t, strides};
}
memory::desc row_major(const memory::desc &md) {
    return row_major(md.get_dims(), md.get_data_type());
}

std::vector<memory::desc> descriptors(const subject &s, const std::vector<type> &types, int open) {
    std::vector<memory::desc> all;
    for (std::size_t i = 0; i < s.tensors.size(); ++i) {
        const memory::dims &extents = s.tensors[i].extents;
        all.push_back(int(i) == open ? memory::desc(extents, types[i], memory::format_tag::any)
                                     : row_major(extents, types[i]));
    }
    return all;
}

} // namespace facts
