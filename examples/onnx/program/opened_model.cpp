// SPDX-License-Identifier: Apache-2.0
#include "opened_model.hpp"

#include "../model/read_model.hpp"
#include "../plan/rewriter.hpp"
#include "inputs.hpp"
#include "types.hpp"

#include <algorithm>

namespace dnnl_onnx {

opened_model::opened_model(const command_options &from)
    : net(std::make_unique<network>(read_model(from.model), plain_options(from))),
      given(inputs_of(*net, from.inputs, from.scaling)),
      options(options_of(from, from.type, *net, given)) {
    if (from.type != "f32") net = std::make_unique<network>(net->source(), options);
}

std::string layouts(const step &s, bool results) {
    std::string text;
    const auto add = [&](const std::string &more) { text += (text.empty() ? "" : ", ") + more; };
    for (std::size_t i = 0; i < s.arguments.size(); ++i) {
        const bool written = std::count(s.written.begin(), s.written.end(), int(i)) > 0;
        if (written != results || s.arguments[i].first == DNNL_ARG_SCRATCHPAD) continue;
        add(text_of(s.arguments[i].second.desc));
    }
    for (const auto &[what, type] : results ? s.writes : s.reads)
        if (type) add(text_of(*type));
    return text;
}

} // namespace dnnl_onnx
