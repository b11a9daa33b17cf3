// SPDX-License-Identifier: Apache-2.0
// Packed weights kept in a file, an extension of this library: the first start packs them, later
// ones read them. Where the file does not fit, as after an update, the plain weights are packed
// again.
#include <cstdint>
#include <fstream>
#include <iterator>

#include <dnnl_ext.hpp>

#include "../example.hpp"

using namespace examples;

namespace {

memory pack(std::vector<float> &weights, const memory::desc &plain, const memory::desc &wanted,
    const engine &cpu) {
    memory from(plain, cpu, weights.data()), to(wanted, cpu);
    execute(dnnl::reorder(from, to), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return to;
}

void write(const std::string &file, const std::vector<std::uint8_t> &bytes) {
    std::ofstream to(file, std::ios::binary);
    to.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
}
std::vector<std::uint8_t> read(const std::string &file) {
    std::ifstream from(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
}

/// The packed weights from the file, or made of the plain ones and written there; `loaded` tells.
memory weights_for(const dnnl::matmul::primitive_desc &pd, const std::string &file,
    std::vector<float> &weights, const memory::desc &plain, const engine &cpu, bool &loaded) {
    try {
        const memory kept = dnnl::ext::load_weights(read(file), pd.weights_desc(), cpu);
        loaded = true;
        return kept;
    } catch (const dnnl::error &e) {
        std::printf("packed anew: %s\n", e.what());
        loaded = false;
        const memory made = pack(weights, plain, pd.weights_desc(), cpu);
        write(file, dnnl::ext::save_weights(made));
        return made;
    }
}

} // namespace

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 4, k = 100, n = 60;
        const std::string file = "packed_weights.bin";
        std::remove(file.c_str());
        std::vector<float> src = numbers(m * k, 1), weights = numbers(k * n, 2), expected(m * n);
        const memory::desc src_md({m, k}, dt::f32, tag::ab), plain({k, n}, dt::f32, tag::ab);
        const memory::desc open({k, n}, dt::f32, tag::any), dst_md({m, n}, dt::f32, tag::ab);
        const dnnl::matmul::primitive_desc pd(cpu, src_md, open, dst_md);
        for (memory::dim i = 0; i < m * k; ++i)
            for (memory::dim j = 0; j < n; ++j)
                expected[i / k * n + j] += src[i] * weights[i % k * n + j];

        // No file; the file; a damaged file.
        for (const int start : {1, 2, 3}) {
            if (start == 3) write(file, std::vector<std::uint8_t>(1000, 7));
            bool loaded = false;
            const memory packed = weights_for(pd, file, weights, plain, cpu, loaded);
            expect(loaded == (start == 2), "the second start alone reads the file");
            std::vector<float> dst(m * n);
            execute(dnnl::matmul(pd), cpu,
                {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())}, {DNNL_ARG_WEIGHTS, packed},
                    {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())}});
            expect_near("start " + std::to_string(start), dst, expected);
        }
        std::remove(file.c_str());
    });
}
