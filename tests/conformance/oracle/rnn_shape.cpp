// SPDX-License-Identifier: Apache-2.0
// Reading of recurrent problems and of their configuration names.
#include "oracle/rnn_shape.hpp"

#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <algorithm>

namespace conformance {
namespace {

cell_kind cell_named(const std::string &name) {
    if (name == "VANILLA_LSTM") return cell_kind::lstm;
    if (name == "VANILLA_GRU") return cell_kind::gru;
    if (name == "LBR_GRU") return cell_kind::lbr_gru;
    if (name == "VANILLA_AUGRU") return cell_kind::augru;
    return name == "LBR_AUGRU" ? cell_kind::lbr_augru : cell_kind::vanilla;
}

// "f32u8f32u8": types of src_iter, src_layer, dst_iter, dst_layer.
rnn_types quantized_types(const std::string &name) {
    std::vector<data_type> parts;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t length = name[at] == 'f' ? 3 : 2;
        parts.push_back(type_named(name.substr(at, length)));
        at += length;
    }
    rnn_types types {parts[1], parts[0], parts[3], parts[2], data_type::s8, data_type::f32,
        data_type::f32, true};
    return types;
}

rnn_types types_named(const std::string &name) {
    const auto f32 = data_type::f32;
    if (name.find("8") != std::string::npos) return quantized_types(name);
    if (name == "f32") return {f32, f32, f32, f32, f32, f32, f32, false};
    const auto half = name.rfind("bf16", 0) == 0 ? data_type::bf16 : data_type::f16;
    const auto other = name.size() > 4 ? f32 : half; // of bias and cell state: "bf16f32", "f16f32"
    return {half, half, half, half, half, other, other, false};
}

} // namespace

rnn_shape::rnn_shape(const test_case &c) : cell(cell_named(c["alg"])) {
    const auto entries = descriptor_of(c.bare_problem(), c.what->keys);
    const auto extent = [&](const char *letter) {
        const dim forced = c.settings.count(letter) ? integer_of(c[letter], letter) : 0;
        return forced > 0 ? forced : entries.get(letter, 0);
    };
    L = extent("l");
    T = extent("t");
    N = extent("mb");
    SLC = extent("slc");
    SIC = extent("sic");
    DHC = extent("dhc");
    projection = c["with-projection"] == "true";
    peephole = c["with-peephole"] == "true";
    DIC = projection ? extent("dic") : DHC;
    const std::string direction = c["direction"];
    reversed = direction == "right2left";
    concat = direction == "concat";
    sum = direction == "sum";
    D = concat || sum ? 2 : 1;
    DLC = concat ? 2 * DIC : DIC;
    G = cell == cell_kind::vanilla ? 1 : cell == cell_kind::lstm ? 4 : 3;
    B = is_lbr() ? 4 : G;
    forward = c["prop"] != "BWD_DW";
    training = c["prop"] != "FWD_I";
    const std::string name = c["cfg"];
    const bool half = name.rfind("f16", 0) == 0 || name.rfind("bf16", 0) == 0;
    if (name.rfind("f16f32", 0) == 0)
        types = types_named("f16f32");
    else
        types = types_named(name);
    if (half && has_cell_state() == false) types.cell = data_type::f32;
    if ((projection || peephole) && cell != cell_kind::lstm)
        throw skipped_case("Invalid case: projection and peephole belong to LSTM");
    const bool gru = cell != cell_kind::lstm && cell != cell_kind::vanilla;
    if (T > 1 && SIC != DIC) throw skipped_case("Invalid case: steps need sic equal to the state");
    if (gru && SIC != DHC) throw skipped_case("Invalid case: a GRU needs sic equal to dhc");
    if (L > 1 && SLC != DIC) throw skipped_case("Invalid case: layers need slc equal to the state");
    if (cell != cell_kind::lstm && DHC != DIC) throw skipped_case("Invalid case: dhc is not dic");
}

} // namespace conformance
