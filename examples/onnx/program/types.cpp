// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include "../../reporting/progress.hpp"
#include "../allow.hpp"
#include "../inspect.hpp"
#include "../model/error.hpp"
#include "npy.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace dnnl_onnx {

namespace {

calibration::range_rule rule_of(const std::string &text) {
    std::string names;
    for (const calibration::named_rule &each : calibration::range_rules) {
        if (text == each.name) return each.rule;
        names += (names.empty() ? "" : ", ") + std::string(each.name);
    }
    throw error("there is no rule '" + text + "'; there are " + names);
}

/// The .npy and .png files of a folder, in the order of their names.
std::vector<std::filesystem::path> files_of(const std::string &folder) {
    std::vector<std::filesystem::path> files;
    std::error_code status;
    for (const auto &entry : std::filesystem::directory_iterator(folder, status))
        if (entry.path().extension() == ".npy" || entry.path().extension() == ".png")
            files.push_back(entry.path());
    if (status || files.empty()) throw error("there are no .npy or .png files in '" + folder + "'");
    std::sort(files.begin(), files.end());
    return files;
}

/// Adds the products that have to stay in f32, and says on standard error which they are.
void keep_by_allowance(const command_options &options, const model &of,
    const std::vector<named_tensors> &inputs, network_options &result) {
    kept_products kept;
    {
        reporting::progress_bar bar("choosing products", 1000);
        kept = products_to_keep(of, result, inputs, options.allow,
            [&](std::size_t done, std::size_t all) { bar.show(int(1000 * done / all), ""); });
    }
    fmt::print(stderr, "{} of {} products stay in f32, {:.2f} % of the decisions change{}\n",
        kept.nodes.size(), kept.all, kept.changed, kept.nodes.empty() ? "" : ":");
    for (const std::string &node : kept.nodes) fmt::print(stderr, "  {}\n", node);
    result.types.keep.insert(result.types.keep.end(), kept.nodes.begin(), kept.nodes.end());
}

} // namespace

network_options plain_options(const command_options &options) {
    network_options result;
    result.fuse = !options.no_fuse;
    return result;
}

network_options options_of(const command_options &options, const std::string &type, network &plain,
    const named_tensors &given) {
    network_options result = plain_options(options);
    using library = dnnl::memory::data_type;
    if (type == "f32") return result;
    if (type == "bf16" || type == "f16") {
        result.types.floats = type == "bf16" ? library::bf16 : library::f16;
        return result;
    }
    if (type != "int8")
        throw error("there is no type '" + type + "'; there are f32, bf16, f16, int8");
    std::vector<named_tensors> inputs;
    if (options.calibration.empty())
        inputs.push_back(given);
    else
        for (const auto &file : files_of(options.calibration)) {
            inputs.push_back(given);
            const value_info &first = plain.inputs().at(0);
            inputs.back()[first.name] = file.extension() == ".png"
                                            ? read_png(file, first, options.scaling)
                                            : read_npy(file);
        }
    calibrator calibration;
    for (const named_tensors &each : inputs) calibration.add(plain, each);
    result.types.sources = calibration.result(rule_of(options.rule));
    result.types.keep = options.keep;
    if (options.allow >= 0) keep_by_allowance(options, plain.source(), inputs, result);
    return result;
}

} // namespace dnnl_onnx
