// SPDX-License-Identifier: Apache-2.0
#include "variants.hpp"

#include "../inspect.hpp"
#include "../model/error.hpp"
#include "../model/read_model.hpp"

#include <algorithm>

namespace accuracy {

using namespace dnnl_onnx;
const std::vector<std::string> &variant_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all {"f32", "bf16", "f16"};
        for (const calibration::named_rule &each : calibration::range_rules)
            all.push_back(std::string("int8 ") + each.name);
        return all;
    }();
    return names;
}

std::string first_input_of(const std::filesystem::path &file) {
    const model read = read_model(file);
    if (read.main.inputs.empty()) throw error(file.string() + " has no inputs");
    return read.main.inputs[0].name;
}

const float *floats_of(const tensor &result, std::int64_t count) {
    if (result.type().type != element_type::f32 || result.count() != count)
        throw error("the network gives " + text_of(result.type()) + ", not " +
                    std::to_string(count) + " numbers of f32");
    return result.data<float>();
}

variants::variants(const std::filesystem::path &file, std::vector<std::string> names,
    const std::vector<named_tensors> &inputs, const std::vector<std::string> &keep)
    : names_(std::move(names)) {
    std::erase(names_, "f32");
    names_.insert(names_.begin(), "f32");
    networks_.push_back(std::make_unique<network>(read_model(file)));
    calibrator seen;
    for (const named_tensors &each : inputs) seen.add(*networks_[0], each);
    for (std::size_t i = 1; i < names_.size(); ++i) {
        network_options options;
        options.types.keep = keep;
        if (names_[i] == "bf16" || names_[i] == "f16") {
            options.types.floats =
                names_[i] == "bf16" ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f16;
        } else {
            const auto found = std::find_if(std::begin(calibration::range_rules),
                std::end(calibration::range_rules), [&](const calibration::named_rule &each) {
                    return names_[i] == std::string("int8 ") + each.name;
                });
            if (found == std::end(calibration::range_rules)) {
                std::string all;
                for (const std::string &name : variant_names())
                    all += (all.empty() ? "" : ", ") + name;
                throw error("there is no type '" + names_[i] + "'; there are " + all);
            }
            options.types.sources = seen.result(found->rule);
        }
        networks_.push_back(std::make_unique<network>(networks_[0]->source(), options));
    }
}

} // namespace accuracy
