// SPDX-License-Identifier: Apache-2.0
// One plain product and one plain convolution of f32, from the C++ objects to the results, for
// scripts/walks.py, which asks which source files an execution runs through.
#include <cstring>
#include <unordered_map>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

using namespace dnnl;
using tag = memory::format_tag;

memory zeros(const memory::desc &md, const engine &engine) {
    memory m(md, engine);
    std::memset(m.get_data_handle(), 0, md.get_size());
    return m;
}

void execute(const primitive &p, const memory::desc &src, const memory::desc &weights,
    const memory::desc &dst, const engine &engine) {
    stream s(engine);
    std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, zeros(src, engine)},
        {DNNL_ARG_WEIGHTS, zeros(weights, engine)}, {DNNL_ARG_DST, memory(dst, engine)}};
    p.execute(s, args);
    s.wait();
}

// 200 rows: more than the drivers for a few of them take.
void run_matmul(const engine &engine) {
    const auto matrix = [](memory::dim rows, memory::dim columns) {
        return memory::desc({rows, columns}, memory::data_type::f32, tag::ab);
    };
    const matmul::primitive_desc pd(engine, matrix(200, 96), matrix(96, 160), matrix(200, 160));
    execute(matmul(pd), pd.src_desc(), pd.weights_desc(), pd.dst_desc(), engine);
}

void run_convolution(const engine &engine) {
    const auto image = [](memory::dim channels) {
        return memory::desc({2, channels, 14, 14}, memory::data_type::f32, tag::nhwc);
    };
    const memory::desc weights({64, 32, 3, 3}, memory::data_type::f32, tag::any);
    const convolution_forward::primitive_desc pd(engine, prop_kind::forward_inference,
        algorithm::convolution_direct, image(32), weights, image(64), {1, 1}, {1, 1}, {1, 1});
    execute(convolution_forward(pd), pd.src_desc(), pd.weights_desc(), pd.dst_desc(), engine);
}

bool run(const char *walk, const engine &engine) {
    if (std::strcmp(walk, "matmul") == 0) return run_matmul(engine), true;
    if (std::strcmp(walk, "convolution") == 0) return run_convolution(engine), true;
    return false;
}

} // namespace

// What scripts/walks.py counts: not the first run, which also looks at the processor and the
// environment.
extern "C" [[gnu::noinline]] bool counted_run(const char *walk, const engine &engine) {
    return run(walk, engine);
}

int main(int argc, char **argv) {
    const engine engine(engine::kind::cpu, 0);
    return argc == 2 && run(argv[1], engine) && counted_run(argv[1], engine) ? 0 : 2;
}
