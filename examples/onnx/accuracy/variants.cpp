// SPDX-License-Identifier: Apache-2.0
#include "variants.hpp"

#include "../inspect.hpp"
#include "../model/error.hpp"
#include "../model/read_model.hpp"

#include <algorithm>

namespace accuracy {

using namespace dnnl_onnx;
using calibration::range_rule;

namespace {

struct int8_rule {
    const char *name;
    range_rule rule;
};

constexpr int8_rule rules[] = {{"int8 min-max", range_rule::min_max},
    {"int8 percentile", range_rule::percentile}, {"int8 least-squares", range_rule::least_squares},
    {"int8 divergence", range_rule::divergence}};

} // namespace

const std::vector<std::string> &variant_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all {"f32", "bf16", "f16"};
        for (const int8_rule &each : rules) all.emplace_back(each.name);
        return all;
    }();
    return names;
}

std::string first_input_of(const std::filesystem::path &file) {
    const model read = read_model(file);
    if (read.main.inputs.empty()) throw error(file.string() + " has no inputs");
    return read.main.inputs[0].name;
}

variants::variants(const std::filesystem::path &file, std::vector<std::string> names,
    const std::vector<named_tensors> &calibration, const std::vector<std::string> &keep)
    : names_(std::move(names)) {
    std::erase(names_, "f32");
    names_.insert(names_.begin(), "f32");
    networks_.push_back(std::make_unique<network>(read_model(file)));
    calibrator seen;
    for (const named_tensors &inputs : calibration) seen.add(*networks_[0], inputs);
    for (std::size_t i = 1; i < names_.size(); ++i) {
        network_options options;
        options.types.keep = keep;
        if (names_[i] == "bf16" || names_[i] == "f16") {
            options.types.floats =
                names_[i] == "bf16" ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f16;
        } else {
            const auto found = std::find_if(std::begin(rules), std::end(rules),
                [&](const int8_rule &each) { return each.name == names_[i]; });
            if (found == std::end(rules)) {
                std::string all;
                for (const std::string &name : variant_names())
                    all += (all.empty() ? "" : ", ") + name;
                throw error("there is no type '" + names_[i] + "'; there are " + all);
            }
            options.types.sources = seen.result(found->rule);
        }
        networks_.push_back(std::make_unique<network>(read_model(file), options));
    }
}

} // namespace accuracy
