// SPDX-License-Identifier: Apache-2.0
// The products of all rows of a table with the input weights of a recurrent layer, for a network on
// sums of gates.
#pragma once

#include "../example.hpp"

namespace techniques {

/// `words` rows of `width` numbers times `layer`, width x columns: words x columns.
inline std::vector<float> products_of_table(const dnnl::engine &cpu, std::vector<float> &table,
    dnnl::memory::dim words, dnnl::memory::dim width, std::vector<float> &layer,
    dnnl::memory::dim columns) {
    using dnnl::memory;
    using examples::dt;
    using examples::tag;
    std::vector<float> sums(std::size_t(words * columns));
    const memory::desc rows({words, width}, dt::f32, tag::ab),
        weights({width, columns}, dt::f32, tag::ab), out({words, columns}, dt::f32, tag::ab);
    examples::execute(dnnl::matmul(dnnl::matmul::primitive_desc(cpu, rows, weights, out)), cpu,
        {{DNNL_ARG_SRC, memory(rows, cpu, table.data())},
            {DNNL_ARG_WEIGHTS, memory(weights, cpu, layer.data())},
            {DNNL_ARG_DST, memory(out, cpu, sums.data())}});
    return sums;
}

} // namespace techniques
