// SPDX-License-Identifier: Apache-2.0
// Concat: tensors side by side along one dimension, here the channels of images.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 2, h = 2, w = 3, pixels = h * w;
        const std::vector<memory::dim> channels {1, 4, 2};
        const int axis = 1;
        std::vector<memory::desc> src_md;
        std::vector<std::vector<float>> src;
        for (const memory::dim c : channels) {
            src_md.emplace_back(memory::dims {n, c, h, w}, dt::f32, tag::nchw);
            src.push_back(numbers(std::size_t(n * c * pixels), int(c)));
        }

        // Without a dst the library makes its descriptor.
        const dnnl::concat::primitive_desc pd(cpu, axis, src_md);
        expect(pd.dst_desc().get_dims() == memory::dims({n, 7, h, w}), "7 channels in all");
        std::vector<float> dst(std::size_t(n * 7 * pixels));
        std::unordered_map<int, memory> arguments {
            {DNNL_ARG_DST, memory({{n, 7, h, w}, dt::f32, tag::nchw}, cpu, dst.data())}};
        for (std::size_t i = 0; i < src.size(); ++i)
            arguments[DNNL_ARG_MULTIPLE_SRC + int(i)] = memory(src_md[i], cpu, src[i].data());
        execute(dnnl::concat(pd), cpu, arguments);

        std::vector<float> expected;
        for (memory::dim image = 0; image < n; ++image)
            for (std::size_t i = 0; i < src.size(); ++i) {
                const memory::dim length = channels[i] * pixels;
                expected.insert(expected.end(), src[i].begin() + image * length,
                    src[i].begin() + (image + 1) * length);
            }
        expect_near("concat", dst, expected, 0);
    });
}
