// SPDX-License-Identifier: Apache-2.0
// What the commands begin with: the model, its inputs and a bar; and how they name layouts.
#pragma once

#include "../../reporting/progress.hpp"
#include "../network.hpp"
#include "commands.hpp"

#include <memory>
#include <string>

namespace dnnl_onnx {

/// Shows on a terminal how far a run is: of the program that runs, the steps that are done.
class run_progress {
  public:
    explicit run_progress(const std::string &label) : bar_(label, 1000) {}
    void operator()(const steps &program, std::size_t at) {
        bar_.show(int(1000 * (at + 1) / program.list().size()), program.list()[at].kind);
    }

  private:
    reporting::progress_bar bar_;
};

/// The model in the type that is wanted, and its inputs.
struct opened_model {
    std::unique_ptr<network> net;
    named_tensors given;
    network_options options; // of the network

    explicit opened_model(const command_options &from);
};

/// The results of a step, or its sources, as layouts.
std::string layouts(const step &s, bool results);

} // namespace dnnl_onnx
