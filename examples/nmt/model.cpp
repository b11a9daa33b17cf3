// SPDX-License-Identifier: Apache-2.0
// Packs the weights of a network.
#include "model.hpp"

#include "../techniques/gate_sums.hpp"

#include <cstring>

namespace nmt {

namespace {

memory table_of(const engine &cpu, const std::vector<float> &values, memory::dim words, dt type) {
    const memory::dim width = memory::dim(values.size()) / words;
    memory table({{words, width}, type, tag::ab}, cpu);
    std::vector<float> copy = values;
    const memory from({{words, width}, dt::f32, tag::ab}, cpu, copy.data());
    stream s(cpu);
    conversion(cpu, from, table).execute(s);
    s.wait();
    return table;
}

memory target_table(const engine &cpu, const network &n, number kind, bool sums) {
    if (!sums) return table_of(cpu, n.target_embeddings, n.size.vocabulary, state_type(kind));
    std::vector<float> table = n.target_embeddings, layer = n.decoder[0].layer;
    return table_of(cpu,
        techniques::products_of_table(
            cpu, table, n.size.vocabulary, n.size.hidden, layer, 4 * n.size.hidden),
        n.size.vocabulary, dt::f32);
}

} // namespace

first_layer first_layer_of(number kind, bool fused) {
    return fused && kind != number::int8 ? first_layer::gate_sums : first_layer::embeddings;
}

model::model(const engine &cpu, const network &from, number kind, bool fused, int batch, int beam)
    : cpu(cpu), kind(kind), size(from.size),
      encoder(cpu, kind, first_layer::embeddings, size.hidden, from.encoder, batch),
      decoder(cpu, kind, first_layer_of(kind, fused), size.hidden, from.decoder, batch * beam),
      keys(cpu, kind, from.attention, size.hidden, size.hidden, batch),
      combine(cpu, kind, from.combine, 2 * size.hidden, size.hidden, batch * beam,
          {state_type(kind), true, nullptr}),
      output(cpu, kind, from.output, size.hidden, size.vocabulary, batch * beam,
          {dt::f32, false, &from.output_bias}, true),
      source_(table_of(cpu, from.source_embeddings, size.vocabulary, state_type(kind))),
      target_(
          target_table(cpu, from, kind, first_layer_of(kind, fused) == first_layer::gate_sums)) {}

void model::copy(const memory &table, int word, void *to) {
    const std::size_t row =
        table.get_desc().get_size() / std::size_t(table.get_desc().get_dims()[0]);
    std::memcpy(
        to, static_cast<const char *>(table.get_data_handle()) + std::size_t(word) * row, row);
}

} // namespace nmt
