// SPDX-License-Identifier: Apache-2.0
// Reorder: another layout and another type at once. A matrix of f32 becomes u8 with a scale per
// column and a zero point, transposed, and comes back.
#include <algorithm>
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim rows = 6, columns = 4;
        std::vector<float> real = numbers(rows * columns), again(real.size());
        std::vector<std::uint8_t> stored(real.size());
        std::vector<float> scales(columns);
        std::int32_t zero_point = 128;
        for (memory::dim i = 0; i < rows * columns; ++i)
            scales[i % columns] = std::max(scales[i % columns], std::fabs(real[i]) / 127);

        const memory::desc real_md({rows, columns}, dt::f32, tag::ab);
        const memory::desc stored_md({rows, columns}, dt::u8, tag::ba);
        const memory::desc scales_md({columns}, dt::f32, tag::x), one({1}, dt::s32, tag::x);
        const memory scales_m(scales_md, cpu, scales.data()), zero_m(one, cpu, &zero_point);
        const memory real_m(real_md, cpu, real.data()), stored_m(stored_md, cpu, stored.data());

        // stored = round(real / scale) + zero point. Bit 1 of the mask: values vary by column.
        dnnl::primitive_attr quantize;
        quantize.set_scales_mask(DNNL_ARG_DST, 1 << 1);
        quantize.set_zero_points_mask(DNNL_ARG_DST, 0);
        const dnnl::reorder::primitive_desc there(cpu, real_md, cpu, stored_md, quantize);
        execute(dnnl::reorder(there), cpu,
            {{DNNL_ARG_FROM, real_m}, {DNNL_ARG_TO, stored_m},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales_m},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, zero_m}});

        // real = scale * (stored - zero point)
        dnnl::primitive_attr dequantize;
        dequantize.set_scales_mask(DNNL_ARG_SRC, 1 << 1);
        dequantize.set_zero_points_mask(DNNL_ARG_SRC, 0);
        const dnnl::reorder::primitive_desc back(cpu, stored_md, cpu, real_md, dequantize);
        execute(dnnl::reorder(back), cpu,
            {{DNNL_ARG_FROM, stored_m}, {DNNL_ARG_TO, memory(real_md, cpu, again.data())},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scales_m},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, zero_m}});

        for (memory::dim r = 0; r < rows; ++r)
            for (memory::dim c = 0; c < columns; ++c) {
                const float value = real[r * columns + c];
                expect(stored[c * rows + r] == 128 + int(std::nearbyint(value / scales[c])),
                    "the byte is the rounded quotient, at its transposed place");
                expect(std::fabs(again[r * columns + c] - value) <= scales[c] * 0.5001f,
                    "what comes back is at most half a step away");
            }
        std::printf("reorder: %d values, each within half a step\n", int(rows * columns));
    });
}
