// SPDX-License-Identifier: Apache-2.0
// Layouts that came with 3.8 to 3.13, each reached by a reorder from row-major order and compared
// with the place that its name says; levels of instruction sets and post-ops of the newest
// interface.
#include <type_traits>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

struct layout {
    tag name;
    memory::dims dims;
    std::vector<int> outer;         // dimensions of the blocks' order, outermost first
    std::vector<memory::dim> inner; // pairs of a size and its dimension, outermost first
};

// Where the element at `index` lies: the outer part counts blocks, the inner part places within
// one.
memory::dim place_of(const layout &l, memory::dims index) {
    memory::dims blocks = l.dims;
    memory::dim inner = 0, step = 1, outer = 0;
    for (size_t i = l.inner.size(); i > 0; i -= 2) {
        const memory::dim size = l.inner[i - 2], d = l.inner[i - 1];
        inner += index[d] % size * step;
        step *= size;
        index[d] /= size;
        blocks[d] = (blocks[d] + size - 1) / size;
    }
    for (const int d : l.outer) outer = outer * blocks[d] + index[d];
    return outer * step + inner;
}

bool reordered(const layout &l, const engine &eng, stream &strm) {
    const memory::desc from(l.dims, dt::f32, memory::dims()), to(l.dims, dt::f32, l.name);
    const size_t count = from.get_size() / sizeof(float);
    std::vector<float> src = values(count, 1), dst(to.get_size() / sizeof(float), 9.f);
    memory src_mem(from, eng, src.data()), dst_mem(to, eng, dst.data());
    reorder(src_mem, dst_mem).execute(strm, src_mem, dst_mem);
    strm.wait();
    std::vector<double> expected(dst.size());
    for (size_t i = 0; i < count; ++i) {
        memory::dims index(l.dims.size());
        memory::dim rest = static_cast<memory::dim>(i);
        for (size_t d = index.size(); d-- > 0; rest /= l.dims[d]) index[d] = rest % l.dims[d];
        expected[place_of(l, index)] = src[i];
    }
    return agree("a layout", dst, expected, 0);
}

} // namespace

int main() {
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const layout layouts[] = {{tag::BA24b8a, {19, 30}, {1, 0}, {24, 1, 8, 0}},
        {tag::hwioG4g, {6, 2, 3, 2, 2}, {3, 4, 2, 1, 0}, {4, 0}},
        {tag::AB2a4b, {5, 9}, {0, 1}, {2, 0, 4, 1}},
        {tag::IOhw4o4i, {7, 6, 3, 2}, {1, 0, 2, 3}, {4, 0, 4, 1}},
        {tag::abDC12d8c, {2, 2, 9, 14}, {0, 1, 3, 2}, {12, 3, 8, 2}},
        {tag::Oiw8o, {13, 3, 5}, {0, 1, 2}, {8, 0}}, {tag::Abc32a, {33, 2, 3}, {0, 1, 2}, {32, 0}},
        {tag::gOidhw8o, {2, 9, 3, 2, 2, 2}, {0, 1, 2, 3, 4, 5}, {8, 1}}};
    bool good = tag::Oihw8o == tag::Abcd8a && tag::Oiw32o == tag::Abc32a;
    for (const layout &l : layouts) good = reordered(l, eng, strm) && good;

    primitive_attr attr;
    post_ops ops = attr.get_post_ops();
    ops.append_sum(2.f);
    attr.set_post_ops(ops);
    static_assert(
        std::is_same<decltype(attr.get_post_ops()), post_ops>::value, "the result is not constant");
    good &= attr.get_post_ops().len() == 1;
    good &= cpu_isa::avx10_2 == cpu_isa::avx10_2_512 &&
            cpu_isa::avx10_2_amx_2 == cpu_isa::avx10_2_512_amx_2;
    good &= version()->major == 3 && version()->minor >= DNNL_VERSION_MINOR;
    return good ? 0 : 1;
}
