// SPDX-License-Identifier: Apache-2.0
// The extents of recurrent layers, which primitives compute.
#include "tables.hpp"

namespace dnnl_onnx {

namespace {

host_step recurrent(op_context &c, int gates) {
    if (c.rank(0) != 3 || c.rank(1) != 3 || c.rank(2) != 3)
        c.fail("its inputs have " + std::to_string(c.rank(0)) + ", " + std::to_string(c.rank(1)) +
               " and " + std::to_string(c.rank(2)) + " dimensions instead of 3");
    const std::int64_t directions = c.dims(1)[0], hidden = c.integer("hidden_size", c.dims(2)[2]);
    const bool batch_first = c.integer("layout", 0) != 0;
    const std::int64_t steps = c.dims(0)[batch_first ? 1 : 0];
    const std::int64_t batch = c.dims(0)[batch_first ? 0 : 1], channels = c.dims(0)[2];
    if (c.dims(1) != extents {directions, gates * hidden, channels})
        c.fail("its weights have the extents " + text_of(c.dims(1)));
    if (c.dims(2) != extents {directions, gates * hidden, hidden})
        c.fail("its recurrent weights have the extents " + text_of(c.dims(2)));
    const element_type type = c.in(0).type;
    const extents states =
        batch_first ? extents {batch, directions, hidden} : extents {directions, batch, hidden};
    c.output(0, type,
        batch_first ? extents {batch, steps, directions, hidden}
                    : extents {steps, directions, batch, hidden});
    c.output(1, type, states);
    c.output(2, type, states);
    return {};
}

} // namespace

operator_table recurrent_operators() {
    static const operator_entry table[] = {
        {"GRU", [](op_context &c) { return recurrent(c, 3); }},
        {"LSTM", [](op_context &c) { return recurrent(c, 4); }},
        {"RNN", [](op_context &c) { return recurrent(c, 1); }},
    };
    return table;
}

} // namespace dnnl_onnx
