// SPDX-License-Identifier: Apache-2.0
// A library without verbose lines, bound and hints of instruction sets: the environment has no
// effect, the functions say that they do nothing.
#include <cstdio>

#include "dnnl.hpp"

int main() {
    using namespace dnnl;
    const bool refused = set_verbose(1) == status::unimplemented &&
                         set_max_cpu_isa(cpu_isa::sse41) == status::unimplemented &&
                         set_cpu_isa_hints(cpu_isa_hints::prefer_ymm) == status::unimplemented;
    const bool unbounded = get_effective_cpu_isa() != cpu_isa::sse41;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    memory::desc md({2, 3}, memory::data_type::f32, memory::format_tag::ab);
    memory src(md, eng), dst(md, eng);
    reorder(src, dst).execute(strm, src, dst);
    if (refused && unbounded) std::puts("as expected");
    return refused && unbounded ? 0 : 1;
}
